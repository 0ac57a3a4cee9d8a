"""Measures of a threshold: their maximum, and their value where as many are predicted positive as there are."""

import numpy as np

from pumetrics_workflow.stages.evaluate.sample import usable

__all__ = ["threshold_measure"]


def threshold_measure(measure):
    """Metric function of accuracy, balanced accuracy, F1 or Matthews correlation.

    As in Ramola et al. (2019), the threshold is the one that maximises the estimate, before any clipping, and the truth
    is taken at that threshold. The record ``max_<measure>`` holds it; ``<measure>`` holds the fixed threshold, which is
    free of a maximum's optimism.
    """

    def evaluate(sample, priors):
        truth, thresholds = sample.true_measures[measure], sample.true_measures["threshold"]
        for prior, (alpha, beta) in priors.items():
            row = {
                "method": "uncorrected" if prior == "none" else "direct",
                "prior": prior,
                "truth_kind": "same_scores",
            }
            if usable(alpha, beta):
                estimate = sample.measures(alpha, beta)[measure]
                best = int(np.argmax(estimate))
            else:
                estimate, best = np.full(len(truth), np.nan), sample.fixed
            for name, at in ((f"max_{measure}", best), (measure, sample.fixed)):
                place = {"estimate": estimate[at], "truth": truth[at], "threshold": thresholds[at]}
                yield {**row, **place, "metric": name}

    return evaluate
