"""The figures of Rider et al. (2013)."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.rider2013 import CLASSIFIERS, MECHANISMS, METRICS, SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import printed_cells

__all__ = ["figures"]

_SHADES = dict(zip(CLASSIFIERS, ["#D55E00", "#CC79A7", "#0072B2", "#009E73", "#E69F00"], strict=True))
_MARKERS = dict(zip(CLASSIFIERS, "osD^v", strict=True))
_CASE = {"bias": ("bias class", COLORS["PU"], "o"), "true": ("true class", COLORS["true"], "s")}
_GROUPS = {
    "true_negatives": "#bbbbbb",
    "false_negatives": "#D55E00",
    "false_positives": "#56B4E9",
    "true_positives": "#0072B2",
}


def figures(tables):
    """Return the figures by name."""
    drawn = {}
    if len(tables["cells"]):
        drawn["table2"] = _table2(tables["cells"], tables["published"])
        drawn["bias_size"] = _sizes(tables["sizes"], "uncorrected", "bias class $-$ true class")
        drawn["corrections"] = _sizes(tables["sizes"], "corrected", "recovered $-$ true class")
    if len(tables["beside"]):
        drawn["p_values"] = _p_values(tables["beside"])
    if len(tables["case_study"]):
        drawn["figure1a"] = _figure1a(tables["case_study"])
        drawn["figure1b"] = _figure1b(tables["case_study_histogram"])
    return drawn


def _table2(cells, published):
    cells = cells[cells["svm"] == next(iter(SVM_READINGS))]
    sides = {
        "printed": printed_cells(published).rename(columns={"p_printed": "p", "printed": "verdict"}),
        "reproduced": cells.rename(columns={"p_over": "p"}),
    }
    names = {"2a": "Table 2a: AUROC", "2b": "Table 2b: AUPR"}
    figure, axes = plt.subplots(2, 2, figsize=(7.4, 7.2), sharey=True)
    for row, (table, title) in zip(axes, names.items(), strict=True):
        for axis, (side, verdicts) in zip(row, sides.items(), strict=True):
            image = _grid(axis, verdicts[verdicts["table"] == table])
            axis.set_title(f"{title}, {side}")
    for axis in axes[1]:
        axis.set_xlabel("share of positives flipped (%)")
    bar = figure.colorbar(image, ax=axes, shrink=0.6, ticks=[-3, -2.33, 0, 2.33, 3])
    bar.ax.set_yticklabels([".999", ".99", ".5", ".01", ".001"])
    bar.set_label("p-value: rank by bias class area is too high")
    return figure


def _p_values(beside):
    """The 270 cells from 10 % on: printed against reproduced p-values."""
    figure, axes = plt.subplots(1, 2, figsize=(6.8, 3.4), sharey=True)
    for axis, (table, part) in zip(axes, beside.groupby("table"), strict=True):
        for classifier, rows in part.groupby("classifier"):
            style = {"color": _SHADES[classifier], "marker": _MARKERS[classifier], "linestyle": "none"}
            axis.plot(rows["p_printed"], rows["p_over"], markersize=3.5, label=CLASSIFIERS[classifier], **style)
        axis.axline((0, 0), slope=1, color="#444444", linestyle="--", linewidth=0.8)
        axis.set(title=f"Table {table}", xlabel="p-value, printed", aspect="equal")
    axes[0].set_ylabel("p-value, reproduced")
    axes[1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _grid(axis, verdicts):
    """Cells as colours, mechanisms and classifiers from top to bottom."""
    from scipy.special import ndtri

    lines = [(mechanism, classifier) for mechanism in MECHANISMS for classifier in CLASSIFIERS]
    levels = sorted(verdicts["fraction"].unique())
    values = verdicts.pivot(index=["mechanism", "classifier"], columns="fraction", values=["p", "verdict"]).reindex(
        lines
    )
    # A cell without any changed rank says p = 1 on both sides: nothing leans.
    p_values = values["p"].where(values["p"] < 0.99999, np.where(values["verdict"] == -1, 1, 0.5)).clip(5e-5, 1 - 5e-5)
    image = axis.imshow(-ndtri(p_values), cmap="PuOr", vmin=-3.5, vmax=3.5, aspect="auto")
    for y, x in zip(*np.nonzero(values["verdict"].abs().to_numpy() == 1), strict=True):
        axis.plot(x, y, "o", markersize=3.5, color="black")
    for border in (4.5, 9.5):
        axis.axhline(border, color="black", linewidth=0.8)
    axis.grid(False)
    axis.set_xticks(range(len(levels)), [f"{100 * level:.0f}" for level in levels])
    axis.set_yticks(range(len(lines)), [f"{MECHANISMS[line[0]]}  {CLASSIFIERS[line[1]]}" for line in lines])
    return image


def _sizes(sizes, kind, label):
    part = sizes[(sizes["kind"] == kind) & sizes["model"].isin(CLASSIFIERS)]
    figure, axes = plt.subplots(len(METRICS), len(MECHANISMS), figsize=(7.4, 5.2), sharex=True, sharey="row")
    for row, (metric, area) in zip(axes, METRICS.items(), strict=True):
        for axis, (mechanism, title) in zip(row, MECHANISMS.items(), strict=True):
            axis.axhline(0, color="#444444", linewidth=1, zorder=1)
            for place, (model, name) in enumerate(CLASSIFIERS.items()):
                chosen = (part["metric"] == metric) & (part["mechanism"] == mechanism) & (part["model"] == model)
                line = part[chosen].sort_values("fraction")
                x = 100 * line["fraction"] + 0.9 * (place - 2)
                spread = [line["mean"] - line["lower"], line["upper"] - line["mean"]]
                axis.errorbar(
                    x, line["mean"], yerr=spread, label=name, color=_SHADES[model], marker=_MARKERS[model],
                    markersize=3.5, linewidth=1.1, elinewidth=0.7,
                )  # fmt: skip
            axis.set_title(f"{area}, {title}")
        row[0].set_ylabel(label)
    for axis in axes[-1]:
        axis.set_xlabel("share of positives flipped (%)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def _figure1a(study):
    mechanisms = [name for name in MECHANISMS if name in set(study["mechanism"])]
    figure, axes = plt.subplots(1, len(mechanisms), figsize=(3.6 * len(mechanisms), 3.4), sharey=True, squeeze=False)
    for axis, mechanism in zip(axes[0], mechanisms, strict=True):
        for metric, line in (("roc_auc", "-"), ("average_precision", "--")):
            chosen = (study["mechanism"] == mechanism) & (study["metric"] == metric)
            means = study[chosen].sort_values("known")
            for kind, (name, color, marker) in _CASE.items():
                axis.plot(
                    100 * means["known"], means[kind], line, color=color, marker=marker, markersize=4,
                    label=f"{METRICS[metric]}, {name}",
                )  # fmt: skip
        axis.set(title=MECHANISMS[mechanism], xlabel="share of positives known (%)", ylim=(0, 1))
    axes[0, 0].set_ylabel(f"area, {study['dataset'].iloc[0]}")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _figure1b(histogram):
    mechanisms = [name for name in MECHANISMS if name in set(histogram["mechanism"])]
    figure, axes = plt.subplots(1, len(mechanisms), figsize=(3.6 * len(mechanisms), 3.2), squeeze=False)
    for axis, mechanism in zip(axes[0], mechanisms, strict=True):
        wide = histogram[histogram["mechanism"] == mechanism].pivot(
            index="probability", columns="group", values="count"
        )
        # As in the paper the largest bins are left out for clarity: those above the fourth.
        top = wide.sum(axis=1).nlargest(4).iloc[-1] * 1.1
        base, width = np.zeros(len(wide)), np.diff(wide.index).min()
        for group, color in _GROUPS.items():
            axis.bar(
                wide.index, wide[group], width=width, bottom=base, align="edge", color=color,
                label=group.replace("_", " "), linewidth=0,
            )  # fmt: skip
            base = base + wide[group].to_numpy()
        axis.set(title=MECHANISMS[mechanism], xlabel="predicted probability", xlim=(0, 1), ylim=(0, max(top, 1)))
    axes[0, 0].set_ylabel("examples")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure
