"""Inversions of many rankings at once, and of one long ranking, against a loop over scipy's Kendall tau."""

import numpy as np

from benchmarks.harness import Point, cpu_medians, ratio_row
from pumetrics.inference import inversions

__all__ = ["curves", "rows"]


def _rankings(n_rankings, n_models):
    """True F1 of some models and noisy estimates of them, one row per label frequency."""
    rng = np.random.default_rng(0)
    truth = rng.random((1, n_models))
    noise = 0.3 / np.sqrt(1 + np.arange(n_rankings))[:, None]
    return truth, truth + rng.normal(size=(n_rankings, n_models)) * noise


def _loop(truth, estimates):
    from scipy.stats import kendalltau

    n_pairs = truth.shape[1] * (truth.shape[1] - 1) / 2
    return [
        round((1 - kendalltau(truth[0], estimate).statistic) / 2 * n_pairs)
        for estimate in estimates
    ]


def rows(options):
    """Yield many short rankings, as the studies have them, and one long one."""
    truth, estimates = _rankings(100, 100)
    yield ratio_row(
        "inversions",
        "100 label frequencies x 100 classifiers",
        ours=("all rankings at once", lambda: inversions(truth, estimates)),
        peer=("scipy kendalltau loop", lambda: _loop(truth, estimates)),
        repeats=options.repeats,
        bar=10,
    )
    long_truth, long_estimates = _rankings(1, 100_000)
    yield ratio_row(
        "inversions",
        "one ranking of 100,000",
        ours=("by merging", lambda: inversions(long_truth, long_estimates)),
        peer=("scipy kendalltau", lambda: _loop(long_truth, long_estimates)),
        repeats=options.repeats,
        note="both merge in compiled code; scipy also computes a p-value",
    )


def curves(options):
    """Yield how cost grows with the number of models, 100 rankings each."""
    for n_models in (10, 30, 100, 300, 1000):
        truth, estimates = _rankings(100, n_models)
        candidates = {
            "ours": lambda truth=truth, estimates=estimates: inversions(truth, estimates),
            "scipy kendalltau loop": lambda truth=truth, estimates=estimates: _loop(
                truth, estimates
            ),
        }
        for series, seconds in cpu_medians(candidates, repeats=min(options.repeats, 3)).items():
            yield Point("inversions of 100 rankings", "models", n_models, series, seconds)
