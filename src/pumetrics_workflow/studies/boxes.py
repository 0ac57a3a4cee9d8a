"""Box plots of errors: the shape in which the papers show them."""

from pumetrics.plotting import COLORS

__all__ = ["box_statistics", "boxes"]


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
