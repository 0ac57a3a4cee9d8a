"""Curves against the true class: ROC and precision-recall."""

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.curves import precision_recall, recovered_curve
from pumetrics.displays._base import GRID, CurveDisplay
from pumetrics.validation import check_alphas

__all__ = ["PUPrecisionRecallDisplay", "PURocDisplay"]


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
    population : {"all", "unlabeled"}
        What precision is about.

    Examples
    --------
    >>> display = PURocDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    >>> round(display.area, 3)
    1.0
    """

    _metric = "roc_auc"
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
        return (GRID, *region.at(GRID), region.auc)


class PUPrecisionRecallDisplay(CurveDisplay):
    """Precision-recall curve of all examples, or of the unlabeled, against their true class; see :class:`CurveDisplay`.

    The uncorrected curve is the usual one, of labeled against unlabeled.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Recall and precision of the corrected curve.
    area : float
        Average precision.
    uncorrected, bounds, interval, name, chance, confidence, population
        See :class:`PURocDisplay`, of recall and precision.

    Examples
    --------
    >>> display = PUPrecisionRecallDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    >>> round(display.area, 3)
    1.0
    """

    _metric = "average_precision"
    _labels = ("Recall", "Precision among {population}")
    _drawing = {"drawstyle": "steps-pre"}  # noqa: RUF012

    @staticmethod
    def _points(counts, alpha, beta, population):
        return precision_recall(
            counts, alpha=alpha, beta=beta, population=population, repair="envelope"
        )[::-1]

    @staticmethod
    def _area(x, y):
        return float(np.clip(np.sum(np.diff(x) * y[1:]), 0, 1))

    @staticmethod
    def _region(s, y_score, alpha, population, options):
        """Outermost precision at each recall, over a range of alpha; None if no positive is hidden."""
        from pumetrics.bounds.bands import latent_positives
        from pumetrics.bounds.curve_bounds import pr_bounds, unlabeled_precision_bounds
        from pumetrics.bounds.tables import alphas_within

        recall = GRID[1:]
        bounds_of = pr_bounds if population == "all" else unlabeled_precision_bounds
        n_unlabeled = count_scores(s, y_score).n_unlabeled
        alphas = alphas_within(check_alphas(alpha), n_unlabeled)
        alphas = [
            each for each in alphas if latent_positives(each, n_unlabeled) or population == "all"
        ]
        regions = [bounds_of(s, y_score, alpha=each, **options) for each in alphas]
        if not regions:
            return None
        # Between two alphas a height can be farther out than at both; of all rows a range has bounds of its own.
        whole = [pr_bounds(s, y_score, alpha=alpha, **options)] if population == "all" else regions
        lower, upper = zip(*(region.at(recall) for region in whole), strict=True)
        low, high = zip(*(region.auc for region in regions), strict=True)
        return recall, np.min(lower, axis=0), np.max(upper, axis=0), (min(low), max(high))
