"""Every way to ask gives one answer: an assessment, its JSON and page, intervals, bounds, estimates of one metric."""

import html
import json
import re

import numpy as np
import pytest

from pumetrics.assessment import assess, page
from pumetrics.inference import corrected_intervals
from pumetrics.methods import estimate_score
from pumetrics.metrics import AREAS, find_metric
from pumetrics.priors import registry

METRICS = ["roc_auc", "average_precision", "f1", "mcc", "precision_at_10", "lift_at_5%"]
SEEDS = range(200)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """A consensus of four times the quickest estimator: whichever it is, all ways start from its answer."""
    monkeypatch.setattr(
        registry, "MEMBERS", dict.fromkeys(registry.MEMBERS, registry.MEMBERS["elkan_noto_e3"])
    )


def drawn(seed):
    """Labels, scores, metrics, what is known and requested, and options of rows, all by the seed."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers([8, 5, 30], [50, 40, 150])
    y, s = np.repeat([1, 1, 0], sizes), np.repeat([1, 0, 0], sizes)
    score = rng.normal(rng.uniform(0.8, 2.5) * y).round(1 if rng.random() < 0.3 else 9)
    request = {"population": str(rng.choice(["all", "unlabeled"]))}
    if seed % 4:
        request["alpha"] = float(rng.uniform(0.02, 0.5))
        if rng.random() < 0.3:
            request["beta"] = float(rng.uniform(0.7, 1))
    threshold = float(np.quantile(score, 0.8)) if rng.random() < 0.5 else None
    metrics = METRICS if threshold is None else [*METRICS, "recall", "precision"]
    rows = {"sample_weight": rng.uniform(0.5, 2, len(s))} if rng.random() < 0.2 else {}
    rows |= {"cluster": rng.permutation(len(s)) // 2} if rng.random() < 0.2 else {}
    return s, score, metrics, request | {"threshold": threshold}, rows


def same(first, second):
    """Whether two numbers, or pairs of them, agree; None and NaN both say that there is none."""
    first, second = (
        np.nan if each is None else np.asarray(each, dtype=float) for each in (first, second)
    )
    return np.shape(first) == np.shape(second) and np.allclose(
        first, second, rtol=0, atol=1e-12, equal_nan=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_all_ways_give_one_answer(seed):
    s, score, metrics, request, rows = drawn(seed)
    options = {"n_bootstrap": 10, "random_state": seed, **request}
    found = assess(s, score, metrics=metrics, **options, **rows)
    if found.n_resamples:  # otherwise there are too few examples for an interval
        intervals = corrected_intervals(metrics, s, score, **options, **rows)
        priors = intervals.priors
        assert same((found.alpha, found.beta), (priors.alpha, priors.beta))
        assert same(found.alpha_interval or (found.alpha,) * 2, priors.alpha_interval)
        for each in found.scores:
            interval = intervals[each.metric]
            assert same(each.interval, interval[1:]), each.metric
            assert same(each.corrected, interval.estimate if each.identified else None), each.metric

    written = json.loads(found.to_json())
    assert same(written["alpha"], found.alpha if found.alpha_identified else None)
    for each, there in zip(found.scores, written["scores"], strict=True):
        assert there["identified"] == each.identified
        for number in ("uncorrected", "corrected", "interval", "threshold"):
            value = getattr(each, number)
            assert same(there[number], value if np.all(np.isfinite(value or 0)) else None), (
                each.metric,
                number,
            )

    if rows or "alpha" not in request:
        return
    known = {name: value for name, value in request.items() if name != "threshold"}
    for each in found.scores:
        at = (
            {"threshold": request["threshold"]}
            if find_metric(each.metric).kind == "threshold"
            else {}
        )
        method = "indirect" if each.metric in AREAS else "direct"
        answer = estimate_score(each.metric, s, score, method=method, **known, **at)
        assert (answer.threshold is None) == (each.threshold is None), each.metric
        if each.threshold is not None:
            np.testing.assert_array_equal(
                score >= answer.threshold, score >= each.threshold, err_msg=each.metric
            )
        assert not each.identified or same(answer.estimate, each.corrected), each.metric


@pytest.mark.parametrize("seed", SEEDS[1:40:8])
def test_a_page_shows_the_numbers_of_its_assessment(seed, monkeypatch):
    s, score, metrics, request, rows = drawn(seed)
    found = assess(s, score, metrics=metrics, n_bootstrap=10, random_state=seed, **request, **rows)
    monkeypatch.setattr("pumetrics.assessment._page.pictures_of", lambda *_: [])
    text = html.unescape(re.sub(r"<[^>]+>", " ", page(found, s, score)))
    for each in found.scores:
        if each.interval:
            ends = (f"{end:.3f}" if abs(end) < 10 else f"{end:.4g}" for end in each.interval)
            assert " to ".join(ends) in text, each.metric
        assert not each.identified or f"{each.corrected:.3f}" in text, each.metric
