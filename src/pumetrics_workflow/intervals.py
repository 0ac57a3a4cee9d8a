"""Intervals behind verdicts: of a replication, a median over data sets, and a share of dependent rows."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Answer", "median_over_sets", "prediction", "prediction_of_median", "share_of_clusters"]


@dataclass(frozen=True)
class Answer:
    """What a study found for a published number or claim.

    Attributes
    ----------
    value : float
    note : str
        Additional information for readers.
    low, high : float
        Of a drawn number the prediction interval, of a sign our 95% interval; NaN if no table holds the spread.
    basis : str
        What the interval is computed from, and of how many repeats.
    """

    value: float
    note: str = ""
    low: float = float("nan")
    high: float = float("nan")
    basis: str = ""


def prediction(mean, deviation, ours, theirs=1):
    """Return the 95% prediction interval for the mean of a replication.

    Student's t: mean +/- t(ours - 1) * deviation * sqrt(1 / theirs + 1 / ours) (Patil, Peng & Leek 2016).

    Parameters
    ----------
    mean, deviation : float
        Of our repeats, each one draw.
    ours, theirs : int
        Number of our repeats, and of those behind the published number.

    Examples
    --------
    >>> [round(float(end), 2) for end in prediction(0, 1, 10_000)]
    [-1.96, 1.96]
    """
    from scipy.stats import t

    half = (
        t.ppf(0.975, ours - 1) * deviation * np.sqrt(1 / theirs + 1 / ours) if ours > 1 else np.nan
    )
    return mean - half, mean + half


def prediction_of_median(median, low, high, ours, theirs):
    """Return the 95% prediction interval for the median of a replication, from our deciles.

    Each side as of a normal law: its deviation is the distance of the decile over 1.28, and the standard error of a
    median is sqrt(pi / 2) of that of a mean.
    """
    from scipy.stats import norm

    half = norm.ppf(0.975) * np.sqrt(np.pi / 2 * (1 / theirs + 1 / ours)) / norm.ppf(0.9)
    return median - half * (median - low), median + half * (high - median)


def median_over_sets(values, note="", basis="data sets", tests=1):
    """Return the median with its 95% interval by order statistics, free of any law, as an :class:`Answer`.

    Of several `tests`, the intervals have 95% together (Bonferroni). Fewer than six values have no such interval.

    Examples
    --------
    >>> answer = median_over_sets(range(11))
    >>> answer.value, answer.low, answer.high, answer.basis
    (5.0, 1.0, 9.0, '11 data sets')
    """
    from scipy.stats import binom

    values = np.sort(np.asarray(list(values), dtype=float))
    values = values[~np.isnan(values)]
    if not len(values):
        return Answer(np.nan)
    outside = int(
        binom.ppf(0.025 / tests, len(values), 0.5)
    )  # values that may lie beyond either end
    low, high = (values[outside - 1], values[-outside]) if outside else (np.nan, np.nan)
    return Answer(float(np.median(values)), note, float(low), float(high), f"{len(values)} {basis}")


def share_of_clusters(counts):
    """Return the share of rows that satisfy a rule, with its 95% interval, where rows of a cluster are not independent.

    Of a ratio of two totals over clusters, by Student's t (Cochran 1977, Section 9A.5), and at least as wide as Clopper
    and Pearson's for the same share of as many independent rows as there are clusters: clusters that agree by chance
    have residuals of next to nothing.

    Parameters
    ----------
    counts : sequence of (int, int)
        Of each cluster the rows that satisfy the rule, and the rows.

    Examples
    --------
    >>> round(share_of_clusters([(8, 8), (8, 8)]).low, 3)
    0.158
    >>> [round(float(share_of_clusters(counts).low), 2) for counts in ([(1, 2)] * 8, [(1, 4), (3, 4)] * 4)]
    [0.16, 0.16]
    """
    from scipy.stats import beta, binomtest, t

    k, n = np.transpose(counts)
    value = k.sum() / n.sum()
    if value in (0, 1) or n.max() == 1:
        interval = binomtest(int((k > 0).sum()), len(n)).proportion_ci()
        return Answer(value, "", interval.low, interval.high)
    if len(n) == 1:
        return Answer(value)
    residuals = k - value * n
    half = (
        t.ppf(0.975, len(n) - 1) * np.sqrt(len(n) / (len(n) - 1) * (residuals**2).sum()) / n.sum()
    )
    hits = value * len(n)
    misses = (1 - value) * len(n)
    low = min(value - half, beta.ppf(0.025, hits, misses + 1))
    high = max(value + half, beta.ppf(0.975, hits + 1, misses))
    return Answer(value, "", float(max(0.0, low)), float(min(1.0, high)))
