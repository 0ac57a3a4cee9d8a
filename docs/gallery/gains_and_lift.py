"""How many frauds are found among the cases that score highest: gains and lift of two models, and the truth."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.displays import PUGainsDisplay, PULiftDisplay
from pumetrics.examples import fraud_cases

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axes = plt.subplots(1, 2, figsize=(9, 5), layout="constrained")
for model in ("new_model", "rules"):
    options = {"alpha": 0.03, "name": model, "uncorrected": False, "n_bootstrap": 50}
    PUGainsDisplay.from_predictions(s, cases[model], ax=axes[0], **options)
    PULiftDisplay.from_predictions(s, cases[model], ax=axes[1], **options)
    ranked = cases.sort_values(model, ascending=False)["fraud"]
    flagged = np.arange(1, len(ranked) + 1) / len(ranked)
    found = ranked.cumsum() / ranked.sum()
    axes[0].plot(flagged, found, "k:")
    axes[1].plot(flagged[100:], (found / flagged)[100:], "k:", label=None if model == "rules" else "true")
axes[0].set_xlim(0, 0.3)
axes[1].legend(fontsize="small")
axes[0].get_legend().remove()
