"""Beyond the paper: how often pairs of real models change order with the estimate of alpha, and how much is clipped."""

import numpy as np

from pumetrics.bounds import Band, clipped_share
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import out_of_sample_scores
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015 import MEASURES

__all__ = ["model_statistics"]

STUDY = "claesen2015"


def model_statistics(
    repeats,
    seed,
    data,
    *,
    models,
    label_share,
    rows,
    n_folds,
    factors,
):
    """Areas and best F1 of models of real data at several estimates of alpha, and their true values.

    Parameters
    ----------
    repeats : sequence of int
    seed : int
    data : dict of str to DataFrame
        Data sets with features and ``y``.
    models : dict of str to dict
        By name, ``type`` of :data:`pumetrics_workflow.models.registry.MODELS` and its options.
    label_share : float
        Of the positives.
    rows : int
        Rows drawn of a larger set.
    n_folds : int
    factors : sequence of float
        Estimates of alpha, as multiples of the true share; those that leave no negative are left out.

    Returns
    -------
    list of dict
        Statistics of each model: ``estimate`` at each factor, ``truth`` and ``clipped_share`` at the true alpha.
    """
    table = []
    for name, frame in data.items():
        for repeat in repeats:
            rng = rng_for(seed, STUDY, "orders", name, repeat)
            sample = frame.iloc[np.sort(rng.permutation(len(frame))[:rows])].reset_index(drop=True)
            y = sample["y"].to_numpy(dtype=np.int8)
            s = np.zeros_like(y)
            s[rng.choice(np.flatnonzero(y), round(label_share * y.sum()), replace=False)] = 1
            folds = stratified_folds(s, n_folds=n_folds, random_state=rng)
            for model, options in models.items():
                kind = {key: value for key, value in options.items() if key != "type"}
                seeds = rng_for(seed, STUDY, "orders", name, repeat, model)
                features = sample.drop(columns="y")
                scores = out_of_sample_scores(
                    features, s, folds, model=options["type"], random_state=seeds, **kind
                )[0]
                common = {
                    "dataset": name,
                    "model": model,
                    "repeat": repeat,
                    "labeling": f"label_share={label_share:g}",
                }
                table += [{**common, **row} for row in _values(s, y, scores, factors)]
    return table


def _values(s, y, scores, factors):
    """Statistics of one ranking: measures by the plain rank CDF, as in Figure 4, and the truth."""
    alpha = y[s == 0].mean()
    for factor in (factor for factor in factors if factor * alpha < 1):
        for metric, value in _measures(s, scores, factor * alpha).items():
            yield {
                "statistic": "estimate",
                "metric": metric,
                "at": factor,
                "value": value,
                "prior": "assumed",
            }
    for metric, value in _measures(y, scores, 0.0).items():  # nothing is hidden
        yield {
            "statistic": "truth",
            "metric": metric,
            "value": value,
            "prior": "true",
        }
    share = _ranked(s, scores)[0]
    clipped = max(clipped_share(s, scores, alpha=alpha, band=Band(share, share)))
    yield {
        "statistic": "clipped_share",
        "metric": "none",
        "value": clipped,
        "prior": "true",
    }


def _ranked(s, scores):
    """Share of the labeled positives above each rank, and the rank, where a group of ties is cut at its end."""
    order = np.argsort(-scores, kind="stable")
    ends = np.searchsorted(-scores[order], -scores[order], side="right")
    return (np.cumsum(s[order] == 1) / np.count_nonzero(s == 1))[ends - 1], ends


def _measures(s, scores, alpha):
    """AUC, average precision and best F1 of the clipped tables (Eq. 11) of the rank CDF, not rounded.

    Whole numbers of positives would change the order of models that are nearly alike, by rounding alone.
    """
    share, ranks = _ranked(s, scores)
    n_labeled = np.count_nonzero(s == 1)
    n_unlabeled = np.count_nonzero(s == 0)
    hidden = alpha * n_unlabeled
    above = ranks - n_labeled * share
    found = n_labeled * share + np.maximum(
        np.minimum(share * hidden, above), hidden - (n_unlabeled - above)
    )
    n_positive = n_labeled + hidden
    fpr = np.append(0, ranks - found) / (n_unlabeled - hidden)
    tpr = np.append(0, found) / n_positive
    areas = np.trapezoid(tpr, fpr), np.sum(np.diff(tpr) * found / ranks)
    return dict(
        zip(MEASURES, map(float, (*areas, (2 * found / (n_positive + ranks)).max())), strict=True)
    )
