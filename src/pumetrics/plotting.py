"""One look for all figures: the same color for the same method everywhere, readable at column width."""

from contextlib import contextmanager
from pathlib import Path

from pumetrics._extras import require

__all__ = ["COLORS", "box_statistics", "boxes", "require_plots", "save", "styled", "use_style"]

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


_DATES = {"svg": "Date", "pdf": "CreationDate"}

# The look of seaborn's "ticks" at the size of "paper", without its import, which takes two seconds.
_LINES, _TICKS = ("axes.linewidth", "xtick.major.width", "ytick.major.width"), ("xtick", "ytick")
_DARK = ("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color")
_SIZE = 0.8
_LOOK = {
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.07,
    "figure.constrained_layout.w_pad": 0.07,
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "legend.fontsize": 8,
    "legend.title_fontsize": 12 * _SIZE,
    "legend.frameon": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["Arial", "DejaVu Sans", "Liberation Sans", "Bitstream Vera Sans", "sans-serif"],
    "font.size": 12 * _SIZE,
    "lines.linewidth": 1.5 * _SIZE,
    "lines.markersize": 6 * _SIZE,
    "lines.solid_capstyle": "round",
    "patch.linewidth": 1 * _SIZE,
    "patch.edgecolor": "w",
    "patch.force_edgecolor": True,
    "svg.hashsalt": "pumetrics",  # equal figures are equal files
    "svg.fonttype": "path",
    **dict.fromkeys(_DARK, ".15"),
    **dict.fromkeys(_LINES, 1.25 * _SIZE),
    **{f"{axis}.labelsize": 11 * _SIZE for axis in _TICKS},
    **{f"{axis}.major.size": 6 * _SIZE for axis in _TICKS},
    **{f"{axis}.minor.size": 4 * _SIZE for axis in _TICKS},
    **{f"{axis}.minor.width": 1 * _SIZE for axis in _TICKS},
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


def save(figure, stem, formats=("svg", "pdf")):
    """Write a figure in one or more formats, without dates, and close it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    stem : path-like
        Path without suffix.
    formats : iterable of {"svg", "pdf"}
    """
    import matplotlib.pyplot as plt

    for suffix in formats:
        figure.savefig(Path(f"{stem}.{suffix}"), metadata={_DATES[suffix]: None})
    plt.close(figure)


def box_statistics(table, by, value):
    """Return what a box plot shows of each group: enough to draw it without the values.

    Parameters
    ----------
    table : pandas.DataFrame
    by : list of str
        Columns that make the groups.
    value : str
        Column of numbers; missing ones are left out.

    Returns
    -------
    pandas.DataFrame
        A row per group, sorted, with `by` and ``n``, ``least``, ``low``, ``q25``, ``median``, ``q75``, ``high``,
        ``most``: number of values, extremes, quartiles, and the last values within 1.5 interquartile ranges of the box.

    References
    ----------
    Tukey (1977), Exploratory Data Analysis.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"method": "direct", "error": [0.0, 1.0, 2.0, 3.0, 9.0]})
    >>> print(*box_statistics(table, ["method"], "error").iloc[0])
    direct 5 0.0 0.0 1.0 2.0 3.0 3.0 9.0
    """
    import pandas as pd

    names = ["n", "least", "low", "q25", "median", "q75", "high", "most"]
    rows = [(*key, *_box(group[value])) for key, group in table.dropna(subset=[value]).groupby(by)]
    return pd.DataFrame(rows, columns=[*by, *names])


def _box(values):
    q25, median, q75 = values.quantile([0.25, 0.5, 0.75])
    reach = 1.5 * (q75 - q25)
    low, high = values[values >= q25 - reach].min(), values[values <= q75 + reach].max()
    return len(values), values.min(), min(low, q25), q25, median, q75, max(high, q75), values.max()


def boxes(axis, statistics, *, x, hue, places, order):
    """Box plots in groups, with a line at zero: the shape in which the papers show errors.

    Whiskers end at the last value within 1.5 interquartile ranges of the box; a dot is the extreme beyond.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    statistics : pandas.DataFrame
        As returned by :func:`box_statistics`.
    x, hue : str
        Columns of the groups and of the boxes in a group; `hue` holds names of :data:`COLORS`.
    places : list
        The values of `x` from left to right.
    order : list of str
        The values of `hue` from left to right.
    """
    axis.axhline(0, color="#444444", linewidth=1, zorder=1)
    width = 0.75 / len(order)
    lines = {"color": "#333333", "linewidth": 0.8}
    for number, name in enumerate(order):
        part = statistics[statistics[hue] == name]
        part = part[part[x].isin(places)]
        at = part[x].map(places.index) + (number - (len(order) - 1) / 2) * width
        columns = {"med": "median", "q1": "q25", "q3": "q75", "whislo": "low", "whishi": "high"}
        drawn = [{key: row[column] for key, column in columns.items()} for _, row in part.iterrows()]
        axis.bxp(
            drawn, positions=list(at), widths=0.9 * width, showfliers=False, patch_artist=True, manage_ticks=False,
            boxprops={"facecolor": COLORS[name], "edgecolor": "#333333", "linewidth": 0.8},
            medianprops=lines, whiskerprops=lines, capprops=lines,
        )  # fmt: skip
        for end, whisker in (("least", "low"), ("most", "high")):
            beyond = (part[end] != part[whisker]).to_numpy()
            axis.plot(at[beyond], part[end][beyond], "o", color="#333333", markersize=1.2, alpha=0.6)
    axis.set_xticks(range(len(places)), places)
    axis.set_xlim(-0.5, len(places) - 0.5)
