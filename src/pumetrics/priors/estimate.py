"""One door to all estimators of class priors."""

from difflib import get_close_matches

import numpy as np

from pumetrics._validation import check_scores
from pumetrics.priors._types import Priors
from pumetrics.priors.registry import METHODS, available_priors
from pumetrics.priors.two_component import combine_shares

__all__ = ["estimate_priors"]


def estimate_priors(labeled_scores, unlabeled_scores, *, method="bbe", noisy=False, random_state=None):
    """Estimate the share of positives among the unlabeled, and among the labeled where labels may be wrong.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : array-like of shape (n_labeled,) and (n_unlabeled,)
        Out-of-sample scores of a classifier trained to tell labeled from unlabeled, higher for more positive.
    method : str
        One of :func:`available_priors`.
    noisy : bool
        Whether labeled examples may be negatives. If so the method is run twice, with the roles of the samples
        swapped, and beta is estimated too; otherwise beta is 1.
    random_state : int, Generator or None
        Source of whatever is random in the method.

    Returns
    -------
    Priors

    Raises
    ------
    ValueError
        If a sample is empty, holds NaN or infinity, all scores are equal, or the method is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.uniform(0.5, 1, size=500)
    >>> unlabeled = np.concatenate([rng.uniform(0.5, 1, size=600), rng.uniform(0, 0.5, size=1400)])
    >>> priors = estimate_priors(labeled, unlabeled)
    >>> abs(priors.alpha - 0.3) < 0.06, priors.beta
    (True, 1.0)
    """
    labeled, unlabeled = _check_samples(labeled_scores, unlabeled_scores)
    chosen = _find(method)
    rng = np.random.default_rng(random_state)
    first = chosen.estimate(labeled, unlabeled, rng=rng)
    if not noisy:
        notes = _notes(first, "unlabeled")
        return Priors(first.value, 1.0, method, warnings=notes, evidence={"unlabeled": first.evidence})
    turned = (_turn(labeled), _turn(unlabeled)) if chosen.oriented else (labeled, unlabeled)
    second = chosen.estimate(turned[1], turned[0], rng=rng)
    alpha, beta = combine_shares(first.value, second.value)
    return Priors(
        alpha,
        beta,
        method,
        warnings=_notes(first, "unlabeled") + _notes(second, "labeled"),
        evidence={"unlabeled": first.evidence, "labeled": second.evidence},
    )


def _check_samples(labeled_scores, unlabeled_scores):
    labeled = check_scores(labeled_scores, "labeled_scores")
    unlabeled = check_scores(unlabeled_scores, "unlabeled_scores")
    value = labeled[0]
    if (labeled == value).all() and (unlabeled == value).all():
        raise ValueError(
            f"all labeled_scores and unlabeled_scores are {value}: constant scores say nothing about the priors; "
            "use the scores of a classifier that tells labeled from unlabeled examples"
        )
    return labeled, unlabeled


def _find(method):
    if method not in METHODS:
        near = get_close_matches(str(method), METHODS, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"method must name an estimator, got {method!r}: {hint}Known: {', '.join(available_priors())}")
    return METHODS[method]


def _turn(scores):
    """Scores turned around, so that unlabeled examples score high: probabilities stay probabilities."""
    return 1 - scores if scores.min() >= 0 and scores.max() <= 1 else -scores


def _notes(share, where):
    notes = [f"among the {where}: {note}" for note in share.notes]
    if share.value <= share.low or share.value >= share.high:
        notes.append(
            f"among the {where}: the estimate {share.value:.3g} lies at the edge of what the method can answer, "
            f"[{share.low:.3g}, {share.high:.3g}]"
        )
    return tuple(notes)
