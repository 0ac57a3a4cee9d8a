"""Label, train, estimate priors and evaluate one after the other, where scores would fill a disk."""

import pandas as pd

from pumetrics_workflow.stages.estimate_priors import estimate_priors, random_numbers
from pumetrics_workflow.stages.evaluate import evaluate_samples
from pumetrics_workflow.stages.evaluate_folds import evaluate_by_fold
from pumetrics_workflow.stages.evaluate_pool import evaluate_pool
from pumetrics_workflow.stages.label import label
from pumetrics_workflow.stages.train import models_of, scored, table_of

__all__ = ["evaluate_in_memory"]


def evaluate_in_memory(
    data,
    *,
    labeling,
    model,
    options,
    priors,
    metrics,
    evaluation,
    repeats,
):
    """Records of all labelings of a data set; scores are held for one repeat at a time.

    Parameters
    ----------
    data : Data
    labeling : dict
        See :func:`pumetrics_workflow.stages.label.label`.
    model : str
        Name of the model, or of the pool of models.
    options : dict
        As a study file has them; see :func:`pumetrics_workflow.stages.train.models_of`.
    priors : dict
        ``methods``, ``noisy`` and, for a pool, ``clean``, ``own`` and ``reference``
        (:func:`pumetrics_workflow.stages.evaluate_pool.evaluate_pool`).
    metrics : sequence of str
        Entries of ``pumetrics_workflow.stages.evaluate.METRICS``, for samples.
    evaluation : {"samples", "folds", "pool"}
        How scores become records.
    repeats : sequence of int

    Returns
    -------
    pandas.DataFrame
        Records and statistics without study and data set, the same as over files.
    """
    models, design = models_of(model, options)
    rows = []
    for repeat in repeats:
        each = scored(data, label(data, labeling, [repeat]), models, **design)
        if evaluation == "folds":
            rows += evaluate_by_fold(data, each)
        elif evaluation == "pool":
            rows += evaluate_pool(data, each, **priors)
        else:
            rows += _samples(data, list(each), priors, metrics)
    return pd.DataFrame(rows)


def _samples(data, scores, priors, metrics):
    """Records of one repeat, model by model."""
    rows = []
    for model in dict.fromkeys(each.model for each in scores):
        table = table_of(each for each in scores if each.model == model)
        rng_of = random_numbers(data.seeds, model)
        estimates = estimate_priors(table, priors["methods"], rng_of, noisy=priors["noisy"])
        rows += [
            {"model": model, **row}
            for row in evaluate_samples(table, pd.DataFrame(estimates), metrics)
        ]
    return rows
