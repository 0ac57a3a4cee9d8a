"""Intervals of corrected scores: how often they hold the truth, on a few sets, labelings and models."""

import logging
import time

import numpy as np
import pandas as pd

from pumetrics.inference import corrected_intervals
from pumetrics_workflow.studies.head_to_head.ranked import MEASURES
from pumetrics_workflow.studies.head_to_head.training import trained

__all__ = ["simulate"]


def simulate(part, *, repeats, seed, data, n_bootstrap, priors, noisy, **options):
    """Records of bootstrap intervals.

    Parameters
    ----------
    part : str
    repeats : sequence of int
    seed : int
    data : dict of DataFrame
        Prepared data by name.
    n_bootstrap : int
    priors : list of str
        "true" for priors that are known, or estimators that each resample runs anew.
    noisy : bool
        Whether estimators look for wrong labels too.
    **options
        Labelings, sizes and models, as for :func:`pumetrics_workflow.studies.head_to_head.in_memory.judge`.

    Returns
    -------
    pandas.DataFrame
        Records with estimate, truth and interval of every metric; and ``seconds`` of one model's intervals. The truth
        of a `max_` metric is the value at the threshold that maximises the estimate. AUC-PR speaks of the unlabeled
        here, as its function does by default.
    """
    rows = []
    for dataset, frame in sorted(data.items()):
        for pool in trained(frame, dataset, options, repeats, seed):
            key = {"dataset": dataset, "labeling": pool.labeling, "repeat": pool.repeat}
            for name, ranked in pool.ranked.items():
                for prior in priors:
                    found = _intervals(ranked, prior, noisy, n_bootstrap, pool.seed)
                    rows += [{**key, "model": name, "prior": prior, **row} for row in found]
    return pd.DataFrame(rows).assign(method="corrected_interval") if rows else pd.DataFrame()


def _intervals(ranked, prior, noisy, n_bootstrap, seed):
    """Rows of one model: areas, maxima, and the four measures at the fixed threshold."""
    known = {"alpha": ranked.alpha, "beta": ranked.beta}
    options = known if prior == "true" else {"method": prior, "noisy": noisy, "uncertainty": "sampling"}
    options |= {"n_bootstrap": n_bootstrap, "random_state": np.random.default_rng(seed)}
    start = time.perf_counter()
    try:
        areas = corrected_intervals(["roc_auc", "average_precision", *MEASURES], ranked.s, ranked.score, **options)
        fixed = corrected_intervals(
            list(MEASURES), ranked.s, ranked.score, threshold=ranked.thresholds[ranked.fixed], **options
        )
    except ValueError as error:
        logging.info("no interval with %s priors: %s", prior, error)
        return [{"metric": "failed", "truth_kind": "value", "estimate": 1.0}]
    seconds = {"metric": "interval", "truth_kind": "seconds", "estimate": time.perf_counter() - start}
    named = {(f"max_{name}" if name in MEASURES else name): interval for name, interval in areas.items()} | fixed
    return [seconds, *(_row(ranked, metric, interval) for metric, interval in named.items())]


def _row(ranked, metric, interval):
    return {
        "metric": metric,
        "truth_kind": "interval",
        "estimate": interval.estimate,
        "truth": _truth(ranked, metric, interval),
        "lower": interval.lower,
        "upper": interval.upper,
    }


def _truth(ranked, metric, interval):
    if metric == "average_precision":
        return _unlabeled_average_precision(ranked)
    if not metric.startswith("max_"):
        return ranked.truth(metric)
    values = ranked.measures(interval.alpha, interval.beta)[metric.removeprefix("max_")]
    return ranked.truth(metric, int(np.argmax(values)))


def _unlabeled_average_precision(ranked):
    """True area under the precision-recall curve at the share of positives among the unlabeled."""
    tpr, fpr = ranked.positives / ranked.positives[-1], ranked.negatives / ranked.negatives[-1]
    found = ranked.alpha * tpr[1:]
    precision = found / (found + (1 - ranked.alpha) * fpr[1:])
    return float(np.sum(np.diff(tpr) * precision))
