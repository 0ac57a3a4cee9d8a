"""What these scores do not tell is shown nowhere as a number, and an estimate leans to neither side."""

import json

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from samples import gaussian
from typer.testing import CliRunner

from pumetrics.assessment import assess, assess_by, assessment_table, choice_in_words, compare_scores, priors_in_words
from pumetrics.cli import app
from pumetrics.counts import count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.priors.calibration import calibrated_priors
from pumetrics.priors.interval import identifies


def rare(seed):
    """Few hidden positives, hard to tell: alpha .017."""
    return gaussian(seed, 200, 2000, alpha=0.017, distance=1.5)[:2]


@pytest.mark.parametrize(
    ("interval", "known"),
    [
        ((0.150, 0.690), False),
        ((0.002, 0.062), False),
        ((0.030, 0.250), True),
        ((0.0, 0.009), True),
        ((0.80, 0.95), True),
        ((-0.1, 0.2), True),
        ((-0.4, 0.2), False),
    ],
)
def test_one_rule_says_what_is_identified(interval, known):
    assert identifies(*interval) is known


def test_the_estimate_is_the_center_of_the_calibrated_range():
    s, score = rare(0)
    calibrated = calibrated_priors(count_scores(s, score))
    low, high = calibrated.intervals(0.95)[0]
    found = assess(s, score, n_bootstrap=0)
    assert found.alpha == pytest.approx(calibrated.center[0])
    assert low < found.alpha < high
    interval = corrected_intervals(["roc_auc"], s, score, n_bootstrap=10, random_state=0)["roc_auc"]
    assert interval.alpha == pytest.approx(calibrated.center[0])


def test_what_is_not_identified_is_nowhere_a_number(tmp_path, monkeypatch):
    s, score = rare(1)
    found = assess(s, score, n_bootstrap=20, population="unlabeled")
    unknown = [each for each in found.scores if not each.identified]
    assert unknown, "average precision of so few positives is not identified"
    assert all(np.isnan(each.corrected) for each in unknown)
    assert not found.alpha_identified
    assert found.as_dict()["alpha"] is None
    assert f"{found.alpha:.3f}" not in priors_in_words(found)
    console = Console(width=120)
    with console.capture() as printed:
        console.print(assessment_table(found))
    assert printed.get().count("not identified") == len(unknown)

    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"s": s, "score": score}).to_csv("scores.csv", index=False)
    gate = ["--population", "unlabeled", "--bootstrap", "20", "--json", "--fail-under", "average_precision=.5"]
    result = CliRunner().invoke(app, ["evaluate", "scores.csv", *gate])
    assert result.exit_code == 3, result.output
    assert "average_precision is undecided" in result.stderr
    answer = json.loads(result.stdout)
    assert answer["alpha"] is None
    assert {each["corrected"] for each in answer["scores"] if not each["identified"]} == {None}


def test_a_handful_of_labels_identifies_nothing_even_if_alpha_is_given():
    rng = np.random.default_rng(0)
    s, y_score = np.repeat([1, 0], [5, 420]), rng.normal(np.repeat([3.0, 3.0, 0.0], [5, 20, 400]))
    assert not any(score.identified for score in assess(s, y_score).scores)
    for n_bootstrap in (0, 20):
        found = assess(s, y_score, alpha=0.05, n_bootstrap=n_bootstrap)
        assert found.alpha_identified
        assert not any(score.identified for score in found.scores), "no interval is no reason to know"
    other = y_score + rng.normal(size=len(s))
    compared = compare_scores(s, y_score, other, alpha=0.05, metrics=["roc_auc"], n_bootstrap=20)
    assert compared.shown("roc_auc") == (None,) * 3


def test_without_intervals_the_range_of_alpha_alone_may_leave_a_number_open():
    s, score = rare(1)
    found = assess(s, score, n_bootstrap=0, population="unlabeled")
    assert {each.metric: each.identified for each in found.scores}["roc_auc"]
    assert not {each.metric: each.identified for each in found.scores}["average_precision"]


def test_a_group_whose_alpha_is_not_identified_shows_none():
    s, score = rare(1)
    groups = assess_by(s, score, np.zeros(len(s)), n_bootstrap=0)
    assert not groups[0].alpha_identified
    assert np.isnan(groups.to_frame()["alpha"]).all()
    assert groups.to_frame()["alpha_upper"].notna().all()


def test_a_threshold_is_chosen_without_a_precision_that_is_not_known():
    s = np.repeat([1, 0], [300, 2000])
    score = np.random.default_rng(10).normal(6.0 * np.repeat([1, 1, 0], [300, 600, 1400]))
    for alpha, known in (((0.05, 0.6), False), ((0.28, 0.32), True), (0.3, True)):
        found = assess(s, score, goal={"cost_fp": 1, "cost_fn": 20}, alpha=alpha, metrics=["roc_auc"], n_bootstrap=0)
        assert np.isfinite([found.choice.precision, found.choice.cost]).all() == known
        assert found.choice.recall == np.mean(score[s == 1] >= found.threshold)
        assert ("precision not identified" in choice_in_words(found.choice)) != known


def test_a_table_of_thresholds_is_blank_where_alpha_is_not_identified(tmp_path):
    s, score = rare(1)
    rows, table = tmp_path / "scores.csv", tmp_path / "table.csv"
    pd.DataFrame({"s": s, "score": score}).to_csv(rows, index=False)
    for options, known in (([], False), (["--alpha", "0.017"], True), (["--alpha", "0.001,0.9"], False)):
        command = ["evaluate", str(rows), "--bootstrap", "0", "--thresholds", str(table), *options]
        assert CliRunner().invoke(app, command).exit_code == 0
        written = pd.read_csv(table)
        assert written[["threshold", "predicted_positive", "recall"]].notna().all(axis=None)
        for name in ("precision", "f1", "true_positives", "false_positives", "false_negatives", "true_negatives"):
            assert written[name].notna().all() == known, name


@pytest.mark.parametrize(("alpha", "way"), [(".2", "label more rows"), (".05,.9", "give a narrower --alpha")])
def test_no_gate_passes_on_five_labels_and_the_remedy_applies(tmp_path, alpha, way):
    s, score = np.repeat([1, 0], [5, 300]), np.random.default_rng(0).normal(2 * np.repeat([1, 1, 0], [5, 60, 240]))
    pd.DataFrame({"s": s, "score": score}).to_csv(tmp_path / "rows.csv", index=False)
    gate = ["--alpha", alpha, "--fail-under", "roc_auc=.5", "--bootstrap", "20"]
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path / "rows.csv"), *gate])
    assert result.exit_code == 3, result.output
    assert "roc_auc is undecided" in result.stderr
    assert way in result.stderr
    assert "give --alpha" not in result.stderr
