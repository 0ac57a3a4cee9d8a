"""Pictures of own scores, with the interface of scikit-learn's displays: `from_predictions`, `from_estimator`, `plot`.

================================== ==========================================================================
:class:`PURocDisplay`              ROC curve against the true class
:class:`PUPrecisionRecallDisplay`  precision-recall curve against the true class
:class:`PUThresholdDisplay`        precision, recall and F1 at every threshold
:class:`PUAlphaDisplay`            metrics against alpha, the share of positives among the unlabeled
================================== ==========================================================================

Draw several models into the same axes and each gets a different color, which colorblind readers can also distinguish;
:func:`model_colors` gives the same colors to several pictures. Legends are below the data. Lighter bands show where
the true curve can lie given alpha and randomly chosen labels (Claesen et al. 2015), or bootstrap intervals.
"""

from pumetrics.displays._base import CurveDisplay, model_colors
from pumetrics.displays._curves import PUPrecisionRecallDisplay, PURocDisplay
from pumetrics.displays._sweeps import PUAlphaDisplay, PUThresholdDisplay

__all__ = [
    "CurveDisplay",
    "PUAlphaDisplay",
    "PUPrecisionRecallDisplay",
    "PURocDisplay",
    "PUThresholdDisplay",
    "model_colors",
]
