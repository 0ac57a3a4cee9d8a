"""The figures of Tabatabaei et al. (2020)."""

import numpy as np
import pandas as pd

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import PRINTED, counted, grid, key, shared_legend
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.tabatabaei2020 import METHODS, SOURCES

__all__ = ["figure1", "figure2", "figure3", "figure4", "figure5"]

_COLORS = {"estimated_f1": COLORS["f1_from_rho"], "lee_liu": COLORS["lee_liu"]}
_GRAY = "#8a8a8a"
_LINES = {
    "estimated_f1": "-",
    "lee_liu": "--",
}  # dashed, since the curves of both scores can coincide
_MARKS = {"estimated_f1": "x", "lee_liu": "+"}  # printed numbers
_READ_OFF = {"color": PRINTED, "linestyle": "", "markersize": 5, "markeredgewidth": 1.1}
_FORMULAS = {
    "elkan_noto": ("Elkan and Noto's mean", COLORS["CR"]),
    "published": ("published formula", COLORS["PU"]),
    "corrected": ("corrected formula", COLORS["CE+"]),
}
_DASHES = {"elkan_noto": "--", "published": "-", "corrected": "-."}
_PRINTED_LL = (
    4.77,
    5.16,
)  # Figure 5b: range of the LL score in the results published with the paper
_RHO = "label frequency $\\rho$"


def figure1(points, lines):
    """A generated set with its labels, and random lines."""
    labels = {"x": "$x_1$", "titles": ["a generated set", f"{len(lines)} of the random lines"]}
    figure, axes = grid(1, 2, 3.7, y="$x_2$", sharex=True, sharey=True, **labels)
    first, second = axes[0]
    for y, color, label in ((1, COLORS["PU"], "positive"), (0, COLORS["CR"], "negative")):
        part = only(points, y=y)
        first.plot(part["x1"], part["x2"], "o", color=color, markersize=4, alpha=0.75, label=label)
    labeled = only(points, label="labeled")
    ring = {
        "markersize": 9,
        "markerfacecolor": "none",
        "markeredgecolor": "#444444",
        "linestyle": "",
    }
    first.plot(labeled["x1"], labeled["x2"], "o", **ring, label="labeled")
    ends = np.array([0.0, 1.0])
    first.plot(ends, ends + 0.2, "--", color="#222222", linewidth=1)
    for line in lines.itertuples():
        second.plot(
            ends, line.slope * ends + line.intercept, color=COLORS["CR"], linewidth=0.8, alpha=0.7
        )
    first.set(xlim=(0, 1), ylim=(0, 1))
    for axis in axes[0]:
        axis.set_aspect("equal")
    return shared_legend(figure)


def figure2(table):
    """Estimated label frequencies, a row per model and a column per set; of two formulas the mean alone."""
    models, panels = (
        {"forest": "random forest (the paper's)", "logistic": "logistic regression"},
        _panels(table),
    )
    labels = {"x": "true $\\rho$", "titles": list(panels.values())}
    labels["y"] = [f"{name}\nestimated $\\rho$" for name in models.values()]
    figure, axes = grid(2, len(panels), 5.8, sharex=True, sharey=True, **labels)
    _, color = _FORMULAS["published"]
    for line, model in zip(axes, models, strict=True):
        for axis, name in zip(line, panels, strict=True):
            part = only(table, dataset=name, model=model)
            axis.plot([0, 1], [0, 1], color=_GRAY, linewidth=0.8, zorder=0)
            spread = only(part, method="published")
            axis.fill_between(
                spread["rho"], spread["low"], spread["high"], color=color, alpha=0.22, linewidth=0
            )
            for end in ("min", "max"):
                axis.plot(spread["rho"], spread[end], ":", color=color, linewidth=0.9)
            for formula, (_, shade) in _FORMULAS.items():
                mean = only(part, method=formula)
                axis.plot(mean["rho"], mean["mean"], _DASHES[formula], color=shade, linewidth=1.4)
            axis.set(xlim=(0, 1), ylim=(0, 1.1))
    shown = {
        title: key(shade, linestyle=_DASHES[name]) for name, (title, shade) in _FORMULAS.items()
    }
    shown |= {
        "10 to 90%, published formula": key(color, alpha=0.22),
        "least and greatest": key(color, linestyle=":"),
    }
    return shared_legend(figure, shown | {"no error": key(_GRAY, linestyle="-")}, ncols=2)


def figure3(table, points, published):
    """Estimated F1 of one classifier by label frequency."""
    if not len(points):  # a reference holds no draws
        points = pd.DataFrame(columns=["dataset", "rho", "estimate"], dtype=float)
    printed = published.set_index("id")["published"]
    panels = _panels(table)
    labels = {"x": _RHO, "y": "estimated F1", "titles": _counted(table, panels)}
    figure, axes = grid(1, len(panels), 3.6, sharey=True, **labels)
    for axis, name in zip(axes[0], panels, strict=True):
        part, cloud = only(table, dataset=name), only(points, dataset=name)
        axis.plot(
            cloud["rho"],
            cloud["estimate"],
            "o",
            color="#555555",
            markersize=1.6,
            alpha=0.12,
            rasterized=True,
        )
        axis.plot(part["rho"], part["mean"], "_", color=COLORS["CR"], markersize=5)
        axis.plot(part["rho"], part["truth"], ":", color=COLORS["CR"], linewidth=1.2)
        for sign, end in ((-1, "exact_low"), (1, "exact_high")):
            axis.plot(
                part["rho"],
                part["mean"] + sign * part["std"],
                "_",
                color=COLORS["PU"],
                markersize=5,
            )
            axis.plot(part["rho"], part[end], ":", color=COLORS["PU"], linewidth=1.2)
        axis.plot(
            1,
            printed[f"figure3_{name.split('_')[0]}_f1"],
            marker="x",
            clip_on=False,
            zorder=5,
            **_READ_OFF,
        )
        axis.set(xlim=(0, 1.01), ylim=(-0.3, 1.6))
    shown = {"a draw of labels": key("#555555", marker="o", markersize=3)} if len(points) else {}
    for what, color in (("mean", COLORS["CR"]), ("$\\pm$ standard deviation", COLORS["PU"])):
        shown |= {
            f"{what}, simulated": key(color, marker="_"),
            f"{what}, exact": key(color, linestyle=":"),
        }
    return shared_legend(
        figure, shown | {"F1 of the classifier, printed": key(**_READ_OFF, marker="x")}
    )


def _printed(published, pattern):
    """Numbers of a printed curve: the groups of a pattern of ids, the last of them as the place on the axis."""
    found = published["id"].str.extract(pattern).dropna()
    return found.astype({"at": float}).join(published["published"])


def figure4(table, published):
    """Inversions by label frequency, a panel per set."""
    printed = _printed(
        published, r"^figure4(?P<panel>[ab])_(?P<method>estimated_f1|lee_liu)_(?P<at>.+)$"
    )
    letters, panels = {"generated": "a", "iris": "b", "iris_bundled": "b"}, _panels(table)
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    labels = {"x": _RHO, "y": "inversions (%)", "titles": _counted(table, panels)}
    figure, axes = grid(rows, columns, 0.8 + 2.4 * rows, sharex=True, **labels)
    for axis, name in zip(axes.flat, panels, strict=False):
        for method, line in _LINES.items():
            part = only(table, dataset=name, method=method)
            gray, band = (
                only(part, variant=variant)
                for variant in ("lines not turned round", "as published")
            )
            axis.plot(gray["rho"], gray["median"], line, color=_GRAY, linewidth=1)
            axis.fill_between(
                band["rho"],
                band["low"],
                band["high"],
                color=_COLORS[method],
                alpha=0.15,
                linewidth=0,
            )
            axis.plot(band["rho"], band["median"], line, color=_COLORS[method], linewidth=1.5)
            read_off = only(printed, panel=letters.get(name), method=method)
            axis.plot(read_off["at"], read_off["published"], marker=_MARKS[method], **_READ_OFF)
        axis.set_xlim(0, 1)
        axis.set_ylim(bottom=0)
    shown = {
        name: key(_COLORS[method], linestyle=_LINES[method]) for method, name in METHODS.items()
    }
    for method, name in METHODS.items():
        shown[f"{name}, lines never flipped"] = key(_GRAY, linestyle=_LINES[method])
    for method, name in METHODS.items():
        shown[f"{name}, read off the paper's curve"] = key(**_READ_OFF, marker=_MARKS[method])
    return shared_legend(figure, shown, ncols=2)


def figure5(table, published, tries):
    """Inversions by the factor by which the label frequency is wrong; of Iris in draws as small as the paper's."""
    columns = {"lower": "low", "upper": "high"}
    few = tries.assign(method=np.where(tries["factor"].isna(), "lee_liu", "estimated_f1")).rename(
        columns=columns
    )
    table = pd.concat([table[~table["dataset"].isin(few["dataset"])], few])
    printed, panels = _printed(published, r"^figure5_iris_mean_(?P<at>.+)$"), _panels(table)
    labels = {"x": "factor by which $\\rho$ is wrong", "y": "inversions (%), mean over $\\rho$"}
    figure, axes = grid(1, len(panels), 3.4, titles=_counted(table, panels), **labels)
    for axis, name in zip(axes[0], panels, strict=True):
        ours, other = (
            only(table, dataset=name, method="estimated_f1"),
            only(table, dataset=name, method="lee_liu").iloc[0],
        )
        color = _COLORS["estimated_f1"]
        axis.fill_between(
            ours["factor"], ours["low"], ours["high"], color=color, alpha=0.15, linewidth=0
        )
        style = {"color": color, "linewidth": 1.5, "markersize": 4}
        axis.plot(ours["factor"], ours["mean"], "o-", label="estimated F1", **style)
        if name.startswith("iris"):
            label = "estimated F1, printed (one of three runs)"
            axis.plot(
                printed["at"],
                printed["published"],
                marker=_MARKS["estimated_f1"],
                label=label,
                **_READ_OFF,
            )
            label = "LL score, printed (range)"
            axis.axhspan(
                *_PRINTED_LL,
                facecolor="none",
                edgecolor=PRINTED,
                hatch="////",
                linewidth=0,
                label=label,
            )
        axis.axhspan(other["low"], other["high"], color=_COLORS["lee_liu"], alpha=0.1, linewidth=0)
        axis.axhline(other["mean"], color=_COLORS["lee_liu"], linewidth=1.5, label="LL score")
        axis.set_xscale("log", base=2)
        axis.set_xticks(
            [0.5, 0.75, 1, 1.25, 1.5, 2], labels=["0.5", "0.75", "1", "1.25", "1.5", "2"]
        )
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
    return shared_legend(figure, ncols=2)


def _counted(table, panels):
    """Titles of panels with the number of draws behind each point."""
    return [
        f"{title}, {counted(only(table, dataset=name)['draws'])}" for name, title in panels.items()
    ]


def _panels(table):
    """Titles of the data sets of a table, in the order of the captions, unknown ones last."""
    names = set(table["dataset"])
    return {
        name: SOURCES.get(name, name)
        for name in [*filter(names.__contains__, SOURCES), *sorted(names - {*SOURCES})]
    }
