"""Displays of corrected curves, with the interface of scikit-learn's: `from_predictions`, `from_estimator`, `plot`.

Each display shows the uncorrected curve, the corrected one, and the region in which the true curve must lie given
alpha and randomly chosen labels (Claesen et al. 2015).
"""

import numpy as np

from pumetrics._extras import require

__all__ = ["PUPrecisionRecallDisplay", "PURocCurveDisplay"]

_BLUE, _RED, _SHADE = "#0072B2", "#D55E00", "#56B4E9"
_GRID = np.linspace(0, 1, 401)
_MOST_POINTS = 1500  # of a line; more are not seen, and make files of megabytes


class _CurveDisplay:
    """Common parts of both displays: constructor, `from_estimator` and `plot`."""

    _labels = ("", "")

    def __init__(self, x, y, area, *, uncorrected=None, bounds=None, name=None, chance=None):
        self.x, self.y, self.area, self.uncorrected = x, y, area, uncorrected
        self.bounds, self.name, self.chance = bounds, name, chance

    @classmethod
    def from_estimator(cls, estimator, X, s, *, name=None, **options):
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : object
            Fitted, with ``decision_function`` or ``predict_proba``.
        X : array-like of shape (n_samples, n_features)
            Examples the estimator has not seen.
        s, name, **options
            See `from_predictions`; by default the name is that of the estimator's class.

        Returns
        -------
        display
            Drawn, as by `from_predictions`.

        Raises
        ------
        ValueError
            If the estimator has neither method, and as `from_predictions`.
        """
        if hasattr(estimator, "decision_function"):
            y_score = estimator.decision_function(X)
        elif hasattr(estimator, "predict_proba"):
            y_score = estimator.predict_proba(X)[:, 1]
        else:
            raise ValueError(
                f"{type(estimator).__name__} has neither decision_function nor predict_proba: use a classifier, or "
                "pass scores such as those of predict to from_predictions"
            )
        return cls.from_predictions(s, y_score, name=name or type(estimator).__name__, **options)

    def plot(self, ax=None):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `line_` set."""
        if ax is None:
            plt = require("matplotlib.pyplot", extra="plots", purpose="drawing a curve")
            _, ax = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
        if self.bounds is not None:
            x, lower, upper, (low, high) = self.bounds
            ax.fill_between(x, lower, upper, color=_SHADE, alpha=0.3, lw=0, label=f"bounds ({low:.3f} to {high:.3f})")
        if self.chance is not None:
            ax.plot([0, 1], self.chance, color="#888888", linestyle=":", linewidth=1)
        if self.uncorrected is not None:
            x, y, area = self.uncorrected
            ax.plot(*_thinned(x, y), color=_RED, linestyle="--", label=f"uncorrected ({area:.3f})", **self._drawing)
        label = f"{self.name}, corrected" if self.name else "corrected"
        lines = ax.plot(*_thinned(self.x, self.y), color=_BLUE, label=f"{label} ({self.area:.3f})", **self._drawing)
        ax.set(xlabel=self._labels[0], ylabel=self._labels[1], xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        ax.legend(loc=self._corner, frameon=False, fontsize="small")
        self.ax_, self.figure_, self.line_ = ax, ax.figure, lines[0]
        return self


class PURocCurveDisplay(_CurveDisplay):
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
    name : str, optional
        For the legend.
    chance : tuple of float, optional
        Ends of the line of a random ranking.
    """

    _labels = ("False positive rate", "True positive rate")
    _corner = "lower right"
    _drawing = {}  # noqa: RUF012

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
        name=None,
        ax=None,
        band=None,
    ):
        """Draw the curve of scores.

        Parameters
        ----------
        s : array-like of shape (n_samples,)
            Observed label: 1 labeled, 0 unlabeled.
        y_score : array-like of shape (n_samples,)
            Scores, higher is more positive.
        alpha : float
            Share of positives among the unlabeled, in [0, beta).
        beta : float
            Share of positives among the labeled, alpha < beta <= 1.
        bounds : bool
            Shade where the true curve can lie. Only with beta = 1: bounds take labels at their word.
        alpha_range : (float, float), optional
            Range of alpha for the bounds; `alpha` alone by default.
        confidence : float
            With which the bounds hold, in (0, 1).
        name : str, optional
            For the legend.
        ax : matplotlib.axes.Axes, optional
        band : Band, optional
            To be used for the bounds, see :func:`pumetrics.bounds.roc_bounds`.

        Returns
        -------
        PURocCurveDisplay
            Drawn: `ax_`, `figure_` and `line_` are set.

        Raises
        ------
        ValueError
            On bad labels, scores or priors.

        Examples
        --------
        >>> display = PURocCurveDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
        >>> round(display.area, 3)
        1.0
        """
        from pumetrics.bounds import roc_bounds
        from pumetrics.curves import pu_roc_curve, threshold_rates

        fpr, tpr, _ = pu_roc_curve(s, y_score, alpha=alpha, beta=beta)
        tpr_pu, fpr_pu, _ = threshold_rates(s, y_score)
        region = None
        if bounds and beta == 1:
            curve_bounds = roc_bounds(s, y_score, alpha=alpha_range or alpha, confidence=confidence, band=band)
            region = (_GRID, *curve_bounds.at(_GRID), curve_bounds.auc)
        display = cls(
            fpr,
            tpr,
            float(np.trapezoid(tpr, fpr)),
            uncorrected=(fpr_pu, tpr_pu, float(np.trapezoid(tpr_pu, fpr_pu))),
            bounds=region,
            name=name,
            chance=(0, 1),
        )
        return display.plot(ax)


class PUPrecisionRecallDisplay(_CurveDisplay):
    """Precision-recall curve of the unlabeled examples against their true class.

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
    name : str, optional
        For the legend.
    chance : tuple of float, optional
        Ends of the line of a random ranking.
    """

    _labels = ("Recall", "Precision among the unlabeled")
    _corner = "lower left"
    _drawing = {"drawstyle": "steps-pre"}  # noqa: RUF012

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
        name=None,
        ax=None,
        band=None,
    ):
        """Draw the curve of scores.

        Parameters
        ----------
        s, y_score, alpha, beta, bounds, alpha_range, confidence, name, ax, band
            See :meth:`PURocCurveDisplay.from_predictions`.

        Returns
        -------
        PUPrecisionRecallDisplay
            Drawn: `ax_`, `figure_` and `line_` are set.

        Raises
        ------
        ValueError
            On bad labels, scores or priors.

        Examples
        --------
        >>> display = PUPrecisionRecallDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
        >>> round(display.area, 3)
        1.0
        """
        from pumetrics.curves import pu_precision_recall_curve

        curves = []
        for share, purity, population in ((alpha, beta, "unlabeled"), (0.0, 1.0, "all")):
            precision, recall, _ = pu_precision_recall_curve(
                s, y_score, alpha=share, beta=purity, population=population
            )
            precision, recall = precision[::-1], recall[::-1]
            curves.append((recall, precision, float(np.clip(np.sum(np.diff(recall) * precision[1:]), 0, 1))))
        region = None
        if bounds and beta == 1:
            region = _precision_region(s, y_score, alpha_range or alpha, confidence, band)
        chance = (alpha, alpha)
        return cls(*curves[0], uncorrected=curves[1], bounds=region, name=name, chance=chance).plot(ax)


def _precision_region(s, y_score, alpha, confidence, band):
    """Outermost precision at each recall, over both ends of alpha; None if no positive is hidden."""
    from pumetrics._validation import check_alphas
    from pumetrics.bounds import unlabeled_precision_bounds

    recall = _GRID[1:]
    ends = [end for end in check_alphas(alpha) if end > 0]
    regions = [unlabeled_precision_bounds(s, y_score, alpha=end, confidence=confidence, band=band) for end in ends]
    if not regions:
        return None
    lower, upper = zip(*(region.at(recall) for region in regions), strict=True)
    low, high = zip(*(region.auc for region in regions), strict=True)
    return recall, np.min(lower, axis=0), np.max(upper, axis=0), (min(low), max(high))


def _thinned(x, y):
    """Points of a curve about evenly spaced along it, both ends among them."""
    if len(x) <= _MOST_POINTS:
        return x, y
    along = np.append(0, np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y))))
    kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], _MOST_POINTS)))
    kept = np.unique(np.append(np.minimum(kept, len(x) - 1), [0, len(x) - 1]))
    return x[kept], y[kept]
