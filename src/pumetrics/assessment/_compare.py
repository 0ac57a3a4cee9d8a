"""Comparison of two models: which is better, how certain that is, and whether the ranking depends on alpha."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pumetrics.assessment._assess import Result, informative_sample, metrics_for, shared
from pumetrics.assessment._checked import check_alike
from pumetrics.assessment._warnings import (
    LEVEL,
    Caution,
    all_warnings,
    effective_sizes,
    far_apart,
    notes_of,
)
from pumetrics.checks import CheckedInterval, checked_difference
from pumetrics.inference import Difference
from pumetrics.inference.answers import corrections_of, over_alpha
from pumetrics.inference.corrected import differences_of, separating_best
from pumetrics.inference.designs import design_of
from pumetrics.inference.request import (
    LEAST,
    PriorEstimates,
    ask_of,
    check_accounted,
    labels_of,
    stream_of_priors,
)
from pumetrics.inference.sample import scores_of
from pumetrics.metrics import find_metric
from pumetrics.priors.interval import WIDEST
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.validation import as_array, check_same_length, check_scores, check_threshold

__all__ = ["Comparison", "Order", "compare_scores"]

_STEPS = 41
_EQUAL = 1e-9  # scores this close are a tie
_SHORT_OF_BETA = 0.99


class Order(NamedTuple):
    """Which model is better for alpha from 0 to the largest value that the scores allow."""

    first_ahead: float
    """Share of the tested alphas at which the first model is better."""
    second_ahead: float
    """Share of the tested alphas at which the second model is better; at the rest they are equal."""
    changes: tuple[float, ...]
    """Alphas at which the ranking changes; empty if it never does."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(Result):
    """Estimates of two models' true performance on the same examples; for the other attributes see :class:`Result`.

    If several metrics are compared, some differ by chance alone: in 39 of 200 simulated comparisons of two equally good
    models by six metrics, at least one metric found a winner; AUC did so in 10. Therefore a single metric, the
    headline, decides; choose it before looking at the results. The others are shown with their intervals, without P and
    without a verdict.

    Attributes
    ----------
    headline : str
        Metric that decides: the first requested metric, AUC by default.
    winner : {"first", "second"} or None
        The better model, by the checked rows if there are any, otherwise `scar_winner`. None if the interval contains
        0, or rows of the plan have no verdict yet.
    scar_winner : {"first", "second"} or None
        The better model by the headline if the labels are as assumed. None if the interval of the difference contains
        0, if labeled examples do not score significantly higher than unlabeled ones and alpha is not given, or if there
        are too few examples or resamples for an interval.
    differences : dict of str to Difference
        By metric. If `n_resamples` is 0, their ends are no intervals: there are too few examples or resamples.
    identified : dict of str to (bool, bool, bool)
        Whether the scores identify each metric of the first model, of the second model, and their difference.
    orders : dict of str to Order
        By metric.
    most_alpha : float
        Largest alpha tested for `orders`.
    checked : CheckedInterval or None
        Difference in precision of two lists of equal length, estimated from checked rows without assumptions about the
        labels. It decides; all other numbers rest on `assumption`.
    """

    headline: str
    winner: str | None
    scar_winner: str | None
    differences: dict[str, Difference]
    identified: dict[str, tuple[bool, bool, bool]]
    orders: dict[str, Order]
    most_alpha: float
    checked: CheckedInterval | None = None

    scores, scar, alpha_bound = (), None, None  # which an assessment of one model has

    def as_dict(self):
        """Return all results as numbers, strings, lists and dicts, with None if not identified."""
        shared, decides = {"alpha": self.alpha if self.alpha_identified else None}, self.headline
        if not self.n_resamples:  # as an assessment without intervals
            shared, decides = shared | {"lower": None, "upper": None, "n_resamples": 0}, None
        metrics = {
            name: {
                **{
                    part: {
                        **interval._asdict(),
                        **shared,
                        "estimate": estimate,
                        "identified": estimate is not None,
                    }
                    for part, interval, estimate in zip(
                        Difference._fields, difference, self.shown(name), strict=False
                    )
                },
                "probability_first_better": difference.probability if name == decides else None,
                "order": self.orders[name]._asdict(),
            }
            for name, difference in self.differences.items()
        }
        fields = self._plain("differences", "identified", "orders", "n_resamples")
        return {**fields, "checked": self.checked and self.checked._asdict(), "metrics": metrics}

    def shown(self, metric):
        """Estimates of a metric, of the first model, the second, and their difference: None where not identified."""
        parts = zip(self.differences[metric][:3], self.identified[metric], strict=True)
        return tuple(each.estimate if identified else None for each, identified in parts)


def compare_scores(
    s,
    first_score,
    second_score,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    method="consensus",
    noisy=False,
    metrics=None,
    at=(),
    population="all",
    uncertainty=None,
    threshold=None,
    confidence=0.95,
    n_bootstrap=200,
    random_state=0,
    sample_weight=None,
    cluster=None,
    checks=None,
    plan=None,
):
    """Compare two models by their scores on the same labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    first_score, second_score : array-like of shape (n_samples,)
        Out-of-sample scores of both models, higher means more positive.
    alpha, beta, rho, method, noisy, metrics, at, population, uncertainty, threshold, confidence, n_bootstrap
    random_state
        See :func:`pumetrics.assessment.assess`; at least one resample is needed. If one of two models has scores of
        less than double precision, the threshold is rounded down to it for both. Both models are corrected with the
        same alpha, because they are applied to the same population; if alpha is not given, it is estimated from the
        scores that separate labeled from unlabeled examples best. The first metric decides which model is better.
    sample_weight, cluster : array-like of shape (n_samples,), optional
        See :func:`pumetrics.assessment.assess`.
    checks, plan : DataFrame and CheckPlan, optional
        Checked rows of a plan for both models, see :func:`pumetrics.checks.plan_comparison`. The estimate from these
        rows is ``checked``.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        As :func:`pumetrics.assessment.assess`.

    Notes
    -----
    The corrections of AUC, balanced accuracy and Matthews correlation have the same factors for both models, so alpha
    can change their ranking only if curves are clipped or repaired. Average precision, F1 and accuracy depend on alpha
    in other ways.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [500, 700])
    >>> s, first = np.repeat([1, 0], [200, 1000]), rng.normal(2.0 * y)
    >>> second = first + rng.normal(size=1200)
    >>> comparison = compare_scores(s, first, second, alpha=0.3, metrics=["roc_auc"], n_bootstrap=50)
    >>> comparison.differences["roc_auc"].probability, comparison.orders["roc_auc"].changes
    (1.0, ())
    """
    check_alike(checks, sample_weight)
    scores = {"first_score": first_score, "second_score": second_score}
    design = design_of(s, sample_weight=sample_weight, cluster=cluster, **scores, checks=checks)
    check_same_length(
        s=as_array(s, "s"), **{name: check_scores(each, name) for name, each in scores.items()}
    )
    threshold = check_threshold(threshold, first_score, second_score)
    sample = informative_sample(s, [first_score, second_score], design)
    wanted = None if checks is not None else uncertainty
    labels = labels_of(
        sample, alpha=alpha, beta=beta, rho=rho, method=method, noisy=noisy, uncertainty=wanted
    )
    check_accounted(labels)
    ask = ask_of(
        metrics_for(metrics, threshold=threshold, at=at),
        threshold=threshold,
        population=population,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
    )
    estimates = [
        PriorEstimates(counts, labels, stream_of_priors(random_state)) for counts in sample.counts
    ]
    differences = differences_of(sample, labels, ask, estimates)
    reference = separating_best(sample)
    source, known = labels.source, labels.alpha is not None
    if not known:
        model = ("first", "second")[reference]
        source += f" from the {model} model's scores, which separate labeled from unlabeled best"
    few = min(*effective_sizes(sample), *sample.n_clusters) < LEAST
    blind = not known and not estimates[reference].separates
    enough = n_bootstrap >= LEAST and not few
    sides = [{name: each[side] for name, each in differences.items()} for side in (0, 1)]
    if not enough:  # percentiles of so few resamples or examples are no intervals
        sides = [
            over_alpha(sample, labels, ask, estimates[reference], model=side) for side in (0, 1)
        ]
    results = [corrections_of(each, blind=blind, few=few) for each in sides]
    used = results[0]
    notes = (*notes_of(sample), *_warnings(sample, estimates, results, reference, known))
    if not enough:
        notes += (Caution("no_verdict", least=LEAST),)
    most = [largest_alpha(counts, confidence=1 - LEVEL) for counts in sample.counts]
    most = max(used.beta * min(*most, _SHORT_OF_BETA), used.alpha)
    scar_winner = (
        _better(differences[ask.metrics[0]].difference) if enough and not used.blind else None
    )
    checked = None
    if checks is not None:
        options = {
            "plan": plan,
            "confidence": confidence,
            "guaranteed": uncertainty == "guaranteed",
        }
        checked = checked_difference(sample.s, *sample.scores, checks, **options)
    return Comparison(
        **shared(sample, ask, used),
        headline=ask.metrics[0],
        winner=scar_winner if checked is None else None if checked.n_open else _better(checked),
        scar_winner=scar_winner,
        source=source,
        differences=differences,
        identified={name: _identified(name, differences[name], results) for name in ask.metrics},
        orders=_orders(ask, sample, most, used.beta),
        most_alpha=most,
        warnings=notes,
        checked=checked,
    )


def _better(gap):
    """The better model if the interval of the difference, first minus second, leaves out 0, else None."""
    return "first" if gap.lower > 0 else "second" if gap.upper < 0 else None


def _identified(metric, difference, results):
    """Whether the scores tell a metric of the first model, of the second, and their difference.

    Without an interval of the difference, it is identified if both models' metrics are.
    """
    both, gap = [each.scores[metric].identified for each in results], difference.difference
    if not results[0].n_resamples:
        return (*both, all(both))
    narrow = find_metric(metric).range[1] == np.inf or gap.upper - gap.lower < WIDEST
    return (*both, narrow and not (results[0].blind or results[0].few))


def _warnings(sample, estimates, results, reference, known):
    """What speaks against either model's numbers, and whose it is unless it is said of both."""
    warnings, alphas = [], []
    for side, (each, result) in enumerate(zip(estimates, results, strict=True)):
        alphas.append(each.pair[0])
        warnings.append(
            all_warnings(
                sample, each, result=result, known=known, own=side == reference, model=side
            )
        )
    first, second = (
        {(each.code, *each.values.values()): each for each in side} for side in warnings
    )
    return (
        *(each for key, each in first.items() if key in second),
        *(each.of("first model") for key, each in first.items() if key not in second),
        *(each.of("second model") for key, each in second.items() if key not in first),
        *(
            [Caution("models_disagree", first=alphas[0], second=alphas[1])]
            if not known and far_apart(*alphas)
            else []
        ),
    )


def _orders(ask, sample, most, beta):
    """Who is ahead at every alpha, by metric."""
    alphas, options = (
        np.linspace(0, most, _STEPS),
        {"beta": beta, "sizes": sample.tops_of, **ask.where},
    )
    scores = [
        [scores_of(ask.metrics, each.counts, alpha=alpha, **options) for alpha in alphas]
        for each in sample.full
    ]
    low, high = np.transpose([find_metric(name).range for name in ask.metrics])
    first, second = np.clip(scores, low, high)
    return {name: _order(alphas, first[:, i] - second[:, i]) for i, name in enumerate(ask.metrics)}


def _order(alphas, lead):
    """Order of two models from the lead of the first at every alpha; ties change nothing."""
    ahead, behind = lead > _EQUAL, lead < -_EQUAL
    decided = np.flatnonzero(ahead | behind)
    turns = [(i, j) for i, j in pairwise(decided) if ahead[i] != ahead[j]]
    changes = [
        alphas[i] + (alphas[j] - alphas[i]) * lead[i] / (lead[i] - lead[j]) for i, j in turns
    ]
    return Order(
        float(ahead.mean()), float(behind.mean()), tuple(float(alpha) for alpha in changes)
    )
