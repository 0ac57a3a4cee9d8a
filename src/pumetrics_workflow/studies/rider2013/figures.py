"""The figures of Rider et al. (2013)."""

from itertools import pairwise

import numpy as np

from pumetrics.plotting import COLORS
from pumetrics_workflow.stages.evaluate_folds import DEFINITIONS
from pumetrics_workflow.studies.drawing import counted, grid, shared_legend
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.rider2013 import CLASSIFIERS, MECHANISMS, METRICS, SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import printed_cells

__all__ = [
    "aupr_definitions",
    "bias_size",
    "corrections",
    "figure1a",
    "figure1b",
    "p_values",
    "table2",
]

_SHADES = dict(
    zip(CLASSIFIERS, ["#D55E00", "#CC79A7", "#0072B2", "#009E73", "#E69F00"], strict=True)
)
_MARKERS = dict(zip(CLASSIFIERS, "osD^v", strict=True))
_CASE = {"bias": ("bias class", COLORS["PU"], "o"), "true": ("true class", COLORS["true"], "s")}
# Color, and place in a range: examples whose true class is negative are on the left.
_GROUPS = {
    "true_negatives": ("#bbbbbb", -0.2),
    "false_negatives": ("#D55E00", 0.2),
    "false_positives": ("#56B4E9", -0.2),
    "true_positives": ("#0072B2", 0.2),
}
_SIDES = {"p_printed": "printed", "p_over": "verdict"}
_EDGES = [0, 0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 0.9, 1]
_LINES = {"bcar": ("#444444", "o-"), "bar": ("#D55E00", "s-"), "bnar": ("#0072B2", "^-")}
_BOLD = 2.326  # normal quantile of the paper's level
_QUANTILES = {-_BOLD: "0.99", -1.282: "0.9", 0: "0.5", 1.282: "0.1", _BOLD: "0.01"}
_FLIPPED = "share of positives flipped (%)"


def table2(cells, published):
    """Both tables as printed and as reproduced."""
    sides = {
        "printed": printed_cells(published).rename(
            columns={"p_printed": "p", "printed": "verdict"}
        ),
        "reproduced": only(cells, svm=next(iter(SVM_READINGS))).rename(columns={"p_over": "p"}),
    }
    names = {"2a": "Table 2a: AUROC", "2b": "Table 2b: AUPR"}
    titles = [f"{title}, {side}" for title in names.values() for side in sides]
    figure, axes = grid(2, 2, 7.2, x=_FLIPPED, titles=titles, sharey=True)
    for row, table in zip(axes, names, strict=True):
        for axis, verdicts in zip(row, sides.values(), strict=True):
            image = _cells(axis, only(verdicts, table=table))
    bar = figure.colorbar(image, ax=axes, shrink=0.6, ticks=[-3, -2.33, 0, 2.33, 3])
    bar.ax.set_yticklabels(["0.999", "0.99", "0.5", "0.01", "0.001"])
    bar.set_label("p-value that the rank by bias class area is too high")
    return figure


def _cells(axis, verdicts):
    """Cells as colors, mechanisms and classifiers from top to bottom."""
    from scipy.special import ndtri

    lines = {
        (name, each): f"{title}  {label}"
        for name, title in MECHANISMS.items()
        for each, label in CLASSIFIERS.items()
    }
    levels = sorted(verdicts["fraction"].unique())
    values = verdicts.pivot(
        index=["mechanism", "classifier"], columns="fraction", values=["p", "verdict"]
    )
    values = values.reindex(list(lines))
    # A cell without any changed rank says p = 1 on both sides: nothing leans.
    p_values = (
        values["p"]
        .where(values["p"] < 0.99999, np.where(values["verdict"] == -1, 1, 0.5))
        .clip(5e-5, 1 - 5e-5)
    )
    image = axis.imshow(-ndtri(p_values), cmap="PuOr", vmin=-3.5, vmax=3.5, aspect="auto")
    for y, x in zip(*np.nonzero(values["verdict"].abs().to_numpy() == 1), strict=True):
        axis.plot(x, y, "o", markersize=3.5, color="black")
    for border in (4.5, 9.5):
        axis.axhline(border, color="black", linewidth=0.8)
    axis.grid(False)
    axis.set_xticks(range(len(levels)), [f"{100 * level:.0f}" for level in levels])
    axis.set_yticks(range(len(lines)), lines.values())
    return image


def p_values(compared_cells):
    """The cells from 10% on: printed against reproduced p-values, as normal quantiles, which spread both ends."""
    tables = sorted(compared_cells["table"].unique())
    labels = {"x": "p-value, printed", "y": "p-value, reproduced"}
    figure, axes = grid(1, len(tables), 4.2, sharex=True, sharey=True, **labels)
    for axis, table in zip(axes[0], tables, strict=True):
        part = only(compared_cells, table=table)
        for classifier, rows in part.groupby("classifier"):
            style = {
                "color": _SHADES[classifier],
                "marker": _MARKERS[classifier],
                "linestyle": "none",
            }
            axis.plot(
                *_quantiles(rows), label=CLASSIFIERS[classifier], markersize=3.5, alpha=0.8, **style
            )
        axis.axline((0, 0), slope=1, color="#444444", linestyle="--", linewidth=0.8, zorder=0)
        for draw in (axis.axhline, axis.axvline):
            for level in (-_BOLD, _BOLD):
                draw(level, color="#999999", linewidth=0.6, zorder=0)
        ticks = {
            "ticks": list(_QUANTILES),
            "ticklabels": list(_QUANTILES.values()),
            "lim": (-3.6, 3.6),
        }
        axis.set(
            aspect="equal",
            **{f"{side}{name}": value for side in "xy" for name, value in ticks.items()},
        )
        axis.set_title(f"Table {table}: {len(part)} cells")
        axis.grid(visible=False)
    return shared_legend(figure, ncols=5)


def _quantiles(rows):
    """Normal quantiles of both p-values; without a changed rank p is 1 on both sides, and the cell leans to none."""
    from scipy.special import ndtri

    none = {name: (rows[name] > 0.9995) & (rows[side] == 0) for name, side in _SIDES.items()}
    return [-ndtri(rows[name].mask(none[name], 0.5).clip(5e-4, 1 - 5e-4)) for name in _SIDES]


def aupr_definitions(shifts):
    """By how many ranks each classifier looks too good under each definition of AUPR: mean over sets and interval."""
    from scipy.stats import t

    by = ["definition", "mechanism", "classifier"]
    means = shifts.groupby(by)["shift"].agg(["mean", "std", "count"]).reset_index()
    means["half"] = (
        t.ppf(0.975, np.maximum(means["count"] - 1, 1)) * means["std"] / np.sqrt(means["count"])
    )
    sets, labels = (
        shifts["dataset"].nunique(),
        [label.replace(", ", ",\n") for label in DEFINITIONS.values()],
    )
    titles = [f"{title}, {sets} sets" for title in MECHANISMS.values()]
    figure, axes = grid(
        1,
        len(MECHANISMS),
        4.6,
        x=["", "ranks too good", ""],
        titles=titles,
        sharex=True,
        sharey=True,
    )
    for axis, mechanism in zip(axes[0], MECHANISMS, strict=True):
        axis.axvline(0, color="#444444", linewidth=0.8, zorder=0)
        for place, (classifier, name) in enumerate(CLASSIFIERS.items()):
            line = (
                only(means, mechanism=mechanism, classifier=classifier)
                .set_index("definition")
                .reindex(list(DEFINITIONS))
            )
            y = np.arange(len(line)) + 0.15 * (place - 2)
            style = {
                "color": _SHADES[classifier],
                "marker": _MARKERS[classifier],
                "linestyle": "none",
                "label": name,
            }
            axis.errorbar(
                line["mean"], y, xerr=line["half"], markersize=3.5, elinewidth=0.8, **style
            )
        axis.set(
            yticks=range(len(DEFINITIONS)), yticklabels=labels, ylim=(len(DEFINITIONS) - 0.5, -0.5)
        )
        for border in np.arange(len(DEFINITIONS) - 1) + 0.5:
            axis.axhline(border, color="#dddddd", linewidth=0.6, zorder=0)
        axis.grid(visible=False, axis="y")
    return shared_legend(figure, ncols=5)


def _sizes(sizes, kind, label):
    """A panel for each classifier and area, a line for each mechanism: bands are 95% intervals over data sets."""
    titles = [f"{area},\n{name}" for area in METRICS.values() for name in CLASSIFIERS.values()]
    sets = counted(only(sizes, kind=kind)["sets"], "sets")
    labels = {"x": ["", "", f"{_FLIPPED}, {sets}", "", ""], "y": label, "titles": titles}
    figure, axes = grid(len(METRICS), len(CLASSIFIERS), 4.4, sharex=True, sharey="row", **labels)
    models = [next(iter(SVM_READINGS)) if name == "svm" else name for name in CLASSIFIERS]
    for row, metric in zip(axes, METRICS, strict=True):
        for axis, model in zip(row, models, strict=True):
            axis.axhline(0, color="#444444", linewidth=0.8, zorder=1)
            for mechanism, (color, style) in _LINES.items():
                line = only(
                    sizes, kind=kind, metric=metric, mechanism=mechanism, model=model
                ).sort_values("fraction")
                x = 100 * line["fraction"]
                axis.plot(
                    x,
                    line["mean"],
                    style,
                    color=color,
                    label=MECHANISMS[mechanism],
                    markersize=3,
                    linewidth=1.2,
                )
                axis.fill_between(
                    x, line["lower"], line["upper"], color=color, alpha=0.15, linewidth=0
                )
            axis.set_xticks([0, 50, 100])
            axis.title.set_fontsize(8)
    return shared_legend(figure, ncols=3)


def bias_size(sizes):
    """Bias class minus true class area."""
    return _sizes(sizes, "uncorrected", "bias class $-$ true class")


def corrections(sizes):
    """Recovered minus true class area."""
    return _sizes(sizes, "corrected", "recovered $-$ true class")


def _by_mechanism(table, height, **labels):
    """A panel for each mechanism of the case study, by name."""
    shown = {name: title for name, title in MECHANISMS.items() if name in set(table["mechanism"])}
    figure, axes = grid(1, len(shown), height, titles=list(shown.values()), sharey=True, **labels)
    return figure, dict(zip(shown, axes[0], strict=True))


def figure1a(study):
    """Areas of the case study by the share of positives known."""
    figure, axes = _by_mechanism(study, 3.7, x="share of positives known (%)", y="area")
    for mechanism, axis in axes.items():
        for metric, line in (("roc_auc", "-"), ("average_precision", "--")):
            means = only(study, mechanism=mechanism, metric=metric).sort_values("known")
            for kind, (name, color, marker) in _CASE.items():
                style = {
                    "color": color,
                    "marker": marker,
                    "markersize": 4,
                    "label": f"{METRICS[metric]}, {name}",
                }
                axis.plot(100 * means["known"], means[kind], line, **style)
        axis.set_ylim(0, 1)
    higher, dataset = (
        (study["bias"] > study["true"]).sum(),
        study["dataset"].iloc[0].replace("_", " "),
    )
    facts = f"in the paper all, on the stand-in ({dataset}) {higher} of {len(study)}"
    figure.suptitle(f"Bias class areas above the true class area: {facts}", fontsize=9)
    return shared_legend(figure, ncols=2)


def figure1b(histogram):
    """Counts in ranges of the probability, on a logarithmic axis: most examples are near 0, and very few above 0.5."""
    ranges = [f"{low:g} to {high:g}" for low, high in pairwise(_EDGES)]
    # Bins begin at multiples of a fiftieth, which are not exact.
    place = np.searchsorted(_EDGES, histogram["probability"] + 1e-9, side="right") - 1
    counts = histogram.groupby(["mechanism", "group", place])["count"].sum()
    figure, axes = _by_mechanism(histogram, 4.4, y="predicted probability", x="examples")
    for mechanism, axis in axes.items():
        for group, (color, shift) in _GROUPS.items():
            part = counts[mechanism].get(group, counts.iloc[:0])
            part = part[part > 0]
            bars = axis.barh(
                part.index + shift,
                part,
                height=0.4,
                color=color,
                label=group.replace("_", " "),
                linewidth=0,
            )
            axis.bar_label(bars, [f"{count:,.0f}" for count in part], fontsize=7.6, padding=2)
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter("{x:,g}")
        axis.set_yticks(range(len(ranges)), ranges)
        axis.axhline(_EDGES.index(0.5) - 0.5, color="#444444", linestyle="--", linewidth=0.8)
        axis.set_ylim(-0.6, len(ranges) - 0.4)
        axis.grid(visible=False, axis="y")
        axis.set_xlim(0.5, 6 * counts.max())
    return shared_legend(figure, ncols=4)
