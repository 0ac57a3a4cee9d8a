"""The tables of Jain 2017 are what the paper's text says they are."""

import numpy as np
import pandas as pd
import pytest

from pumetrics.labeling import noisy_positives
from pumetrics.metrics import pu_roc_auc_score
from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.stages.evaluate import evaluate_sample
from pumetrics_workflow.studies import Results, derived, load
from pumetrics_workflow.studies.jain2017.simulation import SCORES, simulate


@pytest.fixture(scope="module")
def made():
    """Tables of a study of two data sets, four repeats, two levels of noise, with priors that are off by .05 and .3."""
    answers, priors = [simulate("figure1", repeats=[0], seed=0, data={})], []
    for dataset, shift in (("near", 1.0), ("far", 2.0)):
        for beta in (1.0, 0.75):
            for repeat in range(4):
                rng = np.random.default_rng([int(100 * beta), repeat, int(shift)])
                y = (rng.random(3000) < 0.4).astype(int)
                rows, s = noisy_positives(y, beta=beta, n_labeled=300, n_unlabeled=2000, random_state=rng)
                scored = pd.DataFrame({"s": s, "y": y[rows], "score": rng.normal(shift * y[rows])})
                alpha = scored["y"][s == 0].mean()
                off = 0.05 if repeat < 2 else 0.3
                guess = pd.DataFrame({"method": ["alphamax"], "alpha": [alpha - off], "beta": [beta]})
                key = {"dataset": dataset, "model": "m", "labeling": f"beta={beta:g}", "repeat": repeat}
                found = evaluate_sample(scored, guess, ["roc_auc", "average_precision"], supervised=scored)
                answers.append(pd.DataFrame(found).assign(**key))
                priors.append(guess.assign(**key, alpha_true=alpha, beta_true=beta, status="ok"))
    results = Results(*split_answers(pd.concat(answers)), pd.concat(priors), {})
    return load("jain2017", "tables").tables(results)


def test_figure_1_is_exact(made):
    found = load("jain2017", "tables").reproduced(derived("jain2017", made, None))
    assert (found["figure1_pu"], found["figure1_true"]) == (0.8, 0.9375)


def test_eight_examples_through_equation_4():
    assert pu_roc_auc_score(SCORES["s"], SCORES["score"], alpha=0.2, method="direct") == pytest.approx(0.875)


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


def test_a_pair_is_a_data_set_at_one_beta(made):
    repaired = made["sign_tests"].query("repair == 'monotone' and priors == 'true'")
    assert (repaired["pairs"] == 4).all()
