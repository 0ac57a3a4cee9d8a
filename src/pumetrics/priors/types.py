"""What estimators of a class prior take and give: scores in one unit, shares, and priors."""

from dataclasses import dataclass, field
from math import nan

import numpy as np

from pumetrics.equality import ComparedByValue
from pumetrics.validation import check_fraction

__all__ = [
    "Priors",
    "Share",
    "combine_shares",
    "logits",
    "priors_of",
    "standardized",
]


@dataclass(frozen=True)
class Share:
    """Largest share of one sample's distribution that fits into another's.

    Attributes
    ----------
    value : float
        The share, in [0, 1].
    low, high : float
        Ends of the range the method can answer within.
    members : dict of str to float
        Of a mean of several estimators, the share by each of them; else empty.
    """

    value: float
    low: float = 0.0
    high: float = 1.0
    members: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Priors(ComparedByValue):
    """Shares of positives among the unlabeled and among the labeled, with warnings.

    Attributes
    ----------
    alpha : float
        Share of positives among the unlabeled, in [0, 1].
    beta : float
        Share of positives among the labeled, in [0, 1]; 1 unless label noise was estimated.
    method : str
        Name of the estimator.
    alpha_interval, beta_interval : tuple of (float, float) or None
        Bootstrap percentile intervals; None without a bootstrap.
    clean_p_value : float or None
        P value of a test of beta = 1, which positives that score like negatives fail as wrong labels do, see
        :func:`pumetrics.priors.plateau.clean_p_value`; None unless label noise was estimated from scores.
    status : str
        "ok", "suspect" when there are warnings, or "failed" when there is no estimate and both priors are NaN.
    warnings : tuple of str
        Each a reason to distrust the estimate.
    """

    alpha: float
    beta: float
    method: str
    alpha_interval: tuple[float, float] | None = None
    beta_interval: tuple[float, float] | None = None
    warnings: tuple[str, ...] = ()
    clean_p_value: float | None = None

    @property
    def status(self):
        """Status of the estimate: "ok", "suspect" or "failed"."""
        if np.isnan(self.alpha):
            return "failed"
        return "suspect" if self.warnings else "ok"


def combine_shares(labeled_in_unlabeled, unlabeled_in_labeled):
    r"""Priors (alpha, beta) from the largest share of each sample's distribution that fits into the other's.

    With positives and negatives that do not contain each other, unlabeled density f and labeled density g,
    :math:`a = \inf f/g = \alpha/\beta` and :math:`b = \inf g/f = (1-\beta)/(1-\alpha)`, so

    .. math:: \alpha = \frac{a (1-b)}{1 - ab}, \qquad \beta = \frac{1-b}{1 - ab}.

    Any estimator of one share, run twice with the roles of the samples swapped, becomes an estimator of both priors.

    Parameters
    ----------
    labeled_in_unlabeled : float
        The share a of the labeled distribution found among the unlabeled, in [0, 1].
    unlabeled_in_labeled : float
        The share b of the unlabeled distribution found among the labeled, in [0, 1].

    Returns
    -------
    alpha, beta : float

    Raises
    ------
    ValueError
        If a share lies outside [0, 1] or both are 1: two equal distributions say nothing about either prior.

    References
    ----------
    Jain, White & Radivojac (2016), "Estimating the class prior and posterior from noisy positives and unlabeled data".

    Examples
    --------
    >>> alpha, beta = combine_shares(1 / 3, 1 / 3)
    >>> round(alpha, 9), round(beta, 9)
    (0.25, 0.75)
    """
    a = check_fraction(labeled_in_unlabeled, "labeled_in_unlabeled")
    b = check_fraction(unlabeled_in_labeled, "unlabeled_in_labeled")
    rest = 1 - a * b
    if rest <= 0:
        raise ValueError(
            "both shares are 1: the labeled and the unlabeled sample look alike, so they identify no prior"
        )
    return a * (1 - b) / rest, (1 - b) / rest


def priors_of(shares):
    """Priors from the shares of an estimator: NaN instead of an error where they say nothing.

    Parameters
    ----------
    shares : sequence of one or two floats
        The labeled distribution's share among the unlabeled and, unless labels are clean, the unlabeled one's among the
        labeled; each in [0, 1].

    Returns
    -------
    alpha, beta : float
        By :func:`combine_shares`, both NaN if both shares are 1; beta is 1 for clean labels.

    Raises
    ------
    ValueError
        If one of two shares lies outside [0, 1].

    Examples
    --------
    >>> priors_of([0.25]), priors_of([0.25, 0.0]), priors_of([1.0, 1.0])
    ((0.25, 1.0), (0.25, 1.0), (nan, nan))
    """
    if len(shares) == 1:
        return shares[0], 1.0
    a, b = shares
    return combine_shares(a, b) if a * b < 1 else (nan, nan)


_TAIL = 0.05  # of both samples, each weighing the same, outside the width on either side
_FAR = 3.0  # widths from the middle, beyond which a score is an outlier
_LEAST_WIDTH = 1e-300  # by which the largest score can still be divided
_LEAST_SPREAD = (
    1e-5  # of probabilities: scores in [0, 1] that lie closer together are in a small unit
)


def standardized(component, mixture):
    """Samples in their own unit, without far outliers; probabilities stay as they are.

    The middle and the width of the central 90% of both samples, each weighing the same, become 0 and 1, so that the
    unit and the origin of the scores do not matter. Of the distance beyond three widths the logarithm is taken twice.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,), or (n, n_features) and (m, n_features)
        Finite, however large or small. Scores that all lie in [0, 1] are read as probabilities, unless their central
        90% differ by no more than 1e-5. Of features only the order of magnitude is taken out.

    Returns
    -------
    component, mixture : ndarray
        In the same order. Either probabilities, or scores of which some lie below 0.
    """
    both = np.concatenate([component, mixture])
    n = len(component)
    exponent = np.frexp(np.abs(both).max(axis=0))[1]
    scaled = np.ldexp(both, -exponent)  # exact, and differences of it cannot overflow
    if both.ndim > 1:
        return scaled[:n], scaled[n:]
    weights = np.repeat([1 / n, 1 / len(mixture)], [n, len(mixture)])
    low, high = np.quantile(scaled, [_TAIL, 1 - _TAIL], weights=weights, method="inverted_cdf")
    if high - low < _LEAST_WIDTH:
        low = scaled.min()
        high = scaled.max()
    are_shares = both.min() >= 0 and both.max() <= 1
    if are_shares and np.ldexp(high - low, exponent) > _LEAST_SPREAD:
        return component, mixture
    place = (scaled - (low + high) / 2) / (high - low or 1.0)
    beyond = np.log1p(np.log1p(np.maximum(np.abs(place) - _FAR, 0)))
    place = np.clip(place, -_FAR, _FAR) + np.copysign(beyond, place)
    return place[:n], place[n:]


def logits(component, mixture):
    """Scores on a scale without ends: logits if all of them lie in [0, 1], as they are otherwise.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores.

    Returns
    -------
    component_logit, mixture_logit : ndarray of shape (n,) and (m,)
        Finite: scores of 0 and 1 count as half a step of 1e-6 away from them.
    """
    if min(component.min(), mixture.min()) < 0 or max(component.max(), mixture.max()) > 1:
        return component, mixture
    inner = [np.clip(scores, 5e-7, 1 - 5e-7) for scores in (component, mixture)]
    return tuple(np.log(scores) - np.log1p(-scores) for scores in inner)
