"""The methods on a pool of models: priors shared by the models or estimated for each, and the performance of methods.

All models of a labeling see the same rows, labels and folds. Kept is the performance of the methods, not scores: one
labeling alone gives a thousand of them.
"""

from itertools import groupby

import numpy as np

from pumetrics.inference.sample import Sample
from pumetrics.label_frequency import rho_from_mean_score
from pumetrics_workflow.stages.estimate_priors import estimated
from pumetrics_workflow.stages.evaluate.performance import POOL_NAME, score_pool
from pumetrics_workflow.stages.train import seeds_of_labeling

__all__ = ["evaluate_pool", "pools", "seed_of_pool"]


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
    for (labelings, repeat), group in groupby(scored, lambda each: (each.batch.labelings, each.batch.repeat)):
        if len(labelings) > 1:
            raise ValueError(f"labelings {', '.join(labelings)} were trained together: evaluate one at a time")
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
        Statistics without study and data set; see :func:`~pumetrics_workflow.stages.evaluate.performance.score_pool`.
        The truth is the metric by the true labels of the same rows, labeled and unlabeled together, same scores.
        Also ``alpha`` and ``beta`` of each estimator and, with the prior "true", the true ones, ``labeled`` (number of
        labeled examples), ``seconds_training`` of each model and ``seconds_prior`` of each estimator.
    """
    rows, chosen = [], {"methods": methods, "clean": clean, "own": own, "noisy": noisy}
    for labeling, repeat, pool in pools(scored):
        seed, key = seed_of_pool(data.seeds, labeling, repeat), {"labeling": labeling, "repeat": repeat}
        rows += [{**key, **row} for row in _evaluated(pool, reference or next(iter(pool)), chosen, seed)]
    return rows


def _evaluated(pool, reference, chosen, seed):
    """Statistics of one labeling."""
    method_seed, prior_seed = seed.spawn(2)
    ranked = {name: Sample(each.batch.labels[0], [each.scores[0]], y=each.batch.y) for name, each in pool.items()}
    rows = [_plain("labeled", float(ranked[reference].sizes[0]))]
    for name, each in pool.items():
        rows.append(_plain("seconds_training", each.seconds, model=name))
    shared, more = _shared_priors(ranked[reference], chosen, prior_seed)
    known = {reference: {method: shared[method] for method in chosen["methods"]}}
    priors = {
        name: {**shared, **_own_priors(each, chosen, prior_seed, known.get(name, {}))} for name, each in ranked.items()
    }
    rngs = dict(zip(ranked, map(np.random.default_rng, method_seed.spawn(len(ranked))), strict=True))
    return rows + more + score_pool(ranked, priors, _label_frequencies(ranked[reference]), rngs)


def _shared_priors(reference, chosen, seed):
    """Priors that all models share, from the scores of the reference model, and their statistics.

    `<estimator>` finds both priors; `<estimator>_clean` takes all labels for right.
    """
    priors, rows = {"true": reference.true_priors}, []
    for method in chosen["methods"]:
        answers = _estimated(reference, method, seed, chosen["noisy"], clean=method in chosen["clean"])
        rows.append(_plain("seconds_prior", answers[0]["seconds"], prior=method))
        priors |= {each["method"]: (each["alpha"], each["beta"]) for each in answers}
    for name, pair in priors.items():
        rows += [_plain(which, value, prior=name) for which, value in zip(("alpha", "beta"), pair, strict=True)]
    return priors, rows


def _own_priors(ranked, chosen, seed, known):
    """Priors of one model from its own scores, `<estimator>_own`, those of the reference model known already."""

    def pair(method):
        answer = _estimated(ranked, method, seed, chosen["noisy"])[0]
        return answer["alpha"], answer["beta"]

    return {f"{method}_own": known[method] if method in known else pair(method) for method in chosen["own"]}


def _estimated(ranked, method, seed, noisy, *, clean=False):
    # All estimators of a labeling draw from one seed sequence, one after the other.
    return estimated(ranked.s, ranked.scores[0], method, np.random.default_rng(seed), noisy=noisy, clean=clean)


def _label_frequencies(reference):
    """Share of the positives that are labeled: the true one, and Tabatabaei's estimate from mean scores."""
    labeled = reference.s == 1
    mean = float(np.clip(reference.scores[0][labeled], 0, 1).mean())
    return {
        "true": float(reference.y[labeled].sum() / reference.y.sum()),
        "mean_score": float(rho_from_mean_score(mean, int(labeled.sum()))),
    }


def _plain(statistic, value, *, model=POOL_NAME, prior="none"):
    return {"model": model, "prior": prior, "statistic": statistic, "value": value}
