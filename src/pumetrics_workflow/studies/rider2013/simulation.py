"""Case study: positives that come to light in five steps, measured with the labels of each step and the last one."""

import numpy as np
import pandas as pd

from pumetrics.labeling import flip_positives, least_correlated_feature
from pumetrics_workflow.models.encoding import MixedTable
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import out_of_sample_scores
from pumetrics_workflow.seeding import seed_for
from pumetrics_workflow.stages.evaluate_folds import fold_areas

__all__ = ["simulate"]

_UNCORRECTED = {"method": "uncorrected", "prior": "none", "truth_kind": "same_scores"}


def simulate(
    part, *, repeats, seed, data, steps=5, mechanisms=("bcar", "bnar"), n_folds=10, bins=50
):
    """Records of the case study.

    Parameters
    ----------
    part : {"case_study"}
    repeats : sequence of int
        Permutations.
    seed : int
    data : dict of str to DataFrame
        One data set: features and ``y``.
    steps : int
        Versions in which positives are missing; version k knows k / (steps + 1) of them.
    mechanisms : sequence of {"bcar", "bar", "bnar"}
        Which positives are missing; the same ones come to light in the same order.
    n_folds, bins : int
        Folds of the cross-validation, bins of the histogram of probabilities.

    Returns
    -------
    pandas.DataFrame
        Records and statistics; labelings are named by mechanism and known share, as in ``known_bcar=0.5``. The
        histogram, statistics of each group at the left edge of each bin, is that of the first version and permutation.
    """
    ((dataset, frame),) = data.items()
    features = frame.drop(columns="y")
    y = frame["y"].to_numpy()
    table = MixedTable(features)
    feature = least_correlated_feature(features)
    known = np.arange(1, steps + 1) / (steps + 1)
    rows = []
    for repeat in repeats:
        seeds = {
            what: seed_for(seed, "rider2013", part, dataset, what, repeat)
            for what in ("flips", "folds")
        }
        folds = stratified_folds(y, n_folds=n_folds, random_state=seeds["folds"])
        for mechanism in mechanisms:
            options = {"mechanism": mechanism, "feature": feature, "random_state": seeds["flips"]}
            labels = np.stack(
                [flip_positives(features, y, 1 - share, **options)[1] for share in known]
            )
            unseen = str(feature) if mechanism == "bnar" else None
            scores = out_of_sample_scores(table, labels, folds, model="naive_bayes", removed=unseen)
            names = [f"known_{mechanism}={share:.3g}" for share in known]
            common = {"dataset": dataset, "model": "naive_bayes", "repeat": repeat}
            rows += _areas(fold_areas(scores, labels, y, folds), names, {**common, **_UNCORRECTED})
            if repeat == 0:
                rows += _histogram(scores[0], y, bins, {**common, "labeling": names[0]})
    return pd.DataFrame(rows)


def _areas(areas, names, common):
    return [
        {
            **common,
            "labeling": name,
            "metric": metric,
            "estimate": bias,
            "truth": true,
        }
        for metric, field in (("roc_auc", "auroc"), ("average_precision", "aupr"))
        for name, bias, true in zip(
            names, getattr(areas["bias"], field), getattr(areas["true"], field), strict=True
        )
    ]


def _histogram(probability, y, bins, common):
    """Counts per bin of the predicted probability; predicted positive is above one half."""
    edges = np.linspace(0, 1, bins + 1)
    groups = {
        "true_positives": (probability > 0.5) & (y == 1),
        "false_positives": (probability > 0.5) & (y == 0),
        "false_negatives": (probability <= 0.5) & (y == 1),
        "true_negatives": (probability <= 0.5) & (y == 0),
    }
    counts = {name: np.histogram(probability[group], edges)[0] for name, group in groups.items()}
    return [
        {
            **common,
            "statistic": f"histogram_{name}",
            "at": edge,
            "value": float(count),
        }
        for name, values in counts.items()
        for edge, count in zip(edges[:-1], values, strict=True)
    ]
