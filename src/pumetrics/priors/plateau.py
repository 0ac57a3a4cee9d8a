"""Both shares at once, from a labeling probability that levels off at either end of the scores."""

import numpy as np

from pumetrics.counts import place_samples
from pumetrics.priors.types import Share
from pumetrics.threads import one_blas_thread

__all__ = ["clean_p_value", "plateau"]

_CELLS = 400
_EDGE = 9.0  # logit at which a share counts as 0 or 1
_NONE = -40.0  # logit of a share of nothing
_SHARE_BOUND = (-_EDGE, _EDGE)
_CURVE_BOUNDS = ((-60, 60), (0, 30))  # location and slope
_PULL = 0.05  # log-likelihood per unit of log share: where the data do not decide, for the largest share that fits
_TOP = 0.1  # of a sample, whose ratio the search starts from
_STARTS = ((1.0, 1.5), (1.0, 5.0))  # part of that ratio, and slope


def plateau(component, mixture, *, rng=None):
    r"""Level at which the odds of belonging to the component stop growing, from a logistic curve with two free ends.

    Among examples with score x the share that belongs to the component is
    :math:`p(x) = p_0 + (p_1 - p_0) P(y=1 \mid x)`: where the true class is certain it stays at :math:`p_0` or
    :math:`p_1`, however extreme the score. Both ends and a logistic :math:`P(y=1 \mid x)` are fitted by maximum
    likelihood, with x the normal quantile of the rank in both samples, each weighing the same, so only the
    order of scores matters. The upper end gives the share sought, :math:`a = n_p (1/p_1 - 1) / n_u`; the lower end is
    there because the component may hold some of the rest as well.

    The level is extrapolated, so no score needs to be free of the rest. In exchange the curve has to be about
    logistic (it is for Gaussian classes); where the classes are of other shapes the level is off to either side. An
    optimization in four variables over 400 cells, some hundredths of a second.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores, higher for the component.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Elkan & Noto (2008) for the ends; Jaskie, Elkan & Spanias (2019), "A modified logistic regression for positive and
    unlabeled learning", for a free upper end. The lower end and the scale are this project's.
    """
    _, fitted = _best_fit(component, mixture)
    logit = fitted.x[0]
    # the outermost count as 0 and 1
    share = 1 / (1 + np.exp(-logit)) if np.abs(logit) < _EDGE else logit > 0
    return Share(float(share))


def clean_p_value(labeled, unlabeled):
    """Probability of a plateau as high as this at the low end if all labeled examples were positive.

    Likelihood-ratio test of beta = 1 within the model of :func:`plateau`: below, where nothing is positive, the share
    of labeled examples must then fall to 0. Its null distribution is 0 or chi-squared with one degree of freedom, half
    of the time each. A small value speaks against clean labels as far as the model holds: positives that score like
    negatives are, to the scores, the same as wrong labels, and with normal scores whose means are 3 or 4 standard
    deviations apart, 12 of 160 samples with clean labels (400 labeled, 2,000 unlabeled) had a value below 0.01.

    Parameters
    ----------
    labeled, unlabeled : ndarray of shape (n_labeled,) and (n_unlabeled,)
        Scores, higher for more positive.

    Returns
    -------
    float
        In [0, 1]; 0 if it is too small for a float.
    """
    from math import erfc, sqrt

    objective, fitted = _best_fit(labeled, unlabeled)

    def clean(theta):
        value, slope = objective(np.insert(theta, 1, _NONE))
        return value, np.delete(slope, 1)

    a, _, location, slope = fitted.x
    starts = ((a, location, slope), (a, 0.0, 1.5), (a - 1, 0.0, 1.0))
    bounds = [_SHARE_BOUND, *_CURVE_BOUNDS]
    least = min(_minimum(clean, start, bounds).fun for start in starts)
    gain = max(least - fitted.fun, 0.0)
    return erfc(sqrt(gain)) / 2 if gain > 0 else 1.0


def _best_fit(component, mixture):
    """Cells, objective and its best minimum."""
    x, of_component, of_mixture = _cells(component, mixture)
    objective = _objective(x, of_component, of_mixture, component.size, mixture.size)
    at_top = _ratio_at_end(of_component[::-1], of_mixture[::-1])
    ratios = (at_top, _ratio_at_end(of_mixture, of_component))
    fits = [_fitted(objective, ratios, *start) for start in _STARTS]
    return objective, min(fits, key=lambda fit: fit.fun)


def _cells(component, mixture):
    """Middles of up to 400 cells of the balanced rank, as normal quantiles, and the examples of each sample there."""
    from scipy.special import ndtri

    above = place_samples(component, mixture).counts()
    labeled = np.diff(above.labeled)[::-1].astype(float)
    unlabeled = np.diff(above.unlabeled)[::-1].astype(float)
    weight = (labeled / component.size + unlabeled / mixture.size) / 2
    middle = np.cumsum(weight) - weight / 2
    cell = np.minimum((middle * _CELLS).astype(int), _CELLS - 1)
    sums = (labeled, unlabeled, weight, weight * middle)
    of_component, of_mixture, mass, place = (np.bincount(cell, each, _CELLS) for each in sums)
    used = mass > 0
    return ndtri(place[used] / mass[used]), of_component[used], of_mixture[used]


def _objective(x, of_component, of_mixture, n, m):
    """Negative log-likelihood and its gradient in the logits of both shares, location and slope."""
    # a method or a wrapper costs as much as the sum of 400 cells; so does clipping
    total = np.add.reduce

    def negative_log_likelihood(theta):
        location, slope = theta[2:].tolist()
        a, b = (1 / (1 + np.exp(-theta[:2]))).tolist()
        # where all examples are of one class
        low = n * b / (n * b + m)
        high = n / (n + m * a)
        q = 1 / (1 + np.exp(-(location + slope * x)))  # the bounds keep it from overflow
        p = low + (high - low) * q
        p = np.minimum(np.maximum(p, 1e-12), 1 - 1e-12)
        likelihood = total(of_component * np.log(p) + of_mixture * np.log1p(-p))
        value = -likelihood - _PULL * np.log(a)
        d = of_mixture / (1 - p) - of_component / p
        rest = 1 - q
        inner = d * (high - low) * q * rest
        d_high = -n * m / (n + m * a) ** 2 * a * (1 - a)
        d_low = n * m / (n * b + m) ** 2 * b * (1 - b)
        first = total(d * q) * d_high - _PULL * (1 - a)
        second = total(d * rest) * d_low
        return value, np.array([first, second, total(inner), total(inner * x)])

    return negative_log_likelihood


def _ratio_at_end(first, second):
    """Share of the second sample over that of the first, both within the range of the first tenth of the first."""
    end = int(np.searchsorted(np.cumsum(first), _TOP * first.sum())) + 1
    of_second = second[:end].sum() / second.sum()
    return of_second / (first[:end].sum() / first.sum())


def _fitted(objective, ratios, part, slope):
    shares = np.clip(np.array(ratios) * part, 0.002, 0.95)
    bounds = [_SHARE_BOUND, _SHARE_BOUND, *_CURVE_BOUNDS]
    return _minimum(objective, [*np.log(shares / (1 - shares)), 0.0, slope], bounds)


def _minimum(objective, start, bounds):
    """Local minimum of a function that returns its gradient as well."""
    from scipy.optimize import minimize

    with one_blas_thread():
        return minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
