"""Labels that prefer easy positives: the corrected AUC with and without `selection`."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from pumetrics.assessment import assess

rng = np.random.default_rng(0)
y = np.repeat([1, 0], [3000, 7000])
score = rng.normal(1.5 * y)
strengths = (1, 2, 4, 8)
figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
answers = {1.0: [], "as drawn": []}
for strength in strengths:
    rank = (np.argsort(np.argsort(score[:3000])) + 0.5) / 3000
    chance = strength**rank  # the easiest positive is labeled so many times as often as the hardest
    labeled = rng.choice(3000, size=600, replace=False, p=chance / chance.sum())
    s = np.zeros(10_000, dtype=int)
    s[labeled] = 1
    for assumed, values in answers.items():
        selection = strength if assumed == "as drawn" else assumed
        result = assess(s, score, alpha=y[s == 0].mean(), selection=selection, metrics=["roc_auc"], n_bootstrap=0)
        values.append(result.scores[0].corrected)
axis.plot(strengths, answers[1.0], "o-", label="corrected, labels assumed at random")
axis.plot(strengths, answers["as drawn"], "s-", label="corrected, selection= as it was drawn")
axis.axhline(roc_auc_score(y, score), color="black", linestyle=":", label="true")
axis.set(xscale="log", xlabel="how many times as often the easiest positive is labeled", ylabel="AUC", ylim=(0.75, 1))
axis.set_xticks(strengths, strengths)
axis.minorticks_off()
axis.legend(frameon=False, loc="upper left")
