"""What speaks against an estimate."""

import numpy as np

from pumetrics.priors.registry import METHODS

__all__ = ["doubts"]

_PANEL = ("alphamax_plus", "bbe", "elkan_noto_e3")  # milliseconds each, and wrong for different reasons
_DISAGREEMENT = 0.15


def doubts(share, where, component, mixture, known):
    """Reasons to distrust a share.

    Parameters
    ----------
    share : Share
        The estimate.
    where : str
        The sample in which the component was looked for.
    component, mixture : ndarray
        What it was estimated from, higher scores for the component.
    known : mapping of str to float
        Answers of methods that were run on these samples already.

    Returns
    -------
    tuple of str
    """
    notes = [f"in the {where} sample: {note}" for note in share.notes]
    if not share.low < share.value < share.high:
        notes.append(
            f"in the {where} sample: {share.value:.3g} lies at the edge of what the method can answer, "
            f"[{share.low:.3g}, {share.high:.3g}]"
        )
    if component.ndim == 1:
        others = [known[name] if name in known else METHODS[name].estimate(component, mixture).value for name in _PANEL]
        middle = float(np.median(others))
        if abs(share.value - middle) > _DISAGREEMENT:
            notes.append(
                f"in the {where} sample: methods disagree, {share.value:.3g} here against {middle:.3g}, "
                f"the median of {', '.join(_PANEL)}"
            )
    return tuple(notes)
