"""What can be said of one model's scores: uncorrected, corrected, how sure, within which bounds, on what grounds."""

import json
import math
from dataclasses import asdict, dataclass, field

import numpy as np

from pumetrics._validation import (
    LARGEST,
    SMALLEST,
    check_labels,
    check_magnitude,
    check_random_state,
    check_same_index,
    check_same_length,
    check_scores,
    of_unknown_origin,
)
from pumetrics.assessment._asked import chosen_threshold, metrics_for, thresholds_of
from pumetrics.assessment._checked import (
    answers_of,
    as_dicts,
    check_alike,
    threshold_of,
    with_checks,
    with_plan,
)
from pumetrics.assessment._corrections import (
    bounds_alpha,
    corrections,
    design_facts,
    impossible,
    no_bounds,
    notes_of,
)
from pumetrics.assessment._doubts import FEW, all_doubts, outside
from pumetrics.assessment._plain import alpha_sentence, headline
from pumetrics.assessment._words import assumed_in_words, label, span
from pumetrics.bounds.scores import band_for, score_bounds
from pumetrics.counts import Counts, count_ranks, count_scores
from pumetrics.inference.designs import design_of, scores_of_sample
from pumetrics.inference.plan import PriorEstimates
from pumetrics.inference.request import ask_of, check_threshold, labels_of
from pumetrics.inference.sample import Sample
from pumetrics.metrics import find_metric
from pumetrics.priors import Priors
from pumetrics.thresholds import ThresholdChoice
from pumetrics.tops import check_population

__all__ = ["Assessment", "Score", "assess", "positive_and_unlabeled", "stream_of_priors"]


@dataclass(frozen=True)
class Score:
    """One metric of an assessment.

    Attributes
    ----------
    metric : str
    uncorrected : float
        Measured with the labeled as positives and the unlabeled as negatives.
    corrected : float
        Against the true class; NaN where it is not identified.
    interval : tuple of (float, float) or None
        What it may be by sampling error and by what is left open about alpha; None if none was asked for. It holds
        the true score as often as it says whether or not that is identified.
    bounds : tuple of (float, float) or None
        Within which the true score lies given alpha; None with noisy labels, which the bounds do not know.
    assumes : str
        What it rests on; with fewer than 50 labeled examples, of which intervals are too narrow, that there are more.
    identified : bool
        Whether the interval is narrow enough to identify it, see :func:`pumetrics.priors.interval.identifies`; False
        with fewer than ten labeled or unlabeled examples or clusters, which give none.
    threshold : float or None
        Where predictions are made: the given or the best threshold, or the score at which the top of the ranking ends.
        None for areas; infinity where it is best to predict no positives.
    population : {"all", "unlabeled"} or None
        What it is about, labeled and unlabeled examples together or the unlabeled alone; None if it is the same of
        both: it depends on no class mix, and labels are random. Against observed labels there is no class mix of the
        unlabeled: `uncorrected` is then NaN.
    selected : tuple of (float, float, (float, float) or None)
        Strength of a selection by score, and what is corrected, with its interval, under it; see
        :func:`pumetrics.inference.selection.reweighted`.
    """

    metric: str
    uncorrected: float
    corrected: float
    interval: tuple[float, float] | None
    bounds: tuple[float, float] | None
    assumes: str
    identified: bool = True
    selected: tuple = ()
    threshold: float | None = None
    population: str | None = None


_APART = ("scores", "priors", "rho", "estimates")  # fields that JSON does not hold as they are


@dataclass(frozen=True)
class Assessment:
    """What is known of a model's true performance.

    Attributes
    ----------
    n_labeled, n_unlabeled : int
    alpha, beta : float
        Shares of positives among the unlabeled and the labeled; where alpha is not identified, the center of its range.
    alpha_interval, beta_interval : tuple of (float, float) or None
        Ranges, given, from the scores, or from the resamples.
    alpha_bound : float or None
        Guaranteed upper bound for alpha at half of the level, as the upper end of a two-sided interval; None with noisy
        labels, for which there is none.
    alpha_identified : bool
        Whether alpha is given, or its range is narrow enough to identify it.
    source : str
        Where the priors come from.
    uncertainty : str
        What intervals hold: "known" and "range" (sampling error, alpha given), "calibrated", "guaranteed" (sampling
        error and the uncertainty of alpha; with "_noise" at the end also that of beta), "sampling" (sampling error
        only) or "checked" (rows that were not checked).
    selection : float
        Strength of the selection by score that is assumed; 1 for labels at random.
    confidence : float
    threshold : float or None
    population : {"all", "unlabeled"}
        What metrics that depend on the class mix are about.
    choice : ThresholdChoice or None
        What the threshold was chosen for, if it was.
    n_resamples : int
        Resamples behind the intervals; 0 without intervals.
    scores : tuple of Score
    warnings : tuple of str
    priors : Priors
        The estimate from the scores, whether or not alpha was given.
    design : dict or None
        Whether rows are weighted, how many clusters and folds there are, and how many independent examples of equal
        weight the labeled and the unlabeled rows are worth; None if every row counts alike.
    checked : dict of str to tuple of CheckedInterval
        What checked rows say of alpha and of each metric, see :func:`pumetrics.checks.side_by_side`: without any
        assumption on the labels first. Empty without checks. With them, scores and priors are those without assumption.
    scar : Assessment or None
        With checks: what the labels alone say, on the assumption that they are random.
    rho : float or None
        The label frequency that alpha follows from, if that was given.
    estimates : PriorEstimates or None
        What the scores say of the priors, for what is drawn of them.
    """

    n_labeled: int
    n_unlabeled: int
    alpha: float
    beta: float
    alpha_interval: tuple[float, float] | None
    beta_interval: tuple[float, float] | None
    alpha_bound: float | None
    alpha_identified: bool
    source: str
    uncertainty: str
    selection: float
    confidence: float
    threshold: float | None
    population: str
    choice: ThresholdChoice | None
    n_resamples: int
    scores: tuple[Score, ...]
    warnings: tuple[str, ...]
    priors: Priors = field(repr=False)
    design: dict | None = None
    checked: dict = field(default_factory=dict)
    scar: "Assessment | None" = None
    rho: float | None = None
    estimates: PriorEstimates | None = field(default=None, repr=False, compare=False)

    @property
    def assumption(self):
        """What these numbers assume of the labels, in one sentence or two."""
        return assumed_in_words(self)

    def as_dict(self):
        """Return everything but the evidence behind the priors, as numbers, strings, lists and dicts.

        What is not identified is None for alpha, NaN for a score.
        """
        fields = {name: value for name, value in vars(self).items() if name not in _APART}
        fields["alpha"] = self.alpha if self.alpha_identified else None
        fields["choice"] = None if self.choice is None else self.choice._asdict()
        fields["checked"] = as_dicts(self.checked)
        fields |= {"assumption": self.assumption, "scar": self.scar and self.scar.as_dict()}
        return {**fields, "scores": [asdict(score) for score in self.scores]}

    def to_frame(self):
        """One row for each metric and each strength of selection.

        Returns
        -------
        pandas.DataFrame
            ``metric``, ``selection``, ``corrected``, ``lower`` and ``upper`` (the interval), ``lower_bound`` and
            ``upper_bound``, ``uncorrected``, ``identified``, ``assumes``; what there is not is NaN.

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
        """Everything but the evidence behind the priors, as JSON; infinities and NaN become null.

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
        return json.dumps(_finite(self.as_dict()), indent=indent, allow_nan=False)

    def plot(self, ax=None):
        """Draw every metric with its interval and its bounds, and the uncorrected number beside it.

        Curves need the scores: see :mod:`pumetrics.displays`.

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
        from pumetrics.assessment._page import fragment

        return fragment(
            "notebook.html.j2",
            assessment=self,
            sentence=headline(self),
            alpha=alpha_sentence(self),
            label=label,
            span=span,
        )


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
    label_odds=(np.inf, 2.0, 1.0),
    guaranteed=False,
    ignore_negatives=False,
):
    """Assess a model by its scores of labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled; -1 labeled negative only with `ignore_negatives`. None if `y_score`
        holds counts.
    y_score : array-like of shape (n_samples,) or Counts
        Out-of-sample scores, higher is more positive; or the counts of a file that is too large for memory, see
        :func:`pumetrics.assessment.count_file`.
    alpha : float or (float, float), optional
        Share of positives among the unlabeled, or a range for it; estimated from the scores by default.
    beta : float
        Share of positives among the labeled.
    rho : float, optional
        Label frequency, the share of all positives that are labeled, in (0, 1]: another way to give alpha.
    method, noisy
        How the priors are estimated, see :func:`pumetrics.inference.corrected_interval`.
    metrics : sequence of str, optional
        See :func:`pumetrics.inference.corrected_interval`. By default areas and measures of predictions, precision and
        recall only with a threshold.
    at : int, float, str or a sequence of them
        Tops of the ranking, such as 100 or "1%", whose precision, recall and lift are reported as well.
    population : {"all", "unlabeled"}, default="all"
        What metrics that depend on the class mix are about, and who is ranked for tops: labeled and unlabeled
        examples together, or the unlabeled alone.
    uncertainty : {"calibrated", "guaranteed", "sampling"}, optional
        What to do about an alpha that is not given, see :func:`pumetrics.inference.corrected_interval`.
    selection : float or sequence of float, default=1.0
        How many times as often the positive that scores highest is labeled as the one that scores lowest. Of several
        the first is reported as the score, the others beside it.
    threshold : float, optional
        Where to predict positive; without one and without a goal, accuracy, balanced accuracy, F1 and Matthews
        correlation are taken at their maximum.
    goal : dict, optional
        What the threshold is to be chosen for on these examples, see :func:`pumetrics.thresholds.choose_threshold`:
        ``{"cost_fp": 1, "cost_fn": 20}``, ``{"min_precision": 0.8}`` or ``{"min_recall": 0.9}``.
    confidence : float
        Of intervals and bounds.
    n_bootstrap : int
        Resamples behind the intervals; 0 for none. Fewer than ten, or fewer than ten examples of either
        kind, give none.
    random_state : int, numpy.random.Generator or None
    sample_weight, cluster, fold, propensity : array-like of shape (n_samples,), optional
        Weights of the rows, which of them belong together, by which model of a cross-validation each was scored, and
        how likely a positive like it is to be labeled, see :func:`pumetrics.inference.corrected_interval`. With any of
        them there are no bounds.
    checks : DataFrame, optional
        Rows that an expert has checked, as ``plan.filled`` of :func:`pumetrics.checks.plan_checks` returns them. The
        scores are then theirs, by default at the threshold of the plan; what the labels alone say is ``scar``.
    label_odds, guaranteed
        Which assumptions on the labels to show beside none, and whether intervals of `checks` hold for any sample
        size: see :func:`pumetrics.checks.side_by_side`.
    ignore_negatives : bool, default=False
        Whether to leave out labeled negatives (-1), which a warning then says.

    Returns
    -------
    Assessment

    Raises
    ------
    ValueError
        On bad labels, scores, priors or options, or if the priors can neither be estimated nor are given.

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
    threshold = check_threshold(threshold_of(checks) if threshold is None and not goal else threshold, y_score)
    s, y_score, dropped = positive_and_unlabeled(s, y_score, ignore_negatives=ignore_negatives)
    check_population(population)
    sample = Sample(s, [y_score], design)
    (counts,) = sample.counts
    said = {"alpha": alpha, "beta": beta, "rho": rho, "method": method, "noisy": noisy, "uncertainty": uncertainty}
    labels = labels_of(sample, **said, selection=np.atleast_1d(selection), populations=(population,))
    estimates = PriorEstimates(counts, labels[0], stream_of_priors(random_state))
    wanted = {"confidence": confidence, "random_state": random_state, "population": population, "least": 0}
    ask = ask_of(["roc_auc"], n_bootstrap=n_bootstrap, **wanted)
    choice = chosen_threshold(s, y_score, goal, sample, labels[0], ask, estimates, threshold=threshold)
    if choice is not None:
        threshold = choice.threshold
    metrics = with_plan(metrics_for(metrics, threshold=threshold, at=at), checks)
    ask = ask_of(metrics, threshold=threshold, n_bootstrap=n_bootstrap, **wanted)
    notes = (*dropped, *notes_of(sample))
    main, *others = corrections(sample, labels, ask, estimates)
    doubts = all_doubts(estimates, result=main, known=labels[0].alpha is not None, n_bootstrap=n_bootstrap)
    doubts += impossible(sample, (main.alpha_interval or (main.alpha,))[-1])
    bounds = {} if design else _bounded(ask, counts, main)
    doubts += tuple(outside({label(name, threshold): (main.shown(name)[0], bounds[name]) for name in bounds}))
    before = _uncorrected(ask, sample.full[0])
    places = thresholds_of(ask, sample.full[0], main)
    assumed = {name: _assumptions(name, main, design, counts.n_labeled) for name in ask.metrics}
    found = Assessment(
        n_labeled=sample.n_rows[0],
        n_unlabeled=sample.n_rows[1],
        alpha=main.alpha,
        beta=main.beta,
        alpha_interval=main.alpha_interval,
        beta_interval=main.beta_interval,
        alpha_bound=main.alpha_bound,
        alpha_identified=main.alpha_identified,
        source=labels[0].source,
        uncertainty=main.uncertainty,
        selection=main.selection,
        confidence=confidence,
        threshold=threshold,
        population=population,
        choice=choice,
        n_resamples=main.n_resamples,
        scores=tuple(
            Score(
                name, before[name], *main.shown(name), bounds.get(name), assumed[name],
                main.identified(name), tuple((other.selection, *other.shown(name)) for other in others),
                places[name], population if main.selection != 1 or find_metric(name).population != "any" else None,
            )
            for name in ask.metrics
        ),
        warnings=notes + no_bounds(design) + doubts,
        priors=estimates.described,
        rho=rho,
        estimates=estimates,
        design=design_facts(sample),
    )  # fmt: skip
    if checks is None:
        return found
    options = {"confidence": confidence, "label_odds": label_odds, "guaranteed": guaranteed, **ask.where}
    return with_checks(found, answers_of(ask.metrics, s, y_score, checks, **options), notes)


def stream_of_priors(random_state):
    """Random numbers of estimators: the second of three streams, with which an interval estimates, too."""
    return check_random_state(random_state).spawn(3)[1]


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
    note = f"{negative.sum()} labeled negatives (-1) are left out: corrections compare labeled with unlabeled examples"
    return s[~negative], y_score[~negative], (note,)


def _check_informative(y_score):
    """Raise ValueError on scores that are all equal, or out of the range that arithmetic allows."""
    if (y_score == y_score[0]).all():
        raise ValueError(
            f"y_score is {y_score[0]:g} for every example: constant scores say nothing about a model; use scores "
            "that differ between examples"
        )
    position = check_magnitude(y_score)
    if position is not None:
        raise ValueError(
            f"y_score must have its largest absolute value between {SMALLEST:g} and {LARGEST:g}, got "
            f"{y_score[position]:g} at position {position}: rescale the scores"
        )


def _uncorrected(ask, sample):
    """Scores against the observed labels; NaN where they would be about the unlabeled, none of which is positive."""
    values = scores_of_sample(ask.metrics, sample, alpha=0.0, beta=1.0, threshold=ask.threshold, population="all")
    return {
        name: float(value) if ask.population == "all" or find_metric(name).population == "any" else np.nan
        for name, value in zip(ask.metrics, values, strict=True)
    }


def _bounded(ask, counts, result):
    """Bounds by metric; none with noisy or selected labels."""
    if result.beta < 1 or result.uncertainty.endswith("noise") or result.selection != 1:
        return {}
    span, ranking = bounds_alpha(result, counts.n_unlabeled), count_ranks(None, counts)
    options = {"alpha": span, "confidence": ask.confidence}
    band = band_for(None, ranking, **options)
    return score_bounds(ask.metrics, None, counts, band=band, ranking=ranking, **options, **ask.where)


def _assumptions(name, result, design, n_labeled):
    grounds = "SCAR" if result.selection == 1 else f"selection {result.selection:g}"
    grounds = "propensity" if design is not None and design.propensity is not None else grounds
    grounds += ", alpha, beta" if result.beta < 1 or result.uncertainty.endswith("noise") else ", alpha"
    grounds += "" if find_metric(name).population == "any" else ", class mix"
    return f"{grounds}, {FEW} or more labeled" if result.n_resamples and n_labeled < FEW else grounds


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
