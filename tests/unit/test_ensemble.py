"""The batched ensemble does what networks trained one by one on the same draws do, whichever engine runs it."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from pumetrics_workflow import job
from pumetrics_workflow.models import rprop as numpy_engine
from pumetrics_workflow.models import rprop_numba as numba_engine
from pumetrics_workflow.models.ensemble import BaggedMLPClassifier
from pumetrics_workflow.models.rprop import (
    Problem,
    Settings,
    draw_ensemble,
    network_scores,
    out_of_bag_scores,
)

ENGINES = {"numpy": numpy_engine.train, "numba": numba_engine.train}


@pytest.mark.slow
@parametrize_with_checks(
    [
        BaggedMLPClassifier(n_estimators=10, max_epochs=60, engine=engine)
        for engine in ("numpy", "numba")
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def make_problem(n_rows=400, n_features=6, *, n_networks=12, hidden_units=7, seed=0):
    """A separable half and noise, standardized, with draws."""
    rng = np.random.default_rng(seed)
    X = np.ones((n_rows, n_features + 1), dtype=np.float32)
    X[:, :-1] = rng.standard_normal((n_rows, n_features))
    signal = X[:, :-1].sum(axis=1) / np.sqrt(n_features)
    target = np.where(signal + 0.5 * rng.standard_normal(n_rows) > 0, 1, -1).astype(np.float32)
    draws = draw_ensemble(
        rng,
        n_rows=n_rows,
        n_features=n_features,
        n_networks=n_networks,
        hidden_units=hidden_units,
        validation_fraction=0.25,
    )
    return Problem(X, target, draws)


def make_settings(max_epochs=500, *, patience=25, step=0.03):
    return Settings(max_epochs=max_epochs, patience=patience, hidden_step=step, output_step=step)


class PlainNetwork:
    """One perceptron with iRPROP-, as on paper: in double precision, on copies of its rows, a layer at a time."""

    def __init__(self, problem, network):
        draws = problem.draws
        training = np.repeat(
            np.arange(len(problem.X)), np.where(draws.held_out[network], 0, draws.counts[network])
        )
        validation = np.repeat(
            np.arange(len(problem.X)), np.where(draws.held_out[network], draws.counts[network], 0)
        )
        X = problem.X.astype(np.float64)
        y = (problem.target > 0).astype(np.float64)
        self.training = (X[training], y[training])
        self.validation = (X[validation], y[validation])
        self.weights = [
            draws.hidden[:, network].astype(np.float64),
            draws.output[:, network].astype(np.float64),
        ]

    def units_and_probability(self, X):
        hidden, output = self.weights
        units = np.tanh(X @ hidden.T)
        return units, 1 / (1 + np.exp(-2 * (units @ output[:-1] + output[-1])))

    def gradients(self):
        """Of the training log-loss; the output is the log-odds halved, hence the factor 2."""
        X, y = self.training
        units, probability = self.units_and_probability(X)
        error = 2 * (probability - y)
        back = error[:, np.newaxis] * self.weights[1][:-1] * (1 - units**2)
        return [back.T @ X, np.append(error @ units, error.sum())]

    def validation_loss(self):
        X, y = self.validation
        probability = self.units_and_probability(X)[1]
        return -np.mean(y * np.log(probability) + (1 - y) * np.log(1 - probability))

    def train(self, settings):
        steps = [np.full_like(w, settings.hidden_step) for w in self.weights]
        previous = [np.zeros_like(w) for w in self.weights]
        best_loss = np.inf
        best = None
        failures = 0
        epoch = 0
        while True:
            loss = self.validation_loss()
            failures += 1
            if loss < best_loss:
                best_loss = loss
                best = [w.copy() for w in self.weights]
                failures = 0
            if failures == settings.patience or epoch == settings.max_epochs:
                self.weights = best
                return best_loss, epoch
            for w, g, p, s in zip(self.weights, self.gradients(), previous, steps, strict=True):
                s[g * p > 0] *= 1.2
                s[g * p < 0] *= 0.5
                s.clip(1e-6, 50, out=s)
                g[g * p < 0] = 0
                w -= np.sign(g) * s
                p[:] = g
            epoch += 1


@pytest.fixture(scope="module")
def plain():
    """Plain networks trained to the end: problem, settings, validation losses, epochs, out-of-bag scores."""
    problem = make_problem()
    settings = make_settings()
    networks = [PlainNetwork(problem, m) for m in range(problem.draws.output.shape[1])]
    losses, epochs = zip(*(network.train(settings) for network in networks), strict=True)
    scores = np.array(
        [network.units_and_probability(problem.X.astype(np.float64))[1] for network in networks]
    )
    out = problem.draws.counts == 0
    scored = out.any(axis=0)
    oob = (scores * out).sum(axis=0)[scored] / out.sum(axis=0)[scored]
    return problem, settings, np.array(losses), np.array(epochs), scored, oob


@pytest.mark.parametrize("train", ENGINES.values(), ids=ENGINES)
def test_agrees_with_networks_trained_one_by_one(train, plain):
    problem, settings, losses, epochs, scored, oob = plain
    trained = train(problem, settings)
    ours = out_of_bag_scores(problem, trained)[scored]
    # Rounding can flip the sign of a gradient near 0, and RPROP follows signs: paths part late, and by little.
    assert np.median(np.abs(trained.loss - losses)) < 1e-5
    np.testing.assert_allclose(trained.loss, losses, atol=0.01)
    assert np.median(np.abs(trained.epochs - epochs)) <= 1
    truth = problem.target[scored]
    assert abs(roc_auc_score(truth, ours) - roc_auc_score(truth, oob)) < 0.005


@pytest.mark.parametrize("train", ENGINES.values(), ids=ENGINES)
def test_first_updates_are_those_of_the_plain_networks(train):
    problem = make_problem()
    settings = make_settings(max_epochs=6)
    trained = train(problem, settings)
    for m in range(problem.draws.output.shape[1]):
        network = PlainNetwork(problem, m)
        loss, epochs = network.train(settings)
        assert trained.epochs[m] == epochs
        assert trained.loss[m] == pytest.approx(loss, abs=1e-5)
        np.testing.assert_allclose(trained.hidden[:, m], network.weights[0], atol=1e-4)
        np.testing.assert_allclose(trained.output[:, m], network.weights[1], atol=1e-4)


@pytest.mark.parametrize(
    ("n_rows", "n_features", "hidden_units"),
    [
        *product([70], [1, 4, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]),
        *product([2, 3, 191, 192, 193, 810, 811, 2001], [5], [7]),
    ],
)
def test_engines_agree_whatever_the_shape(n_rows, n_features, hidden_units):
    problem = make_problem(n_rows, n_features, n_networks=3, hidden_units=hidden_units)
    one, other = (train(problem, make_settings(max_epochs=4)) for train in ENGINES.values())
    np.testing.assert_allclose(one.loss, other.loss, atol=1e-5)
    np.testing.assert_allclose(one.hidden, other.hidden, atol=1e-4)
    np.testing.assert_allclose(one.output, other.output, atol=1e-4)


@pytest.mark.parametrize("train", ENGINES.values(), ids=ENGINES)
def test_a_network_does_not_care_which_others_are_trained_with_it(train):
    problem = make_problem(n_networks=20)
    some = np.array([3, 17])
    draws = problem.draws
    few = type(draws)(
        draws.counts[some], draws.held_out[some], draws.hidden[:, some], draws.output[:, some]
    )
    together = train(problem, make_settings())
    assert len(set(together.epochs)) > 5, (
        "networks must stop at different times for this test to say anything"
    )
    apart = train(Problem(problem.X, problem.target, few), make_settings())
    np.testing.assert_allclose(apart.loss, together.loss[some], atol=2e-3)


@pytest.mark.parametrize("train", ENGINES.values(), ids=ENGINES)
def test_training_stops_patience_epochs_after_the_best(train):
    problem = make_problem()
    long = train(problem, make_settings(patience=10))
    assert (long.epochs > 10).all()
    assert (long.epochs < 500).all()
    for m in range(3):  # stopping at the best epoch itself keeps the same weights
        short = train(problem, make_settings(max_epochs=int(long.epochs[m]) - 10, patience=10))
        np.testing.assert_array_equal(short.hidden[:, m], long.hidden[:, m])


def test_draws_are_bootstrap_samples_held_out_by_distinct_row():
    draws = make_problem(500, n_networks=50).draws
    np.testing.assert_array_equal(draws.counts.sum(axis=1), 500)
    in_bag = draws.counts > 0
    assert abs(in_bag.mean() - (1 - np.exp(-1))) < 0.01
    assert not (draws.held_out & ~in_bag).any()
    np.testing.assert_allclose(draws.held_out.sum(axis=1) / in_bag.sum(axis=1), 0.25, atol=0.002)
    np.testing.assert_array_equal(
        draws.training_weights() + draws.validation_weights(), draws.counts
    )


@pytest.mark.parametrize("fraction", [1e-9, 0.5, 1 - 1e-9])
def test_every_network_has_rows_on_both_sides(fraction):
    rng = np.random.default_rng(0)
    draws = draw_ensemble(
        rng, n_rows=2, n_features=1, n_networks=20, hidden_units=1, validation_fraction=fraction
    )
    assert (draws.training_weights().sum(axis=1) > 0).all()
    assert (draws.validation_weights().sum(axis=1) > 0).all()


def test_out_of_bag_scores_use_only_networks_that_never_saw_the_row():
    problem = make_problem(60, n_networks=3)
    trained = numpy_engine.train(problem, make_settings(max_epochs=3))
    scores = np.hstack(
        [block for _, block in network_scores(problem.X, trained.hidden, trained.output)]
    )
    oob = out_of_bag_scores(problem, trained)
    for row in range(60):
        voters = problem.draws.counts[:, row] == 0
        if voters.any():
            assert oob[row] == pytest.approx(scores[voters, row].mean(), abs=1e-6)
    never = (problem.draws.counts > 0).all(axis=0)
    assert never.any(), "the case must occur"
    np.testing.assert_allclose(oob[never], oob[~never].mean())


@pytest.mark.parametrize("engine", ENGINES)
def test_recovers_a_known_ranking(engine):
    """Two unit normals 2 apart: no score has an AUC above Phi(2 / sqrt 2) = .921, and a good one is near."""
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=3000)
    X = rng.standard_normal((3000, 2))
    X[:, 0] += 2 * y
    best = roc_auc_score(y, X[:, 0])
    model = BaggedMLPClassifier(30, engine=engine, random_state=0).fit(X, y)
    assert roc_auc_score(y, model.oob_decision_function_) > best - 0.005
    assert np.mean(model.oob_decision_function_) == pytest.approx(y.mean(), abs=0.02)


def test_the_scale_of_a_feature_and_a_constant_one_change_nothing():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 4))
    y = rng.integers(2, size=300)
    X[:, 0] += y
    X[:, 3] = 0.1
    plain = BaggedMLPClassifier(10, random_state=0, max_epochs=10).fit(X, y).oob_decision_function_
    scaled = X * [1e3, 1, 1e-6, 1e5] + [5, 0, 1, 7]
    other = (
        BaggedMLPClassifier(10, random_state=0, max_epochs=10).fit(scaled, y).oob_decision_function_
    )
    np.testing.assert_allclose(plain, other, atol=1e-3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be an integer of at least 1, got 0"),
        ({"hidden_units": 2.5}, "hidden_units must be an integer of at least 1, got 2.5"),
        ({"patience": True}, "patience"),
        ({"validation_fraction": 1}, r"validation_fraction must lie in \(0, 1\), got 1"),
        ({"engine": "jax"}, "engine must be one of auto, numpy, numba, got"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BaggedMLPClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


SUMS = """
import hashlib
import numpy as np
from pumetrics_workflow.models.rprop_numba import forward, gradients, output_errors

rng, hashed = np.random.default_rng(0), hashlib.sha256()
for n_hidden, n_features, size in [(3, 4, 16), (7, 8, 48), (13, 12, 112), (12, 64, 512)]:
    x, weights, bias, output, target = (
        rng.normal(size=shape).astype(np.float32)
        for shape in [(n_features, 528), (n_hidden, n_features), n_hidden, n_hidden + 1, 528]
    )
    units, error, counts = np.zeros((n_hidden, 528), np.float32), np.zeros(528, np.float32), np.ones(528, np.float32)
    g, g_bias, g_output = np.zeros_like(weights), np.zeros_like(bias), np.zeros_like(output)
    forward(units, x, weights, bias, size)
    output_errors(error, units, output, target, size)
    gradients(units, error, counts, x, g, g_bias, g_output, size)
    for part in (units, error, g, g_bias, g_output):
        hashed.update(part.tobytes())
print(hashed.hexdigest())
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not job._stands_in(),
    reason="needs x86-64 with AVX2, which two kinds of code can be compiled for",
)
def test_the_width_of_a_processors_vectors_changes_no_digit():
    both = [{}, {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}]
    own, common = (
        subprocess.run(
            [sys.executable, "-c", SUMS], env=os.environ | kind, check=True, capture_output=True
        ).stdout
        for kind in both
    )
    assert own == common


def test_the_engine_depends_on_the_data_alone(monkeypatch):
    """Few features without compiled loops are an error: the other engine gives other last digits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 250))
    y = np.arange(30) % 2
    few = X[:, :3]
    scores = BaggedMLPClassifier(3, max_epochs=5, random_state=0).fit(X, y).oob_decision_function_
    monkeypatch.setattr("pumetrics_workflow.models.ensemble.can_compile", lambda: False)
    with pytest.raises(ValueError, match="PUMETRICS_COMPILE=0 switches off"):
        BaggedMLPClassifier(3).fit(few, y)
    again = BaggedMLPClassifier(3, max_epochs=5, random_state=0).fit(X, y).oob_decision_function_
    np.testing.assert_array_equal(again, scores)
    assert BaggedMLPClassifier(3, max_epochs=5, engine="numpy").fit(few, y).n_features_in_ == 3
