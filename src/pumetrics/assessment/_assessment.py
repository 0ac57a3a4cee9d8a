"""The answer object: what is known of one model."""

import json
import math
from dataclasses import asdict, dataclass, field, replace

from pumetrics.assessment._words import assumed_in_words
from pumetrics.equality import ComparedByValue
from pumetrics.inference.answers import Score
from pumetrics.inference.drawn import DrawnRates
from pumetrics.priors import Priors
from pumetrics.unscored import Unscored

__all__ = ["Assessment", "as_json"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Assessment(ComparedByValue):
    """Estimates of a model's true performance, with the sample, the priors and the options behind them.

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
        Population of metrics that depend on the prevalence.
    n_resamples : int
        Number of resamples for the intervals; 0 without intervals.
    warnings : tuple of Caution
        Sentences with a code and values.
    design : dict or None
        Whether rows are weighted, the number of clusters, and the effective sample sizes of the labeled and the
        unlabeled rows (the smaller ones of two models); None if all rows have the same weight and are independent.
    scores : tuple of Score
    priors : Priors
        Estimate from the scores, even if alpha was given; None without labels.
    alpha_bound : float or None
        Guaranteed upper bound for alpha at half of the significance level, like the upper end of a two-sided interval;
        None with weights, clusters, noisy labels or beta < 1, for which there is no such bound, with checks, and for
        one of two models.
    checked : dict of str to CheckedInterval
        Estimates of alpha and of each metric from checked rows, see :func:`pumetrics.checks.checked_interval`. Empty
        without checks. With checks, scores and priors assume of the labels only that they are correct, and nothing if
        labeled rows were checked too.
    scar : Assessment or None
        With checks: the assessment from the labels alone, if they are random; None without labels.
    unscored : Unscored or None
        Rows without a score, those of them that are labeled, rows in all, and whether they rank lowest ("lowest") or
        are left out ("skip"); None if every row has a score.
    drawn : DrawnRates or None
        What intervals at a threshold are made of, for bands of curves; None without resamples.
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
    scores: tuple[Score, ...]
    priors: Priors | None = field(repr=False)
    alpha_bound: float | None = None
    checked: dict = field(default_factory=dict)
    scar: "Assessment | None" = None
    unscored: Unscored | None = None
    drawn: DrawnRates | None = field(default=None, repr=False)

    @property
    def assumption(self):
        """Assumptions of these numbers about the labels, in one or two sentences; not of those from checked rows."""
        return assumed_in_words(self)

    def as_dict(self):
        """Return all results except the evidence for the priors, as numbers, strings, lists and dicts.

        If not identified, alpha is None and a score is NaN.
        """
        return {
            **self.facts(),
            "alpha_bound": self.alpha_bound,
            "checked": {name: each._asdict() for name, each in self.checked.items()},
            "scar": self.scar and self.scar.as_dict(),
            "scores": [asdict(score) for score in self.scores],
        }

    def with_unscored(self, unscored):
        """Return the same assessment with what is done with rows without a score."""
        scar = self.scar and self.scar.with_unscored(unscored)
        return replace(self, unscored=unscored, scar=scar)

    def facts(self):
        """Return the sample, the priors and the options as :meth:`as_dict` does."""
        apart = ("priors", "drawn", "alpha_bound", "checked", "scar", "scores")
        fields = {name: value for name, value in vars(self).items() if name not in apart}
        alpha = self.alpha if self.alpha_identified else None
        unscored = self.unscored and self.unscored._asdict()
        return {**fields, "alpha": alpha, "unscored": unscored, "assumption": self.assumption}

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
            numbers = (score.corrected, *ends, score.uncorrected)
            rows.append((score.metric, *numbers, score.identified, score.assumes))
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
