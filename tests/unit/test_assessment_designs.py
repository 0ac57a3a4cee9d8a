"""Assessments of weighted rows, clusters and folds: the same numbers as elsewhere, and said in words."""

import json

import numpy as np
import pytest
from samples import gaussian

from pumetrics._weights import effective_size
from pumetrics.assessment import assess, compare_scores
from pumetrics.assessment._words import design_in_words, explained
from pumetrics.inference import corrected_intervals
from pumetrics.inference.sample import SCORED

QUICK = {"n_bootstrap": 12, "method": "elkan_noto_e3", "random_state": 0}


DESIGNS = {
    "weights": lambda n: {"sample_weight": np.random.default_rng(0).exponential(size=n)},
    "clusters": lambda n: {"cluster": np.random.default_rng(0).permutation(n) // 3},
    "folds": lambda n: {"fold": np.random.default_rng(0).permutation(n) % 3},
}


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("alpha", [0.3, None])
def test_numbers_are_those_of_the_intervals_and_there_are_no_bounds(kind, alpha):
    s, score, _ = gaussian(0, 120, 600)
    design = DESIGNS[kind](len(s))
    assessment = assess(s, score, alpha=alpha, **QUICK, **design)
    wanted = corrected_intervals(list(SCORED), s, score, alpha=alpha, population="all", **QUICK, **design)
    for each in assessment.scores:
        assert each.corrected == wanted[each.metric].estimate or not each.identified
        assert each.interval == (wanted[each.metric].lower, wanted[each.metric].upper)
        assert each.bounds is None
    assert any(warning.code.startswith("no_bounds") for warning in assessment.warnings)
    assert (assessment.n_labeled, assessment.n_unlabeled) == (120, 600)
    assert json.dumps(assessment.as_dict()["design"])
    without = assess(s, score, alpha=alpha, **QUICK | {"n_bootstrap": 0}, **design)
    for ours, each in zip(without.scores, assessment.scores, strict=True):
        assert ours.uncorrected == each.uncorrected
        if each.identified and ours.identified:
            assert ours.corrected == pytest.approx(each.corrected, abs=1e-9)


def test_the_design_is_said_in_words():
    s, score, _ = gaussian(0, 120, 600)
    facts = assess(s, score, alpha=0.3, **QUICK, **DESIGNS["clusters"](720), **DESIGNS["weights"](720)).design
    assert facts["clusters"] == 240
    assert facts["weighted"]
    weights = DESIGNS["weights"](720)["sample_weight"]
    for value, kind in ((1, "labeled"), (0, "unlabeled")):  # clusters of rows that are not alike take nothing away
        assert facts[f"effective_{kind}"] == pytest.approx(effective_size(weights[s == value]), rel=0.2)
    assert design_in_words(facts) == [
        "Rows are weighted.",
        "Intervals resample 240 clusters of rows, not single rows.",
    ]
    folded = assess(s, score, alpha=0.3, **QUICK, **DESIGNS["folds"](720))
    assert "mean of 3 folds, weighted by size" in " ".join(explained(folded))
    assert design_in_words(assess(s, score, alpha=0.3, **QUICK).design) == []


def values(found):
    return {warning.code: warning.values for warning in found.warnings}


def test_effective_sizes_are_warned_of():
    s, score, _ = gaussian(0, 120, 600)
    uneven = np.where(np.arange(720) % 10, 1.0, 100.0)
    said = values(assess(s, score, alpha=0.3, sample_weight=uneven, **QUICK))
    sizes = [said["effective"][name] for name in ("labeled", "unlabeled", "effective_labeled", "effective_unlabeled")]
    assert [*sizes, said["effective"]["causes"]] == [120, 600, 14, 71, "weights"]
    assert said["few_labeled"] == {"n": 14}
    few = np.where(s == 1, np.arange(720) % 12, np.arange(720))
    assert values(assess(s, score, alpha=0.3, cluster=few, **QUICK))["few_clusters"]["n"] == 12
    fewer = np.where(s == 1, np.arange(720) % 4, np.arange(720))
    none = assess(s, score, alpha=0.3, cluster=fewer, **QUICK)
    assert none.scores[0].interval is None
    assert values(none)["too_few_clusters"]["n"] == 4


def test_copies_are_no_doubt_within_clusters():
    s, score, _ = gaussian(0, 120, 600)
    copies = np.repeat(np.arange(720), 3)
    plain = assess(s[copies], score[copies], alpha=0.3, **QUICK)
    clustered = assess(s[copies], score[copies], alpha=0.3, cluster=copies, **QUICK)
    assert values(plain)["repeated"] == {"copies": 3}
    assert "repeated" not in values(clustered)


def test_rho_counts_weights():
    s, score, _ = gaussian(0, 120, 600)
    weights = np.where(s == 1, 1.0, 2.0)
    weighted = assess(s, score, rho=0.3, sample_weight=weights, **QUICK)
    assert weighted.alpha == pytest.approx(120 * 0.7 / (0.3 * 1200))


def test_labeled_negatives_are_left_out_of_the_design_as_well():
    s, score, _ = gaussian(0, 120, 600)
    design = {kind: values for make in DESIGNS.values() for kind, values in make(720).items()}
    wanted = assess(s, score, alpha=0.3, **QUICK, **design)
    longer = {kind: np.append(values, values[:2]) for kind, values in design.items()}
    more = np.append(s, [-1, -1]), np.append(score, [0.0, 9.0])
    found = assess(*more, alpha=0.3, ignore_negatives=True, **QUICK, **longer)
    assert found.scores == wanted.scores
    assert found.design == wanted.design
    assert (found.warnings[0].code, found.warnings[0].values) == ("negatives", {"n": 2})


def test_folds_are_no_hindrance_to_a_guaranteed_range():
    s, score, _ = gaussian(0, 120, 600)
    found = assess(s, score, **{**QUICK, "uncertainty": "guaranteed"}, **DESIGNS["folds"](720))
    assert found.alpha_interval[0] == 0


@pytest.mark.parametrize("kind", DESIGNS)
def test_a_comparison_takes_them_too(kind):
    s, score, _ = gaussian(0, 120, 600)
    other = score + np.random.default_rng(1).normal(size=len(s))
    design = DESIGNS[kind](len(s))
    found = compare_scores(s, score, other, alpha=0.3, metrics=["roc_auc"], n_bootstrap=12, **design)
    each = [assess(s, values, alpha=0.3, **QUICK, **design) for values in (score, other)]
    pair = found.differences["roc_auc"]
    assert [pair.first.estimate, pair.second.estimate] == [one.scores[0].corrected for one in each]
    assert found.design == each[0].design
    assert found.orders["roc_auc"].first_ahead > 0.9
    assert not any(warning.startswith("no bounds") for warning in found.warnings)
