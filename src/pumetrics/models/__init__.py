"""Classifiers whose out-of-sample scores the studies judge."""

__all__ = ["BaggedMLPClassifier"]


def __getattr__(name):
    # scikit-learn takes a second to import: it is loaded with the first estimator, not with the package.
    if name in __all__:
        from pumetrics.models import ensemble

        return getattr(ensemble, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
