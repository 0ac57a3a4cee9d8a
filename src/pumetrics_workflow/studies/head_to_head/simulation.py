"""Intervals of corrected scores: every method that resamples, on every set and labeling."""

import logging
import time

import numpy as np
import pandas as pd

from pumetrics.inference.request import Ask, labels_of
from pumetrics.metrics import SUMMARIES
from pumetrics_workflow.controls import METHODS, KnownSample, truth_of
from pumetrics_workflow.stages.evaluate_pool import pools, seed_of_pool
from pumetrics_workflow.stages.label import Data, Seeds, label
from pumetrics_workflow.stages.train import models_of, scored

__all__ = ["simulate"]


def simulate(
    part,
    *,
    repeats,
    seed,
    data,
    labeling,
    pool,
    n_bootstrap,
    methods,
):
    """Records of corrected scores with their intervals.

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
    methods : dict of str to list of str
        Priors by method: "true" for priors that are known, or an estimator with "_clean", which takes labels for right.

    Returns
    -------
    pandas.DataFrame
        Records with estimate, truth and interval of every metric; as statistics, ``seconds_interval`` of one model's
        intervals and ``failed`` where there are none. The truth of a maximum is the value at the threshold that
        maximizes the estimate. AUC-PR refers to the unlabeled here, as its function does by default.
    """
    rows = []
    models, design = models_of("pool", pool)
    for dataset, frame in sorted(data.items()):
        drawn = Data(frame, Seeds(seed, "head_to_head", dataset))
        for labeling_name, repeat, trained in pools(
            scored(drawn, label(drawn, labeling, repeats), models, **design)
        ):
            key = {"dataset": dataset, "labeling": labeling_name, "repeat": repeat}
            for name, each in trained.items():
                sample = KnownSample(each.batch.labels[0], each.scores[0], each.batch.y)
                for method, priors in methods.items():
                    for prior in priors:
                        rng = np.random.default_rng(
                            seed_of_pool(drawn.seeds, labeling_name, repeat)
                        )
                        row_key = {
                            **key,
                            "model": name,
                            "method": method,
                            "prior": prior,
                        }
                        rows += [
                            {**row_key, **row}
                            for row in _answers(sample, method, prior, n_bootstrap, rng)
                        ]
    return pd.DataFrame(rows)


def _answers(sample, method, prior, n_bootstrap, rng):
    """Rows of one method about one model, or that it has no answer."""
    entry = METHODS[method]
    ask = Ask(SUMMARIES, threshold=sample.threshold, n_bootstrap=n_bootstrap, random_state=rng)
    start = time.perf_counter()
    try:
        if prior == "true":
            labels = labels_of(
                sample, **dict(zip(("alpha", "beta"), sample.true_priors, strict=True))
            )
        else:
            labels = labels_of(
                sample, method=prior.removesuffix("_clean"), uncertainty=entry.uncertainty
            )
        answers = list(entry.answer(sample, labels, ask))
    except ValueError as error:
        logging.info("no %s with %s priors: %s", method, prior, error)
        return [{"statistic": "failed", "value": 1.0}]
    seconds = {"statistic": "seconds_interval", "value": time.perf_counter() - start}
    return [seconds, *(_row(sample, answer) for answer in answers)]


def _row(sample, answer):
    return {
        "metric": answer.metric,
        "truth_kind": "same_scores",
        "estimate": answer.value,
        "truth": truth_of(answer.metric, sample, answer.at),
        "lower": answer.lower,
        "upper": answer.upper,
    }
