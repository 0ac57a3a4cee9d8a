"""Draw the picture of the README from the results of a quick run: `python docs/picture.py` after `make`."""

import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from pumetrics.plotting import COLORS, use_style

ROOT = Path(__file__).parents[1]
PANELS = {
    "roc_curve": ("false positive rate", "true positive rate"),
    "precision_recall_curve": ("recall", "precision"),
}
LINES = {"none": ("uncorrected", "PU"), "true": ("recovered", "IR")}


def picture(curves):
    """Return ROC and precision-recall curves of one data set: uncorrected, recovered, true.

    Parameters
    ----------
    curves : pandas.DataFrame
        The table ``example_curves`` of the study jain2017.
    """
    use_style()
    plt.rcParams["svg.fonttype"] = "none"  # text as text: a third of the size
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.9))
    for axis, (metric, (x, y)) in zip(axes, PANELS.items(), strict=True):
        part = curves[(curves["metric"] == metric) & (curves["dataset"] == "gaussians")]
        for prior, (label, color) in LINES.items():
            one = part[part["prior"] == prior]
            axis.plot(one["threshold"], one["estimate"], color=COLORS[color], linewidth=1.8, label=label)
        axis.plot(one["threshold"], one["truth"], "--", color=COLORS["true"], linewidth=1.2, label="true")
        axis.set(xlabel=x, ylabel=y, xlim=(0, 1), ylim=(0, 1.02))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def main(target=ROOT / "docs/picture.svg"):
    """Write the picture."""
    results = Path(os.environ.get("PUMETRICS_RESULTS", ROOT / "results/quick"))
    figure = picture(pd.read_csv(results / "jain2017/tables/example_curves.csv"))
    figure.savefig(target, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
