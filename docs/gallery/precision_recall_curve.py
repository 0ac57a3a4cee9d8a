"""Precision-recall curve of the unconfirmed cases: measured, corrected with its bounds, and true."""

import matplotlib.pyplot as plt
from sklearn.metrics import precision_recall_curve

from pumetrics.displays import PUPrecisionRecallDisplay
from pumetrics.examples import fraud_cases

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axis = plt.subplots(figsize=(5, 5), layout="constrained")
PUPrecisionRecallDisplay.from_predictions(
    s, cases["new_model"], alpha=0.03, alpha_range=(0.02, 0.04), population="unlabeled", ax=axis
)
unlabeled = cases[s == 0]
precision, recall, _ = precision_recall_curve(unlabeled["fraud"], unlabeled["new_model"])
axis.plot(recall, precision, "k--", label="true")
axis.legend(loc="upper right", fontsize="small")
