"""The pool behind calibrated intervals: samples hold the alpha they claim; coverage is counted by family."""

import numpy as np
import pandas as pd
import pytest

from pumetrics_workflow.calibration import (
    BETAS,
    measure_coverage,
    measure_pool,
    summarize_coverage,
    true_scores,
)
from pumetrics_workflow.datasets.generators import generate

FRAME = generate("gaussians_pool", {"size": 3000, "dimension": 3})


def drawn(repeats, noisy=False):
    options = {"seed": 1, "models": ("logistic",), "noisy": noisy}
    parts = [measure_pool(FRAME, name, repeats=repeats, **options) for name in "abcdef"]
    return tuple(pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))


@pytest.fixture(scope="module")
def pool():
    return drawn(range(2))


@pytest.fixture(scope="module")
def noisy_pool():
    return drawn(range(3), noisy=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pool", "noisy_pool"])
def test_samples_hold_the_priors_they_claim(name, request):
    samples, scores = request.getfixturevalue(name)
    assert len(samples) == {"pool": 12, "noisy_pool": 18}[name]
    groups = scores.groupby(["dataset", "repeat", "s"])["y"]
    for sample in samples.itertuples():
        unlabeled, labeled = (groups.get_group((sample.dataset, sample.repeat, s)) for s in (0, 1))
        beta = getattr(sample, "beta", 1)  # without it labels are clean
        assert (sample.alpha, beta) == pytest.approx((unlabeled.mean(), labeled.mean()))
        assert (sample.n_labeled, sample.n_unlabeled) == (len(labeled), len(unlabeled))
        assert min(abs(beta - each) for each in BETAS) <= 0.5 / sample.n_labeled + 1e-9
        assert sample.alpha < beta
        assert 0 <= getattr(sample, "consensus", 0) <= 1
    assert name == "pool" or samples["beta"].round(1).nunique() > 1


@pytest.mark.slow
def test_a_sample_depends_on_its_name_and_on_noise_alone(pool, noisy_pool):
    found = []
    for noisy, (samples, _) in enumerate((pool, noisy_pool)):
        again, _ = measure_pool(
            FRAME, "c", seed=1, repeats=[1], models=("logistic",), noisy=bool(noisy)
        )
        pd.testing.assert_frame_equal(
            again, samples.query("dataset == 'c' and `repeat` == 1").reset_index(drop=True)
        )
        found.append(again["separation"].item())
    assert found[0] != found[1]


def test_a_set_that_is_too_small_gives_no_sample():
    samples, scores = measure_pool(FRAME.iloc[:60], "small", seed=1, repeats=range(3))
    assert samples.empty
    assert scores.empty


@pytest.mark.slow
def test_true_scores_are_scikit_learns():
    from sklearn.metrics import (
        average_precision_score,
        f1_score,
        precision_score,
        recall_score,
        roc_auc_score,
    )

    rng = np.random.default_rng(0)
    y = np.repeat([1, 1, 0], [50, 60, 200])
    s, score = np.repeat([1, 0], [50, 260]), rng.normal(y)
    truth = true_scores(s, score, y, threshold=0.5)
    assert truth["alpha"] == pytest.approx(60 / 260)
    assert truth["roc_auc"] == pytest.approx(roc_auc_score(y, score))
    for name, function in (
        ("f1", f1_score),
        ("precision", precision_score),
        ("recall", recall_score),
    ):
        assert truth[name] == pytest.approx(function(y, score >= 0.5)), name
    assert truth["max_f1"] == pytest.approx(max(f1_score(y, score >= each) for each in score))
    weights = np.where(y == 1, 60 / 110, 1.0)  # positives as many as among the unlabeled
    assert truth["average_precision"] == pytest.approx(
        average_precision_score(y, score, sample_weight=weights)
    )


@pytest.mark.slow
def test_coverage_is_counted_by_family(pool):
    intervals = measure_coverage(*pool, most=1, n_bootstrap=10, kinds=("guaranteed",))
    summary = summarize_coverage(intervals).set_index(["level", "metric"])
    assert (summary["families"] == 6).all()
    assert (summary["samples"] == 6).all()
    assert summary.loc[(0.95, "alpha"), "coverage"] >= 0.8
    assert summary["coverage"].between(summary["worst_family"], 1).all()
    assert (summary["interval_score"] >= summary["width"] - 1e-12).all()
