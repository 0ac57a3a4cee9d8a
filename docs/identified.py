"""Draw the picture of docs/mathematics.md, the range of alpha given scores: `python docs/identified.py`."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from picture import write

from pumetrics.priors import alpha_interval, estimate_priors
from pumetrics_workflow.plotting import COLORS

ROOT = Path(__file__).parents[1]
ALPHA = 0.1
LABELED = (50, 100, 200, 500, 1000, 2000)
PANELS = {"separated classes (AUC 0.98)": 3.0, "overlapping classes (AUC 0.86)": 1.5}


def sample(n_labeled, distance, rng):
    """Observed labels and Gaussian scores with ten unlabeled examples for each labeled one."""
    n_unlabeled = 10 * n_labeled
    n_hidden = round(ALPHA * n_unlabeled)
    scores = rng.normal(np.repeat([distance, 0.0], [n_labeled + n_hidden, n_unlabeled - n_hidden]))
    return np.repeat([1, 0], [n_labeled, n_unlabeled]), scores


def picture():
    """Return true alpha, guaranteed bound, calibrated upper ends and the estimate, by sample size."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.9), sharey=True)
    for axis, (title, distance) in zip(axes, PANELS.items(), strict=True):
        rng = np.random.default_rng(1)
        samples = [sample(n_labeled, distance, rng) for n_labeled in LABELED]
        for level, style in ((0.95, "-"), (0.8, ":")):
            ends = [alpha_interval(*each, confidence=level).upper for each in samples]
            label = f"upper end, calibrated, {level:.0%}"
            axis.plot(LABELED, ends, style, color=COLORS["IR"], label=label)
        bounds = [alpha_interval(*each, kind="guaranteed").upper for each in samples]
        axis.plot(LABELED, bounds, color=COLORS["PU"], label="guaranteed bound, 95%")
        estimates = [estimate_priors(scores[s == 1], scores[s == 0]).alpha for s, scores in samples]
        axis.plot(LABELED, estimates, ".", color=COLORS["IR"], label="estimate (consensus)")
        axis.axhline(ALPHA, linestyle="--", color=COLORS["true"], linewidth=1.2, label="true")
        axis.set(title=title, xlabel="labeled examples", xscale="log", ylim=(0, 0.4))
        axis.set_xticks(LABELED, LABELED)
        axis.minorticks_off()
    axes[0].set_ylabel("alpha")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def main(target=ROOT / "docs/identified.svg"):
    """Write the picture."""
    write(picture, target, facecolor="white")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
