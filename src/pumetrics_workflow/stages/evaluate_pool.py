"""The methods on a pool of models: priors shared by the models or estimated for each, and how the methods perform.

All models of a labeling see the same rows, labels and folds. Kept is the performance of the methods, not scores: one
labeling alone gives a thousand of them.
"""

import time
from collections import defaultdict
from itertools import groupby

import numpy as np

from pumetrics.inference import inversion_rate
from pumetrics.inference.request import Ask, Labels
from pumetrics.inference.sample import Sample
from pumetrics.methods import METHODS, truth_of
from pumetrics.metrics import SUMMARIES, clipped
from pumetrics_workflow.rho import rho_from_mean_score
from pumetrics_workflow.stages.estimate_priors import estimated
from pumetrics_workflow.stages.train import seeds_of_labeling

__all__ = [
    "CLEAN_PRIORS",
    "POOL_NAME",
    "evaluate_pool",
    "interval_performance",
    "pools",
    "score_pool",
    "seed_of_pool",
]

POOL_NAME = "pool"  # statistics of all models of the pool together
CLEAN_PRIORS = (
    "true",
    "consensus_clean",
)  # of methods that take the labels for right only these alphas are tried


def pools(scored):
    """Yield the models of each labeling together.

    Parameters
    ----------
    scored : iterable of Scored
        Labeling by labeling, batches of one labeling each.

    Yields
    ------
    labeling : str
    repeat : int
    pool : dict of str to Scored
        By model.
    """
    for (labelings, repeat), group in groupby(
        scored, lambda each: (each.batch.labelings, each.batch.repeat)
    ):
        if len(labelings) > 1:
            raise ValueError(
                f"labelings {', '.join(labelings)} were trained together: evaluate one at a time"
            )
        yield labelings[0], repeat, {each.model: each for each in group}


def seed_of_pool(seeds, labeling, repeat):
    """Return the seed of the random numbers for the evaluation of a labeling."""
    return seeds_of_labeling(seeds, labeling, repeat)[2]


def evaluate_pool(data, scored, *, methods, clean=(), own=(), reference=None, noisy=True):
    """Statistics of every labeling of one repeat.

    Parameters
    ----------
    data : Data
    scored : iterable of Scored
    methods, clean, own : sequence of str
        Estimators of priors that all models share; those that are used with beta = 1 as well, as ``<method>_clean``;
        and those that are run on each model's own scores as well, as ``<method>_own``.
    reference : str
        The model whose scores give the priors that all models share; by default the first.
    noisy : bool
        Whether the share of positives among the labeled is estimated too.

    Returns
    -------
    list of dict
        Statistics without study and data set; see :func:`score_pool`.
        The truth is the metric by the true labels of the same rows, labeled and unlabeled together, same scores.
        Also ``alpha`` and ``beta`` of each estimator and, with the prior "true", the true ones, ``labeled`` (number of
        labeled examples), ``seconds_training`` of each model and ``seconds_prior`` of each estimator.
    """
    rows, chosen = [], {"methods": methods, "clean": clean, "own": own, "noisy": noisy}
    for labeling, repeat, pool in pools(scored):
        seed, key = (
            seed_of_pool(data.seeds, labeling, repeat),
            {"labeling": labeling, "repeat": repeat},
        )
        rows += [
            {**key, **row} for row in _evaluated(pool, reference or next(iter(pool)), chosen, seed)
        ]
    return rows


def _evaluated(pool, reference, chosen, seed):
    """Statistics of one labeling."""
    method_seed, prior_seed = seed.spawn(2)
    ranked = {
        name: Sample(each.batch.labels[0], [each.scores[0]], y=each.batch.y, first=i == 0)
        for i, (name, each) in enumerate(pool.items())
    }
    rows = [_row("labeled", float(ranked[reference].sizes[0]))]
    for name, each in pool.items():
        rows.append(_row("seconds_training", each.seconds, model=name))
    shared, more = _shared_priors(ranked[reference], chosen, prior_seed)
    known = {reference: {method: shared[method] for method in chosen["methods"]}}
    priors = {
        name: {**shared, **_own_priors(each, chosen, prior_seed, known.get(name, {}))}
        for name, each in ranked.items()
    }
    rngs = dict(
        zip(ranked, map(np.random.default_rng, method_seed.spawn(len(ranked))), strict=True)
    )
    return rows + more + score_pool(ranked, priors, _label_frequencies(ranked[reference]), rngs)


def _shared_priors(reference, chosen, seed):
    """Priors that all models share, from the scores of the reference model, and their statistics.

    `<estimator>` finds both priors; `<estimator>_clean` takes all labels for right.
    """
    priors, rows = {"true": reference.true_priors}, []
    for method in chosen["methods"]:
        answers = _estimated(
            reference, method, seed, chosen["noisy"], clean=method in chosen["clean"]
        )
        rows.append(_row("seconds_prior", answers[0]["seconds"], prior=method))
        priors |= {each["method"]: (each["alpha"], each["beta"]) for each in answers}
    for name, pair in priors.items():
        rows += [
            _row(which, value, prior=name)
            for which, value in zip(("alpha", "beta"), pair, strict=True)
        ]
    return priors, rows


def _own_priors(ranked, chosen, seed, known):
    """Priors of one model from its own scores, `<estimator>_own`, those of the reference model known already."""

    def pair(method):
        answer = _estimated(ranked, method, seed, chosen["noisy"])[0]
        return answer["alpha"], answer["beta"]

    return {
        f"{method}_own": known[method] if method in known else pair(method)
        for method in chosen["own"]
    }


def _estimated(ranked, method, seed, noisy, *, clean=False):
    # All estimators of a labeling draw from one seed sequence, one after the other.
    return estimated(
        ranked.s, ranked.scores[0], method, np.random.default_rng(seed), noisy=noisy, clean=clean
    )


def _label_frequencies(reference):
    """Share of the positives that are labeled: the true one, and Tabatabaei's estimate from mean scores."""
    labeled = reference.s == 1
    mean = float(np.clip(reference.scores[0][labeled], 0, 1).mean())
    return {
        "true": float(reference.y[labeled].sum() / reference.y.sum()),
        "mean_score": float(rho_from_mean_score(mean, int(labeled.sum()))),
    }


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
        metrics = tuple(metric for metric in SUMMARIES if metric in entry.metrics)
        for name, sample in ranked.items():
            ask = Ask(metrics, population="all", random_state=rngs[name])
            for prior, labels in _known_labels(entry, priors[name], rhos).items():
                for answer in entry.answer(sample, labels, ask):
                    answers[answer.metric, method, prior].append((name, answer))
        seconds = (time.perf_counter() - start) / len(ranked)
        rows.append(_row("seconds", seconds, method=method))
    best = {
        metric: {name: answer.value for name, answer in of_models}
        for (metric, method, _), of_models in answers.items()
        if method == "oracle"
    }
    for (metric, method, prior), of_models in answers.items():
        rows += _performance(metric, method, prior, of_models, best[metric], ranked)
    return rows


def _known_labels(entry, priors, rhos):
    """What a method knows of the labels, by name of the prior: a label frequency, alpha and beta, or nothing."""
    if "rho" in entry.needs:
        return {name: Labels(rho=rho) for name, rho in rhos.items()}
    if "alpha" in entry.needs:
        chosen = (
            priors if "beta" in entry.needs else [name for name in CLEAN_PRIORS if name in priors]
        )
        return {name: Labels(*priors[name]) for name in chosen}
    return {"none": Labels()}


def _performance(metric, method, prior, of_models, best, ranked):
    """Statistics of one method, prior and metric."""
    entry = METHODS[method]
    estimate = np.array([answer.value for _, answer in of_models])
    truth = np.array(
        [truth_of(metric, ranked[name], answer.at, population="all") for name, answer in of_models]
    )
    order, known, found = np.array([best[name] for name, _ in of_models]), np.isfinite(estimate), {}
    if not entry.ranks_only:
        error = (clipped(metric, estimate) - truth)[known]
        found |= {"bias": _mean(error), "absolute_error": _mean(np.abs(error))}
    if not known.all():
        found["failed"] = 1 - known.mean()
    lower, upper = (
        np.array([getattr(answer, side) for _, answer in of_models]) for side in ("lower", "upper")
    )
    if np.isfinite(lower).any():
        measured = interval_performance(
            lower[known], upper[known], truth[known], confidence=Ask.confidence
        )
        found |= {statistic: _mean(values) for statistic, values in measured.items()}
    if not entry.picks_only:
        found["inversions"] = (
            inversion_rate(order[known], estimate[known]) if known.sum() > 1 else np.nan
        )
    names = {"metric": metric, "method": method, "prior": prior}
    rows = [_row(statistic, value, **names) for statistic, value in found.items()]
    if not known.any():
        return [*rows, _row("regret", np.nan, **names)]
    favorite = int(np.nanargmax(estimate))
    return [
        *rows,
        _row("regret", order.max() - truth[favorite], model=of_models[favorite][0], **names),
    ]


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


def _row(statistic, value, *, metric="none", method="none", prior="none", model=POOL_NAME):
    return {
        "model": model,
        "metric": metric,
        "method": method,
        "prior": prior,
        "statistic": statistic,
        "value": value,
    }


def _mean(values):
    return float(values.mean()) if len(values) else np.nan
