"""Comparison of two models: which is better, how certain that is, and whether the ranking depends on alpha."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pumetrics._arguments import ArgumentError, check_together
from pumetrics._validation import check_same_length
from pumetrics.assessment._assess import Result, metrics_for, positive_and_unlabeled, shared
from pumetrics.assessment._checked import check_alike
from pumetrics.assessment._warnings import LEVEL, Caution, all_warnings, far_apart, impossible, notes_of
from pumetrics.checks import CheckedInterval, checked_difference
from pumetrics.inference import Difference
from pumetrics.inference.answers import corrections_of
from pumetrics.inference.corrected import differences_of, separating_best
from pumetrics.inference.designs import Design, design_of
from pumetrics.inference.request import LEAST, PriorEstimates, ask_of, check_threshold, labels_of, stream_of_priors
from pumetrics.inference.sample import Sample, scores_of_sample
from pumetrics.inference.selection import rank_propensity
from pumetrics.metrics import find_metric
from pumetrics.priors.interval import WIDEST
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.tops import check_population

__all__ = ["Comparison", "Order", "compare_scores"]

_STEPS = 41
_EQUAL = 1e-9  # scores this close are a tie
_SHORT_OF_BETA = 0.99
_SIDES = ("first", "second")


class Order(NamedTuple):
    """Which model is better for alpha from 0 to the largest value that the scores allow."""

    first_ahead: float
    """Share of the tested alphas at which the first model is better."""
    second_ahead: float
    """Share of the tested alphas at which the second model is better; at the rest they are equal."""
    changes: tuple[float, ...]
    """Alphas at which the ranking changes; empty if it never does."""


@dataclass(frozen=True, kw_only=True)
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
        0, if labeled examples do not score higher than unlabeled ones and alpha is not given, or if there are too few
        examples or resamples for an interval.
    differences : dict of str to Difference
        By metric.
    identified : dict of str to (bool, bool, bool)
        Whether the scores identify each metric of the first model, of the second model, and their difference.
    selected_by : {"first", "second"} or None
        Model whose scores determine the selection; None for labels at random.
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
    selected_by: str | None
    orders: dict[str, Order]
    most_alpha: float
    checked: CheckedInterval | None = None

    scores, scar, alpha_bound, estimates = (), None, None, None  # which an assessment of one model has

    def as_dict(self):
        """Return all results as numbers, strings, lists and dicts, with None if not identified."""
        alpha = {"alpha": self.alpha if self.alpha_identified else None}
        metrics = {
            name: {
                **{
                    part: {**interval._asdict(), **alpha, "estimate": estimate, "identified": estimate is not None}
                    for part, interval, estimate in zip(Difference._fields, difference, self.shown(name), strict=False)
                },
                "probability_first_better": difference.probability if name == self.headline else None,
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
    fold=None,
    propensity=None,
    selection=1.0,
    selected_by=None,
    checks=None,
    plan=None,
    guaranteed=False,
    ignore_negatives=False,
):
    """Compare two models by their scores on the same labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled; -1 labeled negative only with `ignore_negatives`.
    first_score, second_score : array-like of shape (n_samples,)
        Out-of-sample scores of both models, higher means more positive.
    alpha, beta, rho, method, noisy, metrics, at, population, uncertainty, threshold, confidence, n_bootstrap
    random_state
        See :func:`pumetrics.assessment.assess`; at least one resample is needed. Both models are corrected with the
        same alpha, because they are applied to the same population; if alpha is not given, it is estimated from the
        scores that separate labeled from unlabeled examples best. The first metric decides which model is better.
    sample_weight, cluster, fold, propensity : array-like of shape (n_samples,), optional
        See :func:`pumetrics.assessment.assess`; both models are scored in the same folds.
    selection : float, default=1.0
        Assumed strength of selection: how many times as often the positive with the highest score is labeled as the one
        with the lowest, by the scores of one model. Labels were selected once, so both models are corrected for the
        same selection.
    selected_by : {"first", "second"}, optional
        Model whose scores determine the selection; by default the one that separates labeled from unlabeled examples
        best.
    checks, plan : DataFrame and CheckPlan, optional
        Checked rows of a plan for both models, see :func:`pumetrics.checks.plan_comparison`. The estimate from these
        rows is ``checked``.
    guaranteed, ignore_negatives
        See :func:`pumetrics.assessment.assess`.

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
    check_same_length(s=s, first_score=first_score, second_score=second_score)
    design = design_of(s, sample_weight=sample_weight, cluster=cluster, fold=fold, propensity=propensity)
    check_alike(checks, design)
    threshold = check_threshold(threshold, first_score, second_score)
    observed, first, notes = positive_and_unlabeled(s, first_score, ignore_negatives=ignore_negatives)
    _, second, _ = positive_and_unlabeled(s, second_score)
    check_population(population)
    sample = Sample(observed, [first, second], design)
    said = {"alpha": alpha, "beta": beta, "rho": rho, "method": method, "noisy": noisy, "uncertainty": uncertainty}
    labels = labels_of(sample, **said, selection=selection, populations=(population,))
    selection = labels.selection
    check_together(selection=selection, population=population)
    design, selected_by = _selected(sample, (first, second), selection, selected_by)
    if selection != 1:  # labels were selected once, so both models are corrected by the same propensities
        sample = Sample(observed, [first, second], design)
        labels = labels_of(sample, **said)
    ask = ask_of(
        metrics_for(metrics, threshold=threshold, at=at), threshold=threshold, population=population,
        confidence=confidence, n_bootstrap=n_bootstrap, random_state=random_state,
    )  # fmt: skip
    estimates = [PriorEstimates(counts, labels, stream_of_priors(random_state)) for counts in sample.counts]
    differences = differences_of(sample, labels, ask, estimates)
    reference = separating_best(sample)
    source, known = labels.source, labels.alpha is not None
    if not known:
        source += f" from the {_SIDES[reference]} model's scores, which separate labeled from unlabeled best"
    blind, few = not known and not estimates[reference].separates, sample.n_drawn < LEAST
    sides = ({name: each[side] for name, each in differences.items()} for side in (0, 1))
    results = [corrections_of(each, blind=blind, few=few) for each in sides]
    used = results[0]
    enough = n_bootstrap >= LEAST and not few
    notes += (*notes_of(sample), *_warnings(estimates, results, reference, known))
    notes += impossible(sample, (used.alpha_interval or (used.alpha,))[-1])
    if not enough:
        notes += (Caution("no_verdict", least=LEAST),)
    most = [largest_alpha(counts, confidence=1 - LEVEL) for counts in sample.counts]
    most = max(used.beta * min(*most, _SHORT_OF_BETA), used.alpha)
    scar_winner = _better(differences[ask.metrics[0]].difference) if enough and not used.blind else None
    checked = None
    if checks is not None:
        options = {"plan": plan, "confidence": confidence, "guaranteed": guaranteed}
        checked = checked_difference(observed, first, second, checks, **options)
    return Comparison(
        **shared(sample, ask, used) | {"selection": selection},
        headline=ask.metrics[0],
        winner=scar_winner if checked is None else None if checked.n_open else _better(checked),
        scar_winner=scar_winner,
        source=source,
        differences=differences,
        identified={name: _identified(name, differences[name], results) for name in ask.metrics},
        selected_by=selected_by,
        orders=_orders(ask, sample.full, most, used.beta),
        most_alpha=most,
        warnings=notes,
        checked=checked,
    )


def _better(gap):
    """The better model if the interval of the difference, first minus second, leaves out 0, else None."""
    return "first" if gap.lower > 0 else "second" if gap.upper < 0 else None


def _selected(sample, scores, selection, selected_by):
    """The design with the propensities that a selection by one model's scores gives, and whose scores those are."""
    if selected_by not in (None, *_SIDES):
        raise ArgumentError("selected_by", f"must be 'first', 'second' or None, got {selected_by!r}")
    if selection == 1:
        if selected_by is not None:
            raise ArgumentError("selected_by", "needs a selection other than 1")
        return sample.design, None
    side = _SIDES.index(selected_by) if selected_by else separating_best(sample)
    propensity = rank_propensity(sample.s, scores[side], selection, design=sample.design)
    return (sample.design or Design())._replace(propensity=propensity / propensity[sample.s == 1].max()), _SIDES[side]


def _identified(metric, difference, results):
    """Whether the scores tell a metric of the first model, of the second, and their difference."""
    gap = difference.difference
    narrow = find_metric(metric).range[1] == np.inf or gap.upper - gap.lower < WIDEST
    return (*(each.scores[metric].identified for each in results), narrow and not (results[0].blind or results[0].few))


def _warnings(estimates, results, reference, known):
    """What speaks against either model's numbers, and whose it is unless it is said of both."""
    warnings, alphas = [], []
    for side, (each, result) in enumerate(zip(estimates, results, strict=True)):
        alphas.append(each.pair[0])
        options = {"known": known, "n_bootstrap": 0, "own": known or side == reference}
        warnings.append(all_warnings(each, result=result, **options))
    first, second = ({(each.code, *each.values.values()): each for each in side} for side in warnings)
    return (
        *(each for key, each in first.items() if key in second),
        *(each.of("first model") for key, each in first.items() if key not in second),
        *(each.of("second model") for key, each in second.items() if key not in first),
        *([Caution("models_disagree", first=alphas[0], second=alphas[1])] if not known and far_apart(*alphas) else []),
    )


def _orders(ask, samples, most, beta):
    """Who is ahead at every alpha, by metric."""
    alphas = np.linspace(0, most, _STEPS)
    scores = [
        [scores_of_sample(ask.metrics, each, alpha=alpha, beta=beta, **ask.where) for alpha in alphas]
        for each in samples
    ]
    low, high = np.transpose([find_metric(name).range for name in ask.metrics])
    first, second = np.clip(scores, low, high)
    return {name: _order(alphas, first[:, i] - second[:, i]) for i, name in enumerate(ask.metrics)}


def _order(alphas, lead):
    """Order of two models from the lead of the first at every alpha; ties change nothing."""
    ahead, behind = lead > _EQUAL, lead < -_EQUAL
    decided = np.flatnonzero(ahead | behind)
    turns = [(i, j) for i, j in pairwise(decided) if ahead[i] != ahead[j]]
    changes = [alphas[i] + (alphas[j] - alphas[i]) * lead[i] / (lead[i] - lead[j]) for i, j in turns]
    return Order(float(ahead.mean()), float(behind.mean()), tuple(float(alpha) for alpha in changes))
