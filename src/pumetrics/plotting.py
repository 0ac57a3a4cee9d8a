"""One look for all figures: the same colour for the same method everywhere, readable at column width."""

from contextlib import contextmanager
from pathlib import Path

from pumetrics._extras import require

__all__ = ["COLORS", "boxes", "require_plots", "save", "styled", "use_style"]

# Okabe-Ito colours, which stay apart for colour-blind readers.
COLORS = {
    "true": "#000000",
    "PU": "#D55E00",
    "CR": "#0072B2",
    "CE": "#56B4E9",
    "CE+": "#009E73",
    "DR": "#CC79A7",
    "IR": "#0072B2",
    "DE": "#E69F00",
    "IE": "#56B4E9",
    "lower": "#56B4E9",
    "upper": "#E69F00",
    "uncorrected": "#D55E00",
    "direct": "#CC79A7",
    "indirect": "#0072B2",
    "direct, consensus": "#009E73",
    "f1_from_rho": "#56B4E9",
    "lee_liu": "#E69F00",
    "by_auc": "#8C6D31",
    "first_model": "#999999",
    "random": "#BBBBBB",
    "bounds_hypergeometric": "#56B4E9",
    "bounds_dkw": "#0072B2",
    "bounds_bootstrap": "#E69F00",
    "lower_bound": "#332288",
}


def require_plots(purpose):
    """Import what figures need.

    Parameters
    ----------
    purpose : str
        What needs it, as the start of a sentence.

    Returns
    -------
    matplotlib, seaborn : module

    Raises
    ------
    MissingExtraError
        If one is not installed: one line that says what to install.
    """
    return require("matplotlib", "seaborn", extra="plots", purpose=purpose)


def use_style():
    """Set seaborn and matplotlib to the project's look."""
    mpl, sns = require_plots("drawing")
    mpl.use("Agg")
    _set_look(sns)


@contextmanager
def styled():
    """Give the figures drawn within the project's look, and leave that of a session as it was."""
    mpl, sns = require_plots("drawing")
    with mpl.rc_context():
        _set_look(sns)
        yield


def _set_look(sns):
    sns.set_theme(
        context="paper",
        style="ticks",
        palette=list(dict.fromkeys(COLORS.values())),
        rc={
            "figure.constrained_layout.use": True,
            "figure.constrained_layout.h_pad": 0.07,
            "figure.constrained_layout.w_pad": 0.07,
            "figure.dpi": 150,
            "axes.grid": True,
            "grid.color": "#e6e6e6",
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 10,
            "axes.labelsize": 9,
            "legend.fontsize": 8,
            "legend.frameon": False,
            "svg.hashsalt": "pumetrics",  # equal figures are equal files
            "svg.fonttype": "path",
        },
    )


def save(figure, stem):
    """Write a figure as SVG and PDF, without dates, and close it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    stem : path-like
        Path without suffix.
    """
    import matplotlib.pyplot as plt

    figure.savefig(Path(f"{stem}.svg"), metadata={"Date": None})
    figure.savefig(Path(f"{stem}.pdf"), metadata={"CreationDate": None})
    plt.close(figure)


def boxes(axis, table, *, x, y, hue, order):
    """Box plots in groups, with a line at zero: the shape in which the papers show errors.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    table : pandas.DataFrame
    x, y, hue : str
        Columns; `hue` holds names of :data:`COLORS`.
    order : list of str
        The values of `hue` from left to right.
    """
    import seaborn as sns

    axis.axhline(0, color="#444444", linewidth=1, zorder=1)
    sns.boxplot(
        table,
        x=x,
        y=y,
        hue=hue,
        hue_order=order,
        palette=COLORS,
        ax=axis,
        width=0.75,
        linewidth=0.8,
        fliersize=1.2,
        flierprops={"alpha": 0.4},
        saturation=1,
    )
