"""Tables that need no run: random cases of Lemmas 3 and 4; Figure 4 by edge of the band, with and without rank 0."""

import numpy as np
import pandas as pd

from pumetrics.bounds import Band, roc_bounds
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015.illustrations import FLIPS
from pumetrics_workflow.studies.claesen2015.rankings import laid_out

__all__ = ["figure4_edges", "lemma_cases"]

CASES = 20_000


def lemma_cases(n=CASES):
    """Return how many of `n` random rankings violate each part of Lemmas 3 and 4; counts are exact integers."""
    rows = [
        *_lemma3(n, rng_for(0, "claesen2015", "lemma3", "cases")),
        *_lemma4(n, rng_for(0, "claesen2015", "lemma4", 0)),
    ]
    return pd.DataFrame(rows, columns=["lemma", "part", "cases", "violations"])


def _lemma3(n, rng):
    """The surrogate set of Theorem 1 against sets within the band on the rank CDF, and against other surrogates.

    A set of latent positives is described by how many of them the head holds: rates depend on nothing else.
    """
    unlabeled, negatives = rng.integers(5, 200, n), rng.integers(0, 50, n)
    latent = rng.integers(1, unlabeled)  # positives among the unlabeled
    head, negative_head = (rng.integers(0, size + 1) for size in (unlabeled, negatives))
    fewest, most = np.maximum(0, latent - (unlabeled - head)), np.minimum(latent, head)
    allowed = rng.uniform(fewest, most + 1)  # the bound on the rank CDF, as a number of positives
    allowed = np.where(rng.random(n) < 0.5, np.floor(allowed), np.minimum(allowed, most))
    surrogate = np.ceil(allowed).astype(int)
    inside = rng.integers(fewest, np.floor(allowed).astype(int) + 1)
    other = rng.integers(surrogate, most + 1)
    not_positive = unlabeled + negatives - latent
    false = {
        name: (head + negative_head - held) / not_positive
        for name, held in (("surrogate", surrogate), ("inside", inside), ("other", other))
    }
    reached = allowed == np.floor(allowed)
    lowest = (head + negative_head - np.floor(allowed).astype(int)) / not_positive
    return [
        ("3", "no set within the band has a lower FPR", n, int((false["inside"] < false["surrogate"]).sum())),
        (
            "3",
            "no other surrogate set bounds the FPR more tightly",
            n,
            int((false["other"] > false["surrogate"]).sum()),
        ),
        (
            "3",
            "a set within the band has this FPR, where the band is at a count",
            int(reached.sum()),
            int((lowest != false["surrogate"])[reached].sum()),
        ),
    ]


def _lemma4(n, rng):
    """Two sets of positives of different size with one TPR at one rank: m and k of them, times two factors."""
    size, held = rng.integers(1, 40, n), rng.random(n)
    held = np.floor(held * (size + 1)).astype(int)
    factor = rng.integers(1, 4, n)
    more = factor + rng.integers(1, 4, n)
    larger, held_larger = more * size, more * held
    smaller, held_smaller = factor * size, factor * held
    others = larger + rng.integers(1, 200, n)  # examples that are not in the larger set
    rank = held_larger + rng.integers(0, others + 1)
    total = larger + others
    fits = (rank - held_smaller >= 0) & (rank - held_smaller <= total - smaller) & (rank <= total)

    def compare(numerator, denominator, other_numerator, other_denominator):
        """Sign of a difference of two fractions."""
        return np.sign(numerator * other_denominator - other_numerator * denominator)

    false_larger, false_smaller = rank - held_larger, rank - held_smaller
    below = compare(false_smaller, total - smaller, held, size)
    change = compare(false_larger, total - larger, false_smaller, total - smaller)
    parts = (("4 (a)", "better than random: the larger set has the lower FPR", -1),
             ("4 (b)", "worse than random: the larger set has the higher FPR", 1))  # fmt: skip
    return [
        (lemma, part, int((fits & (below == sign)).sum()), int((fits & (below == sign) & (change != sign)).sum()))
        for lemma, part, sign in parts
    ]


def figure4_edges(n_labeled=5000, n_unlabeled=45000, alphas=(0, 0.1)):
    """Return the AUROC (%) of models 1 and 2 by the edge of the bootstrap band and with or without rank 0.

    The paper prints four areas and does not say which edge of the bounds they belong to, and the published code has no
    rank 0, so that its curves lack their first segment.
    """
    rows = []
    for model in ("model 1", "model 2"):
        s, score = laid_out(FLIPS[model], n_labeled=n_labeled, n_unlabeled=n_unlabeled)
        share = np.cumsum(s) / n_labeled
        for alpha in alphas:
            plain = roc_bounds(s, score, alpha=alpha, band=Band(share, share)).lower
            edges = roc_bounds(s, score, alpha=alpha, band="bootstrap")
            for edge, curve in (("lower", edges.lower), ("rank CDF", plain), ("upper", edges.upper)):
                areas = [100 * np.trapezoid(curve.tpr[first:], curve.fpr[first:]) for first in (0, 1)]
                rows.append((model, alpha, edge, *areas))
    return pd.DataFrame(rows, columns=["model", "alpha_hat", "edge", "roc_auc", "roc_auc_without_rank_0"])
