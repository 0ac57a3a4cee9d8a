"""Weights, clusters, folds and propensities: what is computed with them, left out because of them, and said."""

from typing import NamedTuple

import numpy as np

from pumetrics._weights import effective_size
from pumetrics.counts import Counts, count_scores
from pumetrics.inference.designs import Parts
from pumetrics.inference.resampling import DesignDrawer
from pumetrics.priors.from_counts import samples_of

__all__ = ["LEAST", "View", "design_facts", "design_in_words", "impossible", "no_bounds", "view_of"]

LEAST = 10
"""Resamples, examples or clusters of either kind below which there is no interval."""

_WORTH = 0.9  # effective share of the rows from which on it is not worth a word
_FEW_CLUSTERS = 50


class View(NamedTuple):
    """A sample as its numbers, its priors and its doubts see it; all the same where every row counts alike."""

    sample: Counts | Parts
    """What scores are computed from."""
    counts: Counts
    """Whole counts of one ranking, of a sample of effective size: what priors and their doubts see."""
    sizes: tuple
    """Numbers of labeled and of unlabeled examples, or the sums of their weights."""
    s: np.ndarray | None
    """Labels behind `counts`, of a large weighted sample of evenly spaced examples only; None where every row counts
    alike."""
    y_score: np.ndarray | Counts
    """Scores behind `counts`, as `s`; or `counts` itself."""
    n_drawn: int
    """Number of labeled or of unlabeled examples, or of clusters with some, whichever is less: what resamples draw."""
    notes: tuple = ()
    """Lines on how many examples its rows are worth."""


def view_of(s, y_score, design):
    """How an assessment sees a sample.

    Parameters
    ----------
    s, y_score : ndarray of shape (n,)
        Checked labels, 1 and 0, and scores.
    design : Design or None

    Returns
    -------
    View
    """
    if design is None:
        counts = count_scores(s, y_score)
        sizes = (counts.n_labeled, counts.n_unlabeled)
        return View(counts, counts, sizes, None, counts, min(sizes))
    sample = DesignDrawer(s, [y_score], design).full[0]
    weights = np.ones(len(s)) if design.weights is None else design.weights
    sizes = tuple(float(weights[s == kind].sum()) for kind in (1, 0))
    labeled, unlabeled = samples_of(sample.pooled)
    labels = np.repeat(np.array([1, 0], np.int8), [len(labeled), len(unlabeled)])
    n_clusters = [] if design.clusters is None else [len(np.unique(design.clusters[s == kind])) for kind in (1, 0)]
    n_drawn = min(sample.pooled.n_labeled, sample.pooled.n_unlabeled, *n_clusters)
    scores, notes = np.concatenate([labeled, unlabeled]), tuple(_notes(s, design, sample.pooled, n_clusters))
    return View(sample, sample.pooled, sizes, labels, scores, n_drawn, notes)


def design_facts(design, counts):
    """The design in numbers, for JSON: None without one.

    Parameters
    ----------
    design : Design or None
    counts : Counts
        Those of the :class:`View` of the sample.

    Returns
    -------
    dict or None
        ``weighted``, numbers of ``clusters`` and ``folds`` or None, whether there are propensities, and the effective
        numbers of labeled and unlabeled examples.
    """
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
        reason = "take the labeled rows for a random sample"
    return (f"no bounds: they {reason}",)


def impossible(s, design, alpha):
    """A warning if propensities would have some positives labeled more often than always, even with so high an alpha.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 and 0.
    design : Design or None
    alpha : float
        The largest that is held possible.

    Returns
    -------
    tuple of str
    """
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
        f"these propensities are impossible with alpha={alpha:.3g}: {rho:.0%} of the positives would be labeled, and "
        f"with such propensities at most {most:.0%} can be",
    )


def design_in_words(facts):
    """Sentences on what weights, clusters and folds mean for the numbers, as a list; empty without a design."""
    if facts is None:
        return []
    sentences = []
    if facts["weighted"]:
        sentences.append("Rows count by their weights.")
    if facts["clusters"] is not None:
        sentences.append(f"Intervals resample {facts['clusters']:,} clusters of rows, not rows.")
    if facts["folds"] is not None:
        sentences.append(
            f"Scores are compared within folds only: every number is the mean of {facts['folds']} folds, weighted by "
            "size; best: at the share of rows predicted positive, the same in all folds, that is best on average."
        )
    return sentences


def _notes(s, design, counts, n_clusters):
    n_labeled, n_unlabeled = np.count_nonzero(s == 1), np.count_nonzero(s == 0)
    effective = counts.n_labeled, counts.n_unlabeled
    if effective[0] < _WORTH * n_labeled or effective[1] < _WORTH * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters, "propensities": design.propensity}
        causes = [name for name, each in kinds.items() if each is not None]
        yield (
            f"the {n_labeled:,} labeled and {n_unlabeled:,} unlabeled rows are worth {effective[0]:,} and "
            f"{effective[1]:,} independent examples of equal weight, because of {' and '.join(causes)}: the range "
            "of alpha and the warnings below take them for so many"
        )
    for n, kind in zip(n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            effect = "intervals of so few are too narrow" if n >= LEAST else f"no interval, which needs {LEAST}"
            yield f"{kind} rows come from {n} clusters only: {effect}"
