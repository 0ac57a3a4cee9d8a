"""Logistic regression out of fold: a model of its own, as labelings that depend on a score need it as well."""

from pumetrics.models.folds import out_of_fold

__all__ = ["logistic_regression"]


def logistic_regression(X, s, folds, seed, **options):
    """Score by the log odds of a logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return out_of_fold(lambda: LogisticRegression(max_iter=200, **options), X, s, folds, answer="decision_function")
