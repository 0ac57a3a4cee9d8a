"""Two models compared: symmetries, one labeling mechanism for both, and what the scores do not tell is not shown."""

import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

from pumetrics.assessment import (
    Assessment,
    Caution,
    Contest,
    assess,
    assess_by,
    compare_scores,
    comparison_page,
    paper_paragraph,
)
from pumetrics.assessment._page import _shown
from pumetrics.assessment._tables import comparison_table
from pumetrics.assessment._words import assumed_in_words, verdict_sentence
from pumetrics.cli import app
from pumetrics.cli._output import json_text
from pumetrics.counts import count_scores
from pumetrics.inference.designs import design_of
from pumetrics.inference.sample import Sample
from pumetrics.inference.selection import exchanged, rank_propensity, reweighted

pytestmark = pytest.mark.usefixtures("sketched")
QUICK = {"metrics": ["roc_auc", "f1", "precision_at_10%"], "n_bootstrap": 12}
KNOWN = {"alpha": 0.25, **QUICK}


def models(seed=0, *, noise=1.0):
    """Labels at random, the scores of a model and those of a noisier one, and propensities that say nothing."""
    rng = np.random.default_rng(seed)
    y, s = np.repeat([1, 1, 0], [80, 80, 240]), np.repeat([1, 0], [80, 320])
    first = rng.normal(2.0 * y)
    return s, first, first + noise * rng.normal(size=400), rng.choice([1.0, 2.0, 5.0], size=400)


def visible(seed, n=3000):
    """Labels by a known propensity; the first model finds visible positives, the second is better over all of them."""
    rng = np.random.default_rng(seed)
    y, propensity = (rng.random(n) < 0.3).astype(int), rng.choice([0.1, 0.2, 0.4, 0.8], size=n)
    first = rng.normal(y * (1.6 + 2.5 * (np.log2(propensity / 0.1) / 3 - 0.5)))
    second = rng.normal(2.0 * y)
    return y, (y * (rng.random(n) < propensity)).astype(int), first, second, propensity


def plain(comparison):
    return json.loads(json.dumps(comparison.as_dict()))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": (0.2, 0.3)},
        {"alpha": 0.25},
        {"alpha": 0.25, "selection": 3.0},
        {"alpha": 0.25, "propensity": "column"},
    ],
)
def test_models_that_are_swapped_have_the_opposite_difference(options):
    s, first, second, column = models()
    options = {**options, **({"propensity": column} if "propensity" in options else {})}
    there, back = (compare_scores(s, *pair, **QUICK, **options) for pair in ((first, second), (second, first)))
    sides = {"first": "second", "second": "first", None: None}
    assert (there.winner, there.selected_by) == (sides[back.winner], sides[back.selected_by])
    for one, other in zip(there.differences.values(), back.differences.values(), strict=True):
        gap, turned = one.difference, other.difference
        assert (gap.estimate, gap.lower, gap.upper) == pytest.approx(
            (-turned.estimate, -turned.upper, -turned.lower), abs=1e-12
        )
        assert one.first == other.second
        assert one.probability == pytest.approx(1 - other.probability)


@pytest.mark.parametrize("options", [{}, {"selection": 4.0}])
def test_a_model_is_not_told_apart_from_itself(options):
    s, score, _, _ = models()
    found = compare_scores(s, score, score, **KNOWN, **options)
    assert found.winner is None
    for each in found.differences.values():
        assert each.difference[:3] == (0, 0, 0)
        assert each.probability == 0.5


@pytest.mark.parametrize("options", [{"selection": 1.0}, {"propensity": np.full(400, 0.3)}])
def test_no_selection_and_equal_propensities_are_none(options):
    s, first, second, _ = models()
    assert plain(compare_scores(s, first, second, **KNOWN, **options)) == plain(
        compare_scores(s, first, second, **KNOWN)
    )
    assert assess(s, first, **KNOWN, **options).as_dict() == assess(s, first, **KNOWN).as_dict()


@pytest.mark.parametrize("options", [{}, {"selection": 4.0}, {"propensity": "column"}])
def test_unit_and_shift_of_scores_and_of_propensities_change_nothing(options):
    s, first, second, column = models()
    given, scaled = (
        {**options, **({"propensity": unit * column} if "propensity" in options else {})} for unit in (1, 8)
    )
    there = compare_scores(s, first, second, **KNOWN, **given)
    moved = compare_scores(s, 4 * first + 1, second / 2, **KNOWN, **scaled)
    assert (moved.differences, moved.orders) == (there.differences, there.orders)


def test_the_selecting_model_is_corrected_as_if_alone_and_the_other_with_the_same_weights():
    s, first, second, _ = models()
    both = compare_scores(s, first, second, selection=4.0, selected_by="first", **KNOWN)
    alone = assess(s, first, selection=4.0, **KNOWN)
    for score in alone.scores:
        assert both.differences[score.metric].first.estimate == pytest.approx(score.corrected, abs=1e-9)
    column = compare_scores(s, first, second, propensity=rank_propensity(s, first, 4.0), **KNOWN)
    assert column.differences == both.differences
    assert "the highest score, by the first model's scores, is labeled 4 times as often" in assumed_in_words(both)
    assert compare_scores(s, second, first, selection=4.0, **KNOWN).selected_by == "second", "it separates best"


def test_a_rank_is_a_propensity():
    """Weights by rank, from a column or from counts, exchange the same counts: one mechanism, one function."""
    s, score, _, _ = models()
    score = score.round(1)
    counts = count_scores(s, score)
    design = design_of(s, propensity=rank_propensity(s, score, 4.0))
    of_rows = Sample(s, [score], design).full[0].folds[0]
    of_counts = reweighted(counts, 4.0, alpha=0.25)
    np.testing.assert_allclose(of_rows.labeled, of_counts.labeled)
    np.testing.assert_allclose(of_rows.unlabeled, of_counts.unlabeled)


def test_exchanging_undoes_labels_by_a_known_propensity():
    """Shares of all positives and of a sample with labels at random come back, from 60,000 rows."""
    y, s, score, _, propensity = visible(0, n=60_000)
    counts, truth = count_scores(s, score), count_scores(y, score)
    assert exchanged(counts, counts.labeled).unlabeled == pytest.approx(counts.unlabeled)
    weighted = np.cumsum(np.bincount(counts.at(score), weights=s / propensity, minlength=len(counts.thresholds)))
    back = exchanged(counts, weighted)
    assert np.abs(back.tpr_pu - truth.tpr_pu).max() < 0.03 < np.abs(counts.tpr_pu - truth.tpr_pu).max()
    alpha = y[s == 0].mean()
    np.testing.assert_allclose(back.fpr_pu, alpha * truth.tpr_pu + (1 - alpha) * truth.fpr_pu, atol=0.01)
    np.testing.assert_allclose(back.predicted, counts.predicted, atol=0.002 * counts.n)


def test_labels_that_depend_on_a_column_rank_models_the_wrong_way_unless_it_is_named():
    held, plain_is_wrong = [], []
    for seed in range(6):
        y, s, first, second, propensity = visible(seed)
        truth = [roc_auc_score(y, score) for score in (first, second)]
        top = [y[np.argsort(-score)[:600]].mean() for score in (first, second)]
        options = {"alpha": y[s == 0].mean(), "metrics": ["roc_auc", "precision_at_20%"], "n_bootstrap": 20}
        found = compare_scores(s, first, second, propensity=propensity, **options).differences
        for name, values in (("roc_auc", truth), ("precision_at_20%", top)):
            held += [each.lower <= value <= each.upper for each, value in zip(found[name], values, strict=False)]
        assert found["roc_auc"].difference.estimate < 0, "the second is better"
        wrong = compare_scores(s, first, second, **options).differences["roc_auc"]
        plain_is_wrong.append(wrong.first.lower > truth[0] and wrong.difference.estimate > 0)
    assert np.mean(held) >= 0.8
    assert np.mean(plain_is_wrong) >= 0.6


def test_a_selection_by_one_model_does_not_hold_for_the_other_by_its_own_scores():
    """The first model's scores selected the labels; corrected each for itself, the better second falls behind."""
    errors, apart = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 0], [1000, 2000])
        first, second = rng.normal(1.5 * y), rng.normal(1.8 * y)
        rank = first[:1000].argsort().argsort() / 1000
        s = np.append(rng.random(1000) < 0.4 * 8.0 ** (rank - 1), np.zeros(2000)).astype(int)
        options = {"alpha": y[s == 0].mean(), "metrics": ["roc_auc"]}
        found = compare_scores(s, first, second, selection=8.0, selected_by="first", n_bootstrap=1, **options)
        truth = roc_auc_score(y, first) - roc_auc_score(y, second)
        errors.append(found.differences["roc_auc"].difference.estimate - truth)
        alone = [assess(s, each, selection=8.0, n_bootstrap=0, **options) for each in (first, second)]
        apart.append(alone[0].scores[0].corrected - alone[1].scores[0].corrected)
        assert truth < 0 < apart[-1]
    assert abs(np.mean(errors)) < 0.03
    assert min(np.array(apart) - truth) > 0.1


def test_a_comparison_says_what_the_scores_do_not_tell():
    """Rare positives, few labels and no alpha: points are null in JSON and words in table and page, intervals stay."""
    rng = np.random.default_rng(3)
    y = (rng.random(4000) < 0.03).astype(int)
    s = (y * (rng.random(4000) < 0.3)).astype(int)
    first = rng.normal(1.2 * y)
    contest = Contest("old", "new", s, first, first + rng.normal(size=4000), None)
    scores = contest.first_score, contest.second_score
    found = compare_scores(s, *scores, metrics=["roc_auc", "precision_at_40"], n_bootstrap=30)
    assert not found.alpha_identified
    assert "not_identified" in [warning.code for warning in found.warnings]
    fields = json.loads(json_text([found.as_dict()]))
    assert (fields["alpha"], fields["alpha_identified"], fields["headline"]) == (None, False, "roc_auc")
    top = fields["metrics"]["precision_at_40"]
    assert (top["first"]["estimate"], top["first"]["identified"], top["first"]["alpha"]) == (None, False, None)
    assert top["first"]["upper"] - top["first"]["lower"] >= 0.6
    assert fields["metrics"]["roc_auc"]["difference"]["identified"]
    console = Console(width=100)
    with console.capture() as printed:
        console.print(comparison_table(found))
    text = printed.get()
    page = comparison_page([Contest("old", "new", s, *scores, found)])
    interval = found.differences["precision_at_40"].first
    for shown, point in ((text, f" {interval.estimate:.3f} "), (page, f"<b>{interval.estimate:.3f}</b>")):
        assert "identified" in shown
        assert point not in shown
        assert f"{interval.upper:.3f}" in shown


@pytest.mark.parametrize(("n", "n_bootstrap"), [(8, 40), (80, 9)])
def test_no_model_is_called_better_by_an_interval_of_next_to_nothing(n, n_bootstrap):
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [n, 300])
    found = compare_scores(s, s + 0.1 * rng.random(n + 300), rng.random(n + 300), alpha=0.1, n_bootstrap=n_bootstrap)
    assert found.differences["roc_auc"].difference.lower > 0
    assert found.winner is None
    assert "no_verdict" in [warning.code for warning in found.warnings]


def test_nothing_is_told_where_no_model_separates_labeled_from_unlabeled():
    rng = np.random.default_rng(1)
    s = np.repeat([1, 0], [100, 400])
    found = compare_scores(s, rng.random(500), rng.random(500), metrics=["roc_auc"], n_bootstrap=20)
    assert found.identified == {"roc_auc": (False, False, False)}
    assert (found.winner, found.alpha_identified) == (None, False)


def test_a_column_that_may_explain_the_labels_is_named():
    _, s, score, _, propensity = visible(0)
    options = {"alpha": 0.2, "metrics": ["roc_auc"], "n_bootstrap": 0}
    (warning,) = assess_by(s, score, propensity, **options).warnings
    assert warning.code == "groups_differ"
    assert assess_by(s, score, propensity, propensity=propensity, **options).warnings == ()
    assert assess_by(s, score, np.where(np.arange(len(s)) % 50, "rest", np.arange(len(s))), **options).warnings == ()
    alarms = 0
    for seed in range(20):
        groups = np.random.default_rng(seed).integers(3, size=len(s))
        alarms += bool(assess_by(s[:300], score[:300], groups[:300], **options).warnings)
    assert alarms <= 2, "the binomial of 20 at .01 is larger in 0.1%"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"propensity": np.geomspace(1e-300, 1, 400)}, "not be below 1e-09 of its largest value in a labeled row"),
        ({"propensity": [0.5] * 399}, "lengths differ"),
        ({"selection": 2, "selected_by": "best"}, "selected_by must be 'first', 'second' or None, got 'best'"),
        ({"selected_by": "first"}, "selected_by needs a selection other than 1"),
    ],
)
def test_bad_propensities_and_who_selected_are_named(options, message):
    s, first, second, _ = models()
    with pytest.raises(ValueError, match=message):
        compare_scores(s, first, second, **KNOWN, **options)


def test_propensities_that_cannot_be_are_called_impossible():
    s, first, _, _ = models()
    found = assess(s, first, alpha=0.05, propensity=np.where(np.arange(400) % 2, 1.0, 30.0), n_bootstrap=0)
    assert "impossible_propensity" in [warning.code for warning in found.warnings]
    assert "weighted by 1 / propensity" in paper_paragraph(found)
    assert found.scores[0].assumes == "propensity, alpha"


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    s, first, second, column = models()
    table = pd.DataFrame({"s": s, "score": first, "other": second, "visits": column})
    table.to_csv("rows.csv", index=False)
    return table


def run(*arguments):
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(argument) for argument in arguments])


ONE = ["evaluate", "rows.csv", "--alpha", 0.25, "--bootstrap", 12, "--metric", "roc_auc"]


def test_a_command_names_the_column_that_may_explain_the_labels(rows):
    rows.assign(visits=rows["visits"] + rows["s"]).to_csv("rows.csv", index=False)
    for arguments, named in (([], True), (["--propensity", "visits"], False)):
        told = json.loads(run(*ONE, "--by", "visits", *arguments, "--json").stdout)["warnings"]
        assert any(line.startswith("visits: the labeled share differs") for line in told) == named


# Several models on one page have one verdict; an assessment shows itself as a table, a picture, JSON and HTML.


def duel(seed=0, *, spoiled=1.0, names=("forest", "svm"), metrics=("roc_auc", "f1"), swap=False):
    """A model, and the same with noise added to its scores."""
    rng = np.random.default_rng(seed)
    y, s = np.repeat([1, 1, 0], [200, 300, 700]), np.repeat([1, 0], [200, 1000])
    first = rng.normal(2.0 * y)
    second = first + spoiled * rng.normal(size=len(y))
    if swap:
        first, second = second, first
    comparison = compare_scores(s, first, second, alpha=0.3, metrics=list(metrics), n_bootstrap=50)
    return Contest(*names, s, first, second, comparison)


@pytest.fixture(scope="module")
def contest():
    return duel()


@pytest.fixture(scope="module")
def content(contest):
    return comparison_page([contest], files=[{"name": "scores.csv", "sha256": "ab" * 32}], date="2026-03-01")


def test_the_better_model_is_named_whichever_comes_first(contest):
    for each, winner, loser in ((contest, "forest", "svm"), (duel(swap=True), "svm", "forest")):
        assert each.winner == winner
        words = verdict_sentence([each])
        assert words.startswith(f"With 95% confidence, {winner} is better than {loser}: its AUC is higher by 0.")
        assert "The order does not depend on alpha" in words
        low, high = map(float, re.search(r"higher by (\S+) to (\S+)\.", words).groups())
        gap = each.comparison.differences["roc_auc"].difference
        assert (low, high) == pytest.approx(sorted([abs(gap.lower), abs(gap.upper)]), abs=0.0006)


def test_what_is_open_stays_open():
    same = duel(spoiled=1e-3)
    assert same.winner is None
    words = verdict_sentence([same])
    assert words.startswith("These scores do not show whether forest or svm is better")
    assert "better than" not in words


def test_one_metric_fixed_in_advance_decides(contest):
    """Another that differs changes neither the sentence nor the winner, and has neither P nor a verdict."""
    auc, f1 = contest.comparison.differences.values()
    turned = f1._replace(difference=f1.difference._replace(lower=-0.2, upper=-0.1))
    torn = dataclasses.replace(contest.comparison, differences={"roc_auc": auc, "f1": turned})
    assert verdict_sentence([dataclasses.replace(contest, comparison=torn)]) == verdict_sentence([contest])
    metrics = torn.as_dict()["metrics"]
    assert metrics["roc_auc"]["probability_first_better"] == auc.probability
    assert metrics["f1"]["probability_first_better"] is None
    other = duel(metrics=("f1", "roc_auc"))
    assert (contest.comparison.headline, other.comparison.headline) == ("roc_auc", "f1")
    assert "its best F1 is higher by" in verdict_sentence([other])


@pytest.mark.slow
def test_exchangeable_models_are_told_apart_as_rarely_as_promised():
    """Two models of one quality: with 95% confidence the sentence names a winner in 5%, whatever else is asked for."""
    named = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y, s = np.repeat([1, 1, 0], [60, 60, 180]), np.repeat([1, 0], [60, 240])
        pair = 1.5 * y + rng.normal(size=(2, 300))
        options = {"alpha": 0.25, "metrics": ["roc_auc", "accuracy", "f1", "average_precision"], "n_bootstrap": 60}
        named += compare_scores(s, *pair, **options).winner is not None
    assert named <= 5, "the binomial of 40 at .05 is larger in 1.4%"


def test_three_models_get_one_sentence_against_the_first(contest):
    third = duel(spoiled=1e-3, names=("forest", "rules"))
    words = verdict_sentence([contest, third])
    verdicts = "svm is worse; rules cannot be distinguished"
    assert words == f"With 95% confidence in each pair, against forest, by AUC: {verdicts}."
    page = comparison_page([contest, third])
    for name in ("forest against svm", "forest against rules"):
        assert name in page
    assert page.count('class="swatch"') == 2 * 2 + 3 + 1  # heads, points, and the better model
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_no_model_is_an_error():
    with pytest.raises(ValueError, match="at least one pair"):
        comparison_page([])


def test_the_page_shows_the_numbers_of_the_comparison(contest, content):
    for difference in contest.comparison.differences.values():
        for interval in (difference.first, difference.second):
            assert f"{interval.estimate:.3f}" in content
            assert f"{interval.lower:.3f} to {interval.upper:.3f}" in content
        assert f"{difference.difference.estimate:+.3f}" in content
    order = ['class="lead"', "The numbers", "At a threshold", "Pictures", "Warnings", "What the words"]
    places = [content.index(words) for words in order]
    assert places == sorted(places)
    assert content.count("data:image/svg+xml;base64,") == 4
    for words in ("2026-03-01", "scores.csv", "ab" * 32, verdict_sentence([contest]).replace("'", "&#39;")):
        assert words in content
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*["']""", content)


def test_long_names_are_shortened_unless_they_could_be_confused():
    long, other = "a" * 20 + "_of_spring_" + "b" * 20, "a" * 20 + "_of_autumn_" + "b" * 20
    assert _shown(["svm", long]) == {"svm": "svm", long: "a" * 14 + "…" + "b" * 14}
    assert _shown([long, other]) == {long: long, other: other}


def test_names_cannot_inject_markup():
    assert "<img onerror" not in comparison_page([duel(names=("<img onerror=x>", "b"), metrics=["roc_auc"])])


@pytest.fixture(scope="module")
def assessment(contest):
    return assess(contest.s, contest.first_score, alpha=0.3, selection=(1, 2), n_bootstrap=20)


def test_an_assessment_is_still_a_frozen_dataclass(assessment):
    assert dataclasses.is_dataclass(Assessment)
    with pytest.raises(dataclasses.FrozenInstanceError):
        assessment.alpha = 0.5
    assert dataclasses.replace(assessment, alpha=0.4).alpha == 0.4


def test_the_table_holds_every_number(assessment):
    table = assessment.to_frame()
    assert len(table) == 2 * len(assessment.scores)
    main = table[table["selection"] == 1].set_index("metric")
    for score in assessment.scores:
        row = main.loc[score.metric]
        assert (row["corrected"], row["uncorrected"]) == (score.corrected, score.uncorrected)
        assert (row["lower"], row["upper"]) == score.interval
        assert (row["lower_bound"], row["upper_bound"]) == score.bounds
    assert table[table["selection"] == 2]["lower_bound"].isna().all()


def test_without_intervals_the_table_has_none(contest):
    plain = assess(contest.s, contest.first_score, alpha=0.3, n_bootstrap=0)
    assert plain.to_frame()["lower"].isna().all()
    assert "95% interval" not in plain._repr_html_()


def test_json_comes_back_as_it_was(assessment):
    back = json.loads(assessment.to_json())
    assert back == json.loads(json.dumps(assessment.as_dict()))
    assert [score["corrected"] for score in back["scores"]] == [score.corrected for score in assessment.scores]
    assert "\n" not in assessment.to_json(indent=None)
    odd = dataclasses.replace(assessment, threshold=float("inf"), alpha_bound=float("nan"))
    assert (json.loads(odd.to_json())["threshold"], json.loads(odd.to_json())["alpha_bound"]) == (None, None)


def test_a_notebook_shows_the_sentence_the_numbers_and_the_warnings(assessment):
    warning = Caution("few_unlabeled", "<DE>", n=3)
    html = dataclasses.replace(assessment, warnings=(warning,))._repr_html_()
    assert "With 95% confidence, this model&#39;s AUC is between" in html
    for score in assessment.scores:
        assert f"{score.corrected:.3f}" in html
        assert f"{score.interval[0]:.3f} to {score.interval[1]:.3f}" in html
    assert f"&lt;DE&gt;: {warning.of(None)}." in html
    assert html.count("<div") == html.count("</div")


def test_the_picture_shows_every_metric_where_it_is(assessment):
    import matplotlib.pyplot as plt

    ax = assessment.plot()
    assert [text.get_text() for text in ax.get_yticklabels()][:2] == ["AUC", "AUC-PR"]
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert dots == [score.corrected for score in assessment.scores]
    ax.figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert legend.y1 < ax.get_window_extent().y0
    assert legend.x1 <= ax.figure.bbox.x1
    other = plt.figure().add_subplot()
    assert assessment.plot(other) is other
