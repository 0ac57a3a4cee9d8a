"""Head to head: controls, registries, what methods say of one ranking, and the records of a pool."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef, roc_auc_score
from studies import check_chunks

from pumetrics.inference.request import Ask, Labels
from pumetrics.inference.sample import Sample
from pumetrics.labeling import noisy_positives
from pumetrics.methods import METHODS, truth_of
from pumetrics.metrics import (
    AREAS,
    SUMMARIES,
)
from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.stages.evaluate_pool import score_pool
from pumetrics_workflow.stages.in_memory import evaluate_in_memory
from pumetrics_workflow.stages.label import Data, Seeds
from pumetrics_workflow.studies.head_to_head.simulation import simulate
from pumetrics_workflow.tables import SCHEMAS

MODELS = {
    "mlp": {"type": "bagged_mlp", "n_estimators": 5, "hidden_units": 3},
    "naive_bayes": {"type": "gaussian_naive_bayes"},
    "logistic": {"type": "logistic_regression", "C": 1.0},
}
LABELING = {
    "names": ["beta=1", "bcar=0.6", "sar_score=4"], "sample": {"kind": "largest", "n_unlabeled": [200]}, "rows": 240,
    "nested": {"sampled": ["beta"], "whole": ["bcar", "sar_score"]}, "n_folds": 3, "least_labeled": 10,
}  # fmt: skip
POOL = {
    "type": "pool", "models": MODELS, "folds": {"n_folds": 3, "stratified_by": "s"}, "features": "standardised"
}  # fmt: skip
PRIORS = {"methods": ["bbe", "consensus"], "clean": ["consensus"], "own": ["bbe"], "reference": "mlp", "noisy": True}


@pytest.fixture(scope="module")
def frame():
    return generate("gaussians_mixed", {"size": 300, "dimension": 4, "share": 0.4, "nominal_features": 1})


def evaluated(frame, repeats=(0,), names=LABELING["names"]):
    data = Data(frame, Seeds(1, "head_to_head", "mixed"))
    options = {"labeling": {**LABELING, "names": names}, "model": "pool", "options": POOL, "priors": PRIORS}
    return evaluate_in_memory(data, **options, metrics=(), evaluation="pool", repeats=list(repeats))


@pytest.fixture(scope="module")
def found(frame):
    return evaluated(frame)


@pytest.fixture(scope="module")
def ranked():
    """Return one ranking with ties, whose labels are a random part of the positives."""
    rng = np.random.default_rng(4)
    y = (rng.random(900) < 0.4).astype(np.int8)
    rows, s = noisy_positives(y, beta=1.0, n_labeled=60, n_unlabeled=600, random_state=rng)
    score = np.round(rng.normal(size=660) + 1.5 * y[rows], 1)
    return sample(s, y[rows], score)


def sample(s, y, score):
    return Sample(s, [score], y=y, first=False)


def answers(method, ranked, **known):
    """Estimates of a method by metric, with the true priors or others."""
    true = dict(zip(("alpha", "beta"), ranked.true_priors, strict=True))
    true["rho"] = float(ranked.s.sum() / ranked.y.sum())
    entry = METHODS[method]
    ask = Ask(tuple(name for name in SUMMARIES if name in entry.metrics), population="all")
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


def test_a_method_without_usable_priors_says_so_and_nothing_else(ranked):
    for method in ("direct", "indirect", "f1_from_rho"):
        found = answers(method, ranked, alpha=0.9, beta=0.4, rho=0.0)
        assert all(np.isnan(answer.value) for answer in found.values()), method
    assert np.isnan(answers("bounds_dkw", ranked, alpha=np.nan)["roc_auc"].value)


def test_an_oracle_errs_nowhere_and_loses_nothing(found):
    own = found[found["method"] == "oracle"]
    assert set(own["metric"]) == {*SUMMARIES, "none"}
    for kind in ("bias", "absolute_error", "inversions", "regret"):
        values = own.loc[own["statistic"] == kind, "value"]
        assert len(values) == len(SUMMARIES) * 3
        assert (values == 0).all(), kind


@pytest.mark.slow
def test_random_numbers_put_half_of_the_pairs_in_the_wrong_order():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 80]).astype(np.int8)
    s = y * (rng.random(120) < 0.5)
    pool = {f"m{i}": sample(s, y, rng.normal(size=120) + y * i / 10) for i in range(12)}
    rates = []
    for repeat in range(20):
        rngs = {name: np.random.default_rng([repeat, i]) for i, name in enumerate(pool)}
        priors = {name: {"true": (0.2, 1.0), "consensus_clean": (0.2, 1.0)} for name in pool}
        rows = pd.DataFrame(score_pool(pool, priors, {"true": 0.5}, rngs))
        chosen = (rows["method"] == "random") & (rows["statistic"] == "inversions") & rows["metric"].isin(AREAS)
        rates += rows.loc[chosen, "value"].tolist()
    assert len(rates) == 40
    assert np.mean(rates) == pytest.approx(0.5, abs=0.06)  # one rate scatters by .11, half of them hang together


def test_regret_is_what_the_favourite_is_worse_than_the_best():
    y = np.array([1, 1, 0, 0, 0, 0], dtype=np.int8)
    s = np.array([1, 0, 0, 0, 0, 0], dtype=np.int8)
    good, bad = sample(s, y, np.array([5.0, 6, 4, 3, 2, 1])), sample(s, y, np.array([6.0, 1, 5, 4, 3, 2]))
    priors = {"true": (0.2, 1.0), "consensus_clean": (0.2, 1.0)}
    rngs = {"good": np.random.default_rng(0), "bad": np.random.default_rng(1)}
    pool = {"good": good, "bad": bad}
    rows = pd.DataFrame(score_pool(pool, dict.fromkeys(pool, priors), {"true": 0.5}, rngs))
    row = rows.query("method == 'uncorrected' and metric == 'roc_auc' and statistic == 'regret'").iloc[0]
    assert row["model"] == "bad", "it ranks the one labeled positive first, and the hidden one last"
    assert row["value"] == pytest.approx(1.0 - 0.5)


def test_statistics_fit_their_door_and_do_not_depend_on_chunks(frame, found, tmp_path):
    check_chunks(lambda repeats: evaluated(frame, repeats).assign(dataset="mixed"), tmp_path, repeats=2)
    assert split_answers(found)[0].empty


def test_intervals_come_with_truth_and_hold_their_estimate(frame):
    pool = {**POOL, "models": {"naive_bayes": MODELS["naive_bayes"]}}
    options = {"labeling": {**LABELING, "names": ["bcar=0.6"]}, "pool": pool, "n_bootstrap": 10}
    options["methods"] = {"interval_sampling": ["true", "bbe_clean"], "interval_calibrated": ["consensus_clean"]}
    own = simulate("intervals", repeats=[0], seed=1, data={"mixed": frame}, **options)
    intervals, statistics = split_answers(own)
    assert set(intervals["metric"]) == set(SUMMARIES)
    ways = {
        ("interval_sampling", "true"),
        ("interval_sampling", "bbe_clean"),
        ("interval_calibrated", "consensus_clean"),
    }
    assert set(zip(intervals["method"], intervals["prior"], strict=True)) == ways
    assert ((intervals["lower"] <= intervals["estimate"]) & (intervals["estimate"] <= intervals["upper"])).all()
    assert intervals["truth"].between(-1, 1).all()
    assert set(intervals) <= set(SCHEMAS["records"])
    assert set(statistics["statistic"]) == {"seconds_interval"}
