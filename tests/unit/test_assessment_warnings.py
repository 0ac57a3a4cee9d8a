"""Warnings that are due when alpha is unknown, labels are selected or look wrong, and scores tell nothing."""

import json
import pickle
from dataclasses import replace
from string import Formatter

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from samples import gaussian
from typer.testing import CliRunner

from pumetrics.assessment import (
    Caution,
    assess,
    assessment_table,
    assumed_in_words,
    compare_scores,
    explained,
    page,
    priors_in_words,
)
from pumetrics.assessment._cautions import CAUTIONS
from pumetrics.cli import app
from pumetrics.cli._output import show_notes
from pumetrics.priors.plateau import clean_p_value, even_p_value

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
        show_notes(console, found, None, None, ["all"])
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
    assert f"at most {found.alpha_bound:.3f}" in explained(found)[-1]
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
    assert "not identified" in page(found, s, useless)


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


@pytest.mark.parametrize(
    ("n_labeled", "n_bootstrap", "doubt"),
    [(200, 1, "few_resamples"), (8, 50, "no_interval")],
)
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
    fields = json.loads(run("--uncertainty", "guaranteed", "--json").stdout)
    assert fields["uncertainty"] == "guaranteed"
    assert fields["alpha_interval"][0] == 0
