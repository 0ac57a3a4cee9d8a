"""Correcting undoes corrupting, Theorem 2.1 holds, and Figure 1 of Ramola et al. comes out to the fourth digit."""

import inspect

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from pumetrics import recovery
from pumetrics.rates import mcc, true_rates

relaxed = settings(deadline=None)  # a loaded machine is slow, not wrong
shares = st.floats(0.0, 1.0)
labeled_shares = st.floats(0.01, 0.99)


@st.composite
def priors(draw):
    """Alpha and beta at least 0.05 apart: what is divided by their gap keeps twelve digits."""
    alpha = draw(st.floats(0.0, 0.9))
    return {"alpha": alpha, "beta": draw(st.floats(min(alpha + 0.05, 1.0), 1.0))}


def plain_measures(tpr, fpr, pi):
    """Eqs. 4 to 7 of Ramola et al., written from the confusion matrix instead of the rates."""
    tp, fn, fp, tn = pi * tpr, pi * (1 - tpr), (1 - pi) * fpr, (1 - pi) * (1 - fpr)
    return {
        "accuracy": tp + tn,
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    }


@relaxed
@given(tpr=shares, fpr=shares, prior=priors())
def test_recovering_rates_undoes_corrupting_them(tpr, fpr, prior):
    found = recovery.recover_rates(*recovery.corrupt_rates(tpr, fpr, **prior), **prior)
    assert found == pytest.approx((tpr, fpr), abs=1e-12)


@relaxed
@given(tpr=st.floats(0.01, 0.99), fpr=st.floats(0.01, 0.99), prior=priors(), c=labeled_shares)
def test_recovered_measures_are_those_of_the_true_confusion_matrix(tpr, fpr, prior, c):
    rates = recovery.corrupt_rates(tpr, fpr, **prior)
    truth = plain_measures(tpr, fpr, recovery.population_prior(c=c, **prior))
    assert recovery.recover_measures(*rates, c=c, **prior) == pytest.approx(truth, abs=1e-12)
    assert recovery.recover_accuracy(*rates, c=c, **prior) == pytest.approx(truth["accuracy"], abs=1e-12)
    assert recovery.recover_f1(*rates, c=c, **prior) == pytest.approx(truth["f1"], abs=1e-12)


@relaxed
@given(tpr=st.floats(0.01, 0.99), fpr=st.floats(0.01, 0.99), prior=priors(), c=labeled_shares)
def test_theorem_2_1_equalities_and_inequalities(tpr, fpr, prior, c):
    observed = plain_measures(*recovery.corrupt_rates(tpr, fpr, **prior), c)
    truth = plain_measures(tpr, fpr, recovery.population_prior(c=c, **prior))
    bacc = recovery.recover_balanced_accuracy(observed["balanced_accuracy"], **prior)
    mcc = recovery.recover_mcc(observed["mcc"], c=c, **prior)
    assert bacc == pytest.approx(truth["balanced_accuracy"], abs=1e-12)
    assert mcc == pytest.approx(truth["mcc"], abs=1e-11)
    assert abs(mcc) >= abs(observed["mcc"]) - 1e-12
    assert (bacc - observed["balanced_accuracy"]) * (observed["balanced_accuracy"] - 0.5) >= -1e-12


@relaxed
@given(auc=shares, prior=priors())
def test_direct_area_undoes_the_mixture_of_areas(auc, prior):
    # A pair (labeled, unlabeled) is a pair (positive, negative), the reverse, or two of a class, which is a coin flip.
    alpha, beta = prior["alpha"], prior["beta"]
    right, reversed_ = beta * (1 - alpha), (1 - beta) * alpha
    auc_pu = right * auc + reversed_ * (1 - auc) + (1 - right - reversed_) / 2
    assert recovery.recover_auc(auc_pu, **prior) == pytest.approx(auc, abs=1e-12)


@relaxed
@given(tpr=st.floats(0.01, 1), fpr=st.floats(0.01, 1), prior=priors(), c=labeled_shares)
def test_precision_of_either_population(tpr, fpr, prior, c):
    tpr_pu, fpr_pu = recovery.corrupt_rates(tpr, fpr, **prior)
    precision_pu = c * tpr_pu / (c * tpr_pu + (1 - c) * fpr_pu)
    for population, pi in (
        ("unlabeled", prior["alpha"]),
        ("all", recovery.population_prior(c=c, **prior)),
    ):
        truth = pi * tpr / (pi * tpr + (1 - pi) * fpr)
        found = recovery.recover_precision(precision_pu, c=c, population=population, **prior)
        assert found == pytest.approx(truth, abs=1e-9), population


def test_precision_where_nobody_unlabeled_is_predicted_positive():
    assert recovery.recover_precision(1.0, alpha=0.2, c=0.1) == np.inf
    assert recovery.recover_precision(1.0, alpha=0.0, c=0.1) == 0.0
    assert recovery.recover_precision(0.4, alpha=0.0, c=0.1, population="all") == pytest.approx(0.4)


@relaxed
@given(tpr_pu=shares, fpr_pu=shares, c=labeled_shares)
def test_without_noise_nothing_changes(tpr_pu, fpr_pu, c):
    assert recovery.recover_rates(tpr_pu, fpr_pu, alpha=0.0) == (tpr_pu, fpr_pu)
    assert recovery.recover_auc(tpr_pu, alpha=0.0) == pytest.approx(tpr_pu, abs=1e-15)
    assert recovery.recover_mcc(tpr_pu, alpha=0.0, c=c) == pytest.approx(tpr_pu, abs=1e-14)
    assert recovery.population_prior(alpha=0.0, c=c) == c


FIGURE_1 = [  # measure, against: (maximum, threshold)
    ("accuracy", "true", 0.8613, 0.424),
    ("accuracy", "pu", 0.9000, 5.0),
    ("balanced_accuracy", "true", 0.8413, 0.0),
    ("balanced_accuracy", "pu", 0.6707, 0.0),
    ("f1", "true", 0.7665, 0.186),
    ("f1", "pu", 0.3023, 0.501),
    ("mcc", "true", 0.6643, 0.294),
    ("mcc", "pu", 0.2175, 0.294),
]


@pytest.mark.parametrize(("measure", "against", "maximum", "threshold"), FIGURE_1)
def test_figure_1_of_ramola(measure, against, maximum, threshold):
    tau = np.linspace(-5, 5, 10_001)
    tpr, fpr = norm.sf(tau - 1), norm.sf(tau + 1)
    if against == "true":
        curve = recovery.recover_measures(tpr, fpr, alpha=0, c=0.3)[measure]
    else:
        rates = recovery.corrupt_rates(tpr, fpr, alpha=0.25, beta=0.75)
        curve = recovery.recover_measures(*rates, alpha=0, c=0.1)[measure]
    assert round(float(curve.max()), 4) == maximum
    assert tau[curve.argmax()] == pytest.approx(threshold, abs=6e-4)


def test_floats_give_floats_and_arrays_arrays():
    assert all(type(rate) is float for rate in recovery.recover_rates(0.5, 0.2, alpha=0.1))
    assert type(recovery.recover_auc(np.float64(0.7), alpha=0.1)) is float
    rates = np.array([0.2, 0.4, 1.0])
    for value in recovery.recover_measures(rates, rates, alpha=0.1, c=0.5).values():
        assert value.shape == (3,)
    assert recovery.recover_precision(rates, alpha=0.1, c=0.5).shape == (3,)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_agreeing_predictions_correlate_with_nothing(rate):
    found = recovery.recover_measures(rate, rate, alpha=0.3, beta=0.9, c=0.2)
    assert found["mcc"] == 0.0
    assert found["balanced_accuracy"] == pytest.approx(0.5)
    if rate == 0:
        assert found["f1"] == 0.0


@pytest.mark.parametrize("fpr_pu", [0.0, 1.0])
def test_among_the_unlabeled_only_their_own_predictions_agree(fpr_pu):
    """Labeled examples on the other side of the threshold do not count: the unlabeled are all on one side of it."""
    rates = true_rates(1 - fpr_pu, fpr_pu, alpha=0.3, beta=0.9, c=0.2, population="unlabeled")
    assert mcc(rates) == 0.0
    assert mcc(true_rates(1 - fpr_pu, 0.5, alpha=0.3, beta=0.9, c=0.2, population="unlabeled")) != 0.0


BAD_PRIORS = (
    ({"alpha": 0.9}, "alpha must be smaller than beta"),
    ({"alpha": -0.1}, "alpha must lie in"),
    ({"beta": 1.1}, "beta must lie in"),
    ({"alpha": float("nan")}, "alpha must lie in"),
    ({"alpha": "many"}, "alpha must be a number"),
    ({"c": 0.0}, "c must lie in"),
    ({"c": 1.0}, "c must lie in"),
)


@pytest.mark.parametrize("name", recovery.__all__)
def test_bad_priors_are_named(name):
    function = getattr(recovery, name)
    taken = inspect.signature(function).parameters.values()
    good = {"alpha": 0.2, "beta": 0.9, **({"c": 0.1} if "c" in [each.name for each in taken] else {})}
    measured = [0.5 for each in taken if each.kind != each.KEYWORD_ONLY]
    for change, message in BAD_PRIORS:
        if change.keys() <= good.keys():
            with pytest.raises(ValueError, match=message):
                function(*measured, **good | change)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: recovery.recover_rates(1.2, 0.5, alpha=0.1), r"tpr_pu must lie in \[0, 1\], got 1.2"),
        (lambda: recovery.recover_rates(0.5, [0.1, np.nan], alpha=0.1), "fpr_pu .* got nan at position 1"),
        (lambda: recovery.recover_rates([0.5, 0.6], [0.1, 0.2, 0.3], alpha=0.1), "must have one shape"),
        (lambda: recovery.recover_auc("high", alpha=0.1), "auc_pu must hold numbers only, got 'high'"),
        (lambda: recovery.recover_mcc(-1.5, alpha=0.1, c=0.5), r"mcc_pu must lie in \[-1, 1\]"),
        (lambda: recovery.recover_precision(0.5, alpha=0.1, c=0.5, population="labeled"), "population must be"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@relaxed
@given(value=st.floats(allow_nan=True), prior=priors())
def test_a_balanced_accuracy_out_of_range_is_never_swallowed(value, prior):
    assume(not -1e-8 < value < 1 + 1e-8)
    with pytest.raises(ValueError, match="bacc_pu must lie in"):
        recovery.recover_balanced_accuracy(value, **prior)
