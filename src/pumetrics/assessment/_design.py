"""The design of a sample in numbers, and the warnings that follow from it."""

import numpy as np

from pumetrics._weights import effective_size
from pumetrics.assessment._words import Caution
from pumetrics.inference.request import LEAST

__all__ = ["design_facts", "impossible", "no_bounds", "notes_of"]

_WORTH = 0.9  # effective share of the rows from which on the output does not mention it
_FEW_CLUSTERS = 50


def design_facts(sample):
    """The design of a sample in numbers, for JSON: None without one.

    Parameters
    ----------
    sample : Sample

    Returns
    -------
    dict or None
        ``weighted``, numbers of ``clusters`` and ``folds`` or None, whether there are propensities, and the effective
        numbers of labeled and unlabeled examples.
    """
    design, counts = sample.design, sample.counts[0]
    if design is None:
        return None
    return {
        "weighted": design.weights is not None,
        "clusters": None if design.clusters is None else len(np.unique(design.clusters)),
        "folds": None if design.folds is None else len(np.unique(design.folds)),
        "propensity": design.propensity is not None,
        "effective_labeled": counts.n_labeled,
        "effective_unlabeled": counts.n_unlabeled,
    }


def no_bounds(design):
    """A warning on why there are no bounds; none without a design."""
    if design is None:
        return ()
    if design.propensity is not None:
        return (Caution("no_bounds_propensity"),)
    return (Caution("no_bounds_folds" if design.counts_rows else "no_bounds_rows"),)


def impossible(sample, alpha):
    """A warning if propensities would have some positives labeled more often than always, even with so high an alpha.

    Parameters
    ----------
    sample : Sample
    alpha : float
        The largest that is held possible.

    Returns
    -------
    tuple of Caution
    """
    design, s = sample.design, sample.s
    if design is None or design.propensity is None:
        return ()
    weights = np.ones(len(s)) if design.weights is None else design.weights
    labeled, unlabeled = (weights * (s == kind) for kind in (1, 0))
    rho = labeled.sum() / (labeled.sum() + alpha * unlabeled.sum())
    stand_for = labeled / design.propensity
    most = labeled.sum() / stand_for.sum()
    error = np.sqrt(max(1 / effective_size(stand_for) - 1 / effective_size(labeled), 0))  # relative, of the sum
    if rho <= most * (1 + 2 * error):
        return ()
    return (Caution("impossible_propensity", alpha=alpha, rho=rho, most=most),)


def notes_of(sample):
    """Yield warnings on how many independent examples the rows count as."""
    design, counts = sample.design, sample.counts[0]
    if design is None:
        return
    n_labeled, n_unlabeled = sample.n_rows
    effective = counts.n_labeled, counts.n_unlabeled
    if effective[0] < _WORTH * n_labeled or effective[1] < _WORTH * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters, "propensities": design.propensity}
        causes = " and ".join(name for name, each in kinds.items() if each is not None)
        sizes = {"labeled": n_labeled, "unlabeled": n_unlabeled, "causes": causes}
        yield Caution("effective", effective_labeled=effective[0], effective_unlabeled=effective[1], **sizes)
    for n, kind in zip(sample.n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            yield Caution("few_clusters" if n >= LEAST else "too_few_clusters", kind=kind, n=n, least=LEAST)
