"""The share of positives among the unlabeled: what the scores show, by the number of labeled examples."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.examples import fraud_cases
from pumetrics.priors import alpha_interval

cases = fraud_cases()
true_alpha = cases.loc[cases["outcome"] == "", "fraud"].mean()
labeled = cases.loc[cases["outcome"] == "fraud", "new_model"].to_numpy()
unlabeled = cases.loc[cases["outcome"] == "", "new_model"].to_numpy()

sizes = (25, 50, 100, 200, 400, 600)
ranges = [
    alpha_interval(
        np.repeat([1, 0], [size, len(unlabeled)]), np.concatenate([labeled[:size], unlabeled])
    )
    for size in sizes
]
figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
axis.fill_between(
    sizes,
    [each.lower for each in ranges],
    [each.upper for each in ranges],
    alpha=0.25,
    label="95% interval",
)
axis.plot(sizes, [each.bound for each in ranges], color="#D55E00", label="guaranteed upper bound")
axis.axhline(true_alpha, color="black", linestyle=":", label="true")
axis.set(
    xscale="log",
    xlabel="labeled examples",
    ylabel="share of frauds among\nthe unconfirmed cases",
    ylim=(0, 0.1),
)
axis.set_xticks(sizes, sizes)
axis.minorticks_off()
axis.legend(frameon=False)
