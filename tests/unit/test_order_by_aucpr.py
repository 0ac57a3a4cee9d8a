"""The order of models by AUC-PR: one factor for all without clipping; changes with alpha where precision is clipped."""

import numpy as np

from pumetrics.metrics import pu_average_precision_score
from pumetrics_workflow.ranking import ranking_scores


def signs(s, models, alphas, **options):
    areas = [[pu_average_precision_score(s, score, alpha=alpha, **options) for score in models] for alpha in alphas]
    return np.sign(np.subtract(*np.transpose(areas)))


def close_pairs(n_pairs, rng):
    """Pairs of models that differ by noise, on 200 labeled and 2,000 unlabeled examples with alpha 0.2."""
    for _ in range(n_pairs):
        y = np.r_[np.ones(200, dtype=bool), rng.random(2000) < 0.2]
        base = rng.normal(size=y.size) + 1.2 * y
        yield (
            np.r_[np.ones(200, dtype=int), np.zeros(2000, dtype=int)],
            [base + 0.3 * rng.normal(size=y.size) for _ in "ab"],
        )


def test_clipping_changes_the_order_of_close_models():
    halved = doubled = uncorrected = 0
    for s, models in close_pairs(60, np.random.default_rng(1)):
        low, middle, high = signs(s, models, (0.1, 0.2, 0.4), population="all")
        plain = np.sign(np.subtract(*(float(ranking_scores(score, s).aupr) for score in models)))
        halved, doubled, uncorrected = (
            halved + (low != middle),
            doubled + (high != middle),
            uncorrected + (plain != middle),
        )
    assert min(halved, doubled, uncorrected) >= 5
