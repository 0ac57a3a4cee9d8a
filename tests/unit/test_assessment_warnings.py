"""Warnings that are due when alpha is unknown, labels are selected or look wrong, and scores tell nothing."""

import json
import pickle
import re
from dataclasses import replace
from string import Formatter

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from samples import gaussian
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

from pumetrics.assessment import (
    Caution,
    Contest,
    assess,
    assess_by,
    compare_scores,
    comparison_page,
    explained,
    page,
    read_scores,
)
from pumetrics.assessment._operating import operating_point
from pumetrics.assessment._tables import assessment_table, comparison_table
from pumetrics.assessment._warnings import CAUTIONS
from pumetrics.assessment._words import assumed_in_words, priors_in_words
from pumetrics.checks import plan_checks, plan_comparison
from pumetrics.cli import app
from pumetrics.cli._output import show
from pumetrics.counts import count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.inference.answers import corrections
from pumetrics.inference.request import PriorEstimates, ask_of, labels_of
from pumetrics.inference.sample import Sample
from pumetrics.methods import estimate_score
from pumetrics.metrics import find_metric, measures_of
from pumetrics.priors import estimate_priors
from pumetrics.priors.calibration import calibrated_priors
from pumetrics.priors.interval import identifies
from pumetrics.priors.plateau import clean_p_value, even_p_value

pytestmark = pytest.mark.usefixtures("sketched")
QUICK = {"n_bootstrap": 20, "random_state": 0}


def codes(found):
    return {warning.code for warning in found.warnings}


def sample(seed, n_labeled=200, n_unlabeled=1000, *, alpha=0.3, distance=2.0, hidden=0.0):
    """Labels and scores; a share `hidden` of the positives scores like negatives."""
    s, scores, y = gaussian(seed, n_labeled, n_unlabeled, alpha=alpha, distance=distance)
    return s, scores - distance * y * (np.random.default_rng(seed + 1000).random(len(s)) < hidden)


def test_every_warning_is_shown_whole_on_terminal_and_page():
    every = []
    for code, template in CAUTIONS.items():
        names = {name: form for _, name, form, _ in Formatter().parse(template) if name}
        every.append(Caution(code, "<DE>", **{name: 0.25 if form else "x" for name, form in names.items()}))
    s, scores = sample(0)
    found = replace(assess(s, scores, alpha=0.3, n_bootstrap=0, metrics=["roc_auc"]), warnings=tuple(every))
    content, console = page(found, s, scores), Console(width=2000, record=True)
    with console.capture() as printed:
        show(console, found, None, None, explain=True)
    for warning in every:
        assert f"Warning: {warning}\n" in printed.get()
        assert f'<p class="warning">&lt;DE&gt;: {str(warning.of(None)).replace(chr(39), "&#39;")}.</p>' in content
        again = pickle.loads(pickle.dumps(warning))
        assert (again, again.code, again.values, again.about) == (warning, warning.code, warning.values, "<DE>")


def test_estimators_that_disagree_by_a_factor_are_doubted_at_small_alpha():
    s, scores = sample(0, 300, 5000, alpha=0.03, distance=1.55)
    found = assess(s, scores, **QUICK)
    assert {"estimators_disagree", "not_identified"} <= codes(found)
    assert not found.alpha_identified
    assert "alpha is not identified by these scores" in priors_in_words(found)
    assert f"at most {found.alpha_bound:.3f}" in " ".join(explained(found))
    assert found.alpha_interval[0] <= 0.03 <= found.alpha_interval[1]


@pytest.mark.parametrize("turned", [False, True], ids=["random", "reversed"])
def test_scores_that_tell_nothing_give_no_number(turned):
    s, scores = sample(0)
    useless = -scores if turned else np.random.default_rng(1).normal(size=len(s))
    found = assess(s, useless, **QUICK)
    assert not any(score.identified for score in found.scores)
    assert "not_separated" in codes(found)
    console = Console(width=200, record=True, file=None)
    with console.capture() as shown:
        console.print(assessment_table(found))
    assert shown.get().count("not identified") == len(found.scores)
    content = page(found, s, useless)
    assert "These scores do not identify how good this model is" in content
    assert "alpha is not identified by these scores" in content
    assert "With 95% confidence, this model" not in content


def test_an_alpha_that_is_given_is_told():
    s, scores = sample(0)
    found = assess(s, scores, alpha=0.3, **QUICK)
    assert found.alpha_identified
    assert all(score.identified for score in found.scores)
    assert found.uncertainty == "known"
    assert "alpha is taken as given" in explained(found)[0]


def test_wrong_labels_and_right_labels_of_hard_positives_get_the_same_warning():
    wrong = [sample(seed, 1000, 4000, distance=4.0, hidden=0.33) for seed in range(3)]
    assert all("noisy" in codes(assess(*each, alpha=0.3, n_bootstrap=0)) for each in wrong)
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 1, 0], [600, 600, 2000])
        scores = rng.normal(3.0 * y * (rng.random(y.size) > 0.3))  # 30 % of the positives score like negatives
        found.append(assess(np.repeat([1, 0], [600, 2600]), scores, alpha=600 / 2600, n_bootstrap=0))
    assert any("noisy" in codes(each) for each in found)


def test_clean_labels_at_random_raise_no_doubt_about_labels():
    found = [assess(*sample(seed, distance=2.5), alpha=0.3, n_bootstrap=0) for seed in range(20)]
    assert np.mean([bool({"biased", "noisy"} & codes(each)) for each in found]) <= 0.05


SHAPES = {
    "equal variances": lambda rng, y: rng.normal(2.0 * y),
    "far apart": lambda rng, y: rng.normal(3.0 * y),
    "close": lambda rng, y: rng.normal(1.2 * y),
    "wide positives": lambda rng, y: rng.normal(2.0 * y, np.where(y, 1.6, 1.0)),
    "narrow positives": lambda rng, y: rng.normal(2.0 * y, np.where(y, 0.6, 1.0)),
    "heavy tails": lambda rng, y: rng.standard_t(3, y.size) + 2.5 * y,
    "exponential": lambda rng, y: rng.exponential(np.where(y, 4.0, 1.0)),
    "two kinds of positives": lambda rng, y: rng.normal(np.where(y, rng.choice([1.0, 3.0], y.size, p=[0.3, 0.7]), 0)),
    "votes": lambda rng, y: np.round(rng.beta(np.where(y, 3.0, 1.0), np.where(y, 2.0, 6.0)), 2),
}


def looks_negative(seed, shape, *, wrong=0.0, n_labeled=None):
    """Whether labels of rare positives, of which a share is wrong, are doubted."""
    rng = np.random.default_rng((seed, 7))
    n, alpha = (int(np.exp(rng.uniform(*np.log(ends)))) for ends in ((1e3, 2e4), (5e5, 5e6)))
    n_labeled = n_labeled or int(np.exp(rng.uniform(np.log(30), np.log(n / 4))))
    labeled = SHAPES[shape](rng, np.arange(n_labeled) >= wrong * n_labeled)
    unlabeled = SHAPES[shape](rng, np.arange(n) < alpha / 1e8 * n)
    return even_p_value(labeled, unlabeled, alpha=alpha / 1e8) < 0.05 and clean_p_value(labeled, unlabeled) < 0.001


def test_clean_labels_of_rare_positives_are_not_said_to_look_negative():
    alarms = [looks_negative(seed, shape) for shape in SHAPES for seed in range(25)]
    assert np.mean(alarms) <= 0.01


@pytest.mark.parametrize(("shape", "wrong"), [("far apart", 0.2), ("votes", 0.33)])
def test_many_wrong_labels_are_seen_where_positives_stand_apart(shape, wrong):
    assert np.mean([looks_negative(seed, shape, wrong=wrong, n_labeled=2000) for seed in range(10)]) >= 0.7


@pytest.mark.parametrize("n_labeled", [1, 3, 5, 20])
@pytest.mark.parametrize("kind", [None, "guaranteed"])
def test_a_range_of_alpha_up_to_one_is_no_error_and_bounds_hold_areas_of_few_positives(n_labeled, kind):
    for seed in range(4):
        for n_unlabeled, alpha in ((5, 0.1), (20, 0.02), (100, 0.4)):
            s, scores = sample(seed, n_labeled, n_unlabeled, alpha=alpha, distance=4.0)
            found = assess(s, scores, uncertainty=kind, metrics=["roc_auc"], n_bootstrap=0)
            low, high = found.scores[0].bounds
            corrected = found.scores[0].corrected
            assert np.isnan(corrected) or low - 1e-9 <= corrected <= high + 1e-9


@pytest.mark.parametrize(("n_labeled", "n_bootstrap", "doubt"), [(200, 1, "few_resamples"), (8, 50, "no_interval")])
def test_too_little_gives_no_interval(n_labeled, n_bootstrap, doubt):
    s, scores = sample(0, n_labeled)
    found = assess(s, scores, alpha=0.3, n_bootstrap=n_bootstrap)
    assert all(score.interval is None for score in found.scores)
    assert doubt in codes(found)


def test_what_is_assumed_follows_what_was_asked():
    s, scores = sample(0)
    words = {kind: explained(assess(s, scores, uncertainty=kind, **QUICK))[0] for kind in ("sampling", "guaranteed")}
    assert "sampling error only" in words["sampling"]
    assert "guaranteed bound" in words["guaranteed"]
    noisy = assess(s, scores, beta=0.9, **QUICK)
    assert noisy.uncertainty == "sampling"
    assert noisy.alpha_bound is None
    assert "90.0% of the labeled examples are positive" in assumed_in_words(noisy)


def test_selections_are_shown_beside_the_score():
    s, scores = sample(0)
    found = assess(s, scores, alpha=0.3, selection=[1, 2, 4], metrics=["roc_auc"], **QUICK)
    (score,) = found.scores
    assert [entry[0] for entry in score.selected] == [2, 4]
    assert score.corrected > score.selected[0][1] > score.selected[1][1]
    alone = assess(s, scores, alpha=0.3, selection=2, metrics=["roc_auc"], **QUICK)
    assert alone.scores[0].corrected == score.selected[0][1]
    assert alone.scores[0].bounds is None
    assert "labeled 2 times as often" in assumed_in_words(alone)


def test_a_useless_second_model_does_not_change_the_first():
    s, scores = sample(0, distance=1.5)
    noise = np.random.default_rng(1).normal(size=len(s))
    alone = assess(s, scores, metrics=["roc_auc"], **QUICK)
    for pair in ((scores, noise), (noise, scores)):
        found = compare_scores(s, *pair, metrics=["roc_auc"], **QUICK)
        model = found.differences["roc_auc"][0 if pair[0] is scores else 1]
        assert model.estimate == pytest.approx(alone.scores[0].corrected)
        assert found.alpha == pytest.approx(alone.alpha)
        assert ("second" if pair[0] is noise else "first") in found.source


def test_the_command_says_how_sure_it_is(tmp_path):
    s, scores = sample(0)
    pd.DataFrame({"s": s, "score": scores}).to_csv(tmp_path / "scores.csv", index=False)
    runner = CliRunner(env={"COLUMNS": "200"})

    def run(*arguments):
        return runner.invoke(app, ["evaluate", str(tmp_path / "scores.csv"), "--bootstrap", "20", *arguments])

    shown = run("--selection", "1,2", "--explain")
    assert shown.exit_code == 0, shown.output
    for words in ("These numbers assume", "If labels are random, alpha is at most", "selection 2", "known alpha"):
        assert words in shown.output.replace("\n", " "), shown.output


# What these scores do not tell is shown nowhere as a number, and an estimate leans to neither side.


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


# Numbers that looked right and were not: each against a known truth, or against another way to the same number.


def command(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_a_page_of_labels_with_propensities_says_nothing_of_labels_at_random():
    s, score, _ = gaussian()
    propensity = 1 / (1 + np.exp(-score))
    result = assess(s, score, alpha=0.3, propensity=propensity, threshold=1.0, n_bootstrap=20)
    content = page(result, s, score)
    recall = next(each for each in result.scores if each.metric == "recall")
    assert f"{recall.corrected:.0%}" in content
    assert not re.search(r"it finds \d", content)
    assert "Precision-recall curve" not in content
    with pytest.raises(ValueError, match="random labels, but the assessment has propensities"):
        operating_point(result, s, score)


def test_the_best_accuracy_over_a_range_of_alpha_is_least_between_its_ends():
    s, y = np.repeat([1, 0], [50, 1000]), np.repeat([1, 1, 0], [50, 400, 600])
    score = np.random.default_rng(3).normal(0.5 * y)
    options = {"metrics": ["accuracy"], "n_bootstrap": 60}
    (whole,), (within,) = (assess(s, score, alpha=alpha, **options).scores for alpha in ((0.05, 0.95), 0.4))
    assert whole.interval[0] <= within.interval[0] + 0.01
    none = corrections_over((0.05, 0.95), s, score)
    assert none["accuracy"][0] < 0.65, "where nothing is resampled either"


def corrections_over(alpha, s, score):
    """Ranges of scores over alpha, without resamples."""
    sample = Sample(s, [score])
    labels, ask = labels_of(sample, alpha=alpha), ask_of(["accuracy"], population="all", n_bootstrap=0, least=0)
    found = corrections(sample, labels, ask, PriorEstimates(sample.counts[0]))
    return found.ranges


def test_commands_take_a_share_that_is_no_whole_number_of_rows(tmp_path):
    s, score, _ = gaussian(1, 73, 730)
    other = np.random.default_rng(1).normal(size=803)
    rows, one = tmp_path / "rows.csv", ["--label", "s"]
    pd.DataFrame({"s": s, "score": score, "other": other}).to_csv(rows, index=False)
    for arguments in (
        ["evaluate", rows, "--at", "1%", "--bootstrap", 10],
        ["evaluate", rows, "--metric", "precision_at_k", "--at", "5%", "--bootstrap", 10],
        ["audit", rows, "--for", "recall", "--at", "5%", "--budget", 60],
        ["audit", rows, "--score", "score", "--score", "other", "--at", "5%", "--budget", 30],
    ):
        done = command(*arguments, *one)
        assert done.exit_code == 0, (arguments, done.output)
    plan = plan_comparison(s, score, other, k="5%", budget=30, random_state=0)
    assert plan.strata.length == 40, "lists are of whole rows, and equally long"


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_whole_scores_that_double_precision_makes_equal_are_refused(kind):
    s, score, _ = gaussian(0, 20, 60)
    ranks = (np.argsort(np.argsort(score)) + 2**53).astype(kind)
    for call in (
        lambda scores: assess(s, scores, alpha=0.3, n_bootstrap=0),
        lambda scores: estimate_score("roc_auc", s, scores, alpha=0.3),
        lambda scores: plan_checks(s, scores, budget=30, metric="alpha"),
    ):
        with pytest.raises(ValueError, match=r"beyond 2\^53, of which .* would become equal"):
            call(ranks)
        call(ranks - 2**53)
        call((ranks - 2**53) * 2**54 if kind is object else ranks - 2**53)  # large, and still apart


def test_samples_that_are_swapped_or_labels_in_their_place_are_said_to_be():
    s, score, _ = gaussian(0, 300, 1000)
    labeled, unlabeled = score[s == 1], score[s == 0]
    assert estimate_priors(labeled, unlabeled).alpha == pytest.approx(0.3, abs=0.1)
    with pytest.raises(ValueError, match="labeled_scores are lower than unlabeled_scores"):
        estimate_priors(unlabeled, labeled)
    with pytest.raises(ValueError, match=r"needs the scores of both samples, \(y_score\[s == 1\]"):
        estimate_priors(s, score)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_of_whole_scores_that_would_become_equal_are_refused(tmp_path, ending):
    s, score, _ = gaussian(0, 20, 60)
    rows = pd.DataFrame({"s": s, "score": np.argsort(np.argsort(score)) + 2**53})
    path = tmp_path / f"rows.{ending}"
    rows.to_csv(path, index=False) if ending == "csv" else rows.to_parquet(path)
    with pytest.raises(ValueError, match=r"column 'score' of .* holds whole numbers beyond 2\^53"):
        read_scores(path)


def test_the_share_of_resamples_won_is_not_shown_as_a_p_value():
    s, score, _ = gaussian(0, 100, 400)
    other = score + np.random.default_rng(1).normal(size=500)
    comparison = compare_scores(s, score, other, alpha=0.3, metrics=["roc_auc"], n_bootstrap=20)
    assert comparison.winner == "first"
    console = Console(width=100)
    with console.capture() as printed:
        console.print(comparison_table(comparison))
    content = comparison_page([Contest("old", "new", s, score, other, comparison)])
    for text in (printed.get(), content):
        assert "better" in text
        assert not re.search(r"\bP\b", text)


def test_a_number_that_these_rows_cannot_hold_is_said_to_be_one():
    """The top tenth holds 32 rows, and there are 110 positives: no model finds 35 % of them there."""
    s, y = np.repeat([1, 0], [20, 300]), np.repeat([1, 1, 0], [20, 90, 210])
    told = 0
    for seed in range(8):
        score = np.random.default_rng(seed).normal(1.0 * y)
        found = assess(s, score, alpha=0.3, metrics=["recall_at_10%", "roc_auc"], n_bootstrap=0)
        lines = [line for line in found.warnings if "outside their bounds, so report the bounds" in line]
        outside = [each for each in found.scores if not each.bounds[0] <= each.corrected <= each.bounds[1]]
        assert bool(lines) == bool(outside)
        assert all(find_metric(each.metric).label in lines[0] for each in outside)
        told += bool(outside)
    assert 0 < told < 8


@pytest.mark.parametrize(("n_labeled", "said"), [(20, True), (60, False)])
def test_intervals_of_few_labeled_examples_say_so_next_to_the_number(n_labeled, said):
    s, score, _ = gaussian(0, n_labeled, 300)
    found = assess(s, score, alpha=0.3, metrics=["roc_auc", "f1"], n_bootstrap=20)
    assert all(("50 or more labeled" in each.assumes) == said for each in found.scores)
    assert any("contained the true value in 75 to 90% of simulated samples" in line for line in found.warnings) == said


def test_bounds_of_the_unlabeled_hold_what_is_true_of_the_unlabeled():
    """Many labeled and few hidden positives: of all rows little is open, of the unlabeled much."""
    held = dict.fromkeys(["roc_auc", "recall", "balanced_accuracy"], 0)
    for seed in range(20):
        s, score, y = gaussian(seed, 200, 300, alpha=0.05, distance=1.0)
        where = {"alpha": 0.05, "population": "unlabeled", "threshold": 1.0, "n_bootstrap": 0}
        counts = count_scores(y[s == 0], score[s == 0])
        truth = measures_of(counts, at=int(counts.at(1.0))) | {"roc_auc": roc_auc_score(y[s == 0], score[s == 0])}
        for each in assess(s, score, metrics=list(held), **where).scores:
            held[each.metric] += each.bounds[0] <= truth[each.metric] <= each.bounds[1]
    assert min(held.values()) >= 18, held
