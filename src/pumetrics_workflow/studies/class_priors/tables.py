"""The tables of the study of class priors, as queries on statistics."""

import pandas as pd

from pumetrics.labeling import parameters_of
from pumetrics_workflow.studies.class_priors import DEFAULT

__all__ = ["reproduced", "tables"]

_SAMPLE = ["dataset", "model", "labeling", "repeat"]
_REAL = {"real": "logistic regression", "real_networks": "bagged networks"}  # what made the scores
_BARRED = (0.1, 0.25, 0.5, 0.75)  # the settings on which the published code was measured, 1,000 labeled examples
_BARRED_SETS = ("landsat", "mushroom", "pageblock", "spambase")  # the sets on which it was measured


def tables(results):
    """Return the tables of the study by name."""
    table = _errors(results.statistics)
    table["scores"] = table["model"].map(_REAL)
    gaussians, real = table[table["model"] == "gaussians"], table[table["model"].isin(_REAL)]
    alpha = gaussians[gaussians["metric"] == "alpha"]
    return {
        "methods": _methods(gaussians),
        "bars": _methods(gaussians[gaussians["alpha"].isin(_BARRED) & (gaussians["n"] == 1000)]),
        "settings": _mean(alpha, ["dataset", "beta", "n", "method"]),
        "by_alpha": _mean(alpha, ["alpha", "dataset", "method"]),
        "by_size": _mean(gaussians[gaussians["metric"].isin(["alpha", "beta"])], ["metric", "n", "method"]),
        "coverage": _coverage(table[table["model"] == "coverage"]),
        "real": _mean(real[real["metric"].isin(["alpha", "beta"])], ["scores", "metric", "beta", "method"]),
        "real_by_dataset": _mean(real[real["metric"] == "alpha"], ["dataset", "scores", "beta", "method"]),
        "real_bars": _mean(
            real[(real["metric"] == "share") & real["dataset"].isin(_BARRED_SETS)], ["scores", "method"]
        ),
        "seconds": _seconds(results.statistics),
    }


def _errors(statistics):
    """Estimates of share, alpha and beta next to the truth, with the setting in columns of their own."""
    names = {"statistic": "metric", "prior": "method", "value": "estimate"}
    table = values = statistics[[*_SAMPLE, *names]].rename(columns=names)
    for side in ("lower", "upper"):
        ends = values[values["metric"].str.endswith(f"_{side}")]
        ends = ends.assign(metric=ends["metric"].str.removesuffix(f"_{side}")).rename(columns={"estimate": side})
        table = table.merge(ends, how="left", on=[*_SAMPLE, "metric", "method"])
    truth = values.loc[values["method"] == "true", [*_SAMPLE, "metric", "estimate"]].rename(
        columns={"estimate": "truth"}
    )
    table = table[table["method"] != "true"].merge(truth, on=[*_SAMPLE, "metric"])
    settings = pd.DataFrame([parameters_of(name) for name in table["labeling"]], index=table.index)
    table = table.join(settings.reindex(columns=["alpha", "beta", "n"]))
    table["error"] = table["estimate"] - table["truth"]
    return table


def _mean(errors, keys):
    grouped = errors.assign(absolute=errors["error"].abs()).groupby(keys)
    return grouped.agg(
        runs=("error", "size"), absolute_error=("absolute", "mean"), bias=("error", "mean"), failed=("error", _lost)
    ).reset_index()


def _lost(errors):
    return errors.isna().mean()


def _methods(errors):
    """One row per method: errors of share, alpha and beta, and of beta where all labels are right."""
    clean = errors[(errors["beta"] == 1) & (errors["metric"] == "beta")].assign(metric="clean_beta")
    means = _mean(pd.concat([errors, clean]), ["metric", "method"])
    wide = means.pivot(index="method", columns="metric", values=["absolute_error", "bias"])
    wide.columns = [f"{metric}_{'error' if kind == 'absolute_error' else kind}" for kind, metric in wide.columns]
    return wide.reset_index().sort_values("alpha_error", ignore_index=True) if len(wide) else wide.reset_index()


def _coverage(errors):
    table = errors[errors["metric"].isin(["alpha", "beta"])].copy()
    table["held"] = (table["lower"] <= table["truth"] + 1e-12) & (table["truth"] - 1e-12 <= table["upper"])
    table["width"] = table["upper"] - table["lower"]
    grouped = table.groupby(["metric", "method", "dataset", "alpha", "beta", "n"])
    return grouped.agg(intervals=("held", "size"), coverage=("held", "mean"), width=("width", "mean")).reset_index()


def _seconds(statistics):
    table = statistics[(statistics["statistic"] == "seconds") & (statistics["model"] != "coverage")]
    medians = table.groupby(["model", "prior"])["value"].median().rename("seconds")
    return medians.rename_axis(index={"prior": "method"}).reset_index()


def reproduced(tables):
    """Return what our estimators reach for each bar."""
    table = tables["bars"].set_index("method")
    best = f"{DEFAULT}, the default"
    values = {f"share_{method}": table.loc[method, "share_error"] for method in _barred(table)}
    if DEFAULT in table.index:
        row = table.loc[DEFAULT]
        values["share_best"] = row["share_error"], best
        values["alpha_best"], values["beta_best"] = (row["alpha_error"], best), (row["beta_error"], best)
        values["clean_beta_best"] = row["clean_beta_error"], best
    if "alphamax_plus" in table.index:
        values["clean_beta_alphamax_plus"] = table.loc["alphamax_plus", "clean_beta_error"]
    for scores, row in tables["real_bars"].query("method == @DEFAULT").set_index("scores").iterrows():
        values[f"real_{scores.split()[0]}"] = row["absolute_error"], best
    return values


def _barred(table):
    return [
        name
        for name in ("dedpul", "bbe", "km1", "km2", "alphamax", "alphamax_plus", "elkan_noto_e3")
        if name in table.index
    ]
