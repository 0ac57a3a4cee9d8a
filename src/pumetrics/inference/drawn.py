"""Ends of intervals where resamples have no width: rates at a threshold are binomial, and a sample is never the worst.

If all of 50 labeled examples are flagged, so are they in every resample, and percentiles of recall would be 1 and 1.
At a threshold, and at the top of a ranking, both rates are therefore drawn from distributions whose percentiles are
exact binomial ends. A maximum reaches down to that of its own threshold. An area reaches down (up) as far as one more
labeled example at the bottom (top) of the ranking would move it.
"""

import numpy as np

from pumetrics.counts import Counts
from pumetrics.metrics import rates_at
from pumetrics.rates import separated, with_shares
from pumetrics.tops import at_place

__all__ = ["DrawnRates", "binomial_draws", "spread_levels"]


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
    >>> np.quantile(values, [0.025, 0.975]).round(2)
    array([0.93, 1.  ])
    """
    from scipy.special import betaincinv

    low = betaincinv(k, n - k + 1, levels) if k > 0 else np.zeros(len(levels))
    high = betaincinv(k + 1, n - k, levels) if k < n else np.ones(len(levels))
    return np.where(levels < 0.5, low, high)


def spread_levels(size, rng):
    """Quantile levels of the labeled and of the unlabeled, evenly spread and in random order, each of shape (size,).

    They are the same for all models and metrics, whichever of them are requested together.
    """
    return [(rng.permutation(size) + 0.5) / size for _ in range(2)]


class DrawnRates:
    """Intervals of one model from drawn rates.

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
        self._model, self._pairs, self._ask, self._levels = model, pairs, ask, levels
        self._tails = [(1 - confidence) / 2, (1 + confidence) / 2]

    def widened(self, entry, ends, estimate):
        """Ends of a metric that account for what no resample shows.

        Parameters
        ----------
        entry : Metric
        ends : list of (float, float)
            Percentiles of the resamples, at each pair of priors.
        estimate : float
            Of the sample.

        Returns
        -------
        list of (float, float)
        """
        if entry.kind == "area":
            return [
                (low + self._moved(entry, 0), high + self._moved(entry, 1)) for low, high in ends
            ]
        place = entry.place(
            self._model.counts, threshold=self._ask.threshold, population=self._ask.population
        )
        if not isinstance(place, slice):
            return [
                (min(low, estimate), max(high, estimate)) for low, high in self._at(entry, place)
            ]
        lowest = min(low for low, _ in self._at(entry, self._best(entry)))
        return [(min(low, lowest), high) for low, high in ends]

    def _best(self, entry):
        """Index of the threshold at which a measure is largest."""
        (alpha, beta), among = self._pairs[0, 0], self._ask.population
        return int(
            np.argmax(
                entry.formula(
                    rates_at(self._model.counts, alpha=alpha, beta=beta, population=among)
                )
            )
        )

    def _at(self, entry, place):
        """Ends at a place among the thresholds, at each pair of priors."""
        (counts, effective, trials), among = self._model, self._ask.population
        seen = (
            trials(place)
            if trials
            else [(float(at_place(each, place)), float(each[-1])) for each in effective[1:]]
        )
        shares = [
            binomial_draws(*each, levels) for each, levels in zip(seen, self._levels, strict=True)
        ]
        if entry.kind == "top":  # as many rows are flagged whatever part of them is labeled
            flagged = [at_place(share, place) for share in (counts.tpr_pu, counts.fpr_pu)]
            if among == "all":
                moved = counts.c / (1 - counts.c) * (shares[0] - flagged[0])
                shares[1] = np.clip(flagged[1] - moved, 0, 1)
            else:
                shares[1] = np.full(len(shares[0]), float(flagged[1]))
        found = []
        for alpha, beta in np.moveaxis(self._pairs[1:], 0, 2):
            rates = with_shares(
                shares, separated(*shares, alpha, beta), alpha, beta, counts.c, among
            )
            found.append(np.quantile(np.clip(entry.formula(rates), *entry.range), self._tails))
        return found

    def _moved(self, entry, end):
        """How far one more labeled example at the bottom (0) or the top (1) of the ranking moves an area."""
        counts, effective, _ = self._model
        (alpha, beta), among = self._pairs[0, 0], self._ask.population
        row = counts.n_labeled / effective.n_labeled
        more = np.zeros(len(counts.thresholds))
        more[1 if end else -1 :] = row
        options = {"alpha": float(alpha), "beta": float(beta), "population": among}
        moved = entry.formula(
            Counts(counts.thresholds, counts.labeled + more, counts.unlabeled), **options
        )
        difference = moved - entry.formula(counts, **options)
        return max(difference, 0.0) if end else min(difference, 0.0)
