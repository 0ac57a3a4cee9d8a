"""What all displays share: scores of an estimator, and a curve with its uncorrected twin, bounds and interval."""

import numpy as np

from pumetrics.displays._look import finish, new_axes, next_look, shaded, shortened, thinned

__all__ = ["CurveDisplay", "FromEstimator", "scores_of_estimator"]


def scores_of_estimator(estimator, X):
    """Scores of a fitted binary classifier, higher for more positive.

    Parameters
    ----------
    estimator : object
        With ``decision_function`` or ``predict_proba``.
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If it is a class, a regressor, a classifier of more than two classes, or has neither method.
    """
    kind = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    if isinstance(estimator, type):
        raise ValueError(f"{kind} is a class: pass a fitted classifier, such as {kind}().fit(X, s)")
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X))
    elif hasattr(estimator, "predict_proba"):
        scores = np.asarray(estimator.predict_proba(X))
        scores = scores[:, 1] if scores.ndim == 2 and scores.shape[1] == 2 else scores
    else:
        raise ValueError(
            f"{kind} has neither decision_function nor predict_proba: use a classifier, or pass scores such as those "
            "of predict to from_predictions"
        )
    if scores.ndim != 1:
        raise ValueError(
            f"{kind} gives scores of shape {scores.shape}, one for each of its classes: use a classifier of two "
            "classes, labeled and unlabeled, or pass the scores of the positive class to from_predictions"
        )
    return scores


class FromEstimator:
    """Constructor from a fitted classifier, for all displays."""

    @classmethod
    def from_estimator(cls, estimator, X, s, *, name=None, **options):
        """Draw for a fitted classifier.

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
            If the estimator has neither method or knows more than two classes, and as `from_predictions`.
        """
        return cls.from_predictions(
            s, scores_of_estimator(estimator, X), name=name or type(estimator).__name__, **options
        )


class CurveDisplay(FromEstimator):
    """A curve against the true class, its uncorrected twin, its bounds and its interval.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        The corrected curve.
    area : float or None
        Area under it, for the legend; None where that means nothing.
    uncorrected : tuple (x, y, area), optional
        The curve measured against the observed labels.
    bounds : tuple (x, lower, upper, (low, high)), optional
        Region of the true curve, and bounds on its area.
    interval : tuple (x, lower, upper), optional
        Bootstrap interval at each x.
    name : str, optional
        Of the model, for the legend.
    chance : tuple of float, optional
        Height of a random ranking at both ends of the x axis.
    confidence : float
        Of bounds and interval, for the legend.
    """

    _labels = ("", "")
    _drawing = {}  # noqa: RUF012
    _width = 4.0

    def __init__(
        self, x, y, area, *, uncorrected=None, bounds=None, interval=None, name=None, chance=None, confidence=0.95
    ):
        self.x, self.y, self.area, self.uncorrected = x, y, area, uncorrected
        self.bounds, self.interval, self.name, self.chance = bounds, interval, name, chance
        self.confidence = confidence

    def plot(self, ax=None, *, color=None, uncorrected=True, corrected=True):
        """Draw into axes, new ones by default.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Models drawn into the same axes get different colors and line styles.
        color : str, optional
            See :func:`pumetrics.displays.model_colors`.
        uncorrected : bool
            Draw the uncorrected curve as well.
        corrected : bool
            Draw the corrected curve itself; without it only bounds and interval, as where it is not identified.

        Returns
        -------
        display
            Itself, with `ax_`, `figure_` and `line_` (None without a corrected curve) set.
        """
        ax = new_axes(self._width) if ax is None else ax
        color, style = next_look(ax, color)
        first = not any((line.get_gid() or "").startswith("model") for line in ax.lines)
        if first and self.chance is not None:
            ends = [0.0, 1.0]
            ax.plot(ends, self.chance, color="#777777", linestyle=":", linewidth=1, label="random ranking")
        what, line = f"{shortened(self.name)}, corrected" if self.name else "corrected", None
        if corrected:
            (line,) = ax.plot(
                *thinned(self.x, self.y), color=color, linestyle=style, linewidth=1.8, label=_with(what, self.area),
                gid=f"model {what}", **self._drawing,
            )  # fmt: skip
        else:
            ax.plot([], [], " ", gid=f"model {what}", label=f"{what}: not identified")
        if self.uncorrected is not None and uncorrected:
            x, y, area = self.uncorrected
            label = _with("uncorrected", area)
            ax.plot(*thinned(x, y), color=color, linestyle=":", linewidth=1.3, label=label, **self._drawing)
        self._shade(ax, color)
        ax.set(xlabel=self._labels[0], ylabel=self._labels[1])
        self._frame(ax)
        finish(ax)
        self.ax_, self.figure_, self.line_ = ax, ax.figure, line
        return self

    def _shade(self, ax, color):
        if self.bounds is not None:
            *band, (low, high) = self.bounds
            shaded(ax, band, color, f"{self.confidence:.0%} bounds ({low:.3f} to {high:.3f})")
        if self.interval is not None:
            shaded(ax, self.interval, color, f"{self.confidence:.0%} interval")

    def _frame(self, ax):
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))


def _with(what, value):
    """Entry of the legend, with a number if there is one."""
    return what if value is None else f"{what} ({value:.3f})"
