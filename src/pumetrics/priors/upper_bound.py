"""The largest share of hidden positives that random labels allow: upper bounds that are theorems.

If labels may be wrong, take labeled positives for a random sample of the positives, and wrongly labeled examples for a
random sample of the negatives. Then the unlabeled examples are a mixture of the labeled distribution, with the share
alpha / beta, and of negatives; and the labeled ones of the unlabeled distribution, with the share
(1 - beta) / (1 - alpha), and of positives. Each share has the upper bound of :func:`largest_alpha`.
"""

from bisect import bisect_left

import numpy as np
from scipy.special import gammaln

from pumetrics.counts import place_samples
from pumetrics.validation import check_fraction

__all__ = [
    "MOST_SHARE",
    "largest_alpha",
    "largest_random_alpha",
    "largest_shares",
    "random_label_p_value",
]

MOST_SHARE = 0.995
"""Shares are cut off there: at 1 both samples look alike, and corrections divide by next to nothing."""

_TESTS = 12  # labeled ranks tested; measured: 8 to 32 give upper ends within 4% of each other
# Of the test of random labels: selection by score moves the middle of the labeled most, so there fewer ranks see more
# (measured: a twofold selection in 0.93 instead of 0.77 of samples with 500 labeled examples).
_SHARES = (0.1, 0.25, 0.4, 0.55, 0.7)


def largest_alpha(counts, *, confidence=0.95):
    """Upper confidence bound on alpha that holds for any distribution of the scores.

    With K hidden positives the n labeled ones are a random subset of n + K. At every cut, the positives that must
    be above it cannot outnumber the examples there. A K is rejected if the ranks of the labeled ones would then be
    improbably high; the bound is the largest K that is not rejected.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    confidence : float
        Probability in (0, 1) that the bound holds, given that labels are clean and at random.

    Returns
    -------
    float
        Share of the unlabeled examples, in [0, 1]; 1 means that there is no restriction.

    Raises
    ------
    ValueError
        If `confidence` is out of range.

    Notes
    -----
    The position of the x-th labeled positive among all positives is negative hypergeometric, and no larger than the
    number of examples at or above its score. Some ranks x, chosen by n alone, are tested at (1 - confidence) / number
    of ranks each (Bonferroni), so the bound needs no table, no seed and no band: 20 steps of bisection, whatever K is.
    Measured against the joint band that :func:`pumetrics.bounds.rank_cdf_band` computes, its upper ends are 2 to 10%
    higher (the more, the fewer labels), at a hundredth of the time.

    There is no lower bound without an assumption: a few positives can always hide among the negatives (Blanchard,
    Lee & Scott 2010, "Semi-supervised novelty detection", JMLR 11; Donoho 1988).

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> rng = np.random.default_rng(0)
    >>> counts = count_scores(np.repeat([1, 0], [200, 1000]), rng.normal(np.repeat([4.0, 4.0, 0.0], [200, 300, 700])))
    >>> round(largest_alpha(counts), 3)
    0.317
    """
    level = 1 - check_fraction(confidence, "confidence", inclusive=False)
    kept = counts.kept(
        f"largest_alpha {level}", None, lambda: (np.array(_largest(counts, _tests(counts), level)),)
    )
    return float(kept[0])


def largest_shares(counts, samples, *, confidence=0.95):
    """Upper confidence bounds on alpha / beta and on (1 - beta) / (1 - alpha), for any distribution of the scores.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    samples : tuple of ndarray
        Labeled and unlabeled scores.
    confidence : float
        Probability in (0, 1) that a bound holds, for each of them.

    Returns
    -------
    labeled_in_unlabeled, unlabeled_in_labeled : float
        In [0, 1]; 1 means that there is no restriction. The first bounds alpha, the second 1 - beta.

    Raises
    ------
    ValueError
        If `confidence` is out of range.

    Notes
    -----
    Why the first holds: let each unlabeled example be drawn from the labeled distribution with probability
    alpha / beta and else from the negatives; that gives positives the share alpha. Those drawn from the labeled
    distribution and the labeled examples are one sample, of which the labeled are a random part: the premise of
    :func:`largest_alpha`, with "drawn from it" in the place of "positive". All unlabeled
    positives are among them. The second is the same with the roles of the samples swapped. Both need alpha < beta and
    errors that are random given the class: a rule that mislabels difficult negatives breaks them.

    Examples
    --------
    >>> from pumetrics.counts import place_samples
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(np.repeat([5.0, 0.0], [450, 50]))  # beta 0.9
    >>> unlabeled = rng.normal(np.repeat([5.0, 0.0], [300, 700]))  # alpha 0.3
    >>> alpha_at_most, noise_at_most = largest_shares(place_samples(labeled, unlabeled).counts(), (labeled, unlabeled))
    >>> 0.3 < alpha_at_most < 0.4, 0.1 < noise_at_most < 0.2
    (True, True)
    """
    labeled, unlabeled = samples
    swapped = place_samples(-unlabeled, -labeled).counts()
    return tuple(largest_alpha(each, confidence=confidence) for each in (counts, swapped))


def largest_random_alpha(counts, *, level=0.01):
    """Largest alpha at which :func:`random_label_p_value` still exceeds a level.

    Parameters
    ----------
    counts : Counts
    level : float
        In (0, 1).

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If `level` is out of range.
    """
    return _largest(counts, _middle_tests(counts), check_fraction(level, "level", inclusive=False))


def random_label_p_value(counts, *, alpha):
    """P value of a test that the labeled examples are a random sample of the positives, if alpha is right.

    The test detects labels that favor high-scoring positives once the labeled ones rank higher than all positives can.
    It does not detect the opposite, nor a selection under which the hidden positives still fit among the unlabeled
    examples: they do if negatives score high or alpha is small. If alpha is unknown, no test can detect a selection,
    because a smaller alpha explains the same scores.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    alpha : float
        Share of positives among the unlabeled, in [0, 1].

    Returns
    -------
    float
        In [0, 1]; small if `alpha` and random, clean labels cannot both hold.

    Raises
    ------
    ValueError
        If `alpha` is out of range.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> counts = count_scores(np.repeat([1, 0], [20, 100]), np.arange(120)[::-1])
    >>> random_label_p_value(counts, alpha=0.5) < 0.001, random_label_p_value(counts, alpha=0.0)
    (True, 1.0)
    """
    hidden = int(np.floor(check_fraction(alpha, "alpha") * counts.n_unlabeled + 1e-9))
    return _p_value(*_middle_tests(counts), counts.n_labeled, hidden)


def _largest(counts, tests, level):
    """Largest share of hidden positives that tests accept, by bisection."""
    hidden = range(1, counts.n_unlabeled + 1)
    accepted = bisect_left(
        hidden, True, key=lambda n: _p_value(*tests, counts.n_labeled, n) <= level
    )
    return accepted / counts.n_unlabeled


def _tests(counts):
    """Labeled ranks to test, and labeled and unlabeled examples at or above the score of each."""
    depth = np.log(counts.n_labeled + 1.0)
    odds = np.exp(-np.linspace(-depth, depth, _TESTS))
    return _at_ranks(counts, counts.n_labeled / (1 + odds))


def _middle_tests(counts):
    """The same at a few ranks around the middle of the labeled."""
    return _at_ranks(counts, counts.n_labeled * np.array(_SHARES))


def _at_ranks(counts, places):
    ranks = np.unique(np.ceil(places).astype(np.int64))
    at = np.searchsorted(counts.labeled, ranks, side="left")
    return ranks, counts.labeled[at], counts.unlabeled[at]


def _p_value(ranks, labeled, unlabeled, n_labeled, n_hidden):
    """Smallest P(the x-th labeled positive has at most that many positives at or above it), times the tests."""
    most = labeled + np.minimum(unlabeled, n_hidden)
    tails = _upper_tails(ranks, most, n_labeled, n_labeled + n_hidden)
    return float(min(tails.min() * len(ranks), 1.0))


def _upper_tails(at_least, drawn, n_marked, total):
    """P(X >= at_least), X the marked ones among the first `drawn` of `total` in random order; 1 below the mean."""
    # Beyond the mean terms fall faster than geometrically; past this many standard deviations they vanish.
    terms = at_least[:, None] + np.arange(min(n_marked, int(8 * np.sqrt(n_marked)) + 30))
    drawn_of = drawn[:, None]
    left = total - drawn_of
    inside = (terms <= np.minimum(drawn_of, n_marked)) & (n_marked - terms <= left)

    x = np.where(inside, terms, 0)
    j = np.where(inside, drawn_of, 0)
    spare = np.where(inside, left, n_marked)
    logs = _log_choose(j, x) + _log_choose(spare, n_marked - x) - _log_choose(total, n_marked)
    sums = np.where(inside, np.exp(logs), 0.0).sum(axis=1)
    return np.where(at_least * total > drawn * n_marked, sums, 1.0)


def _log_choose(n, k):
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
