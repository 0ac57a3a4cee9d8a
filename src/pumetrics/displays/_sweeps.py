"""Scores against what one has to choose: the threshold or alpha."""

from dataclasses import KW_ONLY, dataclass, field
from itertools import cycle

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.displays._base import (
    FromEstimator,
    finish,
    model_colors,
    new_axes,
    shaded,
    shortened,
    thinned,
)
from pumetrics.inference import corrected_intervals
from pumetrics.inference.request import check_metrics
from pumetrics.inference.sample import SCORED, scores_of
from pumetrics.metrics import clipped, find_metric, measures_of
from pumetrics.tops import check_population
from pumetrics.validation import check_priors, check_threshold

__all__ = ["PUAlphaDisplay", "PUThresholdDisplay"]

_MEASURED = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
_STYLES = (
    "-",
    (0, (6, 1.5)),
    (0, (4, 1, 1, 1)),
    (0, (1, 1)),
    (0, (8, 1.5, 1.5, 1.5)),
    (0, (3, 3)),
)
_ALPHAS = 41
_BAND_STEP = 4  # a band needs fewer alphas than a line
_FEWEST = 10  # examples flagged below which precision is chance
_MOST = 0.995  # of the examples flagged: lower scores are outliers
_TOP = 0.98  # of beta: closer the correction divides by next to nothing


class _Sweep(FromEstimator):
    """Lines of several metrics over one axis, with their intervals."""

    def _draw(self, ax, x, labels, drawn):
        """Draw the metrics in `drawn`, by their labels; of the others only intervals."""
        self.lines_ = {}
        colors = model_colors(labels)
        for (metric, label), style in zip(labels.items(), cycle(_STYLES), strict=False):
            if metric in self.intervals:
                unknown = None if metric in drawn else f"{label}, not identified"
                shaded(ax, self.intervals[metric], colors[metric], unknown)
            if metric in drawn:
                line = thinned(x, self.values[metric])
                look = {
                    "color": colors[metric],
                    "linestyle": style,
                    "linewidth": 1.8,
                    "label": label,
                }
                (self.lines_[metric],) = ax.plot(*line, **look)
        if self.intervals:
            ax.fill_between(
                [], [], color="#777777", alpha=0.25, lw=0, label=f"{self.confidence:.0%} interval"
            )
        ax.set(ylabel="Score against the true class", title=shortened(self.name))

    def _finish(self, ax):
        finish(ax, columns=2)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


@dataclass(eq=False)
class PUThresholdDisplay(_Sweep):
    """Precision, recall and F1 against the true class at every threshold.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Distinct scores, descending: predict positive for scores >= threshold. Those that flag fewer than ten examples
        and those of the lowest scores are left out.
    values : dict of str to ndarray of shape (n_thresholds,)
        "precision", "recall", "f1", clipped to [0, 1].
    intervals : dict of str to tuple (thresholds, lower, upper), optional
    threshold : float, optional
        The one in use, to be marked.
    name : str, optional
    confidence : float
    """

    thresholds: np.ndarray
    values: dict
    _: KW_ONLY
    intervals: dict = field(default_factory=dict)
    threshold: float | None = None
    name: str | None = None
    confidence: float = 0.95

    @classmethod
    def from_predictions(
        cls,
        s,
        y_score,
        *,
        alpha,
        beta=1.0,
        alpha_range=None,
        threshold=None,
        population="all",
        confidence=0.95,
        n_bootstrap=0,
        random_state=0,
        name=None,
        corrected=True,
        ax=None,
        drawn=None,
    ):
        """Draw the sweep of scores.

        Parameters
        ----------
        s, y_score, alpha, beta, alpha_range, confidence, n_bootstrap, random_state, name, ax, drawn
            See :meth:`CurveDisplay.from_predictions`.
        threshold : float, optional
            The one in use, to be marked; by default that of the largest F1.
        population : {"all", "unlabeled"}, default="all"
            What precision and F1 are about: all examples, or the unlabeled ones.
        corrected : bool or collection of str
            Draw the lines themselves, all or those of these measures; of the others, as where they are not identified,
            only intervals.

        Returns
        -------
        PUThresholdDisplay
            Drawn: `ax_`, `figure_` and `lines_` are set.

        Raises
        ------
        ValueError
            On invalid labels, scores or priors.

        Examples
        --------
        >>> display = PUThresholdDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
        >>> display.threshold, display.values["recall"]
        (4.0, array([0.5, 1. , 1. , 1. ]))
        """
        counts = count_scores(s, y_score)
        threshold = check_threshold(threshold, y_score)
        measures = measures_of(
            counts, alpha=alpha, beta=beta, population=check_population(population)
        )
        if threshold is None:
            threshold = float(counts.thresholds[np.argmax(measures["f1"])])
        if n_bootstrap and drawn is None:
            drawn = corrected_intervals(
                list(_MEASURED),
                s,
                y_score,
                alpha=alpha if alpha_range is None else alpha_range,
                beta=beta,
                threshold=threshold,
                population=population,
                confidence=confidence,
                n_bootstrap=n_bootstrap,
                random_state=random_state,
            ).drawn

        readable = _readable(counts)
        values = {name: np.clip(measures[name][readable], 0, 1) for name in _MEASURED}
        intervals = {}
        if drawn is not None:
            places = drawn.places[readable[drawn.places]]
            entries = [find_metric(name) for name in _MEASURED]
            for entry, ends in zip(entries, drawn.bands(entries, places), strict=True):
                intervals[entry.name] = (counts.thresholds[places], *ends)
        display = cls(
            counts.thresholds[readable],
            values,
            intervals=intervals,
            threshold=threshold,
            name=name,
            confidence=confidence,
        )
        return display.plot(ax, corrected=corrected)

    def plot(self, ax=None, *, corrected=True):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `lines_` set."""
        ax = new_axes() if ax is None else ax
        drawn = corrected
        if isinstance(corrected, bool):
            drawn = _MEASURED if corrected else ()
        self._draw(ax, self.thresholds, _MEASURED, drawn)
        ends = [float(self.thresholds[-1]), float(self.thresholds[0])]
        if np.isfinite(self.threshold):
            ends.append(self.threshold)
            label = f"threshold {self.threshold:.4g}"
            ax.axvline(self.threshold, color="#444444", linestyle=":", linewidth=1.2, label=label)
        margin = 0.02 * np.ptp(ends) or 1.0
        ax.set(
            xlabel="Threshold: flag scores at or above",
            xlim=(min(ends) - margin, max(ends) + margin),
            ylim=(-0.01, 1.01),
        )
        return self._finish(ax)


def _readable(counts):
    """Thresholds but infinity that flag neither too few examples for a precision nor all but the outliers."""
    flagged = counts.predicted
    is_listed = np.isfinite(counts.thresholds)
    kept = is_listed & (flagged >= min(_FEWEST, counts.n / 4)) & (flagged <= _MOST * counts.n)
    return kept if kept.sum() > 1 else is_listed


@dataclass(eq=False)
class PUAlphaDisplay(_Sweep):
    """Metrics against alpha, the share of positives among the unlabeled: how much depends on what is assumed of it.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
    values : dict of str to ndarray of shape (n_alphas,)
        By metric.
    intervals : dict of str to tuple (alphas, lower, upper), optional
    alpha : float, optional
        The one in use, to be marked.
    alpha_interval : (float, float), optional
        Its range, to be marked.
    alpha_bound : float, optional
        Its upper bound, to be marked.
    threshold : float, optional
        Where predictions are made.
    name : str, optional
    confidence : float
    """

    alphas: np.ndarray
    values: dict
    _: KW_ONLY
    intervals: dict = field(default_factory=dict)
    alpha: float | None = None
    alpha_interval: tuple | None = None
    alpha_bound: float | None = None
    threshold: float | None = None
    name: str | None = None
    confidence: float = 0.95

    @classmethod
    def from_predictions(
        cls,
        s,
        y_score,
        *,
        metrics=SCORED,
        alpha=None,
        alpha_interval=None,
        alpha_bound=None,
        beta=1.0,
        threshold=None,
        population="all",
        confidence=0.95,
        n_bootstrap=0,
        random_state=0,
        name=None,
        ax=None,
    ):
        """Draw metrics over the alphas that matter: from 0 to a little above the largest that is marked.

        Parameters
        ----------
        s, y_score
            See :meth:`CurveDisplay.from_predictions`.
        metrics : sequence of str
            Measures are taken at `threshold`, or at their maximum.
        alpha : float, optional
            The one in use, to be marked.
        alpha_interval : (float, float), optional
            Its range, to be shaded.
        alpha_bound : float or False, optional
            Its upper bound, to be marked; with clean labels by default the largest alpha that random labels and
            these scores allow. False for none: with clusters there is no such bound.
        beta, confidence, n_bootstrap, random_state, name, ax
            See :meth:`CurveDisplay.from_predictions`.
        threshold : float, optional
            Where predictions are made; each measure is at its maximum by default.
        population : {"all", "unlabeled"}, default="all"
            What the metrics are about.

        Returns
        -------
        PUAlphaDisplay
            Drawn: `ax_`, `figure_` and `lines_` are set.

        Raises
        ------
        ValueError
            On invalid labels, scores, priors or metrics.

        Examples
        --------
        >>> display = PUAlphaDisplay.from_predictions([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
        >>> float(display.alphas[0]), bool(display.alphas[-1] > 0.25), list(display.values)[:2]
        (0.0, True, ['roc_auc', 'average_precision'])
        """
        from pumetrics.priors.upper_bound import largest_alpha

        counts = count_scores(s, y_score)
        threshold = check_threshold(threshold, y_score)
        metrics = check_metrics(metrics, threshold)
        if alpha is not None:
            alpha, beta = check_priors(alpha, beta)
        if alpha_bound is None and beta == 1:
            alpha_bound = largest_alpha(counts, confidence=confidence)
        alpha_bound = None if alpha_bound is False else alpha_bound
        marks = [each for each in (alpha, alpha_bound, *(alpha_interval or ())) if each is not None]
        last = min(_TOP * beta, max(1.15 * max(marks, default=beta), 0.02))
        alphas = np.linspace(0, max(last, alpha or 0), _ALPHAS)

        where = {"beta": beta, "threshold": threshold, "population": check_population(population)}
        scores = [scores_of(metrics, counts, alpha=each, **where) for each in alphas]
        values = {
            name: clipped(name, each)
            for name, each in zip(metrics, np.transpose(scores), strict=True)
        }
        intervals = {}
        if n_bootstrap:
            few = alphas[::_BAND_STEP]
            found = [
                corrected_intervals(
                    metrics,
                    s,
                    y_score,
                    alpha=each,
                    confidence=confidence,
                    n_bootstrap=n_bootstrap,
                    random_state=random_state,
                    **where,
                )
                for each in few
            ]
            for metric in metrics:
                lower = np.array([each[metric].lower for each in found])
                upper = np.array([each[metric].upper for each in found])
                intervals[metric] = (few, lower, upper)
        display = cls(
            alphas,
            values,
            intervals=intervals,
            alpha=alpha,
            alpha_interval=alpha_interval,
            alpha_bound=alpha_bound,
            threshold=threshold,
            name=name,
            confidence=confidence,
        )
        return display.plot(ax)

    def plot(self, ax=None):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `lines_` set."""
        ax = new_axes() if ax is None else ax
        labels = {}
        for metric in self.values:
            chosen = self.threshold is None and find_metric(metric).kind == "threshold"
            labels[metric] = find_metric(f"max_{metric}" if chosen else metric).label
        self._draw(ax, self.alphas, labels, labels)
        if self.alpha_interval is not None:
            low, high = self.alpha_interval
            ax.axvspan(
                low, high, color="#999999", alpha=0.18, lw=0, label=f"alpha {low:.3f} to {high:.3f}"
            )
        for value, style, what in (
            (self.alpha, ":", "alpha used:"),
            (self.alpha_bound, "--", "alpha at most"),
        ):
            if value is not None:
                ax.axvline(
                    value,
                    color="#333333",
                    linestyle=style,
                    linewidth=1.2,
                    label=f"{what} {value:.3f}",
                )
        lowest = min((float(np.min(each)) for each in self.values.values()), default=0)
        highest = max((float(np.max(each)) for each in self.values.values()), default=1)
        ax.set(xlabel="alpha: share of positives among the unlabeled", xlim=(0, self.alphas[-1]))
        ax.set(ylim=(min(-0.01, lowest - 0.02), max(1.01, 1.02 * highest)))
        return self._finish(ax)
