"""Classifiers whose out-of-sample scores the studies evaluate."""

__all__ = ["BaggedMLPClassifier"]


def __getattr__(name):
    """Import the bagged networks, and with them scikit-learn, when they are used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    from pumetrics_workflow.models.ensemble import BaggedMLPClassifier

    return BaggedMLPClassifier
