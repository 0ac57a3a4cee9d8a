"""One look for all displays: a color per model, lines thinned to what can be seen, legends below the data."""

from itertools import cycle

import numpy as np

from pumetrics._extras import require

__all__ = ["MODEL_COLORS", "finish", "model_colors", "new_axes", "next_look", "shaded", "shortened", "thinned"]

MODEL_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colors of models in the order in which they are drawn: those of Okabe and Ito, which colorblind readers can
distinguish."""

_STYLES = ("-", (0, (6, 1.5)), (0, (4, 1, 1, 1)), (0, (8, 1.5, 1.5, 1.5, 1.5, 1.5)))
MOST_POINTS = 1500  # of a line; more are not seen, and make files of megabytes
_LONGEST = 30  # characters of a name in a legend
_BELOW = 0.52  # inches from the axes to the legend: space for ticks and their label
_LINE = 0.165  # inches of an entry of the legend
_OURS = "pumetrics"  # marks figures whose size is ours to choose


def model_colors(names):
    """A color for each model, the same in every picture that is given it.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    dict of str to str
        From the eighth model on colors come again.

    Examples
    --------
    >>> model_colors(["forest", "logistic"])
    {'forest': '#0072B2', 'logistic': '#D55E00'}
    """
    return dict(zip(dict.fromkeys(names), cycle(MODEL_COLORS), strict=False))


def new_axes(width):
    """Axes of a new figure, that many inches wide."""
    plt = require("matplotlib.pyplot", extra="plots", purpose="drawing a curve")
    figure, ax = plt.subplots(figsize=(width, width), layout="constrained")
    figure.set_gid(_OURS)
    return ax


def next_look(ax, color):
    """Color and line style of the next model in axes; a color that is given stays."""
    drawn = sum((line.get_gid() or "").startswith("model") for line in ax.lines)
    return color or MODEL_COLORS[drawn % len(MODEL_COLORS)], _STYLES[drawn % len(_STYLES)]


def shaded(ax, band, color, label=None, **drawing):
    """Draw a band (x, lower, upper) in a light tone of a color."""
    x, lower, upper = band
    ax.fill_between(x, lower, upper, color=color, alpha=0.16, lw=0, label=label, **drawing)


def finish(ax, *, columns=1):
    """Put the legend of axes below them, and make a figure that this package created tall enough for it."""
    from matplotlib.transforms import ScaledTranslation

    figure, (handles, labels) = ax.figure, ax.get_legend_handles_labels()
    if not handles:
        return
    below = ax.transAxes + ScaledTranslation(0, -_BELOW, figure.dpi_scale_trans)
    place = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": below, "borderaxespad": 0}
    spaces = {"borderpad": 0, "columnspacing": 1.2, "handlelength": 1.8, "labelspacing": 0.35}
    ax.legend(handles, labels, ncols=columns, frameon=False, fontsize=8, **spaces, **place)
    if figure.get_gid() == _OURS:
        width = figure.get_size_inches()[0]
        figure.set_size_inches(width, width - 0.3 + _LINE * -(-len(handles) // columns))


def shortened(name):
    """A name that fits into a legend: the middle of a long one is left out.

    Examples
    --------
    >>> shortened("scores_of_a_model_with_a_very_long_name_2026.csv")
    'scores_of_a_mod…g_name_2026.csv'
    """
    name = str(name)
    if len(name) <= _LONGEST:
        return name
    half = _LONGEST // 2
    return f"{name[:half]}…{name[-half:]}"


def thinned(x, y):
    """Points of a curve about evenly spaced along it, both ends among them."""
    if len(x) <= MOST_POINTS:
        return x, y
    width, height = (max(float(np.ptp(each)), 1e-12) for each in (x, y))
    along = np.append(0, np.cumsum(np.abs(np.diff(x)) / width + np.abs(np.diff(y)) / height))
    kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], MOST_POINTS)))
    kept = np.unique(np.append(np.minimum(kept, len(x) - 1), [0, len(x) - 1]))
    return x[kept], y[kept]
