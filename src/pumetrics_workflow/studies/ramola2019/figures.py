"""The figures of Ramola, Jain & Radivojac (2019)."""

import pandas as pd

from pumetrics_workflow.studies.drawing import (
    PALETTE,
    boxes,
    colors,
    counted,
    dots,
    facets,
    lines,
    named,
    shared_legend,
)
from pumetrics_workflow.studies.queries import box_statistics, only
from pumetrics_workflow.studies.ramola2019 import MEASURES, PAPER_SETS

__all__ = ["figure1", "figure2", "per_dataset", "priors"]

_LABELS = {
    "PU": "PU: uncorrected",
    "CR": "CR: real priors",
    "CE": "CE: AlphaMax",
    "CE+": "CE+: AlphaMax, repaired",
}
_COLORS = colors(_LABELS)
_AGAINST = {
    "true": "against the true class",
    "observed": "against the observed labels (PU)",
}


def figure1(curves, maxima, published):
    """Four measures of a threshold, by true and by observed labels."""
    printed = published.set_index("id")["published"]
    curves = curves.melt(["measure", "tau"], var_name="against")
    curves = named(curves, against=_AGAINST)
    panels = facets(curves, 4.6, col="measure", col_wrap=2, sharey=False)
    panels.map_dataframe(
        lines,
        x="tau",
        y="value",
        hue="against",
        style="against",
        palette=colors(_AGAINST),
    )
    for measure, axis in panels.axes_dict.items():
        best = only(maxima, measure=measure)
        axis.plot(
            best["tau"],
            best["maximum"],
            "o",
            color=PALETTE["line"],
            markersize=3,
            clip_on=False,
        )
        ids = rf"^figure1_{measure}_(true|pu)"
        axis.plot(
            printed.filter(regex=ids + "_tau$"),
            printed.filter(regex=ids + "$"),
            "x",
            color=PALETTE["printed"],
            label="maximum printed in the paper",
            clip_on=False,
            zorder=5,
        )
        axis.set(title=MEASURES[measure], xlim=(-5, 5))
    panels.set_axis_labels(r"threshold $\tau$", "")
    return shared_legend(panels.figure)


def figure2(table, by_dataset):
    """Errors by beta, a panel per measure."""
    return _boxes(
        named(table, measure=MEASURES),
        5.6,
        "estimate $-$ truth",
        title=counted([by_dataset["dataset"].nunique()], "data sets", PAPER_SETS),
        col="measure",
        col_wrap=2,
    )


def per_dataset(table):
    """Rows of dots per data set, a panel per measure."""
    rows = {name: name.replace("_", " ") for name in sorted(table["dataset"].unique())}
    titles = {name: title.replace(" ", "\n") for name, title in MEASURES.items()}
    table = named(table, measure=titles, dataset=rows, method=_LABELS)
    panels = facets(table, 1.4 + 0.4 * len(rows), col="measure", sharex=False)
    panels.refline(x=0, color=PALETTE["line"], linestyle="-", linewidth=0.8)
    panels.map_dataframe(
        dots,
        x="error_median",
        y="dataset",
        hue="method",
        palette=_COLORS,
        alpha=0.8,
    )
    panels.set_axis_labels("median error", "")
    repeats = counted(table["runs"], "repeats of each set")
    return shared_legend(panels.figure, title=repeats, ncols=4)


def priors(table):
    """Errors of alpha and beta by true beta."""
    table = table.assign(beta=table["beta_nominal"])
    parts = [
        box_statistics(table, ["beta", "method"], f"{name}_error_median").assign(prior=name)
        for name in ("alpha", "beta")
    ]
    estimated = only(pd.concat(parts), method=("CE", "CE+"))
    estimated = named(estimated, prior={"alpha": r"$\hat\alpha$", "beta": r"$\hat\beta$"})
    return _boxes(estimated, 3.3, "median error per data set", col="prior")


def _boxes(table, height, y, *, title=None, **options):
    """Boxes by beta, from no noise to most."""
    betas = {beta: f"{beta:g}" for beta in sorted(table["beta"].unique(), reverse=True)}
    table = named(table, beta=betas, method=_LABELS)
    panels = facets(table, height, sharey=False, **options)
    for name, axis in panels.axes_dict.items():
        part = only(table, **{options["col"]: name})
        boxes(axis, part, x="beta", hue="method", palette=_COLORS)
    panels.set_axis_labels(r"true $\beta$", y)
    return shared_legend(panels.figure, title=title, ncols=4)
