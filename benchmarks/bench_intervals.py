"""Intervals of corrected scores, against a bootstrap that draws rows and scores each resample from scratch."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from benchmarks.harness import Options, Row, ratio_row
from pumetrics.inference import corrected_intervals
from pumetrics.metrics import max_score, pu_average_precision_score, pu_roc_auc_score

ALPHA, RESAMPLES = 0.05, 200
METRICS = ["roc_auc", "average_precision", "f1"]


def rows(options: Options) -> Iterable[Row]:
    """Three metrics with alpha known and with alpha unknown, at 22,000 rows and at a million."""
    s, score = sample(2000, 20_000)
    yield ratio_row(
        "intervals",
        "three metrics, alpha known, 22,000 rows",
        ours=("resamples counted in groups", partial(intervals, s, score, alpha=ALPHA)),
        peer=("rows drawn, scored from scratch", partial(row_by_row, s, score)),
        repeats=options.repeats,
        bar=3,
        note=f"{RESAMPLES} resamples on either side",
    )
    s, score = sample(20_000, 1_000_000)
    yield ratio_row(
        "intervals",
        f"three metrics, alpha known, {len(s):,} rows",
        ours=("resamples counted in groups", partial(intervals, s, score, alpha=ALPHA)),
        peer=("rows drawn, scored from scratch", partial(row_by_row, s, score, resamples=5)),
        repeats=options.repeats,
        scale=RESAMPLES / 5,
        bar=50,
        note=f"{RESAMPLES} resamples on either side; peer timed on 5 of them, scaled up",
    )
    for n_labeled, n_unlabeled in ((2000, 20_000), (20_000, 1_000_000)):
        s, score = sample(n_labeled, n_unlabeled)
        yield ratio_row(
            "intervals",
            f"three metrics, alpha unknown, {n_labeled + n_unlabeled:,} rows",
            ours=("calibrated range of alpha and resamples", partial(intervals, s, score)),
            peer=("three corrected scores, no interval", partial(scored_once, s, score)),
            repeats=options.repeats,
            note="reported only: the cost of an interval compared with the scores themselves",
        )


def sample(n_labeled, n_unlabeled):
    """Labels and Gaussian scores."""
    rng = np.random.default_rng(0)
    n_hidden = round(ALPHA * n_unlabeled)
    score = rng.normal(np.repeat([2.0, 0.0], [n_labeled + n_hidden, n_unlabeled - n_hidden]))
    return np.repeat([1, 0], [n_labeled, n_unlabeled]), score


def intervals(s, score, **options):
    """Ours."""
    return corrected_intervals(METRICS, s, score, n_bootstrap=RESAMPLES, random_state=0, **options)


def scored_once(s, score):
    """The scores at a known alpha."""
    return (
        pu_roc_auc_score(s, score, alpha=ALPHA),
        pu_average_precision_score(s, score, alpha=ALPHA),
        max_score("f1", s, score, alpha=ALPHA)[0],
    )


def row_by_row(s, score, resamples=RESAMPLES):
    """Percentiles of scores of resampled rows, by a plain loop."""
    rng = np.random.default_rng(0)
    labeled, unlabeled = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    values = []
    for _ in range(resamples):
        rows = np.concatenate(
            [rng.choice(labeled, len(labeled)), rng.choice(unlabeled, len(unlabeled))]
        )
        values.append(scored_once(s[rows], score[rows]))
    return np.quantile(values, [0.025, 0.975], axis=0)
