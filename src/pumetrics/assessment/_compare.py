"""Comparison of two models: which is better, how certain that is, and whether the ranking depends on alpha."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError, ContradictionError
from pumetrics.assessment._assess import (
    SKIPPED_BY_HAND,
    assessment_of,
    informative_sample,
    metrics_for,
)
from pumetrics.assessment._assessment import Assessment
from pumetrics.assessment._checked import check_alike, with_plan
from pumetrics.assessment._warnings import LEVEL, far_apart
from pumetrics.assessment._words import assumed_of_two
from pumetrics.cautions import Caution
from pumetrics.checks import CheckedInterval, checked_difference
from pumetrics.checks import opened as opened_checks
from pumetrics.equality import ComparedByValue
from pumetrics.inference import Difference
from pumetrics.inference.answers import answered
from pumetrics.inference.corrected import separating_best
from pumetrics.inference.designs import design_of
from pumetrics.inference.prior_plan import PriorEstimates, stream_of_priors
from pumetrics.inference.request import LEAST, ask_of, check_accounted, labels_of
from pumetrics.inference.sample import scores_of
from pumetrics.metrics import clipped, find_metric
from pumetrics.priors.interval import WIDEST
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.unscored import settled
from pumetrics.validation import check_threshold

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
class Comparison(ComparedByValue):
    """Estimates of two models' true performance on the same examples, corrected with the same priors.

    If several metrics are compared, some differ by chance alone: in 39 of 200 simulated comparisons of two equally good
    models by six metrics, at least one metric found a winner; AUC did so in 10. Therefore a single metric, the
    headline, decides; choose it before looking at the results. The others are shown with their intervals, without P and
    without a verdict.

    Attributes
    ----------
    first, second : Assessment
        Both models by the labels.
    differences : dict of str to Difference
        First minus second, by metric. Without resamples their ends are no intervals.
    identified : dict of str to bool
        Whether the scores identify the difference, by metric.
    orders : dict of str to Order
        By metric.
    most_alpha : float
        Largest alpha tested for `orders`.
    headline : str
        Metric that decides: the first requested metric, AUC by default.
    winner : {"first", "second"} or None
        The better model, by the checked rows if there are any, otherwise `scar_winner`. None if the interval contains
        0, or rows of the plan have no verdict yet.
    scar_winner : {"first", "second"} or None
        The better model by the headline if the labels are as assumed. None if the interval of the difference contains
        0, if labeled examples do not score significantly higher than unlabeled ones and alpha is not given, or if there
        are too few examples or resamples for an interval.
    warnings : tuple of Caution
        About both models, or about one of them.
    checked : CheckedInterval or None
        Difference in precision of two lists of equal length, estimated from checked rows. Of the labels it assumes that
        they are correct, and nothing if the lists are of unlabeled rows. It decides; all other numbers rest on
        `assumption`.
    checked_metric : str or None
        Metric of which `checked` is the difference, such as "precision_at_200".
    """

    first: Assessment
    second: Assessment
    differences: dict[str, Difference]
    identified: dict[str, bool]
    orders: dict[str, Order]
    most_alpha: float
    headline: str
    winner: str | None
    scar_winner: str | None
    warnings: tuple[Caution, ...]
    checked: CheckedInterval | None = None
    checked_metric: str | None = None

    @property
    def assumption(self):
        """Assumptions of these numbers about the labels, in one or two sentences; not of those from checked rows."""
        return assumed_of_two(self)

    def as_dict(self):
        """Return all results as numbers, strings, lists and dicts, with None if not identified."""
        facts = self.first.facts() | {"warnings": self.warnings, "assumption": self.assumption}
        facts["unscored"] = [each.facts()["unscored"] for each in (self.first, self.second)]
        n_resamples = facts.pop("n_resamples")
        used = {
            "confidence": self.first.confidence,
            "alpha": facts["alpha"],
            "beta": self.first.beta,
            "alpha_interval": self.first.alpha_interval or (self.first.alpha,) * 2,
            "beta_interval": self.first.beta_interval or (self.first.beta,) * 2,
            "n_resamples": n_resamples,
            "uncertainty": self.first.uncertainty,
        }
        metrics = {}
        for name, difference in self.differences.items():
            decides = name == self.headline
            parts = {
                part: {
                    "estimate": estimate,
                    "lower": ends and ends[0],
                    "upper": ends and ends[1],
                    **used,
                    "identified": estimate is not None,
                }
                for part, (estimate, ends) in self.shown(name).items()
            }
            metrics[name] = {
                **parts,
                "decides": decides,
                "probability_first_better": difference.probability
                if decides and n_resamples
                else None,
                "order": self.orders[name]._asdict(),
            }
        return {
            **facts,
            "headline": self.headline,
            "winner": self.winner,
            "scar_winner": self.scar_winner,
            "most_alpha": self.most_alpha,
            "checked": self.checked and self.checked._asdict(),
            "checked_metric": self.checked_metric,
            "metrics": metrics,
        }

    def shown(self, metric):
        """Estimate and interval of a metric of the first model, the second, and their difference, by these names.

        An estimate that is not identified is None, and so is an interval where there are no resamples.
        """
        shown = {}
        for name, assessment in (("first", self.first), ("second", self.second)):
            (score,) = (each for each in assessment.scores if each.metric == metric)
            shown[name] = (score.corrected if score.identified else None, score.interval)
        estimate, lower, upper, _ = self.differences[metric]
        ends = (lower, upper) if self.first.n_resamples else None
        shown["difference"] = (estimate if self.identified[metric] else None, ends)
        return shown


def compare_scores(
    s,
    first_score,
    second_score,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    pi=None,
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
    unscored=None,
):
    """Compare two models by their scores on the same labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    first_score, second_score : array-like of shape (n_samples,)
        Out-of-sample scores of both models, higher means more positive.
    alpha, beta, rho, pi, method, noisy, metrics, at, population, uncertainty, threshold, confidence, n_bootstrap
    random_state
        See :func:`pumetrics.assessment.assess`; at least one resample is needed. If one of two models has scores of
        less than double precision, the threshold is rounded down to it for both. Both models are corrected with the
        same alpha, because they are applied to the same population; if alpha is not given, it is estimated from the
        scores that separate labeled from unlabeled examples best. The first metric decides which model is better.
    sample_weight, cluster : array-like of shape (n_samples,), optional
        See :func:`pumetrics.assessment.assess`.
    checks, plan : DataFrame and CheckPlan, optional
        Checked rows of a plan for both models, see :func:`pumetrics.checks.plan_comparison`. The estimate from these
        rows is ``checked``. By default the metrics then include that of the plan, precision in lists of its length.
    unscored : {"lowest", "skip"}, optional
        What to do with rows without a score (NaN) of a model, see :func:`pumetrics.assessment.assess`: "lowest" ranks
        each model's own below all others; "skip" leaves out rows that lack one of the scores, for both models.

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
    check_alike(checks, plan, sample_weight)
    checks, plan = opened_checks(checks, plan)
    weights = {"sample_weight": sample_weight, "cluster": cluster}
    if unscored == "skip" and checks is not None:
        raise ContradictionError([("unscored", "skip"), ("checks", True)], SKIPPED_BY_HAND)
    scores = {"first_score": first_score, "second_score": second_score}
    s, scores, weights, facts = settled(unscored, s, scores, weights)
    first_score, second_score = scores.values()
    design = design_of(
        s,
        **weights,
        **scores,
        checks=checks,
    )
    sample = informative_sample(s, [first_score, second_score], design)
    threshold = check_threshold(threshold, first_score, second_score)
    labels = labels_of(
        sample,
        pi=pi,
        alpha=alpha,
        beta=beta,
        rho=rho,
        method=method,
        noisy=noisy,
        uncertainty=uncertainty if checks is None else None,  # checks make no such assumption
    )
    check_accounted(labels)
    names = metrics_for(metrics, threshold=threshold, at=at)
    if metrics is None:
        names = with_plan(names, plan)
    ask = ask_of(
        names,
        threshold=threshold,
        population=population,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
    )
    estimates = [
        PriorEstimates(counts, labels, stream_of_priors(random_state)) for counts in sample.counts
    ]
    reference = separating_best(sample)
    if labels.alpha is None:
        model = ("first", "second")[reference]
        source = f"{labels.source} from the {model} model's scores, which separate labeled from unlabeled best"
        labels = replace(labels, source=source)
    found = answered(sample, labels, ask, estimates[reference])
    first, second = (
        assessment_of(
            sample, labels, ask, found, estimates, model=model, reference=reference
        ).with_unscored(facts[model])
        for model in (0, 1)
    )

    headline = ask.metrics[0]
    blind = labels.alpha is None and not estimates[reference].separates
    scar_winner = None
    if first.n_resamples and not blind:
        scar_winner = _better(found.differences[headline])
    winner = scar_winner
    checked = checked_metric = None
    if checks is not None:
        checked = checked_difference(
            sample.s,
            *sample.scores,
            checks,
            plan=plan,
            confidence=confidence,
            guaranteed=uncertainty == "guaranteed",
        )
        winner = None if checked.n_open else _better(checked)
        checked_metric = plan.metric
        planned = plan.strata.question.population
        if population != planned:
            raise ArgumentError(
                "population",
                f"must be {planned!r}, got {population!r}: the plan is about the tops of {planned} rows",
            )

    warnings = _warnings_of_both(first.warnings, second.warnings)
    alphas = [each.pair[0] for each in estimates]
    if labels.alpha is None and far_apart(*alphas):
        warnings.append(Caution("models_disagree", first=alphas[0], second=alphas[1]))
    if not first.n_resamples:
        warnings.append(Caution("no_verdict", least=LEAST))

    identified = {}
    for name, one, other in zip(ask.metrics, first.scores, second.scores, strict=True):
        if first.n_resamples:
            identified[name] = not blind and _is_narrow(name, found.differences[name])
        else:
            identified[name] = one.identified and other.identified

    bounds = [largest_alpha(counts, confidence=1 - LEVEL) for counts in sample.counts]
    most_alpha = max(first.beta * min(*bounds, _SHORT_OF_BETA), first.alpha)
    return Comparison(
        first=first,
        second=second,
        differences=found.differences,
        identified=identified,
        orders=_orders(ask, sample, most_alpha, first.beta),
        most_alpha=most_alpha,
        headline=headline,
        winner=winner,
        scar_winner=scar_winner,
        warnings=tuple(warnings),
        checked=checked,
        checked_metric=checked_metric,
    )


def _better(gap):
    """The better model if the interval of the difference, first minus second, leaves out 0, else None."""
    if gap.lower > 0:
        return "first"
    return "second" if gap.upper < 0 else None


def _is_narrow(metric, gap):
    """Whether the interval of a difference is narrow enough to identify it; a lift has no largest value."""
    return find_metric(metric).range[1] == np.inf or gap.upper - gap.lower < WIDEST


def _warnings_of_both(first, second):
    """What speaks against either model's numbers, and whose it is unless it is said of both."""
    first, second = (
        {(each.code, *each.values.values()): each for each in side} for side in (first, second)
    )
    return [
        *(each for key, each in first.items() if key in second),
        *(each.of("first model") for key, each in first.items() if key not in second),
        *(each.of("second model") for key, each in second.items() if key not in first),
    ]


def _orders(ask, sample, most_alpha, beta):
    """Who is ahead at every alpha, by metric."""
    alphas = np.linspace(0, most_alpha, _STEPS)
    first, second = (
        [
            scores_of(
                ask.metrics, each.counts, alpha=alpha, beta=beta, sizes=sample.tops_of, **ask.where
            )
            for alpha in alphas
        ]
        for each in sample.full
    )
    orders = {}
    for name, one, other in zip(
        ask.metrics, np.transpose(first), np.transpose(second), strict=True
    ):
        orders[name] = _order(alphas, clipped(name, one) - clipped(name, other))
    return orders


def _order(alphas, lead):
    """Order of two models from the lead of the first at every alpha; ties change nothing."""
    ahead = lead > _EQUAL
    behind = lead < -_EQUAL
    changes = []
    for i, j in pairwise(np.flatnonzero(ahead | behind)):
        if ahead[i] != ahead[j]:
            step = (alphas[j] - alphas[i]) * lead[i] / (lead[i] - lead[j])
            changes.append(float(alphas[i] + step))
    return Order(float(ahead.mean()), float(behind.mean()), tuple(changes))
