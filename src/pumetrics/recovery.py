"""Closed-form maps from performance measured against observed labels to performance against the true class.

What is measured by treating labeled examples as positive and unlabeled ones as negative carries the suffix ``_pu``.
Two priors undo it: `alpha`, the share of positives among the unlabeled, and `beta`, the share of positives among the
labeled. Where the whole sample matters, so does `c`, the labeled share of it.

Nothing here is clipped: a recovered value outside its range shows that the priors do not fit the measured value, or
that the sample is small. Uncorrected values are the special case ``alpha=0, beta=1``.
"""

import numpy as np

from pumetrics.rates import (
    accuracy,
    balanced_accuracy,
    check_rates,
    f1,
    mcc,
    plain,
    sample_prior,
    separated,
    true_rates,
)
from pumetrics.tops import check_population
from pumetrics.validation import check_fraction, check_priors, check_range

__all__ = [
    "corrupt_rates",
    "population_prior",
    "recover_accuracy",
    "recover_auc",
    "recover_balanced_accuracy",
    "recover_f1",
    "recover_mcc",
    "recover_measures",
    "recover_precision",
    "recover_rates",
]


def population_prior(*, alpha, beta=1.0, c):
    """Share of positives in the whole sample, labeled and unlabeled together.

    Parameters
    ----------
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    c : float
        Labeled share of the whole sample, in (0, 1).

    Returns
    -------
    float
        pi = c beta + (1 - c) alpha, in (0, 1).

    Raises
    ------
    ValueError
        If alpha >= beta, or one of them or `c` is out of range.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eq. 11.

    Examples
    --------
    >>> round(population_prior(alpha=0.25, beta=0.75, c=0.1), 12)
    0.3
    """
    alpha, beta = check_priors(alpha, beta)
    return sample_prior(alpha, beta, check_fraction(c, "c", inclusive=False))


def recover_rates(tpr_pu, fpr_pu, *, alpha, beta=1.0):
    """True and false positive rate behind the rates measured on labeled and unlabeled examples.

    Parameters
    ----------
    tpr_pu, fpr_pu : float or ndarray
        Shares of the labeled and of the unlabeled examples that are predicted positive, in [0, 1].
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.

    Returns
    -------
    tpr, fpr : float or ndarray
        Rates against the true class, of the shape of the input. Not clipped.

    Raises
    ------
    ValueError
        If a rate is NaN or outside [0, 1], or the priors are out of range or alpha >= beta.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 2.

    Examples
    --------
    >>> tpr, fpr = recover_rates(0.6, 0.3, alpha=0.2)
    >>> round(tpr, 12), round(fpr, 12)
    (0.6, 0.225)
    """
    alpha, beta = check_priors(alpha, beta)
    tpr_pu, fpr_pu = check_rates(tpr_pu=tpr_pu, fpr_pu=fpr_pu)
    tpr, fpr = separated(tpr_pu, fpr_pu, alpha, beta)
    return plain(tpr), plain(fpr)


def corrupt_rates(tpr, fpr, *, alpha, beta=1.0):
    """Rates that labeled and unlabeled examples show for a classifier of known quality; undoes `recover_rates`.

    Parameters
    ----------
    tpr, fpr : float or ndarray
        True and false positive rate against the true class, in [0, 1].
    alpha, beta : float
        Priors, see :func:`recover_rates`.

    Returns
    -------
    tpr_pu, fpr_pu : float or ndarray
        Expected shares of the labeled and of the unlabeled examples predicted positive.

    Raises
    ------
    ValueError
        As :func:`recover_rates`.

    References
    ----------
    Jain, White & Radivojac (2017), proof of Theorem 1.

    Examples
    --------
    >>> tpr_pu, fpr_pu = corrupt_rates(0.6, 0.225, alpha=0.2)
    >>> round(tpr_pu, 12), round(fpr_pu, 12)
    (0.6, 0.3)
    """
    alpha, beta = check_priors(alpha, beta)
    tpr, fpr = check_rates(tpr=tpr, fpr=fpr)
    return plain(beta * tpr + (1 - beta) * fpr), plain(alpha * tpr + (1 - alpha) * fpr)


def recover_auc(auc_pu, *, alpha, beta=1.0):
    """Area under the true ROC curve, from the area under the one drawn with unlabeled examples as negatives.

    Parameters
    ----------
    auc_pu : float or ndarray
        Area with labeled examples as positives and unlabeled ones as negatives, in [0, 1].
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.

    Returns
    -------
    float or ndarray
        The "direct" area; not clipped, so it may exceed 1.

    Raises
    ------
    ValueError
        If `auc_pu` is NaN or outside [0, 1], or the priors are out of range or alpha >= beta.

    References
    ----------
    Jain, White & Radivojac (2017), Eq. 4; Menon et al. (2015).

    Examples
    --------
    >>> round(recover_auc(0.8, alpha=0.2), 12)
    0.875
    """
    return _stretched(auc_pu, "auc_pu", alpha, beta)


def recover_balanced_accuracy(bacc_pu, *, alpha, beta=1.0):
    """Balanced accuracy against the true class; the labeled share of the sample does not matter.

    Parameters
    ----------
    bacc_pu : float or ndarray
        Balanced accuracy against the observed labels, in [0, 1].
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.

    Returns
    -------
    float or ndarray
        Not clipped. At least `bacc_pu` wherever that is at least 1/2, and largest at the same threshold.

    Raises
    ------
    ValueError
        If `bacc_pu` is NaN or outside [0, 1], or the priors are out of range or alpha >= beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Theorem 2.1.

    Examples
    --------
    >>> round(recover_balanced_accuracy(0.65, alpha=0.25, beta=0.75), 12)
    0.8
    """
    return _stretched(bacc_pu, "bacc_pu", alpha, beta)


def recover_precision(precision_pu, *, alpha, beta=1.0, c, population="unlabeled"):
    """Precision against the true class, from the precision measured against the observed labels.

    Precision depends on the share of positives in the population it is meant for, so the population is named: the
    unlabeled examples (prior `alpha`) or the whole sample (prior pi).

    Parameters
    ----------
    precision_pu : float or ndarray
        Share of labeled examples among those predicted positive, in [0, 1].
    alpha, beta, c : float
        Priors and labeled share of the sample, see :func:`population_prior`.
    population : {"unlabeled", "all"}, default="unlabeled"
        Jain's precision over the unlabeled, or Ramola's over labeled and unlabeled together.

    Returns
    -------
    float or ndarray
        Not clipped. Over the unlabeled it is infinite at ``precision_pu=1``, where no unlabeled example is predicted
        positive, and 0 everywhere if `alpha` is 0, because then no unlabeled example is positive.

    Raises
    ------
    ValueError
        If `precision_pu` or a share is out of range or NaN, `population` is unknown, or alpha >= beta.

    References
    ----------
    Jain, White & Radivojac (2017), Theorem 1; Ramola, Jain & Radivojac (2019), Eq. 2.

    Examples
    --------
    >>> round(recover_precision(0.25, alpha=0.2, c=0.1), 12)
    0.6
    >>> round(recover_precision(0.25, alpha=0.2, c=0.1, population="all"), 12)
    0.7
    """
    alpha, beta = check_priors(alpha, beta)
    c = check_fraction(c, "c", inclusive=False)
    precision_pu = check_range(precision_pu, "precision_pu", 0.0, 1.0)
    if check_population(population) == "all":
        pi = sample_prior(alpha, beta, c)
        return plain(
            pi
            * ((1 - alpha) * precision_pu / c - (1 - beta) * (1 - precision_pu) / (1 - c))
            / (beta - alpha)
        )
    if alpha == 0:
        return plain(np.zeros_like(precision_pu))
    with np.errstate(divide="ignore"):
        odds = np.divide(precision_pu, np.maximum(1 - precision_pu, 0.0))
    scale = alpha * (1 - alpha) / (beta - alpha)
    return plain(scale * ((1 - c) / c * odds - (1 - beta) / (1 - alpha)))


def recover_accuracy(tpr_pu, fpr_pu, *, alpha, beta=1.0, c):
    """Accuracy against the true class, over the whole sample.

    Parameters
    ----------
    tpr_pu, fpr_pu, alpha, beta, c
        See :func:`recover_measures`.

    Returns
    -------
    float or ndarray
        Not clipped.

    Raises
    ------
    ValueError
        As :func:`recover_measures`.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eq. 12.

    Examples
    --------
    >>> round(recover_accuracy(0.7, 0.3, alpha=0.25, beta=0.75, c=0.1), 12)
    0.9
    """
    return accuracy(true_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta, c=c))


def recover_f1(tpr_pu, fpr_pu, *, alpha, beta=1.0, c):
    """F1 score against the true class, over the whole sample.

    Parameters
    ----------
    tpr_pu, fpr_pu, alpha, beta, c
        See :func:`recover_measures`.

    Returns
    -------
    float or ndarray
        Not clipped. 0 where no example is predicted positive.

    Raises
    ------
    ValueError
        As :func:`recover_measures`.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eq. 14.

    Examples
    --------
    >>> round(recover_f1(0.7, 0.3, alpha=0.25, beta=0.75, c=0.1), 12)
    0.84375
    """
    return f1(true_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta, c=c))


def recover_mcc(mcc_pu, *, alpha, beta=1.0, c):
    """Matthews correlation against the true class, over the whole sample.

    The two differ by a factor that no threshold changes, so both are largest at the same threshold.

    Parameters
    ----------
    mcc_pu : float or ndarray
        Matthews correlation against the observed labels, in [-1, 1]; 0 where all predictions agree.
    alpha, beta, c : float
        Priors and labeled share of the sample, see :func:`population_prior`.

    Returns
    -------
    float or ndarray
        Not clipped. At least as far from 0 as `mcc_pu`.

    Raises
    ------
    ValueError
        If `mcc_pu` is NaN or outside [-1, 1], alpha >= beta, or one of the shares is out of range.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Theorem 2.1.

    Examples
    --------
    >>> round(recover_mcc(0.2175, alpha=0.25, beta=0.75, c=0.1), 4)
    0.6645
    """
    alpha, beta = check_priors(alpha, beta)
    c = check_fraction(c, "c", inclusive=False)
    pi = sample_prior(alpha, beta, c)
    factor = float(np.sqrt(pi * (1 - pi) / (c * (1 - c))) / (beta - alpha))
    return plain(factor * check_range(mcc_pu, "mcc_pu", -1.0, 1.0))


def recover_measures(tpr_pu, fpr_pu, *, alpha, beta=1.0, c):
    """Accuracy, balanced accuracy, F1 and Matthews correlation against the true class, at once.

    All four refer to the whole sample. With ``alpha=0, beta=1`` they are the plain measures of a classifier with
    rates `tpr_pu` and `fpr_pu` at prior `c`.

    Parameters
    ----------
    tpr_pu, fpr_pu : float or ndarray
        Shares of the labeled and of the unlabeled examples that are predicted positive, in [0, 1].
    alpha, beta, c : float
        Priors and labeled share of the sample, see :func:`population_prior`.

    Returns
    -------
    dict
        Keys "accuracy", "balanced_accuracy", "f1" and "mcc"; floats or arrays of the shape of the input, not clipped.
        F1 is 0 where no example is predicted positive, Matthews correlation 0 where all predictions agree.

    Raises
    ------
    ValueError
        If a rate is NaN or outside [0, 1], alpha >= beta, or one of the shares is out of range.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eqs. 12 to 15.

    Examples
    --------
    >>> measures = recover_measures(0.7, 0.3, alpha=0.25, beta=0.75, c=0.1)
    >>> {name: round(value, 3) for name, value in measures.items()}
    {'accuracy': 0.9, 'balanced_accuracy': 0.9, 'f1': 0.844, 'mcc': 0.774}
    """
    rates = true_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta, c=c)
    return {formula.__name__: formula(rates) for formula in (accuracy, balanced_accuracy, f1, mcc)}


def _stretched(value, name, alpha, beta):
    """Undo a pull of `value` toward 1/2 by the factor beta - alpha."""
    alpha, beta = check_priors(alpha, beta)
    return plain((check_range(value, name, 0.0, 1.0) - 0.5) / (beta - alpha) + 0.5)
