"""The interval of F1 by the number of checked rows, without assumptions about the labels."""

import matplotlib.pyplot as plt
from sklearn.metrics import f1_score

from pumetrics.checks import checked_interval, plan_checks
from pumetrics.examples import fraud_cases

THRESHOLD, BUDGETS = 0.15, (50, 100, 200, 400)
cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axis = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
plan = plan_checks(
    s, cases["new_model"], budget=BUDGETS[0], metric="f1", threshold=THRESHOLD, random_state=0
)
for place, budget in enumerate(BUDGETS):
    plan = plan.extend(budget)
    checks = plan.filled(cases["fraud"].to_numpy()[plan.rows])  # the truth replaces the expert
    answer = checked_interval("f1", s, cases["new_model"], checks, plan=plan)
    axis.plot([place, place], [answer.lower, answer.upper], color="#0072B2", linewidth=5, alpha=0.5)
    axis.plot(place, answer.estimate, "o", color="#0072B2")
truth = f1_score(cases["fraud"], cases["new_model"] >= THRESHOLD)
axis.axhline(truth, color="black", linestyle=":", label="true")
axis.set_xticks(range(len(BUDGETS)), BUDGETS)
axis.set(xlabel="checked rows", ylabel="F1 of the new model", ylim=(0, 1))
axis.legend(fontsize="small", loc="lower right")
