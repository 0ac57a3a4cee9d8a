"""Assessment of the scores of one model: uncorrected and corrected metrics, intervals, bounds, assumptions."""

import json
import math
from dataclasses import asdict, dataclass, field
from numbers import Real

import numpy as np

from pumetrics.assessment._checked import (
    answers_of,
    check_alike,
    of_checks_alone,
    with_checks,
    with_plan,
)
from pumetrics.assessment._warnings import all_warnings, design_facts, notes_of
from pumetrics.assessment._words import assumed_in_words
from pumetrics.checks import CheckPlan
from pumetrics.checks import opened as opened_checks
from pumetrics.equality import ComparedByValue
from pumetrics.inference.answers import Score, corrections, scores_of_request
from pumetrics.inference.designs import design_of
from pumetrics.inference.request import (
    PriorEstimates,
    ask_of,
    check_accounted,
    labels_of,
    stream_of_priors,
)
from pumetrics.inference.sample import SCORED, Sample
from pumetrics.metrics import AT_THRESHOLD, AT_TOP, metric_at
from pumetrics.priors import Priors
from pumetrics.validation import (
    LARGEST,
    SMALLEST,
    as_array,
    check_magnitude,
    check_scores,
    check_threshold,
)

__all__ = [
    "Assessment",
    "Result",
    "Score",
    "as_json",
    "assess",
    "informative_sample",
    "metrics_for",
    "shared",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class Result(ComparedByValue):
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
        (sampling error and the uncertainty of alpha; with "_noise" at the end also that of beta) or "checked" (rows
        that were not checked).
    confidence : float
    threshold : float or None
    population : {"all", "unlabeled"}
        Population of metrics that depend on the class mix.
    n_resamples : int
        Number of resamples for the intervals; 0 without intervals.
    warnings : tuple of Caution
        Sentences with a code and values.
    design : dict or None
        Whether rows are weighted, the number of clusters, and the effective sample sizes of the labeled and the
        unlabeled rows (the smaller ones of two models); None if all rows have the same weight and are independent.
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
        return {
            **fields,
            "alpha": self.alpha if self.alpha_identified else None,
            "assumption": self.assumption,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Assessment(Result):
    """Estimates of a model's true performance; for the other attributes see :class:`Result`.

    Attributes
    ----------
    alpha_bound : float or None
        Guaranteed upper bound for alpha at half of the significance level, like the upper end of a two-sided interval;
        None with weights, clusters, noisy labels or beta < 1, for which there is no such bound, and with checks.
    scores : tuple of Score
    priors : Priors
        Estimate from the scores, even if alpha was given; None without labels.
    checked : dict of str to CheckedInterval
        Estimates of alpha and of each metric from checked rows, see :func:`pumetrics.checks.checked_interval`. Empty
        without checks. With checks, scores and priors make no assumption about the labels.
    scar : Assessment or None
        With checks: the assessment from the labels alone, if they are random; None without labels.
    """

    alpha_bound: float | None
    scores: tuple[Score, ...]
    priors: Priors | None = field(repr=False)
    checked: dict = field(default_factory=dict)
    scar: "Assessment | None" = None

    headline = None  # which a comparison has

    def as_dict(self):
        """Return all results except the evidence for the priors, as numbers, strings, lists and dicts.

        If not identified, alpha is None and a score is NaN.
        """
        return {
            **self._plain("priors"),
            "checked": {name: each._asdict() for name, each in self.checked.items()},
            "scar": self.scar and self.scar.as_dict(),
            "scores": [asdict(score) for score in self.scores],
        }

    def to_frame(self):
        """Return a table with one row for each metric.

        Returns
        -------
        pandas.DataFrame
            ``metric``, ``corrected``, ``lower`` and ``upper`` (the interval), ``uncorrected``, ``identified``,
            ``assumes``; missing values are NaN.

        Examples
        --------
        >>> from pumetrics.assessment import assess
        >>> s, y_score = [1] * 10 + [0] * 20, [6, 4] * 5 + [5, 3, 2, 1] * 5
        >>> assessment = assess(s, y_score, alpha=0.25, n_bootstrap=0, metrics=["roc_auc"])
        >>> assessment.to_frame()[["metric", "corrected", "uncorrected"]].values.tolist()
        [['roc_auc', 1.0, 0.875]]
        """
        import pandas as pd

        rows = []
        for score in self.scores:
            ends = score.interval or (math.nan, math.nan)
            rows.append(
                (
                    score.metric,
                    score.corrected,
                    *ends,
                    score.uncorrected,
                    score.identified,
                    score.assumes,
                )
            )
        columns = ["metric", "corrected", "lower", "upper", "uncorrected", "identified", "assumes"]
        return pd.DataFrame(rows, columns=columns)

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
        """Draw every metric with its interval, and the uncorrected value.

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
    threshold=None,
    confidence=0.95,
    n_bootstrap=200,
    random_state=0,
    sample_weight=None,
    cluster=None,
    checks=None,
    plan=None,
):
    """Estimate a model's true performance from its scores of labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled. With `checks`, no row has to be labeled, and `s` can be None.
    y_score : array-like of shape (n_samples,)
        Out-of-sample scores, higher means more positive.
    alpha : float or (float, float), optional
        Share of positives among the unlabeled, or a range for it; estimated from the scores by default.
    beta : float
        Share of positives among the labeled.
    rho : float, optional
        Label frequency, the share of all positives that are labeled, in (0, 1]: an alternative to alpha.
    method, noisy
        How the priors are estimated, see :func:`pumetrics.inference.corrected_intervals`.
    metrics : sequence of str, optional
        See :func:`pumetrics.inference.corrected_intervals`. By default areas and measures of predictions, precision and
        recall only with a threshold.
    at : int, float, str or a sequence of them
        Tops of the ranking, such as 100 or "1%", for which precision, recall and lift are also reported.
    population : {"all", "unlabeled"}, default="all"
        Population of tops and of metrics that depend on the class mix: all examples, or only the unlabeled ones.
    uncertainty : {"calibrated", "guaranteed"}, optional
        What intervals account for if alpha is not given, see :func:`pumetrics.inference.corrected_intervals`. With
        `checks`, "guaranteed" gives wider intervals that are valid for any sample size.
    threshold : float, optional
        Predict positive for scores >= threshold. Without a threshold, accuracy, balanced accuracy, F1 and Matthews
        correlation are reported at their maximum.
    confidence : float
        Nominal coverage of intervals.
    n_bootstrap : int
        Number of resamples for the intervals; 0 for no intervals. There are no intervals with fewer than ten resamples
        or fewer than ten labeled or unlabeled examples.
    random_state : int, numpy.random.Generator or None
    sample_weight, cluster : array-like of shape (n_samples,), optional
        Weights of the rows and their clusters, see :func:`pumetrics.inference.corrected_intervals`.
    checks : FilledPlan or DataFrame, optional
        Rows that an expert has checked, as ``plan.filled`` of :func:`pumetrics.checks.plan_checks` returns them. The
        scores are then estimated from these rows, by default at the threshold of the plan; ``scar`` holds the estimates
        from the labels alone.
    plan : CheckPlan or {"random", "top"}, optional
        How the rows of a table were chosen, see :func:`pumetrics.checks.checked_interval`.

    Returns
    -------
    Assessment

    Raises
    ------
    ValueError
        On invalid labels, scores, priors or options, or if the priors are neither given nor can be estimated.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> assessment = assess(s, y_score, rho=0.4, n_bootstrap=0)
    >>> round(assessment.alpha, 3), [(score.metric, round(score.corrected, 2)) for score in assessment.scores[:2]]
    (0.3, [('roc_auc', 0.94), ('average_precision', 0.94)])
    """
    check_alike(checks, sample_weight)
    if s is None and checks is not None:
        s = np.zeros(len(check_scores(y_score, "y_score")), dtype=int)
    design = design_of(
        s, sample_weight=sample_weight, cluster=cluster, y_score=y_score, checks=checks
    )
    checks, plan = opened_checks(checks, plan)
    planned, wanted = (
        isinstance(plan, CheckPlan) and threshold is None,
        uncertainty if checks is None else None,
    )
    threshold = check_threshold(plan.threshold if planned else threshold, y_score)
    names = metrics_for(metrics, threshold=threshold, at=at)
    names = with_plan(names, plan) if metrics is None else names
    ask = ask_of(
        names,
        threshold=threshold,
        least=0,
        population=population,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
    )
    guaranteed = uncertainty == "guaranteed"
    if checks is not None and not as_array(s, "s").any():
        given = {
            "alpha": alpha,
            "rho": rho,
            "beta": None if beta == 1 else beta,
            "noisy": noisy or None,
        }
        return Assessment(**of_checks_alone(ask, s, y_score, checks, plan, guaranteed, given))
    sample = informative_sample(s, [y_score], design)
    labels = labels_of(
        sample, alpha=alpha, beta=beta, rho=rho, method=method, noisy=noisy, uncertainty=wanted
    )
    check_accounted(labels)
    estimates = PriorEstimates(sample.counts[0], labels, stream_of_priors(random_state))
    used, notes = corrections(sample, labels, ask, estimates), tuple(notes_of(sample))
    found = Assessment(
        **shared(sample, ask, used),
        source=labels.source,
        alpha_bound=used.alpha_bound,
        scores=scores_of_request(sample, ask, used),
        warnings=(
            *notes,
            *all_warnings(sample, estimates, result=used, known=labels.alpha is not None),
        ),
        priors=estimates.described,
    )
    if checks is None:
        return found
    answers = answers_of(ask, sample.s, sample.scores[0], checks, plan=plan, guaranteed=guaranteed)
    return with_checks(found, answers, notes, plan=plan)


_OF_PRIORS = (
    "alpha",
    "beta",
    "alpha_interval",
    "beta_interval",
    "alpha_identified",
    "uncertainty",
    "n_resamples",
)


def shared(sample, ask, used):
    """Fields of a :class:`Result` but for its source and its warnings, from the priors that were used."""
    n_labeled, n_unlabeled = sample.n_rows
    options = {
        "confidence": ask.confidence,
        "threshold": ask.threshold,
        "population": ask.population,
    }
    rows = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled, "design": design_facts(sample)}
    return {**rows, **options, **{name: getattr(used, name) for name in _OF_PRIORS}}


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


def informative_sample(s, scores, design=None):
    """A :class:`Sample` whose scores differ and lie in the range that arithmetic allows, or ValueError."""
    sample = Sample(s, scores, design)
    for y_score in sample.scores:
        if (y_score == y_score[0]).all():
            raise ValueError(
                f"y_score is {y_score[0]:g} for every example: constant scores contain no information about a model; "
                "use scores that differ between examples"
            )
        position = check_magnitude(y_score)
        if position is not None:
            raise ValueError(
                f"y_score must have its largest absolute value between {SMALLEST:g} and {LARGEST:g}, got "
                f"{y_score[position]:g} at position {position}: rescale the scores"
            )
    return sample


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
