"""The study of Claesen et al.: draws that no chunk changes, orders that flip for the reason given, exact coverage."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies import check_chunks

from pumetrics.bounds import rank_cdf_band
from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.ranking import ranking_scores
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies import Results
from pumetrics_workflow.studies import derived as all_tables
from pumetrics_workflow.studies.claesen2015.rankings import band_coverage, laid_out, two_normals
from pumetrics_workflow.studies.claesen2015.simulation import simulate
from pumetrics_workflow.studies.claesen2015.tables import _changed_orders, reproduced, tables
from pumetrics_workflow.tables import empty
from pumetrics_workflow.verdicts import compare_published, read_published

PUBLISHED = read_published(Path(__file__).parents[2] / "config/published/claesen2015.csv")

SMALL = {
    "exact": {},
    "figure2": {"n_labeled": [10, 60], "n_unlabeled": 600, "alpha": 0.2, "separation": 1.2},
    "figure3": {
        "n_labeled": 200,
        "n_unlabeled": 2000,
        "alpha": 0.3,
        "separation": 1.2,
        "alphas": [0, 0.3, 0.4],
    },
    "figure4": {"n_labeled": 5000, "n_unlabeled": 45000, "alphas": [0, 0.1]},
    "known_examples": {
        "n_positive": 200,
        "n_negative": 1000,
        "positives": [0.1, 0.6],
        "negatives": [0, 0.8],
        "factors": [0.8, 1, 1.2],
        "separation": 1.2,
    },
    "coverage": {"n_labeled": [10], "alphas": [0.3], "n_unlabeled": 200, "separation": 1.2},
}
FIGURE5 = {"label_share": 0.1, "test_positives": 300, "test_negatives": 300}
ORDERS = {
    "models": {
        "logistic": {"type": "logistic_regression"},
        "shrunk": {"type": "logistic_regression", "C": 0.001},
        "bayes": {"type": "gaussian_naive_bayes"},
    },
    "label_share": 0.3,
    "rows": 300,
    "n_folds": 2,
    "factors": [0, 0.5, 1, 2],
}
TRAINING = {"n_labeled": 50, "n_unlabeled": 300, "n_models": 3}


def features(n=1200):
    """A data set with features, and scores of it as if published."""
    rng = np.random.default_rng(0)
    y = (np.arange(n) < n // 2).astype(np.int8)
    frame = pd.DataFrame(rng.normal(0.8 * y[:, None], 1, (n, 4)), columns=list("abcd")).assign(y=y)
    return frame, pd.DataFrame({"score": np.round(rng.normal(y), 1), "y": y})


@pytest.fixture(scope="module")
def everything():
    """Records and statistics of all parts at a tiny size."""
    frame, scores = features()
    single = ("exact", "figure3", "figure4")
    parts = [
        simulate(part, repeats=range(1 if part in single else 2), seed=1, data={}, **options)
        for part, options in SMALL.items()
    ]
    own = simulate(
        "figure5", repeats=range(2), seed=1, data={"covertype": frame}, **FIGURE5, training=TRAINING
    )
    orders = simulate("orders", repeats=range(2), seed=1, data={"some": frame}, **ORDERS)
    published = {"claesen_covertype_scores": scores}
    given = simulate("figure5_published", repeats=range(2), seed=1, data=published, label_share=0.1)
    return pd.concat([*parts, own, orders, given], ignore_index=True).assign(study="claesen2015")


@pytest.fixture(scope="module")
def found(everything):
    """Tables of those records and statistics."""
    return all_tables(
        "claesen2015", tables(Results(*split_answers(everything), empty("priors"), {})), PUBLISHED
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", ["figure2", "known_examples", "coverage", "figure5", "orders"])
def test_chunks_of_repeats_change_nothing(part, tmp_path):
    options = {**SMALL, "figure5": {**FIGURE5, "training": TRAINING}, "orders": ORDERS}[part]
    check_chunks(
        partial(simulate, part, seed=5, data={"some": features()[0]}, **options),
        tmp_path,
        repeats=2,
    )


def test_labeled_and_hidden_positives_of_a_drawn_ranking_have_one_distribution():
    s, y, score = two_normals(
        rng_for(3, 0, 0, 0), n_labeled=20_000, n_unlabeled=60_000, alpha=0.5, separation=1.2
    )
    assert (s.sum(), y.sum()) == (20_000, 50_000)
    assert (np.diff(score) <= 0).all()
    assert score[s == 1].mean() == pytest.approx(score[(y == 1) & (s == 0)].mean(), abs=0.03)
    assert score[y == 1].mean() - score[y == 0].mean() == pytest.approx(1.2, abs=0.03)


def test_laid_out_ranking_has_the_area_of_its_blocks():
    s, score = laid_out([(0.4, 0, 0), (0.6, 0.2, 1)], n_labeled=500, n_unlabeled=5000)
    assert s.sum() == 500
    assert s[:200].all()
    assert ranking_scores(score, s).auroc == pytest.approx(0.4 + 0.6 * 0.4, abs=1e-3)


@pytest.mark.slow
def test_figure_4_comes_out_and_flips_by_clipping_alone(found):
    areas = found["figure4_areas"].set_index(["model", "alpha_hat"])
    for model, alpha, published in (
        ("model 1", 0.0, 72.5),
        ("model 2", 0.0, 73.2),
        ("model 1", 0.1, 75.5),
        ("model 2", 0.1, 74.7),
    ):
        row = areas.loc[(model, alpha)]
        assert row["roc_auc"] == pytest.approx(published, abs=0.2)
        assert (row["clipped_share"] > 0) == (alpha > 0)
    for alpha in (0.0, 0.1):
        first, second = (
            areas.loc[(model, alpha), "roc_auc_unclipped"] for model in ("model 1", "model 2")
        )
        assert first < second


@pytest.mark.slow
def test_without_clipping_only_the_best_f1_changes_order(found):
    """Precision is F(r) n / r: a larger alpha multiplies it by one factor, for all models and ranks alike."""
    areas = found["figure4_areas"].set_index(["model", "alpha_hat"])
    three, four = areas.loc["model 3"], areas.loc["model 4"]
    assert (three["clipped_share"] == 0).all()
    assert (four["clipped_share"] == 0).all()
    factors = [
        model["average_precision"].loc[0.1] / model["average_precision"].loc[0.0]
        for model in (three, four)
    ]
    assert factors == pytest.approx([9500 / 5000] * 2, rel=2e-3)
    assert (three["roc_auc"] < four["roc_auc"]).all()
    assert three["best_f1"].loc[0.0] > four["best_f1"].loc[0.0]
    assert three["best_f1"].loc[0.1] < four["best_f1"].loc[0.1]


@pytest.mark.slow
def test_simulated_coverage_tends_to_the_exact_one():
    """The recursion needs no scores; drawn rankings must agree with it."""
    options = {"n_labeled": [15], "alphas": [0.3], "n_unlabeled": 150, "separation": 1.2}
    drawn = simulate("coverage", repeats=range(250), seed=2, data={}, **options)
    shares = drawn.groupby(["method", "statistic"])["value"].mean()
    for band in ("bootstrap", "dkw", "hypergeometric:pointwise", "hypergeometric"):
        exact, simulated = (
            shares[f"bounds_{band}", f"rank_cdf_everywhere{suffix}"] for suffix in ("_exact", "")
        )
        assert simulated == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 250) + 0.01)


@pytest.mark.parametrize("n_labeled", [20, 100, 1000])
@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.6])
def test_default_band_holds_everywhere_with_at_least_its_confidence_in_every_cell(n_labeled, alpha):
    s = np.r_[np.zeros(2000, int), np.ones(n_labeled, int)]
    score = -np.arange(len(s), dtype=float)
    cover = {}
    for method in ("hypergeometric", "dkw", "bootstrap"):
        band = rank_cdf_band(s, score, alpha=alpha, method=method)
        cover[method], _ = band_coverage(
            n_labeled, round(alpha * 2000), *(side[1999:] for side in band)
        )
    assert 0.95 <= cover["hypergeometric"] < 0.96
    assert cover["bootstrap"] < 0.05, "a pointwise band promises nothing for all ranks together"


@pytest.mark.slow
def test_every_published_number_is_known(found):
    compared = compare_published(PUBLISHED, reproduced(found), found)
    untested = compared[compared["verdict"].isin(["not tested", "not testable here"])]
    assert untested.empty
    exact = compared[compared["id"].str.startswith(("figure1", "claim/lemmas", "figure4_model"))]
    assert (exact["verdict"] == "holds").all()


@pytest.mark.slow
def test_order_changes_by_clipping_and_not_by_equation_15(found):
    verdicts = compare_published(PUBLISHED, reproduced(found), found).set_index("id")["verdict"]
    assert verdicts[["claim/order", "claim/eq15"]].tolist() == ["holds", "does not hold"]


@pytest.mark.parametrize(
    ("clipped", "range_of"), [(0.0, "0"), (0.02, "0.01 to 0.03"), (0.5, "0.3 to 1")]
)
def test_pairs_that_change_order_are_counted_by_how_much_is_clipped(clipped, range_of):
    """By each area the first of two models is ahead at alpha 0, and the second in truth."""
    rows = []
    for model, at_zero, otherwise in (("first", 0.7, 0.6), ("second", 0.6, 0.7)):
        rows.append((model, "none", "clipped_share", np.nan, clipped))
        for metric in ("roc_auc", "average_precision", "max_f1"):
            rows.extend((model, metric, "estimate", at, at_zero) for at in (0, 0.5))
            rows.extend((model, metric, "estimate", at, otherwise) for at in (1, 2))
            rows.append((model, metric, "truth", np.nan, otherwise))
    statistics = pd.DataFrame(rows, columns=["model", "metric", "statistic", "at", "value"])
    table = _changed_orders(statistics.assign(dataset="some", repeat=0))
    assert set(table["clipped"]) == {range_of, "all"}
    shares = table[["changed", "halved", "doubled", "wrong_at_zero", "wrong_at_alpha"]]
    assert (shares == [1, 1, 0, 1, 0]).all(axis=None)
