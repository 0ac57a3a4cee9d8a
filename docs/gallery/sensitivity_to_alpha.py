"""Does the answer depend on alpha? Corrected scores over all values that the scores allow."""

import matplotlib.pyplot as plt

from pumetrics.displays import PUAlphaDisplay
from pumetrics.examples import fraud_cases

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axis = plt.subplots(figsize=(6.5, 5), layout="constrained")
PUAlphaDisplay.from_predictions(
    s,
    cases["new_model"],
    metrics=["roc_auc", "average_precision", "f1"],
    alpha=0.03,
    alpha_interval=(0.02, 0.04),
    n_bootstrap=30,
    ax=axis,
)
