"""The parts of the study, each a function of repeats and a seed; what is drawn depends on names, never on chunks."""

from itertools import product

import numpy as np
import pandas as pd

from pumetrics.bounds import Band, clipped_share, metric_bounds, pr_bounds, roc_bounds
from pumetrics.counts import count_scores
from pumetrics.recovery import recover_auc
from pumetrics_workflow.models.estimators import bagging_svm_scores
from pumetrics_workflow.ranking import ranking_scores
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015.orders import model_statistics
from pumetrics_workflow.studies.claesen2015.rankings import (
    BANDS,
    FLIPS,
    band_of,
    exact_coverage,
    laid_out,
    two_normals,
)

__all__ = ["simulate"]

STUDY = "claesen2015"
# Figure 1: the ranking and the two sets of positives, as printed.
RANKING = "BEDGHAFCI"
SETS = {"P1": "BDAC", "P2": "EGF"}
GRID = np.linspace(0, 1, 201)  # where curves are read for figures
ESTIMATES = {
    "true": 1.0,
    "none": 0.0,
    "interval": (0.8, 1.2),
}  # of alpha, as multiples of the true share
F_ENDS = (
    0.1,
    0.5,
    0.9,
    0.99,
    0.999,
    1.0,
)  # ends of ranges of the true rank CDF in which cuts are counted apart
_FLOAT = 1e-9  # a band of whole counts can meet the truth exactly; rounding must not decide
_SAMPLE = {
    "dataset": "two_normals",
    "model": "ranking",
    "labeling": "-",
    "repeat": 0,
    "prior": "true",
}


def simulate(part, *, repeats, seed, data, **options):
    """Records and statistics of one part for a chunk of repeats.

    Parameters
    ----------
    part : str
        ``figure5`` and ``figure5_published`` need one data set, ``orders`` any; others are keys of :data:`PARTS`.
    repeats : sequence of int
    seed : int
        Root of the random numbers.
    data : dict of str to DataFrame
        Prepared data sets by name.
    **options
        Of the part: sizes, shares, estimates.

    Returns
    -------
    pandas.DataFrame
        Records and statistics in one table, without the column ``study``.

    Raises
    ------
    ValueError
        If there is no such part.
    """
    if part.startswith("figure5"):
        return pd.DataFrame(_figure5(repeats, seed, data, **options))
    if part == "orders":
        return pd.DataFrame(model_statistics(repeats, seed, data, **options))
    if part not in PARTS:
        raise ValueError(
            f"claesen2015 has no part {part!r}; there are {', '.join([*PARTS, 'figure5', 'orders'])}"
        )
    return pd.DataFrame([row for repeat in repeats for row in PARTS[part](repeat, seed, **options)])


def _rows(**columns):
    """Rows of single values and of arrays of one length: statistics, or without a ``statistic`` records."""
    fixed = _SAMPLE if "statistic" in columns else {**_SAMPLE, "truth_kind": "same_scores"}
    values = np.broadcast_arrays(*map(np.atleast_1d, columns.values()))
    return [
        {**fixed, **dict(zip(columns, row, strict=True))}
        for row in zip(*map(np.ndarray.tolist, values), strict=True)
    ]


def _areas(s, score, truth, *, alpha, band, **columns):
    """Bounds on both areas next to the true areas (AUC, average precision)."""
    low, high = np.transpose(
        [bound(s, score, alpha=alpha, band=band).auc for bound in (roc_bounds, pr_bounds)]
    )
    return _rows(
        metric=["roc_auc", "average_precision"],
        truth=np.array(truth),
        lower=low,
        upper=high,
        **columns,
    )


def _roc_curve(
    s,
    y,
    score,
    *,
    alpha,
    band,
    **columns,
):
    """Bounds on the ROC curve and the true curve, read on a grid of false positive rates."""
    bounds = roc_bounds(s, score, alpha=alpha, band=band)
    true = roc_bounds(y, score, alpha=0, band="dkw")
    return _curve("roc_curve", GRID, (*bounds.at(GRID), true.at(GRID)[1]), columns)


def _pr_curve(
    s,
    y,
    score,
    *,
    alpha,
    band,
    **columns,
):
    """Bounds on the precision-recall curve and the true curve: precision of the first cut that reaches a recall."""
    # At cuts: `at` must allow for labels within a group of ties, which a drawn curve does not show.
    bounds = pr_bounds(s, score, alpha=alpha, band=band)
    true = pr_bounds(y, score, alpha=0, band="dkw")
    heights = []
    for points in (*bounds[:2], true.lower):
        first = np.searchsorted(points.recall[1:], GRID[1:] - 1e-12, side="left")
        heights.append(points.precision[1:][np.minimum(first, len(points.precision) - 2)])
    return _curve("pr_curve", GRID[1:], heights, columns)


def _curve(name, at, heights, columns):
    """Statistics: lower bound, upper bound, and true curve, whose bounds are the curve, as nothing is hidden."""
    sides = zip(("lower", "upper", "true"), heights, strict=True)
    return [
        row
        for side, value in sides
        for row in _rows(statistic=f"{name}_{side}", at=at, value=value, **columns)
    ]


def _exact(repeat, seed):
    """Figure 1 and the lemmas; nothing is random."""
    order = {name: rank for rank, name in enumerate(RANKING, start=1)}
    rows = []
    ranks = np.arange(1, 10)
    for name, members in SETS.items():
        value = _tpr([order[member] for member in members], ranks)
        rows += _rows(
            dataset="figure1",
            labeling=name,
            statistic="rank_cdf",
            at=ranks,
            value=value,
        )
    sets = {"P1": [1, 2, 4, 7], "P2": [3, 5, 9, 12]}
    for name, positives in sets.items():  # Lemma 1, two sets of one size
        rows += _rates("lemma1", name, positives)
    for name, positives in {**sets, "P1 and P2": sets["P1"] + sets["P2"]}.items():  # Lemma 2
        rows += _rates("lemma2", name, positives)
    sizes = np.arange(1, 71)  # Lemma 4: FPR at one TPR, one rank of 100, by the number of positives
    for kind, rank in (("better than random", 35), ("worse than random", 60)):
        false_positives = rank - 0.5 * sizes
        negatives = 100 - sizes
        possible = (false_positives >= 0) & (false_positives <= negatives)
        fpr = np.where(possible, false_positives / negatives, np.nan)
        rows += _rows(
            dataset="lemma4",
            labeling=kind,
            statistic="fpr",
            at=sizes,
            value=fpr,
        )
    return rows


def _tpr(positives, ranks):
    return (np.asarray(positives)[:, None] <= ranks).mean(axis=0)


def _rates(lemma, name, positives):
    """TPR (the rank CDF) and FPR of a set in a ranking of twelve."""
    ranks = np.arange(13)
    tpr = _tpr(positives, ranks)
    fpr = (ranks - tpr * len(positives)) / (12 - len(positives))
    common = {"dataset": lemma, "labeling": name, "at": ranks}
    return _rows(statistic="tpr", value=tpr, **common) + _rows(statistic="fpr", value=fpr, **common)


def _figure2(repeat, seed, *, n_labeled, n_unlabeled, alpha, separation):
    """Bounds on the AUC by the number of known positives, for every band, and the area recovered directly."""
    rows = []
    for size in n_labeled:
        rng = rng_for(seed, STUDY, "figure2", size, repeat)
        s, y, score = two_normals(
            rng, n_labeled=size, n_unlabeled=n_unlabeled, alpha=alpha, separation=separation
        )
        truth, observed = (areas.auroc for areas in ranking_scores(score, y, s))
        common = {
            "labeling": f"n_labeled={size}",
            "repeat": repeat,
            "metric": "roc_auc",
            "truth": truth,
        }
        rows += _rows(method="direct", estimate=recover_auc(observed, alpha=alpha), **common)
        for name in BANDS:
            low, high = roc_bounds(
                s, score, alpha=alpha, band=band_of(name, s, score, alpha=alpha)
            ).auc
            rows += _rows(method=f"bounds_{name}", lower=low, upper=high, **common)
    return rows


def _figure3(
    repeat,
    seed,
    *,
    n_labeled,
    n_unlabeled,
    alpha,
    separation,
    alphas,
):
    """Bounds on the ROC curve of one ranking by the estimated alpha."""
    rng = rng_for(seed, STUDY, "figure3", repeat)
    s, y, score = two_normals(
        rng, n_labeled=n_labeled, n_unlabeled=n_unlabeled, alpha=alpha, separation=separation
    )
    truth = ranking_scores(score, y)
    rows = []
    for guess, name in product(alphas, ("bootstrap", "hypergeometric")):
        options = {
            "alpha": guess,
            "band": band_of(name, s, score, alpha=guess),
            "method": f"bounds_{name}",
        }
        options |= {
            "dataset": "figure3",
            "labeling": f"alpha_hat={guess:g}",
            "repeat": repeat,
            "prior": "assumed",
        }
        rows += _areas(s, score, truth, **options) + _roc_curve(s, y, score, **options)
    return rows


def _figure4(repeat, seed, *, n_labeled, n_unlabeled, alphas):
    """Areas, best F1 and clipped share of four models by the estimated alpha, from the tables of the plain rank CDF."""
    rows = []
    for model, blocks in FLIPS.items():
        s, score = laid_out(blocks, n_labeled=n_labeled, n_unlabeled=n_unlabeled)
        share = np.cumsum(s) / n_labeled
        plain = Band(share, share)
        area = ranking_scores(score, s).auroc
        for alpha in alphas:
            common = {
                "dataset": "figure4",
                "model": model,
                "labeling": f"alpha_hat={alpha:g}",
                "prior": "assumed",
            }
            roc, pr = (
                bound(s, score, alpha=alpha, band=plain) for bound in (roc_bounds, pr_bounds)
            )
            f1 = [
                values.max()
                for values in metric_bounds(s, score, metric="f1", alpha=alpha, band=plain)
            ]
            low, high = np.transpose([roc.auc, pr.auc, f1])
            names = ["roc_auc", "average_precision", "max_f1"]
            rows += _rows(
                statistic="middle_of_bounds", metric=names, value=(low + high) / 2, **common
            )
            rows += _rows(
                method="direct", metric="roc_auc", estimate=recover_auc(area, alpha=alpha), **common
            )
            clipped = clipped_share(s, score, alpha=alpha, band=plain).lower
            rows += _rows(statistic="clipped_share", value=clipped, **common)
            shown = np.linspace(0, len(s), 401).astype(int)
            rows += _rows(
                statistic="roc_curve", at=roc.lower.fpr[shown], value=roc.lower.tpr[shown], **common
            )
    return rows


def _known_examples(
    repeat, seed, *, n_positive, n_negative, positives, negatives, factors, separation
):
    """Tables 1 and 2: bounds on the AUC by the shares of known positives and negatives and an estimate of alpha.

    One ranking per repeat serves all cells; a larger share of known examples contains the smaller one.
    """
    rng = rng_for(seed, STUDY, "known_examples", repeat)
    y = np.arange(n_positive + n_negative) < n_positive
    score = rng.standard_normal(len(y)) + separation * y
    drawn = rng.permutation(n_positive), n_positive + rng.permutation(n_negative)
    truth = ranking_scores(score, y).auroc
    rows = []
    for share_positive, share_negative in product(positives, negatives):
        s = np.zeros(len(y), dtype=np.int8)
        s[drawn[0][: round(share_positive * n_positive)]] = 1
        s[drawn[1][: round(share_negative * n_negative)]] = -1
        sides = ("positives", "negatives", "tightest") if (s == -1).any() else ("positives",)
        for factor in factors:
            labeling = (
                f"positives={share_positive:g},negatives={share_negative:g},factor={factor:g}"
            )
            guess = min(factor * y[s == 0].mean(), 1 - 1 / len(y))
            common = {"labeling": labeling, "repeat": repeat, "prior": "assumed"}
            rows += _rows(statistic="alpha", value=guess, **common)
            for band, known in product(("bootstrap", "hypergeometric"), sides):
                low, high = roc_bounds(s, score, alpha=guess, band=band, known=known).auc
                bounds = {"method": f"bounds_{band}:{known}", "lower": low, "upper": high}
                rows += _rows(metric="roc_auc", truth=truth, **bounds, **common)
    return rows


def _coverage(
    repeat,
    seed,
    *,
    n_labeled,
    alphas,
    n_unlabeled,
    separation,
):
    """Whether the rank CDF of the hidden positives, and the true areas, lie inside each band, cell by cell.

    Per band both areas with their bounds, and as statistics ``rank_cdf_inside``, the share of ranks where the band
    holds, and ``rank_cdf_everywhere``, 1 if it holds at all ranks. With the first repeat come the exact probabilities,
    which need no scores: ``rank_cdf_inside_exact`` (mean over ranks), ``rank_cdf_least_exact`` (worst rank) and
    ``rank_cdf_everywhere_exact``.
    """
    rows = []
    for size, alpha in product(n_labeled, alphas):
        rng = rng_for(seed, STUDY, "coverage", size, f"{alpha:g}", repeat)
        s, y, score = two_normals(
            rng, n_labeled=size, n_unlabeled=n_unlabeled, alpha=alpha, separation=separation
        )
        hidden = np.cumsum((y == 1) & (s == 0))
        hidden = hidden / hidden[-1]
        areas = ranking_scores(score, y)
        for name in BANDS:
            common = {
                "labeling": f"n_labeled={size},alpha={alpha:g}",
                "repeat": repeat,
                "method": f"bounds_{name}",
            }
            band = band_of(name, s, score, alpha=alpha)
            inside = _inside(band, hidden)
            rows += _areas(s, score, areas, alpha=alpha, band=band, **common)
            shares = {"inside": inside.mean(), "everywhere": float(inside.all())}
            if repeat == 0:
                everywhere, pointwise = exact_coverage(name, size, n_unlabeled, alpha)
                exact = {
                    "everywhere": everywhere,
                    "inside": pointwise.mean(),
                    "least": pointwise.min(),
                }
                shares |= {f"{what}_exact": value for what, value in exact.items()}
            names = [f"rank_cdf_{what}" for what in shares]
            rows += _rows(statistic=names, value=list(shares.values()), **common)
    return rows


def _inside(band, hidden):
    return (band.lower <= hidden + _FLOAT) & (hidden <= band.upper + _FLOAT)


def _figure5(
    repeats, seed, data, *, label_share, test_positives=None, test_negatives=None, training=None
):
    """Areas for every repeat of the labeling, curves for the first; the model and its test set stay the same.

    The one data set has features, or a ``score``, which is then taken as it is. Of the test set a share of the
    positives stays labeled; the rest of the set is for ``training``: ``n_labeled`` and ``n_unlabeled`` examples, other
    options go to the model.
    """
    ((name, frame),) = data.items()
    y, score = _test_set(name, frame, seed, test_positives, test_negatives, training)
    areas = ranking_scores(score, y)
    rows = []
    for repeat in repeats:
        rng = rng_for(seed, STUDY, "figure5", name, "labels", repeat)
        s = np.zeros(len(y), dtype=np.int8)
        s[rng.choice(np.flatnonzero(y), round(label_share * y.sum()), replace=False)] = 1
        alpha = y[s == 0].mean()
        model = "published scores" if "scores" in name else "bagging SVM"
        for band in ("bootstrap", "hypergeometric"):
            common = {
                "dataset": name,
                "repeat": repeat,
                "model": model,
                "method": f"bounds_{band}",
            }
            rows += _rank_cdf(s, y, score, band, alpha, common)
            for prior, factor in ESTIMATES.items():
                estimate = (
                    tuple(min(f * alpha, 1.0) for f in factor)
                    if prior == "interval"
                    else factor * alpha
                )
                # The exact band depends on alpha: hand over its name, so that either end of an interval has its own.
                options = {
                    "alpha": estimate,
                    "band": band,
                    "prior": prior,
                    **common,
                }
                rows += _areas(s, score, areas, **options)
                if repeat == 0:
                    rows += _roc_curve(s, y, score, **options) + _pr_curve(s, y, score, **options)
    return rows


def _test_set(
    name,
    frame,
    seed,
    test_positives,
    test_negatives,
    training,
):
    """True classes and scores of the test set."""
    y = frame["y"].to_numpy()
    if training is None:
        return y, frame["score"].to_numpy(dtype=np.float64)
    from pumetrics_workflow.models.encoding import encode

    rng = rng_for(seed, STUDY, "figure5", name, "model")
    places = [rng.permutation(np.flatnonzero(y == value)) for value in (1, 0)]
    test = np.concatenate([places[0][:test_positives], places[1][:test_negatives]])
    options = dict(training)
    n_labeled = options.pop("n_labeled")
    n_unlabeled = options.pop("n_unlabeled")
    labeled, rest = np.split(places[0][test_positives:], [n_labeled])
    # The unlabeled side has the natural share of positives.
    unlabeled = rng.permutation(np.concatenate([rest, places[1][test_negatives:]]))[:n_unlabeled]
    features = encode(frame.drop(columns="y"))
    parts = (np.asarray(features[rows], dtype=np.float64) for rows in (labeled, unlabeled, test))
    return y[test], bagging_svm_scores(*parts, rng, **options)


def _rank_cdf(
    s,
    y,
    score,
    name,
    alpha,
    common,
):
    """Share of cuts inside the band, and for the first repeat the CDF itself, at cuts only."""
    counts = count_scores(s, score)
    positives = count_scores(y, score).labeled
    band = band_of(name, s, score, alpha=alpha)
    cuts = counts.predicted[1:] - 1
    sizes = np.diff(counts.predicted)
    band = Band(band.lower[cuts], band.upper[cuts])
    hidden = positives - counts.labeled  # every labeled example is positive
    hidden = (hidden / hidden[-1])[1:]
    inside = _inside(band, hidden)
    # Of ranks: all of a group of tied scores count.
    shares = {"": inside.mean(), "_by_rank": np.average(inside, weights=sizes)}
    if common["repeat"] == 0:
        _, pointwise = exact_coverage(
            name, np.count_nonzero(s == 1), np.count_nonzero(s == 0), alpha
        )
        above = np.r_[1.0, pointwise, 1.0][positives[1:]]
        shares["_by_rank_exact"] = np.average(above, weights=sizes)
    names = [f"rank_cdf_inside{what}" for what in shares]
    rows = _rows(statistic=names, value=list(shares.values()), **common)
    rows += _rows(statistic="rank_cdf_everywhere", value=float(inside.all()), **common)
    outside = np.maximum(band.lower - hidden, hidden - band.upper)
    # What a picture can show of it: the step of the grid that curves are drawn on.
    rows += _rows(
        statistic="rank_cdf_farthest", at=GRID[1], value=max(0.0, outside.max()), **common
    )
    place = np.searchsorted(F_ENDS, hidden - 1e-12)
    found, number = np.unique(place, return_counts=True)
    apart = {
        "inside": np.bincount(place, weights=inside)[found] / number,
        "cuts": number / len(inside),
    }
    for what, value in apart.items():
        rows += _rows(
            statistic=f"rank_cdf_{what}_up_to", at=np.array(F_ENDS)[found], value=value, **common
        )
    if common["repeat"] == 0:
        at = np.unique(
            np.searchsorted(cuts, np.maximum(GRID[1:] * len(s) - 1, cuts[0]), side="right") - 1
        )
        curves = {
            "_true": hidden,
            "_lower": band.lower,
            "_upper": band.upper,
            "": counts.tpr_pu[1:],
        }
        for side, value in curves.items():
            rows += _rows(
                statistic=f"rank_cdf{side}", at=(cuts[at] + 1) / len(s), value=value[at], **common
            )
    return rows


PARTS = {
    "exact": _exact,
    "figure2": _figure2,
    "figure3": _figure3,
    "figure4": _figure4,
    "known_examples": _known_examples,
    "coverage": _coverage,
}
