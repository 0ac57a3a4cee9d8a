"""ROC and precision-recall curves against the true class."""

from functools import partial

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.displays._display import CurveDisplay
from pumetrics.displays._resampled import alphas_of, band_of, draw
from pumetrics.rates import sample_prior

__all__ = ["PUPrecisionRecallDisplay", "PURocDisplay"]

_GRID = np.linspace(0, 1, 401)


class PURocDisplay(CurveDisplay):
    """ROC curve against the true class, from labeled and unlabeled examples.

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
    """

    _labels = ("False positive rate", "True positive rate (recall)")

    @classmethod
    def from_predictions(
        cls,
        s,
        y_score,
        *,
        alpha,
        beta=1.0,
        bounds=True,
        alpha_range=None,
        confidence=0.95,
        n_bootstrap=0,
        random_state=0,
        name=None,
        color=None,
        uncorrected=True,
        corrected=True,
        ax=None,
        band=None,
    ):
        """Draw the curve of scores.

        Parameters
        ----------
        s : array-like of shape (n_samples,)
            Observed label: 1 labeled, 0 unlabeled.
        y_score : array-like of shape (n_samples,)
            Scores, higher means more positive.
        alpha : float
            Share of positives among the unlabeled, in [0, beta).
        beta : float
            Share of positives among the labeled, alpha < beta <= 1.
        bounds : bool
            Shade where the true curve can lie. Only with beta = 1: bounds take labels at their word.
        alpha_range : (float, float), optional
            Range of alpha for bounds and intervals; `alpha` alone by default.
        confidence : float
            With which the bounds hold, and of intervals, in (0, 1).
        n_bootstrap : int
            Resamples behind an interval at each false positive rate; 0 for none.
        random_state : int, numpy.random.Generator or None
        name : str, optional
            Of the model, for the legend.
        color : str, optional
            By default the next of the axes.
        uncorrected : bool
            Draw the uncorrected curve as well.
        corrected : bool
            Draw the corrected curve itself; without it only bounds and interval, as where it is not identified.
        ax : matplotlib.axes.Axes, optional
        band : Band, optional
            To be used for the bounds, see :func:`pumetrics.bounds.roc_bounds`.

        Returns
        -------
        PURocDisplay
            Drawn: `ax_`, `figure_` and `line_` are set.

        Raises
        ------
        ValueError
            On invalid labels, scores or priors.

        Examples
        --------
        >>> display = PURocDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
        >>> round(display.area, 3)
        1.0
        """
        from pumetrics.bounds import roc_bounds
        from pumetrics.curves import pu_roc_curve

        fpr, tpr, _ = pu_roc_curve(s, y_score, alpha=alpha, beta=beta)
        counts = count_scores(s, y_score)
        region = interval = None
        if bounds and beta == 1:
            curve_bounds = roc_bounds(s, y_score, alpha=alpha_range or alpha, confidence=confidence, band=band)
            region = (_GRID, *curve_bounds.at(_GRID), curve_bounds.auc)
        if n_bootstrap:
            alphas = alphas_of(alpha, alpha_range)
            interval = _interval(_tpr_at, counts, alphas, beta, confidence, n_bootstrap, random_state)
        before = (counts.fpr_pu, counts.tpr_pu, float(np.trapezoid(counts.tpr_pu, counts.fpr_pu)))
        display = cls(
            fpr, tpr, float(np.trapezoid(tpr, fpr)), uncorrected=before, bounds=region, interval=interval, name=name,
            chance=(0, 1), confidence=confidence,
        )  # fmt: skip
        return display.plot(ax, color=color, uncorrected=uncorrected, corrected=corrected)


class PUPrecisionRecallDisplay(CurveDisplay):
    """Precision-recall curve of the unlabeled examples, or of all, against their true class.

    The uncorrected curve is the usual one, of labeled against unlabeled.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Recall and precision of the corrected curve.
    area : float
        Average precision.
    uncorrected : tuple (recall, precision, area), optional
        The curve measured against the observed labels.
    bounds : tuple (recall, lower, upper, (low, high)), optional
        Region of the true curve, and bounds on its average precision.
    interval : tuple (recall, lower, upper), optional
        Bootstrap interval of the precision.
    name : str, optional
        Of the model, for the legend.
    chance : tuple of float, optional
        Height of a random ranking at both ends.
    confidence : float
        Of bounds and interval.
    """

    _labels = ("Recall", "Precision")
    _drawing = {"drawstyle": "steps-pre"}  # noqa: RUF012

    @classmethod
    def from_predictions(
        cls,
        s,
        y_score,
        *,
        alpha,
        beta=1.0,
        population="unlabeled",
        bounds=True,
        alpha_range=None,
        confidence=0.95,
        n_bootstrap=0,
        random_state=0,
        name=None,
        color=None,
        uncorrected=True,
        corrected=True,
        ax=None,
        band=None,
    ):
        """Draw the curve of scores.

        Parameters
        ----------
        s, y_score, alpha, beta
            See :meth:`PURocDisplay.from_predictions`.
        population : {"unlabeled", "all"}, default="unlabeled"
            What precision is about: the unlabeled examples, or labeled and unlabeled ones together, as in the
            uncorrected curve.
        bounds, alpha_range, confidence, n_bootstrap, random_state
            See :meth:`PURocDisplay.from_predictions`.
        name, color, uncorrected, corrected, ax, band
            See :meth:`PURocDisplay.from_predictions`.

        Returns
        -------
        PUPrecisionRecallDisplay
            Drawn: `ax_`, `figure_` and `line_` are set.

        Raises
        ------
        ValueError
            On invalid labels, scores or priors.

        Examples
        --------
        >>> display = PUPrecisionRecallDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
        >>> round(display.area, 3)
        1.0
        """
        from pumetrics.curves import precision_recall

        counts = count_scores(s, y_score)
        curves = []
        for share, purity, among in ((alpha, beta, population), (0.0, 1.0, "all")):
            precision, recall = precision_recall(counts, alpha=share, beta=purity, population=among, repair="envelope")
            curves.append((recall, precision, float(np.clip(np.sum(np.diff(recall) * precision[1:]), 0, 1))))
        region = interval = None
        if bounds and beta == 1:
            region = _precision_region(s, y_score, alpha_range or alpha, confidence, band, population)
        if n_bootstrap:
            alphas = alphas_of(alpha, alpha_range)
            height = partial(_precision_at, population=population)
            interval = _interval(height, counts, alphas, beta, confidence, n_bootstrap, random_state)
        prior = alpha if population == "unlabeled" else sample_prior(alpha, beta, counts.c)
        display = cls(
            *curves[0], uncorrected=curves[1], bounds=region, interval=interval, name=name,
            chance=(prior, prior) if corrected else None, confidence=confidence,
        )  # fmt: skip
        about = "the unlabeled" if population == "unlabeled" else "all examples"
        display._labels = ("Recall", f"Precision among {about}")
        return display.plot(ax, color=color, uncorrected=uncorrected, corrected=corrected)


def _interval(height, counts, alphas, beta, confidence, n_bootstrap, random_state):
    draws = draw(counts, n_bootstrap, random_state)
    lower, upper = band_of(draws, lambda each, alpha: height(each, alpha, beta), alphas, confidence)
    return _GRID, lower, upper


def _tpr_at(counts, alpha, beta):
    from pumetrics.curves import repaired
    from pumetrics.recovery import recover_rates

    tpr, fpr = recover_rates(counts.tpr_pu, counts.fpr_pu, alpha=alpha, beta=beta)
    fpr, tpr, _ = repaired(fpr, tpr, counts.thresholds, "envelope")
    return np.interp(_GRID, fpr, tpr)


def _precision_at(counts, alpha, beta, population):
    from pumetrics.curves import precision_recall

    precision, recall = precision_recall(counts, alpha=alpha, beta=beta, population=population, repair="envelope")
    return np.interp(_GRID, recall, precision)


def _precision_region(s, y_score, alpha, confidence, band, population):
    """Outermost precision at each recall, over a range of alpha; None if no positive is hidden."""
    from pumetrics._validation import check_alphas
    from pumetrics.bounds import pr_bounds, unlabeled_precision_bounds
    from pumetrics.bounds.tables import alphas_within

    recall = _GRID[1:]
    bounds_of = pr_bounds if population == "all" else unlabeled_precision_bounds
    alphas = alphas_within(check_alphas(alpha), count_scores(s, y_score).n_unlabeled)
    alphas = [each for each in alphas if each > 0 or population == "all"]
    regions = [bounds_of(s, y_score, alpha=each, confidence=confidence, band=band) for each in alphas]
    if not regions:
        return None
    lower, upper = zip(*(region.at(recall) for region in regions), strict=True)
    low, high = zip(*(region.auc for region in regions), strict=True)
    return recall, np.min(lower, axis=0), np.max(upper, axis=0), (min(low), max(high))
