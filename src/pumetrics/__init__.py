"""Estimate true classifier performance from positive, unlabeled or noisy labels.

The functions to begin with; everything else is in the submodules.

=================== ==========================================================================
`assess`            corrected metrics of a model with intervals and warnings
`compare_scores`    which of two models is better, and how certain that is; also as `compare`
`estimate_score`    one metric against the true class, by a correction method that is named
`estimate_priors`   share of positives among the unlabeled, and among the labeled
`make_pu_scorer`    a corrected metric as a scorer for scikit-learn: cross-validation, tuning, thresholds
`plan_checks`       rows for an expert to check, if scores alone do not identify a metric
=================== ==========================================================================
"""

__all__ = [
    "assess",
    "compare",
    "compare_scores",
    "estimate_priors",
    "estimate_score",
    "make_pu_scorer",
    "plan_checks",
]
__version__ = "0.3.0"

_HOMES = {
    "assess": "assessment",
    "compare_scores": "assessment",
    "estimate_priors": "priors",
    "estimate_score": "methods",
    "make_pu_scorer": "metrics",
    "plan_checks": "checks",
}


def __getattr__(name):
    """Import a function when it is first used, so that ``import pumetrics`` stays quick."""
    from importlib import import_module

    wanted = "compare_scores" if name == "compare" else name
    if wanted not in _HOMES:
        raise AttributeError(f"module 'pumetrics' has no attribute {name!r}")
    return getattr(import_module(f"pumetrics.{_HOMES[wanted]}"), wanted)


def __dir__():
    return sorted({*globals(), *__all__})
