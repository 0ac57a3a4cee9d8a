"""Precision, recall and F1 at every threshold: corrected with a 95% interval, and true."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score, precision_score, recall_score

from pumetrics.displays import PUThresholdDisplay
from pumetrics.examples import fraud_cases

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axis = plt.subplots(figsize=(6.5, 5), layout="constrained")
PUThresholdDisplay.from_predictions(s, cases["rules"], alpha=0.03, n_bootstrap=50, ax=axis)
thresholds = np.arange(20, 81, 2)
for number, true in enumerate((precision_score, recall_score, f1_score)):
    values = [true(cases["fraud"], cases["rules"] >= threshold) for threshold in thresholds]
    axis.plot(thresholds, values, "k:", label=None if number else "true")
axis.set(xlabel="threshold of the rules (points)", xlim=(20, 80))
axis.legend(loc="center left", fontsize="small")
