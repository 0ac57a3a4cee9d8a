"""Tables in terminals of any width: no word and no number is cut, and what a narrow one leaves out is planned."""

import io
import re

import numpy as np
import pytest
from rich.console import Console
from samples import gaussian

from pumetrics.assessment import assess, assess_by, compare_scores, group_table
from pumetrics.assessment._tables import assessment_table, comparison_table

DROPPED = {"comparison": {"P", "flips", "at", "never"}}
"""What the narrowest layout of a table may leave out."""


@pytest.fixture(scope="module")
def tables():
    s, score, _ = gaussian(0, 200, 1800, distance=1.5)
    metrics = ["roc_auc", "average_precision", "balanced_accuracy", "f1"]
    selected = assess(s, score, selection=(1, 2), n_bootstrap=20, at=["1%", 1000])
    comparison = compare_scores(s, score, np.random.default_rng(0).normal(size=2000), metrics=metrics, n_bootstrap=20)
    countries = np.where(np.arange(2000) % 3, "Germany and Austria", "FR")
    groups = assess_by(s, score, countries, n_bootstrap=20, metrics=metrics)
    return {
        "assessment": assessment_table(selected),
        "at a threshold": assessment_table(assess(s, score, threshold=0.123456, n_bootstrap=20)),
        "without intervals": assessment_table(assess(s, score, n_bootstrap=0)),
        "comparison": comparison_table(comparison),
        "groups": group_table(groups, "balanced_accuracy", column="country"),
    }


def lines(table, width):
    """What a terminal of this width shows."""
    output = io.StringIO()
    Console(width=width, file=output).print(table)
    return output.getvalue().splitlines()


def words(table, width):
    return re.findall(r"[^\s─]+", "\n".join(lines(table, width)))


NAMES = ("assessment", "at a threshold", "without intervals", "comparison", "groups")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [60, 66, 72, 80, 100])
def test_no_word_is_cut_and_no_number_is_lost(name, width, tables):
    whole, shown = words(tables[name], 200), words(tables[name], width)
    assert max(len(line.rstrip()) for line in lines(tables[name], width)) <= width
    assert "…" not in "".join(shown)
    assert set(shown) <= {*whole, "at"}, "a word that the wide table has not"
    lost = {word for word in whole if shown.count(word) < whole.count(word)} - DROPPED.get(name, set())
    if name == "comparison":  # its narrowest layout has no P
        lost = {word for word in lost if word != "–" and not re.fullmatch(r"[01]\.\d{3}", word)}
    assert not lost


def test_groups_that_choose_their_own_threshold_are_not_given_that_of_the_first():
    sample = gaussian(0, 200, 1800)
    options = {"alpha": 0.2, "goal": {"cost_fp": 1, "cost_fn": 5}, "n_bootstrap": 0, "metrics": ["f1", "roc_auc"]}
    groups = assess_by(sample.s, sample.y_score, np.arange(2000) % 2, **options)
    assert len({each.assessment.threshold for each in groups}) == 2
    shown = words(group_table(groups, "f1"), 100)
    assert "F1, own threshold" in " ".join(shown)
    assert not {f"{each.assessment.threshold:g}" for each in groups} & {*shown}


def test_a_usual_terminal_shows_a_row_a_line(tables):
    assert any(re.search(r"\d\.\d{3}–\d\.\d{3} +\d\.\d{3}–\d\.\d{3}", line) for line in lines(tables["assessment"], 80))
