"""The page on own scores: its first sentence is true, each number is there once, and it needs nothing else."""

import re
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from samples import gaussian
from typer.testing import CliRunner

from pumetrics.assessment import Assessed, assess, models_page, page, write_page
from pumetrics.assessment._tables import named_rows, score_cells
from pumetrics.assessment._words import (
    percents,
    span,
)
from pumetrics.checks import plan_checks
from pumetrics.cli import app
from pumetrics.displays import (
    PUAlphaDisplay,
    PUPrecisionRecallDisplay,
    PURocDisplay,
    PUThresholdDisplay,
)

pytestmark = pytest.mark.usefixtures("sketched")


@pytest.fixture(scope="module")
def assessed():
    s, score, _ = gaussian(0, 300, 1200)
    return assess(s, score, alpha=0.3, n_bootstrap=50), s, score


@pytest.fixture(scope="module")
def content(assessed):
    facts = {"name": "scores.csv", "sha256": "ab" * 32, "rows": 1600, "rows_used": 1500}
    return page(*assessed, name="<script>forest", file=facts, date="2026-03-01")


@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_a_page_about_the_unlabeled_needs_no_positive_among_them(alpha):
    s, score, _ = gaussian(0, 40, 12)
    text = page(assess(s, score, alpha=alpha, population="unlabeled", n_bootstrap=0), s, score)
    assert "Precision-recall curve" in text


@pytest.mark.parametrize("uncertainty", ["calibrated", "guaranteed"])
def test_an_alpha_that_is_estimated_widens_the_precision_alone(uncertainty):
    s, score, _ = gaussian(2, 300, 1200)
    known = assess(s, score, alpha=0.3, n_bootstrap=20, threshold=1.0)
    estimated = assess(s, score, n_bootstrap=20, threshold=1.0, uncertainty=uncertainty)
    one, other = (
        {score.metric: score.interval[1] - score.interval[0] for score in each.scores}
        for each in (known, estimated)
    )
    assert other["precision"] > one["precision"]
    if uncertainty != "guaranteed":  # which takes half of the level for alpha
        assert other["recall"] == pytest.approx(one["recall"], abs=0.005)


def test_ranges_are_rounded_outwards():
    for low, high in np.sort(np.random.default_rng(0).random((300, 2)), axis=1):
        shown = [float(end.rstrip("%")) / 100 for end in percents((low, high)).split(" to ")]
        assert shown[0] <= low + 1e-9
        assert shown[1] >= high - 1e-9
        assert 0 <= shown[0] <= shown[1] <= 1


@pytest.mark.slow
def test_a_page_is_the_same_again_needs_no_clock_and_names_its_file(
    assessed, content, tmp_path, monkeypatch
):
    import time

    monkeypatch.undo()  # the pictures are drawn, as those of `content`
    monkeypatch.setattr(time, "time", lambda: 0.0)
    facts = {"name": "scores.csv", "sha256": "ab" * 32, "rows": 1600, "rows_used": 1500}
    write_page(
        tmp_path / "page.html", *assessed, name="<script>forest", file=facts, date="2026-03-01"
    )
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == content
    for words in (
        "2026-03-01",
        "scores.csv",
        "ab" * 32,
        "1,600 rows, of which 1,500 are used",
        "forest",
    ):
        assert words in content
    assert len(re.findall("202[0-9]-", content)) == content.count("2026-03-01"), (
        "a date that was not given"
    )


def test_a_name_cannot_inject_markup(content):
    assert "<script" not in content


def test_a_page_leaves_the_look_of_a_session_alone():
    import matplotlib as mpl

    from pumetrics.plotting import styled

    before = dict(mpl.rcParams)
    with styled():
        assert mpl.rcParams["svg.hashsalt"] == "pumetrics"
    assert dict(mpl.rcParams) == before


# The page of one model and of several: each number once, and no point where nothing is identified.


mpl.use("Agg")
FACTS = {"name": "scores.csv", "sha256": "ab" * 32, "rows": 1200, "rows_used": 1200}


@pytest.fixture(scope="module")
def rows_of():
    return gaussian(0, 200, 1000)[:2]


@pytest.fixture(scope="module")
def known(rows_of):
    return assess(*rows_of, alpha=0.3, threshold=1.0, at="1%", n_bootstrap=20)


def unidentified(assessment, *metrics):
    """As :func:`assess` leaves what the scores do not tell: no number, its interval."""
    scores = [
        replace(score, corrected=float("nan"), identified=False)
        if score.metric in metrics or not metrics
        else score
        for score in assessment.scores
    ]
    return replace(assessment, scores=tuple(scores), alpha_identified=bool(metrics))


@pytest.mark.parametrize("population", ["all", "unlabeled"])
@pytest.mark.parametrize("threshold", [None, 1.0])
def test_every_number_of_the_assessment_has_one_row(population, threshold, rows_of):
    assessment = assess(
        *rows_of, alpha=0.3, threshold=threshold, at="1%", population=population, n_bootstrap=20
    )
    numbers = [*named_rows(assessment)]
    names = [name.text for name, _ in numbers]
    assert len(names) == len(set(names))
    assert sorted(score.metric for _, score in numbers) == sorted(
        score.metric for score in assessment.scores
    )
    table = score_cells(numbers, ["corrected", "interval"])
    shown = {row[1].text for row in table.rows}
    assert all(f"{score.corrected:.3f}" in shown for score in assessment.scores if score.identified)


def test_what_is_not_identified_has_its_interval_and_no_number(rows_of, known):
    blind = unidentified(known)
    content = page(blind, *rows_of)
    assert not re.search(r"\bnan\b", re.sub(r"base64,[^\"]*", "", content), flags=re.IGNORECASE)
    for score in blind.scores:
        if score.metric not in ("recall", "precision"):
            assert f">{span(score.interval)}<" in content
    assert f">{known.scores[0].corrected:.3f}<" not in content
    assert "<b>" not in content.split("Over all thresholds")[1].split("</table>")[0]
    assert "alpha is not identified by these scores" in content


def test_a_curve_is_drawn_where_its_area_is_identified(rows_of, known):
    captions = {}
    for name, assessment in {
        "all": known,
        "ranking": unidentified(known, "average_precision"),
    }.items():
        figures = re.findall(
            r"<h3>([^<]*)</h3><img.*?<figcaption>(.*?)</figcaption>", page(assessment, *rows_of)
        )
        captions[name] = {title for title, caption in figures if "no curve is drawn" in caption}
    assert captions == {"all": set(), "ranking": {"Precision-recall curve"}}


@pytest.mark.parametrize("display", [PURocDisplay, PUPrecisionRecallDisplay])
def test_without_the_corrected_curve_its_interval_is_left(display, rows_of):
    drawn = display.from_predictions(
        *rows_of, alpha=0.3, n_bootstrap=10, corrected=False, uncorrected=False
    )
    assert drawn.line_ is None
    assert not [line for line in drawn.ax_.lines if len(line.get_xdata()) > 2]
    assert drawn.ax_.collections
    assert "corrected: not identified" in [
        text.get_text() for text in drawn.ax_.get_legend().get_texts()
    ]


def test_at_a_glance_has_a_dot_only_for_what_is_identified(known):
    ax = unidentified(known, "f1", "roc_auc").plot()
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    hidden = ("f1", "roc_auc", "lift_at_1%")  # the last has no largest value and is not drawn
    assert dots == [
        score.corrected for score in known.scores if score.metric not in hidden and score.identified
    ]
    assert "no dot: not identified" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_lifts_alone_are_shown_in_numbers_and_curves():
    s, score, _ = gaussian(0, 60, 300)
    found = assess(s, score, alpha=0.26, metrics=["lift_at_k"], at=10, n_bootstrap=0)
    assert "The numbers at a glance" not in page(found, s, score)
    with pytest.raises(ValueError, match="no metric to draw: assess one that ends at 1"):
        found.plot()
    plan = plan_checks(s, score, budget=60, metric="alpha", random_state=0)
    checked = assess(
        s, score, checks=plan.filled(np.zeros(60)), alpha=0.2, metrics=["f1"], n_bootstrap=0
    )
    assert list(checked.to_frame()) == list(found.to_frame())


def test_several_models_have_a_part_each(rows_of, known):
    s, score = rows_of
    other = assess(s, score**3, alpha=0.3, n_bootstrap=0)
    content = models_page(
        [Assessed("forest", known, s, score, FACTS), Assessed("<svm>", other, s, score**3, FACTS)]
    )
    assert "<h1>How good are these models?</h1>" in content
    for name in ("forest", "&lt;svm&gt;"):
        assert re.search(rf'<h2 id="model-\d-model">{name}</h2>', content)
    ids = re.findall(r'\bid="([^"]+)"', content)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', content)) <= set(ids)
    assert content.count(FACTS["sha256"]) == 1
    with pytest.raises(ValueError, match="at least one model"):
        models_page([])


@pytest.fixture
def swept(monkeypatch):
    """Displays of thresholds as pages draw them."""
    displays = []

    def plot(self, *args, drawn=PUThresholdDisplay.plot, **options):
        displays.append(self)
        return drawn(self, *args, **options)

    monkeypatch.setattr(PUThresholdDisplay, "plot", plot)
    return displays


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_curves_of_the_page_have_the_numbers_of_its_table(population, rows_of, swept):
    metrics = ["recall", "precision", "f1"]
    options = {"threshold": 1.0, "population": population, "n_bootstrap": 0}
    found = assess(*rows_of, alpha=0.3, metrics=metrics, **options)
    page(found, *rows_of)
    (display,) = swept
    at = np.flatnonzero(display.thresholds >= 1.0)[-1]
    assert [display.values[each.metric][at] for each in found.scores] == pytest.approx(
        [each.corrected for each in found.scores]
    )


@pytest.mark.slow
@pytest.mark.parametrize("design", [{}, {"cluster": np.arange(1200) // 2}])
def test_the_band_of_the_page_is_the_interval_of_its_table(design, rows_of, swept):
    found = assess(
        *rows_of, threshold=1.0, metrics=["recall", "precision"], n_bootstrap=20, **design
    )
    assert "Shaded" in page(found, *rows_of)
    for score in found.scores:
        thresholds, lower, upper = swept[0].intervals[score.metric]
        at = np.flatnonzero(thresholds >= 1.0)[-1]
        assert (lower[at], upper[at]) == pytest.approx(score.interval)


def test_weighted_rows_have_numbers_without_curves(rows_of):
    assessment = assess(
        *rows_of, alpha=0.3, n_bootstrap=20, sample_weight=1.0 + np.arange(1200) % 3
    )
    content = page(assessment, *rows_of)
    for score in assessment.scores:
        assert f"<b>{score.corrected:.3f}</b>" in content
    assert "ROC curve" not in content
    assert "The numbers at a glance" in content


@pytest.mark.slow
@pytest.mark.parametrize("options", ["--score a --score b", "--score a --weight w", "--score a"])
def test_the_command_writes_a_page_of_each(options, rows_of, tmp_path):
    s, score = rows_of
    table = pd.DataFrame({"s": s, "a": score, "b": score**3, "w": 1 + np.arange(1200) % 3})
    table.to_csv(tmp_path / "scores.csv", index=False)
    command = [
        "evaluate",
        str(tmp_path / "scores.csv"),
        *options.split(),
        "--alpha",
        "0.3",
        "--bootstrap",
        "10",
    ]
    said = CliRunner().invoke(app, [*command, "--report", str(tmp_path / "page.html")])
    assert said.exit_code == 0, said.output
    content = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ("How good are these models?" if "b" in options.split() else "How good is a?") in content
    assert "scores.csv" in content
    assert str(tmp_path) not in content


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_no_precision_of_all_rows_is_drawn_as_that_of_the_unlabeled(
    rows_of, monkeypatch, population
):
    drawn = []

    def plot(self, ax, plain=PUPrecisionRecallDisplay.plot, **options):
        drawn.append(options["uncorrected"])
        return plain(self, ax, **options)

    monkeypatch.setattr(PUPrecisionRecallDisplay, "plot", plot)
    assessment = assess(
        *rows_of, alpha=0.3, n_bootstrap=0, metrics=["average_precision"], population=population
    )
    page(assessment, *rows_of)
    (score,) = assessment.scores
    assert drawn == [score.uncorrected == score.uncorrected] == [population == "all"]


def test_a_bound_of_alpha_is_marked_only_if_there_is_one(rows_of, monkeypatch):
    marked = []

    def plot(self, *args, drawn=PUAlphaDisplay.plot):
        marked.append(self.alpha_bound)
        return drawn(self, *args)

    monkeypatch.setattr(PUAlphaDisplay, "plot", plot)
    for design in ({}, {"cluster": np.arange(1200) // 10}):
        assessment = assess(*rows_of, n_bootstrap=0, metrics=["roc_auc"], **design)
        assert (assessment.alpha_bound is None) == bool(design)
        page(assessment, *rows_of)
        assert marked.pop() == assessment.alpha_bound
