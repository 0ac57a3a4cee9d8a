"""Areas averaged over the folds of a cross-validation, against the labels a model was trained on and against the truth.

Training and evaluation see the same wrong labels. Folds are dealt by the true class, the same for all labelings and
models of a repeat (Rider et al. 2013).
"""

import numpy as np

from pumetrics_workflow.ranking import (
    RankingScores,
    rank_rows,
    ranking_scores,
    recovered_ranking_scores,
)

__all__ = ["DEFINITIONS", "aupr_scores", "evaluate_by_fold", "fold_areas"]

DEFINITIONS = {
    "step": "average precision",
    "trapezoid": "trapezoid",
    "davis_goadrich": "Davis-Goadrich",
    "negative_step": "average precision, negative class",
    "negative_trapezoid": "trapezoid, negative class",
    "negative_davis_goadrich": "Davis-Goadrich, negative class",
}
"""AUPR by the definitions in use: three ways to join the points of the curve, for either class."""


def evaluate_by_fold(data, scored):
    """Records of every labeling and model of one repeat.

    Parameters
    ----------
    data : Data
    scored : iterable of Scored
        One batch, by each model.

    Returns
    -------
    list of dict
        Records and statistics without study and data set. Records: ``roc_auc`` and ``average_precision``, averaged over
        folds; ``uncorrected`` is the bias class area, ``direct`` the one recovered with the true prior; the truth is
        the true class area of the same scores; then bias and true class AUPR by its other definitions, as
        ``average_precision:trapezoid``. Statistics: ``undefined_folds`` (and ``..._by_true_class``) counts folds
        left out, where there are any; ``commonest_value`` is the share of positives with the commonest value of the
        feature that bar and bnar sort by, at its position. Near 1, bar is nearly bcar.
    """
    rows = []
    for each in scored:
        batch = each.batch
        common = {"model": each.model, "repeat": batch.repeat, "truth_kind": "same_scores"}
        answers = [*_both_areas(each.scores, batch), *_definitions(each.scores, batch)]
        for kind, estimates, truths in answers:
            for labeling, estimate, truth in zip(batch.labelings, estimates, truths, strict=True):
                row = {**common, "labeling": labeling, **kind}
                rows.append({**row, "estimate": estimate, "truth": truth})

    if not rows:
        return rows
    rows += _undefined(batch)
    if batch.repeat == 0:
        rows.append(_commonest(data, batch.labelings[0]))
    return rows


def fold_areas(scores, labels, y, folds):
    """Areas averaged over folds, by bias class, recovered from it, and by true class.

    Parameters
    ----------
    scores, labels : ndarray of shape (n_labelings, n)
    y, folds : ndarray of shape (n,)

    Returns
    -------
    dict of str to RankingScores
        ``bias``, ``recovered`` and ``true``, fields of shape (n_labelings,). Folds without an area are left out.
    """
    hidden = (y - labels).sum(axis=1, dtype=np.int64)
    alpha = hidden / (1 - labels.astype(np.int64)).sum(axis=1)
    by_fold = []
    for fold in np.unique(folds):
        test = folds == fold
        bias, true = ranking_scores(scores[:, test], labels[:, test], y[test])
        recovered = recovered_ranking_scores(scores[:, test], labels[:, test], alpha=alpha)
        by_fold.append((bias, recovered, true))

    means = {}
    for kind, areas in zip(("bias", "recovered", "true"), zip(*by_fold, strict=True), strict=True):
        fields = zip(*areas, strict=True)
        means[kind] = RankingScores(*map(_mean_of_defined, fields))
    return means


def _mean_of_defined(fields):
    """Mean over folds without those that are NaN; NaN if none is left."""
    table = np.stack(fields)
    known = ~np.isnan(table)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, table, 0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _both_areas(scores, batch):
    """Both areas, by bias class and recovered with the true prior, next to those by true class."""
    areas = fold_areas(scores, batch.labels, batch.y, batch.folds)
    for metric, field in (("roc_auc", "auroc"), ("average_precision", "aupr")):
        bias, recovered, true = (getattr(each, field) for each in areas.values())
        yield {"metric": metric, "method": "uncorrected", "prior": "none"}, bias, true
        yield {"metric": metric, "method": "direct", "prior": "true"}, recovered, true


def _tests(batch):
    """The rows of each fold."""
    return [batch.folds == fold for fold in np.unique(batch.folds)]


def _definitions(scores, batch):
    """Bias and true class AUPR by each definition other than average precision."""
    pairs = [
        aupr_scores(scores[:, test], batch.labels[:, test], batch.y[test]) for test in _tests(batch)
    ]
    for name in list(DEFINITIONS)[1:]:
        bias, true = (_mean_of_defined([pair[side][name] for pair in pairs]) for side in (0, 1))
        kind = {"metric": f"average_precision:{name}", "method": "uncorrected", "prior": "none"}
        yield kind, bias, true


def _commonest(data, labeling):
    """Share of positives that have the commonest value of a feature; missing ones are a value, sorted last."""
    values = data.features[data.feature][data.y == 1]
    row = _statistic(
        labeling, 0, "commonest_value", values.value_counts(normalize=True, dropna=False).iloc[0]
    )
    return {**row, "at": data.features.columns.get_loc(data.feature)}


def _undefined(batch):
    """Number of folds without a positive, by bias class and by true class."""
    tests = _tests(batch)
    truly = sum(not batch.y[test].any() for test in tests)
    rows = []
    for labeling, labels in zip(batch.labelings, batch.labels, strict=True):
        empty = sum(not labels[test].any() for test in tests)
        for name, count in (("undefined_folds", empty), ("undefined_folds_by_true_class", truly)):
            if count:
                rows.append(_statistic(labeling, batch.repeat, name, float(count)))
    return rows


def _statistic(labeling, repeat, name, value):
    return {
        "model": "labels",
        "repeat": repeat,
        "labeling": labeling,
        "statistic": name,
        "value": value,
    }


def aupr_scores(scores, *labels):
    """AUPR of every row of scores by each definition, for one or several sets of labels.

    Parameters
    ----------
    scores : ndarray of shape (n_rankings, n)
        Finite; higher means more positive.
    *labels : ndarray of shape (n_rankings, n) or (n,)
        0 and 1.

    Returns
    -------
    list of dict
        One for each set of labels; by definition an ndarray of shape (n_rankings,), NaN where a class is missing.

    Notes
    -----
    Between two points the step rule takes the precision of the second one (average precision), the trapezoid joins both
    by a straight line, and Davis & Goadrich (2006) by the image of the straight line between both points of the ROC
    curve, integrated exactly. The first point holds from recall 0 on. Areas of the negative class are those of the
    swapped labels and the reversed ranking.

    Examples
    --------
    >>> areas = aupr_scores(np.array([[4, 3, 2, 1]]), np.array([1, 0, 1, 0]))[0]
    >>> {name: round(float(area[0]), 3) for name, area in areas.items() if "negative" not in name}
    {'step': 0.833, 'trapezoid': 0.792, 'davis_goadrich': 0.797}
    """
    ranked = rank_rows(scores)
    first = np.ones_like(ranked.last)
    first[:, 1:] = ranked.last[:, :-1]
    found = []
    for given in labels:
        hit = ranked.sort(given).astype(np.float64)
        areas = _areas(hit, ranked.last)
        negative = _areas(1 - hit[:, ::-1], first[:, ::-1])
        found.append({**areas, **{f"negative_{name}": area for name, area in negative.items()}})
    return found


def _areas(hit, last):
    """Areas from the labels in rank order and the ends of the groups of tied scores."""
    tp = hit.cumsum(axis=1)
    n = np.arange(1, hit.shape[1] + 1, dtype=np.float64)
    tp_before, n_before = (_before(np.where(last, count, 0)) for count in (tp, n))
    gained = np.where(last, tp - tp_before, 0)
    precision = tp / n
    before = np.where(n_before > 0, tp_before / np.maximum(n_before, 1), precision)

    segments = {
        "step": gained * precision,
        "trapezoid": gained * (before + precision) / 2,
        "davis_goadrich": _interpolated(gained, tp_before, n_before, n, precision),
    }

    positives = tp[:, -1]
    some = np.where((positives > 0) & (positives < hit.shape[1]), positives, np.nan)
    return {name: area.sum(axis=1) / some for name, area in segments.items()}


def _before(counts):
    """Return the count at the end of the group before each position's."""
    before = np.zeros_like(counts)
    before[:, 1:] = np.maximum.accumulate(counts, axis=1)[:, :-1]
    return before


def _interpolated(gained, tp_before, n_before, n, precision):
    """Integral of (tp + x) / (n + k x) over the gained positives, where k examples are added for each of them."""
    k = np.where(gained > 0, (n - n_before) / np.maximum(gained, 1), 1)
    inner = gained / k + (tp_before - n_before / k) / k * np.log(n / np.maximum(n_before, 1))
    return np.where(n_before > 0, np.where(gained > 0, inner, 0), gained * precision)
