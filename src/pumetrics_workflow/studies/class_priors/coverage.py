"""How often calibrated intervals hold on data sets that were left out of their calibration."""

import numpy as np
import pandas as pd

from pumetrics.counts import count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.metrics import MEASURES, measures_of
from pumetrics.priors.calibration import fit_table
from pumetrics.priors.interval import identifies

__all__ = ["METRICS", "MOST", "measure_coverage", "summarize_coverage", "true_scores"]

METRICS = ("roc_auc", "average_precision", "max_f1", "max_mcc", "f1", "mcc", "precision", "recall")
KINDS = ("calibrated", "guaranteed", "sampling")
LEVELS = (0.8, 0.95)
_FOLDS = 10  # of whole families


MOST = {"calibrated": 8, "guaranteed": 8, "sampling": 2}
"""Samples of each family; the last estimates the priors again in every resample, which takes twenty times as long."""


def measure_coverage(samples, scores, *, most=None, n_bootstrap=100, kinds=KINDS, noisy=False):
    """Intervals of samples with known truth, by tables that were fitted without their families.

    Parameters
    ----------
    samples, scores : pandas.DataFrame
        From :func:`pumetrics_workflow.studies.class_priors.pool.measure_pool`.
    most : int or dict of str to int, optional
        Samples of each family, the first by their repeat; by kind if they differ. By default :data:`MOST`.
    n_bootstrap : int
    kinds : sequence of str
        Kinds of uncertainty.
    noisy : bool
        Whether the samples have label noise, so that beta is unknown as well.

    Returns
    -------
    pandas.DataFrame
        One row per sample, kind, level and metric: ``truth``, ``lower``, ``upper``; alpha is a metric here too, and
        with noise beta.
    """
    most = MOST if most is None else most
    most = most if isinstance(most, dict) else dict.fromkeys(kinds, most)
    families = np.sort(samples["family"].unique())
    groups = dict(iter(scores.groupby(["dataset", "repeat"])))
    rows = []
    for fold in range(min(_FOLDS, len(families))):
        left_out = samples["family"].isin(families[fold::_FOLDS])
        table = fit_table(samples[~left_out], noisy=noisy)
        chosen = samples[left_out].sort_values(["family", "repeat", "dataset"])
        place = chosen.groupby("family").cumcount()
        for sample, number in zip(chosen.itertuples(), place, strict=True):
            wanted = [kind for kind in kinds if number < most[kind]]
            if not wanted:
                continue
            examples = groups[sample.dataset, sample.repeat]
            known = {"family": sample.family, "dataset": sample.dataset, "repeat": sample.repeat}
            known |= {"model": sample.model, "separation": sample.separation, "n_labeled": sample.n_labeled}
            rows += [known | row for row in _rows(examples, table, wanted, n_bootstrap, noisy)]
    return pd.DataFrame(rows)


def true_scores(s, y_score, y, *, threshold):
    """True values of what intervals are about: areas, maxima over thresholds, measures at one, alpha and beta.

    Parameters
    ----------
    s, y_score, y : ndarray of shape (n,)
    threshold : float
        Predict positive for scores >= threshold.

    Returns
    -------
    dict of str to float
        Average precision is that at the share of positives among the unlabeled.
    """
    counts, alpha = count_scores(s, y_score, y), float(np.mean(y[s == 0]))
    truth = counts.truth
    positive, negative = alpha * truth.tpr_pu[1:], (1 - alpha) * truth.fpr_pu[1:]
    measures = measures_of(truth)
    here = measures_of(truth, at=int(truth.at(threshold)))
    return {
        "alpha": alpha,
        "beta": float(np.mean(y[s == 1])),
        "roc_auc": float(np.trapezoid(truth.tpr_pu, truth.fpr_pu)),
        "average_precision": float(np.sum(np.diff(truth.tpr_pu) * positive / (positive + negative))),
        **{f"max_{name}": float(np.max(measures[name])) for name in MEASURES},
        **{name: float(value) for name, value in here.items()},
    }


def summarize_coverage(intervals):
    """Coverage, width and interval score by kind, level and metric; families weigh equally.

    Parameters
    ----------
    intervals : pandas.DataFrame
        From :func:`measure_coverage`.

    Returns
    -------
    pandas.DataFrame
        Columns ``kind``, ``level``, ``metric``, ``coverage``, ``worst_family`` (least coverage of a family),
        ``width``, ``interval_score`` (Winkler: width plus 2 / (1 - level) times the distance to a truth outside),
        ``identified`` (share of intervals that identify their number), ``families`` and ``samples``.
    """
    table = intervals.assign(
        coverage=(intervals["lower"] <= intervals["truth"] + 1e-9) & (intervals["truth"] <= intervals["upper"] + 1e-9),
        width=intervals["upper"] - intervals["lower"],
    )
    outside = np.maximum(table["lower"] - table["truth"], 0) + np.maximum(table["truth"] - table["upper"], 0)
    table["interval_score"] = table["width"] + 2 / (1 - table["level"]) * outside
    table["identified"] = [identifies(*ends) for ends in zip(table["lower"], table["upper"], strict=True)]
    keys = ["kind", "level", "metric"]
    by_family = table.groupby([*keys, "family"])[["coverage", "width", "interval_score", "identified"]].mean()
    summary = by_family.groupby(keys).mean()
    summary.insert(1, "worst_family", by_family["coverage"].groupby(keys).min())
    summary["families"] = by_family["coverage"].groupby(keys).size()
    summary["samples"] = table.groupby(keys).size()
    return summary.reset_index()


def _rows(examples, table, kinds, n_bootstrap, noisy):
    s, y, y_score = (examples[name].to_numpy() for name in ("s", "y", "score"))
    threshold = float(np.median(y_score[s == 1]))  # one that a user can choose: it finds half of the positives
    truth = true_scores(s, y_score.astype(np.float64), y, threshold=threshold)
    for kind in kinds:
        for level in LEVELS:
            options = {"uncertainty": kind, "confidence": level, "n_bootstrap": n_bootstrap, "random_state": 0}
            options |= {"noisy": noisy, "threshold": threshold}
            try:
                intervals = corrected_intervals(list(METRICS), s, y_score, calibration=table, **options)
            except ValueError:  # alpha cannot be estimated: only "sampling" depends on it
                continue
            ends = {name: (interval.lower, interval.upper) for name, interval in intervals.items()}
            ends["alpha"] = intervals[METRICS[0]].alpha_interval
            if noisy:
                ends["beta"] = intervals[METRICS[0]].beta_interval
            for name, (lower, upper) in ends.items():
                sides = {"truth": truth[name], "lower": lower, "upper": upper}
                yield {"kind": kind, "level": level, "metric": name, **sides}
