"""Scores against what one has to choose: the threshold, and alpha where it is not known."""

import numpy as np

from pumetrics._validation import check_priors
from pumetrics.counts import count_scores
from pumetrics.displays._display import FromEstimator
from pumetrics.displays._look import MODEL_COLORS, finish, model_colors, new_axes, shaded, shortened, thinned
from pumetrics.displays._resampled import alphas_of, band_of, draw
from pumetrics.inference.designs import SCORED, scores_of
from pumetrics.inference.request import check_metrics, check_threshold
from pumetrics.metrics import METRICS, clipped, find_metric, measures_of

__all__ = ["PUAlphaDisplay", "PUThresholdDisplay"]

_MEASURED = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
_STYLES = ("-", (0, (6, 1.5)), (0, (4, 1, 1, 1)), (0, (1, 1)), (0, (8, 1.5, 1.5, 1.5)), (0, (3, 3)))
_ALPHAS = 41
_BAND_STEP = 4  # a band needs fewer alphas than a line
_FEWEST = 10  # examples flagged below which precision is chance
_MOST = 0.995  # of the examples flagged: lower scores are outliers
_TOP = 0.98  # of beta: closer the correction divides by next to nothing


class PUThresholdDisplay(FromEstimator):
    """Precision, recall and F1 against the true class at every threshold, over labeled and unlabeled examples.

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

    def __init__(self, thresholds, values, *, intervals=None, threshold=None, name=None, confidence=0.95):
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
            See :meth:`PURocDisplay.from_predictions`.
        threshold : float, optional
            The one in use, to be marked; by default that of the largest F1.
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
        if threshold is None:
            threshold = float(counts.thresholds[np.argmax(measures_of(counts, alpha=alpha, beta=beta)["f1"])])
        kept = _worth_drawing(counts)
        values = {measure: each[kept] for measure, each in _measured(counts, alpha, beta).items()}
        intervals = {}
        if n_bootstrap:
            draws, alphas = draw(counts, n_bootstrap, random_state), alphas_of(alpha, alpha_range)
            for measure in _MEASURED:
                ends = band_of(
                    draws, lambda each, share, name=measure: _measured(each, share, beta)[name], alphas, confidence
                )
                shown = _worth_drawing(draws.counts)
                intervals[measure] = tuple(each[shown] for each in (draws.counts.thresholds[1:], *ends))
        options = {"intervals": intervals, "threshold": threshold, "name": name, "confidence": confidence}
        display = cls(counts.thresholds[1:][kept], values, **options)
        return display.plot(ax, corrected=corrected)

    def plot(self, ax=None, *, corrected=True):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `lines_` set."""
        ax = new_axes(4.0) if ax is None else ax
        self.lines_ = {}
        drawn = (_MEASURED if corrected else ()) if isinstance(corrected, bool) else corrected
        for measure, color, style in zip(_MEASURED, MODEL_COLORS, _STYLES, strict=False):
            label = _MEASURED[measure]
            if measure in self.intervals:
                shaded(ax, self.intervals[measure], color, None if measure in drawn else f"{label}, not identified")
            if measure in drawn:
                x, y = thinned(self.thresholds, self.values[measure])
                (self.lines_[measure],) = ax.plot(x, y, color=color, linestyle=style, linewidth=1.8, label=label)
        if np.isfinite(self.threshold):
            ax.axvline(
                self.threshold, color="#444444", linestyle=":", linewidth=1.2, label=f"threshold {self.threshold:.4g}"
            )
        if self.intervals:
            ax.fill_between([], [], color="#777777", alpha=0.25, lw=0, label=f"{self.confidence:.0%} interval")
        low, high = self._range()
        margin = 0.02 * (high - low) or 1.0
        title = shortened(self.name) if self.name else ""
        ax.set(
            xlabel="Threshold: flag scores at or above", ylabel="Score against the true class", ylim=(-0.01, 1.01),
            xlim=(low - margin, high + margin), title=title,
        )  # fmt: skip
        finish(ax, columns=2)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _range(self):
        """Ends of the axis: what is drawn, and the threshold in use."""
        ends = [float(self.thresholds[-1]), float(self.thresholds[0])]
        if np.isfinite(self.threshold):
            ends.append(self.threshold)
        return min(ends), max(ends)


def _measured(counts, alpha, beta):
    """Precision, recall and F1 at every threshold but infinity, at which no example is flagged."""
    from pumetrics.rates import true_rates

    rates = true_rates(counts.tpr_pu[1:], counts.fpr_pu[1:], alpha=alpha, beta=beta, c=counts.c)
    hits = rates.prior * rates.tpr
    precision = np.divide(hits, rates.predicted, out=np.zeros_like(hits), where=rates.predicted > 0)
    f1 = METRICS["f1"].formula(rates)
    values = {"precision": precision, "recall": rates.tpr, "f1": f1}
    return {name: np.clip(each, 0, 1) for name, each in values.items()}


def _worth_drawing(counts):
    """Thresholds, without infinity, that flag neither too few examples for a precision nor all but the outliers."""
    flagged = counts.predicted[1:]
    kept = (flagged >= min(_FEWEST, counts.n / 4)) & (flagged <= _MOST * counts.n)
    return kept if kept.sum() > 1 else np.ones(len(flagged), dtype=bool)


class PUAlphaDisplay(FromEstimator):
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
        self, alphas, values, *, intervals=None, alpha=None, alpha_interval=None, alpha_bound=None, threshold=None,
        name=None, confidence=0.95,
    ):  # fmt: skip
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
        population=None,
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
            See :meth:`PURocDisplay.from_predictions`.
        metrics : sequence of str
            Measures are taken at `threshold`, or at their maximum.
        alpha : float, optional
            The one in use, to be marked.
        alpha_interval : (float, float), optional
            Its range, to be shaded.
        alpha_bound : float, optional
            Its upper bound, to be marked; with clean labels by default the largest alpha that random labels and
            these scores allow.
        beta, confidence, n_bootstrap, random_state, name, ax
            See :meth:`PURocDisplay.from_predictions`.
        threshold : float, optional
            Where predictions are made; each measure is at its maximum by default.
        population : {"all", "unlabeled"}, optional
            What the metrics are about; that of each metric by default.

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

        threshold = check_threshold(threshold, y_score)
        metrics = check_metrics(metrics, threshold)
        where = {"threshold": threshold, "population": population}
        counts = count_scores(s, y_score)
        if alpha is not None:
            alpha, beta = check_priors(alpha, beta)
        if alpha_bound is None and beta == 1:
            alpha_bound = largest_alpha(counts, confidence=confidence)
        marks = [each for each in (alpha, alpha_bound, *(alpha_interval or ())) if each is not None]
        last = min(_TOP * beta, max(1.15 * max(marks, default=beta), 0.02))
        alphas = np.linspace(0, max(last, alpha or 0), _ALPHAS)
        values = _over(alphas, metrics, counts, beta, where)
        intervals = {}
        if n_bootstrap:
            draws = draw(counts, n_bootstrap, random_state)
            intervals = _bands(alphas[::_BAND_STEP], metrics, draws, beta, where, confidence)
        display = cls(
            alphas, values, intervals=intervals, alpha=alpha, alpha_interval=alpha_interval, alpha_bound=alpha_bound,
            threshold=threshold, name=name, confidence=confidence,
        )  # fmt: skip
        return display.plot(ax)

    def plot(self, ax=None):
        """Draw into axes, new ones by default, and return the display with `ax_`, `figure_` and `lines_` set."""
        ax = new_axes(4.0) if ax is None else ax
        self.lines_, colors = {}, model_colors(self.values)
        for style, (metric, values) in zip(_STYLES * len(colors), self.values.items(), strict=False):
            if metric in self.intervals:
                shaded(ax, self.intervals[metric], colors[metric])
            chosen = self.threshold is None and find_metric(metric).kind == "threshold"
            label = find_metric(f"max_{metric}" if chosen else metric).label
            (self.lines_[metric],) = ax.plot(
                self.alphas, values, color=colors[metric], linestyle=style, linewidth=1.8, label=label
            )
        if self.intervals:
            ax.fill_between([], [], color="#777777", alpha=0.25, lw=0, label=f"{self.confidence:.0%} interval")
        if self.alpha_interval is not None:
            low, high = self.alpha_interval
            ax.axvspan(low, high, color="#999999", alpha=0.18, lw=0, label=f"alpha {low:.3f} to {high:.3f}")
        for value, style, what in ((self.alpha, ":", "alpha used:"), (self.alpha_bound, "--", "alpha at most")):
            if value is not None:
                ax.axvline(value, color="#333333", linestyle=style, linewidth=1.2, label=f"{what} {value:.3f}")
        lowest = min((float(np.min(each)) for each in self.values.values()), default=0)
        ax.set(
            xlabel="alpha: share of positives among the unlabeled", ylabel="Score against the true class",
            ylim=(min(-0.01, lowest - 0.02), 1.01), xlim=(0, self.alphas[-1]),
            title=shortened(self.name) if self.name else "",
        )  # fmt: skip
        finish(ax, columns=2)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _over(alphas, metrics, counts, beta, where):
    """Corrected scores at every alpha, clipped to their ranges."""
    values = [scores_of(metrics, counts, alpha=alpha, beta=beta, **where) for alpha in alphas]
    return {name: clipped(name, column) for name, column in zip(metrics, np.transpose(values), strict=True)}


def _bands(alphas, metrics, draws, beta, where, confidence):
    """Sampling interval of each metric at every alpha."""
    values = np.array([
        [scores_of(metrics, counts, alpha=alpha, beta=beta, **where) for alpha in alphas]
        for counts in draws
    ])  # fmt: skip
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    lower, upper = np.quantile(values, tails, axis=0)
    return {
        name: (alphas, clipped(name, lower[:, place]), clipped(name, upper[:, place]))
        for place, name in enumerate(metrics)
    }
