"""Ends of intervals where resamples have no width: rates at a threshold are binomial, and a sample is never the worst.

If all of 50 labeled examples are flagged, so are they in every resample, and percentiles of recall would be 1 and 1.
At a threshold, and at the top of a ranking, both rates are therefore drawn from distributions whose percentiles are
exact binomial ends. A maximum reaches down to that of its own threshold and, where scores have few values, up to those
of all: which of few is the best changes too rarely from resample to resample. An area reaches down (up) as far as one
more labeled example at the bottom (top) of the ranking would move it.
"""

from functools import cached_property, partial

import numpy as np

from pumetrics.counts import Counts
from pumetrics.inference.sample import grouped
from pumetrics.metrics import rates_at
from pumetrics.rates import separated, with_shares
from pumetrics.tops import at_place

__all__ = ["DrawnRates", "binomial_draws", "percentiles", "spread_levels"]

_LEAST = 1e-9  # share of labeled rows, or of the others
_THRESHOLDS = 200  # of a band; more are not seen
_FEW_PLACES = 20  # thresholds, up to which a maximum reaches up to the largest of their ends


def binomial_draws(k, n, levels):
    """Draw values of a binomial share so that their percentiles are the ends of exact intervals.

    Parameters
    ----------
    k, n : float
        Successes and trials, or effective numbers of them.
    levels : ndarray of shape (n_values,)
        Which quantiles of the distribution the values are, in (0, 1).

    Returns
    -------
    ndarray of shape (n_values,)
        In [0, 1]: below their middle from Beta(k, n - k + 1), above it from Beta(k + 1, n - k).

    References
    ----------
    Clopper & Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of the binomial".

    Examples
    --------
    >>> values = binomial_draws(50, 50, (np.arange(200) + 0.5) / 200)
    >>> percentiles(values, 0.95, even=True).round(2)
    array([0.93, 1.  ])
    """
    from scipy.special import betaincinv

    low = betaincinv(k, n - k + 1, levels) if k > 0 else 0.0
    high = betaincinv(k + 1, n - k, levels) if k < n else 1.0
    return np.where(levels < 0.5, low, high)


def percentiles(values, confidence, *, even=False):
    """Ends of the middle of values along their first axis.

    Parameters
    ----------
    values : ndarray of shape (n_values, ...)
    confidence : float
        Share in the middle, in (0, 1).
    even : bool
        Whether they are at evenly spread levels of a distribution, see :func:`spread_levels`. Otherwise they are drawn,
        and of n values the k-th smallest is the quantile at k / (n + 1).

    Returns
    -------
    ndarray of shape (2, ...)

    References
    ----------
    Hyndman & Fan (1996), "Sample quantiles in statistical packages", definitions 6 and, for even levels, 5.

    Examples
    --------
    >>> percentiles(np.arange(1.0, 200.0), 0.95)
    array([  5., 195.])
    """
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    return np.quantile(values, tails, axis=0, method="hazen" if even else "weibull")


def spread_levels(size, rng):
    """Quantile levels of the labeled, the unlabeled and the share of labeled rows: evenly spread, in random order.

    Each is of shape (size,). They are the same for all models and metrics, whichever of them are requested together.
    """
    return [(rng.permutation(size) + 0.5) / size for _ in range(3)]


class DrawnRates:
    """Intervals of one model from drawn rates: those of tables, and bands of curves.

    Parameters
    ----------
    model : Counted
    pairs : ndarray of shape (1 + n_resamples, n_pairs, 2)
        Alpha and beta of the sample, the estimate first, and of every resample.
    ask : Ask
    confidence : float
        Of the sampling error.
    levels : list of ndarray
        From :func:`spread_levels`.
    """

    def __init__(self, model, pairs, ask, confidence, levels):
        self._model = model
        self._pairs = pairs
        self._ask = ask
        self.levels = levels
        self._confidence = confidence

    def __eq__(self, other):
        return isinstance(other, DrawnRates) and np.array_equal(self._pairs, other._pairs)

    __hash__ = None

    def widened(self, entry, lower, upper, estimate):
        """Ends of a metric that account for what no resample shows.

        Parameters
        ----------
        entry : Metric
        lower, upper : ndarray of shape (n_pairs,)
            Percentiles of the resamples, at each pair of priors.
        estimate : float
            Of the sample.

        Returns
        -------
        lower, upper : ndarray of shape (n_pairs,)
        """
        if entry.kind == "area":
            return lower + self.moved(entry, 0), upper + self.moved(entry, 1)

        place = entry.place(
            self._model.counts, threshold=self._ask.threshold, population=self._ask.population
        )
        if isinstance(place, slice):
            rates = self._rates_at(slice(None))
            best = int(np.argmax(entry.formula(rates)))
            shares = self._shares(best)
            lowest, _ = self._ends_at(entry, best, shares)
            lower = np.minimum(lower, lowest.min())

            n_places = len(rates.tpr)
            if n_places > _FEW_PLACES:
                return lower, upper
            for each in range(n_places):
                shares = self._shares(each)
                _, highest = self._ends_at(entry, each, shares)
                upper = np.maximum(upper, highest)
            return lower, upper

        lower, upper = self._ends_at(entry, place, self._shares(place))
        return np.minimum(lower, estimate), np.maximum(upper, estimate)

    @cached_property
    def places(self):
        """Thresholds of bands, by index: some that are evenly spaced, and the one at which predictions are made."""
        counts = self._model.counts
        return grouped(counts, most=_THRESHOLDS, keep=self._ask.threshold)[1:]

    def bands(self, entries, places):
        """Intervals of measures of predictions at many thresholds, each as a table has it at its threshold.

        Parameters
        ----------
        entries : list of Metric
        places : ndarray of int
            Thresholds, by index.

        Returns
        -------
        list of (lower, upper)
            Of each measure, of shape (n_places,).
        """
        rates = self._rates_at(places)
        estimates = [np.clip(entry.formula(rates), *entry.range) for entry in entries]
        lower = np.array(estimates)
        upper = lower.copy()
        for column, place in enumerate(places):
            shares = self._shares(place)
            for row, entry in enumerate(entries):
                lows, highs = self._ends_at(entry, place, shares)
                lower[row, column] = min(lows.min(), lower[row, column])
                upper[row, column] = max(highs.max(), upper[row, column])
        return list(zip(lower, upper, strict=True))

    def heights(self, curve):
        """Interval of a curve at each of its points, from the same draws.

        Parameters
        ----------
        curve : callable
            ``curve(counts, alpha, beta)`` returns heights at the same points for all counts.

        Returns
        -------
        lower, upper : ndarray of shape (n_points,)
        """
        counts = self._model.counts
        thresholds = np.concatenate([[np.inf], counts.thresholds[self.places], [-np.inf]])
        shares = np.array([self._shares(place) for place in self.places])
        shares = np.pad(shares, ((1, 1), (0, 0), (0, 0)), constant_values=((0, 1), (0, 0), (0, 0)))
        labeled = counts.n_labeled * shares[:, 0].T
        unlabeled = counts.n_unlabeled * shares[:, 1].T
        drawn = [Counts(thresholds, *each) for each in zip(labeled, unlabeled, strict=True)]

        lower = upper = curve(counts, *self._pairs[0, 0])
        for pairs in self._pairs[1:].swapaxes(0, 1):
            values = [curve(each, *pair) for each, pair in zip(drawn, pairs, strict=True)]
            ends = percentiles(values, self._confidence, even=True)
            lower = np.minimum(lower, ends[0])
            upper = np.maximum(upper, ends[1])
        return lower, upper

    def _rates_at(self, place):
        """Corrected rates of the sample itself."""
        alpha, beta = self._pairs[0, 0]
        return rates_at(
            self._model.counts, alpha=alpha, beta=beta, at=place, population=self._ask.population
        )

    def _ends_at(self, entry, place, shares):
        """Ends at a place among the thresholds, at each pair of priors, from the shares that are drawn there."""
        counts = self._model.counts
        among = self._ask.population
        if entry.kind == "top":  # as many rows are flagged whatever part of them is labeled
            flagged = [at_place(share, place) for share in (counts.tpr_pu, counts.fpr_pu)]
            moved = 0.0
            if among == "all":
                moved = counts.c / (1 - counts.c) * (shares[0] - flagged[0])
            shares = shares[0], np.clip(flagged[1] - moved, 0, 1)

        found = []
        for alpha, beta in np.moveaxis(self._pairs[1:], 0, 2):
            rates = with_shares(
                shares, separated(*shares, alpha, beta), alpha, beta, self._labeled_share, among
            )
            values = np.clip(entry.formula(rates), *entry.range)
            found.append(
                percentiles(np.broadcast_to(values, alpha.shape), self._confidence, even=True)
            )
        return np.transpose(found)

    @cached_property
    def _labeled_share(self):
        """Share of labeled rows: that of the sample or, with clusters, as it is drawn."""
        if self._model.labeled is None:
            return self._model.counts.c
        return np.clip(binomial_draws(*self._model.labeled, self.levels[2]), _LEAST, 1 - _LEAST)

    def _shares(self, place):
        """Shares of the labeled and of the unlabeled at or above a place among the thresholds, as they are drawn."""
        if self._model.trials is None:
            counts = self._model.effective[1:]
            seen = [(float(at_place(each, place)), float(each[-1])) for each in counts]
        else:
            seen = self._model.trials(place)
        return [
            binomial_draws(*each, levels)
            for each, levels in zip(seen, self.levels[:2], strict=True)
        ]

    def moved(self, entry, end):
        """How far one more labeled example at the bottom (0) or the top (1) of the ranking moves an area."""
        counts, effective = self._model[:2]
        alpha, beta = map(float, self._pairs[0, 0])
        more = np.zeros(len(counts.thresholds))
        more[1 if end else -1 :] = counts.n_labeled / effective.n_labeled
        longer = Counts(counts.thresholds, counts.labeled + more, counts.unlabeled)
        area = partial(entry.formula, alpha=alpha, beta=beta, population=self._ask.population)
        difference = area(longer) - area(counts)
        return max(difference, 0.0) if end else min(difference, 0.0)
