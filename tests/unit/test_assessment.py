"""Assessing scores of one's own: the library's numbers and those of scikit-learn, bounds that hold, due warnings."""

import copy
import html
import json
import pickle
from dataclasses import replace
from string import Formatter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from samples import gaussian
from sklearn import metrics as sk

from pumetrics import metrics
from pumetrics.assessment import Caution, assess, explained, page, paper_paragraph
from pumetrics.assessment._tables import assessment_table
from pumetrics.assessment._words import (
    number,
    priors_in_words,
)
from pumetrics.bounds import score_bounds
from pumetrics.bounds.curve_bounds import unlabeled_areas
from pumetrics.bounds.scores import band_for
from pumetrics.cautions import CAUTIONS
from pumetrics.checks import plan_checks
from pumetrics.counts import count_ranks, count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.inference.corrected import over_alpha
from pumetrics.inference.prior_plan import PriorEstimates
from pumetrics.inference.request import ask_of, labels_of
from pumetrics.inference.sample import SCORED, Sample
from pumetrics.methods import estimate_score
from pumetrics.priors import estimate_priors
from pumetrics.priors.calibration import calibrated_priors
from pumetrics.priors.interval import identifies
from pumetrics.weights import effective_size

pytestmark = pytest.mark.usefixtures("sketched")
DRAWN = {"n_bootstrap": 12, "method": "elkan_noto_e3"}
KNOWN = {"alpha": 0.3, "n_bootstrap": 0, "method": "elkan_noto_e3"}


def by_name(found):
    return {score.metric: score for score in found.scores}


def values(found):
    """Values of the warnings, by code."""
    return {warning.code: warning.values for warning in found.warnings}


def printed(*parts, width=200):
    """What a terminal shows of them."""
    console = Console(width=width)
    with console.capture() as shown:
        console.print(*parts)
    return shown.get()


# Numbers


def test_scores_are_scikit_learns_before_and_the_librarys_after_correction():
    s, score, _ = gaussian(0, 150, 600, digits=1)
    found = by_name(assess(s, score, alpha=0.3, n_bootstrap=0))
    assert found["roc_auc"].uncorrected == pytest.approx(sk.roc_auc_score(s, score))
    assert found["average_precision"].uncorrected == pytest.approx(
        sk.average_precision_score(s, score)
    )
    assert found["roc_auc"].corrected == pytest.approx(
        metrics.pu_roc_auc_score(s, score, alpha=0.3)
    )
    for name in metrics.MEASURES:
        assert found[name].uncorrected == pytest.approx(
            metrics.max_score(name, s, score, alpha=0)[0]
        )
        assert found[name].corrected == pytest.approx(
            metrics.max_score(name, s, score, alpha=0.3)[0]
        )


def test_estimated_priors_and_their_range_are_used():
    s, score, _ = gaussian(3, 150, 600)
    found = assess(s, score, **DRAWN | {"n_bootstrap": 30})
    assert found.source == "estimated (elkan_noto_e3)"
    assert found.alpha == pytest.approx(found.priors.alpha)
    low, high = found.alpha_interval
    assert low < found.alpha < high <= found.alpha_bound + 0.1
    for each in found.scores:
        assert not each.identified or each.interval[0] <= each.corrected <= each.interval[1]
    words = paper_paragraph(found)
    for part in (
        f"at most {number(high)}",
        f"{found.scores[0].corrected:.3f}",
        "30 resamples",
        "calibrated",
        "SCAR",
    ):
        assert part in words
    assert assess(s, score, **DRAWN | {"n_bootstrap": 30}).scores == found.scores


def test_results_are_equal_if_their_numbers_are_nan_included():
    s, score = (
        np.repeat([1, 0], [30, 60]),
        np.arange(90.0),
    )  # labeled rows score lowest: nothing is identified
    found, again = (assess(s, score, n_bootstrap=0) for _ in range(2))
    assert np.isnan(found.scores[0].corrected)
    assert found == again
    assert copy.deepcopy(found) == found
    assert replace(found, n_labeled=31) != found
    assert replace(found, scores=found.scores[:-1]) != found
    assert found != found.scores


def test_the_estimate_is_the_center_of_the_calibrated_range():
    s, score, _ = rare(0)
    calibrated = calibrated_priors(count_scores(s, score))
    low, high = calibrated.intervals(0.95)[0]
    found = assess(s, score, n_bootstrap=0)
    assert found.alpha == pytest.approx(calibrated.center[0])
    assert low < found.alpha < high
    intervals = corrected_intervals(["roc_auc"], s, score, n_bootstrap=10, random_state=0)
    assert intervals.priors.alpha == pytest.approx(calibrated.center[0])


def test_the_best_accuracy_over_a_range_of_alpha_is_least_between_its_ends():
    s, y = np.repeat([1, 0], [50, 1000]), np.repeat([1, 1, 0], [50, 400, 600])
    score = np.random.default_rng(3).normal(0.5 * y)
    options = {"metrics": ["accuracy"], "n_bootstrap": 60}
    (whole,), (within,) = (
        assess(s, score, alpha=alpha, **options).scores for alpha in ((0.05, 0.95), 0.4)
    )
    assert whole.interval[0] <= within.interval[0] + 0.01
    sample = Sample(s, [score])
    labels, ask = (
        labels_of(sample, alpha=(0.05, 0.95)),
        ask_of(["accuracy"], population="all", n_bootstrap=0, least=0),
    )
    found = over_alpha(sample, labels, ask, PriorEstimates(sample.counts[0], labels))
    assert found.models[0]["accuracy"].lower < 0.65, "where nothing is resampled either"


# Bounds


@pytest.mark.parametrize(("digits", "threshold"), [(8, None), (0, None), (8, 1.0)])
@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_true_scores_lie_within_the_bounds(digits, threshold, population):
    for seed in range(8):
        s, score, y = gaussian(seed, 60, 300, digits=digits)
        bounds = score_bounds(
            list(SCORED), s, score, alpha=0.3, threshold=threshold, population=population
        )
        rows = s == 0 if population == "unlabeled" else slice(None)
        true = metrics.threshold_measures(y[rows], score[rows])
        at = (
            slice(None) if threshold is None else np.flatnonzero(true["threshold"] >= threshold)[-1]
        )
        truth = {name: np.max(true[name][at]) for name in metrics.MEASURES}
        truth["roc_auc"] = sk.roc_auc_score(y[rows], score[rows])
        truth["average_precision"] = sk.average_precision_score(y[rows], score[rows])
        for name, (low, high) in bounds.items():
            assert low - 1e-9 <= truth[name] <= high + 1e-9, (name, seed)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=2, max_size=40))
def test_area_bounds_meet_in_the_average_precision_when_nothing_is_unknown(examples):
    """Hidden counts known exactly: with distinct scores both bounds are the area, with ties they hold it."""
    y, score = np.array([(True, 13), *examples], dtype=int).T
    for scores, exact in ((score, False), (np.argsort(np.argsort(score)), True)):
        at_least = scores[None, :] >= np.append(np.inf, np.unique(scores)[::-1])[:, None]
        hidden = at_least @ y
        low, high = unlabeled_areas(hidden, hidden, at_least.sum(axis=1))
        truth = sk.average_precision_score(y, scores)
        assert low - 1e-9 <= truth <= high + 1e-9
        if exact:
            assert [low, high] == pytest.approx([truth, truth])


def test_bounds_of_many_examples_are_cheap_and_hold():
    s, score, y = gaussian(2, 30_000, 150_000)
    band = band_for(count_ranks(s, score), alpha=0.3)
    assert (
        band_for(count_ranks(s[29_000:31_000], score[29_000:31_000]), alpha=0.3) is None
    )  # the exact band is cheap
    order = np.argsort(-score)
    share = np.cumsum((y * (1 - s))[order]) / (y * (1 - s)).sum()
    assert (band.lower <= share).all()
    assert (share <= band.upper).all()
    low, high = score_bounds(["average_precision"], s, score, alpha=0.3, band=band)[
        "average_precision"
    ]
    assert low < sk.average_precision_score(y, score) < high


# Warnings


def test_every_warning_is_shown_whole_and_survives_pickling():
    every = []
    for code, template in CAUTIONS.items():
        names = {name: form for _, name, form, _ in Formatter().parse(template) if name}
        given = {name: 0.25 if form else "x" for name, form in names.items()}
        every.append(Caution(code, "<DE>", **given))
    s, score, _ = gaussian()
    found = replace(assess(s, score, **KNOWN, metrics=["roc_auc"]), warnings=tuple(every))
    text = html.unescape(page(found, s, score))
    for warning in every:
        assert str(warning) in text
        again = pickle.loads(pickle.dumps(warning))
        assert (again, vars(again)) == (warning, vars(warning))


@pytest.mark.parametrize("digits", [8, 0])
def test_good_data_raise_no_warning(digits):
    """Labeled examples come first in the file; nobody may take that for the order of equal scores."""
    for seed in range(8):
        s, score, _ = gaussian(seed, 150, 600, digits=digits)
        assert assess(s, score, **KNOWN).warnings == ()


def test_clean_labels_at_random_are_rarely_called_biased():
    found = [assess(*gaussian(seed, distance=2.5)[:2], **KNOWN) for seed in range(20)]
    assert sum("biased" in values(each) for each in found) <= 1


@pytest.mark.parametrize(
    ("change", "options", "due"),
    [
        ({"n_labeled": 1}, {}, {"one_labeled"}),
        ({"n_labeled": 20}, {}, {"few_labeled"}),
        ({"n_labeled": 8}, {"n_bootstrap": 50}, {"few_labeled", "no_interval"}),
        ({"n_unlabeled": 40}, {}, {"few_unlabeled"}),
        ({"n_unlabeled": 1}, {"n_bootstrap": 50}, {"one_unlabeled", "no_interval"}),
        ({"distance": -1}, {"alpha": 0.1}, {"reversed"}),
        ({}, {"alpha": 0.65}, {"biased", "disagrees_with_given", "repaired"}),
        ({"distance": 0}, {"alpha": None}, {"not_separated"}),
    ],
)
def test_what_is_wrong_is_said(change, options, due):
    s, score, _ = gaussian(0, **{"n_labeled": 150, "n_unlabeled": 600, **change})
    assert due <= values(assess(s, score, **KNOWN | options)).keys()


def test_labels_as_scores_and_labeled_rows_that_are_unlabeled_as_well_are_seen():
    s, score, _ = gaussian(0, 150, 600)
    assert "perfect" in values(assess(s, s, **KNOWN))
    twice = np.append(s, np.zeros(150, dtype=int)), np.append(score, score[:150])
    assert values(assess(*twice, **KNOWN))["labeled_twice"] == {"share": 1}


def test_clusters_do_not_hide_unlabeled_rows_among_the_labeled():
    """Ten unlabeled rows score among the labeled; the effective sample of clusters is too small to show them."""
    s = np.repeat([1, 0], [100, 1000])
    score = np.concatenate(
        [np.linspace(2, 3, 100), np.linspace(2.5, 2.6, 10), np.linspace(0, 1, 990)]
    )
    groups = np.concatenate([np.arange(100), 100 + np.argsort(np.argsort(score[100:])) // 50])
    found = assess(s, score, alpha=0.01, cluster=groups, metrics=["roc_auc"], n_bootstrap=0)
    assert found.design["effective_unlabeled"] == 20
    assert "perfect" not in values(found)
    assert "perfect" in values(assess(s, s, alpha=0.01, cluster=groups, n_bootstrap=0))
    twice = (np.append(each, more) for each, more in ((s, 0 * s[:100]), (score, score[:100])))
    again = assess(*twice, alpha=0.1, cluster=np.append(groups, groups[:100]), n_bootstrap=0)
    assert values(again)["labeled_twice"] == {"share": 1}


def test_a_range_of_alpha_disagrees_only_if_all_of_it_does():
    s, score, _ = gaussian(0, 300, 3000, alpha=0.03, distance=4.0)
    due = {
        (0.01, 0.5): set(),
        (0.2, 0.5): {"disagrees_with_given", "biased"},
        (0.001, 0.002): {"disagrees_with_given"},
    }
    for span_given, codes in due.items():
        found = values(assess(s, score, alpha=span_given, metrics=["roc_auc"], n_bootstrap=0))
        assert found.keys() & {"disagrees_with_given", "biased"} == codes
        assert all(found[code]["alpha"] in span_given for code in codes)


def test_a_given_beta_is_part_of_the_estimate_that_may_disagree():
    s, score, _ = gaussian(0, 500, 5000, alpha=0.1, beta=0.4, distance=4.0)
    right, wrong = (
        values(assess(s, score, alpha=alpha, beta=0.4, n_bootstrap=0)) for alpha in (0.1, 0.27)
    )
    assert "disagrees_with_given" not in right
    assert wrong["disagrees_with_given"]["estimate"] == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize(("n_labeled", "n_bootstrap"), [(200, 1), (8, 50)])
def test_too_little_gives_no_interval(n_labeled, n_bootstrap):
    s, score, _ = gaussian(0, n_labeled)
    found = assess(s, score, alpha=0.3, n_bootstrap=n_bootstrap)
    assert all(each.interval is None for each in found.scores)
    assert ("no_interval" in values(found)) == (n_labeled < 10)


# What is identified


def rare(seed):
    """Few hidden positives, hard to tell: alpha .017."""
    return gaussian(seed, 200, 2000, alpha=0.017, distance=1.5)


@pytest.mark.parametrize(
    ("interval", "known"),
    [
        ((0.150, 0.690), False),
        ((0.002, 0.062), False),
        ((0.030, 0.250), True),
        ((0.0, 0.009), True),
        ((0.80, 0.95), True),
        ((-0.1, 0.2), True),
        ((-0.4, 0.2), False),
    ],
)
def test_one_rule_says_what_is_identified(interval, known):
    assert identifies(*interval) is known


def test_estimators_that_disagree_by_a_factor_are_said_to_at_small_alpha():
    s, score, _ = gaussian(0, 300, 5000, alpha=0.03, distance=1.55)
    found = assess(s, score, n_bootstrap=20)
    assert "estimators_disagree" in values(found)
    assert f"at most {number(found.alpha_interval[1])}" in priors_in_words(found)
    assert f"at most {number(found.alpha_bound)}" in " ".join(explained(found))
    assert found.alpha_interval[0] <= 0.03 <= found.alpha_interval[1]


@pytest.mark.parametrize("turned", [False, True], ids=["random", "reversed"])
def test_scores_that_tell_nothing_give_no_number(turned):
    s, score, _ = gaussian()
    useless = -score if turned else np.random.default_rng(1).normal(size=len(s))
    found = assess(s, useless, n_bootstrap=20)
    assert not any(each.identified for each in found.scores)
    assert "not_separated" in values(found)
    assert printed(assessment_table(found)).count("not identified") == len(found.scores)
    content = page(found, s, useless)
    assert "These scores do not identify how good this model is" in content
    assert "alpha is not identified by these scores" in content
    assert "With 95% confidence, this model" not in content


@pytest.mark.parametrize("n_bootstrap", [0, 20])
def test_what_is_not_identified_is_nowhere_a_number(n_bootstrap):
    """Without intervals, the range of alpha alone leaves it open."""
    s, score, _ = rare(1)
    found = assess(s, score, n_bootstrap=n_bootstrap, population="unlabeled")
    unknown = [each for each in found.scores if not each.identified]
    assert "average_precision" in [each.metric for each in unknown]
    assert by_name(found)["roc_auc"].identified
    assert all(np.isnan(each.corrected) for each in unknown)
    assert printed(assessment_table(found)).count("not identified") == len(unknown)


def test_a_handful_of_labels_identifies_nothing_even_if_alpha_is_given():
    rng = np.random.default_rng(0)
    s, y_score = np.repeat([1, 0], [5, 420]), rng.normal(np.repeat([3.0, 3.0, 0.0], [5, 20, 400]))
    assert not any(score.identified for score in assess(s, y_score).scores)
    for n_bootstrap in (0, 20):
        found = assess(s, y_score, alpha=0.05, n_bootstrap=n_bootstrap)
        assert found.alpha_identified
        assert not any(score.identified for score in found.scores), (
            "no interval is no reason to know"
        )


@pytest.mark.parametrize("kind", [None, "guaranteed"])
def test_a_range_of_alpha_up_to_one_is_no_error(kind):
    for n_labeled, n_unlabeled, alpha in (
        (1, 5, 0.1),
        (3, 20, 0.02),
        (5, 100, 0.4),
        (20, 20, 0.02),
        (20, 5, 0.1),
    ):
        s, score, _ = gaussian(0, n_labeled, n_unlabeled, alpha=alpha, distance=4.0)
        found = assess(s, score, uncertainty=kind, metrics=["roc_auc"], n_bootstrap=0)
        low, high = found.alpha_interval
        assert 0 <= low <= found.alpha <= high <= 1


def test_recall_and_lift_assume_no_alpha_unless_labels_are_wrong():
    s, score, _ = gaussian()
    options = {"threshold": 1.0, "at": 50, "n_bootstrap": 0}
    assumed, noisy = (
        by_name(assess(s, score, alpha=0.3, beta=beta, **options)) for beta in (1.0, 0.9)
    )
    other = by_name(assess(s, score, alpha=0.2, **options))
    for name, score in assumed.items():
        depends = score.corrected != pytest.approx(other[name].corrected, abs=1e-12)
        assert (
            depends
            == ("alpha" in score.assumes.split(", "))
            == ("recall" not in name and "lift" not in name)
        )
        assert "alpha, beta" in noisy[name].assumes
    assert [assumed[name].assumes for name in ("recall", "lift_at_50")] == [
        "SCAR",
        "SCAR, prevalence",
    ]


# Checked rows


def random_checks(s, n, *, positive=0):
    """Verdicts on so many random unlabeled rows, of which the first few are positive."""
    checks = np.zeros(len(s))
    rows = np.random.default_rng(0).choice(np.flatnonzero(s == 0), n, replace=False)
    checks[rows] = np.where(np.arange(n) < positive, 1, -1)
    return checks


@pytest.mark.parametrize(("n", "positive", "due"), [(100, 0, True), (100, 1, False), (3, 0, False)])
def test_labels_may_be_the_positives_that_a_random_sample_lacks(n, positive, due):
    """With 30 labels as its positives 100 random rows would hardly all be negative; 3 say nothing."""
    s, score, _ = gaussian(0, 30, 300, alpha=0.4)
    checks = random_checks(s, n, positive=positive)
    found = values(assess(s, score, checks=checks, plan="random", **DRAWN))
    assert ("positives_apart" in found) == due
    assert not due or found["positives_apart"] == {"n": n, "labeled": 30}


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_checks_answer_precision_where_a_row_of_the_population_is_flagged(population):
    s, score, _ = gaussian(0, 30, 300)
    options = {"threshold": 100.0, "population": population, "metrics": ["precision"]}
    found = assess(
        s, score + 100.0 * s, checks=random_checks(s, 60), plan="random", **options, **DRAWN
    )
    assert ("precision" in found.checked) == (population == "all")


# Weights and clusters


DESIGNS = {
    "weights": lambda n: {"sample_weight": np.random.default_rng(0).exponential(size=n)},
    "clusters": lambda n: {"cluster": np.random.default_rng(0).permutation(n) // 3},
}


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("alpha", [0.3, None])
def test_numbers_do_not_depend_on_resamples(kind, alpha):
    s, score, _ = gaussian(0, 120, 600)
    drawn, without = (
        assess(s, score, alpha=alpha, **DRAWN | {"n_bootstrap": n}, **DESIGNS[kind](len(s)))
        for n in (12, 0)
    )
    assert (drawn.n_labeled, drawn.n_unlabeled) == (120, 600)
    assert json.dumps(drawn.as_dict()["design"])
    for one, other in zip(without.scores, drawn.scores, strict=True):
        assert one.uncorrected == other.uncorrected
        if one.identified and other.identified:
            assert one.corrected == pytest.approx(other.corrected, abs=1e-9)


def test_effective_sizes_are_those_of_the_weights_where_rows_of_a_cluster_are_not_alike():
    s, score, _ = gaussian(0, 120, 600)
    weights = DESIGNS["weights"](720)
    facts = assess(s, score, alpha=0.3, **DRAWN, **DESIGNS["clusters"](720), **weights).design
    assert (facts["clusters"], facts["weighted"]) == (240, True)
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        wanted = effective_size(weights["sample_weight"][s == value])
        assert facts[f"effective_{kind}"] == pytest.approx(wanted, rel=0.2)


def test_effective_sizes_are_warned_of():
    s, score, _ = gaussian(0, 120, 600)
    uneven = np.where(np.arange(720) % 10, 1.0, 100.0)
    said = values(assess(s, score, alpha=0.3, sample_weight=uneven, **DRAWN))
    sizes = [
        said["effective"][name]
        for name in ("labeled", "unlabeled", "effective_labeled", "effective_unlabeled")
    ]
    assert [*sizes, said["effective"]["causes"]] == [120, 600, 14, 71, "weights"]
    assert said["few_labeled"] == {"n": 14, "counted": " by their effective number"}
    few, fewer = (np.where(s == 1, np.arange(720) % n, np.arange(720)) for n in (12, 4))
    assert values(assess(s, score, alpha=0.3, cluster=few, **DRAWN))["few_clusters"]["n"] == 12
    none = assess(s, score, alpha=0.3, cluster=fewer, **DRAWN)
    assert none.scores[0].interval is None
    assert values(none)["too_few_clusters"]["n"] == 4


def test_rho_counts_weights():
    s, score, _ = gaussian(0, 120, 600)
    weighted = assess(s, score, rho=0.3, sample_weight=np.where(s == 1, 1.0, 2.0), **DRAWN)
    assert weighted.alpha == pytest.approx(120 * 0.7 / (0.3 * 1200))


# Scores that are refused


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_whole_scores_that_double_precision_makes_equal_are_refused(kind):
    s, score, _ = gaussian(0, 20, 60)
    ranks = (np.argsort(np.argsort(score)) + 2**53).astype(kind)
    for call in (
        lambda scores: assess(s, scores, alpha=0.3, n_bootstrap=0),
        lambda scores: estimate_score("roc_auc", s, scores, alpha=0.3, method="direct"),
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


def test_an_alpha_that_is_not_possible_leads_and_no_clipped_score_is_certain():
    """Of all rows a share of .25 is positive: given as alpha, the share of the unlabeled, it is too high."""
    s, score, _ = gaussian(0, 150, 1000, alpha=0.13, distance=3)
    found = assess(s, score, alpha=0.243, threshold=1.5, n_bootstrap=30)
    first = found.warnings[0]
    assert first.code == "biased"
    assert first.values["most"] < 0.2
    assert "alpha is 0.129" in first
    assert "not possible with these scores (at most" in priors_in_words(found)
    for each in found.scores:
        assert each.interval[1] > each.interval[0], each.metric


def test_heavy_weights_do_not_make_a_right_alpha_suspect():
    warned = 0
    for seed in range(25):
        s, score, _ = gaussian(seed, 150, 1000, alpha=0.1, distance=1.5)
        weights = np.random.default_rng(seed).gamma(0.3, size=len(s)) + 1e-3
        found = assess(s, score, alpha=0.1, sample_weight=weights, n_bootstrap=0)
        warned += "disagrees_with_given" in values(found)
    assert warned <= 2


@pytest.mark.parametrize("noisy", [False, True])
def test_scores_somewhat_lower_than_chance_look_alike(noisy):
    """Out-of-bag scores of a model without signal are: the area is 0.42, 4.4 standard deviations below 0.5."""
    rng = np.random.default_rng(0)
    labeled, unlabeled = rng.normal(-0.3, size=500), rng.normal(size=500)
    found = estimate_priors(labeled, unlabeled, noisy=noisy, n_bootstrap=5)
    assert np.isnan([found.alpha]).all()
    assert found.status == "failed"
    assert any("look alike" in each for each in found.warnings)
