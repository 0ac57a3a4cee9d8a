"""Samples with known priors, and what each estimator makes of them."""

import time
from itertools import product

import numpy as np
import pandas as pd

from pumetrics.labeling import noisy_positives
from pumetrics.priors import estimate_priors, estimate_shares, priors_of
from pumetrics_workflow.seeding import rng_for

__all__ = ["SEED", "draw_gaussians", "logistic_scores", "simulate"]

SEED = "priors"  # what the study was called when its numbers were drawn first: another name would draw others


def simulate(part, *, repeats, seed, data, **options):
    """Estimate known priors.

    Parameters
    ----------
    part : {"gaussians", "coverage", "real", "real_networks"}
    repeats : sequence of int
    seed : int
        Root of all random numbers.
    data : dict of DataFrame
        Prepared data by name; used by the parts "real" and "real_networks".
    **options
        Settings and methods, see ``config/studies/class_priors.yaml``.

    Returns
    -------
    pandas.DataFrame
        Statistics by estimator (column ``prior``): ``share`` (alpha/beta from one run), ``alpha`` and ``beta`` (from
        two), their intervals (``alpha_lower`` and so on) where there are any, and ``seconds``; the prior "true" holds
        the true share, alpha and beta.
    """
    draw = {"real": _real, "real_networks": _real}.get(part, _gaussians)
    samples = draw(part, repeats, seed, data, **options)
    n_bootstrap = options.get("n_bootstrap", 0)
    rows = []
    for key, scores, truth in samples:
        rows += [{**key, "prior": "true", **row} for row in _values(*truth, truth[0] / truth[1])]
        for method in options["methods"]:
            rng = rng_for(seed, SEED, key["dataset"], key["labeling"], key["repeat"], method)
            rows += [
                {**key, "prior": method, **row}
                for row in _estimates(method, *scores, n_bootstrap, rng)
            ]
    return pd.DataFrame(rows).assign(model=part)


def _gaussians(
    part,
    repeats,
    seed,
    _data,
    *,
    mus,
    alphas,
    betas,
    n_labeled,
    n_unlabeled,
    **_,
):
    """Yield (key, scores, true priors) for each setting with alpha < beta and each repeat."""
    settings = [each for each in product(mus, alphas, betas, n_labeled) if each[1] < each[2]]
    for (mu, alpha, beta, size), repeat in product(settings, repeats):
        labeling = f"alpha={alpha:g},beta={beta:g},n={size}"
        rng = rng_for(seed, SEED, part, f"mu={mu:g}", labeling, repeat)
        draws = draw_gaussians(
            rng, mu=mu, alpha=alpha, beta=beta, n_labeled=size, n_unlabeled=n_unlabeled
        )
        key = {"dataset": f"mu={mu:g}", "labeling": labeling, "repeat": repeat}
        yield key, logistic_scores(rng, *draws), (alpha, beta)


def _real(
    part, repeats, seed, data, *, betas, n_labeled_at_most=1000, n_unlabeled_at_most=10_000, **_
):
    """Yield the same for each data set: noisy positives, scored out of sample by a logistic regression or by networks.

    As many are labeled as leave half of the positives among the unlabeled, up to a limit.
    """
    from pumetrics_workflow.datasets import encode

    scores_of = _network_scores if part == "real_networks" else _standardized_scores
    for name, frame in sorted(data.items()):
        y = frame["y"].to_numpy()
        features = encode(frame)
        size = min(n_labeled_at_most, int(y.sum()) // 2)
        unlabeled = min(n_unlabeled_at_most, len(y) - size)
        for beta, repeat in product(betas, repeats):
            labeling = f"beta={beta:g},n={size}"
            rng = rng_for(seed, SEED, name, labeling, repeat)
            rows, s = noisy_positives(
                y, beta=beta, n_labeled=size, n_unlabeled=unlabeled, random_state=rng
            )
            scores = scores_of(rng, features[rows], s)
            key = {"dataset": name, "labeling": labeling, "repeat": repeat}
            yield (
                key,
                (scores[s == 1], scores[s == 0]),
                (y[rows[s == 0]].mean(), y[rows[s == 1]].mean()),
            )


def draw_gaussians(
    rng,
    *,
    mu,
    alpha,
    beta=1.0,
    n_labeled=1000,
    n_unlabeled=10_000,
):
    """Labeled and unlabeled draws from positives N(mu, 1) and negatives N(-mu, 1).

    Parameters
    ----------
    rng : Generator
    mu : float
        Half the distance of the class means, in standard deviations.
    alpha, beta : float
        Probability that an unlabeled and a labeled example is positive, each in [0, 1].
    n_labeled, n_unlabeled : int

    Returns
    -------
    labeled, unlabeled : ndarray of shape (n_labeled,) and (n_unlabeled,)
    """
    labeled, unlabeled = (
        np.where(rng.random(size) < share, mu, -mu) + rng.normal(size=size)
        for share, size in ((beta, n_labeled), (alpha, n_unlabeled))
    )
    return labeled, unlabeled


def logistic_scores(rng, labeled, unlabeled, *, n_folds=5):
    """Scores of a logistic regression that tells labeled from unlabeled, each from folds that do not hold it.

    Parameters
    ----------
    rng : Generator
        Draws the folds.
    labeled, unlabeled : ndarray of shape (n, n_features) or (n,)
        Features.
    n_folds : int
        Number of folds.

    Returns
    -------
    labeled_scores, unlabeled_scores : ndarray of shape (n_labeled,) and (n_unlabeled,)
        P(labeled | x), in (0, 1).
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    features = np.concatenate([labeled, unlabeled])
    features = features.reshape(len(features), -1)
    s = np.repeat([1, 0], [len(labeled), len(unlabeled)])
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
    scores = cross_val_predict(LogisticRegression(), features, s, cv=folds, method="predict_proba")[
        :, 1
    ]
    return scores[: len(labeled)], scores[len(labeled) :]


def _standardized_scores(rng, features, s):
    """Scores of a logistic regression on standardized features, out of fold."""
    from sklearn.preprocessing import StandardScaler

    features = StandardScaler().fit_transform(features)
    scores = np.empty(len(s))
    scores[s == 1], scores[s == 0] = logistic_scores(rng, features[s == 1], features[s == 0])
    return scores


def _network_scores(rng, features, s):
    """Scores of bagged networks, out of bag."""
    from pumetrics_workflow.models.ensemble import BaggedMLPClassifier

    model = BaggedMLPClassifier(50, random_state=int(rng.integers(2**31)))
    return model.fit(features, s).oob_decision_function_


def _estimates(method, labeled, unlabeled, n_bootstrap, rng):
    """Rows of one method on one sample; the same random numbers for one run and for two."""
    one, two = rng.spawn(2)
    share = estimate_shares(labeled, unlabeled, method=method, random_state=one)[0].value
    start = time.perf_counter()
    alpha, beta, *intervals = _both(method, labeled, unlabeled, n_bootstrap, two)
    seconds = time.perf_counter() - start
    rows = [*_values(alpha, beta, share), {"statistic": "seconds", "value": seconds}]
    for name, interval in zip(("alpha", "beta"), intervals, strict=True):
        if interval:
            rows += [{"statistic": f"{name}_lower", "value": interval[0]}]
            rows += [{"statistic": f"{name}_upper", "value": interval[1]}]
    return rows


def _both(method, labeled, unlabeled, n_bootstrap, rng):
    """Alpha, beta and their intervals; without intervals no diagnostics either, which no table reads."""
    known = {"method": method, "noisy": True, "random_state": rng}
    if n_bootstrap:
        priors = estimate_priors(labeled, unlabeled, n_bootstrap=n_bootstrap, **known)
        return priors.alpha, priors.beta, priors.alpha_interval, priors.beta_interval
    shares = estimate_shares(labeled, unlabeled, **known)
    return *priors_of([share.value for share in shares]), None, None


def _values(alpha, beta, share):
    values = {"share": share, "alpha": alpha, "beta": beta}
    return [{"statistic": name, "value": value} for name, value in values.items()]
