"""All networks of an ensemble as one matrix product per block of rows.

The networks share one matrix of rows; a bag is a row of weights, not a copy. Weights are kept as (H, M, d + 1), so that
one product serves all M networks and the M x B slab of each hidden unit is contiguous. What is left per block are two
products and a handful of passes over buffers that are allocated once.
"""

from dataclasses import dataclass

import numpy as np

from pumetrics.models._rprop_problem import (
    LOSS_FLOOR,
    STEP_GROWTH,
    STEP_MAX,
    STEP_MIN,
    STEP_SHRINK,
    Trained,
    row_blocks,
)

__all__ = ["train"]


def train(problem, settings):
    """Train every network of `problem` until its own patience ends.

    Parameters
    ----------
    problem : Problem
    settings : Settings

    Returns
    -------
    Trained
    """
    best = Trained.start(problem.draws)
    batch = _Batch.start(problem, settings)
    blocks = _Blocks.of(problem)
    for epoch in range(settings.max_epochs + 1):
        last = epoch == settings.max_epochs
        active = batch.keep_best(best, batch.validation_loss(blocks, with_gradients=not last), epoch)
        settings.report(epoch, active.sum())
        if last or not active.any():
            break
        if active.mean() < 0.9:  # below that, copying the rest is dearer than carrying the stopped ones along
            batch = batch.only(active)
        batch.step()
    return best


@dataclass
class _Blocks:
    """The data in blocks of rows, each also transposed: the first product reads rows as columns."""

    rows: list
    X: list
    X_transposed: list
    target: list

    @classmethod
    def of(cls, problem):
        rows = row_blocks(len(problem.X))
        X = [problem.X[block] for block in rows]
        return cls(rows, X, [np.ascontiguousarray(x.T) for x in X], [problem.target[block] for block in rows])


class _Layer:
    """Weights of one layer with what iRPROP- remembers about each."""

    def __init__(self, weights, step):
        self.weights = weights
        self.steps = np.full_like(weights, step)
        self.previous = np.zeros_like(weights)

    def only(self, active):
        """The same for the networks `active` (axis 1) alone."""
        layer = object.__new__(_Layer)
        layer.weights, layer.steps, layer.previous = (
            np.ascontiguousarray(array[:, active]) for array in (self.weights, self.steps, self.previous)
        )
        return layer

    def step(self, gradient):
        """Move each weight by its own step against the sign of its gradient; forget a gradient that changed sign."""
        agreement = np.sign(gradient * self.previous)
        self.steps *= np.where(
            agreement > 0, np.float32(STEP_GROWTH), np.where(agreement < 0, np.float32(STEP_SHRINK), 1)
        )
        np.clip(self.steps, STEP_MIN, STEP_MAX, out=self.steps)
        gradient[agreement < 0] = 0
        self.weights -= np.sign(gradient) * self.steps
        self.previous = gradient


class _Batch:
    """The networks still training: their weights, bags, failures since the best loss, and buffers."""

    @classmethod
    def start(cls, problem, settings):
        batch, draws = cls(), problem.draws
        batch.patience = settings.patience
        batch.hidden = _Layer(draws.hidden.copy(), settings.hidden_step)
        batch.output = _Layer(draws.output.copy(), settings.output_step)
        batch.training = draws.training_weights()
        batch.validation = draws.validation_weights()
        batch.ids = np.arange(draws.output.shape[1])
        batch.best_loss = np.full(len(batch.ids), np.inf)
        batch.failures = np.zeros(len(batch.ids), dtype=np.int64)
        batch._allocate()
        return batch

    def only(self, active):
        """A batch of the networks `active` alone, everything that belongs to them carried along."""
        batch = object.__new__(_Batch)
        batch.patience = self.patience
        batch.hidden, batch.output = self.hidden.only(active), self.output.only(active)
        batch._gradients = [gradient[:, active] for gradient in self._gradients]
        for name in ("training", "validation", "ids", "best_loss", "failures"):
            setattr(batch, name, getattr(self, name)[active])
        batch._allocate()
        return batch

    def _allocate(self):
        n_hidden, n_networks, n_inputs = self.hidden.weights.shape
        n_rows = self.training.shape[1]
        block = row_blocks(n_rows)[0]
        size = block.stop - block.start
        self._units = np.empty(n_hidden * n_networks * size, dtype=np.float32)
        self._error = np.empty(n_networks * size, dtype=np.float32)
        self._work = np.empty(n_networks * size, dtype=np.float32)
        self._product = np.empty((n_hidden * n_networks, n_inputs), dtype=np.float32)
        self._validation_total = self.validation.sum(axis=1, dtype=np.float64)

    def validation_loss(self, blocks, *, with_gradients):
        """Validation loss of the current weights, shape (M,); optionally leaves the training gradients in the batch."""
        n_hidden, n_networks, n_inputs = self.hidden.weights.shape
        weights = self.hidden.weights.reshape(-1, n_inputs)
        self._gradients = np.zeros_like(self.hidden.weights), np.zeros_like(self.output.weights)
        loss = np.zeros(n_networks)
        for rows, X, X_transposed, target in zip(
            blocks.rows, blocks.X, blocks.X_transposed, blocks.target, strict=True
        ):
            units = _view(self._units, n_hidden, n_networks, len(X))
            error, work = (_view(buffer, n_networks, len(X)) for buffer in (self._error, self._work))
            flat = units.reshape(-1, len(X))
            np.tanh(np.matmul(weights, X_transposed, out=flat), out=flat)
            # tanh(output) - target is the gradient of the log-loss of (1 + tanh(output)) / 2.
            np.einsum("hm,hmb->mb", self.output.weights[:-1], units, out=error)
            error += self.output.weights[-1][:, np.newaxis]
            np.tanh(error, out=error)
            error -= target
            loss += self._block_loss(error, self.validation[:, rows], work)
            if with_gradients:
                error *= self.training[:, rows]
                self._add_gradients(units, error, X)
        if with_gradients:
            self._gradients[0][:] *= self.output.weights[:-1, :, np.newaxis]
        return loss / self._validation_total

    def _add_gradients(self, units, error, X):
        """Add a block's gradients; the hidden ones lack their factor, the output weight. Spoils `units`."""
        hidden_gradient, output_gradient = self._gradients
        output_gradient[:-1] += np.matmul(units.transpose(1, 0, 2), error[:, :, np.newaxis])[:, :, 0].T
        output_gradient[-1] += error.sum(axis=1)
        np.multiply(units, units, out=units)
        np.subtract(1, units, out=units)  # the slope of tanh
        units *= error
        hidden_gradient += np.matmul(units.reshape(-1, len(X)), X, out=self._product).reshape(hidden_gradient.shape)

    @staticmethod
    def _block_loss(error, validation, work):
        """Weighted log-loss: the probability of the wrong class is half the error."""
        np.abs(error, out=work)
        work *= -0.5
        work += 1
        np.maximum(work, LOSS_FLOOR, out=work)
        np.log(work, out=work)
        return -np.einsum("mb,mb->m", work, validation)

    def keep_best(self, best, loss, epoch):
        """Remember weights that lower a network's validation loss; return which networks go on, shape (M,)."""
        running = self.failures < self.patience
        improved = running & (loss < self.best_loss)
        self.best_loss[improved] = loss[improved]
        self.failures[running] += 1
        self.failures[improved] = 0
        best.epochs[self.ids[running]] = epoch
        ids = self.ids[improved]
        best.hidden[:, ids] = self.hidden.weights[:, improved]
        best.output[:, ids] = self.output.weights[:, improved]
        best.loss[ids] = loss[improved]
        return self.failures < self.patience

    def step(self):
        """One RPROP update of all weights."""
        hidden_gradient, output_gradient = self._gradients
        self.hidden.step(hidden_gradient)
        self.output.step(output_gradient)


def _view(buffer, *shape):
    """The start of a flat buffer in this shape: contiguous for the last, shorter block as well."""
    return buffer[: np.prod(shape)].reshape(shape)
