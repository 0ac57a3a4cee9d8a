"""The pool behind intervals under label noise: samples with known alpha and beta from many data sets."""

import logging

import numpy as np
import pandas as pd

from pumetrics.counts import count_scores
from pumetrics.priors.calibration import summarize
from pumetrics_workflow.datasets import encode
from pumetrics_workflow.seeding import rng_for, seed_for
from pumetrics_workflow.studies.class_priors.pool import (
    ALPHAS,
    LABELED,
    MODELS,
    UNLABELED,
    family_of,
    most_rows,
    out_of_sample_scores,
)

__all__ = ["BETAS", "measure_noisy_pool"]

BETAS = (0.75, 0.85, 0.95, 1.0)
"""Shares of positives among the labeled; 1 as well, for who estimates beta does not know that labels are clean."""

_LEAST_GAP = 0.1  # beta - alpha: below that every correction is a division by next to nothing


def measure_noisy_pool(frame, dataset, *, seed, repeats, models=MODELS):
    """Draw samples with known alpha and beta from one data set, score them, and note what the scores show of both.

    Sizes, alpha and beta are drawn at random among those the set is large enough for. The labeled examples are a random
    sample of the positives and, for the share 1 - beta, of the negatives.

    Parameters
    ----------
    frame, dataset, seed, repeats, models
        As for :func:`pumetrics_workflow.studies.class_priors.pool.measure_pool`, whose samples these are not: seeds
        name the noise as well.

    Returns
    -------
    samples : pandas.DataFrame
        One row per sample: ``family``, ``dataset``, ``repeat``, ``model``, the true ``alpha`` and ``beta``, and
        :func:`pumetrics.priors.calibration.summarize`.
    scores : pandas.DataFrame
        One row per example: ``dataset``, ``repeat``, ``s``, ``y``, ``score``.
    """
    samples, scores = [], []
    X, y = encode(frame), frame["y"].to_numpy()
    for repeat in repeats:
        drawn = _draw(y, X.shape[1], rng_for(seed, "calibration", "noise", dataset, repeat))
        if drawn is None:
            logging.info("%s, repeat %d: too small", dataset, repeat)
            continue
        rows, s = drawn
        model = "given" if X.shape[1] == 1 else models[repeat % len(models)]
        score = out_of_sample_scores(model, X[rows], s, seed_for(seed, "calibration", "noise", dataset, repeat, model))
        score = score.astype(np.float32).astype(np.float64)  # as they are stored
        counts = count_scores(s, score)
        if len(counts.thresholds) < 3:
            continue
        known = {"family": family_of(dataset), "dataset": dataset, "repeat": repeat, "model": model}
        known |= {"alpha": float(y[rows][s == 0].mean()), "beta": float(y[rows][s == 1].mean())}
        samples.append(known | summarize(counts, (score[s == 1], score[s == 0]), noisy=True))
        scores.append(pd.DataFrame({"dataset": dataset, "repeat": repeat, "s": s, "y": y[rows],
                                    "score": score.astype(np.float32)}))  # fmt: skip
    return pd.DataFrame(samples), pd.concat(scores, ignore_index=True) if scores else pd.DataFrame()


def _draw(y, n_columns, rng):
    """Rows and labels of one sample, or None where the set is too small for any."""
    positives, negatives = rng.permutation(np.flatnonzero(y == 1)), rng.permutation(np.flatnonzero(y == 0))
    beta = rng.choice(BETAS)
    enough = max(LABELED[0], min(len(positives) / beta, len(negatives) / max(1 - beta, 1e-9)) // 2)
    labeled = rng.choice([n for n in LABELED if n <= enough])
    wrong = round((1 - beta) * labeled)
    right = labeled - wrong
    most = min(rng.choice(UNLABELED), most_rows(n_columns))
    possible = []
    for alpha in rng.permutation([each for each in ALPHAS if each <= beta - _LEAST_GAP + 1e-9]):
        hidden = min(len(positives) - right, int(alpha * most), int((len(negatives) - wrong) * alpha / (1 - alpha)))
        size = int(hidden / alpha)
        if hidden >= 1 and size >= 100:
            possible.append((hidden, size - hidden))
    if not possible:
        return None
    hidden, others = possible[0]
    rows = np.concatenate([positives[: right + hidden], negatives[: wrong + others]])
    s = np.concatenate([np.repeat([1, 0], [right, hidden]), np.repeat([1, 0], [wrong, others])])
    return rows, s.astype(np.int8)
