"""The figures of the study of checked samples."""

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.checked_sample import WAYS
from pumetrics_workflow.studies.checked_sample.normal import METRICS
from pumetrics_workflow.studies.drawing import counted, dots, grid, key, shared_legend
from pumetrics_workflow.studies.queries import only

__all__ = ["coverage", "width"]

_USED = ("CR", "DE", "CE", "DR", "PU", "true", "CE+")
_COLORS = dict(zip(WAYS.values(), [*(COLORS[name] for name in _USED), "#777777"], strict=True))
_TITLES = {
    "alpha": r"$\alpha$",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "roc_auc": "AUC",
}
_LABELS = {
    "random": ("labels at random", "CR"),
    "fourfold": ("high scores preferred", "DE"),
    "subgroup": ("a subgroup has no label", "DR"),
    "noise": ("10% wrong labels", "PU"),
    "none": ("no labels", "CE"),
}


def coverage(table):
    """A row of dots per method and kind of labels, against the nominal level."""
    rows = {name: name for name in WAYS.values() if name in set(table["method"])}
    runs = counted(only(table, method=rows)["intervals"], "intervals per dot")
    figure, ((axis,),) = grid(1, 1, 1.2 + 0.5 * len(rows), x=f"coverage, {runs}")
    axis.axvline(0.95, color=COLORS["true"], linewidth=1, zorder=1)
    axis.axvline(0.88, color=COLORS["true"], linewidth=1, linestyle=":", zorder=1)
    styles = {name: COLORS[color] for name, (_, color) in _LABELS.items()}
    dots(axis, table, x="coverage", y="method", rows=rows, hue="labels", styles=styles, alpha=0.6)
    axis.set_xlim(min(0.4, table["coverage"].min()) - 0.02, 1.02)
    shown = {label: key(COLORS[color], marker="o") for label, color in _LABELS.values()}
    shown["nominal level"] = key(COLORS["true"], linestyle="-", linewidth=1)
    shown["least coverage that the study requires"] = key(
        COLORS["true"], linestyle=":", linewidth=1
    )
    return shared_legend(figure, shown)


def width(table):
    """A panel per metric, a line per method."""
    runs = counted(table[table["checks"] > 0]["intervals"], "intervals")
    labels = {
        "x": ["", f"checked rows, {runs}", ""],
        "y": "mean width",
        "titles": [_TITLES[metric] for metric in METRICS],
    }
    figure, axes = grid(2, 3, 4.6, sharex=True, **labels)
    for axis, metric in zip(axes.flat, METRICS, strict=False):
        for method, color in _COLORS.items():
            line = only(table, metric=metric, method=method).sort_values("checks")
            if list(line["checks"]) == [0]:
                axis.axhline(
                    line["width"].item(), color=color, linestyle="--", linewidth=1, label=method
                )
            elif len(line):
                axis.plot(
                    line["checks"], line["width"], "o-", color=color, markersize=3, label=method
                )
        axis.set(ylim=(0, None), xscale="log")
        checks = sorted(set(table["checks"]) - {0})
        axis.set_xticks(checks, [str(each) for each in checks])
        axis.minorticks_off()
    return shared_legend(figure, loc=(0.71, 0.08), ncols=1)
