"""The stage that turns scores and priors into records and statistics: of samples, by fold, or for a pool of models."""

from pumetrics_workflow.stages.evaluate.samples import METRICS, evaluate_sample, evaluate_samples

__all__ = ["METRICS", "evaluate_sample", "evaluate_samples"]
