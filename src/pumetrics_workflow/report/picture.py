"""The pictures of a report: claims about size, and all published numbers against ours; each point leads to its row."""

import io
import math
import re
from functools import partial

import pandas as pd

from pumetrics.plotting import styled
from pumetrics_workflow.claims import CHOICES
from pumetrics_workflow.verdicts import DIFFERING, is_about_size

__all__ = ["anchor", "as_svg", "mark", "panels", "published", "ratios", "short"]

_LEAST = 1e-3  # the smallest ratio that is shown
_LINEAR = 0.01  # below it the axis is linear, so that 0 has a place
_SIGNS = {-1: "too low", 0: "neither", 1: "too high"}
_LETTERS = {
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
_MARKS = {
    "holds": ("o", "#0072B2", "holds"),
    "differs": ("x", "#c24e00", "mostly, partly, does not hold or opposite"),
    "open": ("o", "#888888", "inconclusive"),
}
_LINE = {
    "color": "#444444",
    "linestyle": "--",
    "linewidth": 0.8,
    "zorder": 1,
}


def anchor(study, key):
    """Return the id of a published number's row in the page.

    Examples
    --------
    >>> anchor("rider2013", "2a/bcar/c45/0.1")
    'rider2013-row-2a-bcar-c45-0_1'
    """
    return f"{study}-row-" + key.replace("/", "-").replace(".", "_")


def short(study):
    """Return first author and year of a paper by its name.

    Examples
    --------
    >>> short("jain2017")
    'Jain 2017'
    """
    return f"{study[:-4].capitalize()} {study[-4:]}"


def mark(verdict):
    """Return how a verdict is drawn: "holds", "differs" or "open" (neither).

    Examples
    --------
    >>> mark("opposite"), mark("inconclusive")
    ('differs', 'open')
    """
    if verdict == "holds":
        return "holds"
    return "differs" if verdict in DIFFERING else "open"


def ratios(sections, link=""):
    """Return the figure of papers' claims about size: values, intervals and the bound of a third; None without any.

    Parameters
    ----------
    sections : list of StudySection
    link : str
        Where the page of a study is, with {} for its name.
    """
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    tables = [
        section.judged.assign(study=section.study.name)
        for section in sections
        if section.study.kind == "paper"
    ]
    rows = pd.concat(tables) if tables else pd.DataFrame()
    rows = rows[[is_about_size(row) and row.reproduced > 0 for row in rows.itertuples()]]
    if not len(rows):
        return None
    rows = rows.assign(x=rows["reproduced"], y=range(len(rows)))
    theirs = rows["theirs"].astype(object).fillna("")
    names = (rows["study"].map(short) + ": " + theirs).str.removesuffix(": ")
    with plt.rc_context(_LETTERS):
        figure, axis = plt.subplots(figsize=(4.6, 2.5))
        axis.hlines(rows["y"], rows["low"].clip(_LEAST), rows["high"], "#56B4E9", zorder=1)
        axis.axvline(CHOICES["much"], **_LINE)
        _points(axis, rows, link)
        for row in rows.itertuples():
            if row.reproduced < CHOICES["much"] and mark(row.verdict) == "differs":
                reason = f"{row.k:.0f} of {row.n:.0f} rows"
                axis.annotate(
                    reason, (row.x, row.y), (4, 4), textcoords="offset points", fontsize=6
                )
        interval = ", 95% interval" if rows["low"].notna().any() else ""
        axis.set(xscale="log", xlabel=f"ratio or difference{interval}", title="Claims about size")
        least, most = axis.get_xlim()
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 3) if most < 100 * least else (1,)))
        axis.xaxis.set_major_formatter("{x:g}")
        axis.minorticks_off()
        axis.set_yticks(rows["y"], names)
        axis.invert_yaxis()
    return figure


def panels(sections, link="", least=1):
    """Return functions that draw numbers, cells with a side, and signs with a bound into an axis.

    Parameters
    ----------
    sections : list of StudySection
    link : str
        See :func:`ratios`.
    least : int
        A panel with fewer points is left out.
    """
    rows = pd.concat(
        [section.compared.assign(study=section.study.name) for section in sections],
        ignore_index=True,
    )
    kinds = {_numbers: ["within"], _signs: ["side"], _bounds: ["above", "below"]}
    chosen = {draw: rows[rows["compare"].isin(ways)] for draw, ways in kinds.items()}
    return [
        partial(draw, rows=part, link=link) for draw, part in chosen.items() if len(part) >= least
    ]


def published(sections):
    """Return the figure of all panels in a row, with a legend.

    Parameters
    ----------
    sections : list of StudySection
    """
    import matplotlib.pyplot as plt

    draws = panels(sections)
    with plt.rc_context(_LETTERS):
        figure, axes = plt.subplots(1, len(draws), figsize=(7.4, 2.7), squeeze=False)
        for draw, axis in zip(draws, axes[0], strict=True):
            draw(axis)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def as_svg(figure):
    """Return a figure, or what a function draws into an axis, as an element of a page; its points are links."""
    import matplotlib.pyplot as plt

    with styled(), plt.rc_context(_LETTERS):
        if callable(figure):
            draw = figure
            figure, axis = plt.subplots(figsize=(4.2, 3.3))
            draw(axis)
        label = figure.axes[0].get_title()
        content = io.StringIO()
        with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": label}):
            figure.savefig(content, format="svg", metadata={"Date": None})
        plt.close(figure)
    svg = content.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r' id="[\w.]+_\d+"', "", svg)  # of one picture each, and not of one page
    svg = svg.replace("<a xlink:href=", "<a href=").replace(' target="_blank"', "")
    return svg.replace("<svg ", f'<svg role="group" aria-label="{label}" ', 1)


def _points(axis, rows, link, size=18):
    """Draw rows at their x and y, by verdict, as links to their rows."""
    for verdict, (marker, color, label) in _MARKS.items():
        part = rows[rows["verdict"].map(mark) == verdict]
        style = {"facecolors": "none", "edgecolors": color} if verdict == "open" else {"c": color}
        dots = axis.scatter(
            part["x"], part["y"], size, marker=marker, label=label, linewidths=1, zorder=2, **style
        )
        dots.set_urls(
            [f"{link.format(row.study)}#{anchor(row.study, row.id)}" for row in part.itertuples()]
        )


def _numbers(axis, rows, link):
    _points(axis, rows.assign(x=rows["published"], y=rows["reproduced"]), link)
    axis.axline((0, 0), (1, 1), **_LINE)
    axis.set_xscale("symlog", linthresh=_LINEAR)
    axis.set_yscale("symlog", linthresh=_LINEAR)
    axis.set(title=f"{len(rows)} printed numbers", xlabel="published", ylabel="reproduced")


def _signs(axis, rows, link):
    """A cell for each pair of answers, filled row by row: equal answers lie on the diagonal."""
    parts = []
    for (published, reproduced), part in rows.groupby(["published", "reproduced"]):
        columns = math.ceil(math.sqrt(len(part)))
        step = min(0.08, 0.85 / columns)
        place = pd.Series(range(len(part)), part.index)
        parts.append(
            part.assign(
                x=published + (place % columns - (columns - 1) / 2) * step,
                y=reproduced + (place // columns - (columns - 1) / 2) * step,
            )
        )
    _points(axis, pd.concat(parts), link, size=5)
    axis.axline((0, 0), (1, 1), **_LINE)
    axis.set_xticks(list(_SIGNS), list(_SIGNS.values()))
    axis.set_yticks(list(_SIGNS), list(_SIGNS.values()))
    axis.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), xlabel="published", ylabel="reproduced")
    axis.set_title(f"{len(rows)} cells: too low or too high?")


def _bounds(axis, rows, link):
    """A column for each study; the line is the bound that the paper's words imply."""
    parts = []
    studies = list(rows["study"].unique())
    for number, name in enumerate(studies):
        part = rows[rows["study"] == name].sort_values("reproduced", kind="stable")
        step = 0.85 / len(part)
        place = pd.Series(range(len(part)), part.index) - (len(part) - 1) / 2
        parts.append(part.assign(x=number + place * step, y=part["reproduced"] - part["published"]))
    _points(axis, pd.concat(parts), link)
    axis.axhline(0, **_LINE)
    axis.set_yscale("symlog", linthresh=_LINEAR)
    axis.set_xticks(range(len(studies)), [name.rstrip("0123456789") for name in studies])
    axis.set(title=f"{len(rows)} values against bounds", ylabel="reproduced minus bound")
