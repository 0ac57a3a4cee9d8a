"""Intervals of the difference of two models on the same examples.

Percentiles of few resampled rows are too narrow, and where no row tells two models apart they have no width. At a
threshold, and at the top of a ranking, the difference is a function of shares: of the labeled, and of the unlabeled,
that only the first model flags, that only the second does, and that both do. Each share has exact ends of its own;
moved there one at a time, they move the difference, and the squares of these moves add up. Areas, maxima, and rows with
weights or clusters have resamples, which are stretched about the difference of the sample.
"""

from functools import cached_property

import numpy as np

from pumetrics.inference.drawn import percentiles
from pumetrics.metrics import rates_at
from pumetrics.rates import separated, with_shares

__all__ = ["PairedRates", "binomial_ends", "square_and_add", "stretch"]


def binomial_ends(k, n, confidence):
    """Ends of the exact interval of a binomial share.

    Parameters
    ----------
    k, n : float or ndarray
        Successes and trials, or effective numbers of them.
    confidence : float

    Returns
    -------
    lower, upper : ndarray
        In [0, 1].

    References
    ----------
    Clopper & Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of the binomial".

    Examples
    --------
    >>> lower, upper = binomial_ends(np.array([0, 20]), 20, 0.95)
    >>> lower.round(3), upper.round(3)
    (array([0.   , 0.832]), array([0.168, 1.   ]))
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        lower = np.where(k > 0, betaincinv(k, n - k + 1, tail), 0.0)
        upper = np.where(k < n, betaincinv(k + 1, n - k, 1 - tail), 1.0)
    return lower, upper


def stretch(n_drawn, confidence):
    """By how much the deviations of resamples of few rows are too small: t stands in the place of z.

    Parameters
    ----------
    n_drawn : float
        What resamples draw: examples of a kind, or clusters, whichever are fewest. Below 2 counts as 2.
    confidence : float

    Returns
    -------
    float
        At least 1.

    References
    ----------
    Hesterberg (2015), "What teachers should know about the bootstrap", Section 4.

    Examples
    --------
    >>> [round(stretch(n, 0.95), 3) for n in (10, 20, 50, 100, 400)]
    [1.217, 1.096, 1.036, 1.017, 1.004]
    """
    from scipy.special import ndtri, stdtrit

    n_drawn = max(n_drawn, 2.0)
    tail = (1 + confidence) / 2
    narrow = np.sqrt((n_drawn - 1) / n_drawn)
    return float(stdtrit(n_drawn - 1, tail) / ndtri(tail) / narrow)


def square_and_add(function, shares, lower, upper):
    """Falls and rises of a function of shares of one multinomial sample or several independent ones.

    Parameters
    ----------
    function : callable
        ``function(shares)`` returns a float or an array, from shares of shape (n_samples, n_cells).
    shares : ndarray of shape (n_samples, n_cells)
        Shares of the cells of each sample.
    lower, upper : ndarray of shape (n_samples, n_cells)
        Ends of each share.

    Returns
    -------
    value, fall, rise : float or ndarray
        The function of the shares, and how far its ends lie below and above.

    Notes
    -----
    Shares of one sample are correlated: by -sqrt(p q / ((1 - p) (1 - q))).

    References
    ----------
    Zou & Donner (2008), "Construction of confidence limits about effect measures: a general approach"; Newcombe (1998),
    "Improved confidence intervals for the difference between binomial proportions based on paired data".
    """
    value = function(shares)
    with np.errstate(divide="ignore"):
        odds = np.sqrt(shares / (1 - shares))
    odds[shares >= 1] = 0.0  # a share without variance goes with no other

    fall = np.zeros_like(value)
    rise = np.zeros_like(value)
    for sample in range(len(shares)):
        moves = {"fall": [], "rise": []}
        for cell in range(shares.shape[1]):
            changes = []
            for ends in (lower, upper):
                moved = shares.copy()
                moved[sample, cell] = ends[sample, cell]
                changes.append(function(moved) - value)
            down, up = changes
            moves["fall"].append(np.where(down < up, np.maximum(-down, 0), -np.maximum(-up, 0)))
            moves["rise"].append(np.where(down < up, np.maximum(up, 0), -np.maximum(down, 0)))

        correlation = -np.outer(odds[sample], odds[sample])
        np.fill_diagonal(correlation, 1.0)
        fall = fall + _squared(moves["fall"], correlation)
        rise = rise + _squared(moves["rise"], correlation)
    return value, np.sqrt(fall), np.sqrt(rise)


def _squared(moves, correlation):
    """Square of a sum of correlated moves, each signed by the way in which its share moves."""
    moves = np.array(moves)
    return np.maximum(np.einsum("i...,ij,j...->...", moves, correlation, moves), 0.0)


class PairedRates:
    """Intervals of differences of two models.

    Parameters
    ----------
    sample : Sample
        Of two models.
    pairs : ndarray of shape (1 + n_resamples, n_pairs, 2)
        Alpha and beta of the sample, the estimate first, and of every resample.
    ask : Ask
    confidence : float
        Of the sampling error.
    drawn : list of DrawnRates
        Of each model.
    """

    def __init__(self, sample, pairs, ask, confidence, drawn):
        self._sample = sample
        self._pairs = pairs
        self._ask = ask
        self._confidence = confidence
        self._drawn = drawn
        self._counts = [model.counts for model in sample.full]

    def ends(self, entry, gaps, own):
        """Ends of a difference, which contain that of the sample.

        Parameters
        ----------
        entry : Metric
        gaps : ndarray of shape (1 + n_resamples, n_pairs)
            Of the sample, and of each resample.
        own : ndarray of shape (n_resamples, n_pairs) or (1, n_pairs)
            Of the sample at the priors of each resample.

        Returns
        -------
        lower, upper : ndarray of shape (n_pairs,)
        """
        exact = entry.kind == "top" or (
            entry.kind == "threshold" and self._ask.threshold is not None
        )
        if exact and self._sample.design is None:
            lower, upper = self._added(entry, gaps.shape[1])
        else:
            resamples = own + stretch(self._sample.n_drawn, self._confidence) * (gaps[1:] - own)
            ends = percentiles(resamples, self._confidence)
            falls, rises = self._unseen(entry)
            lower = np.minimum(ends[0], gaps[0] - falls)
            upper = np.maximum(ends[1], gaps[0] + rises)

        low, high = entry.range
        lower = np.clip(lower, low - high, high - low)
        upper = np.clip(upper, low - high, high - low)
        return np.minimum(lower, gaps[0]), np.maximum(upper, gaps[0])

    def _added(self, entry, n_pairs):
        """Ends by squares that add up, at each pair of priors; where these are drawn, of both together."""
        shares = self._shares(entry)
        ends = binomial_ends(shares * self._sizes, self._sizes, self._confidence)
        found = []
        for column in range(n_pairs):
            pairs = self._pairs[1:, column]
            differ = np.ptp(pairs, axis=0).max() > 0
            alpha, beta = pairs.T if differ else pairs[0]
            value, fall, rise = square_and_add(
                self._difference(entry, shares, alpha, beta), shares, *ends
            )
            if differ:
                # Of either sign at all priors, so that the models may change places.
                drawn = [
                    value + np.where(deviates < 0, fall, rise) * deviates
                    for deviates in (self._deviates, -self._deviates)
                ]
                found.append(percentiles(np.concatenate(drawn), self._confidence, even=True))
            else:
                found.append((value - fall, value + rise))
        return np.transpose(found)

    def _unseen(self, entry):
        """How far the difference may lie from that of the sample for what no resample shows.

        Of an area, as far as one more labeled example moves it that one model ranks first and the other last; of the
        others as far as shares that are empty or full may reach.
        """
        if entry.kind == "area":
            (first, second) = ([model.moved(entry, end) for end in (0, 1)] for model in self._drawn)
            return second[1] - first[0], first[1] - second[0]

        shares = self._shares(entry)
        lower, upper = binomial_ends(shares * self._sizes, self._sizes, self._confidence)
        inside = (shares > 0) & (shares < 1)
        alpha, beta = self._pairs[0, 0]
        _, fall, rise = square_and_add(
            self._difference(entry, shares, alpha, beta),
            shares,
            np.where(inside, shares, lower),
            np.where(inside, shares, upper),
        )
        return fall, rise

    @cached_property
    def _sizes(self):
        """Effective numbers of labeled and of unlabeled examples, of shape (2, 1)."""
        return np.array(self._sample.effective_sizes)[:, None]

    def _difference(self, entry, shares, alpha, beta):
        """The difference as a function of the shares that only the first, only the second and both models flag."""
        c = self._counts[0].c
        among = self._ask.population
        # As many rows are at the top whatever part of them is labeled.
        swapped = c / (1 - c) if among == "all" else 0.0

        def difference(moved):
            alone = moved[:, :2]
            both = np.minimum(
                moved[:, 2], 1 - alone.sum(axis=1)
            )  # what one flags alone, both do not
            scores = []
            for model in (0, 1):
                flagged = alone[:, model] + both
                if entry.kind == "top":
                    kept = shares[:, model] + shares[:, 2]
                    flagged[1] = kept[1] - swapped * (flagged[0] - kept[0])
                seen = np.clip(flagged, 0, 1)
                rates = separated(*seen, alpha, beta)
                score = entry.formula(with_shares(seen, rates, alpha, beta, c, among))
                scores.append(np.clip(score, *entry.range))
            return scores[0] - scores[1]

        return difference

    def _shares(self, entry):
        """Shares of the labeled and of the unlabeled that only the first, only the second and both models flag."""
        first, second = (self._flagged(entry, model) for model in (0, 1))
        cells = np.array([first * (1 - second), second * (1 - first), first * second])
        weights = None if self._sample.design is None else self._sample.design.weights
        if weights is not None:
            cells = cells * weights
        kinds = [self._sample.s == kind for kind in (1, 0)]
        totals = [kind.sum() if weights is None else weights[kind].sum() for kind in kinds]
        return np.array(
            [cells[:, kind].sum(axis=1) / total for kind, total in zip(kinds, totals, strict=True)]
        )

    def _flagged(self, entry, model):
        """By how much of each row counts as predicted positive: 0 or 1, between them where the top divides ties."""
        counts = self._counts[model]
        ask = self._ask
        place = entry.place(counts, threshold=ask.threshold, population=ask.population)
        if isinstance(place, slice):
            alpha, beta = self._pairs[0, 0]
            rates = rates_at(counts, alpha=alpha, beta=beta, population=ask.population)
            place = int(np.argmax(entry.formula(rates)))

        before = int(place)
        part = place - before
        scores = self._sample.scores[model]
        flagged = np.where(scores >= counts.thresholds[before], 1.0, 0.0)
        if part > 0:
            next_ones = (scores < counts.thresholds[before]) & (
                scores >= counts.thresholds[before + 1]
            )
            flagged[next_ones] = part
        return flagged

    @cached_property
    def _deviates(self):
        """Standard normal deviates, one a resample, in units of those at the ends."""
        from scipy.special import ndtri

        return ndtri(self._drawn[0].levels[0]) / ndtri((1 + self._confidence) / 2)
