"""Scores against what one has to choose: the threshold or alpha."""

from functools import partial
from itertools import cycle

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.displays._base import (
    FromEstimator,
    alphas_of,
    band_of,
    draw,
    finish,
    model_colors,
    new_axes,
    shaded,
    shortened,
    thinned,
)
from pumetrics.inference.request import check_metrics
from pumetrics.inference.sample import SCORED, scores_of
from pumetrics.metrics import clipped, find_metric, measures_of
from pumetrics.tops import check_population
from pumetrics.validation import check_priors, check_threshold

__all__ = ["PUAlphaDisplay", "PUThresholdDisplay"]

_MEASURED = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
_STYLES = ("-", (0, (6, 1.5)), (0, (4, 1, 1, 1)), (0, (1, 1)), (0, (8, 1.5, 1.5, 1.5)), (0, (3, 3)))
_ALPHAS = 41
_BAND_STEP = 4  # a band needs fewer alphas than a line
_FEWEST = 10  # examples flagged below which precision is chance
_MOST = 0.995  # of the examples flagged: lower scores are outliers
_TOP = 0.98  # of beta: closer the correction divides by next to nothing


class _Sweep(FromEstimator):
    """Lines of several metrics over one axis, with their intervals."""

    def _draw(self, ax, x, labels, drawn):
        """Draw the metrics in `drawn`, by their labels; of the others only intervals."""
        self.lines_, colors = {}, model_colors(labels)
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
        self.ax_, self.figure_ = ax, ax.figure
        return self


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

    def __init__(
        self, thresholds, values, *, intervals=None, threshold=None, name=None, confidence=0.95
    ):
        self.thresholds, self.values, self.intervals = thresholds, values, intervals or {}
        self.threshold, self.name, self.confidence = threshold, name, confidence

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
    ):
        """Draw the sweep of scores.

        Parameters
        ----------
        s, y_score, alpha, beta, alpha_range, confidence, n_bootstrap, random_state, name, ax
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
        counts, threshold = count_scores(s, y_score), check_threshold(threshold, y_score)
        measures = partial(measures_of, beta=beta, population=check_population(population))
        if threshold is None:
            threshold = float(counts.thresholds[np.argmax(measures(counts, alpha=alpha)["f1"])])

        def measured(counts, alpha):
            """Precision, recall and F1 at every threshold but infinity, which flags nothing; shape (3, m - 1)."""
            found = measures(counts, alpha=alpha, at=slice(1, None))
            return np.clip([found[name] for name in _MEASURED], 0, 1)

        kept = _readable(counts)
        values = dict(zip(_MEASURED, measured(counts, alpha)[:, kept], strict=True))
        intervals = {}
        if n_bootstrap:
            few, draws = draw(counts, n_bootstrap, random_state)
            alphas, shown = alphas_of(alpha, alpha_range), _readable(few)
            ends = band_of(draws, measured, alphas, confidence)
            intervals = {
                measure: (few.thresholds[1:][shown], lower[shown], upper[shown])
                for measure, lower, upper in zip(_MEASURED, *ends, strict=True)
            }
        options = {
            "intervals": intervals,
            "threshold": threshold,
            "name": name,
            "confidence": confidence,
        }
        display = cls(counts.thresholds[1:][kept], values, **options)
        return display.plot(ax, corrected=corrected)

    def plot(self, ax=None, *, corrected=True):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `lines_` set."""
        ax = new_axes() if ax is None else ax
        drawn = (_MEASURED if corrected else ()) if isinstance(corrected, bool) else corrected
        self._draw(ax, self.thresholds, _MEASURED, drawn)
        ends = [float(self.thresholds[-1]), float(self.thresholds[0])]
        if np.isfinite(self.threshold):
            ends.append(self.threshold)
            label = f"threshold {self.threshold:.4g}"
            ax.axvline(self.threshold, color="#444444", linestyle=":", linewidth=1.2, label=label)
        low, high = min(ends), max(ends)
        margin = 0.02 * (high - low) or 1.0
        ax.set(
            xlabel="Threshold: flag scores at or above",
            xlim=(low - margin, high + margin),
            ylim=(-0.01, 1.01),
        )
        return self._finish(ax)


def _readable(counts):
    """Thresholds, without infinity, that flag neither too few examples for a precision nor all but the outliers."""
    flagged = counts.predicted[1:]
    kept = (flagged >= min(_FEWEST, counts.n / 4)) & (flagged <= _MOST * counts.n)
    return kept if kept.sum() > 1 else np.ones(len(flagged), dtype=bool)


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

    def __init__(
        self,
        alphas,
        values,
        *,
        intervals=None,
        alpha=None,
        alpha_interval=None,
        alpha_bound=None,
        threshold=None,
        name=None,
        confidence=0.95,
    ):
        self.alphas, self.values, self.intervals = alphas, values, intervals or {}
        self.alpha, self.alpha_interval, self.alpha_bound = alpha, alpha_interval, alpha_bound
        self.threshold, self.name, self.confidence = threshold, name, confidence

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

        counts, threshold = count_scores(s, y_score), check_threshold(threshold, y_score)
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

        def by_metric(counts, alphas):
            """Corrected scores at every alpha, shape (n_metrics, n_alphas)."""
            return np.transpose(
                [scores_of(metrics, counts, alpha=alpha, **where) for alpha in alphas]
            )

        values = {
            name: clipped(name, each)
            for name, each in zip(metrics, by_metric(counts, alphas), strict=True)
        }
        intervals = {}
        if n_bootstrap:
            few, (_, draws) = alphas[::_BAND_STEP], draw(counts, n_bootstrap, random_state)
            ends = band_of(draws, lambda each, _: by_metric(each, few), [None], confidence)
            for metric, *pair in zip(metrics, *ends, strict=True):
                intervals[metric] = (few, *(clipped(metric, end) for end in pair))
        marked = {
            "alpha": alpha,
            "alpha_interval": alpha_interval,
            "alpha_bound": alpha_bound,
            "threshold": threshold,
        }
        display = cls(
            alphas, values, intervals=intervals, name=name, confidence=confidence, **marked
        )
        return display.plot(ax)

    def plot(self, ax=None):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `lines_` set."""
        ax, labels = new_axes() if ax is None else ax, {}
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
        ax.set(xlabel="alpha: share of positives among the unlabeled", xlim=(0, self.alphas[-1]))
        ax.set(ylim=(min(-0.01, lowest - 0.02), 1.01))
        return self._finish(ax)
