"""Measured, corrected with its 95% interval, and true: six metrics of one model."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.assessment import assess
from pumetrics.examples import fraud_cases
from pumetrics.metrics import METRICS, max_score, pu_average_precision_score, pu_roc_auc_score

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)
result = assess(s, cases["new_model"], alpha=(0.02, 0.04))

y, score = cases["fraud"], cases["new_model"]
truth = {"roc_auc": pu_roc_auc_score(y, score, alpha=0)}
truth["average_precision"] = pu_average_precision_score(y, score, alpha=0)
best = ("accuracy", "balanced_accuracy", "f1", "mcc")
truth |= {name: max_score(name, y, score, alpha=0)[0] for name in best}

figure, axis = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
for place, each in enumerate(result.scores):
    axis.plot(
        each.interval,
        [place, place],
        color="#0072B2",
        linewidth=6,
        alpha=0.3,
        solid_capstyle="butt",
    )
rows = np.arange(len(result.scores))
axis.plot(
    [each.uncorrected for each in result.scores], rows, "x", color="#D55E00", label="measured"
)
axis.plot(
    [each.corrected for each in result.scores],
    rows,
    "o",
    color="#0072B2",
    label="corrected, 95% interval",
)
axis.plot([truth[each.metric] for each in result.scores], rows, "k|", markersize=16, label="true")
names = [
    METRICS[f"max_{each.metric}" if each.metric in best else each.metric].label
    for each in result.scores
]
axis.set_yticks(rows, names)
axis.invert_yaxis()
axis.set(xlim=(0, 1), xlabel="score")
figure.legend(loc="outside upper center", ncols=3, frameon=False)
