"""Corrected metrics in the model selection of scikit-learn, with real estimators."""

import pickle
import warnings
from copy import deepcopy

import numpy as np
import pytest
from sklearn import clone, config_context
from sklearn.ensemble import IsolationForest, VotingClassifier
from sklearn.exceptions import DataConversionWarning, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC, OneClassSVM

from pumetrics import metrics
from pumetrics.metrics import METRICS, find_metric, make_pu_scorer
from pumetrics.metrics.scorers import _estimated_priors

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
    return getattr(metrics, entry.function)(
        s, predictions if entry.kind == "threshold" else score, **options
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_a_scorer_that_equals_its_function(name, sample):
    X, s, _ = sample
    model = LogisticRegression(class_weight="balanced").fit(X, s)
    scorer = make_pu_scorer(name, alpha=0.3)
    wanted = expected(name, s, model.decision_function(X), model.predict(X), alpha=0.3)
    assert scorer(model, X, s) == pytest.approx(wanted, abs=1e-12)
    assert pickle.loads(pickle.dumps(scorer))(model, X, s) == scorer(model, X, s)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alpha", [0.3, None])
@pytest.mark.parametrize(
    "labeled", ["fraud", "zebra"]
)  # before and after the other label in the order of classes
def test_names_of_labels_change_nothing(name, alpha, labeled, sample):
    X, s, _ = sample
    named = np.where(s == 1, labeled, "unknown")
    plain = make_pu_scorer(name, alpha=alpha)(GaussianNB().fit(X, s), X, s)
    scorer = make_pu_scorer(name, alpha=alpha, pos_label=labeled)
    assert scorer(GaussianNB().fit(X, named), X, named) == pytest.approx(plain, abs=1e-9)
    assert scorer(GaussianNB().fit(X, named), X, named.astype(object)) == pytest.approx(
        plain, abs=1e-9
    )


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_two_are_rows_given_twice(name, sample):
    X, s, _ = sample
    model = LogisticRegression(class_weight="balanced").fit(X, s)
    weights = 1 + (np.arange(len(s)) % 3 == 0)
    scorer = make_pu_scorer(name, alpha=0.3)
    repeated = np.repeat(np.arange(len(s)), weights)
    assert scorer(model, X, s, sample_weight=weights) == pytest.approx(
        scorer(model, X[repeated], s[repeated])
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_estimated_alpha_recovers_the_truth_roughly(name, sample):
    X, s, y = sample
    model = LogisticRegression(class_weight="balanced").fit(X, s)
    truth = expected(name, y, model.decision_function(X), model.predict(X), alpha=0.0)
    assert make_pu_scorer(name)(model, X, s) == pytest.approx(truth, abs=0.06)


@pytest.mark.parametrize("name", NAMES)
def test_rows_without_weight_are_rows_left_out(name, sample):
    """Also where alpha is estimated: from the rows that count."""
    X, s, _ = sample
    model = LogisticRegression(class_weight="balanced").fit(X, s)
    kept = np.random.default_rng(0).random(len(s)) < 0.6
    kept |= (s == 1) & (X[:, 0] < np.median(X[s == 1, 0]))
    for alpha in (0.3, None):
        scorer = make_pu_scorer(name, alpha=alpha)
        weighted = scorer(model, X, s, sample_weight=kept.astype(float))
        assert weighted == pytest.approx(scorer(model, X[kept], s[kept]))


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
        (
            lambda: make_pu_scorer(metrics.max_score, alpha=0.1),
            "must be one of roc_auc.* or their functions, got",
        ),
        (
            lambda: make_pu_scorer("f1", alpha=0.1, methd="direct"),
            "f1 has no option 'methd': it takes clip",
        ),
        (
            lambda: make_pu_scorer("precision_at_100", alpha=0.2, k=10),
            "names its number of examples: omit k=10",
        ),
        (lambda: make_pu_scorer("f1", prior="no"), "prior must be one of .*, got 'no'"),
    ],
)
def test_bad_options_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_labels_of_one_and_minus_one_need_a_name(sample):
    X, s, _ = sample
    signed = 2 * s - 1
    model = GaussianNB().fit(X, signed)
    with pytest.raises(ValueError, match="labels must be 1 and 0, got -1"):
        make_pu_scorer("f1", alpha=0.3)(model, X, signed)
    with pytest.raises(ValueError, match="labels hold no 2"):
        make_pu_scorer("f1", alpha=0.3, pos_label=2)(model, X, signed)
    for name in ("f1", "roc_auc"):
        plain = make_pu_scorer(name, alpha=0.3)(GaussianNB().fit(X, s), X, s)
        scorer = make_pu_scorer(name, alpha=0.3, pos_label=1)
        assert scorer(model, X, signed) == pytest.approx(plain)


@pytest.mark.slow
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
    options = (
        {"alpha": alpha, "beta": 1.0}
        if alpha
        else _estimated_priors(s, score, 1.0, "consensus", None)
    )
    assert found == pytest.approx(expected(name, s, score, flagged, **options))


def test_a_regressor_is_scored_by_its_predictions_and_an_outlier_detector_is_refused(sample):
    X, s, _ = sample
    regressor = Ridge().fit(X, s)
    for name in NAMES:
        scorer = make_pu_scorer(name, alpha=0.3)
        if METRICS[find_metric(name).name].kind == "threshold":
            with pytest.raises(
                ValueError, match="evaluates predicted classes, and Ridge predicts numbers: use a"
            ):
                scorer(regressor, X, s)
        else:
            assert scorer(regressor, X, s) == pytest.approx(
                expected(name, s, regressor.predict(X), None, alpha=0.3)
            )
        for detector in (
            IsolationForest(n_estimators=5, random_state=0).fit(X),
            OneClassSVM().fit(X[s == 1]),
        ):
            with pytest.raises(ValueError, match="outlier detectors score inliers higher"):
                scorer(detector, X, s)


def test_a_classifier_without_scores_and_a_request_without_effect_are_refused(sample):
    X, s, _ = sample
    scorer = make_pu_scorer("roc_auc", alpha=0.3)
    votes = VotingClassifier([("bayes", GaussianNB())]).fit(X, s)
    with pytest.raises(ValueError, match="VotingClassifier has no decision_function"):
        scorer(votes, X, s)
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        scorer.set_score_request(sample_weight=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["roc_auc", "f1"])
@pytest.mark.parametrize("alpha", [0.3, None])
def test_weights_are_routed_where_they_are_requested(name, alpha, sample):
    X, s, _ = sample
    weights = 1 + (np.arange(len(s)) % 3 == 0)
    plain = make_pu_scorer(name, alpha=alpha)
    model = LogisticRegression(class_weight="balanced")
    with config_context(enable_metadata_routing=True):
        options = {
            "params": {"sample_weight": weights},
            "cv": StratifiedKFold(2),
            "error_score": "raise",
        }
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(model, X, s, scoring=plain, **options)
        model = model.set_fit_request(sample_weight=False)
        weighted, not_weighted = (
            deepcopy(plain).set_score_request(sample_weight=each) for each in (True, False)
        )
        one = cross_validate(model, X, s, scoring=weighted, **options)["test_score"]
        both = cross_validate(model, X, s, scoring={"a": weighted, "b": not_weighted}, **options)
        search = GridSearchCV(model, {"C": [0.1, 1]}, scoring=weighted, cv=2).fit(
            X, s, sample_weight=weights
        )
    for fold, (train, test) in enumerate(StratifiedKFold(2).split(X, s)):
        fitted = model.fit(X[train], s[train])
        wanted = [
            plain(fitted, X[test], s[test], sample_weight=weights[test]),
            plain(fitted, X[test], s[test]),
        ]
        assert [one[fold], both["test_a"][fold], both["test_b"][fold]] == pytest.approx(
            [wanted[0], *wanted]
        )
    assert 0 < search.best_score_ <= 1
    assert check_scoring(model, scoring=plain) is plain
    assert "make_pu_scorer" in repr(plain)


def test_a_threshold_cannot_be_tuned_with_an_alpha_to_be_estimated(sample):
    X, s, _ = sample
    with pytest.raises(
        ValueError, match="evaluates predictions, from which alpha cannot be estimated: give alpha"
    ):
        TunedThresholdClassifierCV(LogisticRegression(), scoring=make_pu_scorer("f1"), cv=3).fit(
            X, s
        )


def test_scores_that_tell_nothing_give_no_alpha(sample):
    X, s, _ = sample
    blind = LogisticRegression(C=1e-12).fit(0 * X, s)
    with pytest.raises(
        ValueError, match="alpha cannot be estimated by consensus from these scores"
    ):
        make_pu_scorer("max_f1")(blind, 0 * X, s)


def test_few_labels_are_said_where_the_area_is_biased(sample):
    X, s, _ = sample
    rows = np.r_[np.flatnonzero(s == 1)[:19], np.flatnonzero(s == 0)[:190]]
    with pytest.warns(
        UserWarning, match="only 19 labeled examples: below 20 the corrected AUC-PR is biased"
    ):
        metrics.pu_average_precision_score(s[rows], X[rows, 0], alpha=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metrics.pu_average_precision_score(s[rows], X[rows, 0], alpha=0)  # nothing is corrected
        metrics.pu_average_precision_score(s[130:], X[130:, 0], alpha=0.3)  # 20 labeled


def test_labels_in_a_scorer_are_read_as_in_the_functions():
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [100, 200])
    X = rng.normal(s)[:, None]
    wanted = make_pu_scorer("roc_auc", alpha=0.2)(LogisticRegression().fit(X, s), X, s)
    for metric in ("roc_auc", "f1"):
        wanted = make_pu_scorer(metric, alpha=0.2)(LogisticRegression().fit(X, s), X, s)
        scorer = make_pu_scorer(metric, alpha=0.2)
        assert scorer(LogisticRegression().fit(X, s.astype(str)), X, s.astype(str)) == wanted
        with pytest.warns(DataConversionWarning):
            assert scorer(LogisticRegression().fit(X, s), X, s[:, None]) == wanted
        with pytest.raises(ValueError, match=r"shape \(300, 2\): a scorer evaluates one output"):
            scorer(LogisticRegression().fit(X, s), X, np.column_stack([s, s]))
    with pytest.raises(ValueError, match="labels must be 1 and 0, got fraud"):
        scorer(LogisticRegression().fit(X, s), X, np.where(s, "fraud", ""))
