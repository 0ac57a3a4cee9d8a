"""What the library says to arguments that Python would accept, or refuse in words of its own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from pumetrics import metrics
from pumetrics.assessment import assess, assess_by, compare_scores
from pumetrics.bounds import roc_bounds
from pumetrics.calibration import pu_brier_score, reliability_curve
from pumetrics.counts import count_scores
from pumetrics.displays import PUPrecisionRecallDisplay, PURocDisplay
from pumetrics.inference import corrected_interval
from pumetrics.label_frequency import leave_one_out_scores
from pumetrics.labeling import flip_positives, noisy_positives, partial_labels, sar, scar
from pumetrics.methods import estimate_score
from pumetrics.models import out_of_sample_scores
from pumetrics.models.folds import stratified_folds
from pumetrics.priors import alpha_interval, estimate_priors
from pumetrics.ranking import rank_rows
from pumetrics.recovery import recover_auc, recover_rates

S = np.repeat([1, 0], [60, 140])
SCORES = np.random.default_rng(0).normal(S)
HUGE = 10**400


@pytest.mark.parametrize("random_state", ["a", -1, 1.5, object()])
@pytest.mark.parametrize(
    "call",
    [
        lambda seed: assess(S, SCORES, alpha=0.2, metrics=["roc_auc"], n_bootstrap=3, random_state=seed),
        lambda seed: compare_scores(S, SCORES, -SCORES, alpha=0.2, metrics=["f1"], n_bootstrap=3, random_state=seed),
        lambda seed: corrected_interval("roc_auc", S, SCORES, alpha=0.2, n_bootstrap=3, random_state=seed),
        lambda seed: estimate_score("roc_auc", S, SCORES, alpha=0.2, confidence=0.9, random_state=seed),
        lambda seed: estimate_priors(SCORES[S == 1], SCORES[S == 0], method="bbe", random_state=seed),
    ],
)
def test_a_random_state_that_is_none_says_what_one_is(call, random_state):
    with pytest.raises(ValueError, match="random_state must be None, a whole number of at least 0 or a numpy"):
        call(random_state)


@pytest.mark.parametrize(
    "call",
    [
        lambda seed: assess(S, SCORES, alpha=0.2, metrics=["roc_auc"], n_bootstrap=3, random_state=seed),
        lambda seed: compare_scores(S, SCORES, -SCORES, alpha=0.2, metrics=["f1"], n_bootstrap=3, random_state=seed),
        lambda seed: corrected_interval("roc_auc", S, SCORES, alpha=0.2, n_bootstrap=3, random_state=seed),
        lambda seed: estimate_score("roc_auc", S, SCORES, alpha=0.2, confidence=0.9, random_state=seed),
        lambda seed: estimate_priors(SCORES[S == 1], SCORES[S == 0], method="tice", random_state=seed),
        lambda seed: alpha_interval(S, SCORES, random_state=seed),
        lambda seed: reliability_curve(S, 1 / (1 + np.exp(-SCORES)), alpha=0.2, random_state=seed).to_numpy(),
        lambda seed: leave_one_out_scores(SCORES[:, None], S, random_state=seed),
        lambda seed: noisy_positives(S, beta=0.9, n_labeled=20, random_state=seed),
        lambda seed: scar(S, label_frequency=0.5, random_state=seed),
        lambda seed: partial_labels(S, rho=0.5, random_state=seed),
        lambda seed: sar(S, SCORES, label_frequency=0.5, strength=1.0, random_state=seed),
        lambda seed: flip_positives(pd.DataFrame({"x": SCORES}), S, 0.5, random_state=seed),
        lambda seed: stratified_folds(S, n_folds=3, random_state=seed),
        lambda seed: out_of_sample_scores(
            SCORES[:, None], S[None], np.arange(200) % 3, model="random_forest", random_state=seed, n_estimators=40
        ),
    ],
)
def test_a_random_state_of_scikit_learn_is_a_source_of_randomness(call):
    assert str(call(np.random.RandomState(0))) == str(call(np.random.RandomState(0)))


@pytest.mark.parametrize("alpha", ["0.1", b"0.1", ("0.1", "0.3"), np.str_("0.1")])
@pytest.mark.parametrize(
    "call",
    [
        lambda alpha: assess(S, SCORES, alpha=alpha),
        lambda alpha: compare_scores(S, SCORES, -SCORES, alpha=alpha),
        lambda alpha: corrected_interval("roc_auc", S, SCORES, alpha=alpha),
        lambda alpha: metrics.pu_roc_auc_score(S, SCORES, alpha=alpha),
        lambda alpha: recover_auc(0.7, alpha=alpha),
        lambda alpha: roc_bounds(S, SCORES, alpha=alpha),
    ],
)
def test_text_is_no_alpha(call, alpha):
    with pytest.raises(ValueError, match="alpha must be a number, got "):
        call(alpha)


@pytest.mark.parametrize(("weight", "message"), [("a", "got 'a'|numbers only"), (5, "got 5|one-dimensional")])
@pytest.mark.parametrize(
    "call",
    [
        lambda weight: assess(S, SCORES, alpha=0.2, sample_weight=weight),
        lambda weight: corrected_interval("roc_auc", S, SCORES, alpha=0.2, sample_weight=weight),
        lambda weight: metrics.pu_roc_auc_score(S, SCORES, alpha=0.2, sample_weight=weight),
    ],
)
def test_one_value_is_no_column_of_weights(call, weight, message):
    with pytest.raises(ValueError, match=f"sample_weight must .*({message})"):
        call(weight)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda masked: count_scores(S, masked), "y_score"),
        (lambda masked: count_scores(masked > 0, SCORES), "s"),
        (lambda masked: count_scores(S, SCORES, sample_weight=masked), "sample_weight"),
        (lambda masked: assess(S, masked, alpha=0.2), "y_score"),
        (lambda masked: pu_brier_score(S, masked, alpha=0.2), "y_prob"),
        (lambda masked: recover_rates(masked, 0.2, alpha=0.2), "tpr_pu"),
        (lambda masked: rank_rows(masked), "scores"),
        *(
            (lambda masked, name=name: assess(S, SCORES, alpha=0.2, **{name: masked}), name)
            for name in ("cluster", "fold", "propensity", "sample_weight")
        ),
        (lambda masked: assess_by(S, SCORES, masked > 0, alpha=0.2), "groups"),
        (lambda masked: assess_by(S, SCORES, S, alpha=0.2, cluster=masked), "cluster"),
    ],
)
def test_what_is_masked_does_not_count_in_silence(call, name):
    with pytest.raises(ValueError, match=rf"{name} is a masked array \(\d+ values masked\): leave masked rows out"):
        call(np.ma.masked_greater(SCORES, 1.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.pu_roc_auc_score(S, SCORES, alpha=HUGE), "alpha must lie between 0 and 1"),
        (lambda: metrics.pu_roc_auc_score(S, [HUGE] * 200, alpha=0.2), "y_score must be finite"),
        (lambda: metrics.pu_roc_auc_score([HUGE] * 200, SCORES, alpha=0.2), "s must hold only 0, 1"),
        (lambda: assess(S, SCORES, alpha=0.2, threshold=HUGE), "threshold must be a number up to"),
        (lambda: assess(S, SCORES, alpha=0.2, n_bootstrap=HUGE), "n_bootstrap must be at most"),
        (lambda: assess(S, SCORES, alpha=0.2, confidence=95), "confidence must lie in .*got 95"),
        (lambda: assess(S, SCORES * 1e300, alpha=0.2), "y_score must have its largest absolute value .* at position"),
        (lambda: assess(S, SCORES * 1e-320, alpha=0.2), "rescale the scores"),
        (lambda: assess(S, SCORES * 0, alpha=0.2), "y_score is 0 for every example: constant scores"),
        (lambda: metrics.pu_roc_auc_score(S, SCORES + 0j, alpha=0.2), "real numbers only, got complex128"),
        (lambda: metrics.pu_roc_auc_score(S + 0j, SCORES, alpha=0.2), "s must hold only 0, 1, got complex128"),
        (lambda: metrics.pu_roc_auc_score(S, S.astype("M8[D]"), alpha=0.2), "real numbers only, got datetime64"),
        (lambda: metrics.pu_roc_auc_score(S, S.astype("m8[D]"), alpha=0.2), "real numbers only, got timedelta64"),
        (lambda: metrics.pu_roc_auc_score(S.astype("M8[D]"), SCORES, alpha=0.2), "s must hold only 0, 1, got datetime"),
    ],
)
def test_values_no_float_holds_and_values_that_are_no_scores(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("display", [PURocDisplay, PUPrecisionRecallDisplay])
def test_a_regressor_is_sent_to_from_predictions(display):
    X = SCORES[:, None]
    with pytest.raises(ValueError, match=r"LinearRegression has neither .* from_predictions"):
        display.from_estimator(LinearRegression().fit(X, S), X, S, alpha=0.2)


def test_series_pair_by_index_or_not_at_all():
    s, score = pd.Series(S), pd.Series(SCORES)
    expected = metrics.pu_roc_auc_score(S, SCORES, alpha=0.2)
    assert metrics.pu_roc_auc_score(s, score, alpha=0.2) == expected
    assert metrics.pu_roc_auc_score(s.set_axis(range(1, 201)), SCORES, alpha=0.2) == expected
    for call in (
        lambda other: metrics.pu_roc_auc_score(s, other, alpha=0.2),
        lambda other: assess(s, other, alpha=0.2),
        lambda other: compare_scores(s, SCORES, other, alpha=0.2),
        lambda other: count_scores(s, SCORES, other > 0),
    ):
        with pytest.raises(ValueError, match="are Series with different indexes: align them"):
            call(score.sample(frac=1, random_state=0))
