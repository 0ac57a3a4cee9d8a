"""Labels selected by score in the form that is assumed: thresholds, tops and areas come out as they truly are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples import selected
from typer.testing import CliRunner

from pumetrics.assessment import assess
from pumetrics.assessment._operating import operating_point, operating_points
from pumetrics.cli import app
from pumetrics.counts import count_scores
from pumetrics.inference.selection import labelable_share, reweighted, selected_rates
from pumetrics.methods import estimate_score
from pumetrics.metrics import find_metric, measures_of, rates_at
from pumetrics.thresholds import threshold_table

STRENGTHS = [0.25, 3.0]


def truth_at(y, s, score, threshold):
    """Recall, precision, fall-out, lift and precision of the new alarms against the true class."""
    flagged, new = score >= threshold, (score >= threshold) & (s == 0)
    precision = y[flagged].mean()
    return {
        "recall": flagged[y == 1].mean(), "precision": precision, "fall_out": flagged[y == 0].mean(),
        "lift": precision / y.mean(), "new_precision": y[new].mean(),
    }  # fmt: skip


@pytest.mark.parametrize("strength", [1.0, *STRENGTHS])
def test_operating_points_are_those_of_the_true_class(strength):
    s, score, y = selected(0, strength=strength)
    result = assess(s, score, alpha=y[s == 0].mean(), selection=strength, metrics=["roc_auc"], n_bootstrap=10)
    for point in operating_points(result, s, score, n_points=5):
        truth = truth_at(y, s, score, point.threshold)
        for name, value in truth.items():
            assert getattr(point, name).corrected == pytest.approx(value, abs=0.02, rel=0.02), (name, point.threshold)
        assert point.n_flagged == np.count_nonzero(score >= point.threshold)
        assert point.true_positives + point.false_positives == pytest.approx(point.n_flagged)
        share = point.precision.corrected * point.n_flagged
        assert point.true_positives == pytest.approx(share, rel=1e-6), "precision, recall and counts agree"


@pytest.mark.parametrize("strength", STRENGTHS)
def test_intervals_of_operating_points_hold_the_truth(strength):
    """At 95 %, of 40 samples about 38; fewer than 33 in one of a thousand."""
    held = dict.fromkeys(("recall", "precision", "fall_out", "lift", "new_precision"), 0)
    s, score, _ = selected(0, 600, 900, strength=strength, chance=True)
    result = assess(s, score, alpha=360 / 1260, selection=strength, metrics=["roc_auc"], n_bootstrap=10)
    large, scores, y = selected(1, 200_000, 300_000, strength=strength, chance=True)
    truth = truth_at(y, large, scores, 1.0)
    for seed in range(40):
        s, score, _ = selected(seed, 600, 900, strength=strength, chance=True)
        point = operating_point(result, s, score, threshold=1.0)
        for name in held:
            low, high = getattr(point, name).interval
            held[name] += low <= truth[name] <= high
    assert min(held.values()) >= 33, held


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_scores_of_either_population_are_those_of_its_own_positives(strength, population):
    """What is said of the unlabeled is about the hidden positives, whom the labels have not chosen."""
    s, score, y = selected(2, strength=strength)
    rows = slice(None) if population == "all" else s == 0
    truth = count_scores(y[rows], score[rows])
    measures = measures_of(truth, at=int(truth.at(1.0)))
    names = ["average_precision", "accuracy", "f1", "mcc", "precision", "precision_at_2000", "recall_at_5%"]
    names += ["lift_at_5%", "roc_auc", "recall", "balanced_accuracy"]
    options = {"alpha": y[s == 0].mean(), "population": population, "selection": strength}
    found = assess(s, score, metrics=names, threshold=1.0, n_bootstrap=0, **options)
    for row in found.scores:
        entry = find_metric(row.metric)
        if entry.kind == "area":
            expected = entry.formula(truth, alpha=0.0, beta=1.0, repair="none", population="all")
        elif entry.kind == "top":
            expected = entry.formula(rates_at(truth, at=entry.place(truth)))
        else:
            expected = measures[row.metric]
        assert row.corrected == pytest.approx(expected, abs=0.015, rel=0.015), row.metric
        assert row.population == population
        where = {"threshold": 1.0} if entry.kind == "threshold" else {}
        answer = estimate_score(row.metric, s, score, method="direct", **where, **options)
        assert answer.estimate == pytest.approx(expected, abs=0.015, rel=0.015), row.metric


@pytest.mark.parametrize("strength", STRENGTHS)
def test_the_best_threshold_is_as_good_as_the_truly_best(strength):
    s, score, y = selected(3, strength=strength)
    options = {"alpha": y[s == 0].mean(), "selection": strength, "n_bootstrap": 0}
    found = {row.metric: row for row in assess(s, score, metrics=["f1"], **options).scores}
    point = operating_point(assess(s, score, metrics=["roc_auc"], **options), s, score)
    assert point.threshold == found["f1"].threshold
    f1 = measures_of(count_scores(y, score))["f1"]
    assert f1[count_scores(y, score).at(point.threshold)] >= f1.max() - 0.002


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_tables_of_thresholds_are_true_and_say_what_they_assume(strength, population):
    s, score, y = selected(4, strength=strength)
    rows = slice(None) if population == "all" else s == 0
    options = {"alpha": y[s == 0].mean(), "population": population, "n_rows": 12}
    table = threshold_table(s, score, selection=strength, **options)
    assert set(table["selection"]) == {strength}
    assert "selection" not in threshold_table(s, score, **options)
    n = len(y[rows])
    for row in table.itertuples():
        flagged = score[rows] >= row.threshold
        assert row.predicted_positive == pytest.approx(flagged.mean(), abs=1e-12)
        cells = [flagged & (y[rows] == 1), flagged & (y[rows] == 0), ~flagged & (y[rows] == 1)]
        for name, cell in zip(("true_positives", "false_positives", "false_negatives"), cells, strict=True):
            assert getattr(row, name) / n == pytest.approx(cell.mean(), abs=0.01), name
        assert row.recall == pytest.approx(flagged[y[rows] == 1].mean(), abs=0.02)


def test_the_command_writes_the_table_of_the_selection(tmp_path):
    s, score, y = selected(5, 1000, 2000, strength=3.0)
    alpha = float(y[s == 0].mean())
    pd.DataFrame({"s": s, "score": score}).to_csv(tmp_path / "scores.csv", index=False)
    options = [str(tmp_path / "scores.csv"), "--alpha", repr(alpha), "--selection", "3", "--bootstrap", "0"]
    result = CliRunner().invoke(app, ["evaluate", *options, "--thresholds", str(tmp_path / "table.csv")])
    assert result.exit_code == 0, result.output
    expected = threshold_table(s, score, alpha=alpha, selection=3.0)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "table.csv"), expected)


@settings(deadline=None, max_examples=100)
@given(st.floats(0.01, 100), st.floats(0.01, 1), st.integers(2, 60))
@example(strength=1 - 1e-16, rho=1 - 1e-16, n=3)
@example(strength=1 + 2e-7, rho=0.5, n=3)
def test_all_positives_are_the_labeled_and_the_hidden(strength, rho, n):
    labeled = np.linspace(0, 1, n)
    everywhere, hidden = selected_rates(labeled, strength, rho)
    np.testing.assert_allclose(everywhere, rho * labeled + (1 - rho) * hidden, atol=1e-12)
    for rates in (everywhere, hidden):
        assert (rates[0], rates[-1]) == (0, 1)
        assert (np.diff(rates) >= -1e-9).all()
    if rho < 0.99 * labelable_share(strength) and strength != 1:  # the share of the positives of which k^u is true
        k = max(strength, 1 / strength)
        x = labeled if strength < 1 else 1 - labeled
        u = everywhere if strength < 1 else 1 - everywhere
        np.testing.assert_allclose(np.expm1(u * np.log(k)) / (k - 1), x, atol=1e-6)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.floats(0.05, 20), st.floats(0, 0.9))
def test_as_many_examples_are_flagged_as_without_a_selection(seed, strength, alpha):
    rng = np.random.default_rng(seed)
    s = np.repeat([1, 0], [8, 30])
    counts = count_scores(s, rng.integers(0, 20, 38))
    for population in ("all", "unlabeled"):
        shown = reweighted(counts, strength, alpha=alpha, population=population)
        if population == "all":
            np.testing.assert_allclose(shown.predicted, counts.predicted, atol=1e-9)
        else:
            np.testing.assert_array_equal(shown.unlabeled, counts.unlabeled)
