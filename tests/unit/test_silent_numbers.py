"""Numbers that looked right and were not: each against a known truth, or against another way to the same number."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics.assessment import assess, page
from pumetrics.assessment._operating import operating_point
from pumetrics.cli import app


def drawn(seed=0, n_labeled=200, n_unlabeled=1000, *, alpha=0.3, distance=2.0):
    """Labels, scores and true classes."""
    hidden = round(alpha * n_unlabeled)
    y = np.repeat([1, 1, 0], [n_labeled, hidden, n_unlabeled - hidden])
    return np.repeat([1, 0], [n_labeled, n_unlabeled]), np.random.default_rng(seed).normal(distance * y), y


def command(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_a_page_of_labels_with_propensities_says_nothing_of_labels_at_random(tmp_path):
    s, score, _ = drawn()
    propensity = 1 / (1 + np.exp(-score))
    result = assess(s, score, alpha=0.3, propensity=propensity, threshold=1.0, n_bootstrap=20)
    content = page(result, s, score)
    recall = next(each for each in result.scores if each.metric == "recall")
    assert f"{recall.corrected:.0%}" in content
    assert not re.search(r"it finds \d", content)
    assert "Precision-recall curve" not in content
    with pytest.raises(ValueError, match="labels at random, and the assessment has propensities"):
        operating_point(result, s, score)
    pd.DataFrame({"s": s, "score": score, "seen": propensity}).to_csv(tmp_path / "rows.csv", index=False)
    options = ["--alpha", 0.3, "--propensity", "seen", "--threshold", 1, "--bootstrap", 20]
    done = command("evaluate", tmp_path / "rows.csv", *options, "--report", tmp_path / "page.html")
    assert done.exit_code == 0, done.output
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"{recall.corrected:.0%}" in written
    assert not re.search(r"it finds \d", written)
