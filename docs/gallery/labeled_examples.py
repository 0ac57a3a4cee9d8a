"""How many labeled examples does it take? Width of the intervals by their number."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.assessment import assess
from pumetrics.examples import fraud_cases

cases = fraud_cases()
labeled = cases.loc[cases["outcome"] == "fraud", "new_model"].to_numpy()
unlabeled = cases.loc[cases["outcome"] == "", "new_model"].to_numpy()

sizes = (20, 50, 100, 200, 600)
names = {"roc_auc": "AUC", "average_precision": "AUC-PR", "f1": "best F1"}
widths = {name: [] for name in names}
for size in sizes:
    s = np.repeat([1, 0], [size, len(unlabeled)])
    score = np.concatenate([labeled[:size], unlabeled])
    result = assess(s, score, alpha=0.03, metrics=list(names), n_bootstrap=100)
    for each in result.scores:
        widths[each.metric].append(each.interval[1] - each.interval[0])

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
for name, values in widths.items():
    axis.plot(sizes, values, "o-", label=names[name])
axis.set(
    xscale="log", xlabel="labeled examples", ylabel="width of the 95% interval", ylim=(0, None)
)
axis.set_xticks(sizes, sizes)
axis.minorticks_off()
axis.legend(frameon=False)
