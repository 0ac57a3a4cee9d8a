"""Labels that prefer easy positives: the corrected AUC, and intervals from checked rows."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from pumetrics.checks import checked_interval, plan_checks
from pumetrics.metrics import pu_roc_auc_score

rng = np.random.default_rng(0)
y = np.repeat([1, 0], [3000, 7000])
score = rng.normal(1.5 * y)
strengths = (1, 2, 4, 8)
corrected, ends = [], []
for strength in strengths:
    rank = (np.argsort(np.argsort(score[:3000])) + 0.5) / 3000
    chance = strength**rank  # the easiest positive is labeled so many times as often as the hardest
    s = np.zeros(10_000, dtype=int)
    s[rng.choice(3000, size=600, replace=False, p=chance / chance.sum())] = 1
    corrected.append(pu_roc_auc_score(s, score, alpha=y[s == 0].mean()))
    plan = plan_checks(s, score, budget=200, metric="roc_auc", random_state=0)
    answer = checked_interval("roc_auc", s, score, plan.filled(y[plan.rows]))
    ends.append((answer.lower, answer.upper))

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
axis.plot(strengths, corrected, "o-", label="corrected, labels assumed at random")
axis.vlines(
    strengths,
    *np.transpose(ends),
    color="#009E73",
    linewidth=5,
    alpha=0.5,
    label="200 checked rows, 95% interval",
)
axis.axhline(roc_auc_score(y, score), color="black", linestyle=":", label="true")
axis.set(
    xscale="log",
    xlabel="how many times as often the easiest positive is labeled",
    ylabel="AUC",
    ylim=(0.75, 1),
)
axis.set_xticks(strengths, strengths)
axis.minorticks_off()
axis.legend(frameon=False, loc="upper left")
