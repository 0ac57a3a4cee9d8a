"""Numbers that looked right and were not: each against a known truth, or against another way to the same number."""

import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from samples import gaussian
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

from pumetrics.assessment import (
    Contest,
    assess,
    compare_scores,
    comparison_page,
    comparison_table,
    page,
    read_scores,
)
from pumetrics.assessment._operating import operating_point
from pumetrics.checks import plan_checks, plan_comparison
from pumetrics.cli import app
from pumetrics.counts import count_scores
from pumetrics.inference.answers import corrections
from pumetrics.inference.request import PriorEstimates, ask_of, labels_of
from pumetrics.inference.sample import Sample
from pumetrics.methods import estimate_score
from pumetrics.metrics import find_metric, measures_of
from pumetrics.priors import estimate_priors


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
