"""One assessment estimates and bounds the priors of a sample once, whatever is made of them."""

from collections import Counter

import numpy as np
import pytest
from samples import gaussian

from pumetrics.assessment import assess
from pumetrics.priors import registry, upper_bound


@pytest.fixture
def runs(monkeypatch):
    """How often each estimator ran on a pair of samples, and each level of the guaranteed bound on each sample."""
    counted = Counter()

    def counting(name, estimate):
        def counted_estimate(component, mixture, **options):
            counted[name, component.tobytes(), mixture.tobytes()] += 1
            return estimate(component, mixture, **options)

        return counted_estimate

    for name, member in registry.MEMBERS.items():
        shared = counting(name, member)
        monkeypatch.setitem(registry.MEMBERS, name, shared)
        monkeypatch.setitem(registry.METHODS, name, registry.Method(shared))
    bound = upper_bound._largest

    def counted_bound(counts, tests, level):
        counted["bound", counts.labeled.tobytes(), counts.unlabeled.tobytes(), level] += 1
        return bound(counts, tests, level)

    monkeypatch.setattr(upper_bound, "_largest", counted_bound)
    return counted


SAMPLE = gaussian(0, 200, 800, alpha=0.25, distance=2.5)[:2]
CASES = {
    "estimated": {},
    "given": {"alpha": 0.25},
    "guaranteed": {"uncertainty": "guaranteed"},
    "no_interval": {"uncertainty": "guaranteed", "n_bootstrap": 0},
    "noisy": {"noisy": True},
    "goal": {"goal": {"min_recall": 0.8}, "uncertainty": "sampling", "n_bootstrap": 0},
    "confidence": {"confidence": 0.99},
    "clusters": {"cluster": np.arange(1000) // 2},
    "weights": {"sample_weight": np.linspace(0.5, 1, 1000)},
}


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_nothing_is_estimated_or_bounded_twice(options, runs):
    assess(*SAMPLE, **{"n_bootstrap": 20, **options})
    assert runs
    assert {key[0]: times for key, times in runs.items() if times > 1} == {}


@pytest.mark.parametrize("name", sorted(registry.MEMBERS))
def test_a_member_of_the_consensus_runs_once_for_one_sample(name, runs):
    assess(*SAMPLE, n_bootstrap=20)
    assert sum(times for key, times in runs.items() if key[0] == name) == 1
