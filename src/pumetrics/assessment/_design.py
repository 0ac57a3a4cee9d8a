"""The design of a sample in numbers, and the warnings that follow from it."""

import numpy as np

from pumetrics._weights import effective_size
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
    """A line on why there are no bounds; none without a design."""
    if design is None:
        return ()
    reason = "rank the rows of different folds together" if design.counts_rows else "count independent rows"
    if design.propensity is not None:
        reason = "assume that the labeled rows are a random sample"
    return (f"there are no bounds: they {reason}",)


def impossible(sample, alpha):
    """A warning if propensities would have some positives labeled more often than always, even with so high an alpha.

    Parameters
    ----------
    sample : Sample
    alpha : float
        The largest that is held possible.

    Returns
    -------
    tuple of str
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
    return (
        f"these propensities are impossible with alpha={alpha:.3g}: {rho:.0%} of the positives would be labeled, but "
        f"these propensities allow at most {most:.0%}",
    )


def notes_of(sample):
    """Yield lines on how many independent examples the rows count as."""
    design, counts = sample.design, sample.counts[0]
    if design is None:
        return
    n_labeled, n_unlabeled = sample.n_rows
    effective = counts.n_labeled, counts.n_unlabeled
    if effective[0] < _WORTH * n_labeled or effective[1] < _WORTH * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters, "propensities": design.propensity}
        causes = [name for name, each in kinds.items() if each is not None]
        yield (
            f"the {n_labeled:,} labeled and {n_unlabeled:,} unlabeled rows have effective sample sizes of "
            f"{effective[0]:,} and {effective[1]:,} because of {' and '.join(causes)}; the range of alpha and the "
            "warnings below use these sizes"
        )
    for n, kind in zip(sample.n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            effect = "intervals are then too narrow" if n >= LEAST else f"there is no interval, which needs {LEAST}"
            yield f"{kind} rows come from {n} clusters only: {effect}"
