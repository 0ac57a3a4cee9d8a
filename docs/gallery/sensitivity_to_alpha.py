"""Does the answer depend on alpha? Corrected scores of two models over all values of alpha that are possible."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.examples import fraud_cases
from pumetrics.metrics import max_score, pu_roc_auc_score

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)
true_alpha = cases.loc[s == 0, "fraud"].mean()
alphas = np.linspace(0, 0.05, 26)
panels = {
    "AUC": lambda score, alpha: pu_roc_auc_score(s, score, alpha=alpha),
    "best F1": lambda score, alpha: max_score("f1", s, score, alpha=alpha)[0],
}

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for axis, (name, corrected) in zip(axes, panels.items(), strict=True):
    for model in ("new_model", "rules"):
        axis.plot(alphas, [corrected(cases[model], alpha) for alpha in alphas], label=model)
    axis.axvline(true_alpha, color="black", linestyle=":", label="true alpha")
    axis.set(xlabel="alpha, share of frauds among the unconfirmed", ylabel=name, ylim=(0, 1))
axes[0].legend(frameon=False, loc="lower right")
