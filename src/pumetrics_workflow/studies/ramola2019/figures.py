"""The figures of Ramola, Jain & Radivojac (2019)."""

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import (
    PRINTED,
    boxes,
    counted,
    dots,
    grid,
    key,
    shared_legend,
)
from pumetrics_workflow.studies.queries import box_statistics, only
from pumetrics_workflow.studies.ramola2019 import MEASURES

__all__ = ["figure1", "figure2", "per_dataset", "priors"]

_LABELS = {
    "PU": "PU: uncorrected",
    "CR": "CR: real priors",
    "CE": "CE: AlphaMax",
    "CE+": "CE+: AlphaMax, repaired",
}


def figure1(curves, maxima, published):
    """Four measures of a threshold, by true and by observed labels."""
    x = "threshold $\\tau$"
    figure, axes = grid(2, 2, 4.6, x=x, titles=list(MEASURES.values()), sharex=True)
    styles = {"truth": ("true", "true", "-"), "estimate": ("observed", "PU", "--")}
    printed = published.set_index("id")["published"]
    for axis, measure in zip(axes.flat, MEASURES, strict=True):
        part = only(curves, measure=measure)
        for against, (column, color, line) in styles.items():
            axis.plot(part["tau"], part[column], line, color=COLORS[color], linewidth=1.4)
            best = only(maxima, measure=measure, against=against).iloc[0]
            axis.plot(
                best["tau"], best["maximum"], "o", color=COLORS[color], markersize=4, clip_on=False
            )
        for kind in ("true", "pu"):
            place, height = (
                printed[f"figure1_{measure}_{kind}_tau"],
                printed[f"figure1_{measure}_{kind}"],
            )
            axis.plot(place, height, "x", color=PRINTED, markersize=6, clip_on=False, zorder=5)
        axis.set_xlim(-5, 5)
    shown = {
        "against the true class": key(COLORS["true"], linestyle="-"),
        "against the observed labels (PU)": key(COLORS["PU"], linestyle="--"),
        "maximum printed in the paper": key(PRINTED, marker="x"),
    }
    return shared_legend(figure, shown)


def figure2(table):
    """Errors by beta, a panel per measure."""
    order, places = _methods(table), _betas(table["beta"])
    labels = {"x": "true $\\beta$", "titles": list(MEASURES.values())}
    figure, axes = grid(2, 2, 5.6, sharex=True, **labels)
    for axis, measure in zip(axes.flat, MEASURES, strict=True):
        boxes(
            axis, only(table, measure=measure), x="beta", hue="method", places=places, order=order
        )
        axis.set_ylabel("estimate $-$ truth")
    return shared_legend(figure, {_LABELS[name]: key(COLORS[name]) for name in order}, ncols=4)


def per_dataset(table):
    """Rows of dots per data set, a panel per measure."""
    styles = {name: COLORS[name] for name in _methods(table)}
    rows = {name: name.replace("_", " ") for name in sorted(table["dataset"].unique())}
    repeats = f"median error, {counted(table['runs'], 'repeats of each set')}"
    labels = {
        "x": ["", repeats, "", ""],
        "titles": [title.replace(" ", "\n") for title in MEASURES.values()],
    }
    figure, axes = grid(1, len(MEASURES), 1.4 + 0.4 * len(rows), sharey=True, **labels)
    for axis, measure in zip(axes[0], MEASURES, strict=True):
        part = only(table, measure=measure)
        dots(
            axis,
            part,
            x="error_median",
            y="dataset",
            rows=rows,
            hue="method",
            styles=styles,
            alpha=0.8,
        )
        axis.axvline(0, color="#888888", linewidth=0.8, zorder=1)
        axis.locator_params(axis="x", nbins=4)
    shown = {_LABELS[name]: key(color, marker="o") for name, color in styles.items()}
    return shared_legend(figure, shown, ncols=4)


def priors(table):
    """Errors of alpha and beta by true beta."""
    order, places = (
        [name for name in _methods(table) if name.startswith("CE")],
        _betas(table["beta_nominal"]),
    )
    figure, axes = grid(1, 2, 3.3, x="true $\\beta$")
    for axis, name in zip(axes[0], ("alpha", "beta"), strict=True):
        part = box_statistics(table, ["beta_nominal", "method"], f"{name}_error_median")
        boxes(axis, part, x="beta_nominal", hue="method", places=places, order=order)
        axis.set_ylabel(f"median error of $\\hat\\{name}$ per data set")
    return shared_legend(figure, {_LABELS[name]: key(COLORS[name]) for name in order}, ncols=4)


def _methods(table):
    return [name for name in _LABELS if name in set(table["method"])]


def _betas(values):
    """Labels of the levels of noise, from none to most."""
    return {beta: f"{beta:g}" for beta in sorted(values.unique(), reverse=True)}
