"""Packages that answer part of the same questions: intervals of metrics, and shares of positives."""

from collections.abc import Iterable
from contextlib import redirect_stderr
from functools import partial
from importlib import import_module
from io import StringIO

import numpy as np

from benchmarks.harness import Options, Row, ratio_row
from pumetrics.inference import corrected_intervals
from pumetrics.priors import estimate_priors

RESAMPLES = 200
METRICS = ["roc_auc", "average_precision", "max_f1"]


def rows(options: Options) -> Iterable[Row]:
    """Intervals of three metrics at 2,000 rows, then estimates at 1,000 + 10,000 scores."""
    yield from _against(options, "intervals, 2,000 rows", sample(200, 1800), INTERVALS)
    yield from _against(options, "share of positives, 11,000 rows", sample(1000, 10_000), SHARES)


def _against(options, area, data, peers):
    """Rows of the peers that are installed."""
    for module, name, case, ours, theirs, note in peers:
        try:
            peer = import_module(module)
        except ImportError as error:
            options.log(f"{name} is left out: {error}")
            continue
        yield ratio_row(
            area,
            case,
            ours=("pumetrics", partial(ours, *data)),
            peer=(name, partial(theirs, peer, *data)),
            repeats=options.repeats,
            note=note,
        )


def sample(n_labeled, n_unlabeled):
    """Labels and probabilities; a quarter of the unlabeled rows is positive."""
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [n_labeled, n_unlabeled])
    is_positive = (s == 1) | (rng.random(s.size) < 0.25)
    return s, 1 / (1 + np.exp(-rng.normal(np.where(is_positive, 1.0, -1.0))))


def _intervals(metrics, s, score):
    return corrected_intervals(metrics, s, score, alpha=0, n_bootstrap=RESAMPLES, random_state=0)


def _by_scipy(stats, s, score):
    from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score

    def max_f1(labels, scores):
        precision, recall, _ = precision_recall_curve(labels, scores)
        return np.max(2 * precision * recall / np.maximum(precision + recall, 1e-12))

    for metric in (roc_auc_score, average_precision_score, max_f1):
        stats.bootstrap(
            (s, score),
            metric,
            paired=True,
            vectorized=False,
            n_resamples=RESAMPLES,
            method="percentile",
            rng=0,
        )


def _by_mlstatkit(mlstatkit, s, score):
    with redirect_stderr(StringIO()):  # a progress bar each
        for metric in ("roc_auc", "average_precision", "f1"):
            mlstatkit.Bootstrapping(s, score, metric, n_bootstraps=RESAMPLES)


def _by_delong(confidenceinterval, s, score):
    confidenceinterval.roc_auc_score(s, score)


def _share(method, s, score):
    return estimate_priors(score[s == 1], score[s == 0], method=method).alpha


def _by_pulearn(name, pulearn, s, score):
    return getattr(pulearn, name)().fit(score[:, None], s)


def _by_em(aggregative, s, score):
    share = s.mean()
    odds = score / (1 - score)
    posterior = share * odds / (share * odds + 1 - share)
    posteriors = np.column_stack([1 - posterior, posterior])
    return aggregative.EMQ.EM(np.array([1 - share, share]), posteriors[s == 0])


THREE = partial(_intervals, METRICS)
CASE = "AUC, AUC-PR and F1"
INTERVALS = [
    ("scipy.stats", "scipy.stats.bootstrap", CASE, THREE, _by_scipy, "all resample 200 times"),
    (
        "MLstatkit",
        "MLstatkit",
        CASE,
        THREE,
        _by_mlstatkit,
        "all resample 200 times; the peer's F1 is at one threshold, ours the maximum",
    ),
    (
        "confidenceinterval",
        "confidenceinterval, DeLong",
        "AUC",
        partial(_intervals, ["roc_auc"]),
        _by_delong,
        "DeLong's formula holds for AUC alone; ours resamples, as for every other metric",
    ),
]
SHARES = [
    (
        "pulearn",
        f"pulearn, {name}",
        method,
        partial(_share, method),
        partial(_by_pulearn, name),
        "the peer trains a model on the scores as a feature",
    )
    for method, name in (
        ("elkan_noto_e1", "LabelFrequencyPriorEstimator"),
        ("consensus", "ScarEMPriorEstimator"),
    )
] + [
    (
        "quapy.method.aggregative",
        "quapy, EMQ",
        "consensus",
        partial(_share, "consensus"),
        _by_em,
        "the peer's iterations alone, from posteriors that are given",
    )
]
