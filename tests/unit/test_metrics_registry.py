"""What every metric must do, over the whole registry: correcting undoes corrupting, scikit-learn's numbers come out."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

from pumetrics import metrics
from pumetrics.assessment._words import label
from pumetrics.bounds import score_bounds
from pumetrics.cli.options import METRIC as CommandMetric
from pumetrics.counts import count_scores
from pumetrics.curves import REPAIRS
from pumetrics.displays import PUPrecisionRecallDisplay
from pumetrics.inference import corrected_intervals
from pumetrics.inference.sample import SCORED
from pumetrics.methods import estimate_score
from pumetrics.metrics import (
    AREAS,
    AT_THRESHOLD,
    AT_TOP,
    MEASURES,
    METRICS,
    SUMMARIES,
    clipped,
    find_metric,
    measures_of,
)
from pumetrics.rates import true_rates
from pumetrics.recovery import corrupt_rates, population_prior

SRC = Path(__file__).parents[2] / "src"
REFERENCE = {
    "roc_auc": sk.roc_auc_score,
    "average_precision": sk.average_precision_score,
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "f1": sk.f1_score,
    "mcc": sk.matthews_corrcoef,
    "precision": lambda y, predicted: sk.precision_score(y, predicted, zero_division=0),
    "recall": sk.recall_score,
}


def check_entry(entry):
    """What an entry must say of itself, and that its formula undoes the corruption by hidden positives and noise."""
    low, high = entry.range
    assert entry.label
    assert len(entry.short) <= len(entry.label)
    assert low < high
    assert entry.kind in ("area", "threshold", "maximum", "top")
    assert entry.population in ("any", "all")
    assert not entry.function or callable(getattr(metrics, entry.function))
    if entry.kind == "area":
        return
    rng = np.random.default_rng(0)
    for _ in range(50):
        alpha, beta = np.sort(rng.uniform(0, 1, 2))
        c = rng.uniform(0.05, 0.6)
        (tpr, fpr) = rng.uniform(0, 1, 2)
        if beta - alpha < 0.05:
            continue
        measured = corrupt_rates(tpr, fpr, alpha=alpha, beta=beta)
        truth = entry.formula(
            true_rates(tpr, fpr, alpha=0.0, c=population_prior(alpha=alpha, beta=beta, c=c))
        )
        assert entry.formula(true_rates(*measured, alpha=alpha, beta=beta, c=c)) == pytest.approx(
            truth, abs=1e-9
        )
        assert low - 1e-9 <= truth <= high + 1e-9


@pytest.mark.parametrize("name", METRICS)
def test_every_entry_keeps_the_contract(name):
    check_entry(METRICS[name])


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in METRICS
        if name not in AT_TOP and (METRICS[name].measure or name) in REFERENCE
    ],
)
def test_without_hidden_positives_every_metric_is_that_of_scikit_learn(name):
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.4).astype(int)
    score = np.round(y + rng.normal(size=400), 1)
    entry = METRICS[name]
    counts = count_scores(y, score)
    if entry.kind == "area":
        value = entry.formula(counts, alpha=0.0, beta=1.0, repair="none", population="all")
        assert value == pytest.approx(REFERENCE[name](y, score))
        return
    expected = [
        REFERENCE[entry.measure](y, (score >= threshold).astype(int))
        for threshold in counts.thresholds
    ]
    np.testing.assert_allclose(measures_of(counts)[entry.measure], expected, atol=1e-12)


def test_names_labels_and_ranges_are_read_from_the_registry():
    assert (*AREAS, *MEASURES) == SCORED
    assert [str(name) for name in CommandMetric] == [
        n for n in METRICS if METRICS[n].kind != "maximum"
    ]
    assert (*AREAS, *MEASURES, *(f"max_{name}" for name in MEASURES)) == SUMMARIES
    assert {*SUMMARIES, *AT_THRESHOLD, *AT_TOP} == set(METRICS)
    assert set(AT_THRESHOLD) - set(MEASURES) == {"precision", "recall"}, "the others have a maximum"
    assert len({entry.label for entry in METRICS.values()}) == len(METRICS)
    assert label("f1", None) == METRICS["max_f1"].label
    assert label("f1", 0.5) == f"{METRICS['f1'].label} at 0.5"
    assert label("roc_auc", 0.5) == METRICS["roc_auc"].label


def test_values_are_clipped_to_the_range():
    assert clipped("mcc", -1.5) == -1
    assert clipped("max_f1", -0.5) == 0
    np.testing.assert_array_equal(clipped("roc_auc", np.array([-1, 0.3, 2])), [0, 0.3, 1])


@pytest.mark.parametrize(
    "name", ["precision_at_0", "recall_at_101%", "lift_at_many", "precision_at_-3", "lift_at_0%"]
)
def test_a_top_is_a_number_or_a_share_of_examples(name):
    with pytest.raises(
        ValueError, match=r"k must be a number of examples such as 100, or a share .*got '"
    ):
        find_metric(name)


def test_every_function_speaks_of_all_examples_unless_asked():
    """One default for one thing: of AUC-PR as of F1, in every way to either number."""
    rng = np.random.default_rng(3)
    s = np.repeat([1, 0], [60, 300])
    score = rng.normal(1.5 * (rng.random(360) < np.where(s == 1, 1, 0.3)))
    names = ["average_precision", "f1"]
    where = {"alpha": 0.3, "threshold": 1.0}
    everyone, default = (
        corrected_intervals(names, s, score, n_bootstrap=5, random_state=0, **where, **about)
        for about in ({"population": "all"}, {})
    )
    for name in names:
        options = where if name == "f1" else {"alpha": 0.3}
        numbers = [
            estimate_score(name, s, score, method="direct", **options, **about).estimate
            for about in ({"population": "all"}, {})
        ]
        assert numbers[0] == numbers[1]
        assert default[name] == everyone[name]
    bounds = [
        score_bounds(names, s, score, **where, **about) for about in ({"population": "all"}, {})
    ]
    assert bounds[0] == bounds[1]
    drawn = PUPrecisionRecallDisplay.from_predictions(s, score, alpha=0.3).area
    assert drawn == metrics.pu_average_precision_score(s, score, alpha=0.3)
    assert drawn == metrics.pu_average_precision_score(s, score, alpha=0.3, population="all")


@pytest.mark.slow
def test_the_default_repair_is_the_least_biased_one():
    """Mean error of the area against the true classes of the same rows, the worst of three distances, 20 labeled."""
    errors = {repair: [] for repair in REPAIRS}
    s = np.repeat([1, 0], [20, 200])
    y = np.arange(220) < 60
    for distance in (0.8, 1.5, 2.5):
        found = {repair: [] for repair in REPAIRS}
        for seed in range(150):
            score = np.random.default_rng(seed).normal(distance * y)
            truth = sk.average_precision_score(y, score)
            counts = count_scores(s, score)
            for repair in REPAIRS:
                area = METRICS["average_precision"].formula(
                    counts, alpha=0.2, beta=1.0, repair=repair
                )
                found[repair].append(area - truth)
        for repair in REPAIRS:
            errors[repair].append(abs(np.mean(found[repair])))
    default = inspect.signature(metrics.pu_average_precision_score).parameters["repair"].default
    assert default == min(errors, key=lambda repair: max(errors[repair]))
    assert max(errors[default]) < 0.04


def test_tables_of_several_class_shares_give_the_measures_of_each():
    tables = np.array([[3, 1, 2, 4], [2, 1, 1, 1], [1, 5, 3, 2]])
    together = metrics.rates_of_tables(tables)
    for name in AT_THRESHOLD:
        each = [METRICS[name].formula(metrics.rates_of_tables(table[None]))[0] for table in tables]
        assert METRICS[name].formula(together) == pytest.approx(each), name
