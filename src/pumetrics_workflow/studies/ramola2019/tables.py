"""The tables of Ramola, Jain & Radivojac (2019), as queries on records."""

import numpy as np
import pandas as pd

from pumetrics.labeling import parameters_of
from pumetrics_workflow.studies.boxes import box_statistics
from pumetrics_workflow.studies.candidates import side_by_side
from pumetrics_workflow.studies.ramola2019 import CLIPS, MEASURES, METHODS
from pumetrics_workflow.studies.ramola2019.ambiguities import class_choice_signs, class_choices
from pumetrics_workflow.studies.ramola2019.theorem import theorem_cases
from pumetrics_workflow.verdicts import median_over_sets

__all__ = ["derived", "reproduced", "tables"]

_NOISE_NOTES = {
    "accuracy": "where uncorrected accuracy is best with no example predicted positive, its error is pi - c at any beta"
}


def tables(results):
    """Return the tables of the study by name."""
    exact = results.records[results.records["dataset"] == "two_gaussians"]
    errors = _errors(results.records[results.records["dataset"] != "two_gaussians"])
    maxima = errors[errors["at"] == "maximum"].drop(columns="at")
    fixed = errors[errors["at"] == "fixed"].drop(columns="at")
    choices = class_choices(maxima, results.priors, results.statistics, results.cards)
    return {
        "figure1": _figure1(exact),
        "figure1_maxima": _maxima(exact),
        "errors": maxima,
        "figure2": box_statistics(maxima, ["measure", "beta", "method"], "error"),
        "medians": _summary(maxima, ["measure", "beta", "method"]),
        "fixed_threshold": _summary(fixed, ["measure", "beta", "method"]),
        "by_dataset": _summary(maxima, ["dataset", "measure", "beta", "method"]),
        "prior_errors": _prior_errors(results.priors),
        "class_choice_signs": class_choice_signs(choices),
        "class_choices": choices,
    }


def derived(tables, published):
    """Return the tables that follow from others or from nothing: each set, methods side by side; random cases."""
    return {"each_set": side_by_side(tables["by_dataset"], "measure"), "theorem_cases": theorem_cases()}


def _figure1(exact):
    """Every tenth threshold of the curves: enough to draw."""
    table = exact.rename(columns={"threshold": "tau", "metric": "measure", "estimate": "observed", "truth": "true"})
    table = table[["measure", "tau", "true", "observed"]].sort_values(["measure", "tau"], ignore_index=True)
    return table.groupby("measure", sort=False).nth(slice(0, None, 10)).reset_index(drop=True)


def _maxima(exact):
    rows = []
    for measure, part in exact.groupby("metric"):
        for against in ("truth", "estimate"):
            best = part.loc[part[against].idxmax()]
            rows.append({"measure": measure, "against": against, "maximum": best[against], "tau": best["threshold"]})
    return pd.DataFrame(rows, columns=["measure", "against", "maximum", "tau"])


def _errors(records):
    """Estimates, clipped as in the paper, next to the truth at the threshold that maximized the raw estimate."""
    table = records[
        ["dataset", "model", "labeling", "repeat", "metric", "prior", "estimate", "truth", "threshold"]
    ].copy()
    table["at"] = np.where(table["metric"].str.startswith("max_"), "maximum", "fixed")
    table["measure"] = table.pop("metric").str.removeprefix("max_")
    table["method"] = table.pop("prior").map(METHODS)
    table["beta"] = [parameters_of(name)["beta"] for name in table.pop("labeling")]
    low = table["measure"].map({name: clip[0] for name, clip in CLIPS.items()}).astype(float)
    high = table["measure"].map({name: clip[1] for name, clip in CLIPS.items()}).astype(float)
    table["clipped"] = table["estimate"].clip(low, high)
    table["error"] = table["clipped"] - table["truth"]
    keys = ["dataset", "model", "measure", "beta", "method", "at", "repeat"]
    return table[[*keys, "estimate", "clipped", "truth", "error", "threshold"]].sort_values(keys, ignore_index=True)


def _summary(errors, keys):
    """Median, quartiles, mean absolute error, and the shares of estimates that were clipped or failed."""
    outside = errors["estimate"].notna() & (errors["estimate"] != errors["clipped"])
    table = errors.assign(absolute=errors["error"].abs(), outside=outside, failed=errors["estimate"].isna())
    return (
        table.groupby(keys)
        .agg(
            runs=("error", "size"),
            truth_median=("truth", "median"),
            error_q25=("error", lambda error: error.quantile(0.25)),
            error_median=("error", "median"),
            error_q75=("error", lambda error: error.quantile(0.75)),
            absolute_error_mean=("absolute", "mean"),
            share_clipped=("outside", "mean"),
            share_failed=("failed", "mean"),
        )
        .reset_index()
    )


def _prior_errors(priors):
    table = priors.assign(
        alpha_error=priors["alpha"] - priors["alpha_true"],
        beta_error=priors["beta"] - priors["beta_true"],
        nominal=[parameters_of(name)["beta"] for name in priors["labeling"]],
        method=priors["method"].map(METHODS),
    )
    return (
        table.groupby(["dataset", "nominal", "method"])
        .agg(
            alpha_true=("alpha_true", "mean"),
            alpha=("alpha", "mean"),
            alpha_error_median=("alpha_error", "median"),
            alpha_error_absolute=("alpha_error", lambda error: error.abs().mean()),
            beta_true=("beta_true", "mean"),
            beta=("beta", "mean"),
            beta_error_median=("beta_error", "median"),
            beta_error_absolute=("beta_error", lambda error: error.abs().mean()),
            failed=("status", lambda status: status.str.startswith("failed").mean()),
        )
        .reset_index()
        .rename(columns={"nominal": "beta_nominal"})
    )


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    values = {}
    for row in tables["figure1_maxima"].itertuples():
        kind = {"truth": "true", "estimate": "pu"}[row.against]
        for prefix in ("", "exact_"):  # as printed, and to the digits that we computed
            values[f"{prefix}figure1_{row.measure}_{kind}"] = row.maximum
            values[f"{prefix}figure1_{row.measure}_{kind}_tau"] = row.tau
    each = tables["each_set"]
    for measure, part in each[each["measure"].isin(MEASURES)].groupby("measure"):
        noisy = part[part["beta"] == part["beta"].min()].set_index("dataset")
        by_set = part.groupby("dataset")[["PU", "CE"]].median()
        values[f"figure2_{measure}_pu"] = median_over_sets(by_set["PU"], _exceptions(by_set["PU"], measure))
        values[f"figure2_{measure}_ce"] = median_over_sets(by_set["CE"], _largest(by_set["CE"]))
        change = noisy["PU"].abs() - noisy["PU_clean"].abs()
        values[f"figure2_{measure}_noise"] = median_over_sets(change, _NOISE_NOTES.get(measure, ""))
    return values


def _exceptions(medians, measure):
    """Name the data sets whose uncorrected error has the opposite sign of that in the paper."""
    odd = medians[medians < 0] if measure == "accuracy" else medians[medians > 0]
    return f"other sign on {', '.join(odd.index)}" if len(odd) else ""


def _largest(medians):
    """Name the set with the largest error."""
    return f"largest on {medians.abs().idxmax()}, {medians[medians.abs().idxmax()]:+.3f}" if len(medians) else ""
