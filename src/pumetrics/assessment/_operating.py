"""A model at one threshold: how many positives it finds, how many alarms are right, and the uncertainty of both."""

from dataclasses import dataclass

import numpy as np

from pumetrics._validation import check_random_state
from pumetrics.counts import count_scores
from pumetrics.inference.answers import Score
from pumetrics.inference.request import PriorEstimates, check_threshold
from pumetrics.inference.selection import reweighted, selected_rates
from pumetrics.metrics import measures_of
from pumetrics.priors.estimate import resized
from pumetrics.priors.interval import identifies
from pumetrics.rates import ratio, sample_prior, separated

__all__ = ["OperatingPoint", "operating_point", "operating_points"]

_DRAWS = 4000
_ALPHAS = 5  # of a range, at each of which an interval has to hold


@dataclass(frozen=True)
class OperatingPoint:
    """Predictions at one threshold against the true class, over all rows, labeled and unlabeled.

    Attributes
    ----------
    threshold : float
        Rows with a score at or above it are flagged.
    chosen : str
        How it was chosen: "given", "best F1" for the largest corrected F1 on these rows, or "table".
    n_rows, n_flagged, n_labeled, n_labeled_flagged : int or float
        Exact counts, not estimates; sums of weights if rows are weighted.
    n_positives : float
        Expected number of positives, labeled and hidden.
    true_positives, false_positives, false_negatives, true_negatives : float
        Expected counts; they add up to `n_rows`.
    recall, precision, fall_out, lift : Score
        Share of positives that are flagged, share of flagged rows that are positive, share of negatives that are
        flagged, and precision divided by the share of positives among all rows.
    new_precision : Score
        Precision among the unlabeled alone: share of alarms on unlabeled rows that are right.
    """

    threshold: float
    chosen: str
    n_rows: float
    n_flagged: float
    n_labeled: float
    n_labeled_flagged: float
    n_positives: float
    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float
    recall: Score
    precision: Score
    fall_out: Score
    lift: Score
    new_precision: Score


def operating_point(result, s, y_score, *, threshold=None, sample_weight=None, random_state=0):
    """Estimate the performance at one threshold with the priors of an assessment or a comparison.

    Parameters
    ----------
    result : Assessment or Comparison
        Source of the priors, their ranges, and the kind of uncertainty.
    s, y_score : array-like of shape (n_samples,)
        1 labeled, 0 unlabeled; scores, higher means more positive.
    threshold : float, optional
        By default the threshold of `result`, or the one with the largest corrected F1.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0; required if the rows of `result` are weighted.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    OperatingPoint

    Raises
    ------
    ValueError
        On invalid labels, scores or weights, if weights are given only here or only for `result`, or if `result` has
        propensities.

    Notes
    -----
    Shares of labeled and of unlabeled examples at or above the threshold are drawn from their Jeffreys distributions,
    and alpha from its calibrated distribution. If a range of alpha is given or guaranteed, the interval is the worst
    case over this range. A threshold that was chosen on the same rows is treated as given, which is slightly
    optimistic. Weighted and clustered rows enter with their effective sample size. Under a selection, the numbers of
    all positives and of hidden ones are what :func:`pumetrics.inference.selection.selected_rates` computes from the
    drawn labeled ones.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 to 3; Brown, Cai & DasGupta (2001), "Interval estimation for a binomial
    proportion", for the intervals of shares.
    """
    counts, sizes = _counted(result, s, y_score, sample_weight)
    threshold = check_threshold(result.threshold if threshold is None else threshold, y_score)
    chosen = "given"
    if threshold is None:
        shown = reweighted(counts, result.selection, alpha=result.alpha, population="all")
        f1 = measures_of(shown, alpha=result.alpha, beta=result.beta)["f1"]
        threshold, chosen = float(counts.thresholds[np.argmax(f1)]), "best F1"
    rng = check_random_state(random_state)
    return _point(result, counts, sizes, threshold, chosen, _alphas(result, counts, sizes, rng), rng)


def operating_points(result, s, y_score, *, n_points=9, sample_weight=None, random_state=0):
    """Compute operating points from few alarms to many, at about evenly spaced recalls.

    Parameters
    ----------
    result, s, y_score, sample_weight, random_state
        See :func:`operating_point`.
    n_points : int
        Largest number of points; equal thresholds are listed once.

    Returns
    -------
    list of OperatingPoint
        Highest threshold first.
    """
    (counts, sizes), rng = _counted(result, s, y_score, sample_weight), check_random_state(random_state)
    alphas = _alphas(result, counts, sizes, rng)
    shares = np.linspace(0, 1, n_points + 2)[1:-1] - 1e-9  # sums of weights may miss a share by a hair
    places = np.unique(np.searchsorted(counts.tpr_pu, shares))
    return [_point(result, counts, sizes, counts.thresholds[place], "table", alphas, rng) for place in places if place]


def _counted(result, s, y_score, sample_weight):
    """Counts, and the effective sample sizes of the labeled and of the unlabeled examples."""
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    design = result.design
    if (sample_weight is not None) != bool(design and design["weighted"]):
        where = "to the assessment" if sample_weight is not None else "here"
        raise ValueError(f"rows are weighted, but sample_weight is not given {where}: give it to both or to neither")
    if design and design["propensity"]:
        raise ValueError(
            "an operating point assumes random labels, but the assessment has propensities: assess recall and "
            "precision at the threshold instead"
        )
    if design:
        return counts, (design["effective_labeled"], design["effective_unlabeled"])
    return counts, (counts.n_labeled, counts.n_unlabeled)


def _point(result, counts, sizes, threshold, chosen, alphas, rng):
    """The operating point of counts at a threshold."""
    at, selection = int(counts.at(threshold)), result.selection
    values = _values(counts.tpr_pu[at], counts.fpr_pu[at], result.alpha, result.beta, counts.c, selection)
    intervals = _intervals(result, counts, sizes, at, alphas, rng)
    n, flagged = counts.n, counts.predicted[at].item()
    positives = n * sample_prior(result.alpha, result.beta, counts.c)
    hits = float(np.clip(positives * values["recall"], max(0, positives + flagged - n), min(flagged, positives)))
    return OperatingPoint(
        threshold=float(threshold),
        chosen=chosen,
        n_rows=n,
        n_flagged=flagged,
        n_labeled=counts.n_labeled,
        n_labeled_flagged=counts.labeled[at].item(),
        n_positives=float(positives),
        true_positives=hits,
        false_positives=flagged - hits,
        false_negatives=float(positives - hits),
        true_negatives=float(n - positives - (flagged - hits)),
        **{name: _score(name, float(value), intervals) for name, value in values.items()}
        | _assessed(result, threshold),
    )


def _assessed(result, threshold):
    """Recall and precision from the assessment, if it has them at this threshold."""
    if result.threshold != threshold or result.population != "all":
        return {}
    return {score.metric: score for score in result.scores if score.metric in ("recall", "precision")}


def _score(name, value, intervals):
    interval, identified = None, True
    if intervals is not None:
        low, high = intervals[name]
        interval = low, high = min(float(low), value), max(float(high), value)
        identified = identifies(low, high, unbounded=name == "lift")
    return Score(name, np.nan, value, interval, None, "", identified)


def _values(tpr_pu, fpr_pu, alpha, beta, c, selection):
    """Recall, precision, false positive rate and lift behind the shares that are flagged, clipped to their ranges."""
    if selection == 1:
        tpr, fpr = separated(tpr_pu, fpr_pu, alpha, beta)
        hidden = tpr
    else:
        tpr, hidden = selected_rates(tpr_pu, selection, c / (c + (1 - c) * alpha))
        fpr = (fpr_pu - alpha * hidden) / (1 - alpha)
    tpr, fpr, hidden = (np.clip(rate, 0, 1) for rate in (tpr, fpr, hidden))
    prior, flagged = sample_prior(alpha, beta, c), c * tpr_pu + (1 - c) * fpr_pu
    precision = np.clip(ratio(prior * tpr, flagged), 0, 1)
    return {
        "recall": tpr,
        "precision": precision,
        "fall_out": fpr,
        "lift": precision / prior,
        "new_precision": np.clip(ratio(alpha * hidden, fpr_pu), 0, 1),
    }


def _intervals(result, counts, sizes, at, alphas, rng):
    """Interval of every number, or None if the assessment has no intervals."""
    if not result.n_resamples:
        return None
    shares = [
        rng.beta(n * total[at] / total[-1] + 0.5, n * (1 - total[at] / total[-1]) + 0.5, size=_DRAWS)
        for n, total in zip(sizes, (counts.labeled, counts.unlabeled), strict=True)
    ]
    confidence = result.confidence
    if result.uncertainty.startswith("guaranteed"):
        confidence = (1 + confidence) / 2
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    drawn = [
        _values(*shares, alpha, beta, counts.c, result.selection)
        for alpha in alphas
        for beta in _ends(result.beta_interval, result.beta)
        if np.all(alpha < beta)
    ] or [_values(*shares, result.alpha, result.beta, counts.c, result.selection)]
    ends = {name: np.array([np.quantile(each[name], tails) for each in drawn]) for name in drawn[0]}
    return {name: (pairs[:, 0].min(), pairs[:, 1].max()) for name, pairs in ends.items()}


def _alphas(result, counts, sizes, rng):
    """Alphas at each of which the interval holds, or one array of draws from the calibrated distribution."""
    if result.uncertainty == "calibrated" and result.selection == 1:
        whole = resized(counts, *sizes) if result.design else counts
        estimates = result.estimates or PriorEstimates(whole)  # a comparison keeps none
        drawn = estimates.calibrated.quantile(rng.uniform(1e-9, 1 - 1e-9, size=_DRAWS))
        low, high = result.alpha_interval or (result.alpha, result.alpha)
        return [np.clip(drawn, min(low, result.alpha), max(high, result.alpha))]
    return _ends(result.alpha_interval, result.alpha)


def _ends(interval, value):
    return [value] if interval is None else [float(each) for each in np.linspace(*interval, _ALPHAS)]
