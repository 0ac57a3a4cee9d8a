"""Head to head: controls, registries, what methods say of one ranking, and the records of a pool."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef, roc_auc_score

from pumetrics.labeling import noisy_positives
from pumetrics.methods import METHODS, Estimate, Given, Method, ScoredSample, View
from pumetrics.metrics import AREAS, MEASURES, METRICS, max_score, pu_average_precision_score, pu_roc_auc_score
from pumetrics_workflow import records
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.studies.head_to_head import labelings
from pumetrics_workflow.studies.head_to_head.in_memory import judge
from pumetrics_workflow.studies.head_to_head.labelings import LABELINGS, Kind, Labeling, Source, draw, situation
from pumetrics_workflow.studies.head_to_head.pool import POOL, matrix, pool_scores
from pumetrics_workflow.studies.head_to_head.scoring import score_pool
from pumetrics_workflow.studies.head_to_head.simulation import simulate

MODELS = {
    "mlp": {"type": "bagged_mlp", "n_estimators": 5, "hidden_units": 3},
    "naive_bayes": {"type": "naive_bayes"},
    "logistic": {"type": "logistic_regression", "C": 1.0},
}
OPTIONS = {
    "labelings": ["beta=1", "bcar=0.6", "sar_score=4"], "rows": 240, "n_unlabeled": [200], "labeled_ratio": 0.1,
    "n_folds": 3, "models": MODELS, "reference": "mlp", "priors": ["bbe", "consensus"], "clean": ["consensus"],
    "own_priors": ["bbe"],
}  # fmt: skip


@pytest.fixture(scope="module")
def frame():
    return generate("gaussians_mixed", {"size": 300, "dimension": 4, "share": 0.4, "nominal_features": 1})


def judged(frame, repeats=(0,), **options):
    chosen = {**OPTIONS, **options}
    return judge(frame, dataset="mixed", labeling=None, options=chosen, repeats=list(repeats), seed=1)


@pytest.fixture(scope="module")
def found(frame):
    return judged(frame)


@pytest.fixture(scope="module")
def ranked():
    """Return one ranking with ties, whose labels are a random part of the positives."""
    rng = np.random.default_rng(4)
    y = (rng.random(900) < 0.4).astype(np.int8)
    rows, s = noisy_positives(y, beta=1.0, n_labeled=60, n_unlabeled=600, random_state=rng)
    score = np.round(rng.normal(size=660) + 1.5 * y[rows], 1)
    return sample(s, y[rows], score)


def sample(s, y, score):
    return ScoredSample(s, score, y=y, population="all")


def answers(method, ranked, **given):
    """Estimates of a method by metric, with the true priors or others."""
    known = {"alpha": ranked.alpha, "beta": ranked.beta, "rho": float(ranked.s.sum() / ranked.y.sum())}
    entry = METHODS[method]
    view = View(ranked, np.random.default_rng(0))
    return {each.metric: each for each in entry.answer(view, Given(**{**known, **given}), list(entry.metrics))}


def test_the_truth_is_that_of_scikit_learn(ranked):
    y, score = ranked.y, ranked.score
    assert ranked.truth("roc_auc") == pytest.approx(roc_auc_score(y, score))
    assert ranked.truth("average_precision") == pytest.approx(average_precision_score(y, score))
    for at in (3, 17):
        predicted = score >= ranked.thresholds[at]
        assert ranked.truth("max_f1", at) == pytest.approx(f1_score(y, predicted))
        assert ranked.truth("max_mcc", at) == pytest.approx(matthews_corrcoef(y, predicted))


def test_methods_say_what_the_library_says(ranked):
    s, score, alpha = ranked.s, ranked.score, ranked.alpha
    direct, indirect = answers("direct", ranked), answers("indirect", ranked)
    expected = pu_roc_auc_score(s, score, alpha=alpha, method="direct", clip=False)
    assert direct["roc_auc"].value == pytest.approx(expected)
    assert indirect["roc_auc"].value == pytest.approx(pu_roc_auc_score(s, score, alpha=alpha))
    expected = pu_average_precision_score(s, score, alpha=alpha, population="all")
    assert indirect["average_precision"].value == pytest.approx(expected)
    for measure in MEASURES:
        value, threshold = max_score(measure, s, score, alpha=alpha, clip=False)
        answer = direct[f"max_{measure}"]
        assert (answer.value, ranked.thresholds[answer.at]) == pytest.approx((value, threshold))


def test_uncorrected_is_the_special_case_without_priors(ranked):
    plain, corrected = answers("uncorrected", ranked), answers("direct", ranked, alpha=0.0, beta=1.0)
    for metric in METRICS:
        assert plain[metric].value == pytest.approx(corrected[metric].value), metric


def test_f1_from_rho_is_the_recovered_f1_of_clean_labels(ranked):
    by_rho, direct = answers("f1_from_rho", ranked), answers("direct", ranked)
    for metric in ("f1", "max_f1"):
        assert by_rho[metric].value == pytest.approx(direct[metric].value)


@pytest.mark.parametrize("band", ["hypergeometric", "dkw"])
def test_simultaneous_bounds_hold_the_truth(ranked, band):
    for metric, answer in answers(f"bounds_{band}", ranked).items():
        truth = ranked.truth(metric, answer.at)
        assert answer.lower - 1e-9 <= truth <= answer.upper + 1e-9, metric
        assert answer.lower <= answer.value <= answer.upper


def test_a_method_without_usable_priors_says_so_and_nothing_else(ranked):
    for method in ("direct", "indirect", "f1_from_rho"):
        found = answers(method, ranked, alpha=0.9, beta=0.4, rho=0.0)
        assert all(np.isnan(answer.value) for answer in found.values()), method
    assert np.isnan(answers("bounds_dkw", ranked, alpha=np.nan)["roc_auc"].value)


def test_an_oracle_errs_nowhere_and_loses_nothing(found):
    own = found[found["method"] == "oracle"]
    assert set(own["metric"]) == {*METRICS, "all"}
    for kind in ("bias", "absolute_error", "inversions", "regret"):
        values = own.loc[own["truth_kind"] == kind, "estimate"]
        assert len(values) == len(METRICS) * 3
        assert (values == 0).all(), kind


def test_random_numbers_put_half_of_the_pairs_in_the_wrong_order():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 80]).astype(np.int8)
    s = y * (rng.random(120) < 0.5)
    pool = {f"m{i}": sample(s, y, rng.normal(size=120) + y * i / 10) for i in range(12)}
    rates = []
    for repeat in range(20):
        rngs = {name: np.random.default_rng([repeat, i]) for i, name in enumerate(pool)}
        priors = {name: {"true": (0.2, 1.0), "consensus_clean": (0.2, 1.0)} for name in pool}
        rows = pd.DataFrame(score_pool(pool, priors, {"true": 0.5}, rngs))
        chosen = (rows["method"] == "random") & (rows["truth_kind"] == "inversions") & rows["metric"].isin(AREAS)
        rates += rows.loc[chosen, "estimate"].tolist()
    assert len(rates) == 40
    assert np.mean(rates) == pytest.approx(0.5, abs=0.06)  # one rate scatters by .11, half of them hang together


def test_regret_is_what_the_favourite_is_worse_than_the_best():
    y = np.array([1, 1, 0, 0, 0, 0], dtype=np.int8)
    s = np.array([1, 0, 0, 0, 0, 0], dtype=np.int8)
    good, bad = sample(s, y, np.array([5.0, 6, 4, 3, 2, 1])), sample(s, y, np.array([6.0, 1, 5, 4, 3, 2]))
    priors = {"true": (0.2, 1.0), "consensus_clean": (0.2, 1.0)}
    rngs = {"good": np.random.default_rng(0), "bad": np.random.default_rng(1)}
    pool = {"good": good, "bad": bad}
    rows = pd.DataFrame(score_pool(pool, dict.fromkeys(pool, priors), {"true": 0.5}, rngs))
    row = rows.query("method == 'uncorrected' and metric == 'roc_auc' and truth_kind == 'regret'").iloc[0]
    assert row["model"] == "bad", "it ranks the one labeled positive first, and the hidden one last"
    assert row["estimate"] == pytest.approx(1.0 - 0.5)


def test_one_entry_adds_a_method(frame, monkeypatch):
    def always_half(view, given, metrics):
        yield from (Estimate(metric, 0.5) for metric in metrics)

    monkeypatch.setitem(METHODS, "half", Method(always_half, "always one half", (), "nothing", ("roc_auc",)))
    own = judged(frame, labelings=["bcar=0.6"]).query("method == 'half'")
    assert set(own["truth_kind"]) == {"bias", "absolute_error", "inversions", "regret", "seconds"}
    assert own.loc[own["truth_kind"] == "bias", "estimate"].iloc[0] < 0


def test_one_entry_adds_a_labeling(frame, monkeypatch):
    def every_other(source, strength, rng):
        y = source.y[source.rows]
        return Labeling(source.rows, (y * (np.cumsum(y) % round(strength) == 0)).astype(np.int8))

    monkeypatch.setitem(LABELINGS, "every", Kind(every_other, "every so many positives labeled"))
    own = judged(frame, labelings=["every=2"])
    assert set(own["labeling"]) == {"every=2"}
    labeled = own.loc[own["metric"] == "labeled", "estimate"].iloc[0]
    assert labeled == pytest.approx(0.5 * 0.4 * 240, rel=0.25)


@pytest.mark.parametrize("name", ["beta=0.9", "bcar=0.6", "bar=0.6", "bnar=0.6", "sar_score=4", "sar_feature=4"])
def test_every_labeling_leaves_the_share_it_says(frame, name):
    source = Source(frame, "x1", np.arange(300), n_unlabeled=(150,), labeled_ratio=0.2, betas=(0.9,), n_folds=3)
    drawn = draw(source, name, np.random.default_rng(0))
    y = source.y[drawn.rows]
    assert set(np.unique(drawn.s)) == {0, 1}
    if name.startswith("beta"):
        assert y[drawn.s == 1].mean() == pytest.approx(0.9)
        return
    assert (drawn.s <= y).all(), "a negative was labeled"
    share = drawn.s.sum() / y.sum()
    assert share == pytest.approx(0.5 if name.startswith("sar") else 0.4, abs=0.12)
    assert (drawn.removed is not None) == name.startswith("bnar")
    assert situation(name)


def test_labels_by_score_prefer_easy_positives():
    frame = generate("gaussians", {"size": 600, "dimension": 3, "share": 0.5})
    source = Source(frame, "x1", np.arange(600), n_unlabeled=(150,), labeled_ratio=0.1, betas=(), n_folds=3)
    score = labelings._true_scores(source, np.random.default_rng(0))
    s = draw(source, "sar_score=6", np.random.default_rng(0)).s
    positive = source.y == 1
    assert score[s == 1].mean() > score[positive & (s == 0)].mean() + 0.5


def test_a_labeling_that_does_not_fit_is_left_out_and_named(frame, caplog):
    with caplog.at_level("INFO"):
        own = judged(frame, labelings=["bcar=0.97", "bcar=0.3"])
    assert set(own["labeling"]) == {"bcar=0.3"}
    assert "bcar=0.97, repeat 0: left out" in caplog.text
    with pytest.raises(ValueError, match="there is no kind of labeling 'mcar'"):
        draw(None, "mcar=1", None)


def test_every_model_scores_rows_it_was_not_trained_on(frame):
    """Random labels cannot be told apart out of sample, however well a model could learn them by heart."""
    rng = np.random.default_rng(0)
    s = (rng.random(300) < 0.5).astype(np.int8)
    options = {
        "bagged_mlp": {"n_estimators": 10},
        "random_forest": {"n_estimators": 30},
        "boosted_trees": {"max_iter": 10},
    }
    models = {name: {"type": name, **options.get(name, {})} for name in POOL}
    X = matrix(frame.drop(columns="y"))
    seed = np.random.SeedSequence(1)
    scored = dict(pool_scores(X, s, np.arange(300) % 5, models, seed))
    assert list(scored) == list(POOL)
    for name, scores in scored.items():
        assert scores.shape == (300,)
        assert np.isfinite(scores).all()
        assert 0.35 < roc_auc_score(s, scores) < 0.65, name


def test_features_are_standardised_and_constant_ones_left_out():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [7.0] * 4, "c": pd.Categorical(list("xyxy"))})
    X = matrix(frame)
    assert X.shape == (4, 3)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1)


def test_records_fit_their_door_and_do_not_depend_on_chunks(frame, found, tmp_path):
    both, second = judged(frame, (0, 1)), judged(frame, (1,))
    for name, table in (("both", both), ("apart", pd.concat([second, found]))):
        kept = table[table["truth_kind"] != "seconds"].assign(study="head_to_head", dataset="mixed")
        records.write("records", kept, tmp_path / f"{name}.parquet")
    pd.testing.assert_frame_equal(
        *(records.read("records", tmp_path / f"{name}.parquet") for name in ("both", "apart"))
    )


def test_intervals_come_with_truth_and_hold_their_estimate(frame):
    changed = {"labelings": ["bcar=0.6"], "models": {"naive_bayes": MODELS["naive_bayes"]}, "priors": ["true", "bbe"]}
    options = {**OPTIONS, **changed, "n_bootstrap": 10, "noisy": False}
    own = simulate("intervals", repeats=[0], seed=1, data={"mixed": frame}, **options)
    intervals = own[own["truth_kind"] == "interval"]
    assert set(intervals["metric"]) == set(METRICS)
    assert set(intervals["prior"]) == {"true", "bbe"}
    assert ((intervals["lower"] <= intervals["estimate"]) & (intervals["estimate"] <= intervals["upper"])).all()
    assert intervals["truth"].between(-1, 1).all()
    assert set(own.columns) <= set(records.DOORS["records"])
