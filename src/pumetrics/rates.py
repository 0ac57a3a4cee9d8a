"""Rates and shares of a confusion matrix, and the measures that are made of them.

The four measures of Ramola et al. are functions of two rates and two shares of the sample. They are written down here
once: recovered measures, uncorrected ones and those of known tables differ in the ``Rates`` they are given.
"""

from typing import NamedTuple

import numpy as np

from pumetrics.tops import check_population
from pumetrics.validation import check_fraction, check_priors, check_range

__all__ = [
    "Rates",
    "accuracy",
    "balanced_accuracy",
    "check_rates",
    "f1",
    "lift",
    "mcc",
    "plain",
    "precision",
    "ratio",
    "recall",
    "sample_prior",
    "separated",
    "true_rates",
    "usable",
    "with_shares",
]


class Rates(NamedTuple):
    """What measures of predictions are made of; floats, or arrays of one value per threshold."""

    tpr: np.ndarray
    """True positive rates; recovered ones may leave [0, 1]."""
    fpr: np.ndarray
    """False positive rates; recovered ones may leave [0, 1]."""
    prior: float
    """Share of positives in the population."""
    predicted: np.ndarray
    """Share of the population that is predicted positive."""
    agree: np.ndarray
    """Whether all predictions agree."""


def true_rates(tpr_pu, fpr_pu, *, alpha, beta=1.0, c, population="all"):
    """Rates and shares against the true class, behind what labeled and unlabeled examples show.

    Parameters
    ----------
    tpr_pu, fpr_pu : float or ndarray
        Shares of the labeled and of the unlabeled examples that are predicted positive, in [0, 1].
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    c : float
        Labeled share of the whole sample, in (0, 1).
    population : {"all", "unlabeled"}, default="all"
        Whose share of positives and of positive predictions is meant: labeled and unlabeled together, or the unlabeled
        alone.

    Returns
    -------
    Rates

    Raises
    ------
    ValueError
        If a rate is NaN or outside [0, 1], alpha >= beta, a share is out of range, or the population is unknown.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 2; Ramola, Jain & Radivojac (2019), Eq. 11.

    Examples
    --------
    >>> rates = true_rates(0.7, 0.3, alpha=0.25, beta=0.75, c=0.1)
    >>> round(float(rates.tpr), 3), round(float(rates.fpr), 3), round(rates.prior, 3), round(float(rates.predicted), 3)
    (0.9, 0.1, 0.3, 0.34)
    """
    alpha, beta = check_priors(alpha, beta)
    c = check_fraction(c, "c", inclusive=False)
    tpr_pu, fpr_pu = check_rates(tpr_pu=tpr_pu, fpr_pu=fpr_pu)
    return with_shares(
        (tpr_pu, fpr_pu), separated(tpr_pu, fpr_pu, alpha, beta), alpha, beta, c, population
    )


def with_shares(seen, rates, alpha, beta, c, population):
    """Rates and shares from unchecked rates: those `seen` against observed labels, and the true ones behind them."""
    (tpr_pu, fpr_pu) = seen
    (tpr, fpr) = rates
    if check_population(population) == "unlabeled":
        return Rates(tpr, fpr, alpha, fpr_pu, (fpr_pu <= 0) | (fpr_pu >= 1))
    # Rounding can move the share predicted slightly off 0 or 1; the rates themselves show whether predictions agree.
    no_positive = (tpr_pu <= 0) & (fpr_pu <= 0)
    no_negative = (tpr_pu >= 1) & (fpr_pu >= 1)
    predicted = sample_prior(fpr_pu, tpr_pu, c)
    return Rates(tpr, fpr, sample_prior(alpha, beta, c), predicted, no_positive | no_negative)


def accuracy(rates):
    """Accuracy (Ramola et al. 2019, Eq. 12)."""
    return plain(rates.prior * rates.tpr + (1 - rates.prior) * (1 - rates.fpr))


def balanced_accuracy(rates):
    """Mean of the true positive and the true negative rate (Ramola et al. 2019, Eq. 13)."""
    return plain((1 + rates.tpr - rates.fpr) / 2)


def f1(rates):
    """F1 score, 0 where no example is predicted positive (Ramola et al. 2019, Eq. 14)."""
    return plain(ratio(2 * rates.prior * rates.tpr, rates.prior + rates.predicted))


def mcc(rates):
    """Matthews correlation, 0 where all predictions agree (Ramola et al. 2019, Eq. 15)."""
    spread = np.sqrt(np.where(rates.agree, 1.0, rates.predicted * (1 - rates.predicted)))
    scale = np.sqrt(rates.prior * (1 - rates.prior))
    return plain(np.where(rates.agree, 0.0, scale * (rates.tpr - rates.fpr) / spread))


def precision(rates):
    """Share of positives among the examples predicted positive, 0 where there are none."""
    return plain(ratio(rates.prior * rates.tpr, rates.predicted))


def recall(rates):
    """Share of the positives that are predicted positive: the true positive rate."""
    return plain(rates.tpr)


def lift(rates):
    """How many times as many positives are predicted positive as by chance, 0 where no example is.

    It is precision over the share of positives, and recall over the share of examples predicted positive.
    """
    return plain(ratio(rates.tpr, rates.predicted))


def usable(alpha, beta):
    """Whether two priors can correct anything: 0 <= alpha < beta <= 1, which also refuses NaN.

    Examples
    --------
    >>> usable(0.2, 1.0), usable(float("nan"), 1.0), usable(0.6, 0.6)
    (True, False, False)
    """
    return 0 <= alpha < beta <= 1


def separated(tpr_pu, fpr_pu, alpha, beta):
    """Rates of positives and of negatives behind those of two mixtures of them."""
    gap = beta - alpha
    tpr = ((1 - alpha) * tpr_pu - (1 - beta) * fpr_pu) / gap
    fpr = (beta * fpr_pu - alpha * tpr_pu) / gap
    return tpr, fpr


def sample_prior(alpha, beta, c):
    """Share in the whole sample, of positives or of what is predicted positive, from those of both parts."""
    return c * beta + (1 - c) * alpha


def check_rates(**rates):
    """Return two rates as arrays, or raise ValueError unless both lie in [0, 1] and have one shape."""
    arrays = [check_range(value, name, 0.0, 1.0) for name, value in rates.items()]
    if arrays[0].shape != arrays[1].shape and arrays[0].ndim and arrays[1].ndim:
        first, second = rates
        raise ValueError(
            f"{first} and {second} must have one shape, got {arrays[0].shape} and {arrays[1].shape}"
        )
    return arrays


def ratio(part, whole):
    """Quotient, 0 where the denominator is."""
    zeros = np.zeros(np.broadcast(part, whole).shape)
    return np.divide(part, whole, out=zeros, where=np.asarray(whole) > 0)


def plain(value):
    """Return a float where the input was one."""
    return float(value) if np.ndim(value) == 0 else value
