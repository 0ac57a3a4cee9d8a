"""Head to head: tables from statistics, ranks, where methods break, and the decision table."""

import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies import check_chunks

from pumetrics.methods import estimate_score
from pumetrics.methods.answers import Estimate
from pumetrics.methods.registry import Method
from pumetrics.metrics import METRICS, SUMMARIES
from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.controls import CONTROLS, METHODS
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.plan import load_captions
from pumetrics_workflow.stages.in_memory import evaluate_in_memory
from pumetrics_workflow.stages.label import Data, Seeds
from pumetrics_workflow.studies import Results
from pumetrics_workflow.studies.head_to_head import decision
from pumetrics_workflow.studies.head_to_head.figures import groups
from pumetrics_workflow.studies.head_to_head.means import SELECTION, by_set, summary
from pumetrics_workflow.studies.head_to_head.simulation import simulate
from pumetrics_workflow.studies.head_to_head.tables import (
    critical_difference,
    friedman,
    reproduced,
    tables,
)
from pumetrics_workflow.tables import SCHEMAS, empty
from pumetrics_workflow.verdicts import compare_published, read_published

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import generated

CAPTIONS = load_captions("head_to_head", Path(__file__).parents[2])

PUBLISHED = read_published(Path(__file__).parents[2] / "config/published/head_to_head.csv")
STUDY = {
    "labeling": {
        "names": ["beta=1", "beta=0.75", "bcar=0.3", "bar=0.6", "sar_score=4"],
        "rows": 200,
        "least_labeled": 10,
        "sample": {"kind": "largest", "n_unlabeled": [150], "labeled_ratio": 0.2},
        "nested": {"sampled": ["beta"], "whole": ["bcar", "bar", "sar_score"]},
        "n_folds": 3,
    },
    "model": "pool",
    "options": {
        "type": "pool",
        "models": {
            "logistic": {"type": "logistic_regression", "C": 1.0},
            "naive_bayes": {"type": "gaussian_naive_bayes"},
            "smooth": {"type": "gaussian_naive_bayes", "var_smoothing": 10.0},
        },
        "folds": {"n_folds": 2, "stratified_by": "s"},
        "features": "standardized",
    },
    "priors": {
        "methods": ["bbe", "consensus"],
        "clean": ["consensus"],
        "own": ["bbe"],
        "reference": "logistic",
        "noisy": True,
    },
    "metrics": (),
    "evaluation": "pool",
}


def mixed(seed):
    return generate(
        "gaussians_mixed",
        {"size": 260, "dimension": 4, "share": 0.4, "nominal_features": 1},
        seed=seed,
    )


def evaluated(name, seed, repeats=(0, 1)):
    table = evaluate_in_memory(
        Data(mixed(seed), Seeds(seed, "head_to_head", name)), repeats=list(repeats), **STUDY
    )
    return table.assign(dataset=name, study="head_to_head")


@pytest.fixture(scope="module")
def found():
    whole = pd.concat([evaluated("one", 1), evaluated("two", 2)])
    assert whole["statistic"].notna().all(), "a pool gives statistics alone"
    return whole.reindex(columns=list(SCHEMAS["statistics"]))


@pytest.fixture(scope="module")
def made(found):
    cards = {name: {"available": True, "rows": 260} for name in ("one", "two")}
    return tables(Results(empty("records"), found, None, cards, PUBLISHED))


@pytest.mark.slow
def test_statistics_fit_their_door_and_do_not_depend_on_chunks(tmp_path):
    check_chunks(partial(evaluated, "one", 1), tmp_path, repeats=2)


@pytest.mark.slow
def test_an_oracle_errs_nowhere_and_loses_nothing(found):
    own = found[found["method"] == "oracle"]
    assert set(own["metric"]) == {*SUMMARIES, "none"}
    for kind in ("bias", "absolute_error", "inversions", "regret"):
        values = own.loc[own["statistic"] == kind, "value"]
        assert len(values) == len(SUMMARIES) * len(
            own[["dataset", "labeling", "repeat"]].drop_duplicates()
        )
        assert (values == 0).all(), kind


def test_intervals_come_with_truth_and_hold_their_estimate():
    pool = {**STUDY["options"], "models": {"naive_bayes": {"type": "gaussian_naive_bayes"}}}
    options = {
        "labeling": {**STUDY["labeling"], "names": ["bcar=0.6"]},
        "pool": pool,
        "n_bootstrap": 10,
    }
    options["methods"] = {
        "interval_sampling": ["true", "bbe_clean"],
        "interval_calibrated": ["consensus_clean"],
    }
    own = simulate("intervals", repeats=[0], seed=1, data={"mixed": mixed(1)}, **options)
    intervals, statistics = split_answers(own)
    assert set(intervals["metric"]) == set(SUMMARIES)
    ways = {
        ("interval_sampling", "true"),
        ("interval_sampling", "bbe_clean"),
        ("interval_calibrated", "consensus_clean"),
    }
    assert set(zip(intervals["method"], intervals["prior"], strict=True)) == ways
    assert (
        (intervals["lower"] <= intervals["estimate"])
        & (intervals["estimate"] <= intervals["upper"])
    ).all()
    assert intervals["truth"].between(-1, 1).all()
    assert set(intervals) <= set(SCHEMAS["records"])
    assert set(statistics["statistic"]) == {"seconds_interval"}


@pytest.mark.slow
def test_controls_hold_and_few_sets_give_no_verdict(made):
    beside = compare_published(PUBLISHED, reproduced(made)).set_index("id")
    assert beside.loc[["oracle_error", "oracle_regret"], "verdict"].eq("holds").all()
    claims = beside.drop(index=["oracle_error", "oracle_regret", "random_inversions"])
    assert claims["verdict"].eq("not tested").all()
    assert claims["note"].str.contains("2 data sets are too few").all()


@pytest.mark.slow
def test_every_data_set_counts_the_same(found, made):
    more = pd.concat(
        [found, found[found["dataset"] == "one"].assign(repeat=lambda table: table["repeat"] + 2)]
    )
    pd.testing.assert_frame_equal(by_set(found), by_set(more))
    pd.testing.assert_frame_equal(summary(by_set(more), SELECTION), made["selection"])


@pytest.mark.slow
def test_each_line_of_the_decision_table_is_backed_by_rows(made):
    errors, selection = made["errors"], made["selection"]
    assert len(made["decision"])
    for line in made["decision"].to_dict("records"):
        names = line["labelings"].split()
        estimate, pick = (line["use"], line["with"]), (line["pick_by"], line["pick_with"])
        for table, used, column, value in (
            (errors, estimate, "absolute_error", line["error"]),
            (errors, estimate, "bias", line["bias"]),
            (selection, pick, "regret", line["regret"]),
        ):
            rows = table[(table["metric"] == line["need"]) & table["labeling"].isin(names)]
            rows = rows[(rows["method"] == used[0]) & (rows["prior"] == used[1])]
            assert len(rows) == len(names), line
            assert rows[column].mean() == pytest.approx(value), line


@pytest.mark.slow
def test_nothing_recommended_is_a_control_or_beaten(made):
    errors, table = made["errors"], made["decision"]
    used = set(table["use"]) | set(table["pick_by"])
    assert not set(used) & set(CONTROLS)
    assert not any(METHODS[name].ranks_only for name in table["use"])
    assert "true" not in set(table.query("priors == 'unknown'")["with"])
    assert (table["error"] <= table["uncorrected_error"] + 1e-12).all()
    assert (table["regret"] <= table["uncorrected_regret"] + 1e-12).all()
    line = table.query("labelings == 'beta=0.75' and need == 'roc_auc' and priors == 'known'").iloc[
        0
    ]
    rows = errors.query("labeling == 'beta=0.75' and metric == 'roc_auc' and method != 'oracle'")
    rows = rows[rows["prior"].isin(["none", "true"])]
    assert line["least_error"] == pytest.approx(rows["absolute_error"].min())


@pytest.mark.slow
def test_what_is_recommended_is_the_simplest_within_one_standard_error(found, made):
    """Recomputed from the errors by data set, for one situation."""
    part = by_set(found).query("labeling in ['beta=1', 'bcar=0.3'] and metric == 'max_f1'")
    part = part[[name not in CONTROLS and not METHODS[name].ranks_only for name in part["method"]]]
    part = part[~part["prior"].isin(["true", "mean_score"]) & ~part["prior"].str.endswith("_own")]
    each = part.groupby(["method", "prior", "dataset"])["absolute_error"].mean().unstack("dataset")
    means, best = each.mean(axis=1), each.mean(axis=1).idxmin()
    apart = each.sub(each.loc[best]).sem(axis=1)
    near = means[means <= means[best] + apart].index
    line = (
        made["decision"]
        .query("labelings == 'beta=1 bcar=0.3' and need == 'max_f1' and priors == 'unknown'")
        .iloc[0]
    )
    assert (line["use"], line["with"]) == min(near, key=lambda way: decision.simplicity(*way))
    assert line["error"] == pytest.approx(means[line["use"], line["with"]])
    assert line["standard_error"] == pytest.approx(apart[line["use"], line["with"]])


@pytest.mark.slow
def test_every_recommendation_can_be_typed(made):
    """estimate_score takes each pair of names as the table writes it."""
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [60, 300])
    y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [60, 90, 210]))
    for row in made["decision"].drop_duplicates(["need", "use", "with"]).to_dict("records"):
        options = {
            "method": row["use"],
            "threshold": 1.0 if METRICS[row["need"]].kind == "threshold" else None,
        }
        if row["with"] == "true":
            options |= {"alpha": 0.3}
        elif row["with"] != "none":
            options |= {
                "prior": row["with"],
                "beta": 1.0 if row["with"].endswith("_clean") else None,
            }
        answer = estimate_score(row["need"], s, y_score, random_state=0, **options)
        assert np.isfinite(answer.estimate), row


def test_ranks_as_in_the_textbook():
    """Demšar (2006), Table 6 and Section 3.2.2: four classifiers on 14 data sets."""
    ranks = [3.143, 2.0, 2.893, 1.964]
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.01)
    assert groups(sorted(ranks), critical_difference(4, 14)) == [(0, 3)]
    assert groups([1.0, 1.2, 4.0], 1.0) == [(0, 1)]
    assert groups([1.0, 3.0], 1.0) == []
    rng = np.random.default_rng(0)
    alike, apart = (
        rng.permuted(np.tile(np.arange(4.0), (30, 1)), axis=1),
        np.tile(np.arange(4.0), (30, 1)),
    )
    assert friedman(alike) > 0.01
    assert friedman(apart) < 1e-6
    assert friedman(np.ones((30, 4))) == 1.0


@pytest.mark.slow
def test_a_page_shows_a_line_for_each_metric_and_the_coverage_of_each_method(made, monkeypatch):
    intervals = pd.DataFrame(
        {
            "metric": "roc_auc",
            "labeling": ["SCAR", "bar=0.6"],
            "method": "interval_sampling",
            "prior": "true",
            "coverage": [0.96, 0.31],
            "worst_set": [0.8, 0.0],
            "interval_score": [0.12, 1.5],
            "intervals": [90, 30],
            "sets": 3,
            "identified": [1.0, 0.5],
            "coverage_identified": [0.96, 0.4],
        }
    )
    tables = {"decision": made["decision"], "intervals": intervals}
    monkeypatch.setattr(generated, "_head_to_head", tables.get)
    lines = re.findall(r"^\| `roc_auc` \|.*$", generated.decision(), flags=re.M)
    cells = sum(line.count("|") - 2 for line in lines)
    assert cells == 1 + made["decision"]["have"].nunique(), "alpha known under SCAR is one more"
    text = generated.coverage()
    start = "| `interval_sampling`, `true`<br>"
    assert f"{start}30 samples of each set | 0.96 (0.80, 0.61 to 0.92)<br>0.12 |" in text
    assert "| method, priors | `bar=0.6` |\n" in text
    cell = "0.31 (0.00, 0.00 to 0.31)<br>1.50<br>identified: 0.40 of 50% |"
    assert f"{start}10 samples of each set | {cell}" in text


@pytest.mark.slow
def test_the_short_table_says_what_is_best_without_any_prior(made, monkeypatch):
    monkeypatch.setattr(generated, "_head_to_head", made.get)
    lines = generated.decision_in_short().splitlines()[2:]
    assert len(lines) == made["decision"]["have"].nunique()
    best = made["decision"].query("priors == 'unknown' and need == 'roc_auc'")
    for line, row in zip(lines, best.to_dict("records"), strict=True):
        assert line.startswith(f"| {row['have']} | {row['use']}")
        assert f": {row['error']:.3f} ({row['uncorrected_error']:.3f}) |" in line


@pytest.mark.slow
def test_failures_are_counted_over_all_repeats(monkeypatch):
    def sometimes(sample, labels, ask):
        yield from (Estimate(metric, 0.7 if sample.first else np.nan) for metric in ask.metrics)

    method = Method(sometimes, "sometimes", (), "nothing", ("roc_auc",))
    monkeypatch.setitem(METHODS, "sometimes", method)
    table = by_set(evaluated("one", 1)).query("method == 'sometimes'")
    np.testing.assert_allclose(table["failed"], 2 / 3)
    assert table["bias"].notna().all()
