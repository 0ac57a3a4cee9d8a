"""Label, train a pool of models, and let every method judge it: labelings times methods, crossed in memory.

All models of a labeling see the same rows, labels and folds. What is kept are the worths of the methods, not scores:
one labeling alone gives a thousand of them.
"""

import logging
import time

import numpy as np
import pandas as pd

from pumetrics.label_frequency import rho_from_mean_score
from pumetrics.priors import estimate_shares, priors_of, squash_scores
from pumetrics_workflow.studies.head_to_head.scoring import POOL_NAME, score_pool
from pumetrics_workflow.studies.head_to_head.training import trained

__all__ = ["judge"]

_NO_PRIORS = (np.nan, np.nan)


def judge(frame, *, dataset, labeling, options, repeats, seed):
    """Records of every labeling of one data set.

    Parameters
    ----------
    frame : pandas.DataFrame
        Features and ``y``.
    dataset : str
    labeling : None
        Labelings stand among the options, as they are crossed with the models.
    options : dict
        ``labelings`` (names), ``rows`` (of whole-sample labelings), ``n_unlabeled`` and ``labeled_ratio`` (of sampled
        ones), ``n_folds``, ``models`` (name to type and options), ``reference`` (the model whose scores give the priors
        that all models share), ``priors`` (estimators), ``clean`` (those that are used with beta = 1 as well) and
        ``own_priors`` (those that are run on each model's own scores as well).
    repeats : sequence of int
    seed : int

    Returns
    -------
    pandas.DataFrame
        Records without study and data set; see :func:`~pumetrics_workflow.studies.head_to_head.scoring.score_pool`. The
        truth is the metric by the true labels of the same rows, labeled and unlabeled together, for the same scores.
        Besides:
        metrics ``alpha`` and ``beta`` with each estimator's estimate and truth, ``labeled`` (number of labeled
        examples) and, in seconds, ``train`` and ``prior``.
    """
    rows = []
    for each in trained(frame, dataset, options, repeats, seed):
        key = {"labeling": each.labeling, "repeat": each.repeat}
        rows += [{**key, **row} for row in _judged(each, options)]
    return pd.DataFrame(rows)


def _judged(pool, options):
    """Records of one labeling."""
    method_seed, prior_seed = pool.seed.spawn(2)
    reference = pool.ranked[options["reference"]]
    rows = [_plain("labeled", float(reference.labeled[-1]))]
    for name, seconds in pool.seconds.items():
        rows.append({**_plain("train", seconds), "model": name, "truth_kind": "seconds"})
    shared, more = _shared_priors(reference, options["priors"], options["clean"], prior_seed)
    priors = {
        name: {**shared, **_own_priors(each, options["own_priors"], prior_seed)} for name, each in pool.ranked.items()
    }
    rngs = dict(zip(pool.ranked, map(np.random.default_rng, method_seed.spawn(len(pool.ranked))), strict=True))
    return rows + more + score_pool(pool.ranked, priors, _label_frequencies(reference), rngs)


def _shared_priors(reference, methods, clean, seed):
    """Priors that all models share, from the scores of the reference model, and their records.

    `<estimator>` finds both priors; `<estimator>_clean` takes all labels for right.
    """
    truth = (reference.alpha, reference.beta)
    priors, rows = {"true": truth}, []
    for method in methods:
        start = time.perf_counter()
        both, alpha_alone = _estimated(reference, method, seed)
        rows.append({**_plain("prior", time.perf_counter() - start), "method": method, "truth_kind": "seconds"})
        priors |= {method: both} | ({f"{method}_clean": alpha_alone} if method in clean else {})
    for name, found in priors.items():
        for metric, value, true in zip(("alpha", "beta"), found, truth, strict=True):
            rows.append({**_plain(metric, value), "prior": name, "truth": true})
    return priors, rows


def _own_priors(ranked, methods, seed):
    """Priors of one model from its own scores, `<estimator>_own`."""
    return {f"{method}_own": _estimated(ranked, method, seed)[0] for method in methods}


def _estimated(ranked, method, seed):
    """Both priors, and alpha where beta is 1."""
    score = squash_scores(ranked.score)
    try:
        shares = estimate_shares(
            score[ranked.s == 1],
            score[ranked.s == 0],
            method=method,
            noisy=True,
            random_state=np.random.default_rng(seed),
        )
    except (ValueError, ArithmeticError) as error:
        logging.info("%s failed: %s", method, error)
        return _NO_PRIORS, _NO_PRIORS
    values = [share.value for share in shares]
    return priors_of(values), priors_of(values[:1])


def _label_frequencies(reference):
    """Share of the positives that are labeled: the true one, and Tabatabaei's estimate from mean scores."""
    labeled = reference.s == 1
    mean = float(np.clip(reference.score[labeled], 0, 1).mean())
    return {
        "true": float(reference.y[labeled].sum() / reference.y.sum()),
        "mean_score": float(rho_from_mean_score(mean, int(labeled.sum()))),
    }


def _plain(metric, value):
    return {
        "model": POOL_NAME, "metric": metric, "method": "none", "prior": "none", "truth_kind": "value",
        "estimate": value,
    }  # fmt: skip
