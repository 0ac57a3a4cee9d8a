"""Tables of thresholds and thresholds by a goal, against known classes."""

import numpy as np
import pytest
from samples import gaussian
from typer.testing import CliRunner

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
