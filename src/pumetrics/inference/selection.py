"""Labels that go to easy positives first: what then follows from labeled and unlabeled counts, for an assumed strength.

The data do not show how labels were selected, so the strength is varied, not estimated: a sensitivity analysis.
"""

import numpy as np

from pumetrics.counts import Counts

__all__ = ["check_selection", "labelable_share", "reweighted"]


def reweighted(counts, selection, *, alpha):
    """Counts that the sample would have if labels were a random sample of the positives.

    If the positive that scores highest is labeled k times as often as the one that scores lowest, log-linear in the
    rank among all positives, the positive at the rank r in [0, 1] among the labeled is labeled 1 + (k - 1) r times as
    often as the lowest, so the weights 1 / (1 + (k - 1) r) turn the labeled positives into all positives. The unlabeled
    then hold the hidden positives, G_H = (G - rho G_L) / (1 - rho), in place of all; exchanging them gives the counts
    that random labels would have given, from which every score is recovered as usual.

    Parameters
    ----------
    counts : Counts
    selection : float
        k > 0; 1 is SCAR, below 1 the hard positives are labeled more often.
    alpha : float
        Share of positives among the unlabeled, in [0, 1].

    Returns
    -------
    Counts
        Of float64, with the same numbers of examples; `counts` itself if `selection` is 1.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> counts = count_scores([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1])
    >>> reweighted(counts, 4.0, alpha=0.25).labeled[:3].round(3)
    array([0. , 0.7, 0.7])
    """
    if selection == 1:
        return counts
    tpr, fpr_pu = counts.labeled / counts.labeled[-1], counts.unlabeled / counts.unlabeled[-1]
    share = np.diff(tpr, prepend=0.0)
    weights = share / (1 + (selection - 1) * (1 - tpr + share / 2))
    everywhere = np.cumsum(weights) / weights.sum()
    hidden = _hidden(tpr, everywhere, counts, alpha)
    mixed = np.maximum.accumulate(np.clip(fpr_pu + alpha * (everywhere - hidden), 0.0, 1.0))
    # Rounding may miss 0 and 1 by a hair, and rates say whether all predictions agree.
    rates = [np.where(rate > 1 - 1e-12, 1.0, np.where(rate < 1e-12, 0.0, rate)) for rate in (everywhere, mixed)]
    return Counts(counts.thresholds, rates[0] * counts.labeled[-1], rates[1] * counts.unlabeled[-1])


def labelable_share(selection):
    """Largest share of the positives that can be labeled: beyond it the easiest would need a probability above 1.

    Parameters
    ----------
    selection : float
        See :func:`reweighted`.

    Returns
    -------
    float
        In (0, 1].

    Examples
    --------
    >>> labelable_share(1.0), round(labelable_share(4.0), 3)
    (1.0, 0.541)
    """
    k = max(selection, 1 / selection)
    return 1.0 if k == 1 else float((1 - 1 / k) / np.log(k))


def check_selection(selection, *, clean=True):
    """Return `selection` as float, or raise ValueError unless it is finite and positive, and 1 if labels are noisy."""
    try:
        number = float(selection)
    except (TypeError, ValueError):
        raise ValueError(f"selection must be a number, got {selection!r}") from None
    if not 0 < number < np.inf:
        raise ValueError(
            f"selection must be larger than 0, got {number}: how many times as often the positive that scores highest "
            "is labeled as the one that scores lowest; 1 for labels at random"
        )
    if number != 1 and not clean:
        raise ValueError(
            f"selection={number:g} needs right labels (beta=1, noisy=False): with wrong ones the labeled examples do "
            "not show which positives were selected"
        )
    return number


def _hidden(labeled, everywhere, counts, alpha):
    """Shares of the hidden positives at or above each threshold, as far as they can be a distribution."""
    n_labeled, n_hidden = counts.labeled[-1], alpha * counts.unlabeled[-1]
    if not n_hidden:
        return everywhere
    rho = n_labeled / (n_labeled + n_hidden)
    steps = np.maximum(np.diff((everywhere - rho * labeled) / (1 - rho), prepend=0.0), 0.0)
    return np.cumsum(steps) / steps.sum() if steps.sum() > 0 else everywhere
