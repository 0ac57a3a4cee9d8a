"""What a method is given and what it answers: scores of one model, counted once, priors, estimates."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics._validation import as_array
from pumetrics.counts import count_ranks, count_scores
from pumetrics.metrics import METRICS, find_metric, measures_of, rates_at, roc_auc_pu
from pumetrics.tops import check_population

__all__ = ["Answer", "Estimate", "Given", "Method", "ScoredSample"]


class ScoredSample:
    """Scores with observed labels and, in studies, the true class.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    y : array-like of shape (n,), optional
        True class, 0 and 1. Controls and :meth:`truth` need it; no other method looks at it.
    threshold : float, optional
        Where measures of predictions are taken: predict positive for scores >= threshold. By default where as many are
        predicted positive as there are positives, which needs `y`.
    population : {"unlabeled", "all"}, optional
        What estimates that depend on the class mix are about; by default each is about its own, see ``METRICS``.
        Uncorrected and true measures are always about the whole sample.

    Attributes
    ----------
    s, y, score : ndarray of shape (n,)
        As given; `y` is None if unknown.
    counts : Counts

    Raises
    ------
    ValueError
        On invalid labels, scores or options, or different lengths.
    """

    def __init__(self, s, y_score, *, y=None, threshold=None, population=None):
        if population is not None:
            check_population(population)
        self.counts = count_scores(s, y_score, y)
        self.s, self.score = as_array(s, "s"), as_array(y_score, "y_score").astype(np.float64)
        self.y = None if y is None else np.asarray(y)
        self.population, self._threshold, self.memory = population, threshold, {}

    @property
    def thresholds(self):
        """Thresholds of the counts."""
        return self.counts.thresholds

    @cached_property
    def ranking(self):
        """Labels counted at every rank, which bounds are made of."""
        return count_ranks(self.s, self.score)

    @cached_property
    def at(self):
        """Index of the threshold at which measures of predictions are taken."""
        if self._threshold is not None:
            return int(self.counts.at(self._threshold))
        return int(np.argmin(np.abs(self.counts.predicted - self.counts.truth.n_labeled)))

    def threshold_at(self, kind, at):
        """The threshold of predictions: the given one, or the score at a place among the thresholds."""
        given = kind == "threshold" and self._threshold is not None
        return float(self._threshold if given else self.thresholds[at])

    @cached_property
    def alpha(self):
        """True share of positives among the unlabeled; needs `y`."""
        return float(self.y[self.s == 0].mean())

    @cached_property
    def beta(self):
        """True share of positives among the labeled; needs `y`."""
        return float(self.y[self.s == 1].mean())

    @cached_property
    def auc_pu(self):
        """Area under the ROC curve of labeled against unlabeled examples."""
        return roc_auc_pu(self.counts)

    def measures(self, alpha=0.0, beta=1.0, *, population="all"):
        """Measures of predictions recovered with the given priors, at every threshold, by name; not clipped."""
        key = alpha, beta, population
        if key not in self.memory:
            self.memory[key] = measures_of(self.counts, alpha=alpha, beta=beta, population=population)
        return self.memory[key]

    def at_top(self, metric, alpha=0.0, beta=1.0, *, population=None):
        """Measure of the top of the ranking recovered with the given priors; not clipped."""
        entry = find_metric(metric)
        at, among = self.place(metric, population=population), entry.population_of(population or self.population)
        return entry.formula(rates_at(self.counts, alpha=alpha, beta=beta, at=at, population=among))

    def place(self, metric, *, population=None):
        """Where the top of the ranking ends among the thresholds, see :func:`pumetrics.tops.place_of`."""
        return find_metric(metric).place(self.counts, population=population or self.population)

    def area(self, metric, alpha=0.0, beta=1.0, *, repair="envelope", population=None):
        """Area recovered with the given priors; not clipped."""
        among = METRICS[metric].population_of(population or self.population)
        options = {"repair": repair, "population": among}
        return METRICS[metric].formula(self.counts, alpha=alpha, beta=beta, **options)

    @cached_property
    def true_measures(self):
        """Measures of predictions against the true class, at every threshold, by name."""
        return measures_of(self.counts.truth)

    def true_area(self, metric, *, population=None):
        """Area against the true class, of the sample's population or another one."""
        if METRICS[metric].population_of(population or self.population) == "unlabeled":
            return self._true_precision_of_the_unlabeled()
        return METRICS[metric].formula(self.counts.truth, alpha=0.0, beta=1.0, repair="none", population="all")

    def truth(self, metric, at=None):
        """True value of a metric.

        Parameters
        ----------
        metric : str
            An entry of ``METRICS``.
        at : int, optional
            Index of the threshold a maximum was reached at; measures at a threshold are taken at ``at``.

        Returns
        -------
        float
        """
        entry = find_metric(metric)
        if entry.kind == "area":
            return self._true_areas[metric]
        if entry.kind == "top":
            return float(entry.formula(rates_at(self.counts.truth, at=self.place(metric, population="all"))))
        return float(self.true_measures[entry.measure][self.at if entry.kind == "threshold" else at])

    @cached_property
    def _true_areas(self):
        return {name: self.true_area(name) for name, entry in METRICS.items() if entry.kind == "area"}

    def _true_precision_of_the_unlabeled(self):
        """Area under the true precision-recall curve at the share of positives among the unlabeled."""
        truth = self.counts.truth
        positive = self.alpha * truth.tpr_pu[1:]
        precision = positive / (positive + (1 - self.alpha) * truth.fpr_pu[1:])
        return float(np.sum(np.diff(truth.tpr_pu) * precision))


class Given(NamedTuple):
    """Inputs of a method other than the scores; NaN if unknown."""

    alpha: float = np.nan
    """Share of positives among the unlabeled."""
    beta: float = np.nan
    """Share of positives among the labeled."""
    rho: float = np.nan
    """Label frequency: share of all positives that are labeled."""
    confidence: float = 0.95
    """Coverage of bands and intervals."""
    estimator: str = "consensus"
    """Which estimator of the priors resamples use, where alpha is unknown."""
    n_resamples: int = 200
    """Resamples behind an interval."""
    rng: np.random.Generator | None = None
    """For methods that draw."""
    first: bool | None = None
    """Whether this is the first model of a pool; None without a pool."""


class Estimate(NamedTuple):
    """A method's answer to one metric."""

    metric: str
    value: float
    """Not clipped; NaN if there is none."""
    at: int = 0
    """Index of the threshold it belongs to; 0 for areas."""
    lower: float = np.nan
    """Lower bound; NaN if the method gives none."""
    upper: float = np.nan
    """Upper bound; NaN if the method gives none."""


class Answer(NamedTuple):
    """Estimate of a metric by a method, with what it is based on."""

    estimate: float
    """Clipped to the range of the metric; of a method that ranks only, a number to order models by. NaN where it is not
    identified."""
    lower: float | None
    """Lower end of the bounds or of the interval; None if there is none."""
    upper: float | None
    """Upper end; None if there is none."""
    threshold: float | None
    """Predict positive for scores >= threshold: where a measure of predictions is taken; None for areas."""
    alpha: float | None
    """Share of positives among the unlabeled that the method used; None if it used none."""
    beta: float | None
    """Share of positives among the labeled that the method used; None if it used none."""
    method: str
    """Name in ``METHODS``; "checks" of checked rows."""
    prior: str
    """Where alpha comes from: "given", "rho", "none", or the estimator, with "_clean" where labels are right."""
    notes: tuple[str, ...]
    """What the number assumes and leaves out, one sentence each."""
    identified: bool = True
    """Whether the scores identify it, as :func:`pumetrics.assessment.assess` says; True of methods that correct
    nothing, or rank only."""


@dataclass(frozen=True)
class Method:
    """A method: how it answers, what it needs and assumes, and the use of its answer.

    Attributes
    ----------
    answer : callable
        ``answer(sample, given, metrics)`` yields an ``Estimate`` for each of the metrics of a :class:`ScoredSample`.
        The true class in it is for controls alone.
    label : str
        Its name in figures and tables.
    needs : tuple of str
        What must be known or estimated, of "alpha", "beta" and "rho"; or "truth" (the true class) and "pool" (other
        models), which only a study has. A method that needs alpha and not beta assumes no label noise.
    assumes : str
        The conditions under which its answer is valid.
    metrics : tuple of str
        Names of the metrics it answers.
    ranks_only : bool
        Its number ranks models but does not estimate the metric, so it has no error.
    control : bool
        It uses the truth, or no information: for comparison only.
    picks_only : bool
        Its number selects a model but does not rank the others.
    uncertainty : str
        Of a method with an interval from resamples, what that accounts for where alpha is unknown: "calibrated",
        "guaranteed" or "sampling"; see :func:`pumetrics.inference.corrected_interval`. Empty for others. Such a method
        costs hundreds of times as much, so studies ask it apart.
    band : str
        Of a method with bounds, the band they come from; empty for others.
    """

    answer: Callable
    label: str
    needs: tuple[str, ...]
    assumes: str
    metrics: tuple[str, ...]
    ranks_only: bool = False
    control: bool = False
    picks_only: bool = False
    uncertainty: str = ""
    band: str = ""
