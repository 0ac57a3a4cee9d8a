"""Two models compared: symmetries, one verdict that claims no more than the intervals do; an assessment as shown."""

import dataclasses
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from samples import gaussian

from pumetrics import metrics
from pumetrics.assessment import (
    Caution,
    Contest,
    assess,
    compare_scores,
    comparison_page,
    explained,
)
from pumetrics.assessment._tables import compared_cells, comparison_table
from pumetrics.assessment._words import priors_in_words, verdict_sentence
from pumetrics.cli.output import json_text

pytestmark = pytest.mark.usefixtures("sketched")
QUICK = {"metrics": ["roc_auc", "f1", "precision_at_10%"], "n_bootstrap": 12}


def models(seed=0, *, noise=1.0, distance=2.0):
    """Labels at random, the scores of a model and those of a noisier one."""
    s, first, _ = gaussian(seed, 80, 320, alpha=0.25, distance=distance)
    return s, first, first + noise * np.random.default_rng(seed + 1).normal(size=400)


def known(found, metric):
    """Whether a metric of the first model, of the second, and their difference are identified."""
    return tuple(estimate is not None for estimate, _ in found.shown(metric).values())


def codes(found):
    return [warning.code for warning in found.warnings]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"threshold": 1.0, "at": (50,)}, {"alpha": (0.2, 0.3)}, {"alpha": 0.25}]
)
def test_models_that_are_swapped_have_the_opposite_difference(options):
    s, first, second = models()
    there, back = (
        compare_scores(s, *pair, **QUICK, **options) for pair in ((first, second), (second, first))
    )
    assert there.winner == {"first": "second", "second": "first", None: None}[back.winner]
    for one, other in zip(there.differences.values(), back.differences.values(), strict=True):
        turned = -other.estimate, -other.upper, -other.lower, 1 - other.probability
        assert one == pytest.approx(turned, abs=1e-12)
    for one, other in zip(there.first.scores, back.second.scores, strict=True):
        assert one.interval == pytest.approx(other.interval, abs=1e-12)
        assert one.corrected == pytest.approx(other.corrected, abs=1e-12, nan_ok=True)


def test_clusters_in_which_one_model_is_constant_are_as_few_whichever_comes_first():
    rng, sizes = np.random.default_rng(0), np.array([60] + [4] * 11)
    cluster = np.repeat(np.arange(12), 5 * sizes)
    s = np.concatenate([np.arange(5 * size) < size for size in sizes]).astype(int)
    y = (s == 1) | (rng.random(len(s)) < 0.1)
    alike, apart = rng.normal(size=12)[cluster], rng.normal(3.0 * y)
    options = {"alpha": 0.1, "cluster": cluster, "metrics": ["roc_auc"], "n_bootstrap": 20}
    there, back = (compare_scores(s, *pair, **options) for pair in ((alike, apart), (apart, alike)))
    for found in (there, back):
        assert (found.first.design["effective_labeled"], found.winner) == (8, None)
        assert not any(known(found, "roc_auc"))
    assert there.first.design == back.first.design
    turned = {None: None, "first model": "second model", "second model": "first model"}
    assert {(each.code, each.about) for each in there.warnings} == {
        (each.code, turned[each.about]) for each in back.warnings
    }


def test_a_model_is_not_distinguished_from_itself():
    s, score, _ = models()
    found = compare_scores(s, score, score, alpha=0.25, **QUICK)
    assert found.winner is None
    for each in found.differences.values():
        assert (each.estimate, each.probability) == (0, 0.5)
        assert each.lower == pytest.approx(-each.upper, abs=1e-12)


@pytest.mark.parametrize("design", [{}, {"sample_weight": 0.5}, {"cluster": 3}])
def test_each_model_has_the_numbers_of_its_own_assessment(design):
    s, first, second = models()
    given = {
        name: np.random.default_rng(0).permutation(400) // 3 + each for name, each in design.items()
    }
    found = compare_scores(s, first, second, alpha=0.25, **QUICK, **given)
    alone = [assess(s, score, alpha=0.25, **QUICK, **given) for score in (first, second)]
    for model, each in zip((found.first, found.second), alone, strict=True):
        assert model.scores == each.scores
    for name in ("effective_labeled", "effective_unlabeled") if design else ():
        assert found.first.design[name] == min(each.design[name] for each in alone)


def test_a_useless_second_model_does_not_change_the_first():
    s, score, _ = models(distance=1.5)
    noise = np.random.default_rng(1).normal(size=len(s))
    options = {"metrics": ["roc_auc"], "n_bootstrap": 20}
    alone = assess(s, score, **options)
    for pair in ((score, noise), (noise, score)):
        found = compare_scores(s, *pair, **options)
        model = found.first if pair[0] is score else found.second
        assert model.scores[0].corrected == pytest.approx(alone.scores[0].corrected)
        assert model.alpha == pytest.approx(alone.alpha)
        assert ("second" if pair[0] is noise else "first") in model.source


# Which is ahead at every alpha


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(0, 2))
def test_alpha_never_turns_the_order_of_balanced_accuracy_and_correlation(seed, digits):
    """Both are corrected by a factor that does not know the model (Ramola et al. 2019, Theorem 2.1)."""
    s, score, _ = gaussian(seed, 10, 40, digits=digits)
    other = score + np.random.default_rng(seed).normal(size=50)
    found = compare_scores(
        s, score, other, alpha=0.1, metrics=["balanced_accuracy", "mcc"], n_bootstrap=1
    )
    assert found.orders["balanced_accuracy"].changes == ()
    assert found.orders["mcc"].changes == ()


def test_where_the_order_turns_both_models_are_equal():
    """One model finds few positives surely, the other nearly all with false alarms: alpha says who is more accurate."""
    s = np.repeat([1, 0], [100, 400])
    sure, broad = np.zeros(500), np.zeros(500)
    sure[:50], sure[100:164] = 1, 1
    broad[:95], broad[100:284] = 1, 1
    found = compare_scores(
        s, sure, broad, alpha=0.1, metrics=["accuracy"], threshold=0.5, n_bootstrap=1
    )
    order = found.orders["accuracy"]
    (turn,) = order.changes
    both = [
        metrics.pu_accuracy_score(s, (model > 0.5).astype(int), alpha=turn, clip=False)
        for model in (sure, broad)
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-3)
    assert 0 < turn < found.most_alpha
    assert order.first_ahead + order.second_ahead == pytest.approx(1)


# What speaks against it


def test_a_comparison_says_what_is_wrong_and_of_whose_scores():
    s, score, y = gaussian(0, 30, 600)
    options = {"metrics": ["f1"], "n_bootstrap": 5}
    known = compare_scores(s, score, -score, alpha=0.3, **options)
    said = [(warning.code, warning.about) for warning in known.warnings]
    assert ("few_labeled", None) in said
    assert ("reversed", "second model") in said
    noise = y + np.random.default_rng(0).normal(scale=5, size=len(y))
    assert "models_disagree" in codes(
        compare_scores(s, score, noise, method="elkan_noto_e3", **options)
    )
    many, score, _ = gaussian(0, 150, 600)
    with pytest.raises(
        ValueError,
        match=r"second_score is NaN in 1 of 750 rows \(1 labeled.*position 3: give unscored='lowest'",
    ):
        compare_scores(many, score, np.where(np.arange(len(score)) == 3, np.nan, score))
    same = compare_scores(many, score, score, alpha=0.65, **options)
    assert "biased" in codes(same)
    assert (same.orders["f1"], same.most_alpha) == ((0, 0, ()), 0.65)


def test_a_comparison_says_what_the_scores_do_not_identify():
    """Rare positives, few labels and no alpha: points are null in JSON and words in table and page, intervals stay."""
    rng = np.random.default_rng(3)
    y = (rng.random(4000) < 0.03).astype(int)
    s = (y * (rng.random(4000) < 0.3)).astype(int)
    first = rng.normal(1.2 * y)
    scores = first, first + rng.normal(size=4000)
    found = compare_scores(s, *scores, metrics=["roc_auc", "precision_at_40"], n_bootstrap=30)
    assert not found.first.alpha_identified
    assert "not_identified" in codes(found)
    fields = json.loads(json_text([found.as_dict()]))
    assert (fields["alpha"], fields["alpha_identified"], fields["headline"]) == (
        None,
        False,
        "roc_auc",
    )
    top = fields["metrics"]["precision_at_40"]
    assert (top["first"]["estimate"], top["first"]["identified"], top["first"]["alpha"]) == (
        None,
        False,
        None,
    )
    assert top["first"]["upper"] - top["first"]["lower"] >= 0.6
    assert fields["metrics"]["roc_auc"]["difference"]["identified"]
    console = Console(width=100)
    with console.capture() as printed:
        console.print(comparison_table(found))
    page = comparison_page([Contest("old", "new", s, *scores, found)])
    _, upper = found.first.scores[1].interval
    for shown in (printed.get(), page):
        assert "identified" in shown
        assert f"{upper:.3f}" in shown
        assert not re.search(r"\bP\b", shown), "the share of resamples won is no P value"


@pytest.mark.parametrize(("n", "n_bootstrap"), [(8, 40), (80, 9)])
def test_no_model_is_called_better_by_an_interval_of_next_to_nothing(n, n_bootstrap):
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [n, 300])
    found = compare_scores(
        s, s + 0.1 * rng.random(n + 300), rng.random(n + 300), alpha=0.1, n_bootstrap=n_bootstrap
    )
    assert found.differences["roc_auc"].lower > 0
    assert found.winner is None
    assert known(found, "roc_auc") == (n == 80,) * 3
    assert "no_verdict" in codes(found)


@pytest.mark.parametrize("options", [{"alpha": 0.25}, {"alpha": (0.05, 0.6)}, {}])
@pytest.mark.parametrize(("n", "n_bootstrap"), [(80, 3), (6, 20)])
def test_a_comparison_has_intervals_and_numbers_only_where_an_assessment_has(
    n, n_bootstrap, options
):
    s, first, second = (each[80 - n :] for each in models())
    options = options | {"metrics": ["roc_auc", "f1"], "n_bootstrap": n_bootstrap}
    found = compare_scores(s, first, second, **options)
    assert found.first.n_resamples == 0
    fields = found.as_dict()["metrics"]
    alone = assess(s, first, **options)
    for score in alone.scores:
        assert score.interval is None
        assert [
            fields[score.metric][part]["lower"] for part in ("first", "second", "difference")
        ] == [None] * 3
        *models_are, difference_is = known(found, score.metric)
        assert models_are[0] == score.identified
        assert difference_is == all(models_are)
    assert known(found, "roc_auc") == (n == 80,) * 3
    assert fields["roc_auc"]["probability_first_better"] is None
    cells = [cell for row in compared_cells(found).rows for cell in row[1:4]]
    assert not any(cell.within for cell in cells)
    assert not any("interval. Difference" in sentence for sentence in explained(found))


def test_nothing_is_identified_where_no_model_separates_labeled_from_unlabeled():
    rng = np.random.default_rng(1)
    s = np.repeat([1, 0], [100, 400])
    found = compare_scores(s, rng.random(500), rng.random(500), metrics=["roc_auc"], n_bootstrap=20)
    assert not any(known(found, "roc_auc"))
    assert (found.winner, found.first.alpha_identified) == (None, False)


# Several models on one page have one verdict


def duel(seed=0, *, spoiled=1.0, names=("forest", "svm"), metrics=("roc_auc", "f1"), swap=False):
    """A model, and the same with noise added to its scores."""
    s, first, _ = gaussian(seed, 200, 1000)
    second = first + spoiled * np.random.default_rng(seed + 1).normal(size=len(s))
    if swap:
        first, second = second, first
    comparison = compare_scores(s, first, second, alpha=0.3, metrics=list(metrics), n_bootstrap=50)
    return Contest(*names, s, first, second, comparison)


@pytest.fixture(scope="module")
def contest():
    return duel()


def test_one_metric_fixed_in_advance_decides(contest):
    """Another that differs changes neither the sentence nor the winner, and has neither P nor a verdict."""
    auc, f1 = contest.comparison.differences.values()
    turned = f1._replace(lower=-0.2, upper=-0.1)
    torn = dataclasses.replace(contest.comparison, differences={"roc_auc": auc, "f1": turned})
    assert verdict_sentence([dataclasses.replace(contest, comparison=torn)]) == verdict_sentence(
        [contest]
    )
    metrics = torn.as_dict()["metrics"]
    assert metrics["roc_auc"]["probability_first_better"] == auc.probability
    assert metrics["f1"]["probability_first_better"] is None
    other = duel(metrics=("f1", "roc_auc"))
    assert (contest.comparison.headline, other.comparison.headline) == ("roc_auc", "f1")
    assert "its best F1 is higher by" in verdict_sentence([other])


def test_the_better_model_is_named_whichever_comes_first(contest):
    for each, winner in ((contest, "forest"), (duel(swap=True), "svm")):
        assert each.winner == winner
        assert f"{winner} is better" in verdict_sentence([each])
    same = duel(spoiled=1e-3, names=("forest", "rules"))
    assert same.winner is None
    assert "better than" not in verdict_sentence([same])
    assert "rules cannot be distinguished" in verdict_sentence([contest, same])
    page = comparison_page([contest, same])
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    with pytest.raises(ValueError, match="at least one pair"):
        comparison_page([])


def test_only_the_metric_that_decides_has_a_better_model(contest):
    table = compared_cells(contest.comparison)
    better = [column.text for column in table.columns].index("better")
    shown = {
        metric: row[better].text for metric, row in zip(("roc_auc", "f1"), table.rows, strict=True)
    }
    assert shown == {"roc_auc": "first", "f1": "shown only"}


@pytest.mark.slow
def test_exchangeable_models_are_distinguished_as_rarely_as_promised():
    """Two models of one quality: with 95% confidence the sentence names a winner in 5%, whatever else is reported."""
    named = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y, s = np.repeat([1, 1, 0], [60, 60, 180]), np.repeat([1, 0], [60, 240])
        pair = 1.5 * y + rng.normal(size=(2, 300))
        options = {
            "alpha": 0.25,
            "metrics": ["roc_auc", "accuracy", "f1", "average_precision"],
            "n_bootstrap": 60,
        }
        named += compare_scores(s, *pair, **options).winner is not None
    assert named <= 5, "the binomial of 40 at .05 is larger in 1.4%"


def test_each_pair_with_an_alpha_of_its_own_has_it_on_the_page(contest):
    s, first, second = contest.s, contest.first_score, contest.second_score
    found = compare_scores(s, first, second, metrics=["roc_auc"], n_bootstrap=10, alpha=0.2)
    other = dataclasses.replace(contest, second="rules", comparison=found)
    page, pair = comparison_page([contest, other]), comparison_page([contest])
    for each in (contest, other):
        assert page.count(priors_in_words(each.comparison.first)) == 1
        assert f"ROC curve: {each.first} against {each.second}" in page
    assert page.count("<figure>") == 2 * pair.count("<figure>")
    assert "ROC curve: " not in pair


@pytest.mark.slow
def test_the_page_shows_the_numbers_of_the_comparison(contest):
    content = comparison_page(
        [contest], files=[{"name": "scores.csv", "sha256": "ab" * 32}], date="2026-03-01"
    )
    for score in (*contest.comparison.first.scores, *contest.comparison.second.scores):
        assert f"{score.corrected:.3f}" in content
        assert "{:.3f} to {:.3f}".format(*score.interval) in content
    for difference in contest.comparison.differences.values():
        assert f"{difference.estimate:+.3f}" in content
    for words in (
        "2026-03-01",
        "scores.csv",
        "ab" * 32,
        verdict_sentence([contest]).replace("'", "&#39;"),
    ):
        assert words in content
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*["']""", content)
    about = dataclasses.replace(
        contest.comparison, warnings=(Caution("not_separated", "first model"),)
    )
    assert '">score: alpha is not' in comparison_page(
        [dataclasses.replace(contest, first="score", comparison=about)]
    )
    injected = dataclasses.replace(contest, first="<img onerror=x>")
    assert "<img onerror" not in comparison_page([injected])


# An assessment as a table, a picture, JSON and HTML


@pytest.fixture(scope="module")
def assessment(contest):
    return assess(contest.s, contest.first_score, alpha=0.3, n_bootstrap=20)


def test_the_table_holds_every_number(assessment, contest):
    table = assessment.to_frame().set_index("metric")
    assert len(table) == len(assessment.scores)
    for score in assessment.scores:
        row = table.loc[score.metric]
        assert (row["corrected"], row["uncorrected"]) == (score.corrected, score.uncorrected)
        assert (row["lower"], row["upper"]) == score.interval
    plain = assess(contest.s, contest.first_score, alpha=0.3, n_bootstrap=0)
    assert plain.to_frame()["lower"].isna().all()
    assert "95% interval" not in plain._repr_html_()


def test_a_given_alpha_that_both_models_contradict_is_one_warning():
    rng = np.random.default_rng(0)
    positive = rng.random(6000) < 0.1
    s = (positive & (rng.random(6000) < 0.3)).astype(int)
    first, second = (rng.normal(shift * positive) for shift in (3, 2.5))
    codes = [
        each.code for each in compare_scores(s, first, second, alpha=0.6, n_bootstrap=20).warnings
    ]
    assert codes.count("disagrees_with_given") == 1
