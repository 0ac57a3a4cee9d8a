"""Figure 5: rank CDF, ROC and precision-recall curves on a test set in which 5% of the positives stay labeled."""

import numpy as np

from pumetrics.bounds.hypergeometric import band_coverage
from pumetrics.counts import count_scores
from pumetrics.models.bagging_svm import bagging_svm_scores
from pumetrics_workflow.ranking import ranking_scores
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015.rows import GRID, area_rows, band_of, curve_rows, statistic

__all__ = ["ESTIMATES", "F_ENDS", "figure5"]

STUDY = "claesen2015"
ESTIMATES = {"true": 1.0, "none": 0.0, "interval": (0.8, 1.2)}
"""Estimates of alpha, as multiples of the true share."""
F_ENDS = (0.1, 0.5, 0.9, 0.99, 0.999, 1.0)
"""Upper ends of ranges of the true rank CDF in which cuts are counted apart."""


def figure5(repeats, seed, data, *, label_share, test_positives=None, test_negatives=None, training=None):
    """Areas for every repeat of the labeling, curves for the first.

    Parameters
    ----------
    repeats : sequence of int
        Draws of the labeled positives; the model and its test set stay the same.
    seed : int
    data : dict of str to DataFrame
        One data set: features and ``y``, or ``score`` and ``y``, which is then taken as it is.
    label_share : float
        Share of the positives of the test set that stay labeled.
    test_positives, test_negatives : int
        Size of the test set; the rest is for training.
    training : dict
        ``n_labeled`` and ``n_unlabeled`` examples for the model, other options go to it.
    """
    ((name, frame),) = data.items()
    y, score = _ranking(name, frame, seed, test_positives, test_negatives, training)
    areas = ranking_scores(score, y)
    rows = []
    for repeat in repeats:
        rng = rng_for(seed, STUDY, "figure5", name, "labels", repeat)
        s = np.zeros(len(y), dtype=np.int8)
        s[rng.choice(np.flatnonzero(y), round(label_share * y.sum()), replace=False)] = 1
        rows += _evaluated(s, y, score, areas, {"dataset": name, "repeat": repeat})
    return rows


def _evaluated(s, y, score, areas, common):
    alpha = y[s == 0].mean()
    common = {**common, "model": "published scores" if "scores" in common["dataset"] else "bagging SVM"}
    rows = []
    for band_name in ("bootstrap", "hypergeometric"):
        method = f"bounds_{band_name}"
        rows += _rank_cdf(s, y, score, band_of(band_name, s, score, alpha=alpha), {**common, "method": method})
        for prior, factor in ESTIMATES.items():
            estimate = tuple(min(f * alpha, 1.0) for f in factor) if prior == "interval" else factor * alpha
            # The exact band depends on alpha: hand over its name, so that either end of an interval has its own.
            options = {"alpha": estimate, "band": band_name, "method": method, "prior": prior, **common}
            rows.append(area_rows(s, score, areas, **options))
            if common["repeat"] == 0:
                rows += curve_rows(s, y, score, **options)
    return rows


def _rank_cdf(s, y, score, band, common):
    """Share of cuts inside the band, and for the first repeat the CDF itself, at cuts only."""
    counts = count_scores(s, score, y)
    cuts = counts.predicted[1:] - 1
    hidden = counts.positives - counts.labeled  # every labeled example is positive
    hidden = (hidden / hidden[-1])[1:]
    inside = (band.lower[cuts] <= hidden + 1e-9) & (hidden <= band.upper[cuts] + 1e-9)
    rows = [
        statistic(statistic="rank_cdf_inside", value=inside.mean(), **common),
        statistic(statistic="rank_cdf_everywhere", value=float(inside.all()), **common),
        *_counted_apart(inside, hidden, np.diff(counts.predicted), common),
    ]
    if common["repeat"] == 0:
        value = _exact_over_ranks(counts, common["method"].removeprefix("bounds_"))
        rows.append(statistic(statistic="rank_cdf_inside_by_rank_exact", value=value, **common))
        at = np.searchsorted(cuts, np.maximum(GRID[1:] * len(s) - 1, cuts[0]), side="right") - 1
        at = np.unique(at)
        labeled = counts.tpr_pu[1:][at]
        values = {"_true": hidden[at], "_lower": band.lower[cuts][at], "_upper": band.upper[cuts][at], "": labeled}
        shares = (cuts[at] + 1) / len(s)
        for side, value in values.items():
            rows.append(statistic(statistic=f"rank_cdf{side}", at=shares, value=value, **common))
    return rows


def _counted_apart(inside, hidden, sizes, common):
    """Share of ranks inside, where all ranks of a group of tied scores count, and shares of cuts by the true CDF."""
    rows = [statistic(statistic="rank_cdf_inside_by_rank", value=np.average(inside, weights=sizes), **common)]
    place = np.searchsorted(F_ENDS, hidden - 1e-12)
    cuts = np.bincount(place, minlength=len(F_ENDS))
    found = np.flatnonzero(cuts)
    held = np.bincount(place, weights=inside, minlength=len(F_ENDS))
    values = {"rank_cdf_inside_up_to": held[found] / cuts[found], "rank_cdf_cuts_up_to": cuts[found] / len(inside)}
    ends = np.array(F_ENDS)[found]
    return rows + [statistic(statistic=name, at=ends, value=value, **common) for name, value in values.items()]


def _exact_over_ranks(counts, name):
    """Probability that a band holds, over all draws of the labeled positives, as a mean over ranks."""
    labeled, positives = int(counts.labeled[-1]), int(counts.positives[-1])
    unlabeled = int(counts.predicted[-1]) - labeled
    # Any ranking shows a band's values, one for each number of labeled positives above; this one in its last ranks.
    s = np.r_[np.zeros(unlabeled, dtype=np.int8), np.ones(labeled, dtype=np.int8)]
    band = band_of(name, s, -np.arange(len(s)), alpha=(positives - labeled) / unlabeled)
    _, pointwise = band_coverage(labeled, positives - labeled, *(side[unlabeled - 1 :] for side in band))
    above = np.r_[1.0, pointwise, 1.0][counts.positives[1:]]
    return np.average(above, weights=np.diff(counts.predicted))


def _ranking(name, frame, seed, test_positives, test_negatives, training):
    """True classes and scores of the test set."""
    y = frame["y"].to_numpy()
    if training is None:
        return y, frame["score"].to_numpy(dtype=np.float64)
    from pumetrics.models.encoding import encode

    rng = rng_for(seed, STUDY, "figure5", name, "model")
    places = [rng.permutation(np.flatnonzero(y == value)) for value in (1, 0)]
    test = np.concatenate([places[0][:test_positives], places[1][:test_negatives]])
    options = dict(training)
    n_labeled, n_unlabeled = options.pop("n_labeled"), options.pop("n_unlabeled")
    labeled, rest = np.split(places[0][test_positives:], [n_labeled])
    # The unlabeled side has the natural share of positives.
    unlabeled = rng.permutation(np.concatenate([rest, places[1][test_negatives:]]))[:n_unlabeled]
    features = encode(frame.drop(columns="y"))
    parts = (np.asarray(features[rows], dtype=np.float64) for rows in (labeled, unlabeled, test))
    return y[test], bagging_svm_scores(*parts, rng, **options)
