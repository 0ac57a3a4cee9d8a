"""Areas averaged over the folds of a cross-validation, against the labels a model was trained on and against the truth.

Training and evaluation see the same wrong labels. Folds are dealt by the true class, the same for all labelings and
models of a repeat (Rider et al. 2013).
"""

import numpy as np

from pumetrics.ranking import ranking_scores, recovered_ranking_scores
from pumetrics_workflow.stages.evaluate.aupr import aupr_scores

__all__ = ["evaluate_by_fold", "fold_areas"]


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
    rows, batch = [], None
    for each in scored:
        batch = each.batch
        areas = fold_areas(each.scores, batch.labels, batch.y, batch.folds)
        common = {"model": each.model, "repeat": batch.repeat, "truth_kind": "same_scores"}
        rows += _records(areas, batch.labelings, common)
        rows += _definitions(each.scores, batch, common)
    if batch is None:
        return rows
    rows += _undefined(batch.labels, batch.y, batch.folds, batch.labelings, batch.repeat)
    if batch.repeat == 0:
        positives = data.features[data.feature][data.y == 1]
        rows.append(_commonest(positives, data.features.columns.get_loc(data.feature), batch.labelings[0]))
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
    kinds = {"bias": [], "recovered": [], "true": []}
    for fold in np.unique(folds):
        test = folds == fold
        bias, true = ranking_scores(scores[:, test], labels[:, test], y[test])
        kinds["bias"].append(bias)
        kinds["true"].append(true)
        kinds["recovered"].append(recovered_ranking_scores(scores[:, test], labels[:, test], alpha=alpha))
    return {kind: type(areas[0])(*map(_mean_of_defined, zip(*areas, strict=True))) for kind, areas in kinds.items()}


def _mean_of_defined(fields):
    """Mean over folds without those that are NaN; NaN if none is left."""
    table = np.stack(fields)
    known = ~np.isnan(table)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, table, 0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _records(areas, names, common):
    rows = []
    for metric, field in (("roc_auc", "auroc"), ("average_precision", "aupr")):
        truth = getattr(areas["true"], field)
        for kind, method, prior in (("bias", "uncorrected", "none"), ("recovered", "direct", "true")):
            estimate = getattr(areas[kind], field)
            rows += [
                {
                    **common,
                    "labeling": name,
                    "metric": metric,
                    "method": method,
                    "prior": prior,
                    "estimate": estimate[i],
                    "truth": truth[i],
                }
                for i, name in enumerate(names)
            ]
    return rows


def _definitions(scores, batch, common):
    """Bias and true class AUPR by each definition other than average precision."""
    tests = [batch.folds == fold for fold in np.unique(batch.folds)]
    pairs = [aupr_scores(scores[:, test], batch.labels[:, test], batch.y[test]) for test in tests]
    rows = []
    for name in list(pairs[0][0])[1:]:
        bias, true = (_mean_of_defined([pair[side][name] for pair in pairs]) for side in (0, 1))
        common = {**common, "metric": f"average_precision:{name}", "method": "uncorrected", "prior": "none"}
        rows += [
            {**common, "labeling": labeling, "estimate": bias[i], "truth": true[i]}
            for i, labeling in enumerate(batch.labelings)
        ]
    return rows


def _commonest(values, position, labeling):
    """Share of positives that have the commonest value of a feature; missing ones are a value, sorted last."""
    share = values.value_counts(normalize=True, dropna=False).iloc[0]
    common = {"model": "labels", "repeat": 0, "labeling": labeling}
    return {**common, "statistic": "commonest_value", "at": position, "value": share}


def _undefined(labels, y, folds, names, repeat):
    """Number of folds without a positive, by bias class and by true class."""
    tests = [folds == fold for fold in np.unique(folds)]
    empty = np.sum([~labels[:, test].any(axis=1) for test in tests], axis=0)
    truly = sum(not y[test].any() for test in tests)
    counts = {"undefined_folds": empty, "undefined_folds_by_true_class": np.full(len(names), truly)}
    return [
        {"model": "labels", "repeat": repeat, "labeling": name, "statistic": statistic, "value": float(count)}
        for statistic, values in counts.items()
        for name, count in zip(names, values, strict=True)
        if count
    ]
