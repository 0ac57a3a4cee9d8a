"""Label, train and judge a data set in memory, all labelings of its rows at once, seven readings of five classifiers.

The permutation, its folds and its flipped positives are the same for all classifiers. Positives are flipped before the
rows are dealt into folds, so that training and "bias class" evaluation see the same wrong labels. Folds are dealt by
the true class, the same for all labelings of a permutation; flips of a permutation are nested from level to level.
"""

import numpy as np
import pandas as pd

from pumetrics.flipping import least_correlated_feature
from pumetrics.models.mixed_table import MixedTable
from pumetrics.models.reference import cross_val_scores, stratified_folds
from pumetrics.ranking import ranking_scores, recovered_ranking_scores
from pumetrics.schemes import SCHEMES, parameters_of
from pumetrics_workflow.seeding import seed_for

__all__ = ["NAME", "fold_areas", "judge"]

NAME = "rider2013"  # not taken from the package, whose captions may change without anything being trained again


def judge(frame, *, dataset, labeling, options, repeats, seed):
    """Records of every labeling and classifier of one data set.

    Parameters
    ----------
    frame : pandas.DataFrame
        Features and ``y``.
    dataset : str
    labeling : dict
        The scheme and its options.
    options : dict
        ``classifiers`` (names of reference models), ``n_folds``, and ``epochs`` of the perceptron.
    repeats : sequence of int
        Permutations.
    seed : int

    Returns
    -------
    pandas.DataFrame
        Records and statistics without study and data set. Records: ``roc_auc`` and ``average_precision``, averaged over
        folds; ``uncorrected`` is the bias class area, ``direct`` the one recovered with the true prior; the truth is
        the true class area of the same scores. Statistics: ``undefined_folds`` (and ``..._by_true_class``) counts folds
        left out, where there are any; ``commonest_value`` is the share of positives with the commonest value of the
        feature that bar and bnar sort by, at its position. Near 1, bar is nearly bcar.
    """
    features, y = frame.drop(columns="y"), frame["y"].to_numpy()
    table, feature = MixedTable(features), least_correlated_feature(features)
    settings = {key: value for key, value in labeling.items() if key != "scheme"}
    scheme = SCHEMES[labeling["scheme"]]
    names = scheme.names(**settings)
    removed = [str(feature) if "bnar" in parameters_of(name) else None for name in names]
    rows = []
    if 0 in repeats:
        rows.append(_commonest(features[feature][y == 1], features.columns.get_loc(feature), names[0]))
    for repeat in repeats:
        seeds = {what: seed_for(seed, NAME, dataset, what, repeat) for what in ("flips", "folds", "training")}
        drawn = [
            scheme.draw(frame, name, np.random.default_rng(seeds["flips"]), feature=feature, **settings)
            for name in names
        ]
        labels = np.stack([s for _, s in drawn])
        folds = stratified_folds(y, n_folds=options["n_folds"], random_state=seeds["folds"])
        for classifier in options["classifiers"]:
            own = {"epochs": options["epochs"]} if classifier == "mlp" else {}
            scores = cross_val_scores(
                table, labels, folds, model=classifier, removed=removed, random_state=seeds["training"], **own
            )
            areas = fold_areas(scores, labels, y, folds)
            rows += _records(areas, names, {"model": classifier, "repeat": repeat})
        rows += _undefined(labels, y, folds, names, repeat)
    return pd.DataFrame(rows)


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
                    "truth_kind": "same_scores",
                    "estimate": estimate[i],
                    "truth": truth[i],
                }
                for i, name in enumerate(names)
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
