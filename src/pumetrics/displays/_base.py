"""What all displays share: one look, scores of an estimator, and a curve with its bounds and its interval."""

from dataclasses import KW_ONLY, dataclass
from itertools import cycle

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.extras import require
from pumetrics.inference import corrected_intervals
from pumetrics.metrics.scorers import check_no_detector
from pumetrics.plotting import legend_below
from pumetrics.rates import sample_prior
from pumetrics.tops import check_population

__all__ = [
    "GRID",
    "MODEL_COLORS",
    "CurveDisplay",
    "FromEstimator",
    "finish",
    "model_colors",
    "new_axes",
    "shaded",
    "shortened",
    "thinned",
]

MODEL_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colors of models in the order in which they are drawn: those of Okabe and Ito, which colorblind readers can
distinguish."""

_STYLES = (
    "-",
    (0, (6, 1.5)),
    (0, (4, 1, 1, 1)),
    (0, (8, 1.5, 1.5, 1.5, 1.5, 1.5)),
)
MOST_POINTS = 1500  # of a line; more are not seen, and make files of megabytes
_LONGEST = 30  # characters of a name in a legend
_LINE = 0.165  # inches of an entry of the legend
_OURS = "pumetrics"  # marks figures whose size is ours to choose
GRID = np.linspace(0, 1, 401)  # where bounds and intervals of curves are drawn
_RESPONSES = ("decision_function", "predict_proba")  # that give scores, the preferred first


def model_colors(names):
    """A color for each model, the same in every picture that is given it.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    dict of str to str
        From the eighth model on colors come again.

    Examples
    --------
    >>> model_colors(["forest", "logistic"])
    {'forest': '#0072B2', 'logistic': '#D55E00'}
    """
    return dict(zip(dict.fromkeys(names), cycle(MODEL_COLORS), strict=False))


def new_axes(width=4.0):
    """Axes of a new figure, that many inches wide."""
    plt = require("matplotlib.pyplot", extra="plots", purpose="drawing a curve")
    figure, ax = plt.subplots(figsize=(width, width), layout="constrained")
    figure.set_gid(_OURS)
    return ax


def models_in(ax):
    """Lines of the models in axes."""
    return [line for line in ax.lines if (line.get_gid() or "").startswith("model")]


def next_look(ax, color):
    """Color and line style of the next model in axes; a color that is given stays."""
    drawn = len(models_in(ax))
    return color or MODEL_COLORS[drawn % len(MODEL_COLORS)], _STYLES[drawn % len(_STYLES)]


def shaded(ax, band, color, label=None):
    """Draw a band (x, lower, upper) in a light tone of a color."""
    ax.fill_between(*band, color=color, alpha=0.16, lw=0, label=label)


def finish(ax, *, columns=1):
    """Put the legend of axes below them, and make a figure that this package created tall enough for it."""
    figure = ax.figure
    n_entries = legend_below(ax, columns=columns)
    if n_entries and figure.get_gid() == _OURS:
        width = figure.get_size_inches()[0]
        figure.set_size_inches(width, width - 0.3 + _LINE * -(-n_entries // columns))


def shortened(name):
    """A name that fits into a legend: the middle of a long one is left out.

    Examples
    --------
    >>> shortened("scores_of_a_model_with_a_very_long_name_2026.csv")
    'scores_of_a_mod…g_name_2026.csv'
    """
    name = str(name or "")
    if len(name) > _LONGEST:
        half = _LONGEST // 2
        name = f"{name[:half]}…{name[-half:]}"
    return name.replace("$", r"\$")  # no formula


def thinned(x, y):
    """Points of a curve about evenly spaced along it, both ends among them."""
    if len(x) <= MOST_POINTS:
        return x, y
    width, height = (max(float(np.ptp(each)), 1e-12) for each in (x, y))
    along = np.append(0, np.cumsum(np.abs(np.diff(x)) / width + np.abs(np.diff(y)) / height))
    kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], MOST_POINTS)))
    kept = np.unique(np.append(np.minimum(kept, len(x) - 1), [0, len(x) - 1]))
    return x[kept], y[kept]


class FromEstimator:
    """Constructor from a fitted classifier, for all displays."""

    @classmethod
    def from_estimator(cls, estimator, X, s, *, name=None, **options):
        """Draw for a fitted classifier.

        Parameters
        ----------
        estimator : object
            Fitted, of two classes, with ``decision_function`` or ``predict_proba``.
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
            If the estimator has neither method, was fitted to other labels than 1 and 0 (or -1), or is an outlier
            detector, and as `from_predictions`.
        """
        return cls.from_predictions(
            s, _scores_of(estimator, X), name=name or type(estimator).__name__, **options
        )


def _scores_of(estimator, X):
    """Scores of a fitted binary classifier, higher for more positive."""
    kind = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    if isinstance(estimator, type):
        raise ValueError(f"{kind} is a class: pass a fitted classifier, such as {kind}().fit(X, s)")
    method = next((name for name in _RESPONSES if hasattr(estimator, name)), None)
    if method is None:
        raise ValueError(
            f"{kind} has no {' or '.join(_RESPONSES)}: use a classifier that has it, or pass scores, such as "
            "those of predict, to from_predictions"
        )
    scores = np.asarray(getattr(estimator, method)(X))
    remedy = "draw from_predictions(s, -model.decision_function(X), ...), where high is positive"
    check_no_detector(estimator, remedy)  # now that it is known to be fitted
    if method == "predict_proba" and scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    second = np.ravel(getattr(estimator, "classes_", 1)).tolist()[-1]
    if scores.ndim == 1 and second not in (1, "1"):
        raise ValueError(
            f"{kind} was fitted to labels of which {second!r} comes last, so its scores may be high for unlabeled "
            "examples: fit it to 1 (labeled) and 0, or pass the scores of the positive class to from_predictions"
        )
    if scores.ndim != 1:
        raise ValueError(
            f"{kind} gives scores of shape {scores.shape}, one for each of its classes: use a classifier of two "
            "classes, labeled and unlabeled, or pass the scores of the positive class to from_predictions"
        )
    return scores


@dataclass(eq=False)
class CurveDisplay(FromEstimator):
    """A curve against the true class, its uncorrected twin, its bounds and its interval.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        The corrected curve.
    area : float
        Area under it, for the legend.
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
    population : {"all", "unlabeled"}
        What precision is about, for the label of its axis.
    """

    _metric = ""  # the area
    _labels = ("", "")  # of the axes, with the population
    _chance = None  # height of a random ranking at both ends; by default the share of positives
    _drawing = {}  # noqa: RUF012

    x: np.ndarray
    y: np.ndarray
    area: float
    _: KW_ONLY
    uncorrected: tuple | None = None
    bounds: tuple | None = None
    interval: tuple | None = None
    name: str | None = None
    chance: tuple | None = None
    confidence: float = 0.95
    population: str = "all"

    @classmethod
    def from_predictions(
        cls,
        s,
        y_score,
        *,
        alpha,
        beta=1.0,
        population="all",
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
        drawn=None,
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
        population : {"all", "unlabeled"}, default="all"
            What precision is about: all examples, or the unlabeled ones. Rates of a class are the same in both, as long
            as labeled positives are a random sample of all positives. The uncorrected curve is that of labeled against
            unlabeled examples.
        bounds : bool
            Shade where the true ROC or precision-recall curve can lie. Only with beta = 1: bounds take labels at their
            word.
        alpha_range : (float, float), optional
            Range of alpha for bounds and intervals; `alpha` alone by default.
        confidence : float
            With which the bounds hold, and of intervals, in (0, 1).
        n_bootstrap : int
            Resamples behind an interval at each x; 0 for none.
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
        drawn : DrawnRates, optional
            Of an assessment of these scores, whose intervals are then drawn instead of new ones.

        Returns
        -------
        display
            Drawn: `ax_`, `figure_` and `line_` are set.

        Raises
        ------
        ValueError
            On invalid labels, scores or priors, or an unknown population.
        """
        counts = count_scores(s, y_score)
        population = check_population(population)
        x, y = cls._points(counts, alpha, beta, population)
        usual = cls._points(counts, 0.0, 1.0, "all")
        assumed = alpha if alpha_range is None else alpha_range
        region = interval = None
        if bounds and beta == 1:
            options = {"confidence": confidence, "band": band}
            region = cls._region(s, y_score, assumed, population, options)
        if n_bootstrap and drawn is None:
            drawn = corrected_intervals(
                [cls._metric],
                s,
                y_score,
                alpha=assumed,
                beta=beta,
                population=population,
                confidence=confidence,
                n_bootstrap=n_bootstrap,
                random_state=random_state,
            ).drawn
        if drawn is not None:

            def height(*drawn):
                return np.interp(GRID, *cls._points(*drawn, population))

            interval = (GRID, *drawn.heights(height))
        prior = alpha if population == "unlabeled" else sample_prior(alpha, beta, counts.c)
        display = cls(
            x,
            y,
            cls._area(x, y),
            uncorrected=(*usual, cls._area(*usual)),
            bounds=region,
            interval=interval,
            name=name,
            population=population,
            chance=cls._chance or ((prior, prior) if corrected else None),
            confidence=confidence,
        )
        return display.plot(ax, color=color, uncorrected=uncorrected, corrected=corrected)

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
        ax = new_axes() if ax is None else ax
        color, style = next_look(ax, color)
        if self.chance is not None and not models_in(ax):
            ax.plot(
                [0, 1],
                self.chance,
                color="#777777",
                linestyle=":",
                linewidth=1,
                label="random ranking",
            )
        what = f"{shortened(self.name)}, corrected" if self.name else "corrected"
        self.line_ = None
        if corrected:
            (self.line_,) = ax.plot(
                *thinned(self.x, self.y),
                color=color,
                linestyle=style,
                linewidth=1.8,
                label=f"{what} ({self.area:.3f})",
                gid=f"model {what}",
                **self._drawing,
            )
        else:
            ax.plot([], [], " ", gid=f"model {what}", label=f"{what}: not identified")
        if self.uncorrected is not None and uncorrected:
            x, y, area = self.uncorrected
            label = f"uncorrected ({area:.3f})"
            ax.plot(
                *thinned(x, y),
                color=color,
                linestyle=":",
                linewidth=1.3,
                label=label,
                **self._drawing,
            )
        if self.bounds is not None:
            *band, (low, high) = self.bounds
            shaded(ax, band, color, f"{self.confidence:.0%} bounds ({low:.3f} to {high:.3f})")
        if self.interval is not None:
            shaded(ax, self.interval, color, f"{self.confidence:.0%} interval")
        about = "all examples" if self.population == "all" else "the unlabeled"
        xlabel, ylabel = (label.format(population=about) for label in self._labels)
        ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        finish(ax)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self
