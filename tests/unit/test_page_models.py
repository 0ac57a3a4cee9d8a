"""Several models on one page have one verdict; an assessment shows itself as a table, a picture, JSON and HTML."""

import dataclasses
import json
import re

import numpy as np
import pytest

from pumetrics.assessment import Assessment, Caution, Contest, assess, compare_scores, comparison_page, verdict_sentence
from pumetrics.assessment._page import _shown


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
    order = [
        'class="lead"',
        "The numbers",
        "At a threshold",
        "Pictures",
        "Warnings",
        "What was compared",
        "What the words",
    ]
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
    plt.close("all")
