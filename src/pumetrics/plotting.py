"""One look for all figures, readable at column width."""

from contextlib import contextmanager

from pumetrics.extras import require

__all__ = ["LOOK", "legend_below", "require_plots", "styled"]

_BELOW = 0.52  # inches from the axes to the legend: space for ticks and their label

LOOK = {
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


@contextmanager
def styled():
    """Give the figures drawn within the project's look, and leave that of a session as it was."""
    with require_plots("drawing").rc_context(LOOK):
        yield


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
