"""From the label frequency to the share of positives among the unlabeled, and back."""

from pumetrics._arguments import ArgumentError
from pumetrics._validation import check_fraction

__all__ = ["alpha_from_rho", "rho_from_alpha"]


def alpha_from_rho(rho, n_labeled, n_unlabeled, *, beta=1.0):
    """Share of positives among the unlabeled, from the share of all positives that are labeled.

    Parameters
    ----------
    rho : float
        Label frequency, in (0, 1].
    n_labeled, n_unlabeled : int
    beta : float
        Share of positives among the labeled.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `rho` is out of range, or so small that there would be more hidden positives than unlabeled examples.

    Examples
    --------
    >>> alpha_from_rho(0.4, 200, 1000)
    0.3
    """
    rho = check_fraction(rho, "rho")
    least = n_labeled * beta / (n_labeled * beta + n_unlabeled)
    if rho <= least:
        raise ArgumentError(
            "rho",
            f"must exceed {least:.4g}, got {rho}: {n_labeled} labeled examples at this label frequency would leave "
            f"more positives than there are unlabeled examples ({n_unlabeled})",
        )
    return n_labeled * beta * (1 - rho) / (rho * n_unlabeled)


def rho_from_alpha(alpha, n_labeled, n_unlabeled, *, beta=1.0):
    """Share of all positives that are labeled, from the share of positives among the unlabeled.

    Parameters
    ----------
    alpha : float
        Share of positives among the unlabeled, in [0, 1].
    n_labeled, n_unlabeled : int
    beta : float
        Share of positives among the labeled, in (0, 1].

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError
        If a share is out of range.

    Examples
    --------
    >>> rho_from_alpha(0.3, 200, 1000)
    0.4
    """
    alpha, beta = check_fraction(alpha, "alpha"), check_fraction(beta, "beta")
    labeled = n_labeled * beta
    if not labeled:
        raise ArgumentError("beta", "must be larger than 0: labeled examples without positives have no label frequency")
    return labeled / (labeled + n_unlabeled * alpha)
