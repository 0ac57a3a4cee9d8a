"""Gains and lift: how many of the positives are found among the examples that score highest."""

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.displays._display import CurveDisplay
from pumetrics.displays._resampled import alphas_of, band_of, draw

__all__ = ["PUGainsDisplay", "PULiftDisplay"]

_GRID = np.linspace(0, 1, 401)
_FEWEST = 10  # examples flagged below which lift is chance


class _Flagged(CurveDisplay):
    """A curve over the share of examples that are flagged, those with the highest scores first."""

    _chance = None

    @classmethod
    def from_predictions(
        cls,
        s,
        y_score,
        *,
        alpha,
        beta=1.0,
        population="all",
        alpha_range=None,
        confidence=0.95,
        n_bootstrap=0,
        random_state=0,
        name=None,
        color=None,
        uncorrected=True,
        corrected=True,
        ax=None,
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
            Population of which a share is flagged: all examples, or the unlabeled ones. Recall is the same in both, as
            long as labeled positives are a random sample of all positives.
        alpha_range : (float, float), optional
            Range of alpha for the interval; `alpha` alone by default.
        confidence : float
            Of the interval, in (0, 1).
        n_bootstrap : int
            Resamples behind an interval at each share; 0 for none.
        random_state : int, numpy.random.Generator or None
        name : str, optional
            Of the model, for the legend.
        color : str, optional
            By default the next of the axes.
        uncorrected : bool
            Draw the uncorrected curve as well, which takes the labeled for the positives.
        corrected : bool
            Draw the corrected curve itself; without it only the interval, as where it is not identified.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        display
            Drawn: `ax_`, `figure_` and `line_` are set.

        Raises
        ------
        ValueError
            On invalid labels, scores or priors, or an unknown population.
        """
        if population not in ("all", "unlabeled"):
            raise ValueError(f'population must be "all" or "unlabeled", got {population!r}')
        counts = count_scores(s, y_score)
        interval = None
        if n_bootstrap:
            draws = draw(counts, n_bootstrap, random_state)
            shares = cls._shares(counts)

            def height(each, share):
                return np.interp(shares, *cls._points(each, share, beta, population))

            interval = (shares, *band_of(draws, height, alphas_of(alpha, alpha_range), confidence))
        display = cls(
            *cls._points(counts, alpha, beta, population), None,
            uncorrected=(*cls._points(counts, 0.0, 1.0, "all"), None), interval=interval, name=name,
            chance=cls._chance, confidence=confidence,
        )  # fmt: skip
        display.population = population
        return display.plot(ax, color=color, uncorrected=uncorrected, corrected=corrected)

    @staticmethod
    def _shares(counts):
        return _GRID

    def _frame(self, ax):
        self._labels = (f"Share of {'all' if self.population == 'all' else 'the unlabeled'} examples flagged", "")
        ax.set_xlabel(self._labels[0])


class PUGainsDisplay(_Flagged):
    """Cumulative gains: recall against the share of examples flagged.

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

    _chance = (0, 1)

    @staticmethod
    def _points(counts, alpha, beta, population):
        return _recall(counts, alpha, beta, population)

    def _frame(self, ax):
        super()._frame(ax)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), ylabel="Recall: share of the positives found")


class PULiftDisplay(_Flagged):
    """Lift: how many times as often positives occur among the examples flagged as among all.

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

    _chance = (1, 1)

    @staticmethod
    def _points(counts, alpha, beta, population):
        share, tpr = _recall(counts, alpha, beta, population)
        n = counts.n if population == "all" else counts.n_unlabeled
        kept = share >= min(_FEWEST / n, 0.5)
        return share[kept], tpr[kept] / share[kept]

    @staticmethod
    def _shares(counts):
        return np.geomspace(min(_FEWEST / counts.n, 0.5), 1, 201)

    def _frame(self, ax):
        from matplotlib.ticker import FuncFormatter, NullFormatter

        super()._frame(ax)
        ax.set(xscale="log", ylabel="Lift: positives found, against flagging at random")
        ax.set_xlim(self.x[0] * 0.95, 1.05)
        ax.set_ylim(bottom=0)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}%"))
        ax.xaxis.set_minor_formatter(NullFormatter())


def _recall(counts, alpha, beta, population):
    """Share flagged and share of the positives among them, at every threshold; never more positives than flagged."""
    from pumetrics.rates import sample_prior
    from pumetrics.recovery import recover_rates

    tpr, _ = recover_rates(counts.tpr_pu, counts.fpr_pu, alpha=alpha, beta=beta)
    share, prior = counts.fpr_pu, alpha
    if population == "all":
        share, prior = counts.predicted / counts.n, sample_prior(alpha, beta, counts.c)
    most = np.minimum(share / prior, 1) if prior else 1
    return share, np.maximum.accumulate(np.clip(tpr, 0, most))
