"""Predicted probabilities against the corrected share of positives."""

import numpy as np

from pumetrics.calibration import reliability_curve
from pumetrics.displays._display import FromEstimator
from pumetrics.displays._look import finish, new_axes, next_look, shortened

__all__ = ["PUReliabilityDisplay"]


class PUReliabilityDisplay(FromEstimator):
    """Share of positives among the unlabeled examples of each bin of predictions, against the mean prediction.

    Parameters
    ----------
    curve : pandas.DataFrame
        As :func:`pumetrics.calibration.reliability_curve` returns it.
    name : str, optional
        Of the model, for the legend.
    confidence : float
        Of the bands, for the legend.
    """

    def __init__(self, curve, *, name=None, confidence=0.95):
        self.curve, self.name, self.confidence = curve, name, confidence

    @classmethod
    def from_predictions(cls, s, y_prob, *, name=None, ax=None, color=None, confidence=0.95, **options):
        """Draw the curve of predicted probabilities.

        Parameters
        ----------
        s, y_prob, confidence, **options
            See :func:`pumetrics.calibration.reliability_curve`; `alpha` must be given. Scores of a model that was
            fitted to labeled and unlabeled examples are not probabilities of being positive:
            :func:`pumetrics.calibration.positive_probability` makes them so.
        name : str, optional
            Of the model, for the legend.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into; new ones by default.
        color : str, optional
            See :func:`pumetrics.displays.model_colors`.

        Returns
        -------
        PUReliabilityDisplay
            Drawn: `ax_`, `figure_` and `line_` are set.

        Raises
        ------
        ValueError
            As :func:`pumetrics.calibration.reliability_curve`.

        Examples
        --------
        >>> s, y_prob = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.9, 0.9, 0.9, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1]
        >>> display = PUReliabilityDisplay.from_predictions(s, y_prob, alpha=0.4, n_bins=2, strategy="uniform")
        >>> display.curve["positive"].round(2).to_list()
        [0.15, 0.9]
        """
        curve = reliability_curve(s, y_prob, confidence=confidence, **options)
        return cls(curve, name=name, confidence=confidence).plot(ax, color=color)

    @classmethod
    def from_estimator(cls, estimator, X, s, *, name=None, **options):
        """Draw the curve of a fitted classifier's probabilities.

        Parameters
        ----------
        estimator : object
            Fitted, with ``predict_proba``, of two classes.
        X : array-like of shape (n_samples, n_features)
            Examples the estimator has not seen.
        s, name, **options
            See :meth:`from_predictions`.

        Returns
        -------
        PUReliabilityDisplay

        Raises
        ------
        ValueError
            If the estimator has no ``predict_proba`` or knows more than two classes, and as :meth:`from_predictions`.
        """
        kind = type(estimator).__name__
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(f"{kind} has no predict_proba: use a classifier that has it, or pass probabilities")
        probabilities = np.asarray(estimator.predict_proba(X))
        if probabilities.ndim != 2 or probabilities.shape[1] != 2:
            raise ValueError(f"{kind} gives probabilities of shape {probabilities.shape}: use one of two classes")
        return cls.from_predictions(s, probabilities[:, 1], name=name or kind, **options)

    def plot(self, ax=None, *, color=None):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `line_` set."""
        ax = new_axes(4.0) if ax is None else ax
        color, style = next_look(ax, color)
        if not any((line.get_gid() or "").startswith("model") for line in ax.lines):
            ax.plot([0, 1], [0, 1], color="#777777", linestyle=":", linewidth=1, label="as predicted")
        what = f"{shortened(self.name)}, corrected" if self.name else "corrected"
        x, y = self.curve["predicted"], self.curve["positive"]
        (line,) = ax.plot(x, y, color=color, linestyle=style, linewidth=1.4, label=what, gid=f"model {what}")
        ends = np.abs([y - self.curve["lower"], self.curve["upper"] - y])
        label = f"{self.confidence:.0%} interval of each bin"
        ax.errorbar(x, y, ends, fmt="o", color=color, markersize=4, elinewidth=1.1, capsize=2, label=label)
        ax.set(xlabel="Predicted probability of being positive", ylabel="Share of the unlabeled that is positive")
        models = [each for each in ax.lines if (each.get_gid() or "").startswith("model")]
        tops = [max(np.max(each.get_xdata()), np.max(each.get_ydata())) for each in models]
        limit = min(1.0, 1.15 * max(*tops, float(self.curve["upper"].quantile(0.9))))
        ax.set(xlim=(-0.01 * limit, 1.01 * limit), ylim=(-0.01 * limit, 1.01 * limit))
        finish(ax)
        self.ax_, self.figure_, self.line_ = ax, ax.figure, line
        return self
