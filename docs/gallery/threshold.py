"""Precision, recall and F1 over the threshold: measured against the labels, corrected, and true."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.curves import threshold_rates
from pumetrics.examples import fraud_cases
from pumetrics.metrics import pu_f1_score
from pumetrics.recovery import recover_rates

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int).to_numpy()
alpha, score, y = 0.03, cases["rules"], cases["fraud"]
thresholds = np.arange(20, 91, 2)

lines = {
    "measured": (s, 0.0, {"color": "#D55E00", "linestyle": "--"}),
    "corrected": (s, alpha, {"color": "#0072B2"}),
    "true": (y, 0.0, {"color": "black", "linestyle": ":"}),
}
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
for name, (labels, share, style) in lines.items():
    tpr_pu, fpr_pu, at = threshold_rates(labels, score)
    tpr, fpr = (np.interp(-thresholds, -at, rate) for rate in recover_rates(tpr_pu, fpr_pu, alpha=share))
    positives = labels.mean() + (1 - labels.mean()) * share
    precision = positives * tpr / (positives * tpr + (1 - positives) * fpr)
    f1 = [pu_f1_score(labels, score >= threshold, alpha=share) for threshold in thresholds]
    for axis, values in zip(axes, (precision, tpr, f1), strict=True):
        axis.plot(thresholds, values, label=name, **style)
for axis, title in zip(axes, ("precision", "recall", "F1"), strict=True):
    axis.set(title=title, xlabel="threshold of the rules (points)", ylim=(0, 1.02))
axes[2].legend(frameon=False)
