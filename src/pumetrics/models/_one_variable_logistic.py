"""Logistic models of one variable, for many labelings at once: Newton's method."""

import numpy as np
from scipy.special import expit

__all__ = ["one_variable_logistic"]

_STEPS = 100  # separable classes need about 30, others 5 to 10
_TOLERANCE = 1e-10  # relative fall of the loss at which a model is finished


def one_variable_logistic(values, labels, *, ridge):
    """Slopes and intercepts that minimise the sum of log losses + ridge slope^2 of each labeling.

    Parameters
    ----------
    values : ndarray of shape (n_labelings, n)
        The variable, as each labeling sees it.
    labels : ndarray of shape (n_labelings, n)
        0 and 1, both present in each labeling.
    ridge : float
        Penalty of the slope, above 0: it keeps the slope finite where the classes are separable.

    Returns
    -------
    slope, intercept : ndarray of shape (n_labelings, 1), float64
        Where a labeling's variable is constant, the slope is 0.
    """
    values, labels = (
        np.ascontiguousarray(values),
        np.ascontiguousarray(labels),
    )  # sums in one order for any number of rows
    centre, spread = values.mean(axis=1, keepdims=True), np.ptp(values, axis=1, keepdims=True)
    spread[spread == 0] = 1
    z, ridge = (values - centre) / spread, ridge / spread**2
    share = labels.mean(axis=1, keepdims=True)
    model = np.concatenate([np.zeros_like(share), np.log(share / (1 - share))], axis=1)[:, :, None]
    loss, finished = _loss(z, labels, model, ridge), np.zeros(share.shape, dtype=bool)
    for _ in range(_STEPS):
        move = np.where(finished[:, :, None], 0, _newton_step(z, labels, model, ridge))
        model, new = _not_uphill(z, labels, model, move, loss, ridge)
        finished, loss = finished | (loss - new <= _TOLERANCE * new), new
        if finished.all():
            break
    slope = model[:, 0] / spread
    return slope, model[:, 1] - slope * centre


def _loss(z, labels, model, ridge):
    margin = np.where(labels, 1, -1) * (model[:, 0] * z + model[:, 1])
    return np.logaddexp(0, -margin).sum(axis=1, keepdims=True) + ridge * model[:, 0] ** 2


def _newton_step(z, labels, model, ridge):
    """The step to the optimum of the quadratic with the same slope and curvature, shape (n_labelings, 2, 1)."""
    p = expit(model[:, 0] * z + model[:, 1])
    slip, curve = p - labels, np.maximum(p * (1 - p), 1e-300)
    gradient = np.stack([(slip * z).sum(axis=1) + 2 * ridge[:, 0] * model[:, 0, 0], slip.sum(axis=1)], axis=1)
    mixed = (curve * z).sum(axis=1)
    squares = (curve * z**2).sum(axis=1) + 2 * ridge[:, 0]
    hessian = np.stack([squares, mixed, mixed, curve.sum(axis=1)], axis=1).reshape(-1, 2, 2)
    return np.linalg.solve(hessian, -gradient[:, :, None])


def _not_uphill(z, labels, model, move, loss, ridge):
    """The models after the longest of the steps 1, 1/2, 1/4, ... that does not raise the loss, and their losses."""
    length = np.ones_like(loss)
    for _ in range(40):
        new = _loss(z, labels, model + length[:, :, None] * move, ridge)
        uphill = ~(new <= loss * (1 + _TOLERANCE))
        if not uphill.any():
            break
        length[uphill] /= 2
    length[uphill] = 0
    return model + length[:, :, None] * move, np.where(uphill, loss, new)
