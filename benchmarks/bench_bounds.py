"""Bounds from positive and unlabeled examples, against resampling and against a plain loop over ranks."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from benchmarks.harness import Options, Point, Row, cpu_medians, ratio_row
from pumetrics.bounds import Band, contingency_bounds, pr_bounds, rank_cdf_band, roc_bounds
from pumetrics.bounds.hypergeometric import positives_at_top

ALPHA = 0.2
RESAMPLES = 2000  # the paper's


def rows(options: Options) -> Iterable[Row]:
    """Band, tables, and everything at once on 105,000 ranks."""
    for n_labeled, bar in ((100, 8), (1000, 20)):
        s, _ = ranking(n_labeled, n_labeled)
        yield ratio_row(
            "bounds",
            f"bootstrap band, {n_labeled:,} labeled positives",
            ours=(
                "binomial quantiles",
                partial(rank_cdf_band, s, -np.arange(len(s)), method="bootstrap"),
            ),
            peer=(f"{RESAMPLES:,} resamples, at the steps", partial(resampled_band, n_labeled)),
            repeats=options.repeats,
            bar=bar,
            note="the peer is the fastest resampling we know: multinomial counts, cumulated and sorted",
        )
    s, score = ranking(5000, 100_000)
    band = rank_cdf_band(s, score, method="bootstrap")
    yield ratio_row(
        "bounds",
        "tables of both bounds, 105,000 ranks",
        ours=("all ranks at once", partial(contingency_bounds, s, score, alpha=ALPHA, band=band)),
        peer=("loop over ranks", partial(looped_tables, s, score, band)),
        repeats=options.repeats,
        bar=15,
        note="sorting and checking of input included on our side only",
    )
    yield ratio_row(
        "bounds",
        "ROC and PR bounds with areas, 105,000 ranks",
        ours=("both bounds of both curves", partial(both_curves, s, score, band)),
        peer=("scikit-learn: one curve each, labels known", partial(known_curves, s, score)),
        repeats=options.repeats,
        note="reported only: the cost of bounds compared with an ordinary evaluation; ours sorts twice",
    )


def curves(options: Options) -> Iterable[Point]:
    """Cost of bounds and bands by the length of the ranking, one labeled positive to a hundred unlabeled."""
    for n_unlabeled in (1000, 10_000, 100_000, 1_000_000):
        n_labeled = n_unlabeled // 100
        s, score = ranking(n_labeled, n_unlabeled)
        band = rank_cdf_band(s, score, method="dkw")
        candidates = {
            "ours, ROC bounds": partial(roc_bounds, s, score, alpha=ALPHA, band=band),
            "ours, binomial band": partial(rank_cdf_band, s, score, method="bootstrap"),
            "ours, exact band": partial(exact_band, s, score),
            "loop over ranks": partial(looped_tables, s, score, band),
            "sort alone": partial(np.argsort, -score, kind="stable"),
        }
        if n_labeled <= 1000:  # 2,000 resamples of more fill the memory
            candidates[f"{RESAMPLES:,} resamples"] = partial(resampled_band, n_labeled)
        for series, value in cpu_medians(candidates, repeats=min(options.repeats, 3)).items():
            yield Point("bounds", "ranks", len(s), series, value)


def ranking(n_labeled, n_unlabeled):
    """Labels and scores of two unit normals, the positives one standard deviation up."""
    rng = np.random.default_rng(n_labeled + n_unlabeled)
    s = np.r_[np.ones(n_labeled, dtype=int), np.zeros(n_unlabeled, dtype=int)]
    y = np.r_[np.ones(n_labeled), rng.random(n_unlabeled) < ALPHA]
    return s, rng.normal(y)


def exact_band(s, score):
    """Exact band without its memory of earlier calls."""
    positives_at_top.cache_clear()
    return rank_cdf_band(s, score, method="hypergeometric", alpha=ALPHA, simultaneous=False)


def resampled_band(n):
    """The paper's bootstrap at its steps: quantiles of the cumulated counts of resamples."""
    counts = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    at_top = np.sort(counts.cumsum(axis=1), axis=0)
    return Band(at_top[int(0.025 * RESAMPLES)] / n, at_top[int(0.975 * RESAMPLES)] / n)


def looped_tables(s, score, band):
    """Equations 10 to 13, rank by rank."""
    labels = s[np.argsort(-score, kind="stable")].tolist()
    n_unlabeled, n_positive = labels.count(0), labels.count(1)
    n_latent = int(ALPHA * n_unlabeled + 1e-9)
    tables = []
    for bound, rounding in ((band.lower.tolist(), np.floor), (band.upper.tolist(), np.ceil)):
        head = known = 0
        for label, share in zip(labels, bound, strict=True):
            head, known = head + (label == 0), known + (label == 1)
            theta = int(rounding(round(share * n_latent, 9)))
            hidden = max(min(head, theta), n_latent - (n_unlabeled - head))
            tp, fp = known + hidden, head - hidden
            tables.append((tp, fp, n_positive + n_latent - tp, n_unlabeled - n_latent - fp))
    return tables


def both_curves(s, score, band):
    """Both bounds of both curves."""
    return roc_bounds(s, score, alpha=ALPHA, band=band), pr_bounds(s, score, alpha=ALPHA, band=band)


def known_curves(y, score):
    """What one does when all labels are known."""
    from sklearn.metrics import (
        average_precision_score,
        precision_recall_curve,
        roc_auc_score,
        roc_curve,
    )

    curves = roc_curve(y, score), precision_recall_curve(y, score)
    return curves, roc_auc_score(y, score), average_precision_score(y, score)
