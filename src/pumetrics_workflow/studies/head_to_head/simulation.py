"""Intervals of corrected scores: their coverage on a few sets, labelings and models."""

import logging
import time

import numpy as np
import pandas as pd

from pumetrics.inference import corrected_intervals
from pumetrics.methods import ScoredSample
from pumetrics.metrics import AREAS, MEASURES, METRICS
from pumetrics_workflow.stages.data import Data, Seeds
from pumetrics_workflow.stages.evaluate.pool import pools, seed_of_pool
from pumetrics_workflow.stages.label import label
from pumetrics_workflow.stages.train import models_of, scored

__all__ = ["simulate"]


def simulate(part, *, repeats, seed, data, labeling, pool, n_bootstrap, priors, noisy):
    """Records of corrected scores with their bootstrap intervals.

    Parameters
    ----------
    part : str
    repeats : sequence of int
    seed : int
    data : dict of DataFrame
        Prepared data by name.
    labeling, pool : dict
        Labelings and models, as a study file has them.
    n_bootstrap : int
    priors : list of str
        "true" for priors that are known, or estimators that each resample runs anew.
    noisy : bool
        Whether estimators look for wrong labels too.

    Returns
    -------
    pandas.DataFrame
        Records with estimate, truth and interval of every metric; as statistics, ``seconds_interval`` of one model's
        intervals and ``failed`` where there are none. The truth
        of a `max_` metric is the value at the threshold that maximises the estimate. AUC-PR speaks of the unlabeled
        here, as its function does by default.
    """
    rows = []
    models, design = models_of("pool", pool)
    for dataset, frame in sorted(data.items()):
        drawn = Data(frame, Seeds(seed, "head_to_head", dataset))
        for labeling_name, repeat, trained in pools(scored(drawn, label(drawn, labeling, repeats), models, **design)):
            key = {"dataset": dataset, "labeling": labeling_name, "repeat": repeat}
            rest = seed_of_pool(drawn.seeds, labeling_name, repeat)
            for name, each in trained.items():
                ranked = ScoredSample(each.batch.labels[0], each.scores[0], y=each.batch.y, population="all")
                for prior in priors:
                    answers = _intervals(ranked, prior, noisy, n_bootstrap, rest)
                    rows += [{**key, "model": name, "prior": prior, **row} for row in answers]
    return pd.DataFrame(rows)


def _intervals(ranked, prior, noisy, n_bootstrap, seed):
    """Rows of one model: areas, maxima, and the four measures at the fixed threshold."""
    known = {"alpha": ranked.alpha, "beta": ranked.beta}
    options = known if prior == "true" else {"method": prior, "noisy": noisy, "uncertainty": "sampling"}
    options |= {"n_bootstrap": n_bootstrap, "random_state": np.random.default_rng(seed)}
    start = time.perf_counter()
    try:
        areas = corrected_intervals([*AREAS, *MEASURES], ranked.s, ranked.score, **options)
        fixed = corrected_intervals(
            list(MEASURES), ranked.s, ranked.score, threshold=ranked.thresholds[ranked.at], **options
        )
    except ValueError as error:
        logging.info("no interval with %s priors: %s", prior, error)
        return [{"statistic": "failed", "method": "direct", "value": 1.0}]
    seconds = {"statistic": "seconds_interval", "method": "direct", "value": time.perf_counter() - start}
    named = {(f"max_{name}" if name in MEASURES else name): interval for name, interval in areas.items()} | fixed
    return [seconds, *(_row(ranked, metric, interval) for metric, interval in named.items())]


def _row(ranked, metric, interval):
    return {
        "metric": metric,
        "method": "direct",
        "truth_kind": "same_scores",
        "estimate": interval.estimate,
        "truth": _truth(ranked, metric, interval),
        "lower": interval.lower,
        "upper": interval.upper,
    }


def _truth(ranked, metric, interval):
    entry = METRICS[metric]
    if entry.kind == "area":
        return ranked.true_area(metric, population="unlabeled")
    if entry.kind == "threshold":
        return ranked.truth(metric)
    return ranked.truth(metric, int(np.argmax(ranked.measures(interval.alpha, interval.beta)[entry.measure])))
