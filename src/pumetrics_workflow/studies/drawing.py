"""What the figures of all studies share: colors, names, panels, one legend, rows of dots, boxes, and writing them."""

import json
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pumetrics_workflow.controls import METHODS
from pumetrics_workflow.labelings import parameters_of
from pumetrics_workflow.plotting import COLORS, save, use_style
from pumetrics_workflow.studies import check_made, load, read_tables
from pumetrics_workflow.studies.queries import only

__all__ = [
    "COLUMN",
    "PALETTE",
    "SMALL",
    "WIDTH",
    "box_plot",
    "boxes",
    "colors",
    "counted",
    "dots",
    "draw",
    "drawn",
    "estimator_label",
    "facets",
    "heat_map",
    "labeled",
    "labeling_label",
    "lines",
    "method_label",
    "named",
    "shared_legend",
]

# What a color means in all figures. What is compared by methods has others.
PALETTE = COLORS | {
    "truth": COLORS["true"],
    "observed": COLORS["PU"],  # labels taken as the class
    "corrected": COLORS["CR"],
    "printed": "#AA3377",  # numbers that a paper prints, or that were read off its curves
    "line": "#444444",  # no error, a nominal level
    "shade": "#f3f3f3",
    # Mechanisms that hide positives, and other faults of labels.
    "bcar": "#44AA99",
    "bar": "#882255",
    "bnar": "#999933",
    "preferred": "#EE99AA",
    "wrong": "#774411",
    "unlabeled": "#777777",
    # Classifiers of a paper.
    "c45": "#6A3D9A",
    "mlp": "#B2DF8A",
    "naive_bayes": "#1F9E89",
    "nearest_neighbors": "#FB9A99",
    "svm": "#B15928",
    # Classes of examples.
    "positive": "#117733",
    "negative": "#AAAAAA",
    # Sets and models of an example.
    "first": "#4B5FC0",
    "second": "#CC6677",
    "third": "#7FC97F",
    "fourth": "#C9A227",
    # From few to many labeled examples.
    "few": "#D9B3D9",
    "some": "#9E6BB5",
    "many": "#4D1A66",
}
COLUMN = 3.3  # inches, one column of a journal
WIDTH = 6.9  # two columns
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
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables = Path(tables).resolve()
    scale = tables.parents[1].name
    made_by = _made_by(study, tables)
    figures = drawn(study, captions, read_tables(tables))

    for name, about in captions.items():
        figure = figures.get(name) or _not_drawn()
        title = f"{study}, {about.get('in_paper', name)}, scale {scale}{made_by}"
        save(figure, folder / name, formats, title=title, caption=about["caption"])
        (folder / f"{name}.txt").write_text(f"{about['caption']}\n", encoding="utf-8")


def _made_by(study, tables):
    """Commit behind the tables of a study: a run has a file of facts per study, a reference one for all."""
    for folder in (tables.parent, tables.parents[1]):
        path = folder / "provenance.json"
        if path.is_file():
            facts = json.loads(path.read_text(encoding="utf-8"))
            runs = facts if isinstance(facts, list) else [facts]
            commits = [run["commit"] for run in runs if study in run.get("kept", [study])]
            return f", commit {commits[0]}"
    return ""


def _not_drawn():
    figure = plt.figure(figsize=(COLUMN, 0.5))
    figure.suptitle("Not drawn: its table is not there, or has no rows.")
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


def counted(numbers, of="", in_paper=None):
    """What figures say of how many values are behind each of their marks, and how many the paper has.

    Examples
    --------
    >>> counted([200, 200], "rankings"), counted([1500, 1480]), counted([12], "data sets", 14)
    ('n = 200 rankings', 'n ≥ 1,480', 'n = 12 data sets (14 in the paper)')
    """
    relation = "=" if min(numbers) == max(numbers) else "≥"
    text = f"n {relation} {min(numbers):,.0f} {of}".rstrip()
    return f"{text} ({in_paper} in the paper)" if in_paper else text


def named(table, /, **labels):
    """Return the rows whose columns have labels, with these in place of the values, as categories in their order.

    Parameters
    ----------
    table : pandas.DataFrame
    **labels : dict
        By column, the labels by value; those that no row has are left out.

    Examples
    --------
    >>> table = pd.DataFrame({"side": ["upper", "lower", "truth"], "value": [3, 1, 2]})
    >>> shown = named(table, side={"lower": "lower bound", "middle": "-", "upper": "upper bound"})
    >>> shown["side"].tolist(), shown["side"].cat.categories.tolist()
    (['upper bound', 'lower bound'], ['lower bound', 'upper bound'])
    """
    table = only(table, **labels)
    for column, names in labels.items():
        there = set(table[column])
        shown = dict.fromkeys(label for value, label in names.items() if value in there)
        table = table.assign(**{column: pd.Categorical(table[column].map(names), list(shown))})
    return table


def colors(labels):
    """Colors of :data:`PALETTE` by label, of labels by name."""
    return {label: PALETTE[name] for name, label in labels.items()}


def facets(table, height, **options):
    """Return a grid of panels, which has the width of a page and is titled by the values of its columns and rows.

    Parameters
    ----------
    table : pandas.DataFrame
    height : float
        Of the whole figure, in inches.
    **options
        Of :class:`seaborn.FacetGrid`.
    """
    import seaborn as sns

    class Panels(sns.FacetGrid):
        def tight_layout(self):
            """Leave the layout to matplotlib, which makes space for legends when the figure is written."""

    panels = Panels(table, margin_titles="row" in options, **options)
    panels.figure.set_size_inches(WIDTH, height)
    return panels.set_titles("{col_name}", col_template="{col_name}", row_template="{row_name}")


def lines(data, *, x, y, **options):
    """Lines through points in the order of a table, without statistics: the table has them.

    Parameters
    ----------
    data : pandas.DataFrame
    x, y : str
        Columns.
    **options
        Of :func:`seaborn.lineplot`.
    """
    import seaborn as sns

    sns.lineplot(
        data, x=x, y=y, estimator=None, errorbar=None, sort=False, markeredgewidth=0, **options
    )


def dots(
    data,
    *,
    x,
    y,
    hue,
    palette,
    **options,
):
    """Rows of dots, within a row a line of them per color; every second row is shaded.

    Parameters
    ----------
    data : pandas.DataFrame
    x, y, hue : str
        Columns of the place, of the row and of the color; rows and colors are categories, from top to bottom.
    palette : dict
        Colors by value of `hue`.
    **options
        Of :func:`seaborn.stripplot`.
    """
    import seaborn as sns

    axis = sns.stripplot(
        data, x=x, y=y, hue=hue, palette=palette, size=4, jitter=False, dodge=True, **options
    )
    rows = len(data[y].cat.categories)
    for place in range(0, rows, 2):
        axis.axhspan(place - 0.5, place + 0.5, color=PALETTE["shade"], linewidth=0, zorder=0)
    axis.grid(visible=False, axis="y")
    axis.set(ylabel="", ylim=(rows - 0.5, -0.5))


def heat_map(axis, values, **options):
    """Cells of a table in colors, with its names at the axes.

    That of seaborn draws the whole figure for each panel.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    values : pandas.DataFrame
    **options
        Of :meth:`matplotlib.axes.Axes.pcolormesh`.
    """
    rows, columns = values.shape
    axis.pcolormesh(values.astype(float), **options)  # cells without a value may be None
    axis.set_xticks(np.arange(columns) + 0.5, values.columns)
    axis.set_yticks(np.arange(rows) + 0.5, values.index)
    axis.set(xlim=(0, columns), ylim=(rows, 0))
    axis.grid(visible=False)


def box_plot(data, **options):
    """Box plots of :func:`seaborn.boxplot` in the colors as they are."""
    import seaborn as sns

    with warnings.catch_warnings():
        # seaborn 0.13 passes an argument that matplotlib 3.11 deprecates and 3.13 drops.
        warnings.filterwarnings("ignore", "vert: bool", DeprecationWarning)
        sns.boxplot(data, saturation=1, linewidth=0.8, **options)


def boxes(axis, statistics, *, x, hue, palette):
    """Box plots in groups, with a line at zero: the shape in which the papers show errors.

    The labels say how many values the smallest box of a group has. Whiskers end at the last value within 1.5
    interquartile ranges of the box; a dot is the extreme beyond.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    statistics : pandas.DataFrame
        As returned by :func:`pumetrics_workflow.studies.queries.box_statistics`, with categories in `x` and `hue`.
    x, hue : str
        Columns of the groups and of the boxes in a group, from left to right.
    palette : dict
        Colors by value of `hue`.
    """
    import seaborn as sns

    places = {"x": x, "hue": hue, "ax": axis}
    # The quartiles of these five values are the median and the ends of the box.
    five = statistics.melt([x, hue], ["low", "q25", "median", "q75", "high"])
    box_plot(
        five,
        y="value",
        whis=(0, 100),
        width=0.75,
        gap=0.1,
        palette=palette,
        **places,
    )

    dark = dict.fromkeys(palette, PALETTE["line"])
    for end, whisker in (("least", "low"), ("most", "high")):
        beyond = statistics[statistics[end] != statistics[whisker]]
        sns.stripplot(
            beyond,
            y=end,
            dodge=True,
            jitter=False,
            size=2,
            palette=dark,
            legend=False,
            **places,
        )

    counts = statistics.groupby(x, observed=True)["n"]
    sizes = [f"{place}\n{counted(numbers)}" for place, numbers in counts]
    axis.set_xticks(range(len(sizes)), sizes)
    axis.axhline(0, color=PALETTE["line"], linewidth=1, zorder=1)


def labeled(axis):
    """What a panel labels: marks by label, without the subtitles of seaborn, whose marks are white."""
    marks, labels = axis.get_legend_handles_labels()
    return {
        label: mark
        for label, mark in zip(labels, marks, strict=True)
        if not (isinstance(mark, plt.Line2D) and mark.get_color() == "w")
    }


def shared_legend(figure, **options):
    """Put one legend of what panels label under all of them, in place of their own, and return the figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    **options
        Of :meth:`matplotlib.figure.Figure.legend`; by default it has as many columns as fit, three at most.
    """
    shown = {}
    for axis in figure.axes:
        shown = labeled(axis) | shown
        if axis.get_legend():
            axis.get_legend().remove()

    for columns in (3, 2, 1):
        look = {"loc": "outside lower center", "ncols": columns, **options}
        legend = figure.legend(shown.values(), shown, **look)
        if columns == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return figure
        legend.remove()
