"""Bagged RPROP networks: the non-traditional classifier of Jain 2017 and Ramola 2019, trained all at once."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from pumetrics.compiled import can_compile
from pumetrics.extras import require
from pumetrics.threads import one_blas_thread
from pumetrics_workflow.models.rprop import (
    Problem,
    Settings,
    draw_ensemble,
    initial_steps,
    network_scores,
    out_of_bag_scores,
)

__all__ = ["BaggedMLPClassifier"]

ENGINES = ("auto", "numpy", "numba")
# Above this many features a network's own copy of its rows no longer fits in cache, and the shared product wins.
NUMBA_FEATURES = 200


class BaggedMLPClassifier(ClassifierMixin, BaseEstimator):
    """Bootstrap ensemble of small perceptrons trained with RPROP, for two classes.

    Each network has one hidden layer of tanh units and a tanh output, of which (1 + output) / 2 is the probability of
    the positive class (``classes_[1]``). It is trained by full-batch iRPROP- on the log-loss of its bag, stops when the
    loss on the held-out part of its bag has not fallen for `patience` epochs, and keeps its best weights. A score is
    the mean over networks; ``oob_decision_function_`` is the mean over those whose bag lacks the example, so every
    example is scored out of sample after one fit.

    All networks are trained as one batched computation, on one thread. Features are standardized inside ``fit`` to
    mean 0 and standard deviation 1; constant ones become 0.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of networks.
    hidden_units : int, default=7
        Hidden units of each network.
    max_epochs : int, default=5000
        Most weight updates of a network; patience ends nearly all far earlier.
    patience : int, default=25
        Epochs without a new lowest validation loss after which a network stops.
    validation_fraction : float in (0, 1), default=0.25
        Share of the distinct rows of each bag that are held out to decide when to stop.
    engine : {"auto", "numpy", "numba"}, default="auto"
        "numpy": all networks share each matrix product. "numba": compiled, one network at a time in cache. "auto":
        numba below 200 features, else numpy. Engines agree up to rounding, which training amplifies.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Source of bags, validation parts and initial weights.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    oob_decision_function_ : ndarray of shape (n_samples,)
        Out-of-bag probability of ``classes_[1]``, in [0, 1]; rows in every bag get the mean of the others.
    n_epochs_ : ndarray of shape (n_estimators,)
        Updates each network made before it stopped.
    validation_loss_ : ndarray of shape (n_estimators,)
        Log-loss of each network's kept weights on its held-out rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,), only if the features had names

    References
    ----------
    Riedmiller & Braun (1993); Igel & Hüsken (2000) for iRPROP-; Jain, White & Radivojac (2017), Section 5;
    Ramola, Jain & Radivojac (2019), Section 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import roc_auc_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BaggedMLPClassifier(n_estimators=20, engine="numpy", random_state=0).fit(X, y)
    >>> bool(roc_auc_score(y, model.oob_decision_function_) > 0.98)
    True
    """

    def __init__(
        self,
        n_estimators=100,
        hidden_units=7,
        *,
        max_epochs=5000,
        patience=25,
        validation_fraction=0.25,
        engine="auto",
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.hidden_units = hidden_units
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.engine = engine
        self.random_state = random_state

    def fit(self, X, y):
        """Train all networks and score every row out of bag.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers; at least two samples.
        y : array-like of shape (n_samples,)
            Two classes; the greater one is the positive class.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the data hold NaN or infinity, are not of two classes, or a parameter is out of range.
        """
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        positive = self._check_classes(y)
        self._center, self._scale = _center_and_scale(X)
        draws = draw_ensemble(
            _generator(self.random_state),
            n_rows=X.shape[0],
            n_features=X.shape[1],
            n_networks=self.n_estimators,
            hidden_units=self.hidden_units,
            validation_fraction=self.validation_fraction,
        )
        problem = Problem(
            self._inputs(X, np.float32), np.where(positive, np.float32(1), np.float32(-1)), draws
        )
        steps = initial_steps(n_features=X.shape[1], hidden_units=self.hidden_units)
        settings = Settings(self.max_epochs, self.patience, *steps)
        train = self._trainer(X.shape[1])
        with one_blas_thread():
            trained = train(problem, settings)
            self.oob_decision_function_ = out_of_bag_scores(problem, trained)
        self._hidden = trained.hidden
        self._output = trained.output
        self.n_epochs_ = trained.epochs
        self.validation_loss_ = trained.loss
        return self

    def predict_proba(self, X):
        """Mean probability of both classes over all networks, shape (n_samples, 2)."""
        score = (self.decision_function(X) + 1) / 2
        return np.column_stack([1 - score, score])

    def decision_function(self, X):
        """Mean output of the networks, in [-1, 1], shape (n_samples,); above 0 the positive class is likelier."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        # In double precision a row's score does not depend on the rows it is scored with.
        inputs = self._inputs(X, np.float64)
        result = np.empty(len(X))
        with one_blas_thread():
            for rows, scores in network_scores(inputs, self._hidden, self._output):
                result[rows] = 2 * scores.mean(axis=0) - 1
        return result

    def predict(self, X):
        """The likelier class of each row, shape (n_samples,)."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _check_parameters(self):
        for name in ("n_estimators", "hidden_units", "max_epochs", "patience"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")
        fraction = self.validation_fraction
        if not isinstance(fraction, Real) or not 0 < fraction < 1:
            raise ValueError(f"validation_fraction must lie in (0, 1), got {fraction!r}")
        if self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {self.engine!r}")

    def _check_classes(self, y):
        """Set `classes_` and return which rows are of the positive class."""
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            check_classification_targets(y)
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}."
            )
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): two classes are needed"
            )
        return codes == 1

    def _inputs(self, X, dtype):
        """Standardized features and a column of ones."""
        inputs = np.ones((X.shape[0], X.shape[1] + 1), dtype=dtype)
        inputs[:, :-1] = (X - self._center) / self._scale
        return inputs

    def _trainer(self, n_features):
        engine = self.engine
        if engine == "auto":  # by the data alone: results must not depend on what is installed
            engine = "numba" if n_features < NUMBA_FEATURES else "numpy"
        if engine == "numba":
            purpose = (
                f'engine={self.engine!r} with {n_features} features (engine="numpy" does without)'
            )
            require("numba", extra="fast", purpose=purpose)
            if not can_compile():
                raise ValueError(
                    f"{purpose} needs compiled loops, which PUMETRICS_COMPILE=0 switches off: remove it"
                )
            from pumetrics_workflow.models.rprop_numba import train
        else:
            from pumetrics_workflow.models.rprop import train
        return train


def _center_and_scale(X):
    """Mean and standard deviation of the columns; infinity for a column that is constant up to rounding.

    Dividing by infinity makes such a column 0. A remainder of rounding would not do: RPROP follows the sign of a
    gradient, however small.
    """
    center = X.mean(axis=0)
    scale = X.std(axis=0)
    constant = np.ptp(X, axis=0) <= 8 * np.finfo(X.dtype).eps * np.abs(center)
    return center, np.where(constant, np.inf, scale)


def _generator(random_state):
    """A numpy Generator from anything that names a source of randomness."""
    if random_state is None or isinstance(
        random_state, np.random.Generator | np.random.SeedSequence
    ):
        return np.random.default_rng(random_state)
    return np.random.default_rng(
        check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    )
