"""The peer: each network a torch module, trained by torch.optim.Rprop and autograd, one after the other."""

import numpy as np

from pumetrics_workflow.models.rprop import Trained, out_of_bag_scores

__all__ = ["train_and_score"]


def train_and_score(problem, settings):
    """Train on the ensemble's own draws, on copies of each bag's distinct rows; mean losses and out-of-bag scores."""
    import torch

    torch.set_num_threads(1)
    trained = Trained.start(problem.draws)
    for network in range(len(trained.loss)):
        _train_one(torch, problem, settings, network, trained)
    return trained, out_of_bag_scores(problem, trained)


def _train_one(torch, problem, settings, network, trained):
    draws = problem.draws
    parts = []
    for chosen in (~draws.held_out[network], draws.held_out[network]):
        rows = np.flatnonzero((draws.counts[network] > 0) & chosen)
        weights = torch.tensor(draws.counts[network][rows].astype(np.float32))
        parts.append(
            (
                torch.tensor(problem.X[rows, :-1]),
                torch.tensor(problem.target[rows]),
                weights / weights.sum(),
            )
        )
    model = _module(torch, draws.hidden[:, network], draws.output[:, network])
    optimizer = torch.optim.Rprop(
        [
            {"params": model[0].parameters(), "lr": settings.hidden_step},
            {"params": model[2].parameters(), "lr": settings.output_step},
        ],
        step_sizes=(1e-6, 50),
    )
    best_loss, best, failures, epoch = np.inf, None, 0, 0
    while True:
        with torch.no_grad():
            loss = _loss(torch, model, *parts[1]).item()
        failures += 1
        if loss < best_loss:
            best_loss, failures = loss, 0
            best = [parameter.detach().clone() for parameter in model.parameters()]
        if failures == settings.patience or epoch == settings.max_epochs:
            break
        optimizer.zero_grad()
        _loss(torch, model, *parts[0]).backward()
        optimizer.step()
        epoch += 1
    trained.hidden[:, network, :-1], trained.hidden[:, network, -1] = (
        best[0].numpy(),
        best[1].numpy(),
    )
    trained.output[:-1, network], trained.output[-1, network] = best[2].numpy()[0], best[3].item()
    trained.loss[network], trained.epochs[network] = best_loss, epoch


def _module(torch, hidden, output):
    model = torch.nn.Sequential(
        torch.nn.Linear(hidden.shape[1] - 1, len(hidden)),
        torch.nn.Tanh(),
        torch.nn.Linear(len(hidden), 1),
    )
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor(hidden[:, :-1]))
        model[0].bias.copy_(torch.tensor(hidden[:, -1]))
        model[2].weight.copy_(torch.tensor(output[:-1][np.newaxis]))
        model[2].bias.copy_(torch.tensor(output[-1:]))
    return model


def _loss(torch, model, X, target, weights):
    """Weighted log-loss; the output is half the log-odds, as in the ensemble."""
    return (weights * torch.nn.functional.softplus(-2 * target * model(X)[:, 0])).sum()
