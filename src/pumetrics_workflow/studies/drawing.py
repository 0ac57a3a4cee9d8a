"""What the figures of all studies share: writing them, panels with one legend, rows of dots, boxes, letters, names."""

from pathlib import Path

import matplotlib.pyplot as plt

from pumetrics.methods import METHODS
from pumetrics.plotting import COLORS, save, use_style
from pumetrics_workflow.labelings import parameters_of
from pumetrics_workflow.studies import check_made, load, read_tables
from pumetrics_workflow.studies.queries import only

__all__ = [
    "COLUMN",
    "PRINTED",
    "SMALL",
    "WIDTH",
    "boxes",
    "counted",
    "dots",
    "draw",
    "drawn",
    "estimator_label",
    "grid",
    "key",
    "labeling_label",
    "method_label",
    "shared_legend",
]

PRINTED = "#AA3377"  # numbers that a paper prints, or that were read off its curves
COLUMN, WIDTH = 3.3, 6.9  # inches; one and two columns of a journal
SMALL = 7.3  # points; the smallest letters: 7 points where a figure is printed between the margins of A4 (170 mm)

_LABELINGS = {
    "bcar": "{:.0%} hidden at random",
    "bar": "{:.0%} hidden by a feature",
    "bnar": "{:.0%} hidden by a removed feature",
    "sar_score": "high scores preferred",
    "sar_feature": "a feature preferred",
}
_ESTIMATORS = {
    "alphamax": "AlphaMax",
    "alphamax_plus": "AlphaMax, repaired",
    "bbe": "BBE",
    "dedpul": "DEDPUL",
    "elkan_noto_e1": "Elkan-Noto e1",
    "elkan_noto_e3": "Elkan-Noto e3",
    "km1": "KM1",
    "km2": "KM2",
    "pearson": "Pearson divergence",
    "pen_l1": "penalized L1",
    "roc_fit": "ROC fit",
    "roc_slope": "ROC slope",
    "tice": "TIcE",
    "true": "true priors",
}
_GIVEN = {"_clean": r"{}, $\beta = 1$", "_own": "{}, each model"}


def drawn(study, captions, tables):
    """Return the figures of a study by name, each drawn by the function of its name from the tables its caption names.

    Parameters
    ----------
    study : str
    captions : dict
        The ``figures`` of :func:`pumetrics_workflow.plan.load_captions`.
    tables : pumetrics_workflow.studies.Tables
        Without a row in its first table a figure is left out.

    Raises
    ------
    ValueError
        If the module of figures has other functions than the captions list.
    """
    functions = load(study).figures()
    check_made(study, "figures", captions, functions)
    given = {name: [tables[table] for table in figure["from"]] for name, figure in captions.items()}
    return {name: functions[name](*each) for name, each in given.items() if len(each[0])}


def draw(study, captions, tables, folder, formats):
    """Draw the figures of a study from a folder of tables into another, each with its caption in a text file.

    A figure that :func:`drawn` leaves out is a picture that says so, as rules declare each figure.
    """
    use_style()
    Path(folder).mkdir(parents=True, exist_ok=True)
    figures = drawn(study, captions, read_tables(tables))
    for name, figure in captions.items():
        save(figures.get(name) or _not_drawn(), Path(folder, name), formats)
        Path(folder, f"{name}.txt").write_text(f"{figure['caption']}\n", encoding="utf-8")


def _not_drawn():
    figure = plt.figure(figsize=(COLUMN, 0.5))
    figure.text(0.5, 0.5, "Not drawn: its table has no rows.", ha="center", va="center")
    return figure


def labeling_label(name):
    """What figures call a labeling.

    Examples
    --------
    >>> labeling_label("bar=0.6"), labeling_label("beta=0.9"), labeling_label("beta=1")
    ('60% hidden by a feature', '10% wrong labels', 'no wrong labels')
    """
    ((kind, strength),) = parameters_of(name).items()
    if kind == "beta":
        return "no wrong labels" if strength == 1 else f"{1 - strength:.0%} wrong labels"
    return _LABELINGS.get(kind, kind.replace("_", " ")).format(strength)


def estimator_label(name):
    """What figures call an estimator of priors, and how its priors are used.

    Examples
    --------
    >>> estimator_label("elkan_noto_e3"), estimator_label("consensus_own")
    ('Elkan-Noto e3', 'consensus, each model')
    """
    for ending, given in _GIVEN.items():
        if name.endswith(ending):
            return given.format(estimator_label(name.removesuffix(ending)))
    return _ESTIMATORS.get(name, name.replace("_", " "))


def method_label(method, prior):
    """What figures call a method with the priors that it is given.

    Examples
    --------
    >>> method_label("direct", "true"), method_label("uncorrected", "none")
    ('direct (true priors)', 'uncorrected')
    """
    label = METHODS[method].label
    return label if prior == "none" else f"{label} ({estimator_label(prior)})"


def counted(numbers, of=""):
    """What figures say of how many values are behind each of their marks.

    Examples
    --------
    >>> counted([200, 200], "rankings"), counted([1500, 1480])
    ('n = 200 rankings', 'n ≥ 1,480')
    """
    return f"n {'=' if min(numbers) == max(numbers) else '≥'} {min(numbers):,.0f} {of}".rstrip()


def grid(rows, columns, height, *, x=None, y=None, titles=(), **options):
    """Return a figure and its panels in rows and columns, with titles, and labels at its left and lower edge.

    Parameters
    ----------
    rows, columns : int
    height : float
        In inches; the width is :data:`WIDTH`.
    x, y : str or sequence of str, optional
        Labels of the axes, one for all, or one for each column and for each row.
    titles : sequence of str
        Of the columns, if as many, or of the panels one after the other; panels left over are hidden.
    **options
        Of :func:`matplotlib.pyplot.subplots`.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : ndarray of shape (rows, columns)
    """
    figure, axes = plt.subplots(rows, columns, figsize=(WIDTH, height), squeeze=False, **options)
    used = len(titles) if len(titles) not in (0, columns) else rows * columns
    x, y = (
        [label] * n if isinstance(label, str) else label for label, n in ((x, columns), (y, rows))
    )
    for place, axis in enumerate(axes.flat):
        row, column = divmod(place, columns)
        if place >= used:
            axis.set_axis_off()
            continue
        if place < len(titles):
            axis.set_title(titles[place])
        if x and place + columns >= used:
            axis.set_xlabel(x[column])
            axis.tick_params(labelbottom=True)
        if y and not column:
            axis.set_ylabel(y[row])
    return figure, axes


def key(color, **options):
    """Entry of a legend: a line or a mark if there is a ``linestyle`` or a ``marker``, else a filled box."""
    if {"linestyle", "marker"} & options.keys():
        return plt.Line2D([], [], color=color, **{"linestyle": "", **options})
    return plt.Rectangle((0, 0), 1, 1, color=color, **options)


def shared_legend(figure, shown=None, **options):
    """Put one legend under all panels of a figure, or where ``loc`` says, and return the figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    shown : dict of str to handle, optional
        By default what the panels label, equal labels once.
    **options
        Of :meth:`matplotlib.figure.Figure.legend`; by default there are three columns.
    """
    if shown is None:
        shown = {}
        for axis in figure.axes:
            for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
                shown.setdefault(label, handle)
    figure.legend(shown.values(), shown, **{"loc": "outside lower center", "ncols": 3, **options})
    return figure


def dots(axis, table, *, x, y, rows, hue, styles, **options):
    """Rows of dots, within a row a line of them per style; every second row is shaded.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    table : pandas.DataFrame
    x, y, hue : str
        Columns of the place, of the row and of the style.
    rows : dict
        Labels of the rows by value of `y`, from top to bottom.
    styles : dict
        Color, or color and marker, by value of `hue`, from top to bottom.
    **options
        Of :meth:`matplotlib.axes.Axes.plot`.
    """
    places = {value: place for place, value in enumerate(rows)}
    options = {"linestyle": "", "markersize": 4, "markeredgewidth": 0, **options}
    for number, (value, style) in enumerate(styles.items()):
        color, marker = (style, "o") if isinstance(style, str) else style
        part = only(table, **{hue: value, y: places})
        shift = 0.8 * ((number + 0.5) / len(styles) - 0.5)
        axis.plot(
            part[x], [places[row] + shift for row in part[y]], color=color, marker=marker, **options
        )
    for place in range(0, len(rows), 2):
        axis.axhspan(place - 0.5, place + 0.5, color="#f3f3f3", linewidth=0, zorder=0)
    axis.set_yticks(range(len(rows)), rows.values())
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.grid(visible=False, axis="y")


def boxes(axis, statistics, *, x, hue, places, order):
    """Box plots in groups, with a line at zero: the shape in which the papers show errors.

    The labels say how many values the smallest box of a group has. Whiskers end at the last value within 1.5
    interquartile ranges of the box; a dot is the extreme beyond.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    statistics : pandas.DataFrame
        As returned by :func:`pumetrics_workflow.studies.queries.box_statistics`.
    x, hue : str
        Columns of the groups and of the boxes in a group; `hue` holds names of :data:`pumetrics.plotting.COLORS`.
    places : dict
        Labels of the groups by value of `x`, from left to right.
    order : list of str
        The values of `hue` from left to right.
    """
    axis.axhline(0, color="#444444", linewidth=1, zorder=1)
    width = 0.75 / len(order)
    lines = {"color": "#333333", "linewidth": 0.8}
    for number, name in enumerate(order):
        part = only(statistics, **{hue: name, x: places})
        at = part[x].map(list(places).index) + (number - (len(order) - 1) / 2) * width
        names = {"median": "med", "q25": "q1", "q75": "q3", "low": "whislo", "high": "whishi"}
        drawn = part[list(names)].rename(columns=names).to_dict("records")
        axis.bxp(
            drawn,
            positions=list(at),
            widths=0.9 * width,
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": COLORS[name], "edgecolor": "#333333", "linewidth": 0.8},
            medianprops=lines,
            whiskerprops=lines,
            capprops=lines,
        )
        for end, whisker in (("least", "low"), ("most", "high")):
            beyond = (part[end] != part[whisker]).to_numpy()
            axis.plot(
                at[beyond], part[end][beyond], "o", color="#333333", markersize=1.2, alpha=0.6
            )
    counts = only(statistics, **{hue: order}).groupby(x)["n"]
    sizes = {place: f"{text}\n{counted(counts.get_group(place))}" for place, text in places.items()}
    axis.set_xticks(range(len(places)), sizes.values())
    axis.set_xlim(-0.5, len(places) - 0.5)
