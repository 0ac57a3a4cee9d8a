"""What every metric must do, over the whole registry: correcting undoes corrupting, scikit-learn's numbers come out."""

import inspect
import pickle
import re
import warnings
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian, interval_of
from sklearn import clone, config_context
from sklearn import metrics as sk
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, StratifiedKFold, TunedThresholdClassifierCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC, OneClassSVM
from typer.testing import CliRunner

from pumetrics import metrics
from pumetrics.assessment import assess, metrics_for, shown
from pumetrics.assessment._words import label
from pumetrics.bounds import score_bounds
from pumetrics.cli import app
from pumetrics.cli._options import METRIC as CommandMetric
from pumetrics.counts import count_scores
from pumetrics.curves import REPAIRS
from pumetrics.displays import PUPrecisionRecallDisplay
from pumetrics.inference import corrected_intervals
from pumetrics.inference.sample import SCORED
from pumetrics.methods import estimate_score
from pumetrics.metrics import (
    AREAS,
    AT_THRESHOLD,
    AT_TOP,
    MEASURES,
    METRICS,
    SUMMARIES,
    clipped,
    find_metric,
    lift_at_k,
    make_pu_scorer,
    measures_of,
    precision_at_k,
    recall_at_k,
)
from pumetrics.metrics.scorers import _estimated_priors
from pumetrics.rates import true_rates
from pumetrics.recovery import corrupt_rates, population_prior
from pumetrics.tops import place_of, top_of

SRC = Path(__file__).parents[2] / "src"
REFERENCE = {
    "roc_auc": sk.roc_auc_score,
    "average_precision": sk.average_precision_score,
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "f1": sk.f1_score,
    "mcc": sk.matthews_corrcoef,
    "precision": lambda y, predicted: sk.precision_score(y, predicted, zero_division=0),
    "recall": sk.recall_score,
}


def check_entry(entry):
    """What an entry must say of itself, and that its formula undoes the corruption by hidden positives and noise."""
    low, high = entry.range
    assert entry.label
    assert len(entry.short) <= len(entry.label)
    assert low < high
    assert entry.kind in ("area", "threshold", "maximum", "top")
    assert entry.population in ("any", "all")
    assert {"alpha", "beta"} <= set(entry.needs) <= {"alpha", "beta", "c"}
    assert (entry.population == "any") == ("c" not in entry.needs)
    assert not entry.function or callable(getattr(metrics, entry.function))
    if entry.kind == "area":
        return
    rng = np.random.default_rng(0)
    for _ in range(50):
        alpha, beta = np.sort(rng.uniform(0, 1, 2))
        c, (tpr, fpr) = rng.uniform(0.05, 0.6), rng.uniform(0, 1, 2)
        if beta - alpha < 0.05:
            continue
        measured = corrupt_rates(tpr, fpr, alpha=alpha, beta=beta)
        truth = entry.formula(true_rates(tpr, fpr, alpha=0.0, c=population_prior(alpha=alpha, beta=beta, c=c)))
        assert entry.formula(true_rates(*measured, alpha=alpha, beta=beta, c=c)) == pytest.approx(truth, abs=1e-9)
        assert low - 1e-9 <= truth <= high + 1e-9


@pytest.mark.parametrize("name", METRICS)
def test_every_entry_keeps_the_contract(name):
    check_entry(METRICS[name])


def test_the_metrics_of_the_papers_are_in_the_registry():
    assert REFERENCE.keys() <= METRICS.keys()


@pytest.mark.parametrize(
    "name", [name for name in METRICS if name not in AT_TOP and (METRICS[name].measure or name) in REFERENCE]
)
def test_without_hidden_positives_every_metric_is_that_of_scikit_learn(name):
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.4).astype(int)
    score = np.round(y + rng.normal(size=400), 1)
    entry, counts = METRICS[name], count_scores(y, score)
    if entry.kind == "area":
        value = entry.formula(counts, alpha=0.0, beta=1.0, repair="none", population="all")
        assert value == pytest.approx(REFERENCE[name](y, score))
        return
    expected = [REFERENCE[entry.measure](y, (score >= threshold).astype(int)) for threshold in counts.thresholds]
    np.testing.assert_allclose(measures_of(counts)[entry.measure], expected, atol=1e-12)


@pytest.mark.parametrize("name", AREAS)
def test_areas_recover_the_number_of_the_true_classes(name):
    rng = np.random.default_rng(2)
    y = np.concatenate([rng.random(20_000) < 0.8, rng.random(60_000) < 0.3])
    s = np.repeat([1, 0], [20_000, 60_000])
    score = rng.normal(1.5 * y)
    counts = count_scores(s, score)
    truth = METRICS[name].formula(count_scores(y, score), alpha=0.0, beta=1.0, repair="none", population="all")
    value = METRICS[name].formula(counts, alpha=0.3, beta=0.8, population="all")
    assert value == pytest.approx(truth, abs=0.02)
    assert METRICS[name].formula(counts, alpha=0.0, beta=1.0, population="all") < truth - 0.05


def test_every_measure_has_its_maximum():
    assert [f"max_{name}" for name in MEASURES] == [name for name in METRICS if METRICS[name].kind == "maximum"]
    for name in MEASURES:
        assert METRICS[f"max_{name}"].measure == METRICS[name].measure == name
        assert METRICS[f"max_{name}"].range == METRICS[name].range == MEASURES[name]


def test_names_labels_and_ranges_are_read_from_the_registry():
    assert (*AREAS, *MEASURES) == SCORED
    assert [str(name) for name in CommandMetric] == [n for n in METRICS if METRICS[n].kind != "maximum"]
    assert (*AREAS, *MEASURES, *(f"max_{name}" for name in MEASURES)) == SUMMARIES
    assert {*SUMMARIES, *AT_THRESHOLD, *AT_TOP} == set(METRICS)
    assert set(AT_THRESHOLD) - set(MEASURES) == {"precision", "recall"}, "the others have a maximum"
    assert len({entry.label for entry in METRICS.values()}) == len(METRICS)
    assert label("f1", None) == METRICS["max_f1"].label
    assert label("f1", 0.5) == f"{METRICS['f1'].label} at 0.5"
    assert label("roc_auc", 0.5) == METRICS["roc_auc"].label


def test_no_second_table_of_metrics():
    """A key "balanced_accuracy" stands where formulas of other inputs, printed clips or defaults are looked up."""
    tables = {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        if re.search(r'^\s*"balanced_accuracy":', path.read_text(encoding="utf-8"), flags=re.M)
    }
    assert tables <= {
        "pumetrics/metrics/registry.py",
        "pumetrics/bounds/tables.py",  # of contingency tables
        "pumetrics/methods/defaults.py",  # which method is best
        "pumetrics/assessment/_words.py",  # what each means, in words for everyone
    }


def test_values_are_clipped_to_the_range():
    assert clipped("mcc", -1.5) == -1
    assert clipped("max_f1", -0.5) == 0
    np.testing.assert_array_equal(clipped("roc_auc", np.array([-1, 0.3, 2])), [0, 0.3, 1])


def test_an_unknown_metric_is_named_with_a_suggestion():
    with pytest.raises(ValueError, match=r"metric must be one of roc_auc, .*got 'rocauc': did you mean 'roc_auc'\?"):
        find_metric("rocauc")


@pytest.mark.parametrize("name", ["precision_at_0", "recall_at_101%", "lift_at_many", "precision_at_-3", "lift_at_0%"])
def test_a_top_is_a_number_or_a_share_of_examples(name):
    with pytest.raises(ValueError, match=r"k must be a number of examples such as 100, or a share .*got '"):
        find_metric(name)


# Scorers: corrected metrics in scikit-learn's model selection, with real estimators.


NAMES = [name.replace("_at_k", "_at_20%") for name, entry in METRICS.items() if entry.function]
TUNED = [name for name in metrics.MEASURES if METRICS[name].function]


def drawn(sizes):
    """Features, labels and true classes of labeled positives, unlabeled positives and negatives."""
    y = np.repeat([1, 1, 0], sizes)
    X = np.random.default_rng(3).normal(size=(sum(sizes), 2)) + 2.5 * y[:, None] * [1, 0]
    return X, np.repeat([1, 0, 0], sizes), y


@pytest.fixture(scope="module")
def sample():
    """150 labeled and 600 unlabeled examples, 30 % of these positive."""
    return drawn([150, 180, 420])


def expected(name, s, score, predictions, **options):
    """The metric by the function for users."""
    entry = find_metric(name)
    if entry.kind == "top":
        options["k"] = str(entry.top)
    if entry.kind == "maximum":
        return metrics.max_score(entry.measure, s, score, **options)[0]
    return getattr(metrics, entry.function)(s, predictions if entry.kind == "threshold" else score, **options)


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_a_scorer_that_equals_its_function(name, sample):
    X, s, _ = sample
    model = LogisticRegression(class_weight="balanced").fit(X, s)
    scorer = make_pu_scorer(name, alpha=0.3)
    wanted = expected(name, s, model.decision_function(X), model.predict(X), alpha=0.3)
    assert scorer(model, X, s) == pytest.approx(wanted, abs=1e-12)
    assert pickle.loads(pickle.dumps(scorer))(model, X, s) == scorer(model, X, s)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alpha", [0.3, None])
@pytest.mark.parametrize("labeled", ["fraud", "zebra"])  # before and after the other label in the order of classes
def test_names_of_labels_change_nothing(name, alpha, labeled, sample):
    X, s, _ = sample
    named = np.where(s == 1, labeled, "unknown")
    plain = make_pu_scorer(name, alpha=alpha)(GaussianNB().fit(X, s), X, s)
    scorer = make_pu_scorer(name, alpha=alpha, pos_label=labeled)
    assert scorer(GaussianNB().fit(X, named), X, named) == pytest.approx(plain, abs=1e-9)
    assert scorer(GaussianNB().fit(X, named), X, named.astype(object)) == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_two_are_rows_given_twice(name, sample):
    X, s, _ = sample
    model = LogisticRegression(class_weight="balanced").fit(X, s)
    weights = 1 + (np.arange(len(s)) % 3 == 0)
    scorer = make_pu_scorer(name, alpha=0.3)
    repeated = np.repeat(np.arange(len(s)), weights)
    assert scorer(model, X, s, sample_weight=weights) == pytest.approx(scorer(model, X[repeated], s[repeated]))


@pytest.mark.parametrize("name", NAMES)
def test_an_estimated_alpha_recovers_the_truth_roughly(name, sample):
    X, s, y = sample
    model = LogisticRegression(class_weight="balanced").fit(X, s)
    truth = expected(name, y, model.decision_function(X), model.predict(X), alpha=0.0)
    assert make_pu_scorer(name)(model, X, s) == pytest.approx(truth, abs=0.06)


@pytest.mark.parametrize("alpha", [0.3, None])
def test_cross_validate_takes_several_at_once(alpha, sample):
    X, s, _ = sample
    scoring = {name: make_pu_scorer(name, alpha=alpha) for name in NAMES}
    results = cross_validate(LogisticRegression(), X, s, scoring=scoring, cv=3, error_score="raise")
    for name in NAMES:
        low, high = find_metric(name).range
        assert ((results[f"test_{name}"] >= low) & (results[f"test_{name}"] <= high)).all()


@pytest.mark.parametrize("name", ["roc_auc", "max_mcc", "balanced_accuracy"])
@pytest.mark.parametrize("alpha", [0.3, None])
def test_grid_search_finds_the_better_model(name, alpha, sample):
    X, s, _ = sample
    rng = np.random.default_rng(0)
    noisy = np.c_[X, rng.normal(size=(len(s), 5))]
    search = GridSearchCV(
        RandomForestClassifier(20, class_weight="balanced", random_state=0), {"max_depth": [1, 12]},
        scoring=make_pu_scorer(name, alpha=alpha), cv=3, error_score="raise",
    ).fit(noisy, s)  # fmt: skip
    assert search.best_score_ == max(search.cv_results_["mean_test_score"]) > 0.5


@pytest.mark.parametrize("name", TUNED)
@pytest.mark.parametrize("labels", [(1, 0), ("fraud", "unknown")])
def test_a_tuned_threshold_is_better_against_the_true_class(name, labels):
    X, s, y = drawn([1000, 1200, 2800])
    named = np.where(s == 1, *labels)
    scorer = make_pu_scorer(name, alpha=0.3, pos_label=None if labels == (1, 0) else labels[0])
    plain = LogisticRegression().fit(X, named)
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=3).fit(X, named)
    function = getattr(metrics, METRICS[name].function)
    truths = [function(y, model.predict(X) == labels[0], alpha=0.0) for model in (plain, tuned)]
    assert truths[1] > truths[0]
    score = plain.predict_proba(X)[:, list(plain.classes_).index(labels[0])]
    assert truths[1] == pytest.approx(metrics.max_score(name, y, score, alpha=0.0)[0], abs=0.03)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_pu_scorer("max_f2", alpha=0.1), "did you mean 'max_f1'"),
        (lambda: make_pu_scorer(metrics.max_score, alpha=0.1), "must be one of roc_auc.* or their functions, got"),
        (lambda: make_pu_scorer("f1", alpha=0.1, methd="direct"), "f1 has no option 'methd': it takes clip"),
        (lambda: make_pu_scorer("f1", prior="no"), "prior must be one of .*, got 'no'"),
        (lambda: make_pu_scorer("f1", beta=0.0), "beta must lie in"),
        (lambda: make_pu_scorer("f1", alpha=0.2, beta=None), "beta must be a number, got None"),
    ],
)
def test_bad_options_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bad_labels_are_named(sample):
    X, s, _ = sample
    named = np.where(s == 1, "fraud", "unknown")
    model = GaussianNB().fit(X, named)
    with pytest.raises(ValueError, match=r"labels must be 1 and 0, got .*: give the value that means labeled as pos_l"):
        make_pu_scorer("roc_auc", alpha=0.3)(model, X, named)
    with pytest.raises(ValueError, match="labels hold no 'faud', which means labeled"):
        make_pu_scorer("f1", alpha=0.3, pos_label="faud")(model, X, named)
    signed = 2 * s - 1
    for name in ("f1", "roc_auc"):
        for alpha in (0.3, None):
            with pytest.raises(ValueError, match=r"labels must be 1 and 0, got -1: .* -1 means unlabeled, pos_label=1"):
                make_pu_scorer(name, alpha=alpha)(GaussianNB().fit(X, signed), X, signed)
            plain = make_pu_scorer(name, alpha=alpha)(GaussianNB().fit(X, s), X, s)
            scorer = make_pu_scorer(name, alpha=alpha, pos_label=1)
            assert scorer(GaussianNB().fit(X, signed), X, signed) == pytest.approx(plain)
    with pytest.raises(ValueError, match="labels hold no 'fraud', which means labeled"):
        make_pu_scorer("f1", alpha=0.3, pos_label="fraud")(model, X[s == 0], named[s == 0])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alpha", [0.3, None])
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB(), LinearSVC(), SVC()])
def test_all_classes_but_the_labeled_one_are_unlabeled(name, alpha, model, sample):
    """A model of three classes is scored by its column of the labeled one."""
    X, s, _ = sample
    kinds = np.where(s == 1, "fraud", np.where(np.arange(len(s)) % 2, "card", "wire"))
    model = clone(model).fit(X, kinds)
    place = list(model.classes_).index("fraud")
    answer = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    flagged = (model.predict(X) == "fraud").astype(int)
    found = make_pu_scorer(name, alpha=alpha, pos_label="fraud")(model, X, kinds)
    score = answer(X)[:, place]
    options = {"alpha": alpha, "beta": 1.0} if alpha else _estimated_priors(s, score, 1.0, "consensus", None)
    assert found == pytest.approx(expected(name, s, score, flagged, **options))


def test_a_regressor_is_scored_by_its_predictions_and_an_outlier_detector_is_refused(sample):
    X, s, _ = sample
    regressor = Ridge().fit(X, s)
    for name in NAMES:
        scorer = make_pu_scorer(name, alpha=0.3)
        if METRICS[find_metric(name).name].kind == "threshold":
            with pytest.raises(ValueError, match="evaluates predicted classes, and Ridge predicts numbers: use a"):
                scorer(regressor, X, s)
        else:
            assert scorer(regressor, X, s) == pytest.approx(expected(name, s, regressor.predict(X), None, alpha=0.3))
        for detector in (IsolationForest(n_estimators=5, random_state=0).fit(X), OneClassSVM().fit(X[s == 1])):
            with pytest.raises(ValueError, match="outlier detectors score inliers higher"):
                scorer(detector, X, s)


@pytest.mark.parametrize("name", ["roc_auc", "f1"])
@pytest.mark.parametrize("alpha", [0.3, None])
def test_weights_are_routed_where_they_are_requested(name, alpha, sample):
    X, s, _ = sample
    weights = 1 + (np.arange(len(s)) % 3 == 0)
    plain = make_pu_scorer(name, alpha=alpha)
    model = LogisticRegression(class_weight="balanced")
    with config_context(enable_metadata_routing=True):
        options = {"params": {"sample_weight": weights}, "cv": StratifiedKFold(2), "error_score": "raise"}
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(model, X, s, scoring=plain, **options)
        model = model.set_fit_request(sample_weight=False)
        weighted, not_weighted = (deepcopy(plain).set_score_request(sample_weight=each) for each in (True, False))
        one = cross_validate(model, X, s, scoring=weighted, **options)["test_score"]
        both = cross_validate(model, X, s, scoring={"a": weighted, "b": not_weighted}, **options)
        search = GridSearchCV(model, {"C": [0.1, 1]}, scoring=weighted, cv=2).fit(X, s, sample_weight=weights)
    for fold, (train, test) in enumerate(StratifiedKFold(2).split(X, s)):
        fitted = model.fit(X[train], s[train])
        wanted = [plain(fitted, X[test], s[test], sample_weight=weights[test]), plain(fitted, X[test], s[test])]
        assert [one[fold], both["test_a"][fold], both["test_b"][fold]] == pytest.approx([wanted[0], *wanted])
    assert 0 < search.best_score_ <= 1
    assert check_scoring(model, scoring=plain) is plain
    assert "make_pu_scorer" in repr(plain)


def test_a_threshold_cannot_be_tuned_with_an_alpha_to_be_estimated(sample):
    X, s, _ = sample
    with pytest.raises(ValueError, match="evaluates predictions, from which alpha cannot be estimated: give alpha"):
        TunedThresholdClassifierCV(LogisticRegression(), scoring=make_pu_scorer("f1"), cv=3).fit(X, s)


def test_scores_that_tell_nothing_give_no_alpha(sample):
    X, s, _ = sample
    blind = LogisticRegression(C=1e-12).fit(0 * X, s)
    with pytest.raises(ValueError, match="alpha cannot be estimated by consensus from these scores"):
        make_pu_scorer("max_f1")(blind, 0 * X, s)


# Precision, recall and lift of the examples that score highest, and precision and recall at a threshold.


AT_K = {"precision": precision_at_k, "recall": recall_at_k, "lift": lift_at_k}
USUAL = {"alpha": 0.2, "distance": 1.5}
relaxed = settings(max_examples=40)


@relaxed
@given(st.integers(0, 10**6), st.integers(1, 500), st.floats(0.0, 0.8), st.sampled_from(["all", "unlabeled"]))
def test_precision_recall_and_lift_at_k_are_what_they_are_called(seed, k, alpha, population):
    """recall = tpr at k, precision = pi tpr / theta, lift = tpr / theta = precision / pi."""
    s, score, _ = gaussian(seed % 100, 100, 500, **USUAL)
    options = {"k": k, "alpha": alpha, "population": population, "clip": False}
    precision, recall, lift = (function(s, score, **options) for function in AT_K.values())
    ranked = score if population == "all" else score[s == 0]
    tpr = np.mean(score[s == 1] >= np.sort(ranked)[::-1][k - 1])
    theta = k / len(ranked)
    pi = np.mean(s + (1 - s) * alpha) if population == "all" else alpha
    assert recall == pytest.approx(tpr)
    assert precision == pytest.approx(pi * tpr / theta)
    assert lift == pytest.approx(tpr / theta)


@pytest.mark.parametrize("population", ["all", "unlabeled"])
@pytest.mark.parametrize("k", [50, "1%", 0.1, 1000])
def test_large_samples_give_the_true_numbers(k, population):
    s, score, y = gaussian(1, 20_000, 40_000, **USUAL)
    chosen = np.ones(len(y), dtype=bool) if population == "all" else s == 0
    order = np.argsort(-score[chosen])
    size = top_of(k).size(len(order))
    truly = y[chosen][order[:size]]
    options = {"k": k, "alpha": 0.2, "population": population}
    assert precision_at_k(s, score, **options) == pytest.approx(truly.mean(), abs=0.06)
    assert recall_at_k(s, score, **options) == pytest.approx(truly.sum() / y[chosen].sum(), abs=0.01)
    assert lift_at_k(s, score, **options) == pytest.approx(truly.mean() / y[chosen].mean(), rel=0.15)


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_tied_scores_give_the_mean_over_random_orders(population):
    s, score, _ = gaussian(2, 60, 300, digits=0, **USUAL)
    rng = np.random.default_rng(0)
    options = {"k": 70, "alpha": 0.2, "population": population}
    broken = [
        [function(s, score + 1e-6 * rng.permutation(len(s)), **options) for function in AT_K.values()]
        for _ in range(400)
    ]
    expected = [function(s, score, **options) for function in AT_K.values()]
    np.testing.assert_allclose(np.mean(broken, axis=0), expected, rtol=0.02)


def test_k_may_be_a_number_or_a_share():
    s, score, _ = gaussian(3, 300, 3000, **USUAL)
    for function in AT_K.values():
        values = [function(s, score, k=k, alpha=0.2) for k in (33, 33.0, "33", 0.01, "0.01", ".01", "1%", " 1 % ")]
        assert len(set(values)) == 1
    assert recall_at_k(s, score, k="100%", alpha=0.2) == recall_at_k(s, score, k=3300, alpha=0.2) == 1
    assert str(top_of(1)) == "1"


def test_a_k_beyond_the_ranking_is_refused():
    s, score, _ = gaussian(4, 10, 20, **USUAL)
    with pytest.raises(ValueError, match="the top 21 is more than the 20 ranked examples"):
        precision_at_k(s, score, k=21, alpha=0.2, population="unlabeled")


def test_places_lie_between_thresholds_only_where_ties_are_divided():
    counts = count_scores([1, 0, 0, 1, 0, 0], [3, 3, 2, 2, 2, 1])
    assert [float(place_of(counts, top_of(k), "all")) for k in (1, 2, 3, 5, 6)] == pytest.approx([0.5, 1, 4 / 3, 2, 3])
    assert [float(place_of(counts, top_of(k), "unlabeled")) for k in (1, 2, 3, 4)] == pytest.approx([1, 1.5, 2, 3])


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_intervals_hold_the_truth(population):
    """At 95 %, of 25 samples about 24; fewer than 20 in one of a thousand."""
    names = ["precision", "recall", "precision_at_60", "recall_at_10%", "lift_at_10%"]
    held = dict.fromkeys(names, 0)
    for seed in range(25):
        s, score, y = gaussian(seed, 100, 800, distance=1.5)
        options = {"alpha": 0.3, "threshold": 1.0, "population": population, "n_bootstrap": 100}
        found = assess(s, score, metrics=names, random_state=seed, **options)
        chosen = np.ones(len(y), dtype=bool) if population == "all" else s == 0
        for row in found.scores:
            truth = metrics.find_metric(row.metric).formula(true_rates_of(y[chosen], score[chosen], row.metric))
            if row.metric == "recall":  # of all positives
                truth = np.mean(score[y == 1] >= 1)
            held[row.metric] += row.interval[0] <= truth + 1e-9 and truth - 1e-9 <= row.interval[1]
    assert min(held.values()) >= 20, held


def true_rates_of(y, score, name):
    counts = count_scores(y, score)
    place = metrics.find_metric(name).place(counts, threshold=1.0)
    return metrics.rates_at(counts, at=place)


def test_lift_and_recall_need_no_alpha():
    s, score, _ = gaussian(7, 300, 3000, **USUAL)
    for name in ("recall_at_5%", "lift_at_5%"):
        assert (
            len({estimate_score(name, s, score, method="direct", alpha=alpha).estimate for alpha in (0.05, 0.3, 0.6)})
            == 1
        )
    known, unknown = (interval_of("lift_at_5%", s, score, alpha=a, random_state=0) for a in (0.2, None))
    assert known.estimate == pytest.approx(unknown.estimate, rel=1e-12)
    assert unknown.uncertainty == "calibrated"
    assert unknown.upper - unknown.lower == pytest.approx(known.upper - known.lower, rel=0.2)


def test_groups_of_many_rows_keep_the_end_of_the_top():
    """Of 300,000 rows only some thousand thresholds are kept; the top 50 is still cut exactly."""
    s, score, y = gaussian(8, 30_000, 270_000, **USUAL)
    interval = interval_of("precision_at_50", s, score, alpha=0.2, n_bootstrap=60, random_state=0)
    assert interval.estimate == precision_at_k(s, score, k=50, alpha=0.2)
    assert interval.lower < np.mean(y[np.argsort(-score)[:50]]) <= interval.upper
    assert 0.02 < interval.upper - interval.lower < 0.7


def test_precision_and_recall_have_no_maximum():
    s, score, _ = gaussian(9, 300, 3000, **USUAL)
    assert not {"max_precision", "max_recall", "max_lift"} & set(metrics.METRICS)
    for name in ("precision", "recall"):
        with pytest.raises(ValueError, match=f"{name} needs a threshold"):
            estimate_score(name, s, score, method="direct", alpha=0.2)
        with pytest.raises(ValueError, match=f"{name} needs a threshold"):
            corrected_intervals([name], s, score, alpha=0.2)
    with pytest.raises(ValueError, match="lift_at_k needs a number or a share of examples for k, such as lift_at_100"):
        corrected_intervals(["lift_at_k"], s, score, alpha=0.2)


def test_uncorrected_numbers_are_those_of_the_observed_labels():
    s, score, _ = gaussian(10, 300, 3000, **USUAL)
    answer = estimate_score("precision_at_100", s, score, method="uncorrected")
    assert answer.estimate == np.mean(s[np.argsort(-score)[:100]])
    assert answer.threshold == np.sort(score)[-100]


def test_what_is_reported_depends_on_threshold_and_tops():
    usual = metrics_for()
    assert metrics_for(threshold=0.5) == [*usual, "precision", "recall"]
    assert metrics_for(at=[100, "1%"])[len(usual) :] == [
        f"{name}_at_{k}" for k in ("100", "1%") for name in ("precision", "recall", "lift")
    ]
    assert metrics_for(["roc_auc", "lift_at_k"], at=100) == ["roc_auc", "lift_at_100"]
    assert metrics_for(["lift_at_k", "roc_auc"], at=100) == ["lift_at_100", "roc_auc"], "the first asked for decides"


def test_corrected_and_uncorrected_are_about_one_population():
    s, score, _ = gaussian(11, 300, 3000, **USUAL)
    for population in ("all", "unlabeled"):
        found = {row.metric: row for row in assess(s, score, alpha=0.0, population=population, n_bootstrap=0).scores}
        if population == "all":
            assert all(row.corrected == pytest.approx(row.uncorrected, abs=0.01) for row in found.values())
        assert found["roc_auc"].population is found["balanced_accuracy"].population is None
        assert found["average_precision"].population == found["f1"].population == population
        assert np.isnan(found["average_precision"].uncorrected) == (population == "unlabeled")


def test_the_best_threshold_predicts_what_gives_the_best_number():
    s, score, _ = gaussian(12, 300, 3000, **USUAL)
    found = {row.metric: row for row in assess(s, score, alpha=0.2, at=50, n_bootstrap=0).scores}
    for name in metrics.MEASURES:
        value, threshold = metrics.max_score(name, s, score, alpha=0.2)
        assert found[name].corrected == value
        np.testing.assert_array_equal(score >= found[name].threshold, score >= threshold)
    assert found["roc_auc"].threshold is None
    assert (score >= found["precision_at_50"].threshold).sum() == 50


@pytest.mark.parametrize("unit", [1e-9, 1.0, 700_000.0, 1e9])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_threshold_that_is_typed_back_as_it_is_shown_gives_the_same_number(unit, kind):
    """Also where scores are close to each other, as those of a model that is sure are to 1."""
    s, score, _ = gaussian(13, 60, 300, **USUAL)
    for scores in (score, 1 - np.exp(-9 - score), np.round(score, 1)):
        scores = (unit * scores).astype(kind)
        (best,) = assess(s, scores, alpha=0.2, metrics=["f1"], n_bootstrap=0).scores
        again = assess(s, scores, alpha=0.2, metrics=["f1"], threshold=float(shown(best.threshold)), n_bootstrap=0)
        assert again.scores[0].corrected == best.corrected


def evaluate(*options):
    return CliRunner().invoke(app, ["evaluate", *map(str, options)], env={"COLUMNS": "80"})


def test_every_function_speaks_of_all_examples_unless_asked():
    """One default for one thing: of AUC-PR as of F1, in every way to either number."""
    rng = np.random.default_rng(3)
    s = np.repeat([1, 0], [60, 300])
    score = rng.normal(1.5 * (rng.random(360) < np.where(s == 1, 1, 0.3)))
    names = ["average_precision", "f1"]
    where = {"alpha": 0.3, "threshold": 1.0}
    everyone, default = (corrected_intervals(names, s, score, n_bootstrap=5, random_state=0, **where, **about)
                         for about in ({"population": "all"}, {}))  # fmt: skip
    for name in names:
        options = where if name == "f1" else {"alpha": 0.3}
        numbers = [estimate_score(name, s, score, method="direct", **options, **about).estimate
                   for about in ({"population": "all"}, {})]  # fmt: skip
        assert numbers[0] == numbers[1]
        assert default[name] == everyone[name]
    bounds = [score_bounds(names, s, score, **where, **about) for about in ({"population": "all"}, {})]
    assert bounds[0] == bounds[1]
    drawn = PUPrecisionRecallDisplay.from_predictions(s, score, alpha=0.3).area
    assert drawn == metrics.pu_average_precision_score(s, score, alpha=0.3)
    assert drawn == metrics.pu_average_precision_score(s, score, alpha=0.3, population="all")


def test_few_labels_are_said_where_the_area_is_biased(sample):
    X, s, _ = sample
    rows = np.r_[np.flatnonzero(s == 1)[:19], np.flatnonzero(s == 0)[:190]]
    with pytest.warns(UserWarning, match="only 19 labeled examples: below 20 the corrected AUC-PR is biased"):
        metrics.pu_average_precision_score(s[rows], X[rows, 0], alpha=0.3)
    with pytest.warns(UserWarning, match="only 19 labeled examples"):
        cross_validate(LogisticRegression(), X[:607], s[:607], scoring=make_pu_scorer("average_precision", alpha=0.3),
                       cv=StratifiedKFold(8), error_score="raise")  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metrics.pu_average_precision_score(s[rows], X[rows, 0], alpha=0)  # nothing is corrected
        metrics.pu_average_precision_score(s[130:], X[130:, 0], alpha=0.3)  # 20 labeled


def test_the_default_repair_is_the_least_biased_one():
    """Mean error of the area against the true classes of the same rows, the worst of three distances, 20 labeled."""
    errors = {repair: [] for repair in REPAIRS}
    s = np.repeat([1, 0], [20, 200])
    y = np.arange(220) < 60
    for distance in (0.8, 1.5, 2.5):
        found = {repair: [] for repair in REPAIRS}
        for seed in range(150):
            score = np.random.default_rng(seed).normal(distance * y)
            truth, counts = sk.average_precision_score(y, score), count_scores(s, score)
            for repair in REPAIRS:
                area = METRICS["average_precision"].formula(counts, alpha=0.2, beta=1.0, repair=repair)
                found[repair].append(area - truth)
        for repair in REPAIRS:
            errors[repair].append(abs(np.mean(found[repair])))
    default = inspect.signature(metrics.pu_average_precision_score).parameters["repair"].default
    assert default == min(errors, key=lambda repair: max(errors[repair]))
    assert max(errors[default]) < 0.04
