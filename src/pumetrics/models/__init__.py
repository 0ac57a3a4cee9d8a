"""Classifiers whose out-of-sample scores the studies evaluate."""

from importlib import import_module

__all__ = ["MODELS", "BaggedMLPClassifier", "out_of_sample_scores", "stratified_folds"]

_HOMES = {
    "BaggedMLPClassifier": "ensemble",
    "MODELS": "registry",
    "out_of_sample_scores": "registry",
    "stratified_folds": "folds",
}


def __getattr__(name):
    # scikit-learn takes a second to import: it is loaded with the first estimator, not with the package.
    if name in _HOMES:
        return getattr(import_module(f"pumetrics.models.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
