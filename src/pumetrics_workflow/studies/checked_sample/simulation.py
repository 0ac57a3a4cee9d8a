"""Intervals from checked rows of samples with known classes, by every way to choose and to analyze these rows."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from pumetrics.checks import checked_interval, plan_checks
from pumetrics.inference import corrected_intervals
from pumetrics_workflow.config import nearest
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.checked_sample import WAYS
from pumetrics_workflow.studies.checked_sample.normal import METRICS, ppi, true_value, wald
from pumetrics_workflow.studies.checked_sample.samples import LABELS, draw_gaussians, draw_real

__all__ = ["simulate"]

_STUDY = "checked_sample"


def simulate(
    part,
    *,
    repeats,
    seed,
    data,
    ways,
    budgets=(),
    draws=1,
    n_bootstrap=0,
    **options,
):
    """Check rows of samples with known classes, and note which intervals hold the truth.

    Parameters
    ----------
    part : str
        "real" and what begins with it takes data sets, all others are Gaussians.
    repeats : sequence of int
    seed : int
        Root of all random numbers. Parts that differ in `ways` see the same samples and the same checked rows.
    data : dict of DataFrame
        Prepared data by name.
    ways : list of str
        "profile", "two_strata", "random", "random_exact", "wald", "ppi", "plug_in", "without".
    budgets : list of int
        Rows checked; those above half of the unlabeled are left out.
    draws : int
        How many times rows are drawn from a sample.
    n_bootstrap : int
        Resamples of the interval without checks.
    **options
        Settings of the samples, see ``config/studies/checked_sample.yaml``.

    Returns
    -------
    pandas.DataFrame
        Statistics ``covered_<way>`` and ``width_<way>`` of each metric ("none": alpha) at a number of checks.
    """
    for option, given, known in (("ways", ways, WAYS), ("labels", options["labels"], LABELS)):
        if unknown := [name for name in given if name not in known]:
            raise ValueError(
                f"{option}: {unknown[0]!r} is not known{nearest(unknown[0], list(known))}"
            )
    rows = []
    for key, sample in (_real if part.startswith("real") else _gaussians)(
        repeats, seed, data, **options
    ):
        names = (seed, _STUDY, key["dataset"], key["model"], key["labeling"], key["repeat"])
        if "without" in ways:
            rows += [
                {**key, **row} for row in _without(sample, n_bootstrap, rng_for(*names, "without"))
            ]
        sizes = [size for size in budgets if size <= np.count_nonzero(sample.s == 0) / 2]
        for metric, draw in product(METRICS, range(draws)):
            answers = _checked(metric, sample, sizes, ways, (*names, metric, draw))
            rows += [{**key, **row} for answer in answers for row in _evaluated(sample, *answer)]
    return pd.DataFrame(rows, columns=None if rows else ["statistic"])


def _gaussians(
    repeats,
    seed,
    _data,
    *,
    alphas,
    labels,
    **sizes,
):
    """Yield (key, sample) of each setting and repeat."""
    for alpha, kind, repeat in product(alphas, labels, repeats):
        key = {
            "dataset": "gaussians",
            "model": "none",
            "labeling": f"{kind},alpha={alpha:g}",
            "repeat": repeat,
        }
        rng = rng_for(seed, _STUDY, key["dataset"], key["labeling"], repeat)
        yield key, draw_gaussians(rng, alpha=alpha, labels=kind, **sizes)


def _real(
    repeats,
    seed,
    data,
    *,
    alphas,
    labels,
    models,
    **sizes,
):
    """Yield the same for each data set that is large enough, scored by the models in turn."""
    for (dataset, frame), alpha, kind, repeat in product(
        sorted(data.items()), alphas, labels, repeats
    ):
        model = sorted(models)[repeat % len(models)]
        key = {
            "dataset": dataset,
            "model": model,
            "labeling": f"{kind},alpha={alpha:g}",
            "repeat": repeat,
        }
        rng = rng_for(seed, _STUDY, dataset, model, key["labeling"], repeat)
        sample = draw_real(
            rng, frame, alpha=alpha, labels=kind, model=model, **sizes, **models[model]
        )
        if sample is not None:
            yield key, sample


def _checked(metric, sample, budgets, ways, names):
    """Yield (metric, checks, way, lower, upper); ways of one design see the same rows, and a budget extends them."""
    threshold = None if metric == "roc_auc" else sample.threshold
    known = np.flatnonzero(sample.s == 1) if not sample.noisy else np.empty(0, dtype=np.int64)
    request = {"metric": metric, "threshold": threshold, "noisy": sample.noisy}
    designs = {"planned": {"profile", "wald"}, "two_strata": {"two_strata"}}
    for design in [name for name, used in designs.items() if used & set(ways)]:
        state = rng_for(*names, design)
        plan = None
        for budget in budgets:
            options = {**request, "guaranteed": design == "two_strata", "random_state": state}
            plan = (
                plan.extend(budget)
                if plan
                else plan_checks(sample.s, sample.score, budget=budget, **options)
            )
            for way in [way for way in ways if way in designs[design]]:
                if way == "wald":
                    ends = wald(metric, sample, np.concatenate([plan.rows, known]), plan.strata.of)
                else:
                    ends = _profile(metric, sample, plan, way)
                yield metric, budget, way, *ends
    yield from _random(metric, sample, budgets, ways, rng_for(*names, "random"), threshold)


def _profile(metric, sample, plan, way):
    """Ends of an interval of the package from the rows of a plan."""
    plan = replace(
        plan, budgets=plan.budgets[-1:]
    )  # coverage of each budget as the only look at it
    checks = plan.filled(sample.y[plan.rows])
    options = {"plan": plan, "guaranteed": way == "two_strata"}
    answer = checked_interval(metric, sample.s, sample.score, checks, **options)
    return answer.lower, answer.upper


def _random(
    metric,
    sample,
    budgets,
    ways,
    rng,
    threshold,
):
    """Yield the same from random rows: of the unlabeled, or of all where labels can be wrong."""
    pool = np.ones(len(sample.s), dtype=bool) if sample.noisy else sample.s == 0
    order = rng.permutation(np.flatnonzero(pool))
    predictions = _predictions(sample) if "ppi" in ways else None
    for budget in budgets:
        rows = order[:budget]
        if "ppi" in ways:
            yield metric, budget, "ppi", *ppi(metric, sample, rows, pool, predictions)
        if "plug_in" in ways:
            yield metric, budget, "plug_in", *wald(metric, sample, rows, np.zeros(len(sample.s)))
        for way in [way for way in ("random", "random_exact") if way in ways and not sample.noisy]:
            checks = pd.DataFrame({"row": rows, "verdict": sample.y[rows]})
            options = {
                "threshold": threshold,
                "plan": "random",
                "about": "file",
                "guaranteed": way == "random_exact",
            }
            answer = checked_interval(metric, sample.s, sample.score, checks, **options)
            yield metric, budget, way, answer.lower, answer.upper


def _predictions(sample):
    """Probability of being labeled by the score, which is proportional to that of being positive under SCAR."""
    if not sample.s.any():
        return sample.score
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression().fit_transform(sample.score, sample.s)


def _without(sample, n_bootstrap, rng):
    """Rows of the calibrated intervals, from labels and scores alone."""
    metrics = [name for name in METRICS if name != "alpha"]
    options = {
        "threshold": sample.threshold,
        "noisy": sample.noisy,
        "n_bootstrap": n_bootstrap,
        "random_state": rng,
    }
    intervals = corrected_intervals(
        metrics, sample.s, sample.score, uncertainty="calibrated", **options
    )
    ends = {name: (interval.lower, interval.upper) for name, interval in intervals.items()}
    ends["alpha"] = intervals.priors.alpha_interval
    for name, (lower, upper) in ends.items():
        yield from _evaluated(sample, name, 0, "without", lower, upper)


def _evaluated(
    sample,
    metric,
    checks,
    way,
    lower,
    upper,
):
    """Whether an interval holds the truth, and its width."""
    truth = true_value(metric, sample)
    known = {"metric": "none" if metric == "alpha" else metric, "at": float(checks)}
    covered = lower - 1e-9 <= truth <= upper + 1e-9
    return [
        {**known, "statistic": f"covered_{way}", "value": float(covered)},
        {**known, "statistic": f"width_{way}", "value": float(upper - lower)},
    ]
