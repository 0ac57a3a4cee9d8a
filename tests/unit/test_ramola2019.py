"""Tables of Ramola 2019 that follow from others, and errors on all registered sets."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.studies import read_tables
from pumetrics_workflow.studies.ramola2019.simulation import simulate
from pumetrics_workflow.studies.ramola2019.tables import (
    _all_sets,
    _errors_by_alpha,
    _trivial_predictor,
)


def test_the_trivial_predictor_is_that_of_the_closed_form():
    """At the lowest threshold both rates are nearly 1: F1 is 2 pi / (1 + pi), by observed labels 2 c / (1 + c)."""
    kept = read_tables("results/reference/quick/ramola2019/tables")
    table = _trivial_predictor(kept["figure1"], kept["figure1_maxima"]).set_index("measure")
    assert table.loc["f1", "true"] == pytest.approx(2 * 0.3 / 1.3, abs=1e-4)
    assert table.loc["f1", "observed"] == pytest.approx(2 * 0.1 / 1.1, abs=1e-4)
    tau = np.linspace(-5, 5, 10_001)
    tpr, fpr = ndtr(1 - tau), ndtr(-1 - tau)
    tpr, fpr = 0.75 * tpr + 0.25 * fpr, 0.25 * tpr + 0.75 * fpr
    best = (2 * 0.1 * tpr / (0.1 + 0.1 * tpr + 0.9 * fpr)).max()
    assert table.loc["f1", "best_observed"] == pytest.approx(best, abs=1e-9)


def test_errors_by_alpha_are_correlated_over_sets_and_not_over_levels():
    sets = [f"set{number}" for number in range(8)]
    rows = [
        (measure, name, beta, size)
        for measure, sign in (("mcc", 1), ("f1", -1))
        for place, name in enumerate(sets)
        for beta, size in ((1, 0.5 + 0.02 * sign * place), (0.7, 0.9))
    ]
    wide = pd.DataFrame(rows, columns=["measure", "dataset", "beta", "PU_size"])
    alphas = pd.DataFrame({"dataset": sets, "alpha_true": np.linspace(0.1, 0.4, 8)})
    table = _errors_by_alpha(wide, alphas).set_index("measure")
    assert (table["sets"] == 8).all()
    assert table.loc["mcc", "rank_correlation"] == pytest.approx(1)
    assert table.loc["f1", "rank_correlation"] == pytest.approx(-1)
    assert (table["p_holm"] >= table["p_value"]).all()


def test_errors_on_all_sets_follow_alpha():
    """Where alpha is above the labeled ratio, accuracy is best with no example predicted positive, and too high."""
    sample = {"kind": "largest", "n_unlabeled": [500], "labeled_ratio": 0.1}
    model = {"type": "bagged_mlp", "n_estimators": 5, "hidden_units": 2, "max_epochs": 20}
    rows = simulate(
        "all_sets",
        repeats=[0],
        seed=0,
        data={"gaussians": generate("gaussians", {"size": 800, "dimension": 2, "share": 0.5})},
        labeling={"names": ["beta=1", "beta=0.8"], "sample": sample},
        model={**model, "validation_fraction": 0.25},
        priors=["alphamax"],
    )
    table = _all_sets(split_answers(rows)[1]).set_index("measure")
    assert table["above_ratio"].all()
    assert (table.loc["accuracy", "PU"] > 0).all()
    assert (table.loc["accuracy", "CR_size"] < table.loc["accuracy", "PU_size"]).all()
    assert (table.loc["f1", "PU"] < 0).all()
    assert table["CE_size"].notna().all(), "with estimated priors too"
