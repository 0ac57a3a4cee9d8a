"""Every way to ask gives one answer: an assessment, its JSON and page, an interval, and an estimate of one metric."""

import json

import numpy as np
import pytest

from pumetrics.assessment import assess
from pumetrics.inference import corrected_intervals
from pumetrics.methods import estimate_score

AREAS = ["roc_auc", "average_precision"]
SEEDS = range(50)


def drawn(seed):
    """Labels and scores, and what to ask of them: each seed has another sample and another request."""
    rng = np.random.default_rng(seed)
    n_labeled, n_hidden, n_negative = rng.integers([8, 10, 60], [120, 120, 400])
    y = np.repeat([1, 1, 0], [n_labeled, n_hidden, n_negative])
    s = np.repeat([1, 0], [n_labeled, n_hidden + n_negative])
    score = rng.normal(rng.uniform(0.8, 2.5) * y)
    if rng.random() < 0.3:
        score = score.round(1)
    request = {"population": str(rng.choice(["all", "unlabeled"]))}
    known = rng.random() < 0.5
    if known:
        request["alpha"] = float(rng.uniform(0.02, 0.5))
        if rng.random() < 0.3:
            request["beta"] = float(rng.uniform(0.7, 1))
    threshold = float(np.quantile(score, 0.8)) if rng.random() < 0.5 else None
    metrics = [*AREAS, "f1", "mcc", "precision_at_20", "lift_at_5%", *(["recall", "precision"] if threshold else [])]
    rows = {}
    if rng.random() < 0.3:
        rows["sample_weight"] = rng.uniform(0.5, 2, len(s))
    if rng.random() < 0.3:
        rows["fold"] = np.arange(len(s)) % 2
    return s, score, metrics, request | {"threshold": threshold}, rows


def same(first, second):
    """Whether two numbers agree; None and NaN both say that there is none."""
    first, second = (np.nan if value is None else value for value in (first, second))
    return first == pytest.approx(second, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_assessment_and_intervals_agree(seed):
    s, score, metrics, request, rows = drawn(seed)
    found = assess(s, score, metrics=metrics, n_bootstrap=12, random_state=seed, **request, **rows)
    if not found.n_resamples:  # too few examples for an interval
        return
    intervals = corrected_intervals(metrics, s, score, n_bootstrap=12, random_state=seed, **request, **rows)
    for each in found.scores:
        interval = intervals[each.metric]
        assert same(found.alpha, interval.alpha)
        assert each.interval == pytest.approx(interval[1:3], abs=1e-12), each.metric
        assert same(each.corrected, interval.estimate if each.identified else None), each.metric


@pytest.mark.parametrize("seed", SEEDS)
def test_an_assessment_and_estimates_of_one_metric_agree(seed):
    s, score, metrics, request, _ = drawn(seed)
    found = assess(s, score, metrics=metrics, n_bootstrap=0, random_state=seed, **request)
    for each in found.scores:
        at = {} if each.metric in AREAS or "_at_" in each.metric else {"threshold": request["threshold"]}
        asked = {name: value for name, value in request.items() if name != "threshold"} | at
        answer = estimate_score(each.metric, s, score, random_state=seed, **asked)
        assert same(answer.estimate, each.corrected), (each.metric, answer)
        assert answer.identified == each.identified, each.metric
        assert same(answer.alpha, found.alpha)
        assert same(answer.threshold, each.threshold), each.metric


@pytest.mark.parametrize("seed", SEEDS[:12])
def test_json_and_page_hold_what_the_assessment_does(seed):
    s, score, metrics, request, rows = drawn(seed)
    found = assess(s, score, metrics=metrics, n_bootstrap=12, random_state=seed, **request, **rows)
    text = json.loads(found.to_json())
    assert same(text["alpha"], found.alpha if found.alpha_identified else None)
    for each, said in zip(found.scores, text["scores"], strict=True):
        assert same(said["corrected"], each.corrected)
        assert said["identified"] == each.identified
        assert said["bounds"] == (None if each.bounds is None else pytest.approx(list(each.bounds), abs=1e-12))
        assert said["interval"] == (None if each.interval is None else pytest.approx(list(each.interval), abs=1e-12))
