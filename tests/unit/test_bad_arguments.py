"""What the library says to arguments that Python would accept, or refuse in words of its own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from pumetrics import metrics
from pumetrics.assessment import assess, compare_scores
from pumetrics.counts import count_scores
from pumetrics.displays import PUPrecisionRecallDisplay, PURocDisplay
from pumetrics.inference import corrected_interval
from pumetrics.methods import estimate_score
from pumetrics.priors import estimate_priors

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
