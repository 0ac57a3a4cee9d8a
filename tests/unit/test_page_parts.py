"""The page of one model and of several: each number once, costs, folds, and no point where nothing is identified."""

import re
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics.assessment import Assessed, assess, models_page, page
from pumetrics.assessment._operating import operating_point
from pumetrics.assessment._tables import rows_at_threshold, rows_over_thresholds, score_cells
from pumetrics.assessment._words import assumed_in_words, explained
from pumetrics.cli import app
from pumetrics.displays import PUGainsDisplay, PULiftDisplay, PUPrecisionRecallDisplay, PURocDisplay, PUThresholdDisplay

mpl.use("Agg")
FACTS = {"name": "scores.csv", "sha256": "ab" * 32, "rows": 1200, "rows_used": 1200}


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    y, s = np.repeat([1, 1, 0], [200, 300, 700]), np.repeat([1, 0], [200, 1000])
    return s, rng.normal(2.0 * y)


@pytest.fixture(scope="module")
def given(sample):
    return assess(*sample, alpha=0.3, threshold=1.0, at="1%", n_bootstrap=20)


def unidentified(assessment, *metrics):
    """As :func:`assess` leaves what the scores do not tell: no number, its interval."""
    scores = [
        replace(score, corrected=float("nan"), identified=False) if score.metric in metrics or not metrics else score
        for score in assessment.scores
    ]
    return replace(assessment, scores=tuple(scores), alpha_identified=bool(metrics))


def rows(content):
    """Text of the cells with numbers of every row of every table that has an interval."""
    for row in re.findall(r'<tr role="row">(?:(?!<tr).)*data-label="95% interval".*?</tr>', content, flags=re.DOTALL):
        yield tuple(re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<td.*?</td>", row, flags=re.DOTALL))


@pytest.mark.parametrize("population", ["all", "unlabeled"])
@pytest.mark.parametrize("threshold", [None, 1.0])
def test_every_number_of_the_assessment_has_one_row(population, threshold, sample):
    assessment = assess(
        *sample, alpha=0.3, threshold=threshold, at="1%", population=population, selection=(1, 2), n_bootstrap=20
    )
    point = operating_point(assessment, *sample)
    numbers = [*rows_at_threshold(assessment, point), *rows_over_thresholds(assessment)]
    names = [name.text for name, _ in numbers]
    assert len(names) == len(set(names))
    assert {score for _, score in numbers if score.assumes} == set(assessment.scores)
    table = score_cells(numbers, ["corrected", "interval"])
    assert sum(row[0].nested for row in table.rows) == len(assessment.scores)
    shown = {row[1].text for row in table.rows}
    assert all(f"{score.corrected:.3f}" in shown for score in assessment.scores if score.identified)


def test_no_number_with_its_interval_stands_in_two_tables(sample, given):
    found = list(rows(page(given, *sample)))
    assert len(found) == len(set(found)) == len(given.scores) + 2  # new alarms and lift beside the assessment's


def test_costs_are_shown_where_they_chose_the_threshold(sample):
    chosen = assess(*sample, alpha=0.3, goal={"cost_fp": 1, "cost_fn": 7}, n_bootstrap=20)
    content = page(chosen, *sample)
    assert "least cost (false positive 1, false negative 7)" in content
    assert f"expected cost {chosen.choice.cost:.4g} per row" in content
    nothing = replace(chosen, threshold=float("inf"), choice=chosen.choice._replace(threshold=float("inf")))
    assert "by flagging no row at all" in page(nothing, *sample)


def test_the_assumption_is_in_the_header_and_the_hash_in_the_footer(sample, given):
    content = page(given, *sample, file=FACTS)
    assert content.index("<header>") < content.index(assumed_in_words(given)) < content.index("</header>")
    assert all(sentence in content for sentence in explained(given))
    assert content.count(FACTS["sha256"]) == 1
    assert content.index("<footer") < content.index(FACTS["sha256"])


def test_what_is_not_identified_has_its_interval_and_no_number(sample, given):
    blind = unidentified(given)
    content = page(blind, *sample)
    assert not re.search(r"\bnan\b", re.sub(r"base64,[^\"]*", "", content), flags=re.IGNORECASE)
    for score in blind.scores:
        if score.metric not in ("recall", "precision"):
            assert f">{score.interval[0]:.3f} to {score.interval[1]:.3f}<" in content
    assert f">{given.scores[0].corrected:.3f}<" not in content
    assert "<b>" not in content.split("Over all thresholds")[1].split("</table>")[0]
    assert "alpha is not identified by these scores" in content


def test_a_curve_is_drawn_where_its_area_is_identified(sample, given):
    captions = {}
    for name, assessment in {"all": given, "ranking": unidentified(given, "average_precision")}.items():
        figures = re.findall(r"<h3>([^<]*)</h3><img.*?<figcaption>(.*?)</figcaption>", page(assessment, *sample))
        captions[name] = {title for title, caption in figures if "no curve is drawn" in caption}
    assert captions == {"all": set(), "ranking": {"Precision-recall curve"}}


@pytest.mark.parametrize("display", [PURocDisplay, PUPrecisionRecallDisplay, PUGainsDisplay, PULiftDisplay])
def test_without_the_corrected_curve_its_interval_is_left(display, sample):
    import matplotlib.pyplot as plt

    drawn = display.from_predictions(*sample, alpha=0.3, n_bootstrap=10, corrected=False, uncorrected=False)
    assert drawn.line_ is None
    assert not [line for line in drawn.ax_.lines if len(line.get_xdata()) > 2]
    assert drawn.ax_.collections
    assert "corrected: not identified" in [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    plt.close("all")


def test_of_three_lines_over_the_threshold_only_those_identified_are_drawn(sample):
    import matplotlib.pyplot as plt

    drawn = PUThresholdDisplay.from_predictions(*sample, alpha=0.3, n_bootstrap=10, corrected=["recall"])
    assert list(drawn.lines_) == ["recall"]
    assert len(drawn.ax_.collections) >= 3
    plt.close("all")


def test_at_a_glance_has_a_dot_only_for_what_is_identified(given):
    import matplotlib.pyplot as plt

    ax = unidentified(given, "f1", "roc_auc").plot()
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    hidden = ("f1", "roc_auc", "lift_at_1%")  # the last has no largest value and is not drawn
    assert dots == [score.corrected for score in given.scores if score.metric not in hidden and score.identified]
    assert "no dot: not identified" in [text.get_text() for text in ax.get_legend().get_texts()]
    plt.close("all")


def test_several_models_have_a_part_each(sample, given):
    s, score = sample
    other = assess(s, score**3, alpha=0.3, n_bootstrap=0)
    content = models_page([Assessed("forest", given, s, score, FACTS), Assessed("<svm>", other, s, score**3, FACTS)])
    assert "<h1>How good are these models?</h1>" in content
    for name in ("forest", "&lt;svm&gt;"):
        assert re.search(rf'<h2 id="model-\d-model">{name}</h2>', content)
    ids = re.findall(r'\bid="([^"]+)"', content)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', content)) <= set(ids)
    assert content.count(FACTS["sha256"]) == 1
    with pytest.raises(ValueError, match="at least one model"):
        models_page([])


@pytest.mark.parametrize("design", ["fold", "sample_weight"])
def test_rows_that_share_no_ranking_have_numbers_without_curves(design, sample):
    column = {"fold": np.arange(1200) % 3, "sample_weight": 1.0 + np.arange(1200) % 3}[design]
    assessment = assess(*sample, alpha=0.3, n_bootstrap=20, **{design: column})
    content = page(assessment, *sample)
    for score in assessment.scores:
        assert f"<b>{score.corrected:.3f}</b>" in content
    assert "ROC curve" not in content
    assert "What happens at the threshold" not in content
    assert "The numbers at a glance" in content


def test_curves_of_clusters_have_no_band_that_takes_rows_for_independent(sample):
    clustered = assess(*sample, alpha=0.3, n_bootstrap=20, cluster=np.arange(1200) // 2)
    content = page(clustered, *sample)
    assert "ROC curve" in content
    assert "Shaded" not in content
    assert "shaded region" not in content


@pytest.mark.parametrize("options", ["--score a --score b", "--score a --fold f", "--score a --weight w", "--score a"])
def test_the_command_writes_a_page_of_each(options, sample, tmp_path):
    s, score = sample
    table = pd.DataFrame({"s": s, "a": score, "b": score**3, "f": np.arange(1200) % 3, "w": 1 + np.arange(1200) % 3})
    table.to_csv(tmp_path / "scores.csv", index=False)
    command = ["evaluate", str(tmp_path / "scores.csv"), *options.split(), "--alpha", "0.3", "--bootstrap", "10"]
    said = CliRunner().invoke(app, [*command, "--report", str(tmp_path / "page.html")])
    assert said.exit_code == 0, said.output
    content = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ("How good are these models?" if "b" in options.split() else "How good is a?") in content
    assert "scores.csv" in content
    assert str(tmp_path) not in content
