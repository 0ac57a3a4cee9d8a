"""The tables of the study of class priors, as queries on statistics."""

import pandas as pd

from pumetrics_workflow.studies.class_priors import DEFAULT
from pumetrics_workflow.studies.queries import means, only, with_parameters

__all__ = ["reproduced", "tables"]

_SAMPLE = ["dataset", "model", "labeling", "repeat"]
_REAL = {"real": "logistic regression", "real_networks": "bagged networks"}  # what made the scores
_BARRED = (
    0.1,
    0.25,
    0.5,
    0.75,
)  # the settings on which the published code was measured, 1,000 labeled examples
_PUBLISHED = ("dedpul", "bbe", "km1", "km2", "alphamax", "alphamax_plus", "elkan_noto_e3")
_BARRED_SETS = ("landsat", "mushroom", "pageblock", "spambase")  # the sets on which it was measured


def tables(results):
    """Return the tables of the study by name."""
    table = _errors(results.statistics)
    table["scores"] = table["model"].map(_REAL)
    gaussians = only(table, model="gaussians")
    real = only(table, model=_REAL)
    alpha = only(gaussians, metric="alpha")
    both = ["alpha", "beta"]
    return {
        "methods": _methods(gaussians),
        "bars": _methods(only(gaussians, alpha=_BARRED, n=1000)),
        "by_alpha": _mean(only(alpha, beta=1), ["alpha", "dataset", "method"]),
        "by_size": _mean(only(gaussians, metric=both), ["metric", "n", "method"]),
        "coverage": _coverage(only(table, model="coverage", metric=both)),
        "real_by_dataset": _mean(
            only(real, metric="alpha"), ["dataset", "scores", "beta", "method"]
        ),
        "real_bars": _mean(only(real, metric="share", dataset=_BARRED_SETS), ["scores", "method"]),
    }


def _errors(statistics):
    """Estimates of share, alpha and beta next to the truth, with the setting in columns of their own."""
    names = {"statistic": "metric", "prior": "method", "value": "estimate"}
    table = values = statistics[[*_SAMPLE, *names]].rename(columns=names)
    for side in ("lower", "upper"):
        ends = values[values["metric"].str.endswith(f"_{side}")]
        ends = ends.assign(metric=ends["metric"].str.removesuffix(f"_{side}")).rename(
            columns={"estimate": side}
        )
        table = table.merge(ends, how="left", on=[*_SAMPLE, "metric", "method"])
    truth = only(values, method="true")[[*_SAMPLE, "metric", "estimate"]].rename(
        columns={"estimate": "truth"}
    )
    table = table[table["method"] != "true"].merge(truth, on=[*_SAMPLE, "metric"])
    return with_parameters(table, "alpha", "beta", "n").assign(
        error=table["estimate"] - table["truth"]
    )


def _mean(errors, keys):
    error = errors["error"]
    table = errors.assign(absolute_error=error.abs(), bias=error, failed=error.isna())
    return (
        table.groupby(keys)
        .agg(runs=("error", "size"), **means("absolute_error", "bias", "failed"))
        .reset_index()
    )


def _methods(errors):
    """One row per method: errors of share, alpha and beta, and of beta where all labels are right."""
    clean = only(errors, beta=1, metric="beta").assign(metric="clean_beta")
    table = _mean(pd.concat([errors, clean]), ["metric", "method"])
    wide = table.pivot(index="method", columns="metric", values=["absolute_error", "bias"])
    wide.columns = [
        f"{metric}_{'error' if kind == 'absolute_error' else kind}" for kind, metric in wide.columns
    ]
    return (
        wide.reset_index().sort_values(["alpha_error", "method"], ignore_index=True)
        if len(wide)
        else wide.reset_index()
    )


def _coverage(errors):
    held = (errors["lower"] <= errors["truth"] + 1e-12) & (
        errors["truth"] - 1e-12 <= errors["upper"]
    )
    table = errors.assign(coverage=held, width=errors["upper"] - errors["lower"])
    grouped = table.groupby(["metric", "method", "dataset", "alpha", "beta", "n"])
    return grouped.agg(intervals=("coverage", "size"), **means("coverage", "width")).reset_index()


def reproduced(tables):
    """Return what our estimators reach for each bar."""
    table = tables["bars"].set_index("method")
    best = f"{DEFAULT}, the default"
    values = {
        f"share_{method}": table.loc[method, "share_error"]
        for method in _PUBLISHED
        if method in table.index
    }
    if DEFAULT in table.index:
        row = table.loc[DEFAULT]
        values["share_best"] = row["share_error"], best
        values["alpha_best"] = (row["alpha_error"], best)
        values["beta_best"] = (row["beta_error"], best)
        values["clean_beta_best"] = row["clean_beta_error"], best
    if "alphamax_plus" in table.index:
        values["clean_beta_alphamax_plus"] = table.loc["alphamax_plus", "clean_beta_error"]
    for scores, row in (
        tables["real_bars"].query("method == @DEFAULT").set_index("scores").iterrows()
    ):
        values[f"real_{scores.split()[0]}"] = row["absolute_error"], best
    return values
