"""Intervals of two models: exact at a threshold, of few rows, and where nothing tells the models apart."""

import itertools

import numpy as np
import pytest
from scipy.stats import multinomial, norm

from pumetrics.assessment import compare_scores
from pumetrics.inference.corrected import corrected
from pumetrics.inference.designs import design_of
from pumetrics.inference.paired import binomial_ends, square_and_add
from pumetrics.inference.request import ask_of, labels_of
from pumetrics.inference.sample import Sample


def gain(shares):
    """Difference of recall from the labeled that only the first, and only the second model finds."""
    return shares[0, 0] - shares[0, 1]


def ends_of(first, second, n):
    """Interval of the difference of recall from counts of discordant rows."""
    counts = np.array([[first, second]])
    lower, upper = binomial_ends(counts, n, 0.95)
    value, fall, rise = square_and_add(gain, counts / n, lower, upper)
    return value - fall, value + rise


@pytest.mark.parametrize(
    ("n", "end"), [(10, 0.308), (20, 0.168), (50, 0.071), (100, 0.036), (200, 0.018)]
)
def test_without_discordant_rows_the_difference_is_as_sure_as_a_single_recall(n, end):
    assert ends_of(0, 0, n) == (pytest.approx(-end, abs=5e-4), pytest.approx(end, abs=5e-4))


@pytest.mark.parametrize("n", [10, 20, 50, 100, 500])
def test_a_winner_takes_as_many_discordant_rows_as_the_exact_test_of_mcnemar(n):
    assert ends_of(5, 0, n)[0] > 0 > ends_of(4, 0, n)[0]  # p = .0625 and .125


@pytest.mark.parametrize("n", [10, 20])
def test_enumerated_coverage_of_a_difference_of_recall(n):
    cells = [pair for pair in itertools.product(range(n + 1), repeat=2) if sum(pair) <= n]
    found = np.array([ends_of(*pair, n) for pair in cells])
    full = [(*pair, n - sum(pair)) for pair in cells]
    for first, second in [(0.05, 0), (0.02, 0), (0.3, 0), (0.1, 0.1), (0.05, 0.05), (0.2, 0.05)]:
        chances = multinomial(n, [first, second, 1 - first - second]).pmf(full)
        truth = first - second
        held = (found[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= found[:, 1])
        assert chances[held].sum() >= 0.95, (first, second)


def drawn(seed, n_labeled, n_unlabeled, *, alpha=0.2, distance=1.5):
    """Two equally good models of a sample."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n_labeled), rng.random(n_unlabeled) < alpha]
    s = np.repeat([1, 0], [n_labeled, n_unlabeled])
    common = rng.normal(size=len(y))
    scores = [distance * y + (common + rng.normal(size=len(y))) / np.sqrt(2) for _ in range(2)]
    return s, scores


def differences(s, scores, metrics, *, threshold=1.0, design=None, **options):
    sample = Sample(s, scores, design)
    ask = ask_of(metrics, threshold=threshold, random_state=0, **options)
    return corrected(sample, labels_of(sample, alpha=0.2), ask).differences


@pytest.mark.slow
def test_few_labeled_rows_rarely_name_one_of_two_equal_models():
    """Percentiles of resamples, linear and not stretched, named 10 of these 60 by AUC or F1."""
    named = dict.fromkeys(["roc_auc", "f1", "recall", "precision"], 0)
    for seed in range(60):
        found = differences(*drawn(seed, 10, 200), list(named), n_bootstrap=100)
        for metric, gap in found.items():
            named[metric] += gap.lower > 0 or gap.upper < 0
    assert max(named.values()) <= 60 * 0.05 + 3, named


def test_models_of_different_worth_differ_where_both_curves_are_repaired_to_the_top():
    """Most unlabeled rows are positive: repaired areas are nearly 1 for both, and 14 of 80 differences were missed."""
    rng = np.random.default_rng(7)
    y = np.r_[np.ones(50), rng.random(950) < 0.9]
    scores = [rng.normal(distance * y) for distance in (1.5, 1.0)]
    found = compare_scores(np.repeat([1, 0], [50, 950]), *scores, alpha=0.9, n_bootstrap=100)
    gap = found.differences["roc_auc"]
    truth = norm.cdf(1.5 / np.sqrt(2)) - norm.cdf(1 / np.sqrt(2))
    assert gap.lower < truth < gap.upper
    assert gap.upper - gap.lower > 0.5


METRICS = ["roc_auc", "average_precision", "f1", "max_f1", "recall", "precision_at_20"]


@pytest.mark.parametrize("kind", ["rows", "weights", "clusters"])
def test_two_models_that_agree_are_never_known_to_be_equal(kind):
    s, (score, _) = drawn(0, 40, 200)
    given = {
        "rows": None,
        "weights": {"sample_weight": np.linspace(0.5, 1.5, 240)},
        "clusters": {"cluster": np.arange(240) % 60},
    }[kind]
    design = given and design_of(s, **given)
    for metric, gap in differences(s, [score, score], METRICS, design=design).items():
        assert gap.estimate == 0, metric
        assert gap.lower < -1e-3, metric
        assert gap.upper > 1e-3, metric


def test_labels_can_be_exchanged():
    s, scores = drawn(3, 60, 300)
    there = differences(s, scores, METRICS)
    back = differences(s, scores[::-1], METRICS)
    for metric, gap in there.items():
        turned = back[metric]
        assert gap[:3] == pytest.approx((-turned.estimate, -turned.upper, -turned.lower), abs=1e-9)
