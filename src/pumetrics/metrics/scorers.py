"""Scores against the true class in scikit-learn's model selection."""

from pumetrics._validation import check_priors
from pumetrics.metrics import scores, top
from pumetrics.metrics.registry import METRICS

__all__ = ["make_pu_scorer"]

_SCORES = {
    name: getattr(top if entry.kind == "top" else scores, entry.function)
    for name, entry in METRICS.items()
    if entry.kind != "maximum" and entry.function
}


def make_pu_scorer(metric, *, alpha, beta=1.0, **options):
    """Scorer for scikit-learn's model selection, such as ``GridSearchCV(..., scoring=scorer).fit(X, s)``.

    The priors are taken to hold in every fold, as they do when folds are stratified by `s`.

    Parameters
    ----------
    metric : str or callable
        "roc_auc", "average_precision" or a measure of the top of a ranking, such as "precision_at_k" with the option
        ``k=100``, which judge scores; "accuracy", "balanced_accuracy", "f1", "mcc", "precision" or "recall", which
        judge predictions; or one of this module's score functions.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    **options
        Further arguments of the score function, such as ``method="direct"``.

    Returns
    -------
    callable
        ``scorer(estimator, X, s)``; higher is better.

    Raises
    ------
    ValueError
        If `metric` is unknown or alpha >= beta.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, s = np.arange(8.0)[:, None], [0, 0, 0, 0, 0, 1, 0, 1]
    >>> make_pu_scorer("roc_auc", alpha=1 / 6)(LogisticRegression().fit(X, s), X, s)
    1.0
    """
    from sklearn.metrics import make_scorer

    alpha, beta = check_priors(alpha, beta)
    function = _SCORES.get(metric) if isinstance(metric, str) else metric
    if function not in _SCORES.values():
        raise ValueError(f"metric must be one of {', '.join(_SCORES)} or their functions, got {metric!r}")
    judges_scores = function in [_SCORES[name] for name in _SCORES if METRICS[name].kind in ("area", "top")]
    response = ("decision_function", "predict_proba") if judges_scores else "predict"
    return make_scorer(function, response_method=response, alpha=alpha, beta=beta, **options)
