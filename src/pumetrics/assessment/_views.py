"""How an assessment shows itself: in a notebook, as a table, as a picture, as JSON."""

import json
import math

from pumetrics.assessment._plain import alpha_sentence, headline
from pumetrics.assessment._words import label, span
from pumetrics.metrics import find_metric

__all__ = ["Views", "draw_numbers"]

_BLUE, _ORANGE, _SHADE = "#0072B2", "#D55E00", "#56B4E9"  # the colors of displays


class Views:
    """Views of an :class:`pumetrics.assessment.Assessment`, whose fields they read."""

    def to_frame(self):
        """One row for each metric and each strength of selection.

        Returns
        -------
        pandas.DataFrame
            ``metric``, ``selection``, ``corrected``, ``lower`` and ``upper`` (the interval), ``lower_bound`` and
            ``upper_bound``, ``uncorrected``, ``identified``, ``assumes``; what there is not is NaN.

        Examples
        --------
        >>> from pumetrics.assessment import assess
        >>> assessment = assess([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25, n_bootstrap=0, metrics=["roc_auc"])
        >>> assessment.to_frame()[["metric", "corrected", "uncorrected"]].values.tolist()
        [['roc_auc', 1.0, 0.875]]
        """
        import pandas as pd

        nothing = (math.nan, math.nan)
        rows = []
        for score in self.scores:
            main = self.selection, score.corrected, score.interval
            for selection, corrected, interval in (main, *score.selected):
                lower, upper = interval or nothing
                low, high = (score.bounds or nothing) if selection == self.selection else nothing
                rows.append({
                    "metric": score.metric, "selection": selection, "corrected": corrected, "lower": lower,
                    "upper": upper, "lower_bound": low, "upper_bound": high, "uncorrected": score.uncorrected,
                    "identified": score.identified, "assumes": score.assumes,
                })  # fmt: skip
        return pd.DataFrame(rows)

    def to_json(self, *, indent=2):
        """Everything but the evidence behind the priors, as JSON; infinities and NaN become null.

        Parameters
        ----------
        indent : int or None

        Returns
        -------
        str

        Examples
        --------
        >>> from pumetrics.assessment import assess
        >>> assessment = assess([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25, n_bootstrap=0)
        >>> json.loads(assessment.to_json())["n_labeled"]
        2
        """
        return json.dumps(_finite(self.as_dict()), indent=indent, allow_nan=False)

    def plot(self, ax=None):
        """Draw every metric with its interval and its bounds, and the uncorrected number beside it.

        Curves need the scores: see :mod:`pumetrics.displays`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        return draw_numbers(self, ax)

    def _repr_html_(self):
        """Fragment of HTML for notebooks."""
        from pumetrics.assessment._templates import fragment

        return fragment(
            "notebook.html.j2",
            assessment=self,
            sentence=headline(self),
            alpha=alpha_sentence(self),
            label=label,
            span=span,
        )


def draw_numbers(assessment, ax=None):
    """Draw the metrics of an assessment, one a row: those of which 1 is perfect."""
    from pumetrics._extras import require

    scores = [score for score in assessment.scores if find_metric(score.metric).range[1] == 1]
    if ax is None:
        plt = require("matplotlib.pyplot", extra="plots", purpose="drawing an assessment")
        height = 1.5 + 0.34 * len(scores)
        _, ax = plt.subplots(figsize=(4.0, height), layout="constrained")
    shown = [score.identified for score in scores]
    for row, score in enumerate(scores):
        once = {"label": "_"} if row else {}
        if score.bounds:
            named = {"label": f"{assessment.confidence:.0%} bounds"} | once
            ax.barh(
                row,
                score.bounds[1] - score.bounds[0],
                left=score.bounds[0],
                height=0.5,
                color=_SHADE,
                alpha=0.35,
                **named,
            )
        if score.interval:
            named = {"label": f"{assessment.confidence:.0%} interval"} | once
            ax.plot(score.interval, [row, row], color=_BLUE, linewidth=2.2, solid_capstyle="butt", **named)
        if score.identified:
            named = {"label": "corrected" if row == shown.index(True) else "_"}
            ax.plot(score.corrected, row, "o", color=_BLUE, markersize=6, **named)
        ax.plot(score.uncorrected, row, "D", color=_ORANGE, markersize=4.5, **({"label": "uncorrected"} | once))
    if not all(shown):
        ax.plot([], [], " ", label="no dot: not identified")
    names = [label(score.metric, assessment.threshold, short=True) for score in scores]
    ax.set_yticks(range(len(names)), names)
    ends = [end for score in scores for pair in (score.interval, score.bounds) if pair for end in pair]
    values = [value for score in scores for value in (score.corrected, score.uncorrected) if value == value]
    ax.set(
        ylim=(len(names) - 0.5, -0.5), xlim=(min(0, *values, *ends) - 0.02, 1.02), xlabel="Score against the true class"
    )
    _legend_below(ax)
    return ax


def _legend_below(ax):
    from matplotlib.transforms import ScaledTranslation

    below = ax.transAxes + ScaledTranslation(0, -0.52, ax.figure.dpi_scale_trans)
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=below,
        borderaxespad=0,
        frameon=False,
        fontsize=8,
        ncols=2,
    )


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
