"""Assessing scores of one's own: bounds that hold, doubts that are due, orders that alpha can and cannot turn."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian
from sklearn import metrics as sk

from pumetrics import metrics
from pumetrics._weights import effective_size
from pumetrics.assessment import alpha_from_rho, assess, assess_by, compare_scores, page, paper_paragraph
from pumetrics.assessment._words import design_in_words, explained
from pumetrics.bounds import score_bounds
from pumetrics.bounds.curve_bounds import unlabeled_areas
from pumetrics.bounds.scores import band_for
from pumetrics.counts import count_ranks
from pumetrics.inference.sample import SCORED

pytestmark = pytest.mark.usefixtures("sketched")
relaxed = settings(max_examples=40)


def hidden_positives(seed, n_labeled=150, n_unlabeled=600, *, distance=2.0, digits=8):
    """True class, observed label and score; labels are a random sample of the positives."""
    s, score, y = gaussian(seed, n_labeled, n_unlabeled, distance=distance, digits=digits)
    return y, s, score.copy()


def by_name(found):
    return {score.metric: score for score in found.scores}


def test_scores_are_scikit_learns_before_and_the_librarys_after_correction():
    _, s, score = hidden_positives(0, digits=1)
    found = by_name(assess(s, score, alpha=0.3, n_bootstrap=0))
    assert found["roc_auc"].uncorrected == pytest.approx(sk.roc_auc_score(s, score))
    assert found["average_precision"].uncorrected == pytest.approx(sk.average_precision_score(s, score))
    assert found["roc_auc"].corrected == pytest.approx(metrics.pu_roc_auc_score(s, score, alpha=0.3))
    for name in metrics.MEASURES:
        assert found[name].uncorrected == pytest.approx(metrics.max_score(name, s, score, alpha=0)[0])
        assert found[name].corrected == pytest.approx(metrics.max_score(name, s, score, alpha=0.3)[0])


@pytest.mark.parametrize(("digits", "threshold"), [(8, None), (0, None), (8, 1.0)])
def test_the_true_scores_lie_within_the_bounds(digits, threshold):
    for seed in range(15):
        y, s, score = hidden_positives(seed, 60, 300, digits=digits)
        bounds = score_bounds(list(SCORED), s, score, alpha=0.3, threshold=threshold)
        true = metrics.threshold_measures(y, score)
        at = slice(None) if threshold is None else np.flatnonzero(true["threshold"] >= threshold)[-1]
        truth = {name: np.max(true[name][at]) for name in metrics.MEASURES}
        truth["roc_auc"] = sk.roc_auc_score(y, score)
        truth["average_precision"] = sk.average_precision_score(y[s == 0], score[s == 0])
        for name, (low, high) in bounds.items():
            assert low - 1e-9 <= truth[name] <= high + 1e-9, (name, seed)


@relaxed
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=2, max_size=40))
def test_area_bounds_meet_in_the_average_precision_when_nothing_is_unknown(examples):
    """Hidden counts known exactly: with distinct scores both bounds are the area, with ties they hold it."""
    y, score = np.array([(True, 13), *examples], dtype=int).T
    for scores, exact in ((score, False), (np.argsort(np.argsort(score)), True)):
        hidden, others = counts_at_thresholds(y, scores)
        low, high = unlabeled_areas(hidden, hidden, hidden + others)
        truth = sk.average_precision_score(y, scores)
        assert low - 1e-9 <= truth <= high + 1e-9
        if exact:
            assert low == pytest.approx(truth)
            assert high == pytest.approx(truth)


def counts_at_thresholds(y, score):
    thresholds = np.append(np.inf, np.unique(score)[::-1])
    at_least = score[None, :] >= thresholds[:, None]
    return at_least @ y, at_least @ (1 - y)


def test_bounds_of_many_examples_are_cheap_and_hold():
    y, s, score = hidden_positives(2, 30_000, 150_000)
    band = band_for(count_ranks(s, score), alpha=0.3)
    assert band_for(count_ranks(s[29_000:31_000], score[29_000:31_000]), alpha=0.3) is None  # the exact band is cheap
    order = np.argsort(-score)
    share = np.cumsum((y * (1 - s))[order]) / (y * (1 - s)).sum()
    assert (band.lower <= share).all()
    assert (share <= band.upper).all()
    low, high = score_bounds(["average_precision"], s, score, alpha=0.3, band=band)["average_precision"]
    assert low < sk.average_precision_score(y[s == 0], score[s == 0]) < high


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 0.99), st.floats(0.01, 1))
def test_rho_and_alpha_say_the_same(n_labeled, n_unlabeled, alpha, beta):
    labeled = beta * n_labeled
    rho = labeled / (labeled + alpha * n_unlabeled)
    assert alpha_from_rho(rho, n_labeled, n_unlabeled, beta=beta) == pytest.approx(alpha, abs=1e-6)


def codes(found):
    return {warning.code for warning in found.warnings}


def test_good_data_raise_no_doubts():
    for seed in range(8):
        _, s, score = hidden_positives(seed)
        assert assess(s, score, alpha=0.3, n_bootstrap=0, method="elkan_noto_e3").warnings == ()
    assert "perfect" in codes(assess(s, s, alpha=0.3, n_bootstrap=0, method="elkan_noto_e3")), "labels as scores"


def test_the_order_of_equal_scores_raises_no_doubt():
    """Labeled examples come first in the file; nobody may take that for the order of the scores."""
    _, s, score = hidden_positives(0, digits=0)
    assert "biased" not in codes(assess(s, score, alpha=0.3, n_bootstrap=0, method="elkan_noto_e3"))


@pytest.mark.parametrize(
    ("change", "options", "doubt"),
    [
        ({"n_labeled": 1}, {"alpha": 0.3}, {"one_labeled"}),
        ({"n_labeled": 20}, {"alpha": 0.3}, {"few_labeled"}),
        ({"n_unlabeled": 40}, {"alpha": 0.3}, {"few_unlabeled"}),
        ({"digits": 0}, {"alpha": 0.3}, {"tied"}),
        ({"distance": -1}, {"alpha": 0.1}, {"reversed"}),
        ({}, {"alpha": 0.65}, {"biased", "disagrees_with_given", "repaired"}),
        ({}, {"alpha": 0.3, "beta": 0.35}, {"close_priors"}),
    ],
)
def test_what_is_wrong_is_said(change, options, doubt):
    _, s, score = hidden_positives(0, **change)
    assert doubt <= codes(assess(s, score, **options, n_bootstrap=0, method="elkan_noto_e3"))


def test_negatives_among_the_labeled_are_seen():
    _, s, score = hidden_positives(0, 2000, 6000)
    rng = np.random.default_rng(1)
    score[rng.choice(np.flatnonzero(s == 1), 600, replace=False)] = rng.normal(size=600)
    found = assess(s, score, alpha=0.3, n_bootstrap=0, method="elkan_noto_e3")
    assert "noisy" in codes(found)
    given = assess(s, score, alpha=0.3, beta=0.7, n_bootstrap=0, method="elkan_noto_e3")
    assert "noisy" not in codes(given)
    assert all(score.bounds is None for score in given.scores)
    assert "they need random labels without noise" in page(given, s, score)


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_curves_of_the_page_are_those_of_the_table(population, monkeypatch):
    """The estimate of alpha need not be the middle of its range."""
    from pumetrics import displays

    areas = []
    for display in (displays.PURocDisplay, displays.PUPrecisionRecallDisplay):

        def plot(self, *args, drawn=display.plot, **options):
            areas.append((self.area, self.bounds and self.bounds[3]))
            return drawn(self, *args, **options)

        monkeypatch.setattr(display, "plot", plot)
    _, s, score = hidden_positives(3)
    found = assess(s, score, method="elkan_noto_e3", n_bootstrap=20, population=population)
    page(found, s, score)
    for (area, bounds), row in zip(areas, found.scores, strict=False):
        assert not row.identified or area == pytest.approx(row.corrected)
        if (population, row.metric) == ("unlabeled", "roc_auc"):
            assert bounds is None, "the bounds of a point of the ROC curve are those of all rows"
        else:
            assert bounds == pytest.approx(row.bounds)


def test_estimated_priors_and_their_range_are_used():
    _, s, score = hidden_positives(3)
    found = assess(s, score, method="elkan_noto_e3", n_bootstrap=30)
    assert found.source == "estimated (elkan_noto_e3)"
    assert found.alpha == pytest.approx(found.priors.alpha)
    assert found.alpha_interval[1] <= found.alpha_bound + 0.1
    low, high = found.alpha_interval
    assert low < found.alpha < high
    for score_ in found.scores:
        assert not score_.identified or score_.interval[0] <= score_.corrected <= score_.interval[1]
    words = paper_paragraph(found)
    alpha = f"{low:.3f} to {high:.3f}"
    for part in (alpha, f"{found.scores[0].corrected:.3f}", "30 resamples", "calibrated", "SCAR"):
        assert part in words
    assert assess(s, score, method="elkan_noto_e3", n_bootstrap=30).scores == found.scores


@relaxed
@given(st.integers(0, 10_000), st.integers(0, 2))
def test_alpha_never_turns_the_order_of_balanced_accuracy_and_correlation(seed, digits):
    """Both are corrected by a factor that does not know the model (Ramola et al. 2019, Theorem 2.1)."""
    rng = np.random.default_rng(seed)
    _, s, score = hidden_positives(seed, 10, 40, digits=digits)
    other = score + rng.normal(size=50)
    found = compare_scores(s, score, other, alpha=0.1, metrics=["balanced_accuracy", "mcc"], n_bootstrap=1)
    assert found.orders["balanced_accuracy"].changes == ()
    assert found.orders["mcc"].changes == ()


def test_where_the_order_turns_both_models_are_equal():
    """One model finds few positives surely, the other nearly all with false alarms: alpha says who is more accurate."""
    s = np.repeat([1, 0], [100, 400])
    sure, broad = np.zeros(500), np.zeros(500)
    sure[:50], sure[100:164] = 1, 1
    broad[:95], broad[100:284] = 1, 1
    found = compare_scores(s, sure, broad, alpha=0.1, metrics=["accuracy"], threshold=0.5, n_bootstrap=1)
    order = found.orders["accuracy"]
    (turn,) = order.changes
    both = [metrics.pu_accuracy_score(s, (model > 0.5).astype(int), alpha=turn, clip=False) for model in (sure, broad)]
    assert both[0] == pytest.approx(both[1], abs=1e-3)
    assert 0 < turn < found.most_alpha
    assert order.first_ahead + order.second_ahead == pytest.approx(1)


def test_a_comparison_says_when_alpha_leaves_no_room():
    _, s, score = hidden_positives(0)
    found = compare_scores(s, score, score, alpha=0.65, metrics=["roc_auc"], n_bootstrap=1)
    assert "biased" in codes(found)
    assert found.orders["roc_auc"] == (0, 0, ())
    assert found.most_alpha == 0.65


def test_a_comparison_says_whose_scores_are_in_doubt():
    y, s, score = hidden_positives(0, 30)
    known = compare_scores(s, score, score.round(), alpha=0.3, metrics=["f1"], n_bootstrap=1)
    said = [(warning.code, warning.about) for warning in known.warnings]
    assert said[:2] == [("few_labeled", None), ("tied", "second model")]
    noise = y + np.random.default_rng(0).normal(scale=5, size=len(y))
    estimated = compare_scores(s, score, noise, method="elkan_noto_e3", metrics=["f1"], n_bootstrap=5)
    assert "models_disagree" in codes(estimated)


# Assessments by group: each equals the assessment of its rows alone.


QUICK = {"n_bootstrap": 12, "method": "elkan_noto_e3", "random_state": 0, "metrics": ["roc_auc", "f1"]}


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 1, 0], [120, 130, 350])
    s, group = np.repeat([1, 0], [120, 480]), rng.choice(["b", "a", "c"], 600, p=[0.5, 0.4, 0.1])
    return s, rng.normal(2.0 * y), group


@pytest.mark.parametrize("options", [{"alpha": 0.25}, {}, {"rho": 0.5}])
def test_a_group_is_assessed_as_if_it_were_alone(options, sample):
    s, score, group = sample
    rows = {"sample_weight": np.random.default_rng(1).random(600), "cluster": np.arange(600) // 2}
    found = assess_by(s, score, group, **QUICK, **options, **rows)
    assert [each.group for each in found] == ["a", "b", "c"]
    for each in found:
        chosen = group == each.group
        part = {name: values[chosen] for name, values in rows.items()}
        wanted = assess(s[chosen], score[chosen], **QUICK, **options, **part)
        assert found[each.group].scores == wanted.scores
        assert found[each.group].alpha == wanted.alpha
        assert found[each.group].warnings == wanted.warnings


def test_the_table_has_one_row_per_group_and_says_what_is_missing(sample):
    s, score, group = sample
    group = np.where((np.arange(600) < 3) | (np.arange(600) > 590), "tiny", group.astype(object))
    group[100], group[300:303] = None, "unlabeled only"
    frame = assess_by(s, score, group, alpha=0.25, **QUICK).to_frame()
    assert list(frame.index) == ["a", "b", "c", "tiny", "unlabeled only", "no value"]
    assert frame["n_labeled"].sum() == 120
    assert frame.loc["tiny", ["roc_auc_lower", "roc_auc_upper"]].isna().all()
    assert np.isnan(frame.loc["tiny", "roc_auc"])
    assert "there is no interval: it needs at least 10 labeled" in frame.loc["tiny", "warnings"]
    assert frame.loc["unlabeled only", "warnings"] == "no labeled example"
    assert np.isnan(frame.loc["no value", "roc_auc"])
    assert (frame.loc["a", "f1_lower"] <= frame.loc["a", "f1"]) & (frame.loc["a", "f1"] <= frame.loc["a", "f1_upper"])


def test_a_group_that_fails_says_why_and_the_others_stand(sample):
    s, score, group = sample
    found = assess_by(s, np.where(group == "c", 1.0, score), group, alpha=0.25, **QUICK)
    reasons = {each.group: each.reason for each in found}
    assert reasons["a"] == reasons["b"] == ""
    assert reasons["c"].startswith("y_score is 1 for every example: constant scores")
    with pytest.raises(KeyError, match="group 'c' is not assessed: y_score is 1"):
        found["c"]
    with pytest.raises(KeyError, match="there is no group 'd': the groups are a, b, c"):
        found["d"]


def test_names_of_any_kind_are_sorted(sample):
    s, score, _ = sample
    numbers = np.arange(600) % 11
    assert [each.group for each in assess_by(s, score, numbers, alpha=0.25, **QUICK)] == list(range(11))
    mixed = np.array([1, "x"], dtype=object)[numbers % 2]
    assert [each.group for each in assess_by(s, score, mixed, alpha=0.25, **QUICK)] == [1, "x"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": np.arange(600)}, "groups holds 600 different values, more than 200"),
        ({"groups": np.zeros(599)}, "lengths differ: s has 600, y_score has 600, groups has 599"),
        ({"groups": np.zeros((600, 2))}, "groups must be one-dimensional"),
        ({"confidence": 95}, "no group can be assessed: a: confidence must lie in"),
    ],
)
def test_bad_groups_are_named(change, message, sample):
    s, score, group = sample
    with pytest.raises(ValueError, match=message):
        assess_by(s, score, **{"groups": group, "alpha": 0.25, **QUICK, **change})


# Assessments of weighted rows, clusters and folds: the same numbers as elsewhere, and said in words.


DRAWN = {"n_bootstrap": 12, "method": "elkan_noto_e3", "random_state": 0}


DESIGNS = {
    "weights": lambda n: {"sample_weight": np.random.default_rng(0).exponential(size=n)},
    "clusters": lambda n: {"cluster": np.random.default_rng(0).permutation(n) // 3},
    "folds": lambda n: {"fold": np.random.default_rng(0).permutation(n) % 3},
}


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("alpha", [0.3, None])
def test_numbers_do_not_depend_on_resamples_and_there_are_no_bounds(kind, alpha):
    s, score, _ = gaussian(0, 120, 600)
    assessment, without = (
        assess(s, score, alpha=alpha, **DRAWN | {"n_bootstrap": n}, **DESIGNS[kind](len(s))) for n in (12, 0)
    )
    assert any(warning.code.startswith("no_bounds") for warning in assessment.warnings)
    assert (assessment.n_labeled, assessment.n_unlabeled) == (120, 600)
    assert json.dumps(assessment.as_dict()["design"])
    for ours, each in zip(without.scores, assessment.scores, strict=True):
        assert each.bounds is None
        assert ours.uncorrected == each.uncorrected
        if each.identified and ours.identified:
            assert ours.corrected == pytest.approx(each.corrected, abs=1e-9)


def test_the_design_is_said_in_words():
    s, score, _ = gaussian(0, 120, 600)
    facts = assess(s, score, alpha=0.3, **DRAWN, **DESIGNS["clusters"](720), **DESIGNS["weights"](720)).design
    assert facts["clusters"] == 240
    assert facts["weighted"]
    weights = DESIGNS["weights"](720)["sample_weight"]
    for value, kind in ((1, "labeled"), (0, "unlabeled")):  # clusters of rows that are not alike take nothing away
        assert facts[f"effective_{kind}"] == pytest.approx(effective_size(weights[s == value]), rel=0.2)
    assert design_in_words(facts) == ["Rows are weighted.", "Intervals resample 240 clusters of rows, not single rows."]
    folded = assess(s, score, alpha=0.3, **DRAWN, **DESIGNS["folds"](720))
    assert "mean of 3 folds, weighted by size" in " ".join(explained(folded))
    assert design_in_words(assess(s, score, alpha=0.3, **DRAWN).design) == []


def values(found):
    return {warning.code: warning.values for warning in found.warnings}


def test_effective_sizes_are_warned_of():
    s, score, _ = gaussian(0, 120, 600)
    uneven = np.where(np.arange(720) % 10, 1.0, 100.0)
    said = values(assess(s, score, alpha=0.3, sample_weight=uneven, **DRAWN))
    sizes = [said["effective"][name] for name in ("labeled", "unlabeled", "effective_labeled", "effective_unlabeled")]
    assert [*sizes, said["effective"]["causes"]] == [120, 600, 14, 71, "weights"]
    assert said["few_labeled"] == {"n": 14}
    few = np.where(s == 1, np.arange(720) % 12, np.arange(720))
    assert values(assess(s, score, alpha=0.3, cluster=few, **DRAWN))["few_clusters"]["n"] == 12
    fewer = np.where(s == 1, np.arange(720) % 4, np.arange(720))
    none = assess(s, score, alpha=0.3, cluster=fewer, **DRAWN)
    assert none.scores[0].interval is None
    assert values(none)["too_few_clusters"]["n"] == 4


def test_copies_are_no_doubt_within_clusters():
    s, score, _ = gaussian(0, 120, 600)
    copies = np.repeat(np.arange(720), 3)
    plain = assess(s[copies], score[copies], alpha=0.3, **DRAWN)
    clustered = assess(s[copies], score[copies], alpha=0.3, cluster=copies, **DRAWN)
    assert values(plain)["repeated"] == {"copies": 3}
    assert "repeated" not in values(clustered)


def test_rho_counts_weights():
    s, score, _ = gaussian(0, 120, 600)
    weights = np.where(s == 1, 1.0, 2.0)
    weighted = assess(s, score, rho=0.3, sample_weight=weights, **DRAWN)
    assert weighted.alpha == pytest.approx(120 * 0.7 / (0.3 * 1200))


def test_labeled_negatives_are_left_out_of_the_design_as_well():
    s, score, _ = gaussian(0, 120, 600)
    design = {kind: values for make in DESIGNS.values() for kind, values in make(720).items()}
    wanted = assess(s, score, alpha=0.3, **DRAWN, **design)
    longer = {kind: np.append(values, values[:2]) for kind, values in design.items()}
    more = np.append(s, [-1, -1]), np.append(score, [0.0, 9.0])
    found = assess(*more, alpha=0.3, ignore_negatives=True, **DRAWN, **longer)
    assert found.scores == wanted.scores
    assert found.design == wanted.design
    assert (found.warnings[0].code, found.warnings[0].values) == ("negatives", {"n": 2})


def test_folds_are_no_hindrance_to_a_guaranteed_range():
    s, score, _ = gaussian(0, 120, 600)
    found = assess(s, score, **{**DRAWN, "uncertainty": "guaranteed"}, **DESIGNS["folds"](720))
    assert found.alpha_interval[0] == 0


@pytest.mark.parametrize("kind", DESIGNS)
def test_a_comparison_takes_them_too(kind):
    s, score, _ = gaussian(0, 120, 600)
    other = score + np.random.default_rng(1).normal(size=len(s))
    design = DESIGNS[kind](len(s))
    found = compare_scores(s, score, other, alpha=0.3, metrics=["roc_auc"], n_bootstrap=12, **design)
    each = [assess(s, values, alpha=0.3, **DRAWN, **design) for values in (score, other)]
    pair = found.differences["roc_auc"]
    assert [pair.first.estimate, pair.second.estimate] == [one.scores[0].corrected for one in each]
    assert found.design == each[0].design
    assert found.orders["roc_auc"].first_ahead > 0.9
    assert not any(warning.startswith("no bounds") for warning in found.warnings)
