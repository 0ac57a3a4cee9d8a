"""From two one-sided shares to the priors of noisy positives, and back."""

from math import nan

from pumetrics._validation import check_fraction, check_priors

__all__ = ["combine_shares", "priors_of", "shares_of"]


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


def shares_of(alpha, beta):
    """Largest shares (a, b) behind given priors: the inverse of :func:`combine_shares`.

    Parameters
    ----------
    alpha, beta : float
        Shares of positives among the unlabeled and the labeled, alpha < beta.

    Returns
    -------
    labeled_in_unlabeled, unlabeled_in_labeled : float

    Examples
    --------
    >>> shares_of(0.25, 1.0)
    (0.25, 0.0)
    """
    alpha, beta = check_priors(alpha, beta)
    return alpha / beta, (1 - beta) / (1 - alpha)
