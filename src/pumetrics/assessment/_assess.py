"""Assessment of the scores of one model: uncorrected and corrected metrics, intervals, bounds, assumptions."""

import json
import math
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from numbers import Real

import numpy as np

from pumetrics._arguments import check_together
from pumetrics._validation import (
    LARGEST,
    SMALLEST,
    check_labels,
    check_magnitude,
    check_same_index,
    check_same_length,
    check_scores,
    of_unknown_origin,
)
from pumetrics.assessment._checked import answers_of, check_alike, with_checks, with_plan
from pumetrics.assessment._warnings import Caution, all_warnings, design_facts, impossible, no_bounds, notes_of, outside
from pumetrics.assessment._words import assumed_in_words, label
from pumetrics.checks import CheckPlan
from pumetrics.counts import Counts, count_scores
from pumetrics.inference.answers import Score, corrections, scores_of_request
from pumetrics.inference.designs import ARGUMENTS, design_of
from pumetrics.inference.request import PriorEstimates, ask_of, check_threshold, labels_of, stream_of_priors
from pumetrics.inference.sample import SCORED, Sample
from pumetrics.metrics import AT_THRESHOLD, AT_TOP, metric_at
from pumetrics.priors import Priors
from pumetrics.priors.interval import identifies
from pumetrics.thresholds import GOALS, ThresholdChoice, check_goal, choose_threshold
from pumetrics.tops import check_population

__all__ = [
    "Assessment", "OpenThresholdError", "Result", "Score", "as_json", "assess", "metrics_for",
    "positive_and_unlabeled", "shared",
]  # fmt: skip


_SAME = 0.9  # thresholds are nearly the same if the examples flagged by one are at least this share of the other's
_MOST_ALPHA = 0.995  # of beta: beyond, corrections divide by next to nothing


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an :class:`Assessment` and a :class:`Comparison` have in common: the sample, the priors and the options.

    Attributes
    ----------
    n_labeled, n_unlabeled : int
    alpha, beta : float
        Shares of positives among the unlabeled and the labeled; if alpha is not identified, the center of its range.
    alpha_interval, beta_interval : tuple of (float, float) or None
        Ranges of both, given or estimated from the scores or the resamples.
    alpha_identified : bool
        Whether alpha is given, or its range is narrow enough to identify it.
    source : str
        Source of the priors.
    uncertainty : str
        What intervals account for: "known" and "range" (sampling error, alpha given), "calibrated", "guaranteed"
        (sampling error and the uncertainty of alpha; with "_noise" at the end also that of beta), "sampling" (sampling
        error only) or "checked" (rows that were not checked).
    selection : float
        Assumed strength of the selection by score; 1 for labels at random.
    confidence : float
    threshold : float or None
    population : {"all", "unlabeled"}
        Population of metrics that depend on the class mix.
    n_resamples : int
        Number of resamples for the intervals; 0 without intervals.
    warnings : tuple of Caution
        Sentences with a code and values.
    design : dict or None
        Whether rows are weighted, the numbers of clusters and folds, and the effective sample sizes of the labeled and
        the unlabeled rows; None if all rows have the same weight and are independent.
    """

    n_labeled: int
    n_unlabeled: int
    alpha: float
    beta: float
    alpha_interval: tuple[float, float] | None
    beta_interval: tuple[float, float] | None
    alpha_identified: bool
    source: str
    uncertainty: str
    selection: float
    confidence: float
    threshold: float | None
    population: str
    n_resamples: int
    warnings: tuple[str, ...]
    design: dict | None = None

    @property
    def assumption(self):
        """Assumptions of these numbers about the labels, in one or two sentences; not of those from checked rows."""
        return assumed_in_words(self)

    def _plain(self, *apart):
        """Fields, but for those `apart`, with None for an alpha that is not identified, and the assumption."""
        fields = {name: value for name, value in vars(self).items() if name not in apart}
        return {**fields, "alpha": self.alpha if self.alpha_identified else None, "assumption": self.assumption}


@dataclass(frozen=True, kw_only=True)
class Assessment(Result):
    """Estimates of a model's true performance; for the other attributes see :class:`Result`.

    Attributes
    ----------
    alpha_bound : float or None
        Guaranteed upper bound for alpha at half of the significance level, like the upper end of a two-sided interval;
        None with noisy labels, for which there is no such bound.
    choice : ThresholdChoice or None
        Goal for which the threshold was chosen, if any.
    scores : tuple of Score
    priors : Priors
        Estimate from the scores, even if alpha was given.
    checked : dict of str to CheckedInterval
        Estimates of alpha and of each metric from checked rows, see :func:`pumetrics.checks.checked_interval`. Empty
        without checks. With checks, scores and priors make no assumption about the labels.
    scar : Assessment or None
        With checks: the assessment from the labels alone, if they are random.
    estimates : PriorEstimates or None
        Estimates of the priors from the scores, from which priors are drawn.
    """

    alpha_bound: float | None
    choice: ThresholdChoice | None
    scores: tuple[Score, ...]
    priors: Priors = field(repr=False)
    checked: dict = field(default_factory=dict)
    scar: "Assessment | None" = None
    estimates: PriorEstimates | None = field(default=None, repr=False, compare=False)

    headline, selected_by = None, None  # which a comparison has

    def as_dict(self):
        """Return all results except the evidence for the priors, as numbers, strings, lists and dicts.

        If not identified, alpha is None and a score is NaN.
        """
        return {
            **self._plain("priors", "estimates"),
            "choice": None if self.choice is None else self.choice._asdict(),
            "checked": {name: each._asdict() for name, each in self.checked.items()},
            "scar": self.scar and self.scar.as_dict(),
            "scores": [asdict(score) for score in self.scores],
        }

    def to_frame(self):
        """Return a table with one row for each metric and each strength of selection.

        Returns
        -------
        pandas.DataFrame
            ``metric``, ``selection``, ``corrected``, ``lower`` and ``upper`` (the interval), ``lower_bound`` and
            ``upper_bound``, ``uncorrected``, ``identified``, ``assumes``; missing values are NaN.

        Examples
        --------
        >>> from pumetrics.assessment import assess
        >>> s, y_score = [1] * 10 + [0] * 20, [6, 4] * 5 + [5, 3, 2, 1] * 5
        >>> assessment = assess(s, y_score, alpha=0.25, n_bootstrap=0, metrics=["roc_auc"])
        >>> assessment.to_frame()[["metric", "corrected", "uncorrected"]].values.tolist()
        [['roc_auc', 1.0, 0.875]]
        """
        import pandas as pd

        nothing = (math.nan, math.nan)
        rows = []
        for score in self.scores:
            main = self.selection, score.corrected, score.interval
            for selection, corrected, interval in (main, *score.selected):
                lower, upper = interval or nothing
                low, high = (score.bounds or nothing) if selection == self.selection else nothing
                rows.append({
                    "metric": score.metric, "selection": selection, "corrected": corrected, "lower": lower,
                    "upper": upper, "lower_bound": low, "upper_bound": high, "uncorrected": score.uncorrected,
                    "identified": score.identified, "assumes": score.assumes,
                })  # fmt: skip
        return pd.DataFrame(rows)

    def to_json(self, *, indent=2):
        """Return all results except the evidence for the priors, as JSON; infinities and NaN become null.

        Parameters
        ----------
        indent : int or None

        Returns
        -------
        str

        Examples
        --------
        >>> from pumetrics.assessment import assess
        >>> assessment = assess([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25, n_bootstrap=0)
        >>> json.loads(assessment.to_json())["n_labeled"]
        2
        """
        return as_json(self.as_dict(), indent=indent)

    def plot(self, ax=None):
        """Draw every metric with its interval and its bounds, and the uncorrected value.

        For curves, which need the scores, see :mod:`pumetrics.displays`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pumetrics.assessment._pictures import draw_numbers

        return draw_numbers(self, ax)

    def _repr_html_(self):
        """Fragment of HTML for notebooks."""
        from pumetrics.assessment._page import in_notebook

        return in_notebook(self)


def assess(
    s,
    y_score,
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
    selection=1.0,
    threshold=None,
    goal=None,
    confidence=0.95,
    n_bootstrap=200,
    random_state=0,
    sample_weight=None,
    cluster=None,
    fold=None,
    propensity=None,
    checks=None,
    plan=None,
    guaranteed=False,
    ignore_negatives=False,
):
    """Estimate a model's true performance from its scores of labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled; -1 (labeled negative) only with `ignore_negatives`. None if `y_score`
        contains counts.
    y_score : array-like of shape (n_samples,) or Counts
        Out-of-sample scores, higher means more positive; or the counts of a file that is too large for memory, see
        :func:`pumetrics.assessment.count_file`.
    alpha : float or (float, float), optional
        Share of positives among the unlabeled, or a range for it; estimated from the scores by default.
    beta : float
        Share of positives among the labeled.
    rho : float, optional
        Label frequency, the share of all positives that are labeled, in (0, 1]: an alternative to alpha.
    method, noisy
        How the priors are estimated, see :func:`pumetrics.inference.corrected_interval`.
    metrics : sequence of str, optional
        See :func:`pumetrics.inference.corrected_interval`. By default areas and measures of predictions, precision and
        recall only with a threshold.
    at : int, float, str or a sequence of them
        Tops of the ranking, such as 100 or "1%", for which precision, recall and lift are also reported.
    population : {"all", "unlabeled"}, default="all"
        Population of tops and of metrics that depend on the class mix: all examples, or only the unlabeled ones.
    uncertainty : {"calibrated", "guaranteed", "sampling"}, optional
        What intervals account for if alpha is not given, see :func:`pumetrics.inference.corrected_interval`.
    selection : float or sequence of float, default=1.0
        Assumed strength of selection: how many times as often the positive with the highest score is labeled as the one
        with the lowest. If several are given, the first determines the score; the others are reported in addition.
    threshold : float, optional
        Predict positive for scores >= threshold. Without a threshold or a goal, accuracy, balanced accuracy, F1 and
        Matthews correlation are reported at their maximum.
    goal : dict, optional
        Goal for which to choose the threshold on these examples, see :func:`pumetrics.thresholds.choose_threshold`:
        ``{"cost_fp": 1, "cost_fn": 20}``, ``{"min_precision": 0.8}`` or ``{"min_recall": 0.9}``.
    confidence : float
        Nominal coverage of intervals and bounds.
    n_bootstrap : int
        Number of resamples for the intervals; 0 for no intervals. There are no intervals with fewer than ten resamples
        or fewer than ten labeled or unlabeled examples.
    random_state : int, numpy.random.Generator or None
    sample_weight, cluster, fold, propensity : array-like of shape (n_samples,), optional
        Weights of the rows, their clusters, the folds of a cross-validation, and the propensity of a positive in this
        row to be labeled, see :func:`pumetrics.inference.corrected_interval`. With any of these there are no bounds.
    checks : DataFrame, optional
        Rows that an expert has checked, as ``plan.filled`` of :func:`pumetrics.checks.plan_checks` returns them. The
        scores are then estimated from these rows, by default at the threshold of the plan; ``scar`` holds the estimates
        from the labels alone.
    plan, guaranteed
        How these rows were chosen, and whether their intervals hold for any sample size: see
        :func:`pumetrics.checks.checked_interval`.
    ignore_negatives : bool, default=False
        Whether to ignore labeled negatives (-1), with a warning.

    Returns
    -------
    Assessment

    Raises
    ------
    ValueError
        On invalid labels, scores, priors or options, or if the priors are neither given nor can be estimated.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> assessment = assess(s, y_score, rho=0.4, n_bootstrap=0)
    >>> round(assessment.alpha, 3), [(score.metric, round(score.corrected, 2)) for score in assessment.scores[:2]]
    (0.3, [('roc_auc', 0.94), ('average_precision', 0.94)])
    """
    design = design_of(s, sample_weight=sample_weight, cluster=cluster, fold=fold, propensity=propensity)
    check_alike(checks, design, goal)
    planned = isinstance(plan, CheckPlan) and threshold is None and not goal
    threshold = check_threshold(plan.threshold if planned else threshold, y_score)
    s, y_score, dropped = positive_and_unlabeled(s, y_score, ignore_negatives=ignore_negatives)
    check_population(population)
    sample = Sample(s, [y_score], design)
    (counts,) = sample.counts
    said = {"alpha": alpha, "beta": beta, "rho": rho, "method": method, "noisy": noisy, "uncertainty": uncertainty}
    labels = labels_of(sample, **said, selection=np.atleast_1d(selection), populations=(population,))
    estimates = PriorEstimates(counts, labels[0], stream_of_priors(random_state))
    wanted = {"confidence": confidence, "random_state": random_state, "population": population, "least": 0}
    ask = ask_of(["roc_auc"], threshold=threshold, n_bootstrap=n_bootstrap, **wanted)
    choice = _chosen_threshold(goal, sample, labels[0], ask, estimates)
    threshold = threshold if choice is None else choice.threshold
    metrics = with_plan(metrics_for(metrics, threshold=threshold, at=at), plan)
    ask = ask_of(metrics, threshold=threshold, n_bootstrap=n_bootstrap, **wanted)
    notes = (*dropped, *notes_of(sample))
    main, *others = (corrections(sample, each, ask, estimates) for each in labels)
    scores = scores_of_request(sample, ask, main, others)
    warnings = all_warnings(estimates, result=main, known=labels[0].alpha is not None, n_bootstrap=n_bootstrap)
    warnings += impossible(sample, (main.alpha_interval or (main.alpha,))[-1])
    bounded = {label(each.metric, threshold): (each.corrected, each.bounds) for each in scores if each.bounds}
    found = Assessment(
        **shared(sample, ask, main),
        source=labels[0].source,
        alpha_bound=main.alpha_bound,
        choice=choice,
        scores=scores,
        warnings=(*notes, *no_bounds(design), *warnings, *outside(bounded)),
        priors=estimates.described,
        estimates=estimates,
    )
    if checks is None:
        return found
    answers = answers_of(ask, s, y_score, checks, plan=plan, guaranteed=guaranteed)
    return with_checks(found, answers, notes)


_OF_PRIORS = (
    "alpha", "beta", "alpha_interval", "beta_interval", "alpha_identified", "uncertainty", "selection", "n_resamples"
)  # fmt: skip


def shared(sample, ask, used):
    """Fields of a :class:`Result` but for its source and its warnings, from the priors that were used."""
    n_labeled, n_unlabeled = sample.n_rows
    options = {"confidence": ask.confidence, "threshold": ask.threshold, "population": ask.population}
    rows = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled, "design": design_facts(sample)}
    return {**rows, **options, **{name: getattr(used, name) for name in _OF_PRIORS}}


class OpenThresholdError(ValueError):
    """The threshold for a goal depends on alpha, which is not identified."""


def metrics_for(metrics=None, *, threshold=None, at=()):
    """Names of the metrics to report.

    Parameters
    ----------
    metrics : sequence of str, optional
        By default areas and measures of predictions; with a threshold, precision and recall among them.
    threshold : float, optional
    at : int, float, str or a sequence of them
        Tops of the ranking, such as 100 or "1%", for which precision, recall and lift are reported, or only the metrics
        at k that `metrics` names, if any.

    Returns
    -------
    list of str
        Metrics of tops are last, unless `metrics` begins with one.

    Raises
    ------
    ValueError
        If `at` contains anything other than numbers and shares of examples.

    Examples
    --------
    >>> metrics_for(["roc_auc"], at=[50, 0.01])  # doctest: +NORMALIZE_WHITESPACE
    ['roc_auc', 'precision_at_50', 'recall_at_50', 'lift_at_50', 'precision_at_1%', 'recall_at_1%', 'lift_at_1%']
    >>> metrics_for(["recall_at_k"], at="5%")
    ['recall_at_5%']
    """
    if isinstance(metrics, str):
        return metrics  # refused where metrics are checked
    tops = [at] if isinstance(at, str | Real) else list(at)
    names = list(SCORED if metrics is None or len(metrics) == 0 else metrics)
    if metrics is None and threshold is not None:
        names += [name for name in AT_THRESHOLD if name not in SCORED]
    if tops:
        families = [name for name in names if name in AT_TOP] or AT_TOP
        named = [metric_at(name, k) for k in tops for name in families]
        others = [name for name in names if name not in AT_TOP]
        names = named + others if names[0] in AT_TOP else others + named
    return list(dict.fromkeys(names))


def _chosen_threshold(goal, sample, labels, ask, estimates):
    """Threshold that meets a goal with the priors of an assessment, None without a goal."""
    unknown = [name for name in goal or {} if name not in GOALS]
    if unknown:
        raise ValueError(f"goal has no key {unknown[0]!r}: use one of {', '.join(GOALS)}")
    goal = check_goal(**(goal or {}))
    if not goal:
        return None
    design = sample.design
    check_together(
        threshold=ask.threshold, selection=labels.selection, **goal, **dict(zip(ARGUMENTS, design or (), strict=False))
    )
    priors = corrections(sample, labels, replace(ask, n_bootstrap=0), estimates)
    counts = sample.full[0].folds[0]
    choose = partial(choose_threshold, None, counts, beta=priors.beta, population=ask.population, **goal)
    if priors.alpha_interval and (priors.uncertainty == "range" or not priors.alpha_identified):
        _check_ends(choose, counts, priors.alpha_interval, priors.beta)
        choice = choose(alpha=priors.alpha)
        if not identifies(*priors.alpha_interval):
            recall = choice.recall if priors.beta == 1 else np.nan
            choice = choice._replace(precision=np.nan, recall=recall, cost=choice.cost and np.nan)
        return choice
    return choose(alpha=priors.alpha)


def _check_ends(choose, counts, ends, beta):
    """Raise ValueError unless `choose` takes nearly the same threshold at both ends of alpha's range."""
    flagged, words = [], []
    for alpha in ends:
        try:
            threshold = choose(alpha=min(alpha, _MOST_ALPHA * beta)).threshold
        except ValueError:  # out of reach
            flagged.append(np.nan)
            words.append(f"at {alpha:.3g} no threshold reaches the goal")
        else:
            flagged.append(counts.predicted[counts.at(threshold)] / counts.n)
            words.append(f"at {alpha:.3g} it is {threshold:.6g}, which flags {flagged[-1]:.1%} of the examples")
    if not min(flagged) >= _SAME * max(flagged):  # also if one is NaN
        raise OpenThresholdError(
            f"alpha lies between {ends[0]:.3g} and {ends[1]:.3g}, and the threshold depends on it: "
            f"{' and '.join(words)}; give alpha (--alpha), a range of alpha from a checked random sample of the "
            "unlabeled, or one of the thresholds"
        )


def positive_and_unlabeled(s, y_score, *, ignore_negatives=True):
    """Check labels and scores and leave out labeled negatives or refuse them. Counts stay as they are.

    The third part says what was left out.
    """
    if isinstance(y_score, Counts):
        _check_informative(count_scores(s, y_score).thresholds[1:])
        return None, y_score, ()
    check_same_index(s=s, y_score=y_score)
    s, y_score = check_labels(s, allowed=(-1, 0, 1)), check_scores(y_score)
    check_same_length(s=s, y_score=y_score)
    _check_informative(y_score)
    negative = s == -1
    if not negative.any():
        return s, y_score, ()
    if not ignore_negatives:
        raise ValueError(of_unknown_origin(negative.sum(), f"s holds -1 at position {np.argmax(negative)}"))
    return s[~negative], y_score[~negative], (Caution("negatives", n=negative.sum()),)


def _check_informative(y_score):
    """Raise ValueError on scores that are all equal, or out of the range that arithmetic allows."""
    if (y_score == y_score[0]).all():
        raise ValueError(
            f"y_score is {y_score[0]:g} for every example: constant scores contain no information about a model; use "
            "scores that differ between examples"
        )
    position = check_magnitude(y_score)
    if position is not None:
        raise ValueError(
            f"y_score must have its largest absolute value between {SMALLEST:g} and {LARGEST:g}, got "
            f"{y_score[position]:g} at position {position}: rescale the scores"
        )


def as_json(value, *, indent=2):
    """Numbers, strings, lists and dicts as JSON; infinities and NaN become null."""
    return json.dumps(_finite(value), indent=indent, allow_nan=False)


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
