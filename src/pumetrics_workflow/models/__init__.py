"""Classifiers whose out-of-sample scores the studies evaluate."""

from importlib import import_module

__all__ = ["BaggedMLPClassifier"]


def __getattr__(name):
    """Import the bagged networks, and with them scikit-learn, when they are used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    # Not an import statement, by which all that imports a module of this package would depend on the networks.
    return getattr(import_module("pumetrics_workflow.models.ensemble"), name)
