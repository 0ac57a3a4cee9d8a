"""Which rows to check: strata of the ranking, and the weight of each for a metric."""

import numpy as np

from pumetrics.checks.plans import CheckPlan
from pumetrics.checks.strata import Pair, Strata, ask
from pumetrics.checks.verdicts import check_rows, index_of
from pumetrics.counts import place_samples
from pumetrics.metrics import AREAS, metric_at
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.validation import check_random_state, check_threshold

__all__ = ["plan_checks", "plan_comparison"]

# Of the ranks of the labeled positives (of all rows without labels), where strata are cut.
_QUANTILES = (0.35, 0.8, 0.96)
_QUANTILES_OF_AREAS = (0.5, 0.8, 0.95)
_GUESSED_BETA = 0.9


def plan_checks(
    s,
    y_score,
    *,
    budget,
    metric,
    threshold=None,
    random_state=None,
    noisy=False,
    guaranteed=False,
    population="all",
):
    """Select rows for an expert to check, so that a metric can be estimated whichever positives were labeled.

    Unlabeled rows are divided into strata at the threshold and at quantiles of the labeled positives' scores. More rows
    are selected from strata that are large, mixed and important for the metric. How mixed a stratum is has to be
    guessed from the labels; a wrong guess makes intervals wider but not invalid.

    Parameters
    ----------
    s : array-like of shape (n,) or None
        Observed label: 1 labeled positive, 0 unlabeled; None if no row is labeled.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    budget : int or None
        Number of rows to check, at least four for each stratum. None: 100, or all if there are fewer.
    metric : str
        "alpha" (the share of positives among the unlabeled), "precision", "recall", "f1", "accuracy",
        "balanced_accuracy", "specificity", "mcc", "roc_auc", "average_precision", "precision_at_100", "recall_at_1%"
        and the like; "beta" if `noisy`.
    threshold : float, optional
        Predict positive for scores >= threshold; all metrics but alpha, beta, areas and those of a top need it.
    random_state : int, Generator or None
        Seed of the selection.
    noisy : bool, default=False
        Whether labels can be wrong: some labeled rows are then also checked.
    guaranteed : bool, default=False
        Divide at the threshold only, for the guaranteed interval, which every further stratum makes wider.
    population : {"all", "unlabeled"}, default="all"
        Population of the metric.

    Returns
    -------
    CheckPlan

    Raises
    ------
    ValueError
        On invalid labels, scores or options, or a budget below four rows per stratum or above the number of rows.

    References
    ----------
    Neyman (1934), Section V: rows of a stratum in proportion to its size and standard deviation, here also to the
    derivative of the metric.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> s, y_score = y & (rng.random(2000) < 0.3), y + rng.normal(size=2000)
    >>> plan = plan_checks(s, y_score, budget=100, metric="f1", threshold=1.0, random_state=0)
    >>> len(plan.rows), bool((plan.extend(150).rows[:100] == plan.rows).all())
    (100, True)
    """
    labels, scores = check_rows(s, y_score)
    threshold = check_threshold(threshold, y_score)
    question = ask(metric, labels, scores, threshold=threshold, population=population, noisy=noisy)
    cuts = ()
    if not (guaranteed and question.cuts):
        known = scores[labels == 1] if labels.any() else scores
        quantiles = _QUANTILES_OF_AREAS if metric in AREAS else _QUANTILES
        cuts = np.quantile(known, 1 - np.array(quantiles), method="inverted_cdf")
        is_listed = scores > -np.inf
        if not is_listed.all():  # the others are a stratum
            cuts = np.append(cuts[cuts > -np.inf], scores[is_listed].min(initial=np.inf))
    labeled_cuts = cuts if metric in AREAS else ()  # wrong labels score low
    strata = Strata(labels, scores, question, cuts, noisy=noisy, labeled_cuts=labeled_cuts)

    guess = _guess(labels, scores, strata, noisy)
    influence = np.abs(strata.measure(strata.known)(strata.sizes * guess)[1])
    share = np.minimum(guess, 0.5)  # any smaller one may be true
    weights = influence * np.sqrt(share * (1 - share)) * strata.sizes
    weights /= max(weights.sum(), 1e-300)
    if not noisy:
        weights[strata.labeled] = -1.0  # known in full
    plan = CheckPlan(
        metric,
        _seed(random_state),
        tuple(weights.tolist()),
        guess,
        strata,
        threshold=threshold,
        noisy=bool(noisy),
        index=index_of(s, y_score),
        cuts=tuple(np.unique(np.append(cuts, question.cuts)).tolist()),
    )
    return plan.extend(budget)


def _seed(random_state):
    """A seed that a plan notes, so that rows can be drawn again."""
    return int(check_random_state(random_state).integers(2**32))


def plan_comparison(s, first, second, *, k, budget, random_state=None, population="all"):
    """Select rows to check to find out which of two lists of k rows contains more positives.

    Rows on both lists or on neither do not affect the difference, so none of them is selected.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled positive, 0 unlabeled.
    first, second : array-like of shape (n,)
        Scores of two models for the same rows, higher means more positive.
    k : int, float or str
        Length of the lists: a number such as 100, or a share such as 0.01 or "1%", rounded to a whole number.
    budget : int or None
        Number of rows to check: at least four of each model that the other model does not list. None: 100, or all.
    random_state : int, Generator or None
        Of the draw.
    population : {"all", "unlabeled"}, default="all"
        Whether labeled rows can be on the lists.

    Returns
    -------
    CheckPlan
        Its ``filled`` table is what :func:`checked_difference` reads.

    Raises
    ------
    ValueError
        On invalid labels, scores or options, if a list ends within tied scores, if both lists are equal, or if `budget`
        is too small or too large.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> s, first, second = y & (rng.random(2000) < 0.3), y + rng.normal(size=2000), rng.normal(size=2000)
    >>> from pumetrics.checks import checked_difference
    >>> plan = plan_comparison(s, first, second, k=200, budget=60, random_state=0)
    >>> difference = checked_difference(s, first, second, plan.filled(y[plan.rows]), plan=plan)
    >>> bool(difference.lower > 0)
    True
    """
    labels, one, other = check_rows(s, first, second)
    metric = metric_at("precision_at_k", k)
    strata = Pair(labels, one, other, metric, population)
    on_one_list = (strata.flagged != 0) & ~strata.labeled
    weights = np.where(on_one_list, strata.sizes / len(labels), -1.0)
    if (weights < 0).all():
        raise ValueError(
            f"first and second list the same unlabeled rows at k={k}: no check can distinguish them"
        )
    guess = np.full(len(weights), 0.5)
    seed = _seed(random_state)
    index = index_of(s, first, second)
    plan = CheckPlan(metric, seed, tuple(weights.tolist()), guess, strata, index=index)
    return plan.extend(budget)


def _guess(s, scores, strata, noisy):
    """Shares of positives: as many hidden as random labels allow, spread like the labeled ones; half without labels."""
    if not s.any():
        return np.full(len(strata.sizes), 0.5)
    hidden = ~strata.labeled
    sizes = strata.sizes[hidden]
    bottoms = [scores[strata.of == h].min() for h in np.flatnonzero(hidden)]
    n_strata = len(bottoms)
    place = n_strata - np.searchsorted(bottoms[::-1], scores[s == 1], side="right")
    place = np.minimum(place, n_strata - 1)
    labeled = np.bincount(place, minlength=n_strata) + 0.5

    counts = place_samples(scores[s == 1], scores[s == 0]).counts()
    alpha = largest_alpha(counts, confidence=0.5)
    guess = np.full(len(hidden), _GUESSED_BETA if noisy else 1.0)
    positives = alpha * sizes.sum() * labeled / labeled.sum()
    guess[hidden] = np.clip(positives / sizes, alpha / 3, 0.9)
    return guess
