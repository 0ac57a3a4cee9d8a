"""What every method must do, over the whole registry, and the one function for users."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian, interval_of
from sklearn import metrics as sk

from pumetrics import label_frequency
from pumetrics.inference import corrected_intervals
from pumetrics.inference.request import ACCOUNTS_FOR, Ask, labels_of
from pumetrics.methods import METHODS, estimate_score
from pumetrics.metrics import (
    AREAS,
    MEASURES,
    METRICS,
    find_metric,
    max_score,
    pu_average_precision_score,
    pu_f1_score,
    pu_roc_auc_score,
)
from pumetrics.rates import true_rates
from pumetrics.recovery import corrupt_rates
from pumetrics_workflow.controls import METHODS as METHODS_OF_STUDIES
from pumetrics_workflow.controls import KnownSample, truth_of

NUMBERED = [name.replace("_at_k", "_at_100") for name in METRICS]  # with a number of rows
BOUNDS = [name for name in METHODS if name.startswith("bounds_")]
INTERVALS = [name for name, entry in METHODS.items() if entry.uncertainty]
relaxed = settings(max_examples=25)


S, SCORE, Y = gaussian(0, 300, 2000, alpha=0.25)


def check_method(entry):
    """What an entry must say of itself, and that it answers each of its metrics once."""
    assert entry.label
    assert entry.assumes
    assert set(entry.needs) <= {"alpha", "beta", "rho", "truth", "pool"}
    assert set(entry.metrics) <= set(METRICS)
    assert entry.metrics
    sample = KnownSample(S, SCORE, Y, first=True)
    wanted = tuple(name.replace("_at_k", "_at_30%") for name in entry.metrics)
    rng = np.random.default_rng(0)
    ask = Ask(wanted, population="all", threshold=sample.threshold, random_state=rng)
    estimates = list(entry.answer(sample, labels_of(sample, alpha=0.25), ask))
    assert tuple(each.metric for each in estimates) == wanted
    for each in estimates:
        assert np.isfinite(each.value)
        assert 0 <= each.at < len(sample.counts[0].thresholds)
        assert np.isnan(each.lower) == np.isnan(each.upper)
        assert np.isnan(each.lower) or each.lower <= each.value <= each.upper
        if not (entry.ranks_only or entry is METHODS["uncorrected"]):
            truth = truth_of(each.metric, sample, each.at, population="all")
            assert each.value == pytest.approx(truth, abs=0.1 * max(1, truth)), each.metric


@pytest.mark.parametrize("name", METHODS_OF_STUDIES)
def test_every_method_keeps_the_contract(name):
    check_method(METHODS_OF_STUDIES[name])


# The contract asks intervals for every metric at once; alone, one of each kind.
ALONE = {
    "roc_auc",
    "average_precision",
    "f1",
    "precision",
    "max_mcc",
    "recall_at_100",
    "lift_at_100",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "metric"),
    [
        (method, metric)
        for method in METHODS
        for metric in NUMBERED
        if method not in INTERVALS or metric in ALONE
    ],
)
def test_every_method_answers_every_metric_or_says_why_not(method, metric):
    entry = METHODS[method]
    threshold = 1.0 if metric in ("precision", "recall") else None  # these have no maximum
    if find_metric(metric).name not in entry.metrics:
        with pytest.raises(ValueError, match=f"^{method} estimates") as error:
            estimate_score(metric, S, SCORE, method=method, alpha=0.25, threshold=threshold)
        assert "\n" not in str(error.value)
        return
    known = {} if method in INTERVALS else {"alpha": 0.25}
    options = {"prior": "elkan_noto_e3", "threshold": threshold, "random_state": 0, **known}
    answer = estimate_score(metric, S, SCORE, method=method, **options)
    low, high = find_metric(metric).range
    assert entry.ranks_only or low <= answer.estimate <= high
    assert (answer.lower is None) == (answer.upper is None) == (method not in BOUNDS + INTERVALS)
    assert answer.lower is None or answer.lower <= answer.estimate <= answer.upper
    assert (answer.threshold is None) == (metric in AREAS)
    expected = "given" if {"alpha", "rho"} & set(entry.needs) else "none"
    assert answer.prior == ("elkan_noto_e3_clean" if method in INTERVALS else expected)
    assert answer.method == method
    assert any(entry.assumes in note for note in answer.notes)
    assert all("\n" not in note for note in answer.notes)


def test_direct_and_indirect_say_what_their_functions_say():
    for method in ("direct", "indirect"):
        answer = estimate_score("roc_auc", S, SCORE, method=method, alpha=0.25, beta=0.95)
        assert answer.estimate == pu_roc_auc_score(S, SCORE, alpha=0.25, beta=0.95, method=method)
    for population in ("unlabeled", "all"):
        answer = estimate_score(
            "average_precision", S, SCORE, method="indirect", alpha=0.25, population=population
        )
        assert answer.estimate == pu_average_precision_score(
            S, SCORE, alpha=0.25, population=population
        )
    for measure in MEASURES:
        answer = estimate_score(measure, S, SCORE, method="direct", alpha=0.25)
        assert (answer.estimate, answer.threshold) == max_score(measure, S, SCORE, alpha=0.25)
        assert answer == estimate_score(f"max_{measure}", S, SCORE, method="direct", alpha=0.25)
    answer = estimate_score("f1", S, SCORE, method="direct", alpha=0.25, threshold=1.0)
    assert answer.estimate == pytest.approx(
        pu_f1_score(S, (SCORE >= 1).astype(int), alpha=0.25), abs=1e-12
    )


def test_f1_from_rho_and_the_ll_score_say_what_their_functions_say():
    predicted = (SCORE >= 1).astype(int)
    by_rho = estimate_score("f1", S, SCORE, method="f1_from_rho", rho=0.375, threshold=1.0)
    assert by_rho.estimate == pytest.approx(
        label_frequency.estimated_f1_score(S, predicted, rho=0.375)
    )
    assert by_rho.prior == "rho"
    derived = estimate_score("f1", S, SCORE, method="f1_from_rho", alpha=0.25, threshold=1.0)
    assert derived.estimate == pytest.approx(by_rho.estimate), "300 of 800 positives are labeled"
    both = [
        estimate_score(
            "f1", S, SCORE, method="f1_from_rho", alpha=0.25, threshold=1.0, population=each
        )
        for each in ("all", "unlabeled")
    ]
    assert both[0] == both[1], "its population is all examples, and it says so"
    lee_liu = estimate_score("f1", S, SCORE, method="lee_liu", threshold=1.0)
    assert lee_liu.estimate == pytest.approx(label_frequency.lee_liu_score(S, predicted))
    assert any("ranks models" in note for note in lee_liu.notes)


@pytest.mark.parametrize("digits", [None, 0])
def test_uncorrected_is_scikit_learn_against_the_observed_labels(digits):
    s, score, _ = gaussian(1, 300, 2000, alpha=0.25, digits=digits)
    functions = {
        "roc_auc": sk.roc_auc_score,
        "average_precision": sk.average_precision_score,
        "accuracy": sk.accuracy_score,
        "balanced_accuracy": sk.balanced_accuracy_score,
        "f1": sk.f1_score,
        "mcc": sk.matthews_corrcoef,
    }
    for metric, function in functions.items():
        threshold = None if metric in AREAS else 1.0
        given_scores = score if metric in AREAS else (score >= 1).astype(int)
        answer = estimate_score(metric, s, score, method="uncorrected", threshold=threshold)
        assert answer.estimate == pytest.approx(function(s, given_scores)), metric
        same = estimate_score(
            metric, s, score, method="direct", alpha=0.0, threshold=threshold, population="all"
        )
        assert same.estimate == pytest.approx(answer.estimate), (
            "without hidden positives nothing is corrected"
        )


@relaxed
@given(
    st.lists(st.integers(5, 95), min_size=2, max_size=2), st.integers(0, 50), st.integers(60, 100)
)
def test_direct_undoes_the_corruption(percents, alpha, beta):
    """The counts of a mixture, which are whole numbers of 10,000 here, give the measures of the pure classes."""
    (tpr, fpr), alpha, beta = np.array(percents) / 100, alpha / 100, beta / 100
    tpr_pu, fpr_pu = (
        round(10_000 * rate) for rate in corrupt_rates(tpr, fpr, alpha=alpha, beta=beta)
    )
    score = np.repeat([1.0, 0.0, 1.0, 0.0], [tpr_pu, 10_000 - tpr_pu, fpr_pu, 10_000 - fpr_pu])
    s = np.repeat([1, 0], [10_000, 10_000])
    for measure in MEASURES:
        answer = estimate_score(
            measure, s, score, method="direct", alpha=alpha, beta=beta, threshold=0.5
        )
        truth = METRICS[measure].formula(true_rates(tpr, fpr, alpha=0.0, c=(alpha + beta) / 2))
        assert answer.estimate == pytest.approx(truth, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bounds_hypergeometric", "bounds_dkw"])
def test_simultaneous_bounds_hold_the_truth_about_as_often_as_they_say(method):
    held = dict.fromkeys(NUMBERED, 0)
    for seed in range(20):
        s, score, y = gaussian(seed, 60, 400, alpha=0.5)
        sample = KnownSample(s, score, y)
        for metric in NUMBERED:
            entry = find_metric(metric)
            threshold = 1.0 if entry.kind == "threshold" else None
            answer = estimate_score(metric, s, score, method=method, alpha=0.5, threshold=threshold)
            at = None if answer.threshold is None else sample.counts[0].at(answer.threshold)
            truth = truth_of(metric, sample, at)
            held[metric] += answer.lower - 1e-9 <= truth <= answer.upper + 1e-9
    assert min(held.values()) >= 17, held


def test_both_priors_are_estimated_where_beta_is_unknown():
    answer = estimate_score("accuracy", S, SCORE, method="direct", beta=None)
    assert (answer.method, answer.prior) == ("direct", "consensus")
    assert 0 < answer.alpha < 0.5 < answer.beta <= 1


@pytest.mark.slow
@pytest.mark.parametrize("method", INTERVALS)
def test_interval_methods_are_corrected_intervals(method):
    """One way to an interval, by the name of a method or of its uncertainty; sampling error alone is narrower."""
    kind, (s, score, _) = METHODS[method].uncertainty, gaussian(0, 100, 500, alpha=0.25)
    for metric, threshold in (("average_precision", None), ("max_mcc", None), ("f1", 1.0)):
        options = {"threshold": threshold, "confidence": 0.8, "random_state": 5}
        answer = estimate_score(metric, s, score, method=method, prior="elkan_noto_e3", **options)
        kinds = {} if kind == "sampling" else {"uncertainty": kind}
        found = corrected_intervals([metric], s, score, method="elkan_noto_e3", **kinds, **options)
        interval = found[metric]
        if kinds:
            assert (answer.estimate, answer.lower, answer.upper) == interval
            assert answer.alpha == found.priors.alpha
        else:
            assert answer.upper - answer.lower < interval.upper - interval.lower
        assert answer.threshold == (None if metric in AREAS else pytest.approx(1, abs=0.6))
        assert any(ACCOUNTS_FOR[kind] in note for note in answer.notes)


def test_a_maximum_and_a_threshold_share_their_resamples():
    """Asked together or one by one, a measure at a threshold and its maximum have the same intervals."""
    both = corrected_intervals(
        ["f1", "max_f1"], S, SCORE, alpha=0.25, threshold=1.0, random_state=1
    )
    assert both["f1"] == interval_of("f1", S, SCORE, alpha=0.25, threshold=1.0, random_state=1)
    free = interval_of("f1", S, SCORE, alpha=0.25, random_state=1)
    assert both["max_f1"] == free
    assert free == interval_of("max_f1", S, SCORE, alpha=0.25, random_state=1)
    assert both["max_f1"].estimate > both["f1"].estimate


def test_an_estimate_outside_its_range_is_clipped_and_the_answer_says_so():
    s = np.repeat([1, 0], [50, 50])
    answer = estimate_score("roc_auc", s, s + 0.0, method="direct", alpha=0.4)
    assert answer.estimate == 1
    assert any("clipped from" in note for note in answer.notes)


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_an_interval_is_about_the_population_asked_for(population):
    options = {"alpha": 0.25, "population": population}
    answer = estimate_score(
        "average_precision", S, SCORE, method="interval_sampling", random_state=0, **options
    )
    truth = truth_of("average_precision", KnownSample(S, SCORE, Y), 0, population=population)
    assert answer.lower < truth < answer.upper
    assert answer.estimate == pu_average_precision_score(S, SCORE, **options)
