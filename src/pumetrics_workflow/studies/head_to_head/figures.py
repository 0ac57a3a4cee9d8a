"""The figures of the head-to-head."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.labeling import parameters_of
from pumetrics.methods import METHODS
from pumetrics.metrics import METRICS
from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.head_to_head.diagram import critical_difference_diagram
from pumetrics_workflow.studies.head_to_head.worth import place_of

__all__ = ["figures"]

_CURVES = [
    ("uncorrected", "none"), ("direct", "true"), ("indirect", "true"), ("direct", "consensus"),
    ("bounds_hypergeometric", "true"), ("lower_bound", "true"), ("lee_liu", "none"), ("by_auc", "none"),
    ("first_model", "none"), ("random", "none"),
]  # fmt: skip
_CURVE_METRICS = ("roc_auc", "average_precision", "max_f1", "max_mcc")
_FAMILIES = {"beta": "label noise", "bcar": "BCAR", "bar": "BAR", "bnar": "BNAR"}
_BANDS = [
    (band, prior) for prior in ("true", "consensus_clean") for band in ("bounds_hypergeometric", "bounds_bootstrap")
]
_INTERVALS = [
    ("interval_sampling", "true"), ("interval_calibrated", "consensus_clean"),
    ("interval_guaranteed", "consensus_clean"), ("interval_sampling", "consensus_clean"),
]  # fmt: skip
# Blue: alpha known; red: its error left out; green: its error is part of the interval.
_HUES = {"o-": ("#0b5394", "#6fa8dc", "#990000", "#e06666"), "s:": ("#0b5394", "#38761d", "#93c47d", "#990000")}


def figures(tables):
    """Return the figures by name; none if no data set was available."""
    if not len(tables["errors"]):
        return {}
    judged = [metric for metric in METRICS if metric in set(tables["breaking"]["metric"])]
    drawn = {f"error_{metric}": _heat_map(tables["breaking"], metric) for metric in judged}
    drawn["regret"] = _regret(tables["selection"])
    drawn["coverage"] = _coverage(tables["errors"], tables["intervals"])
    drawn["ranks_error"] = critical_difference_diagram(tables["ranks"], "absolute_error")
    drawn["ranks_regret"] = critical_difference_diagram(tables["ranks"], "regret")
    return drawn


def _heat_map(table, metric):
    """Mean absolute error of every method (rows) under every labeling (columns), smallest errors under SCAR on top."""
    rows = table[table["metric"] == metric].sort_values("at_home", kind="stable")
    labelings = sorted((name for name in rows.columns if "=" in name), key=place_of)
    values = rows[labelings].to_numpy(dtype=float)
    figure, axis = plt.subplots(figsize=(7.4, 1.3 + 0.2 * len(rows)))
    top = max(0.05, float(np.nanquantile(values, 0.95)))
    image = axis.imshow(values, cmap="cividis_r", vmin=0, vmax=top, aspect="auto")
    for y, x in np.argwhere(np.isfinite(values)):
        dark = values[y, x] > 0.6 * top
        text = f"{values[y, x]:.2f}".removeprefix("0")
        axis.text(x, y, text, ha="center", va="center", fontsize=6, color="white" if dark else "black")
    axis.set_xticks(range(len(labelings)), labelings, rotation=45, ha="right", fontsize=7)
    names = [_named(row.method, row.prior) for row in rows.itertuples()]
    axis.set_yticks(range(len(rows)), names, fontsize=7)
    axis.set_title(f"Mean absolute error of {METRICS[metric].label}")
    axis.grid(False)
    figure.colorbar(image, ax=axis, shrink=0.6, aspect=25, extend="max")
    return figure


def _regret(table):
    """Regret of selecting the model with the best estimate, as labels get worse."""
    table = table.assign(kind=[name.split("=")[0] for name in table["labeling"]])
    table["strength"] = [next(iter(parameters_of(name).values())) for name in table["labeling"]]
    families = [name for name in _FAMILIES if name in set(table["kind"])]
    metrics = [name for name in _CURVE_METRICS if name in set(table["metric"])]
    figure, axes = plt.subplots(
        len(metrics), len(families), figsize=(7.4, 1.1 + 1.55 * len(metrics)), sharex="col", sharey="row", squeeze=False
    )
    for row, metric in zip(axes, metrics, strict=True):
        for axis, family in zip(row, families, strict=True):
            _regret_panel(axis, table[(table["metric"] == metric) & (table["kind"] == family)], family)
        row[0].set(ylabel=METRICS[metric].label, ylim=(0, None))
    for axis, family in zip(axes[0], families, strict=True):
        axis.set_title(_FAMILIES[family])
    for axis, family in zip(axes[-1], families, strict=True):
        axis.set_xlabel("label noise (%)" if family == "beta" else "hidden positives (%)")
    handles = {}
    for axis in axes.flat:
        handles |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, fontsize=7)
    figure.supylabel("regret", fontsize=9)
    return figure


def _regret_panel(axis, part, family):
    for place, (method, prior) in enumerate(_CURVES):
        line = part[(part["method"] == method) & (part["prior"] == prior)].sort_values("strength")
        if len(line):
            x = 100 * (1 - line["strength"] if family == "beta" else line["strength"])
            style = "--" if METHODS[method].control else "-"
            axis.plot(
                x, line["regret"], style, marker="osDv^Pph*X"[place], markersize=3.5, linewidth=1.1,
                color=COLORS[f"{method}, {prior}" if prior == "consensus" else method], label=_named(method, prior),
            )  # fmt: skip


def _coverage(errors, intervals):
    """Coverage of 95 % bounds and intervals by labeling."""
    metrics = [name for name in _CURVE_METRICS if name in set(errors["metric"])]
    labelings = sorted(errors["labeling"].unique(), key=place_of)
    figure, axes = plt.subplots(2, 2, figsize=(7.4, 6.2), sharex=True, sharey=True)
    for axis, metric in zip(axes.flat, metrics, strict=False):
        axis.axhline(0.95, color="#444444", linewidth=1)
        for table, ways, shape in ((errors, _BANDS, "o-"), (intervals, _INTERVALS, "s:")):
            for place, (method, prior) in enumerate(ways):
                rates = table.query("metric == @metric and method == @method and prior == @prior").set_index("labeling")
                axis.plot(
                    range(len(labelings)), rates["coverage"].reindex(labelings), shape, markersize=3.5, linewidth=1.1,
                    color=_HUES[shape][place], label=_named(method, prior),
                )  # fmt: skip
        axis.set(title=METRICS[metric].label, ylim=(-0.03, 1.03))
        axis.set_xticks(range(len(labelings)), labelings, rotation=60, ha="right", fontsize=7)
    figure.supylabel("coverage", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=7)
    return figure


def _named(method, prior):
    label = METHODS[method].label
    return label if prior == "none" else f"{label}, {prior}"
