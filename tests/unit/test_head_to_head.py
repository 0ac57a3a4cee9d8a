"""Head to head: what methods say of one ranking, and how a pool is ordered."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef, roc_auc_score

from pumetrics.inference.request import Ask, Labels
from pumetrics.labeling import noisy_positives
from pumetrics.metrics import AREAS, SUMMARIES
from pumetrics_workflow.controls import METHODS, KnownSample, truth_of
from pumetrics_workflow.stages.evaluate_pool import score_pool


@pytest.fixture(scope="module")
def ranked():
    """Return one ranking with ties, whose labels are a random part of the positives."""
    rng = np.random.default_rng(4)
    y = (rng.random(900) < 0.4).astype(np.int8)
    rows, s = noisy_positives(y, beta=1.0, n_labeled=60, n_unlabeled=600, random_state=rng)
    score = np.round(rng.normal(size=660) + 1.5 * y[rows], 1)
    return sample(s, y[rows], score)


def sample(s, y, score):
    return KnownSample(s, score, y)


def answers(method, ranked, **known):
    """Estimates of a method by metric, with the true priors or others."""
    true = dict(zip(("alpha", "beta"), ranked.true_priors, strict=True))
    true["rho"] = float(ranked.s.sum() / ranked.y.sum())
    entry = METHODS[method]
    metrics = tuple(name for name in SUMMARIES if name in entry.metrics)
    ask = Ask(metrics, population="all", threshold=ranked.threshold)
    return {each.metric: each for each in entry.answer(ranked, Labels(**true | known), ask)}


def test_the_truth_is_that_of_scikit_learn(ranked):
    y, (score,) = ranked.y, ranked.scores
    assert truth_of("roc_auc", ranked, 0) == pytest.approx(roc_auc_score(y, score))
    assert truth_of("average_precision", ranked, 0, population="all") == pytest.approx(
        average_precision_score(y, score)
    )
    for at in (3, 17):
        predicted = score >= ranked.counts[0].thresholds[at]
        assert truth_of("max_f1", ranked, at) == pytest.approx(f1_score(y, predicted))
        assert truth_of("max_mcc", ranked, at) == pytest.approx(matthews_corrcoef(y, predicted))


@pytest.mark.parametrize("band", ["hypergeometric", "dkw"])
def test_simultaneous_bounds_hold_the_truth(ranked, band):
    for metric, answer in answers(f"bounds_{band}", ranked).items():
        truth = truth_of(metric, ranked, answer.at, population="all")
        assert answer.lower - 1e-9 <= truth <= answer.upper + 1e-9, metric
        assert answer.lower <= answer.value <= answer.upper


def test_regret_is_what_the_favorite_is_worse_than_the_best():
    y = np.array([1, 1, 0, 0, 0, 0], dtype=np.int8)
    s = np.array([1, 0, 0, 0, 0, 0], dtype=np.int8)
    good, bad = (
        sample(s, y, np.array([5.0, 6, 4, 3, 2, 1])),
        sample(s, y, np.array([6.0, 1, 5, 4, 3, 2])),
    )
    priors = {"true": (0.2, 1.0), "consensus_clean": (0.2, 1.0)}
    rngs = {"good": np.random.default_rng(0), "bad": np.random.default_rng(1)}
    pool = {"good": good, "bad": bad}
    rows = pd.DataFrame(score_pool(pool, dict.fromkeys(pool, priors), {"true": 0.5}, rngs))
    row = rows.query(
        "method == 'uncorrected' and metric == 'roc_auc' and statistic == 'regret'"
    ).iloc[0]
    assert row["model"] == "bad", "it ranks the one labeled positive first, and the hidden one last"
    assert row["value"] == pytest.approx(1.0 - 0.5)


def test_random_numbers_put_half_of_the_pairs_in_the_wrong_order(monkeypatch):
    """One rate scatters by .11."""
    few = {name: METHODS[name] for name in ("oracle", "random")}
    monkeypatch.setattr("pumetrics_workflow.stages.evaluate_pool.METHODS", few)
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 80]).astype(np.int8)
    s = y * (rng.random(120) < 0.5)
    pool = {i: sample(s, y, rng.normal(size=120) + y * i / 10) for i in range(12)}
    priors = {i: {"true": (0.2, 1.0), "consensus_clean": (0.2, 1.0)} for i in pool}
    rates = []
    for repeat in range(20):
        rngs = {i: np.random.default_rng([repeat, i]) for i in pool}
        rows = pd.DataFrame(score_pool(pool, priors, {"true": 0.5}, rngs))
        of_random = rows.query("method == 'random' and statistic == 'inversions'")
        rates += of_random.loc[of_random["metric"].isin(AREAS), "value"].tolist()
    assert np.mean(rates) == pytest.approx(0.5, abs=0.06)
