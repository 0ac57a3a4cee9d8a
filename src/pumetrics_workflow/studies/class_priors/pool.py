"""The pool behind calibrated intervals: samples with known alpha from many data sets, and what they show of it."""

import logging

import numpy as np
import pandas as pd

from pumetrics.counts import count_scores
from pumetrics.priors.calibration import summarize
from pumetrics_workflow.datasets import encode
from pumetrics_workflow.seeding import rng_for, seed_for

__all__ = [
    "ALPHAS",
    "FAMILIES",
    "LABELED",
    "MODELS",
    "UNLABELED",
    "family_of",
    "measure_pool",
    "most_rows",
    "out_of_sample_scores",
]

ALPHAS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9)
LABELED = (50, 100, 200, 500, 1000, 2000)
UNLABELED = (500, 2000, 5000, 20_000)
MODELS = ("logistic", "forest", "network")

FAMILIES = {
    "activity": ("activity_s1", "activity_s2", "hapt"),
    "breast_wisconsin": ("breast_cancer", "breast_w"),
    "covertype": ("covertype", "covertype_subset", "claesen_covertype_scores"),
    "credit": ("credit_a", "crx"),
    "digits": ("digits_even", "digits_high"),
    "gas": ("gas", "gas_subset"),
    "generated": ("artificial", "gaussians", "gaussians_mixed", "gaussians_rare", "threenorm", "twonorm"),
    "heart": ("heart_c", "heart_h", "heart_v"),
    "iris": ("iris", "iris_bundled"),
    "splice": ("splice", "splice_1000"),
    "thyroid": ("thyroid", "hypo"),
    "vote": ("vote", "vote1"),
}
"""Data sets that tell much the same: of one source, or made by one recipe. Every other set is its own family."""

_CELLS = 400_000  # rows times columns a model is trained on, so that a sample takes seconds at most


def family_of(dataset):
    """Family of a data set."""
    return next((family for family, members in FAMILIES.items() if dataset in members), dataset)


def measure_pool(frame, dataset, *, seed, repeats, models=MODELS):
    """Draw samples with known alpha from one data set, score them, and note what the scores show of alpha.

    Sizes and alpha are drawn at random among those the set is large enough for, labels are clean and at random.

    Parameters
    ----------
    frame : pandas.DataFrame
        Features and ``y``; a set with one feature is taken to hold scores.
    dataset : str
        Name of the set.
    seed : int
        Root of all random numbers.
    repeats : sequence of int
        One sample each, the models in turn.
    models : sequence of str
        Out of "logistic" (cross-validated), "forest" and "network" (both out of bag).

    Returns
    -------
    samples : pandas.DataFrame
        One row per sample: ``family``, ``dataset``, ``repeat``, ``model``, the true ``alpha``, and
        :func:`pumetrics.priors.calibration.summarize`.
    scores : pandas.DataFrame
        One row per example: ``dataset``, ``repeat``, ``s``, ``y``, ``score``.
    """
    samples, scores = [], []
    X, y = encode(frame), frame["y"].to_numpy()
    for repeat in repeats:
        rng = rng_for(seed, "calibration", dataset, repeat)
        drawn = _draw(y, X.shape[1], rng)
        if drawn is None:
            logging.info("%s, repeat %d: too small", dataset, repeat)
            continue
        rows, s = drawn
        model = "given" if X.shape[1] == 1 else models[repeat % len(models)]
        score = out_of_sample_scores(model, X[rows], s, seed_for(seed, "calibration", dataset, repeat, model))
        score = score.astype(np.float32).astype(np.float64)  # as they are stored
        known = {"family": family_of(dataset), "dataset": dataset, "repeat": repeat, "model": model}
        counts = count_scores(s, score)
        if len(counts.thresholds) < 3:
            continue
        known["alpha"] = float(y[rows][s == 0].mean())
        samples.append(known | summarize(counts, (score[s == 1], score[s == 0])))
        scores.append(pd.DataFrame({"dataset": dataset, "repeat": repeat, "s": s, "y": y[rows],
                                    "score": score.astype(np.float32)}))  # fmt: skip
    return pd.DataFrame(samples), pd.concat(scores, ignore_index=True) if scores else pd.DataFrame()


def _draw(y, n_columns, rng):
    """Rows and labels of one sample, or None where the set is too small for any."""
    positives, negatives = rng.permutation(np.flatnonzero(y == 1)), rng.permutation(np.flatnonzero(y == 0))
    labeled = rng.choice([n for n in LABELED if n <= max(LABELED[0], len(positives) // 2)])
    most = min(rng.choice(UNLABELED), most_rows(n_columns))
    possible = []
    for alpha in rng.permutation(ALPHAS):
        hidden = min(len(positives) - labeled, int(alpha * most), int(len(negatives) * alpha / (1 - alpha)))
        size = int(hidden / alpha)
        if hidden >= 1 and size >= 100:
            possible.append((hidden, size - hidden))
    if not possible or len(positives) <= labeled:
        return None
    hidden, others = possible[0]
    rows = np.concatenate([positives[: labeled + hidden], negatives[:others]])
    return rows, np.repeat([1, 0], [labeled, hidden + others]).astype(np.int8)


def most_rows(n_columns):
    """Unlabeled examples at most, so that a model is trained in seconds."""
    return _CELLS // n_columns


def out_of_sample_scores(model, X, s, seed):
    """Scores of a model trained on observed labels, each from a fit that did not see the example.

    Parameters
    ----------
    model : {"given", "logistic", "forest", "network"}
        The first takes the only column of `X`.
    X : ndarray of shape (n_samples, n_features)
    s : ndarray of shape (n_samples,)
        Observed label.
    seed : numpy.random.SeedSequence

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    state = int(seed.generate_state(1)[0])
    if model == "given":
        return X[:, 0].astype(np.float64)
    if model == "logistic":
        return _logistic(X, s, state)
    if model == "forest":
        from sklearn.ensemble import RandomForestClassifier

        options = {"n_estimators": 100, "min_samples_leaf": 3, "oob_score": True, "random_state": state}
        return RandomForestClassifier(**options).fit(X, s).oob_decision_function_[:, 1]
    from pumetrics.models.ensemble import BaggedMLPClassifier

    network = BaggedMLPClassifier(n_estimators=20, max_epochs=300, random_state=state).fit(X, s)
    return network.oob_decision_function_


def _logistic(X, s, state):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = StratifiedKFold(5, shuffle=True, random_state=state)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    return cross_val_predict(model, X, s, cv=folds, method="decision_function")
