"""What a model does at one threshold: how many positives it finds, how many alarms are right, and how sure that is."""

from dataclasses import dataclass

import numpy as np

from pumetrics._validation import check_random_state
from pumetrics.counts import count_scores
from pumetrics.inference.selection import reweighted
from pumetrics.inference.types import UNINFORMATIVE
from pumetrics.metrics import measures_of
from pumetrics.priors.interval import calibrated_alpha
from pumetrics.rates import sample_prior, separated

__all__ = ["Estimate", "OperatingPoint", "operating_point", "operating_points"]

_DRAWS = 4000
_ALPHAS = 5  # of a range, at each of which an interval has to hold


@dataclass(frozen=True)
class Estimate:
    """A corrected number, and what it may be.

    Attributes
    ----------
    value : float
    interval : tuple of (float, float) or None
        By sampling error and by what is left open about alpha; None if no interval was asked for.
    identified : bool
        Whether the scores tell it: False where the interval is too wide to say anything.
    """

    value: float
    interval: tuple[float, float] | None
    identified: bool = True


@dataclass(frozen=True)
class OperatingPoint:
    """Predictions at one threshold against the true class, over all rows, labeled and unlabeled.

    Attributes
    ----------
    threshold : float
        Rows with a score at or above it are flagged.
    chosen : str
        Where it comes from: "given", "best F1" if it has the largest corrected F1 on these rows, or "table".
    n_rows, n_flagged, n_labeled, n_labeled_flagged : int
        Counted, not estimated.
    n_positives : float
        Expected number of positives, labeled and hidden.
    true_positives, false_positives, false_negatives, true_negatives : float
        Expected counts; they add up to `n_rows`.
    recall, precision, fall_out, lift : Estimate
        Share of the positives that is flagged, share of the flagged that is positive, share of the negatives that is
        flagged, and how many times as often positives occur among the flagged as among all rows.
    new_precision : Estimate
        Precision among the unlabeled alone: how many of the alarms that are not labeled yet are right.
    """

    threshold: float
    chosen: str
    n_rows: int
    n_flagged: int
    n_labeled: int
    n_labeled_flagged: int
    n_positives: float
    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float
    recall: Estimate
    precision: Estimate
    fall_out: Estimate
    lift: Estimate
    new_precision: Estimate


def operating_point(result, s, y_score, *, threshold=None, random_state=0):
    """Assess the predictions at one threshold with the priors of an assessment or a comparison.

    Parameters
    ----------
    result : Assessment or Comparison
        For priors and their range, and the kind of uncertainty.
    s, y_score : array-like of shape (n_samples,)
        1 labeled, 0 unlabeled; scores, higher is more positive.
    threshold : float, optional
        By default that of `result`, or where the corrected F1 is largest.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    OperatingPoint

    Notes
    -----
    Shares of the labeled and of the unlabeled at or above the threshold are drawn from their Jeffreys distributions,
    alpha from its calibrated distribution or, where a range of it is given or guaranteed, in turn from the whole range:
    then the interval is that of the worst case. A threshold that was chosen on the same rows is taken as if it had been
    given, which is slightly optimistic. Rows of clusters count as many as they are worth.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 to 3; Brown, Cai & DasGupta (2001), "Interval estimation for a binomial
    proportion", for the intervals of shares.
    """
    counts = count_scores(s, y_score)
    threshold = result.threshold if threshold is None else threshold
    chosen = "given"
    if threshold is None:
        f1 = measures_of(counts, alpha=result.alpha, beta=result.beta)["f1"]
        threshold, chosen = float(counts.thresholds[np.argmax(f1)]), "best F1"
    rng = check_random_state(random_state)
    return _point(result, counts, threshold, chosen, _alphas(result, counts, rng), rng)


def operating_points(result, s, y_score, *, n_points=9, random_state=0):
    """Operating points from few alarms to many, at thresholds that find about evenly spaced shares of the positives.

    Parameters
    ----------
    result, s, y_score, random_state
        See :func:`operating_point`.
    n_points : int
        At most; thresholds that tie are listed once.

    Returns
    -------
    list of OperatingPoint
        Highest threshold first.
    """
    counts, rng = count_scores(s, y_score), check_random_state(random_state)
    alphas = _alphas(result, counts, rng)
    shares = np.linspace(0, 1, n_points + 2)[1:-1]
    places = np.unique(np.searchsorted(counts.labeled, shares * counts.n_labeled))
    return [_point(result, counts, counts.thresholds[place], "table", alphas, rng) for place in places if place]


def _point(result, counts, threshold, chosen, alphas, rng):
    """The operating point of counts at a threshold."""
    at = int(counts.at(threshold))
    shift = 0.0
    selection = getattr(result, "selection", 1.0)
    if selection != 1:
        shift = float(reweighted(counts, selection, alpha=result.alpha).tpr_pu[at] - counts.tpr_pu[at])
    values = _values(counts.tpr_pu[at] + shift, counts.fpr_pu[at], result.alpha, result.beta, counts.c)
    intervals = _intervals(result, counts, at, shift, alphas, rng)
    n, flagged = counts.n, int(counts.predicted[at])
    positives = n * sample_prior(result.alpha, result.beta, counts.c)
    hits = float(np.clip(positives * values["recall"], max(0, positives + flagged - n), min(flagged, positives)))
    return OperatingPoint(
        threshold=float(threshold),
        chosen=chosen,
        n_rows=n,
        n_flagged=flagged,
        n_labeled=counts.n_labeled,
        n_labeled_flagged=int(counts.labeled[at]),
        n_positives=float(positives),
        true_positives=hits,
        false_positives=flagged - hits,
        false_negatives=float(positives - hits),
        true_negatives=float(n - positives - (flagged - hits)),
        **{name: _estimate(name, float(value), intervals) for name, value in values.items()}
        | _assessed(result, threshold),
    )


def _assessed(result, threshold):
    """Recall and precision as the assessment holds them, if it was asked for them at this threshold."""
    if result.threshold != threshold or result.population != "all":
        return {}
    scores = {score.metric: score for score in getattr(result, "scores", ())}
    return {
        name: Estimate(scores[name].corrected, scores[name].interval, scores[name].identified)
        for name in ("recall", "precision")
        if name in scores
    }


def _estimate(name, value, intervals):
    if intervals is None:
        return Estimate(value, None)
    low, high = intervals[name]
    low, high = min(float(low), value), max(float(high), value)
    wide = high > 10 * max(low, 1e-12) if name == "lift" else high - low >= UNINFORMATIVE
    return Estimate(value, (low, high), not wide)


def _values(tpr_pu, fpr_pu, alpha, beta, c):
    """Recall, precision, false positive rate and lift behind the shares that are flagged, clipped to their ranges."""
    tpr, fpr = separated(tpr_pu, fpr_pu, alpha, beta)
    tpr, fpr = np.clip(tpr, 0, 1), np.clip(fpr, 0, 1)
    prior, flagged = sample_prior(alpha, beta, c), c * tpr_pu + (1 - c) * fpr_pu
    precision = np.clip(_ratio(prior * tpr, flagged), 0, 1)
    return {
        "recall": tpr,
        "precision": precision,
        "fall_out": fpr,
        "lift": precision / prior,
        "new_precision": np.clip(_ratio(alpha * tpr, fpr_pu), 0, 1),
    }


def _ratio(part, whole):
    """A share; 0 of nothing."""
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=np.asarray(whole) > 0)


def _intervals(result, counts, at, shift, alphas, rng):
    """Interval of every number, or None if none was asked for."""
    if not getattr(result, "n_resamples", 1):
        return None
    worth = getattr(result, "design", None) or {}
    shares = []
    for kind, total in (("labeled", counts.labeled), ("unlabeled", counts.unlabeled)):
        n = worth.get(f"effective_{kind}", total[-1])
        hits = n * total[at] / total[-1]
        shares.append(rng.beta(hits + 0.5, n - hits + 0.5, size=_DRAWS))
    shares[0] = np.clip(shares[0] + shift, 0, 1)
    confidence = result.confidence
    if result.uncertainty.startswith("guaranteed"):
        confidence = (1 + confidence) / 2
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    drawn = [
        _values(*shares, alpha, beta, counts.c)
        for alpha in alphas
        for beta in _ends(result.beta_interval, result.beta)
        if np.all(alpha < beta)
    ] or [_values(*shares, result.alpha, result.beta, counts.c)]
    ends = {name: np.array([np.quantile(each[name], tails) for each in drawn]) for name in drawn[0]}
    return {name: (pairs[:, 0].min(), pairs[:, 1].max()) for name, pairs in ends.items()}


def _alphas(result, counts, rng):
    """Alphas at each of which the interval holds, or one array of draws from the calibrated distribution."""
    own = getattr(result, "selection", None) == 1  # of a comparison, alpha is that of either model's scores
    if result.uncertainty == "calibrated" and own:
        drawn = calibrated_alpha(counts).quantile(rng.uniform(1e-9, 1 - 1e-9, size=_DRAWS))
        low, high = result.alpha_interval or (result.alpha, result.alpha)
        return [np.clip(drawn, min(low, result.alpha), max(high, result.alpha))]
    return _ends(result.alpha_interval, result.alpha)


def _ends(interval, value):
    return [value] if interval is None else [float(each) for each in np.linspace(*interval, _ALPHAS)]
