"""The study of class priors: chunks change nothing, truth is what was asked for, tables say what statistics hold."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from studies import check_chunks

from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.studies import Results, load
from pumetrics_workflow.studies.class_priors.simulation import simulate

SETTING = {
    "mus": [2],
    "alphas": [0.25, 0.95],
    "betas": [1, 0.9],
    "n_labeled": [1000],
    "n_unlabeled": 1500,
}
METHODS = ["alphamax_plus", "bbe", "consensus", "elkan_noto_e3"]


def made_of(statistics):
    """Tables of the study."""
    return load("class_priors").tables(Results(*split_answers(statistics), None, {}))


@pytest.fixture(scope="module")
def statistics():
    return simulate("gaussians", repeats=[0, 1], seed=5, data={}, methods=METHODS, **SETTING)


@pytest.mark.slow
def test_chunks_change_nothing(tmp_path):
    methods = ["alphamax_plus", "consensus"]
    check_chunks(
        partial(simulate, "gaussians", seed=5, data={}, methods=methods, **SETTING),
        tmp_path,
        repeats=2,
    )


def test_only_settings_with_alpha_below_beta_are_drawn(statistics):
    assert set(statistics["labeling"]) == {
        "alpha=0.25,beta=1,n=1000",
        "alpha=0.95,beta=1,n=1000",
        "alpha=0.25,beta=0.9,n=1000",
    }


def test_truth_is_what_the_setting_says(statistics):
    truth = statistics.query(
        "prior == 'true' and labeling == 'alpha=0.25,beta=0.9,n=1000' and repeat == 0"
    )
    values = truth.set_index("statistic")["value"].to_dict()
    assert values == {"alpha": 0.25, "beta": 0.9, "share": pytest.approx(0.25 / 0.9)}


def test_tables_compare_with_the_bars_on_the_barred_settings_only(statistics):
    made = made_of(statistics)
    found = load("class_priors").published(made)
    barred = statistics.query("statistic == 'share' and labeling != 'alpha=0.95,beta=1,n=1000'")
    wide = barred.pivot(index=["labeling", "repeat"], columns="prior", values="value")
    assert found["share_bbe"] == pytest.approx((wide["bbe"] - wide["true"]).abs().mean())
    assert "share_km1" not in found, "a method that was not run has no number"


def test_real_data_give_realized_priors():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.5).astype(np.int8)
    frame = pd.DataFrame({"x": rng.normal(2 * y).astype(np.float32), "y": y})
    rows = simulate(
        "real", repeats=[0], seed=1, data={"made": frame}, betas=[0.75], methods=["bbe"]
    )
    beta = rows.query("statistic == 'beta' and prior == 'true'")["value"].item()
    labeled = int(y.sum()) // 2
    assert beta == pytest.approx(0.75, abs=0.5 / labeled)
    alpha = rows.query("statistic == 'alpha' and prior == 'true'")["value"].item()
    assert alpha == pytest.approx((y.sum() - round(labeled * beta)) / (600 - labeled), abs=1e-9)


def test_coverage_counts_intervals_that_hold_the_truth():
    rows = simulate(
        "coverage", repeats=[0], seed=2, data={}, methods=["bbe"], n_bootstrap=10, **SETTING
    )
    made = made_of(rows)["coverage"]
    estimates = rows.query("statistic in ('alpha', 'beta') and prior == 'bbe'")
    assert made["intervals"].sum() == len(estimates)
    assert made["coverage"].between(0, 1).all()
