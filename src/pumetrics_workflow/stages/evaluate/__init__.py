"""The stage that turns scores and priors into records: sample by sample, by fold, or for a pool of models."""

from pumetrics_workflow.stages.evaluate.folds import evaluate_by_fold
from pumetrics_workflow.stages.evaluate.pool import evaluate_pool
from pumetrics_workflow.stages.evaluate.samples import METRICS, evaluate_sample, evaluate_samples

__all__ = ["METRICS", "evaluate_by_fold", "evaluate_pool", "evaluate_sample", "evaluate_samples"]
