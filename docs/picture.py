"""Draw the picture of the README, F1 of one model measured, recovered and true: `python docs/picture.py`."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.examples import fraud_cases
from pumetrics.metrics import threshold_measures
from pumetrics.plotting import styled

HERE = Path(__file__).parent
# No background, and colors of middling luminance: they are read on white and on black.
GRAY = "#77808a"
ORANGE = "#d3601c"
BLUE = "#2b7fd4"
ALPHA = 0.03
FLAGGED = np.arange(100, 4001, 50)


def f1_by_flagged(labels, score, alpha):
    """Return F1 when the cases with the highest scores are flagged, for each number of them in FLAGGED."""
    measures = threshold_measures(labels, score, alpha=alpha)
    flagged = len(score) - np.searchsorted(np.sort(score), measures["threshold"])
    return np.interp(FLAGGED, flagged, measures["f1"])


def picture():
    """Return the curves of `fraud_cases()`, each with its largest F1."""
    cases = fraud_cases()
    labeled = (cases["outcome"] == "fraud").astype(int)
    score = cases["new_model"].to_numpy()
    measured = f1_by_flagged(labeled, score, 0.0)
    recovered = f1_by_flagged(labeled, score, ALPHA)
    true = f1_by_flagged(cases["fraud"], score, 0.0)
    figure, axis = plt.subplots(figsize=(7, 3.8))
    axis.plot(FLAGGED, recovered, color=BLUE, linewidth=4)
    axis.plot(FLAGGED, measured, color=ORANGE, linewidth=4)
    axis.plot(FLAGGED, true, color=GRAY, linewidth=2, linestyle=(0, (3, 2)))
    words = {"fontsize": 19, "fontweight": "bold"}
    for x, curve, name, color in (
        (1100, recovered, "recovered", BLUE),
        (2950, true, "true", GRAY),
        (1100, measured, "measured", ORANGE),
    ):
        axis.text(x, curve.max() + 0.035, f"{curve.max():.2f} {name}", color=color, **words)
    axis.set(
        xlim=(0, FLAGGED[-1]),
        ylim=(0, 0.72),
        yticks=[0, 0.2, 0.4, 0.6],
        xticks=range(0, 4001, 1000),
    )
    axis.set_xlabel("cases flagged as fraud, of 40,000", fontsize=16, color=GRAY)
    axis.set_ylabel("F1", fontsize=16, color=GRAY)
    axis.tick_params(labelsize=15, colors=GRAY)
    axis.spines[:].set_color(GRAY)
    axis.grid(visible=False)
    return figure


def write(draw, target, **options):
    """Write what a function draws as SVG."""
    with styled():
        plt.rcParams["svg.fonttype"] = "none"  # text as text: a third of the size
        figure = draw()
        figure.savefig(target, metadata={"Date": None}, **options)
        plt.close(figure)


def main(target=HERE / "picture.svg"):
    """Write the picture."""
    write(picture, target, transparent=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
