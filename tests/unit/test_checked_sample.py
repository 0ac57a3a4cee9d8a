"""The study of checked samples: its normal intervals against direct formulas, its samples, and its tables."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.studies import Results, load
from pumetrics_workflow.studies.checked_sample.normal import (
    METRICS,
    metric_of,
    ppi,
    true_value,
    wald,
)
from pumetrics_workflow.studies.checked_sample.samples import LABELS, draw_gaussians, draw_real
from pumetrics_workflow.studies.checked_sample.simulation import simulate

SIZES = {"n_rows": 1500, "n_labeled": 60, "n_alarms": 200, "separation": 2.0}
WAYS = ["profile", "two_strata", "random", "random_exact", "wald", "ppi", "plug_in"]
Z = norm.ppf(0.975)


@pytest.fixture
def sample():
    return draw_gaussians(np.random.default_rng(0), alpha=0.1, labels="random", **SIZES)


def test_true_values_are_those_of_scikit_learn(sample):
    flagged = sample.score >= sample.threshold
    direct = {
        "alpha": sample.y[sample.s == 0].mean(),
        "precision": precision_score(sample.y, flagged),
        "recall": recall_score(sample.y, flagged),
        "f1": f1_score(sample.y, flagged),
        "roc_auc": roc_auc_score(sample.y, sample.score),
    }
    assert {metric: true_value(metric, sample) for metric in METRICS} == pytest.approx(
        direct, abs=1e-12
    )


@pytest.mark.parametrize("metric", METRICS)
def test_gradients_are_those_of_finite_differences(metric):
    totals, rows, base = np.array([400.0, 900.0]), 5000.0, 1000.0
    _, gradient = metric_of(metric, totals, rows, base)
    for i, step in enumerate(1e-3 * np.eye(2)):
        above, below = (metric_of(metric, totals + sign * step, rows, base)[0] for sign in (1, -1))
        assert gradient[i] == pytest.approx((above - below) / 2e-3, rel=1e-6, abs=1e-12)


def test_wald_is_the_stratified_interval_of_a_proportion(sample):
    """Cochran (1977), Eqs. 5.12 and 5.14, of the unlabeled; the labeled are known."""
    rng, strata = (
        np.random.default_rng(1),
        np.where(sample.s == 1, 2, sample.score < sample.threshold),
    )
    drawn = [rng.choice(np.flatnonzero(strata == h), 40, replace=False) for h in (0, 1)]
    sizes, shares = np.bincount(strata)[:2], np.array([sample.y[rows].mean() for rows in drawn])
    weights = sizes / sizes.sum()
    variance = weights**2 @ ((1 - 40 / sizes) * shares * (1 - shares) / 39)
    center = weights @ shares
    rows = np.concatenate([*drawn, np.flatnonzero(sample.s == 1)])
    direct = np.clip([center - Z * variance**0.5, center + Z * variance**0.5], 0, 1)
    np.testing.assert_allclose(wald("alpha", sample, rows, strata), direct, atol=1e-12)


def test_ppi_is_the_tuned_interval_of_a_mean(sample):
    """Angelopoulos, Duchi & Zrnic (2023): lambda, estimate and variance of a mean, written out."""
    pool = sample.s == 0
    rows = np.random.default_rng(2).choice(np.flatnonzero(pool), 120, replace=False)
    y, f, everywhere = sample.y[rows].astype(float), sample.score[rows], sample.score[pool]
    tuned = np.cov(y, f)[0, 1] / ((1 + 120 / pool.sum()) * f.var(ddof=1))
    center = tuned * everywhere.mean() + (y - tuned * f).mean()
    error = np.sqrt(
        (y - tuned * f).var(ddof=1) / 120 + tuned**2 * everywhere.var(ddof=1) / pool.sum()
    )
    direct = np.clip([center - Z * error, center + Z * error], 0, 1)
    np.testing.assert_allclose(ppi("alpha", sample, rows, pool, sample.score), direct, atol=1e-12)
    np.testing.assert_allclose(
        ppi("alpha", sample, rows, pool, 7 * sample.score), direct, atol=1e-12
    )


@pytest.mark.parametrize("labels", LABELS)
def test_samples_have_the_alpha_and_the_labels_that_were_asked_for(labels):
    drawn = draw_gaussians(np.random.default_rng(3), alpha=0.1, labels=labels, **SIZES)
    assert drawn.s.sum() == (0 if labels == "none" else 60)
    assert drawn.y[drawn.s == 0].mean() == pytest.approx(0.1)
    assert (drawn.score >= drawn.threshold).sum() == 200
    if labels != "none":
        assert drawn.y[drawn.s == 1].mean() == (0.9 if labels == "noise" else 1)
    assert drawn.noisy == (labels == "noise")
    positive, above = drawn.y == 1, drawn.score >= drawn.threshold
    shares = [drawn.s[positive & side].mean() for side in (above, ~above)]
    assert (shares[0] > 1.2 * shares[1]) == (labels in ("fourfold", "subgroup"))


def test_real_rows_are_scored_out_of_sample_and_small_sets_left_out():
    rng = np.random.default_rng(4)
    y = (rng.random(1200) < 0.4).astype(np.int8)
    frame = pd.DataFrame(
        {"x": rng.normal(2 * y).astype(np.float32), "z": rng.normal(size=1200), "y": y}
    )
    options = {"model": "logistic_regression", "n_rows": 500, "n_labeled": 100}
    for labels in LABELS[:4]:
        drawn = draw_real(np.random.default_rng(5), frame, alpha=0.1, labels=labels, **options)
        assert drawn.y[drawn.s == 0].mean() == pytest.approx(0.1)
        assert roc_auc_score(drawn.y, drawn.score) > 0.8
    assert (
        draw_real(np.random.default_rng(5), frame, alpha=0.01, labels="random", **options) is None
    )


def statistics(repeats, **changes):
    options = {
        "alphas": [0.1],
        "labels": ["random", "noise"],
        "budgets": [50, 100],
        "ways": WAYS,
        **SIZES,
        **changes,
    }
    return simulate("gaussians", repeats=repeats, seed=6, data={}, **options)


@pytest.fixture(scope="module")
def both():
    return statistics([0, 1])


@pytest.mark.slow
def test_chunks_and_other_ways_change_nothing(both):
    alone = statistics([1], ways=["wald", "profile"])
    same = both[(both["repeat"] == 1) & both["statistic"].str.contains("wald|profile")]
    keys = ["labeling", "metric", "at", "statistic"]
    pd.testing.assert_frame_equal(
        *(table.sort_values(keys, ignore_index=True) for table in (alone, same))
    )


@pytest.mark.slow
def test_tables_count_the_intervals_that_cover(both):
    package = load("checked_sample")
    made = package.tables(Results(*split_answers(both), None, {}))
    covered = both[both["statistic"].str.startswith("covered")]
    assert made["settings"]["intervals"].sum() == len(covered)
    means = made["settings"].set_index(["labels", "checks", "method"])
    chosen = covered.query(
        "labeling == 'random,alpha=0.1' and at == 50 and statistic == 'covered_wald'"
    )
    assert means.loc[("random", 50, "stratified Wald"), "coverage"] == chosen["value"].mean()
    assert not {"random rows", "random rows, exact"} & set(
        made["settings"].query("labels == 'noise'")["method"]
    )
    found = package.published(made)
    assert "coverage_worst" not in found, "ten intervals do not tell the coverage of a setting"
    assert "width_f1" not in found, "the width is that at alpha .03"


def test_verdicts_alone_are_enough():
    rows = statistics([0], labels=["none"], ways=["random", "ppi", "plug_in"])
    assert set(rows["statistic"]) == {
        f"{what}_{way}" for what in ("covered", "width") for way in ("random", "ppi", "plug_in")
    }
    package = load("checked_sample")
    assert "coverage_verdicts" in package.published(
        package.tables(Results(*split_answers(rows), None, {}))
    )


def test_no_checks_give_the_calibrated_interval():
    rows = statistics([0], ways=["without"], budgets=[], labels=["random"], n_bootstrap=5)
    widths = rows[rows["statistic"] == "width_without"]
    assert sorted(widths["metric"]) == sorted({*METRICS, "none"} - {"alpha"})
    assert widths["value"].between(0, 1).all()
