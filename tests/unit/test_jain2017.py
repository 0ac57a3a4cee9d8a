"""The tables of Jain 2017 are what the paper's text says they are."""

import numpy as np
import pandas as pd
import pytest

from pumetrics.labeling import noisy_positives
from pumetrics.metrics import pu_roc_auc_score
from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.stages.evaluate import evaluate_sample
from pumetrics_workflow.studies import Results, derived, load
from pumetrics_workflow.studies.all_sets import is_of_all_sets, of_all_sets
from pumetrics_workflow.studies.jain2017.simulation import SCORES, simulate
from pumetrics_workflow.studies.jain2017.tables import (
    _estimated,
    _gap_difference,
    _gap_growth,
    theorem_cases,
)


@pytest.fixture(scope="module")
def made():
    """Tables of a study of two data sets, four repeats, two levels of noise, with priors that are off by .05 and .3."""
    answers, priors = [simulate("figure1", repeats=[0], seed=0, data={})], []
    for dataset, shift in (("near", 1.0), ("far", 2.0)):
        for beta in (1.0, 0.75):
            for repeat in range(4):
                rng = np.random.default_rng([int(100 * beta), repeat, int(shift)])
                y = (rng.random(3000) < 0.4).astype(int)
                rows, s = noisy_positives(
                    y, beta=beta, n_labeled=300, n_unlabeled=2000, random_state=rng
                )
                scored = pd.DataFrame({"s": s, "y": y[rows], "score": rng.normal(shift * y[rows])})
                alpha = scored["y"][s == 0].mean()
                off = 0.05 if repeat < 2 else 0.3
                guess = pd.DataFrame(
                    {"method": ["alphamax"], "alpha": [alpha - off], "beta": [beta]}
                )
                key = {
                    "dataset": dataset,
                    "model": "m",
                    "labeling": f"beta={beta:g}",
                    "repeat": repeat,
                }
                found = evaluate_sample(
                    scored, guess, ["roc_auc", "average_precision"], supervised=scored
                )
                answers.append(pd.DataFrame(found).assign(**key))
                priors.append(guess.assign(**key, alpha_true=alpha, beta_true=beta, status="ok"))
    results = Results(*split_answers(pd.concat(answers)), pd.concat(priors), {})
    return load("jain2017").tables(results)


@pytest.mark.slow
def test_figure_1_is_exact(made):
    found = load("jain2017").published(derived("jain2017", made, None))
    assert (found["figure1_pu"], found["figure1_true"]) == (0.8, 0.9375)


def test_eight_examples_through_equation_4():
    assert pu_roc_auc_score(
        SCORES["s"], SCORES["score"], alpha=0.2, method="direct"
    ) == pytest.approx(0.875)


@pytest.mark.slow
def test_the_supervised_truth_is_one_number_per_data_set_and_beta(made):
    supervised = made["errors"].query("truth_kind == 'supervised'")
    assert (supervised.groupby(["metric", "dataset", "beta"])["truth"].nunique() == 1).all()


def test_errors_are_binned_by_the_error_of_beta_minus_alpha(made):
    errors = made["errors"].query("method == 'IE'")
    by_repeat = errors.groupby("repeat")["gap"].unique().explode()
    assert by_repeat.tolist() == ["[0, .1)", "[0, .1)", "[.2, inf)", "[.2, inf)"]


def test_direct_and_indirect_differ_by_the_repair_alone(made):
    assert made["agreement"]["largest_difference"].max() < 1e-12
    unrepaired = made["sign_tests"].query("repair == 'none'")
    assert (unrepaired["pairs"] == 0).all()


def test_levels_of_a_set_count_once_in_its_test(made):
    tests = made["sign_tests"].query("repair == 'monotone'")
    assert (tests["sets"] <= tests["pairs"]).all()
    assert (tests["sets"] == 2).all()
    assert (tests["p_sets"] >= tests["least_p"]).all()


def test_theorem_1_is_true_of_random_cases_and_a_wrong_one_is_not(monkeypatch):
    table = theorem_cases(2000)
    assert (table["violations"] == 0).all()
    assert (table["cases"] > 1900).all()
    wrong = lambda y, x, axis: np.zeros(y.shape[1])  # noqa: E731
    monkeypatch.setattr("pumetrics_workflow.studies.jain2017.tables.np.trapezoid", wrong)
    assert theorem_cases(2000).query("of == 'AUC'")["violations"].gt(0).any()


LABELING = {
    "names": ["supervised", "beta=1", "beta=0.75"],
    "sample": {"kind": "capped", "labeled_small": 60, "unlabeled_at_most": 200},
}
MODEL = {
    "type": "bagged_mlp",
    "n_estimators": 5,
    "hidden_units": 2,
    "max_epochs": 20,
    "validation_fraction": 0.25,
}


def test_errors_on_all_sets_are_those_of_the_study_by_set():
    data = {
        name: generate(name, {"size": 300, "dimension": 2, "share": 0.4})
        for name in ("gaussians", "gaussians_rare")
    }
    given = {"seed": 0, "data": data, "labeling": LABELING, "model": MODEL}
    rows = simulate("all_sets", repeats=[0, 1], priors=["alphamax"], **given)
    _, statistics = split_answers(rows)
    assert is_of_all_sets(statistics).all()
    table = of_all_sets(statistics, "metric")
    assert len(table) == 2 * 2 * 2, "metrics, sets and levels of noise"
    assert (table[["PU_size", "IR_size"]] >= 0).all(axis=None)
    assert (table["DR"].notna() == (table["metric"] == "roc_auc")).all()
    alphas = table.groupby("beta")["alpha"].mean()
    assert 0 < alphas[1.0] < alphas[0.75] < 1, "noisy labeled examples leave more positives"
    assert table["IE_size"].notna().all(), "with estimated priors too"
    again = simulate("all_sets", repeats=[1], priors=["alphamax"], **given)
    both = rows[rows["repeat"] == 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        both.sort_values([*both]), again.sort_values([*both]), check_like=True
    )


def test_estimates_are_compared_and_not_the_sizes_of_their_errors():
    """Real priors are low by as much as estimated ones are high: errors have one size, and estimates differ."""
    rows = [
        ("roc_auc", f"set{place}", 1, method, sign * (0.05 + 0.001 * place))
        for place in range(12)
        for method, sign in (("IR", -1), ("DR", -1), ("IE", 1), ("DE", 1))
    ]
    table = pd.DataFrame(rows, columns=["metric", "dataset", "beta", "method", "error_mean"])
    table = table.assign(truth_kind="supervised", error_median=table["error_mean"])
    found = _estimated(table.assign(absolute_error_mean=table["error_mean"].abs()))
    assert found["method"].tolist() == ["DE", "IE"]
    assert (found["p_value"] < 0.01).all()
    assert found["median_difference"].to_numpy() == pytest.approx(0.111)


def test_errors_by_the_error_of_the_priors_are_those_of_each_set(made):
    """Steps are of a set, over the empty bin in the middle; growth pools the runs of all sets, as Figure 2 does."""
    found = derived("jain2017", made, None)
    keys = ["metric", "dataset"]
    sizes = made["by_set_and_gap"].query("method == 'IE'")
    sizes = sizes.pivot(index=keys, columns="gap", values="absolute_error_mean")
    first, last = sizes["[0, .1)"], sizes["[.2, inf)"]
    steps = found["gap_steps"].set_index(keys)["step"]
    np.testing.assert_allclose(steps, (last - first)[steps.index])
    assert len(steps) == len(sizes)
    growth = found["gap_growth"].query("method == 'IE'").set_index("metric")
    runs = made["by_set_and_gap"].query("method == 'IE'")
    totals = (runs["runs"] * runs["absolute_error_mean"]).groupby([runs["metric"], runs["gap"]])
    means = totals.sum() / runs.groupby(["metric", "gap"])["runs"].sum()
    expected = means[:, "[.2, inf)"] / means[:, "[0, .1)"]
    np.testing.assert_allclose(growth["growth"], expected[growth.index])
    assert growth["low"].isna().all(), "two sets have no interval"


def test_pooled_growth_of_many_sets_has_the_interval_of_resampled_sets():
    """Every set has twice the error where beta - alpha is wrong: so have all resampled ones."""
    rows = [
        ("roc_auc", f"set{place}", method, gap, 10, size * (1 + place))
        for place in range(12)
        for method in ("DR", "DE", "IR", "IE")
        for gap, size in (("[0, .1)", 1), ("[.1, .2)", 2 + method.endswith("E")))
    ]
    names = ["metric", "dataset", "method", "gap", "runs", "absolute_error_mean"]
    table = pd.DataFrame(rows, columns=names)
    growth = _gap_growth(table).set_index("method")
    assert growth.loc["DR", ["growth", "low", "high"]].to_numpy() == pytest.approx(2)
    assert growth.loc["IE", ["growth", "low", "high"]].to_numpy() == pytest.approx(3)
    difference = _gap_difference(table)
    assert (difference["low"] > 0).all()
