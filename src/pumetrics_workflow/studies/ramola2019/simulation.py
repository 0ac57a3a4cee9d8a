"""Figure 1 of Ramola, Jain & Radivojac (2019) in closed form, classes exchanged, and all registered data sets."""

import numpy as np
import pandas as pd

from pumetrics.recovery import recover_measures
from pumetrics_workflow.stages.in_memory import evaluate_in_memory
from pumetrics_workflow.stages.label import Data, Seeds
from pumetrics_workflow.studies.all_sets import alpha_of, errors_on_sets
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.ramola2019 import CLIPS, MEASURES, METHODS

__all__ = ["simulate"]


def simulate(part, *, repeats, seed, data, **options):
    """Run one part of the study.

    Parameters
    ----------
    part : {"figure1", "exchanged", "all_sets"}
    repeats : sequence of int
    seed : int
    data : dict of str to pandas.DataFrame
        The part's data sets, prepared; none for Figure 1.
    **options
        Of the second part: how its samples are drawn, and its model; of the third: its labeling, model and priors.

    Returns
    -------
    pandas.DataFrame
        Records of Figure 1: `estimate` is the measure against observed labels, `truth` against the true class, at
        thresholds from -5 to 5 in steps of a thousandth. Statistics of exchanged classes: the error of the maximum of
        uncorrected accuracy, at the share of positives among the unlabeled. Statistics of all sets are those of
        :func:`pumetrics_workflow.studies.all_sets.errors_on_sets`.
    """
    if part == "all_sets":
        given = {
            "repeats": repeats,
            "seed": seed,
            "data": data,
            "metrics": list(MEASURES),
            **options,
        }
        return errors_on_sets("ramola2019", _errors, **given)
    return _figure1() if part == "figure1" else _exchanged(repeats, seed, data, **options)


def _errors(records):
    """Errors of maxima, clipped as in the paper."""
    part = records[records["metric"].str.startswith("max_")]
    methods = {**METHODS, "consensus": "CC"}
    part = part.assign(
        metric=part["metric"].str.removeprefix("max_"), method=part["prior"].map(methods)
    )
    low, high = (
        part["metric"].map({name: clip[end] for name, clip in CLIPS.items()}).astype(float)
        for end in (0, 1)
    )
    return part.assign(error=part["estimate"].clip(low, high) - part["truth"])


def _figure1():
    """Every measure of a threshold on two Gaussians, exact."""
    from scipy.special import ndtr

    alpha = 0.25
    beta = 0.75
    c = 0.1
    tau = np.linspace(-5, 5, 10_001)
    tpr = ndtr(1 - tau)
    fpr = ndtr(-1 - tau)
    tpr_pu = beta * tpr + (1 - beta) * fpr
    fpr_pu = alpha * tpr + (1 - alpha) * fpr
    observed = recover_measures(tpr_pu, fpr_pu, alpha=0, beta=1, c=c)
    true = recover_measures(tpr_pu, fpr_pu, alpha=alpha, beta=beta, c=c)
    names = {
        "dataset": "two_gaussians",
        "model": "threshold",
        "labeling": f"alpha={alpha},beta={beta},c={c}",
    }
    kinds = {
        "repeat": 0,
        "method": "uncorrected",
        "prior": "none",
        "truth_kind": "exact",
    }
    return pd.concat(
        pd.DataFrame(
            {
                "metric": name,
                "threshold": tau,
                "estimate": observed[name],
                "truth": true[name],
            }
        )
        for name in MEASURES
    ).assign(**names, **kinds)


def _exchanged(repeats, seed, data, *, sample, model):
    """Error of uncorrected accuracy where the other class is the positive one, without label noise."""
    labeling = {"names": ["beta=1"], "sample": sample}
    rows = []
    for dataset, frame in data.items():
        exchanged = frame.assign(y=(1 - frame["y"]).astype(frame["y"].dtype))
        drawn = Data(exchanged, Seeds(seed, "ramola2019", f"exchanged {dataset}"))
        what = {
            "priors": {"methods": [], "noisy": False},
            "metrics": ["accuracy"],
            "evaluation": "samples",
        }
        how = {
            "labeling": labeling,
            "model": "bagged_mlp",
            "options": model,
            "repeats": repeats,
        }
        part = only(evaluate_in_memory(drawn, **how, **what), metric="max_accuracy", prior="none")
        names = part[["model", "labeling", "repeat", "metric", "method"]]
        values = {
            "statistic": "error_exchanged",
            "at": alpha_of(exchanged["y"], "beta=1", labeling),
        }
        rows.append(names.assign(dataset=dataset, **values, value=part["estimate"] - part["truth"]))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
