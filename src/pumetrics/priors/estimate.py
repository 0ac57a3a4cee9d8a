"""A common interface to all estimators of class priors, from scores and from counts."""

from dataclasses import replace

import numpy as np

from pumetrics.arguments import ArgumentError, suggestion
from pumetrics.cautions import FEW
from pumetrics.counts import Counts, count_scores
from pumetrics.priors.plateau import clean_p_value
from pumetrics.priors.registry import METHODS, available_priors
from pumetrics.priors.types import Priors, Share, priors_of, standardized
from pumetrics.validation import (
    as_array,
    check_count,
    check_fraction,
    check_observed,
    check_random_state,
    check_scores,
    raveled,
)
from pumetrics.weights import check_weights, effective_size

__all__ = [
    "described",
    "effective_counts",
    "estimate_priors",
    "estimate_shares",
    "has_order",
    "pair_of",
    "priors_from_counts",
    "resized",
    "samples_of",
    "spread_of_area",
]

_APART = 0.15  # of the members of a consensus that disagree
_SWAPPED = 0.35  # area below which samples are not those of a model without signal
_REVERSED = 4.0  # standard deviations of the area by which chance hardly ever reverses two samples that are alike


def estimate_priors(
    labeled_scores,
    unlabeled_scores,
    *,
    method="consensus",
    noisy=False,
    random_state=None,
    n_bootstrap=0,
    confidence=0.95,
):
    """Estimate the share of positives among the unlabeled, and among the labeled where labels may be wrong.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : array-like of shape (n_labeled,) and (n_unlabeled,)
        Out-of-sample scores of a classifier trained to separate labeled from unlabeled examples, higher for more
        positive. The methods km1, km2 and tice also take features, of shape (n_labeled, n_features) and (n_unlabeled,
        n_features). Scores that all lie in [0, 1] are read as probabilities; of others neither the unit nor the origin
        matters.
    method : str
        One of :func:`available_priors`.
    noisy : bool
        Whether labeled examples may be negatives. If so the method is run twice, with the roles of the samples
        swapped, and beta is estimated too; otherwise beta is 1.
    random_state : int, Generator, RandomState or None
        Source of whatever is random in the method, and of the bootstrap.
    n_bootstrap : int
        Number of times both samples are drawn again for the intervals; 200 is usual, 0 means no intervals.
    confidence : float
        What the percentile intervals are meant to hold, in (0, 1). Where the test of beta = 1 does not reject at that
        level they are widened to hold what follows from beta = 1 too. They leave out the bias of the method, so they
        may hold less than they are meant to: those of consensus for 0.95, on two Gaussians with 1,000 labeled and
        10,000 unlabeled examples, held alpha in 84 to 98 of 100 samples and beta in 76 to 99, by setting
        (``coverage.csv`` of the study class_priors). Where labels are clean, :func:`alpha_interval` counts that bias.

    Returns
    -------
    Priors
        Frozen: alpha, beta, their intervals, status and warnings. If the samples look alike there is no estimate: both
        priors are NaN and the status is "failed".

    Raises
    ------
    ValueError
        If a sample is empty, holds NaN or infinity, all scores are equal, the method is unknown, features are passed to
        a method that needs scores, or labeled scores are far lower than unlabeled ones, as when samples are swapped.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.uniform(0.5, 1, size=500)
    >>> unlabeled = np.concatenate([rng.uniform(0.5, 1, size=600), rng.uniform(0, 0.5, size=1400)])
    >>> priors = estimate_priors(labeled, unlabeled, method="bbe")
    >>> round(priors.alpha, 2), priors.beta, priors.status
    (0.29, 1.0, 'ok')
    """
    chosen = _find(method)
    labeled, unlabeled = _check_samples(labeled_scores, unlabeled_scores, chosen, method)
    _check_labels_apart(labeled_scores, unlabeled_scores)
    are_alike = _check_order(labeled, unlabeled)
    n_bootstrap = check_count(n_bootstrap, "n_bootstrap", least=0)
    check_fraction(confidence, "confidence", inclusive=False)
    estimation, _, resampling = check_random_state(random_state).spawn(3)
    if are_alike:
        shares = (Share(np.nan),) * (2 if noisy else 1)
        n_bootstrap = 0
    else:
        shares = _shares(chosen, labeled, unlabeled, noisy, estimation)
    priors = described(shares, labeled_scores, unlabeled_scores, method=method)
    few = [
        f"few {kind} examples ({len(sample)}, fewer than {FEW}): see alpha_interval for what they tell"
        for kind, sample in {"labeled": labeled, "unlabeled": unlabeled}.items()
        if len(sample) < FEW
    ]
    priors = replace(priors, warnings=(*few, *priors.warnings))
    if not n_bootstrap:
        return priors
    drawn = []
    for _ in range(n_bootstrap):
        again = [resampling.choice(sample, len(sample)) for sample in (labeled, unlabeled)]
        if np.ptp(np.concatenate(again), axis=0).any():  # scores that are all equal tell nothing
            drawn.append(_shares(chosen, *again, noisy, resampling))
    alpha_interval, beta_interval = _intervals(drawn, confidence, priors.clean_p_value)
    return replace(priors, alpha_interval=alpha_interval, beta_interval=beta_interval)


def estimate_shares(
    labeled_scores, unlabeled_scores, *, method="consensus", noisy=False, random_state=None
):
    """Shares behind the priors, as :func:`estimate_priors` finds them, without intervals and diagnostics.

    Parameters
    ----------
    labeled_scores, unlabeled_scores, method, noisy, random_state
        As for :func:`estimate_priors`.

    Returns
    -------
    tuple of Share
        The labeled distribution's share among the unlabeled and, if `noisy`, the unlabeled one's among the labeled.

    Raises
    ------
    ValueError
        As :func:`estimate_priors`.
    """
    chosen = _find(method)
    samples = _check_samples(labeled_scores, unlabeled_scores, chosen, method)
    return _shares(chosen, *samples, noisy, check_random_state(random_state).spawn(3)[0])


def described(shares, labeled_scores, unlabeled_scores, *, method):
    """Priors with their diagnostics, from the shares that :func:`estimate_shares` found by a method in these samples.

    Parameters
    ----------
    shares : tuple of Share
    labeled_scores, unlabeled_scores, method
        As for :func:`estimate_shares`.

    Returns
    -------
    Priors
        As :func:`estimate_priors` returns them, without intervals.
    """
    pair = pair_of(shares)
    p_value = None
    caution = METHODS[method].caution
    warnings = [caution] if caution else []
    for share, where in zip(shares, ("unlabeled", "labeled"), strict=False):
        warnings += [f"in the {where} sample: {reason}" for reason in _reasons(share)]
    if len(shares) == 2:
        labeled, unlabeled = _check_samples(
            labeled_scores, unlabeled_scores, METHODS[method], method
        )
        p_value = clean_p_value(labeled, unlabeled) if labeled.ndim == 1 else None
    if np.isnan(pair[0]):
        warnings.append(
            "the labeled and the unlabeled sample look alike, so they identify no prior"
        )
    return Priors(*pair, method, warnings=tuple(warnings), clean_p_value=p_value)


def _reasons(share):
    """Reasons to distrust a share."""
    if not np.isnan(share.value) and not share.low < share.value < share.high:
        yield f"{share.value:.3g} lies at the edge of what the method can answer, [{share.low:.3g}, {share.high:.3g}]"
    if share.members and np.ptp(list(share.members.values())) > _APART:
        yield f"estimators disagree: {', '.join(f'{name} {value:.3g}' for name, value in share.members.items())}"


def _shares(chosen, labeled, unlabeled, noisy, rng):
    """The labeled distribution's share among the unlabeled and, if `noisy`, the other way round."""
    first = chosen.estimate(labeled, unlabeled, rng=rng)
    if not noisy:
        return (first,)
    # turned around so that the unlabeled score high: probabilities stay probabilities
    if chosen.oriented:
        lowest = min(labeled.min(), unlabeled.min())
        highest = max(labeled.max(), unlabeled.max())
        top = int(lowest >= 0 and highest <= 1)
        labeled = top - labeled
        unlabeled = top - unlabeled
    return first, chosen.estimate(unlabeled, labeled, rng=rng)


def _intervals(drawn, confidence, p_value):
    """Percentile intervals of both priors, and of what they are if beta = 1, unless that is rejected."""
    if not drawn:
        return None, None
    possible = [[pair_of(shares) for shares in drawn]]
    if p_value is not None and p_value > 1 - confidence:
        possible.append([pair_of(shares[:1]) for shares in drawn])
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    ends = []
    for priors in map(np.array, possible):
        is_known = ~np.isnan(priors).any(axis=1)
        if is_known.any():
            ends.append(np.quantile(priors[is_known], tails, axis=0, method="weibull"))
    if not ends:
        return None, None
    low = np.min(ends, axis=0)[0]
    high = np.max(ends, axis=0)[1]
    return tuple((float(bottom), float(top)) for bottom, top in zip(low, high, strict=True))


def _check_samples(labeled, unlabeled, chosen, method):
    """Both samples, checked and in a unit of their own, or ValueError."""
    named = {"labeled_scores": labeled, "unlabeled_scores": unlabeled}
    columns = [list(each.columns) for each in named.values() if hasattr(each, "columns")]
    if len(columns) == 2 and columns[0] != columns[1]:
        raise ValueError(
            f"both samples need the same features in the same order, got columns {columns[0]} and {columns[1]}"
        )
    named = {name: as_array(sample, name) for name, sample in named.items()}
    if not chosen.features:
        named = {name: raveled(sample, name) for name, sample in named.items()}
    shapes = [sample.shape for sample in named.values()]
    if 2 in map(len, shapes):
        if not chosen.features:
            able = ", ".join(name for name in available_priors() if METHODS[name].features)
            raise ValueError(
                f"{method} needs one score per example, got shapes {shapes[0]} and {shapes[1]}: pass the scores of a "
                f"classifier, or use one of the methods that take features: {able}"
            )
        if len(shapes[0]) != len(shapes[1]) or shapes[0][1] != shapes[1][1]:
            raise ValueError(
                f"both samples need the same features, got shapes {shapes[0]} and {shapes[1]}"
            )
        named = {name: sample.ravel() for name, sample in named.items()}
    samples = [check_scores(sample, name) for name, sample in named.items()]
    if 2 in map(len, shapes) and not all(np.isfinite(sample).all() for sample in samples):
        raise ValueError("features must be finite, got -inf: correct or impute them")
    samples = with_finite_lowest(*samples)
    samples = [sample.reshape(shape) for sample, shape in zip(samples, shapes, strict=True)]
    first = samples[0][0]
    if all((sample == first).all() for sample in samples):
        raise ValueError(
            f"all labeled_scores and unlabeled_scores are {first}: constant scores contain no information about the "
            "priors; use the scores of a classifier that separates labeled from unlabeled examples"
        )
    return standardized(*samples)


def with_finite_lowest(labeled, unlabeled):
    """Both samples with a number for negative infinity, the score of rows that a model did not list.

    It lies as far below the lowest score as the median of the scores lies above it, and not below 0 if scores are
    above 0, as probabilities are.
    """
    both = np.concatenate([labeled, unlabeled])
    is_listed = both > -np.inf
    if is_listed.all() or not is_listed.any():
        return labeled, unlabeled
    lowest = both[is_listed].min()
    gap = np.median(both[is_listed]) - lowest
    below = lowest - (gap or abs(lowest) or 1.0)
    if lowest > 0:
        below = max(below, 0.0)
    return np.maximum(labeled, below), np.maximum(unlabeled, below)


def _check_labels_apart(labeled_scores, unlabeled_scores):
    """Raise ValueError on labels and scores, as other functions take them, in the place of two samples."""
    s = as_array(labeled_scores)
    y_score = as_array(unlabeled_scores)
    are_pairs = s.shape == y_score.shape and y_score.dtype.kind == "f"
    if are_pairs and s.dtype.kind in "iub" and np.isin(s, (-1, 0, 1)).all():
        raise ValueError(
            "labeled_scores contains labels: estimate_priors needs the scores of both samples, (y_score[s == 1], "
            "y_score[s == 0]), not (s, y_score)"
        )


def _check_order(labeled, unlabeled):
    """Whether labeled scores are lower than chance, and so look alike; ValueError if they are lower by far.

    Out-of-bag scores of a model without signal are somewhat lower by construction: the bags that leave a labeled
    example out have fewer labeled ones.
    """
    if labeled.ndim > 1:
        return False
    n = labeled.size
    m = unlabeled.size
    counts = count_scores(np.repeat([1, 0], [n, m]), np.concatenate([labeled, unlabeled]))
    separation = float(np.trapezoid(counts.tpr_pu, counts.fpr_pu))
    is_lower = separation < 0.5 - _REVERSED * spread_of_area(n, m)
    if is_lower and separation < _SWAPPED:
        raise ValueError(
            f"labeled_scores are lower than unlabeled_scores (area {separation:.3f}): give the labeled sample first, "
            "and scores of which higher means more positive"
        )
    return bool(is_lower)


def spread_of_area(n, m):
    """Standard deviation of the area under the ROC curve of two samples that are alike (Mann & Whitney 1947)."""
    return np.sqrt((n + m + 1) / (12 * n * m))


def _find(method):
    if method not in METHODS:
        hint = suggestion(method, METHODS, "did you mean {!r}? ")
        known = ", ".join(available_priors())
        raise ArgumentError(
            "method", f"must name an estimator, got {method!r}: {hint}Known: {known}"
        )
    return METHODS[method]


# Estimators of priors see at most this many evenly spaced quantiles of either sample: what they cannot tell from ten
# thousand scores is a matter of their assumptions, not of more scores.
_MOST_SCORES = 10_000


def priors_from_counts(counts, *, beta=1.0, method="consensus", noisy=False, rng=None):
    """Priors (alpha, beta) from one model's scores; NaN where there is no estimate.

    Parameters
    ----------
    counts : Counts
    beta : float
        Share of positives among the labeled: known unless `noisy`, and alpha is then beta times the share of the
        labeled distribution found among the unlabeled.
    method : str
        One of :func:`~pumetrics.priors.available_priors`.
    noisy : bool
        Whether beta is estimated as well.
    rng : int, numpy.random.Generator or None
        For estimators that draw.

    Returns
    -------
    alpha, beta : float

    Raises
    ------
    ValueError
        If `method` is unknown.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> rng = np.random.default_rng(0)
    >>> s, y_score = np.repeat([1, 0], [200, 1000]), rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> alpha, beta = priors_from_counts(count_scores(s, y_score))
    >>> 0.2 < alpha < 0.4, beta
    (True, 1.0)
    """
    if not has_order(counts):
        return np.nan, np.nan
    return pair_of(
        estimate_shares(*samples_of(counts), method=method, noisy=noisy, random_state=rng), beta
    )


def has_order(counts):
    """Whether some examples score higher than others."""
    return np.count_nonzero(np.diff(counts.predicted)) > 1


def pair_of(shares, beta=1.0):
    """Alpha and beta from shares found in both directions, or from one if beta is known."""
    values = [share.value for share in shares]
    return priors_of(values) if len(values) == 2 else (values[0] * beta, beta)


def samples_of(counts):
    """Labeled and unlabeled scores behind counts, descending; of many only evenly spaced ones.

    Parameters
    ----------
    counts : Counts

    Returns
    -------
    labeled, unlabeled : ndarray
    """
    return tuple(_spread(counts.thresholds, count) for count in (counts.labeled, counts.unlabeled))


def _spread(thresholds, count):
    size = int(count[-1])
    places = np.arange(size)
    if size > _MOST_SCORES:
        places = ((np.arange(_MOST_SCORES) + 0.5) * size / _MOST_SCORES).astype(np.int64)
    return thresholds[np.searchsorted(count, places, side="right")]


def effective_counts(s, y_score, sample_weight=None):
    """Compute counts of a weighted sample, scaled to its effective sample size.

    Estimators of the priors, and the calibration of their errors, count examples. They see the weighted distribution
    of the scores, with Kish's effective number of labeled and of unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    sample_weight : array-like of shape (n,), optional
        Weights, at least 0; multiplying all of them by a number changes nothing.

    Returns
    -------
    Counts
        int64; those of the sample itself if all weights are equal.

    Raises
    ------
    ValueError
        As :func:`pumetrics.counts.count_scores`.

    Examples
    --------
    >>> counts = effective_counts([1, 1, 0, 0, 0], [5.0, 3.0, 4.0, 2.0, 1.0], [1, 1, 4, 1, 1])
    >>> counts.labeled, counts.unlabeled
    (array([0, 1, 1, 2, 2, 2]), array([0, 0, 1, 1, 2, 2]))
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    if sample_weight is None:
        return counts
    s = check_observed(s)
    weights = check_weights(sample_weight, s)
    return resized(counts, *(effective_size(weights[s == kind]) for kind in (1, 0)))


def resized(counts, n_labeled, n_unlabeled):
    """Whole counts with the same shares at every threshold, of samples of other sizes.

    Parameters
    ----------
    counts : Counts
    n_labeled, n_unlabeled : float
        At least 1; rounded.

    Returns
    -------
    Counts
        int64.
    """
    labeled = np.rint(counts.tpr_pu * round(n_labeled))
    unlabeled = np.rint(counts.fpr_pu * round(n_unlabeled))
    return Counts(counts.thresholds, labeled.astype(np.int64), unlabeled.astype(np.int64))
