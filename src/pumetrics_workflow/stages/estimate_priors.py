"""The stage that estimates the class prior and the label noise from scores, next to the true ones."""

import logging
import time

import numpy as np

from pumetrics.priors import available_priors, estimate_shares, priors_of
from pumetrics_workflow.config import nearest
from pumetrics_workflow.labelings import SUPERVISED

__all__ = ["estimate_priors", "estimated", "random_numbers", "true_priors"]


def estimate_priors(scores, methods, rng_of, *, noisy=True):
    """Estimate both priors of every labeling of a model.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``labeling``, ``repeat``, ``s``, ``y`` and ``score``; the supervised labeling is passed over.
    methods : sequence of str
        Entries of ``pumetrics.priors.available_priors()``.
    rng_of : callable
        ``rng_of(labeling, repeat, method)`` returns a generator; see :func:`random_numbers`.
    noisy : bool
        Whether the share of positives among the labeled is estimated too.

    Returns
    -------
    list of dict
        One row per labeling, repeat and method; an estimate that fails is a row with its reason. Without methods, the
        true priors are the rows, as method ``true``.
    """
    rows = []
    observed = scores[scores["labeling"] != SUPERVISED]
    for (labeling, repeat), part in observed.groupby(["labeling", "repeat"]):
        s, y, score = (part[name].to_numpy() for name in ("s", "y", "score"))
        truth = true_priors(s, y)
        answers = []
        for method in methods:
            rng = rng_of(labeling, repeat, method)
            answers += estimated(s, score, method, rng, noisy=noisy)
        if not methods:
            answers.append(_answer("true", *truth.values(), 0.0, "ok"))

        key = {"labeling": labeling, "repeat": repeat, **truth}
        rows += [{**key, **answer} for answer in answers]
    return rows


def random_numbers(seeds, model):
    """Random numbers of the estimates from a model's scores: a function of labeling, repeat and method."""

    def rng_of(labeling, repeat, method):
        return seeds.rng(labeling, repeat, model, method)

    return rng_of


def true_priors(s, y):
    """Shares of positives among the unlabeled and the labeled, named as in the table of priors."""
    return {"alpha_true": float(y[s == 0].mean()), "beta_true": float(y[s == 1].mean())}


def estimated(
    s,
    score,
    method,
    rng,
    *,
    noisy=True,
    clean=False,
):
    """Estimate the priors of one labeling by one method.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 labeled, 0 unlabeled.
    score : ndarray of shape (n,)
    method : str
    rng : numpy.random.Generator
    noisy : bool
        Whether the share of positives among the labeled is estimated too.
    clean : bool
        Whether to add the alpha of the same run with beta set to 1, as method ``<method>_clean``.

    Returns
    -------
    list of dict
        Rows with ``method``, ``alpha``, ``beta``, ``seconds`` and ``status``.

    Raises
    ------
    ValueError
        If there is no such method; an estimate that fails is a row.
    """
    if method not in available_priors():
        raise ValueError(f"there is no estimator {method!r}{nearest(method, available_priors())}")
    start = time.perf_counter()
    samples = score[s == 1], score[s == 0]
    try:
        shares = estimate_shares(*samples, method=method, noisy=noisy, random_state=rng)
        values = [share.value for share in shares]
        pairs = [priors_of(values), priors_of(values[:1])]
        failure = "failed"
    except (ValueError, ArithmeticError) as error:
        logging.info("%s failed: %s", method, error)
        pairs = [(np.nan, np.nan)] * 2
        failure = f"failed: {error}"
    seconds = time.perf_counter() - start

    names = [method, f"{method}_clean"] if clean else [method]
    answers = []
    for name, (alpha, beta) in zip(names, pairs, strict=False):
        status = failure if np.isnan(alpha) else "ok"
        answers.append(_answer(name, alpha, beta, seconds, status))
    return answers


def _answer(method, alpha, beta, seconds, status):
    return {
        "method": method,
        "alpha": alpha,
        "beta": beta,
        "seconds": seconds,
        "status": status,
    }
