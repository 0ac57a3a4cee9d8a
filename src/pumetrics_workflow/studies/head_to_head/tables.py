"""The tables of the head-to-head, as queries on records.

Means are taken over the repeats of a data set first and over data sets then, so that each data set counts the same.
"""

import numpy as np
import pandas as pd

from pumetrics.labeling import situation
from pumetrics_workflow.studies.head_to_head.assumptions import HOME, breaking
from pumetrics_workflow.studies.head_to_head.decision import decisions
from pumetrics_workflow.studies.head_to_head.ranks import average_ranks
from pumetrics_workflow.studies.head_to_head.worth import ERRORS, SELECTION, by_set, summary

__all__ = ["LEAST_SETS", "reproduced", "tables"]

LEAST_SETS = 6  # means over fewer data sets are no answer to a claim
_F1_AGAINST_LL = ("f1_from_rho", "true"), ("lee_liu", "none")


def tables(results):
    """Return the tables of the study by name; see ``CAPTIONS``."""
    records = results.records
    sets = by_set(records)
    errors, selection = summary(sets, ERRORS), summary(sets, SELECTION)
    return {
        "decision": decisions(sets, errors, selection),
        "breaking": breaking(errors),
        "ranks": average_ranks(sets),
        "intervals": _intervals(records[records["truth_kind"] == "interval"]),
        "seconds": _seconds(records),
        "priors": _priors(records),
        "sets": _sets(records, results.cards),
        "errors": errors,
        "selection": selection,
    }


def _intervals(records):
    """Coverage and width of bootstrap intervals by metric, priors and labeling."""
    held = (records["lower"] <= records["truth"]) & (records["truth"] <= records["upper"])
    table = records.assign(
        held=held, width=records["upper"] - records["lower"], error=(records["estimate"] - records["truth"]).abs()
    )
    grouped = table.groupby(["metric", "labeling", "prior"], observed=True)
    found = grouped.agg(
        intervals=("held", "size"), coverage=("held", "mean"), width=("width", "mean"), absolute_error=("error", "mean")
    )
    return found.reset_index()


def _seconds(records):
    """Median seconds by what took them: a model's training, an estimate of the priors, a method on one model."""
    table = records[records["truth_kind"] == "seconds"].copy()
    table["of"] = np.where(table["metric"] == "train", table["model"], table["method"])
    table.loc[table["metric"] == "interval", "of"] = "corrected_interval, " + table["prior"]
    table["what"] = table["metric"].replace({"train": "model", "all": "method"})
    return table.groupby(["what", "of"])["estimate"].median().rename("seconds").reset_index()


def _priors(records):
    """Error of the priors that all models share, by labeling and estimator."""
    table = records[records["metric"].isin(["alpha", "beta"]) & (records["prior"] != "true")]
    error = table["estimate"] - table["truth"]
    means = table.assign(bias=error, absolute_error=error.abs(), failed=error.isna())
    keys = ["metric", "labeling", "prior"]
    each = means.groupby([*keys, "dataset"])[["bias", "absolute_error", "failed"]].mean()
    return each.groupby(keys).mean().reset_index()


def _sets(records, cards):
    """Data sets of this run, and in how many labelings and repeats each took part."""
    labeled = records[records["metric"] == "labeled"]
    rows = []
    for name, card in cards.items():
        own = labeled[labeled["dataset"] == name]
        facts = {key: card.get(key) for key in ("rows", "features", "positives")}
        counts = {"labelings": own["labeling"].nunique(), "repeats": own["repeat"].nunique()}
        few = own["estimate"].min() if len(own) else np.nan
        rows.append({"dataset": name, "available": card["available"], **facts, **counts, "fewest_labeled": few})
    return pd.DataFrame(rows)


def reproduced(tables):
    """Return what came out of each control, and of each claim if there are enough data sets."""
    if tables["errors"].empty:
        return {}
    errors, selection = (tables[name].set_index(["metric", "method", "prior"]) for name in ("errors", "selection"))
    controls = {
        "oracle_error": errors.xs("oracle", level="method")["absolute_error"].max(),
        "oracle_regret": selection.xs("oracle", level="method")["regret"].max(),
        "random_inversions": selection.xs("random", level="method")["inversions"].mean(),
    }
    at_home = (table[[situation(name) == HOME for name in table["labeling"]]] for table in (errors, selection))
    claims = _claims(*at_home)
    sets = int(errors["sets"].max())
    if sets < LEAST_SETS:
        claims = dict.fromkeys(claims, (np.nan, f"{sets} data sets are too few for a verdict"))
    return {**controls, **claims}


def _claims(errors, selection):
    """What the papers say of right labels of a random part of the positives."""
    if errors.empty:
        return {}
    found = {}
    for metric in ("roc_auc", "balanced_accuracy", "f1", "mcc"):
        found[f"uncorrected_{metric}"] = errors.loc[(metric, "uncorrected", "none"), "bias"].max()
        found[f"recovered_{metric}"] = errors.loc[(metric, "direct", "true"), "bias"].abs().max()
    exact = errors.loc[(slice(None), "bounds_hypergeometric", "true"), "coverage"]
    found["exact_band"] = exact.min(), f"{exact.idxmin()[0]} has the least"
    ours, theirs = (selection.loc[("max_f1", *key), "inversions"].mean() for key in _F1_AGAINST_LL)
    found["f1_against_ll"] = ours - theirs, f"{ours:.3f} against {theirs:.3f}"
    return found
