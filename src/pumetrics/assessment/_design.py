"""Weights, clusters and folds of an assessment: what is computed with them, left out because of them, and said."""

from typing import NamedTuple

import numpy as np

from pumetrics.counts import Counts, count_scores
from pumetrics.inference.designs import DesignDrawer, Parts, sizes_of
from pumetrics.priors.from_counts import samples_of

__all__ = ["View", "design_facts", "design_in_words", "no_bounds", "view_of"]

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
    s: np.ndarray
    """Labels behind `counts`; of a large weighted sample of evenly spaced examples only."""
    y_score: np.ndarray
    """Scores behind `counts`, as `s`."""
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
        return View(counts, counts, (counts.n_labeled, counts.n_unlabeled), s, y_score)
    sample = DesignDrawer(s, [y_score], design).full[0]
    weights = np.ones(len(s)) if design.weights is None else design.weights
    sizes = tuple(float(weights[s == kind].sum()) for kind in (1, 0))
    labeled, unlabeled = samples_of(sample.pooled)
    labels = np.repeat(np.array([1, 0], np.int8), [len(labeled), len(unlabeled)])
    return View(sample, sample.pooled, sizes, labels, np.concatenate([labeled, unlabeled]), tuple(_notes(s, design)))


def design_facts(s, design):
    """The design in numbers, for JSON: None without one.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 and 0.
    design : Design or None

    Returns
    -------
    dict or None
        ``weighted``, numbers of ``clusters`` and ``folds`` or None, and the effective numbers of labeled and unlabeled
        examples.
    """
    if design is None:
        return None
    labeled, unlabeled = sizes_of(s, design)
    return {
        "weighted": design.weights is not None,
        "clusters": None if design.clusters is None else len(np.unique(design.clusters)),
        "folds": None if design.folds is None else len(np.unique(design.folds)),
        "effective_labeled": labeled,
        "effective_unlabeled": unlabeled,
    }


def no_bounds(design):
    """A line on why there are no bounds; none without a design."""
    if design is None:
        return ()
    reason = "rank the rows of different folds together" if design.counts_rows else "count independent rows"
    return (f"no bounds: they {reason}",)


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


def _notes(s, design):
    facts = design_facts(s, design)
    n_labeled, n_unlabeled = np.count_nonzero(s == 1), np.count_nonzero(s == 0)
    effective = facts["effective_labeled"], facts["effective_unlabeled"]
    if effective[0] < _WORTH * n_labeled or effective[1] < _WORTH * n_unlabeled:
        causes = [name for name, there in (("weights", facts["weighted"]), ("clusters", facts["clusters"])) if there]
        yield (
            f"the {n_labeled:,} labeled and {n_unlabeled:,} unlabeled rows are worth {effective[0]:,.0f} and "
            f"{effective[1]:,.0f} independent examples of equal weight, because of {' and '.join(causes)}: the range "
            "of alpha and the warnings below take them for so many"
        )
    if facts["clusters"] is not None:
        for value, kind in ((1, "labeled"), (0, "unlabeled")):
            n_clusters = len(np.unique(design.clusters[s == value]))
            if n_clusters < _FEW_CLUSTERS:
                yield f"{kind} rows come from {n_clusters} clusters only: intervals of so few are too narrow"
