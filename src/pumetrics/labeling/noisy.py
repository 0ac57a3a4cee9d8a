"""Noisy positives: a labeled sample that contains some negatives, and an unlabeled one."""

from dataclasses import dataclass

import numpy as np

from pumetrics._validation import check_count, check_fraction, check_labels, check_random_state

__all__ = ["CappedSample", "LargestSample", "largest_unlabeled_size", "noisy_positives", "noisy_sizes"]


def noisy_positives(y, *, beta, n_labeled, n_unlabeled=None, random_state=None):
    """Sample of labeled examples, with label noise, and of unlabeled ones.

    round(beta n_labeled) positives and negatives for the rest are labeled. The share of positives among all remaining
    examples becomes alpha; round(alpha n_unlabeled) of the remaining positives and negatives for the rest are the
    unlabeled sample. No example is drawn twice.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    beta : float
        Share of positives among the labeled, in (0, 1].
    n_labeled : int
        Number of labeled examples.
    n_unlabeled : int, optional
        Number of unlabeled examples; by default all that remain.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    rows : ndarray of shape (n_labeled + n_unlabeled,)
        Positions in `y`, ascending, so that their order carries no information about the labels.
    s : ndarray of shape (n_labeled + n_unlabeled,)
        Labels of these rows: 1 labeled, 0 unlabeled. The true alpha is ``y[rows][s == 0].mean()``.

    Raises
    ------
    ValueError
        If `y` lacks a class, a size is out of range, the data hold too few positives or negatives, or alpha would
        not be smaller than beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Section 3.3; Jain, White & Radivojac (2017), "Experimental protocols".

    Examples
    --------
    >>> y = np.repeat([1, 0], [400, 600])
    >>> rows, s = noisy_positives(y, beta=0.9, n_labeled=100, n_unlabeled=500, random_state=0)
    >>> float(y[rows][s == 1].mean()), float(y[rows][s == 0].mean())
    (0.9, 0.344)
    """
    y = check_labels(y, "y")
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    sizes, shortage = noisy_sizes(len(positives), len(negatives), beta, n_labeled, n_unlabeled)
    if shortage:
        raise ValueError(shortage)
    rng = check_random_state(random_state)
    positives, negatives = rng.permutation(positives), rng.permutation(negatives)
    labeled_positives, labeled_negatives, unlabeled_positives, unlabeled_negatives = sizes
    s = np.full(len(y), -1, dtype=np.int8)  # -1: not in the sample
    s[positives[:labeled_positives]] = 1
    s[negatives[:labeled_negatives]] = 1
    s[positives[labeled_positives : labeled_positives + unlabeled_positives]] = 0
    s[negatives[labeled_negatives : labeled_negatives + unlabeled_negatives]] = 0
    rows = np.flatnonzero(s >= 0)
    return rows, s[rows]


def largest_unlabeled_size(n_positive, n_negative, *, betas, choices=(10_000, 5_000, 2_000, 1_000), labeled_ratio=0.1):
    """Largest unlabeled sample that the data allow at every noise level.

    Parameters
    ----------
    n_positive, n_negative : int
        Numbers of positives and negatives at hand.
    betas : sequence of float
        Shares of positives among the labeled that must all be feasible, each in (0, 1].
    choices : sequence of int
        Sizes to choose from.
    labeled_ratio : float, default=0.1
        Number of labeled examples per unlabeled one; round(labeled_ratio n_unlabeled) are labeled.

    Returns
    -------
    int
        The largest feasible of `choices`.

    Raises
    ------
    ValueError
        If none is feasible; names what is short for the smallest of them.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Section 3.3.

    Examples
    --------
    >>> largest_unlabeled_size(1_000, 3_000, betas=(1, 0.9, 0.8, 0.7))
    2000
    """
    for n_unlabeled in sorted(choices, reverse=True):
        n_labeled = round(labeled_ratio * n_unlabeled)
        shortages = [noisy_sizes(n_positive, n_negative, beta, n_labeled, n_unlabeled)[1] for beta in betas]
        if not any(shortages):
            return int(n_unlabeled)
    raise ValueError(f"no unlabeled sample of {', '.join(map(str, choices))} fits: {next(filter(None, shortages))}")


@dataclass(frozen=True)
class LargestSample:
    """Sizes of both samples: the largest unlabeled one that the data allow at every noise level.

    Attributes
    ----------
    n_unlabeled : sequence of int
        Sizes to choose from.
    labeled_ratio : float
        Number of labeled examples per unlabeled one.
    betas : sequence of float
        Shares of positives among the labeled that one size has to serve.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Section 3.3.
    """

    n_unlabeled: tuple = (10_000, 5_000, 2_000, 1_000)
    labeled_ratio: float = 0.1
    betas: tuple = (1.0,)

    def sizes(self, n_positive, n_negative):
        """Return (n_labeled, n_unlabeled), or raise ValueError if none of the sizes is feasible.

        Examples
        --------
        >>> LargestSample(betas=(1, 0.7)).sizes(1_000, 3_000)
        (200, 2000)
        """
        size = largest_unlabeled_size(
            n_positive, n_negative, betas=self.betas, choices=self.n_unlabeled, labeled_ratio=self.labeled_ratio
        )
        return round(self.labeled_ratio * size), size


@dataclass(frozen=True)
class CappedSample:
    """Sizes of both samples: a fixed labeled one, and all that remains unlabeled up to a cap.

    Attributes
    ----------
    labeled_large, labeled_small : int
        Labeled examples where there are more than `labeled_large` positives, and where there are not.
    unlabeled_at_most : int
    betas : sequence of float
        Not used: the sizes do not depend on the noise.

    References
    ----------
    Jain, White & Radivojac (2017), "Experimental protocols".
    """

    labeled_large: int = 1_000
    labeled_small: int = 100
    unlabeled_at_most: int = 10_000
    betas: tuple = ()

    def sizes(self, n_positive, n_negative):
        """Return (n_labeled, n_unlabeled), or raise ValueError if all positives would be labeled.

        Examples
        --------
        >>> CappedSample().sizes(500, 3_000)
        (100, 3400)
        """
        n_labeled = self.labeled_large if n_positive > self.labeled_large else self.labeled_small
        if n_positive <= n_labeled:
            raise ValueError(f"{n_positive} positives, of which {n_labeled} are to be labeled: none would remain")
        return n_labeled, min(self.unlabeled_at_most, n_positive + n_negative - n_labeled)


def noisy_sizes(n_positive, n_negative, beta, n_labeled, n_unlabeled):
    """Positives and negatives of the labeled and of the unlabeled sample, or None; and what is short, or None."""
    beta, n_labeled = check_fraction(beta, "beta"), check_count(n_labeled, "n_labeled")
    labeled = (round(beta * n_labeled), n_labeled - round(beta * n_labeled))
    rest = (n_positive - labeled[0], n_negative - labeled[1])
    n_unlabeled = max(sum(rest), 1) if n_unlabeled is None else check_count(n_unlabeled, "n_unlabeled")
    wanted = f"{n_labeled} labeled (beta={beta:g}) and {n_unlabeled} unlabeled examples"
    for kind, need, have in (
        ("positives to label", labeled[0], n_positive),
        ("negatives to label", labeled[1], n_negative),
        ("examples in all", n_labeled + n_unlabeled, n_positive + n_negative),
    ):
        if need > have:
            return None, f"{wanted} need {need} {kind}, the data hold {have}: choose smaller samples"
    alpha = rest[0] / sum(rest)
    if alpha >= beta:
        return None, f"{wanted} leave alpha={alpha:.3g}, which must be smaller than beta: choose a larger beta"
    positives = round(alpha * n_unlabeled)
    return (*labeled, positives, n_unlabeled - positives), None
