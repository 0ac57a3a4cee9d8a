"""The interval of F1 by the number of checked rows: no assumption on the labels, odds at most 2, and SCAR."""

import matplotlib.pyplot as plt
from sklearn.metrics import f1_score

from pumetrics.checks import plan_checks, side_by_side
from pumetrics.examples import fraud_cases

THRESHOLD, BUDGETS = 0.15, (50, 100, 200, 400)
cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axis = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
plan = plan_checks(s, cases["new_model"], budget=BUDGETS[0], metric="f1", threshold=THRESHOLD, random_state=0)
for place, budget in enumerate(BUDGETS):
    plan = plan.extend(budget)
    checks = plan.filled(cases["fraud"].to_numpy()[plan.rows])  # the truth replaces the expert
    answers = side_by_side("f1", s, cases["new_model"], checks)
    names = ("no assumption", "odds at most 2", "SCAR")
    for number, (answer, name, color) in enumerate(zip(answers, names, ("#0072B2", "#009E73", "#D55E00"), strict=True)):
        x, once = place + 0.18 * (number - 1), None if place else name
        axis.plot([x, x], [answer.lower, answer.upper], color=color, linewidth=5, alpha=0.5, label=once)
        axis.plot(x, answer.estimate, "o", color=color)
truth = f1_score(cases["fraud"], cases["new_model"] >= THRESHOLD)
axis.axhline(truth, color="black", linestyle=":", label="true")
axis.set_xticks(range(len(BUDGETS)), BUDGETS)
axis.set(xlabel="checked rows", ylabel="F1 of the new model", ylim=(0, 1))
axis.legend(ncols=2, fontsize="small", loc="lower right")
