"""The shared product of the numpy engine in torch, on any device; torch is imported only here and is no dependency.

On a GPU all rows are one block: two products and some twenty launches per epoch for the whole ensemble.
"""

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


def train(problem, settings, *, device="cpu"):
    """Train every network of `problem` until its own patience ends.

    Parameters
    ----------
    problem : Problem
    settings : Settings
    device : str, default="cpu"
        A torch device, such as "cuda".

    Returns
    -------
    Trained

    Raises
    ------
    ImportError
        If torch is not installed.
    """
    torch = _torch()
    best = Trained.start(problem.draws)
    with torch.no_grad():
        batch = _Batch(torch, problem, settings, device)
        for epoch in range(settings.max_epochs + 1):
            active = batch.keep_best(best, batch.forward_backward(), epoch)
            settings.report(epoch, active.sum())
            if epoch == settings.max_epochs or not active.any():
                break
            if active.mean() < 0.9:
                batch.keep_only(active)
            batch.step()
    return best


def _torch():
    try:
        import torch
    except ImportError:
        raise ImportError('engine="torch" needs torch, which is not installed: use engine="auto"') from None
    return torch


class _Batch:
    """The networks still training, on the device."""

    def __init__(self, torch, problem, settings, device):
        self.torch, self.patience = torch, settings.patience
        draws = problem.draws
        blocks = row_blocks(len(problem.X)) if device == "cpu" else [slice(None)]
        X, target = (torch.as_tensor(array, device=device) for array in (problem.X, problem.target))
        self.blocks = [(rows, X[rows], target[rows]) for rows in blocks]
        self.weights = [torch.tensor(array, device=device) for array in (draws.hidden, draws.output)]
        self.steps = [
            torch.full_like(weights, step)
            for weights, step in zip(self.weights, (settings.hidden_step, settings.output_step), strict=True)
        ]
        self.previous = [torch.zeros_like(weights) for weights in self.weights]
        self.training = torch.tensor(draws.training_weights(), device=device)
        self.validation = torch.tensor(draws.validation_weights(), device=device)
        self.ids = np.arange(draws.output.shape[1])
        self.best_loss = np.full(len(self.ids), np.inf)
        self.failures = np.zeros(len(self.ids), dtype=np.int64)

    def forward_backward(self):
        """Validation loss of the current weights as an ndarray; leaves the training gradients in the batch."""
        hidden, output = self.weights
        n_hidden, n_networks, n_inputs = hidden.shape
        flat = hidden.view(-1, n_inputs)
        hidden_gradient, output_gradient = self.torch.zeros_like(flat), self.torch.zeros_like(output)
        loss = self.torch.zeros(n_networks, dtype=self.torch.float64, device=flat.device)
        for rows, X, target in self.blocks:
            units = self.torch.mm(flat, X.T).tanh_().view(n_hidden, n_networks, len(X))
            error = output[-1][:, None].repeat(1, len(X))
            for unit, weight in zip(units, output[:-1], strict=True):
                error.addcmul_(unit, weight[:, None])
            error.tanh_().sub_(target)
            wrong = error.abs().mul_(-0.5).add_(1).clamp_(min=LOSS_FLOOR).log_()
            loss -= wrong.mul_(self.validation[:, rows]).sum(dim=1, dtype=self.torch.float64)
            error *= self.training[:, rows]
            output_gradient[:-1] += (units * error).sum(dim=2)
            output_gradient[-1] += error.sum(dim=1)
            units.square_().neg_().add_(1).mul_(error)
            hidden_gradient.addmm_(units.view(-1, len(X)), X)
        self.gradients = [hidden_gradient.view_as(hidden).mul_(output[:-1, :, None]), output_gradient]
        return (loss / self.validation.sum(dim=1)).cpu().numpy()

    def keep_best(self, best, loss, epoch):
        """Remember weights that lower a network's validation loss; return which networks go on, shape (M,)."""
        running = self.failures < self.patience
        improved = running & (loss < self.best_loss)
        self.best_loss[improved] = loss[improved]
        self.failures[running] += 1
        self.failures[improved] = 0
        best.epochs[self.ids[running]] = epoch
        if improved.any():
            ids, chosen = self.ids[improved], self._index(improved)
            best.hidden[:, ids] = self.weights[0][:, chosen].cpu().numpy()
            best.output[:, ids] = self.weights[1][:, chosen].cpu().numpy()
            best.loss[ids] = loss[improved]
        return self.failures < self.patience

    def keep_only(self, active):
        """Drop the networks that have stopped, and everything that belongs to them."""
        chosen = self._index(active)
        for arrays in (self.weights, self.steps, self.previous, self.gradients):
            arrays[:] = [array[:, chosen].contiguous() for array in arrays]
        self.training, self.validation = self.training[chosen], self.validation[chosen]
        self.ids, self.best_loss, self.failures = self.ids[active], self.best_loss[active], self.failures[active]

    def step(self):
        """One iRPROP- update of all weights."""
        parts = zip(self.weights, self.gradients, self.previous, self.steps, strict=True)
        for weights, gradient, previous, steps in parts:
            agreement = gradient * previous
            factor = self.torch.ones_like(agreement)
            factor.masked_fill_(agreement > 0, STEP_GROWTH).masked_fill_(agreement < 0, STEP_SHRINK)
            steps.mul_(factor).clamp_(STEP_MIN, STEP_MAX)
            gradient.masked_fill_(agreement < 0, 0)
            weights.addcmul_(gradient.sign(), steps, value=-1)
            previous.copy_(gradient)

    def _index(self, mask):
        return self.torch.as_tensor(np.flatnonzero(mask), device=self.weights[0].device)
