"""Curves against the true class: ROC, precision-recall, gains and lift."""

import numpy as np

from pumetrics._validation import check_alphas
from pumetrics.counts import count_scores
from pumetrics.curves import precision_recall, recovered_curve
from pumetrics.displays._base import CurveDisplay
from pumetrics.rates import sample_prior
from pumetrics.recovery import recover_rates

__all__ = ["PUGainsDisplay", "PULiftDisplay", "PUPrecisionRecallDisplay", "PURocDisplay"]

_GRID = np.linspace(0, 1, 401)
_FEWEST = 10  # examples flagged below which lift is chance


class PURocDisplay(CurveDisplay):
    """ROC curve against the true class, from labeled and unlabeled examples; see :class:`CurveDisplay`.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        False and true positive rates of the corrected curve.
    area : float
        Area under it.
    uncorrected : tuple (fpr, tpr, area), optional
        The curve measured against the observed labels.
    bounds : tuple (fpr, lower, upper, (low, high)), optional
        Region of the true curve, and bounds on its area.
    interval : tuple (fpr, lower, upper), optional
        Bootstrap interval of the true positive rate.
    name : str, optional
        Of the model, for the legend.
    chance : tuple of float, optional
        Height of a random ranking at both ends.
    confidence : float
        Of bounds and interval.

    Examples
    --------
    >>> display = PURocDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    >>> round(display.area, 3)
    1.0
    """

    _labels = ("False positive rate", "True positive rate (recall)")
    _chance = (0, 1)

    @staticmethod
    def _points(counts, alpha, beta, population):
        return recovered_curve(counts, alpha=alpha, beta=beta, repair="envelope")

    @staticmethod
    def _area(x, y):
        return float(np.trapezoid(y, x))

    @staticmethod
    def _region(s, y_score, alpha, population, options):
        from pumetrics.bounds import roc_bounds

        region = roc_bounds(s, y_score, alpha=alpha, **options)
        return (_GRID, *region.at(_GRID), region.auc)


class PUPrecisionRecallDisplay(CurveDisplay):
    """Precision-recall curve of the unlabeled examples, or of all, against their true class; see :class:`CurveDisplay`.

    The uncorrected curve is the usual one, of labeled against unlabeled.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Recall and precision of the corrected curve.
    area : float
        Average precision.
    uncorrected, bounds, interval, name, chance, confidence
        See :class:`PURocDisplay`, of recall and precision.

    Examples
    --------
    >>> display = PUPrecisionRecallDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    >>> round(display.area, 3)
    1.0
    """

    population = "unlabeled"
    _labels = ("Recall", "Precision among {population}")
    _drawing = {"drawstyle": "steps-pre"}  # noqa: RUF012

    @staticmethod
    def _points(counts, alpha, beta, population):
        return precision_recall(counts, alpha=alpha, beta=beta, population=population, repair="envelope")[::-1]

    @staticmethod
    def _area(x, y):
        return float(np.clip(np.sum(np.diff(x) * y[1:]), 0, 1))

    @staticmethod
    def _region(s, y_score, alpha, population, options):
        """Outermost precision at each recall, over a range of alpha; None if no positive is hidden."""
        from pumetrics.bounds import pr_bounds, unlabeled_precision_bounds
        from pumetrics.bounds.tables import alphas_within

        recall, bounds_of = _GRID[1:], pr_bounds if population == "all" else unlabeled_precision_bounds
        alphas = alphas_within(check_alphas(alpha), count_scores(s, y_score).n_unlabeled)
        alphas = [each for each in alphas if each > 0 or population == "all"]
        regions = [bounds_of(s, y_score, alpha=each, **options) for each in alphas]
        if not regions:
            return None
        lower, upper = zip(*(region.at(recall) for region in regions), strict=True)
        low, high = zip(*(region.auc for region in regions), strict=True)
        return recall, np.min(lower, axis=0), np.max(upper, axis=0), (min(low), max(high))


class PUGainsDisplay(CurveDisplay):
    """Cumulative gains: recall against the share of examples flagged, highest scores first; see :class:`CurveDisplay`.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Share flagged, and the share of all positives among them (recall).
    area
        None: the area depends on the class mix.
    uncorrected, interval, name, chance, confidence
        See :class:`PURocDisplay`.

    Examples
    --------
    >>> display = PUGainsDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    >>> display.x.round(2), display.y.round(2)
    (array([0.  , 0.17, 0.33, 0.5 , 0.67, 0.83, 1.  ]), array([0.  , 0.33, 0.5 , 1.  , 1.  , 1.  , 1.  ]))
    """

    _labels = ("Share of {population} flagged", "Recall: share of the positives found")
    _chance = (0, 1)

    @staticmethod
    def _points(counts, alpha, beta, population):
        """Share flagged and share of the positives among them; never more positives than flagged."""
        tpr, _ = recover_rates(counts.tpr_pu, counts.fpr_pu, alpha=alpha, beta=beta)
        share, prior = counts.fpr_pu, alpha
        if population == "all":
            share, prior = counts.predicted / counts.n, sample_prior(alpha, beta, counts.c)
        most = np.minimum(share / prior, 1) if prior else 1
        return share, np.maximum.accumulate(np.clip(tpr, 0, most))


class PULiftDisplay(CurveDisplay):
    """Lift: how many times as often positives occur among the flagged as among all; see :class:`CurveDisplay`.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Share flagged, and recall divided by that share.
    area
        None.
    uncorrected, interval, name, chance, confidence
        See :class:`PURocDisplay`.

    Examples
    --------
    >>> s, y_score = [1, 1, 0, 0, 0, 0] * 10, [6, 4, 5, 3, 2, 1] * 10
    >>> display = PULiftDisplay.from_predictions(s, y_score, alpha=0.25)
    >>> display.x.round(2), display.y.round(2)
    (array([0.17, 0.33, 0.5 , 0.67, 0.83, 1.  ]), array([2. , 1.5, 2. , 1.5, 1.2, 1. ]))
    """

    _labels = ("Share of {population} flagged", "Lift: positives found, against flagging at random")
    _chance = (1, 1)

    @staticmethod
    def _points(counts, alpha, beta, population):
        share, tpr = PUGainsDisplay._points(counts, alpha, beta, population)
        n = counts.n if population == "all" else counts.n_unlabeled
        kept = share >= min(_FEWEST / n, 0.5)
        return share[kept], tpr[kept] / share[kept]

    @staticmethod
    def _grid(counts):
        return np.geomspace(min(_FEWEST / counts.n, 0.5), 1, 201)

    def _frame(self, ax):
        from matplotlib.ticker import FuncFormatter, NullFormatter

        ax.set(xscale="log", xlim=(self.x[0] * 0.95, 1.05), ylim=(0, None))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}%"))
        ax.xaxis.set_minor_formatter(NullFormatter())
