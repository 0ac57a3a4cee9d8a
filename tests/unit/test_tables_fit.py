"""Tables in terminals of any width: no word and no number is cut, and what a narrow one leaves out is planned."""

import io
import re

import numpy as np
import pytest
from rich.console import Console
from samples import gaussian

from pumetrics.assessment import assess, compare_scores
from pumetrics.assessment._tables import assessment_table, comparison_table

DROPPED = {"comparison": {"flips", "at", "never"}}
"""What the narrowest layout of a table may leave out."""


@pytest.fixture(scope="module")
def tables():
    s, score, _ = gaussian(0, 200, 1800, distance=1.5)
    metrics = ["roc_auc", "average_precision", "balanced_accuracy", "f1"]
    comparison = compare_scores(
        s, score, np.random.default_rng(0).normal(size=2000), metrics=metrics, n_bootstrap=20
    )
    return {
        "assessment": assessment_table(assess(s, score, n_bootstrap=20, at=["1%", 1000])),
        "at a threshold": assessment_table(assess(s, score, threshold=0.123456, n_bootstrap=20)),
        "without intervals": assessment_table(assess(s, score, n_bootstrap=0)),
        "comparison": comparison_table(comparison),
    }


def lines(table, width):
    """What a terminal of this width shows."""
    output = io.StringIO()
    Console(width=width, file=output).print(table)
    return output.getvalue().splitlines()


def words(table, width):
    return re.findall(r"[^\s─]+", "\n".join(lines(table, width)))


@pytest.mark.parametrize("width", [60, 72, 80])
def test_no_word_is_cut_and_no_number_is_lost(width, tables):
    for name, table in tables.items():
        whole = words(table, 200)
        shown = words(table, width)
        assert max(len(line.rstrip()) for line in lines(table, width)) <= width
        assert set(shown) <= {*whole, "at"}, "a word that the wide table has not"
        lost = {word for word in whole if shown.count(word) < whole.count(word)}
        assert lost <= DROPPED.get(name, set())
