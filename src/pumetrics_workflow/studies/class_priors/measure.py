"""How far estimates of priors are off, on samples whose priors are known."""

import time
from itertools import product

import numpy as np

from pumetrics.priors import available_priors, estimate_shares, priors_of, shares_of
from pumetrics_workflow.seeding import rng_for

__all__ = ["SEED", "draw_gaussians", "logistic_scores", "measure_priors", "summarize_priors"]

SEED = "priors"  # what the study was called when its numbers were drawn first: another name would draw others

MUS, ALPHAS, BETAS = (1.0, 2.0), (0.1, 0.25, 0.5, 0.75), (1.0, 0.9, 0.75)


def draw_gaussians(rng, *, mu, alpha, beta=1.0, n_labeled=1000, n_unlabeled=10_000):
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
    scores = cross_val_predict(LogisticRegression(), features, s, cv=folds, method="predict_proba")[:, 1]
    return scores[: len(labeled)], scores[len(labeled) :]


def measure_priors(
    methods=None, *, seeds=range(5), root=0, mus=MUS, alphas=ALPHAS, betas=BETAS, n_labeled=1000, n_unlabeled=10_000
):
    """Run estimators, once and with swapped roles, on scores of Gaussian samples with known priors.

    Parameters
    ----------
    methods : list of str, optional
        Names of estimators; all by default.
    seeds : iterable of int
        One sample per seed and setting.
    root : int
        Root of all random numbers.
    mus, alphas, betas : tuple of float
        Settings; those with alpha >= beta are left out.
    n_labeled, n_unlabeled : int
        Sizes of the samples.

    Returns
    -------
    pandas.DataFrame
        One row per method, setting and seed: the true `mu`, `alpha`, `beta`; `share_error` of one run, whose target is
        alpha/beta; `alpha_error` and `beta_error` of two; and `seconds` of one run (of CPU time).
    """
    import pandas as pd

    rows = []
    for mu, alpha, beta, seed in product(mus, alphas, betas, seeds):
        if alpha >= beta:
            continue
        rng = rng_for(root, SEED, int(100 * mu), int(100 * alpha), int(100 * beta), seed)
        draws = draw_gaussians(rng, mu=mu, alpha=alpha, beta=beta, n_labeled=n_labeled, n_unlabeled=n_unlabeled)
        scores = logistic_scores(rng, *draws)
        for method in methods or available_priors():
            known = {"method": method, "mu": mu, "alpha": alpha, "beta": beta, "seed": seed}
            rows.append(known | _errors(method, *scores, alpha, beta, seed))
    return pd.DataFrame(rows)


def _errors(method, labeled, unlabeled, alpha, beta, seed):
    start = time.process_time()
    estimate_shares(labeled, unlabeled, method=method, random_state=seed)
    seconds = time.process_time() - start
    a, b = (share.value for share in estimate_shares(labeled, unlabeled, method=method, noisy=True, random_state=seed))
    both = priors_of((a, b))
    return {
        "share_error": a - shares_of(alpha, beta)[0],
        "alpha_error": both[0] - alpha,
        "beta_error": both[1] - beta,
        "seconds": seconds,
    }


def summarize_priors(measured):
    """Mean absolute errors and biases per method.

    Parameters
    ----------
    measured : pandas.DataFrame
        From :func:`measure_priors`.

    Returns
    -------
    pandas.DataFrame
        Indexed by method, best share first: `share`, `share_bias`, `alpha`, `beta`, `clean_beta` (the error of beta
        where all labels are right) and `seconds` (median of one run).
    """
    by_method = measured.groupby("method")
    clean = measured[measured["beta"] == 1].groupby("method")
    table = by_method[["share_error", "alpha_error", "beta_error"]].agg(lambda errors: errors.abs().mean())
    table.columns = ["share", "alpha", "beta"]
    table.insert(1, "share_bias", by_method["share_error"].mean())
    table["clean_beta"] = clean["beta_error"].agg(lambda errors: errors.abs().mean())
    table["seconds"] = by_method["seconds"].median()
    return table.sort_values("share")
