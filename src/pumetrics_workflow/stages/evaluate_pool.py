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
from pumetrics.metrics import SUMMARIES, clipped
from pumetrics_workflow.controls import METHODS, KnownSample, truth_of
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
        (labeling,) = labelings
        yield labeling, repeat, {each.model: each for each in group}


def seed_of_pool(seeds, labeling, repeat):
    """Return the seed of the random numbers for the evaluation of a labeling."""
    return seeds_of_labeling(seeds, labeling, repeat)[2]


def evaluate_pool(
    data,
    scored,
    *,
    methods,
    clean=(),
    own=(),
    reference=None,
    noisy=True,
):
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
    rows = []
    for labeling, repeat, pool in pools(scored):
        method_seed, prior_seed = seed_of_pool(data.seeds, labeling, repeat).spawn(2)
        samples = {
            name: KnownSample(each.batch.labels[0], each.scores[0], each.batch.y, first=i == 0)
            for i, (name, each) in enumerate(pool.items())
        }
        shared_by = samples[reference or next(iter(pool))]
        answers = [_row("labeled", float(shared_by.sizes[0]))]
        for name, each in pool.items():
            answers.append(_row("seconds_training", each.seconds, model=name))

        shared = {"true": shared_by.true_priors}
        for method in methods:
            found = _estimated(shared_by, method, prior_seed, noisy, clean=method in clean)
            answers.append(_row("seconds_prior", found[0]["seconds"], prior=method))
            shared |= {each["method"]: (each["alpha"], each["beta"]) for each in found}
        for name, (alpha, beta) in shared.items():
            answers.append(_row("alpha", alpha, prior=name))
            answers.append(_row("beta", beta, prior=name))

        priors = {}
        for name, sample in samples.items():
            priors[name] = dict(shared)
            for method in own:
                pair = shared.get(method)
                if pair is None or sample is not shared_by:
                    (found,) = _estimated(sample, method, prior_seed, noisy)
                    pair = found["alpha"], found["beta"]
                priors[name][f"{method}_own"] = pair

        seeds = method_seed.spawn(len(samples))
        rngs = dict(zip(samples, map(np.random.default_rng, seeds), strict=True))
        answers += score_pool(samples, priors, _label_frequencies(shared_by), rngs)
        rows += [{"labeling": labeling, "repeat": repeat, **row} for row in answers]
    return rows


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
    ranked : dict of str to KnownSample
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
    answers = defaultdict(list)
    rows = []
    for method, entry in METHODS.items():
        if entry.uncertainty:
            continue
        start = time.perf_counter()
        metrics = tuple(metric for metric in SUMMARIES if metric in entry.metrics)
        for name, sample in ranked.items():
            ask = Ask(
                metrics,
                population="all",
                threshold=sample.threshold,
                random_state=rngs[name],
            )
            for prior, labels in _known_labels(entry, priors[name], rhos).items():
                for answer in entry.answer(sample, labels, ask):
                    answers[answer.metric, method, prior].append(answer)
        seconds = (time.perf_counter() - start) / len(ranked)
        rows.append(_row("seconds", seconds, method=method))

    for (metric, method, prior), of_models in answers.items():
        best = [answer.value for answer in answers[metric, "oracle", "none"]]
        rows += _performance(metric, method, prior, of_models, np.array(best), ranked)
    return rows


def _known_labels(entry, priors, rhos):
    """What a method knows of the labels, by name of the prior: a label frequency, alpha and beta, or nothing."""
    if "rho" in entry.needs:
        return {name: Labels(rho=rho) for name, rho in rhos.items()}
    if "alpha" not in entry.needs:
        return {"none": Labels()}
    chosen = priors if "beta" in entry.needs else CLEAN_PRIORS
    return {name: Labels(*priors[name]) for name in chosen if name in priors}


def _performance(
    metric,
    method,
    prior,
    of_models,
    best,
    ranked,
):
    """Statistics of one method, prior and metric; `best` are the true values by which models are chosen."""
    entry = METHODS[method]
    estimate = np.array([answer.value for answer in of_models])
    truth = np.array(
        [
            truth_of(metric, sample, answer.at, population="all")
            for sample, answer in zip(ranked.values(), of_models, strict=True)
        ]
    )

    known = np.isfinite(estimate)
    found = {}
    if not entry.ranks_only:
        error = (clipped(metric, estimate) - truth)[known]
        found |= {"bias": _mean(error), "absolute_error": _mean(np.abs(error))}
    if not known.all():
        found["failed"] = 1 - known.mean()

    lower = np.array([answer.lower for answer in of_models])
    upper = np.array([answer.upper for answer in of_models])
    if np.isfinite(lower).any():
        measured = interval_performance(
            lower[known], upper[known], truth[known], confidence=Ask.confidence
        )
        found |= {statistic: _mean(values) for statistic, values in measured.items()}
    if "pool" not in entry.needs:
        some = known.sum() > 1
        found["inversions"] = inversion_rate(best[known], estimate[known]) if some else np.nan

    names = {"metric": metric, "method": method, "prior": prior}
    rows = [_row(statistic, value, **names) for statistic, value in found.items()]
    if not known.any():
        return [*rows, _row("regret", np.nan, **names)]
    favorite = int(np.nanargmax(estimate))
    regret = best.max() - truth[favorite]
    return [*rows, _row("regret", regret, model=list(ranked)[favorite], **names)]


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


def _row(
    statistic,
    value,
    *,
    metric="none",
    method="none",
    prior="none",
    model=POOL_NAME,
):
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
