"""Scorers that estimate performance against the true class in scikit-learn's model selection."""

import inspect

import numpy as np

from pumetrics.metrics.registry import METRICS, find_metric
from pumetrics.tops import top_of
from pumetrics.validation import as_array, check_choice, check_fraction, check_priors, raveled

__all__ = ["check_no_detector", "make_pu_scorer"]

_BY_A_FUNCTION = (
    "score them yourself, such as by scoring=lambda model, X, s: pu_roc_auc_score(s, -model.decision_function(X), "
    "alpha=0.1)"
)


def make_pu_scorer(metric, *, alpha=None, beta=1.0, prior="consensus", pos_label=None, **options):
    """Make a scorer for scikit-learn's model selection, such as ``GridSearchCV(..., scoring=scorer).fit(X, s)``.

    Use it wherever scikit-learn accepts a scorer: ``cross_validate``, ``GridSearchCV``, ``TunedThresholdClassifierCV``.
    Given priors are assumed to apply to every fold, which is correct if folds are stratified by `s`.

    Parameters
    ----------
    metric : str or callable
        An entry of ``METRICS``, or one of the score functions of :mod:`pumetrics.metrics`. Areas and maxima such as
        "max_f1" evaluate scores; measures such as "f1" evaluate predictions. A model that was fitted to labeled and
        unlabeled examples predicts too few positives, unless its threshold is chosen, as with
        ``TunedThresholdClassifierCV``. Measures of the top of a ranking evaluate scores: "precision_at_100", or
        "precision_at_k" with the option ``k=100``.
    alpha : float, optional
        Share of positives among the unlabeled, 0 <= alpha < beta. By default it is estimated from the scores of each
        model in each fold. The results of models then also differ by the errors of these estimates; to compare models,
        estimate alpha once (:func:`pumetrics.priors.estimate_priors`) and give it.
    beta : float or None, default=1.0
        Share of positives among the labeled, at most 1; None, without a given alpha, estimates both.
    prior : str, default="consensus"
        Estimator of priors that are not given, see :func:`pumetrics.priors.available_priors`.
    pos_label : object, optional
        The value that means labeled, such as "fraud"; all other values then mean unlabeled, also of a model with more
        than two classes. By default labels are 1 and 0; of labels 1 and -1 it is 1.
    **options
        Further arguments of the score function, such as ``method="direct"``.

    Returns
    -------
    callable
        ``scorer(estimator, X, s, sample_weight=None)``; higher is better. Scores are those of ``decision_function`` or
        ``predict_proba``, and of a regressor its predictions. Where metadata is routed,
        ``scorer.set_score_request(sample_weight=True)`` requests the weights.

    Raises
    ------
    ValueError
        If `metric` or an option is unknown, alpha >= beta, or `prior` is needed and unknown. The scorer raises it on
        invalid labels and if the priors cannot be estimated, and for outlier detectors, whose scores are high for
        inliers.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, s = np.arange(8.0)[:, None], [0, 0, 0, 0, 0, 1, 0, 1]
    >>> make_pu_scorer("roc_auc", alpha=1 / 6)(LogisticRegression().fit(X, s), X, s)
    1.0
    >>> names = np.where(s, "fraud", "unknown")
    >>> scorer = make_pu_scorer("max_f1", alpha=1 / 6, pos_label="fraud")
    >>> scorer(LogisticRegression().fit(X, names), X, names)
    1.0
    """
    name, function = _function_of(metric)
    if isinstance(metric, str) and find_metric(metric).top is not None:
        if "k" in options:
            raise ValueError(
                f"{metric} names its number of examples: omit k={options['k']!r}, or give {name!r} with k"
            )
        options["k"] = str(find_metric(metric).top)
    _check_options(name, function, options)
    if METRICS[name].kind == "top":
        top_of(options.get("k"))
    if alpha is None:
        _check_estimator(prior, beta)
    else:
        alpha, beta = check_priors(alpha, beta)
    return _Scorer(
        _Judge(name, function, prior, {"alpha": alpha, "beta": beta, **options}), pos_label
    )


def _function_of(metric):
    """Name in ``METRICS`` and function of this package."""
    from pumetrics import metrics

    functions = {
        name: getattr(metrics, entry.function) for name, entry in METRICS.items() if entry.function
    }
    if isinstance(metric, str) and find_metric(metric).name in functions:
        name = find_metric(metric).name
        return name, functions[name]
    for name, function in functions.items():
        if metric is function and METRICS[name].kind != "maximum":
            return name, function
    raise ValueError(
        f"metric must be one of {', '.join(functions)} or their functions, got {metric!r}"
    )


def _check_options(name, function, options):
    known = [
        key
        for key, each in inspect.signature(function).parameters.items()
        if each.kind == each.KEYWORD_ONLY
    ]
    known = [key for key in known if key not in ("alpha", "beta", "sample_weight")]
    for option in options:
        if option not in known:
            raise ValueError(f"{name} has no option {option!r}: it takes {', '.join(known)}")


def _check_estimator(prior, beta):
    from pumetrics.priors import available_priors

    check_choice(prior, "prior", available_priors())
    if beta is not None and not check_fraction(beta, "beta"):
        raise ValueError(
            "beta must lie in (0, 1], got 0: labeled examples without positives carry no information"
        )


class _Judge:
    """Score function in scikit-learn's order of arguments, which takes labels as they are."""

    def __init__(self, name, function, prior, options):
        self.__name__ = name
        self.kind = METRICS[name].kind
        self.function = function
        self.prior = prior
        self.options = options

    def __call__(self, s, judged, *, pos_label=None, sample_weight=None):
        s = _observed(s, pos_label)
        if self.kind == "threshold":
            judged = _observed(judged, pos_label, "predictions", both=False)
            if self.options["alpha"] is None:
                raise ValueError(
                    f"{self.__name__} evaluates predictions, from which alpha cannot be estimated: give alpha"
                )
        return self.judge(s, judged, judged, sample_weight)

    def judge(self, s, judged, y_score, sample_weight):
        """The score of checked labels, with priors estimated from `y_score` where they are not given."""
        options = self.options
        if options["alpha"] is None:
            options = options | _estimated_priors(
                s, y_score, options["beta"], self.prior, sample_weight
            )
        if self.kind == "maximum":
            measure = METRICS[self.__name__].measure
            return self.function(measure, s, judged, sample_weight=sample_weight, **options)[0]
        return self.function(s, judged, sample_weight=sample_weight, **options)


class _Scorer:
    """Scorer that asks the estimator for scores, for predictions, or, to estimate priors of predictions, for both."""

    def __init__(self, judge, pos_label):
        # What scikit-learn takes from a scorer to try thresholds.
        self._score_func = judge
        self._sign = 1
        self._kwargs = {"pos_label": pos_label}
        self._weights = None

    def __repr__(self):
        return f"make_pu_scorer({self._score_func.__name__!r})"

    def __call__(self, estimator, X, s, sample_weight=None):
        judge = self._score_func
        pos_label = self._kwargs["pos_label"]
        s = _observed(s, pos_label)
        judged = None
        y_score = None
        if judge.kind == "threshold":
            judged = _predictions_of(estimator, X, pos_label, judge.__name__)
        if judge.kind != "threshold" or judge.options["alpha"] is None:
            y_score = _scores_of(estimator, X, pos_label)
        return judge.judge(s, y_score if judged is None else judged, y_score, sample_weight)

    def set_score_request(self, *, sample_weight):
        """Request the weights of rows, or not, where scikit-learn routes metadata; returns the scorer."""
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "a request has an effect only with sklearn.set_config(enable_metadata_routing=True): call that first"
            )
        self._weights = sample_weight
        return self

    def get_metadata_routing(self):
        """What scikit-learn passes on to the scorer."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=repr(self))
        request.score.add_request(param="sample_weight", alias=self._weights)
        return request


def _estimated_priors(s, y_score, beta, prior, sample_weight):
    """Alpha and beta as options of a score function."""
    from pumetrics.priors.estimate import effective_counts, priors_from_counts

    counts = effective_counts(s, y_score, sample_weight)
    noisy = beta is None
    alpha, beta = priors_from_counts(
        counts, beta=1.0 if noisy else beta, method=prior, noisy=noisy, rng=0
    )
    if not 0 <= alpha < beta <= 1:  # also catches NaN
        raise ValueError(
            f"alpha cannot be estimated by {prior} from these scores: labeled and unlabeled examples look alike; give "
            "alpha, or use a model that separates them"
        )
    return {"alpha": alpha, "beta": beta}


def _predictions_of(estimator, X, pos_label, metric):
    """Predicted classes of an estimator as 1 and 0."""
    check_no_detector(estimator, _BY_A_FUNCTION)
    if not hasattr(estimator, "classes_"):
        raise ValueError(
            f"{metric} evaluates predicted classes, and {type(estimator).__name__} predicts numbers: use a classifier, "
            'or a metric of scores such as "roc_auc" or "max_f1"'
        )
    return _observed(estimator.predict(X), pos_label, "predictions", both=False)


def _scores_of(estimator, X, pos_label):
    """Scores of an estimator for the label that means labeled; a regressor predicts them."""
    check_no_detector(estimator, _BY_A_FUNCTION)
    if not hasattr(estimator, "classes_"):
        return estimator.predict(X)
    classes = list(estimator.classes_)
    if pos_label is None and np.asarray(classes).dtype.kind in "US":
        classes = list(_zeros_and_ones(np.asarray(classes), "classes"))
    labeled = 1 if pos_label is None else pos_label
    if labeled not in classes:
        raise ValueError(
            f"the model knows no class {labeled!r}, which means labeled: it was fitted to {classes}"
        )
    place = classes.index(labeled)
    if hasattr(estimator, "decision_function") and (
        len(classes) == 2 or not hasattr(estimator, "predict_proba")
    ):
        values = estimator.decision_function(X)
        if values.ndim > 1:
            return values[:, place]
        return values if place == 1 else -values
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has no decision_function or predict_proba: use a classifier that has one, or "
            "a metric of predicted classes with a given alpha"
        )
    return estimator.predict_proba(X)[:, place]


def check_no_detector(estimator, remedy):
    """Raise ValueError on an outlier detector: whether positives are its outliers is not for us to guess."""
    if hasattr(estimator, "decision_function") and not hasattr(estimator, "classes_"):
        raise ValueError(
            f"{type(estimator).__name__} has a decision_function and no classes: outlier detectors score inliers "
            f"higher. If positives are the outliers, {remedy}"
        )


def _observed(labels, pos_label, what="labels", *, both=True):
    """Labels as 1 and 0."""
    array = raveled(as_array(labels), what)
    if array.ndim != 1:
        raise ValueError(
            f"{what} must be one-dimensional, got shape {array.shape}: a scorer evaluates one output"
        )
    if pos_label is None:
        return _zeros_and_ones(array, what)
    positive = np.asarray(array == pos_label)
    if both and not positive.any():
        raise ValueError(
            f"{what} hold no {pos_label!r}, which means labeled (pos_label): got {array.flat[0]!r}"
        )
    return positive.astype(np.int8)


def _zeros_and_ones(array, what):
    """Labels that are 1 and 0, as numbers or as text, as in the score functions."""
    number = "; where 1 does and -1 means unlabeled, pos_label=1"
    is_text = array.dtype.kind in "USO"
    if is_text:
        number = ""
    try:
        numbers = array.astype(np.float64) if is_text else array
        other = array[~np.isin(numbers, (0, 1))]
    except (TypeError, ValueError):
        other = array
    if other.size:
        raise ValueError(
            f"{what} must be 1 and 0, got {other.flat[0]}: give the value that means labeled as pos_label{number}"
        )
    return numbers
