"""One look for all figures: the same color for the same method everywhere, readable at column width."""

from contextlib import contextmanager
from pathlib import Path

from pumetrics.extras import require

__all__ = ["COLORS", "legend_below", "require_plots", "save", "styled", "use_style"]

# Okabe-Ito colors, which color-blind readers can distinguish.
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
    "bounds_dkw": "#009E73",
    "bounds_bootstrap": "#E69F00",
    "lower_bound": "#332288",
}


_BELOW = 0.52  # inches from the axes to the legend: space for ticks and their label

_LOOK = {
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.07,
    "figure.constrained_layout.w_pad": 0.07,
    "figure.dpi": 150,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "font.sans-serif": ["Arial", "DejaVu Sans", "Liberation Sans", "sans-serif"],
    "font.size": 9.6,
    "grid.color": "#e6e6e6",
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.title_fontsize": 8,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.8,
    "xtick.labelsize": 8.8,
    "ytick.labelsize": 8.8,
    "pdf.fonttype": 42,  # letters that other programs can edit and search
    "svg.fonttype": "none",
    "svg.hashsalt": "pumetrics",  # equal figures are equal files
}


def require_plots(purpose):
    """Import what figures need.

    Parameters
    ----------
    purpose : str
        What needs it, as the start of a sentence.

    Returns
    -------
    matplotlib : module

    Raises
    ------
    MissingExtraError
        If it is not installed: one line that says what to install.
    """
    return require("matplotlib", extra="plots", purpose=purpose)


def use_style():
    """Set matplotlib to the project's look."""
    mpl = require_plots("drawing")
    mpl.use("Agg")
    _set_look(mpl)


@contextmanager
def styled():
    """Give the figures drawn within the project's look, and leave that of a session as it was."""
    mpl = require_plots("drawing")
    with mpl.rc_context():
        _set_look(mpl)
        yield


def _set_look(mpl):
    mpl.rcParams.update(_LOOK)
    mpl.rcParams["axes.prop_cycle"] = mpl.cycler(color=dict.fromkeys(COLORS.values()))


def legend_below(ax, *, columns=1):
    """Put the legend of axes below them, and return its number of entries."""
    from matplotlib.transforms import ScaledTranslation

    handles, labels = ax.get_legend_handles_labels()
    if handles:
        below = ax.transAxes + ScaledTranslation(0, -_BELOW, ax.figure.dpi_scale_trans)
        place = {
            "loc": "upper left",
            "bbox_to_anchor": (0, 0),
            "bbox_transform": below,
            "borderaxespad": 0,
        }
        spaces = {"borderpad": 0, "columnspacing": 1.2, "handlelength": 1.8, "labelspacing": 0.35}
        ax.legend(
            handles,
            labels,
            ncols=columns,
            frameon=False,
            fontsize=8,
            **spaces,
            **place,
        )
    return len(handles)


def save(figure, stem, formats=("svg", "pdf"), *, title=None, caption=None):
    """Write a figure in one or more formats, without dates, and close it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    stem : path-like
        Path without suffix.
    formats : iterable of {"svg", "pdf"}
    title, caption : str, optional
        What the files say of themselves.
    """
    import matplotlib.pyplot as plt

    about = {
        "svg": {"Date": None, "Title": title, "Description": caption},
        "pdf": {"CreationDate": None, "Title": title, "Subject": caption},
    }
    for suffix in formats:
        figure.savefig(Path(f"{stem}.{suffix}"), metadata=about[suffix])
        figure.set_layout_engine("none")  # the layout of the first format is that of all
    plt.close(figure)
