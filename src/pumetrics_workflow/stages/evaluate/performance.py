"""Performance of a method from its estimates for all models of a pool: errors, coverage, inversions, regret."""

import time
from collections import defaultdict

import numpy as np

from pumetrics.inference import inversion_rate
from pumetrics.methods import METHODS, Given, truth_of
from pumetrics.metrics import SUMMARIES, clipped

__all__ = ["CLEAN_PRIORS", "POOL_NAME", "interval_performance", "score_pool"]

POOL_NAME = "pool"  # statistics of all models of the pool together
CLEAN_PRIORS = ("true", "consensus_clean")  # of methods that take the labels for right only these alphas are tried


def score_pool(ranked, priors, rhos, rngs):
    """Statistics of one labeling: every method but those with resamples on every model of the pool.

    Parameters
    ----------
    ranked : dict of str to Sample
        By model.
    priors : dict of str to dict
        By model the priors (alpha, beta) by name.
    rhos : dict of str to float
        Label frequencies by name.
    rngs : dict of str to numpy.random.Generator
        By model, for methods that draw.

    Returns
    -------
    list of dict
        Statistics without study, data set, labeling and repeat: ``bias`` and
        ``absolute_error`` (means over the pool, of the estimate clipped to the metric's range), ``failed`` (share of
        models without an estimate, where there are any), ``coverage``, ``width`` and ``interval_score`` of an interval
        (see :func:`interval_performance`), ``inversions``
        (share of pairs of models in the wrong order), ``regret`` (true value of the best model minus that of the
        selected model, which is named as the model), ``seconds`` (per model).
    """
    answers, rows = defaultdict(list), []
    for method, entry in METHODS.items():
        if entry.uncertainty:
            continue
        start = time.perf_counter()
        for i, (name, sample) in enumerate(ranked.items()):
            for prior, given in _givens(entry, priors[name], rhos).items():
                given = given._replace(rng=rngs[name], first=i == 0, population="all")
                for answer in entry.answer(sample, given, [metric for metric in SUMMARIES if metric in entry.metrics]):
                    answers[answer.metric, method, prior].append((name, answer))
        seconds = (time.perf_counter() - start) / len(ranked)
        rows.append(_row("seconds", "none", method, "none", seconds))
    best = {
        metric: {name: answer.value for name, answer in of_models}
        for (metric, method, _), of_models in answers.items()
        if method == "oracle"
    }
    for (metric, method, prior), of_models in answers.items():
        rows += _performance(metric, method, prior, of_models, best[metric], ranked)
    return rows


def _givens(entry, priors, rhos):
    """What a method is given, by name of the prior: label frequencies, pairs (alpha, beta), alpha alone, or nothing."""
    if "rho" in entry.needs:
        return {name: Given(rho=rho) for name, rho in rhos.items()}
    if "alpha" in entry.needs:
        chosen = priors if "beta" in entry.needs else [name for name in CLEAN_PRIORS if name in priors]
        return {name: Given(*priors[name]) for name in chosen}
    return {"none": Given()}


def _performance(metric, method, prior, of_models, best, ranked):
    """Statistics of one method, prior and metric."""
    names = [name for name, _ in of_models]
    estimate = np.array([answer.value for _, answer in of_models])
    truth = np.array([truth_of(metric, ranked[name], answer.at, population="all") for name, answer in of_models])
    known, rows = np.isfinite(estimate), []
    if not METHODS[method].ranks_only:
        error = clipped(metric, estimate) - truth
        rows.append(_row("bias", metric, method, prior, _mean(error[known])))
        rows.append(_row("absolute_error", metric, method, prior, _mean(np.abs(error[known]))))
    if not known.all():
        rows.append(_row("failed", metric, method, prior, 1 - known.mean()))
    lower, upper = (np.array([getattr(answer, side) for _, answer in of_models]) for side in ("lower", "upper"))
    if np.isfinite(lower).any():
        measured = interval_performance(lower[known], upper[known], truth[known], confidence=Given().confidence)
        rows += [_row(statistic, metric, method, prior, _mean(values)) for statistic, values in measured.items()]
    order = np.array([best[name] for name in names])
    if not METHODS[method].picks_only:
        rate = inversion_rate(order[known], estimate[known]) if known.sum() > 1 else np.nan
        rows.append(_row("inversions", metric, method, prior, rate))
    favourite = int(np.nanargmax(estimate)) if known.any() else None
    regret = order.max() - truth[favourite] if known.any() else np.nan
    rows.append(_row("regret", metric, method, prior, regret, POOL_NAME if favourite is None else names[favourite]))
    return rows


def interval_performance(lower, upper, truth, *, confidence):
    """Coverage, width and interval score of intervals, each an array of their shape.

    Parameters
    ----------
    lower, upper, truth : ndarray
    confidence : float
        Nominal coverage.

    Returns
    -------
    dict of str to ndarray
        ``coverage`` (0 or 1), ``width`` and ``interval_score``: the width plus 2 / (1 - confidence) times the distance
        to a truth outside, so that neither a wide interval nor one that misses is free.

    References
    ----------
    Winkler (1972), "A decision-theoretic approach to interval estimation"; Gneiting & Raftery (2007), Eq. 43.

    Examples
    --------
    >>> measured = interval_performance(np.array([0.2]), np.array([0.4]), np.array([0.5]), confidence=0.8)
    >>> {name: round(float(values[0]), 6) for name, values in measured.items()}
    {'coverage': 0.0, 'width': 0.2, 'interval_score': 1.2}
    """
    width = upper - lower
    outside = np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0)
    held = (lower <= truth + 1e-9) & (truth - 1e-9 <= upper)
    return {
        "coverage": held.astype(float),
        "width": width,
        "interval_score": width + 2 / (1 - confidence) * outside,
    }


def _row(statistic, metric, method, prior, value, model=POOL_NAME):
    return {
        "model": model, "metric": metric, "method": method, "prior": prior, "statistic": statistic, "value": value
    }  # fmt: skip


def _mean(values):
    return float(values.mean()) if len(values) else np.nan
