"""Findings of this project on the question of a paper: its errors on all registered data sets that are large enough."""

import pandas as pd

from pumetrics.labeling import noisy_sizes
from pumetrics_workflow.answers import NONE
from pumetrics_workflow.labelings import parameters_of
from pumetrics_workflow.stages.in_memory import evaluate_in_memory
from pumetrics_workflow.stages.label import Data, Seeds, sample_of
from pumetrics_workflow.studies.queries import side_by_side, with_parameters

__all__ = ["alpha_of", "errors_on_sets", "is_of_all_sets", "of_all_sets"]

_STATISTIC = "error_on_all_sets"


def errors_on_sets(study, errors, *, repeats, seed, data, labeling, model, metrics, priors):
    """Return errors without priors, with the real and with estimated ones, at the true alpha of each sample.

    Parameters
    ----------
    study : str
        Its name is part of the random numbers.
    errors : callable
        Of records: those that count, with ``metric``, ``method`` (as the paper calls it) and ``error``.
    repeats : sequence of int
    seed : int
    data : dict of str to pandas.DataFrame
    labeling, model : dict
        As in the file of the study.
    metrics : list of str
    priors : list of str
        Estimators of alpha and beta.

    Returns
    -------
    pandas.DataFrame
        Statistics, ``error_on_all_sets`` with metric and method after colons.
    """
    parts = []
    for dataset, frame in data.items():
        drawn = Data(frame, Seeds(seed, study, f"all sets {dataset}"))
        what = {
            "priors": {"methods": priors, "noisy": True},
            "metrics": metrics,
            "evaluation": "samples",
        }
        how = {
            "labeling": labeling,
            "model": "bagged_mlp",
            "options": model,
            "repeats": repeats,
        }
        part = errors(evaluate_in_memory(drawn, **how, **what))
        alphas = {name: alpha_of(frame["y"], name, labeling) for name in part["labeling"].unique()}
        parts.append(part.assign(dataset=dataset, at=part["labeling"].map(alphas)))
    if not parts:  # none of its sets is in this run
        return pd.DataFrame()
    rows = pd.concat(parts, ignore_index=True)
    names = [
        f"{_STATISTIC}:{metric}:{method}"
        for metric, method in zip(rows["metric"], rows["method"], strict=True)
    ]
    rows = rows.assign(statistic=names, value=rows["error"], metric=NONE, method=NONE)
    return rows[
        ["dataset", "model", "labeling", "repeat", "metric", "method", "statistic", "at", "value"]
    ]


def alpha_of(y, name, labeling):
    """Return the share of positives among the unlabeled of a sample, by the true classes of its data set."""
    positives = int((y == 1).sum())
    negatives = int((y == 0).sum())
    sizes = sample_of(labeling).sizes(positives, negatives)
    (_, _, hidden, rest), _ = noisy_sizes(positives, negatives, parameters_of(name)["beta"], *sizes)
    return hidden / (hidden + rest)


def is_of_all_sets(statistics):
    """Return which statistics are errors on all sets, as a boolean Series."""
    return statistics["statistic"].str.startswith(_STATISTIC)


def of_all_sets(statistics, measure):
    """Return errors of the methods on all sets as columns, a row for each measure, data set and beta, with mean alpha.

    Parameters
    ----------
    statistics : pandas.DataFrame
        As :func:`errors_on_sets` returns them, among others.
    measure : str
        Name of the column of measures.
    """
    part = with_parameters(statistics[is_of_all_sets(statistics)], "beta")
    parts = part["statistic"].str.split(":", expand=True).reindex(columns=range(3))
    part = part.assign(**{measure: parts[1], "method": parts[2], "size": part["value"].abs()})
    keys = [measure, "dataset", "beta"]
    errors = part.groupby([*keys, "method"]).agg(
        error_median=("value", "median"), absolute_error_mean=("size", "mean")
    )
    alphas = part.groupby(keys)["at"].mean().rename("alpha").reset_index()
    return side_by_side(errors.reset_index(), measure).merge(alphas, on=keys)
