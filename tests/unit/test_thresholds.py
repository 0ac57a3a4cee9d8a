"""Tables of thresholds and thresholds by a goal, against known classes."""

import numpy as np
import pytest
from samples import gaussian
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from typer.testing import CliRunner

from pumetrics.calibration import positive_probability, pu_brier_score, pu_calibration_error, reliability_curve
from pumetrics.cli import app
from pumetrics.metrics import pu_f1_score, pu_precision_score, pu_recall_score
from pumetrics.thresholds import choose_threshold, threshold_table


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_rows_are_the_measures_at_their_thresholds_and_counts_add_up(population):
    s, score, _ = gaussian(0, 300, 2000, alpha=0.25)
    table = threshold_table(s, score, alpha=0.25, n_rows=20, population=population)
    assert len(table) <= 21
    assert table["threshold"].is_monotonic_decreasing
    cells = table[["true_positives", "false_positives", "false_negatives", "true_negatives"]]
    np.testing.assert_allclose(cells.sum(axis=1), 2300 if population == "all" else 2000)
    np.testing.assert_allclose(table["true_positives"] + table["false_negatives"], 800 if population == "all" else 500)
    assert (cells.to_numpy() >= -1e-9).all()
    for row in table.itertuples():
        predicted = (score >= row.threshold).astype(int)
        assert row.precision == pytest.approx(pu_precision_score(s, predicted, alpha=0.25, population=population))
        assert row.recall == pytest.approx(pu_recall_score(s, predicted, alpha=0.25))
        if population == "all":
            assert row.f1 == pytest.approx(pu_f1_score(s, predicted, alpha=0.25))
            assert row.predicted_positive == pytest.approx(predicted.mean())


def test_expected_counts_are_near_the_true_ones():
    s, score, y = gaussian(1, 5000, 20_000, alpha=0.25)
    for row in threshold_table(s, score, alpha=0.25).itertuples():
        flagged = score >= row.threshold
        for name, count in (("true_positives", flagged & (y == 1)), ("false_positives", flagged & (y == 0))):
            assert getattr(row, name) == pytest.approx(count.sum(), abs=0.02 * len(y))


def test_all_thresholds_are_there_without_a_number_of_rows():
    s, score, _ = gaussian(2, 20, 50, alpha=0.25)
    assert len(threshold_table(s, score, alpha=0.25, n_rows=None)) == 70


@pytest.mark.parametrize(("cost_fp", "cost_fn"), [(1, 1), (1, 20), (20, 1)])
@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_threshold_by_cost_is_that_of_the_true_classes(cost_fp, cost_fn, population):
    s, score, y = gaussian(3, 5000, 20_000, alpha=0.25)
    choice = choose_threshold(s, score, alpha=0.25, cost_fp=cost_fp, cost_fn=cost_fn, population=population)
    rows = slice(None) if population == "all" else s == 0

    def cost(threshold):
        flagged = score[rows] >= threshold
        return np.mean(cost_fp * (flagged & (y[rows] == 0)) + cost_fn * (~flagged & (y[rows] == 1)))

    least = min(cost(threshold) for threshold in np.linspace(-3, 5, 200))
    assert cost(choice.threshold) <= 1.15 * least
    assert choice.cost == pytest.approx(cost(choice.threshold), rel=0.25)
    assert choice.goal == f"least cost (false positive {cost_fp}, false negative {cost_fn})"


def test_a_free_miss_means_no_alarm_and_a_free_alarm_means_no_miss():
    s, score, _ = gaussian(4, 300, 2000, alpha=0.25)
    assert choose_threshold(s, score, alpha=0.25, cost_fp=1, cost_fn=0).threshold == np.inf
    assert choose_threshold(s, score, alpha=0.25, cost_fp=0, cost_fn=1).recall == 1


@pytest.mark.parametrize("goal", [{"min_precision": 0.8}, {"min_recall": 0.9}])
def test_a_goal_is_reached_with_the_most_of_the_other(goal):
    s, score, y = gaussian(5, 5000, 20_000, alpha=0.25)
    choice = choose_threshold(s, score, alpha=0.25, **goal)
    table = threshold_table(s, score, alpha=0.25, n_rows=None)
    (name, least), flagged = *goal.items(), score >= choice.threshold
    name, other = ("precision", "recall") if name == "min_precision" else ("recall", "precision")
    assert getattr(choice, name) >= least
    assert getattr(choice, other) == table.loc[table[name] >= least, other].max()
    truth = {"precision": y[flagged].mean(), "recall": flagged[y == 1].mean()}
    assert getattr(choice, name) == pytest.approx(truth[name], abs=0.03)


def test_a_goal_out_of_reach_names_what_can_be_reached():
    rng = np.random.default_rng(6)
    s = np.repeat([1, 0], [500, 5000])
    with pytest.raises(ValueError, match=r"no threshold reaches a corrected precision of 0.99: the largest is 0\.\d+"):
        choose_threshold(s, rng.normal(size=5500).round(), alpha=0.1, min_precision=0.99)


def evaluate(*options):
    options = ["evaluate", *options, "--alpha", "0.25", "--bootstrap", "0"]
    return CliRunner().invoke(app, list(map(str, options)), env={"COLUMNS": "80"})


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({}, "a threshold needs a goal"),
        ({"cost_fp": 1}, "cost_fp is one of two costs"),
        ({"cost_fp": 1, "cost_fn": 2, "min_recall": 0.5}, "cost_fp=1 and min_recall=0.5 contradict"),
        ({"cost_fp": -1, "cost_fn": 2}, r"cost_fp must lie in \[0, inf\], got -1"),
        ({"cost_fp": 0, "cost_fn": 0}, "not both must be 0"),
        ({"min_precision": 80}, r"min_precision must lie in \[0, 1\], got 80"),
    ],
)
def test_bad_goals_are_named(goal, message):
    s, score, _ = gaussian(7, 20, 50, alpha=0.25)
    with pytest.raises(ValueError, match=message):
        choose_threshold(s, score, alpha=0.2, **goal)


# Probabilities of being positive, on simulations whose probabilities are known, and bad input.


def simulated(seed=0, n_labeled=2000, n_unlabeled=10_000, alpha=0.3, beta=1.0, distance=1.5):
    """Labels, true classes, scores, and true probabilities among the unlabeled, of two normal distributions."""
    rng = np.random.default_rng(seed)
    s = np.repeat([1, 0], [n_labeled, n_unlabeled])
    y = (rng.random(len(s)) < np.where(s == 1, beta, alpha)).astype(int)
    score = rng.normal(distance * y)
    odds = alpha / (1 - alpha) * np.exp(distance * score - distance**2 / 2)
    return s, y, score, odds / (1 + odds)


@pytest.mark.parametrize("beta", [1.0, 0.85])
@pytest.mark.parametrize("alpha", [0.05, 0.4])
def test_probabilities_are_recovered(alpha, beta):
    s, _, score, truth = simulated(1, 10_000, 40_000, alpha=alpha, beta=beta)
    found = positive_probability(s, score, alpha=alpha, beta=beta)
    hidden = s == 0
    assert np.mean(np.abs(found - truth)[hidden]) < (0.02 if beta == 1 else 0.03)
    assert found[hidden].mean() == pytest.approx(alpha, abs=0.015)
    assert (np.diff(found[np.argsort(score)]) >= -1e-12).all(), "it never falls as the score rises"


@pytest.mark.parametrize("unit", [1e-300, 1e-16, 1e200])
def test_the_unit_of_the_scores_does_not_matter(unit):
    s, _, score, _ = simulated(2, 200, 800)
    plain = positive_probability(s, score, alpha=0.3)
    np.testing.assert_allclose(positive_probability(s, score * unit, alpha=0.3), plain, atol=1e-12)
    fitted = IsotonicRegression(y_min=0, y_max=1).fit_transform(score, s)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(plain, np.minimum(0.3 * 4 * fitted / (1 - fitted), 1), atol=1e-9)


@pytest.mark.parametrize("beta", [1.0, 0.8])
def test_without_hidden_positives_no_example_is_positive(beta):
    s, _, score, _ = simulated(3, 200, 800)
    score[0] = 99  # labeled, above all unlabeled ones
    np.testing.assert_array_equal(positive_probability(s, score, alpha=0.0, beta=beta), 0)


def test_the_probability_of_being_labeled_is_not_that_of_being_positive():
    s, y, score, truth = simulated(2)
    labeled = np.mean(s) * np.exp(1.5 * score - 1.125)
    labeled = labeled / (labeled + np.mean(1 - s) * (0.3 * np.exp(1.5 * score - 1.125) + 0.7))  # Bayes
    hidden = s == 0
    assert labeled[hidden].mean() < 0.2 < y[hidden].mean()
    assert pu_calibration_error(s, labeled, alpha=0.3) > 5 * pu_calibration_error(s, truth, alpha=0.3)
    assert pu_calibration_error(s, positive_probability(s, labeled, alpha=0.3), alpha=0.3) < 0.01
    np.testing.assert_allclose(
        positive_probability(s, labeled, alpha=0.3), positive_probability(s, score, alpha=0.3), atol=1e-9
    )


def test_new_scores_take_the_probabilities_of_their_neighbors():
    s, _, score, _ = simulated(3)
    at = np.array([-9.0, *np.quantile(score, [0.2, 0.8]), 99.0])
    found = positive_probability(s, score, alpha=0.3, at=at)
    own = positive_probability(s, score, alpha=0.3)
    assert found[0] == own.min()
    assert found[-1] == own.max()
    assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize("beta", [1.0, 0.85])
@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_bands_of_the_reliability_curve_hold_the_true_share(beta, strategy):
    inside = []
    for seed in range(30):
        s, _, _, truth = simulated(seed, 300, 2000, beta=beta)
        curve = reliability_curve(s, truth, alpha=0.3, beta=beta, n_bins=6, strategy=strategy)
        for row in curve.itertuples():
            expected = truth[(s == 0) & (truth >= row.low) & (truth < row.high)].mean()
            assert row.predicted == pytest.approx(expected)
            inside.append(row.lower <= row.predicted <= row.upper)
    assert 0.90 <= np.mean(inside) <= 0.99


def test_bins_hold_all_examples_and_equal_limits_are_merged():
    s, _, _, truth = simulated(4)
    curve = reliability_curve(s, truth.round(1), alpha=0.3, n_bins=20)
    assert curve["n_labeled"].sum() == 2000
    assert curve["n_unlabeled"].sum() == 10_000
    assert len(curve) <= 11
    assert (curve["lower"] <= curve["positive"]).all() and (curve["positive"] <= curve["upper"]).all()  # noqa: PT018


@pytest.mark.parametrize("beta", [1.0, 0.85])
def test_the_brier_score_is_that_of_the_true_classes(beta):
    s, y, score, truth = simulated(5, 20_000, 60_000, beta=beta)
    for predictions in (truth, 1 / (1 + np.exp(-score)), np.full(len(s), 0.5)):
        expected = brier_score_loss(y[s == 0], predictions[s == 0])
        assert pu_brier_score(s, predictions, alpha=0.3, beta=beta) == pytest.approx(expected, abs=0.012)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y_prob": [0.1, 1.2, 0.3]}, r"y_prob must lie in \[0, 1\], got 1.2 at position 1"),
        ({"y_prob": [0.1, 0.2]}, "lengths differ: s has 3, y_prob has 2"),
        ({"n_bins": 0}, "n_bins must be a whole number, at least 1, got 0"),
        ({"strategy": "even"}, 'strategy must be "quantile" or "uniform", got \'even\''),
    ],
)
def test_bad_arguments_are_named(options, message):
    given = {"s": [1, 0, 0], "y_prob": [0.9, 0.2, 0.3], "alpha": 0.2, **options}
    with pytest.raises(ValueError, match=message):
        reliability_curve(given.pop("s"), given.pop("y_prob"), **given)
