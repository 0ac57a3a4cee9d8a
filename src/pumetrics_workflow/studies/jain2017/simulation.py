"""Figure 1 of Jain, White & Radivojac (2017), eight scored examples, exact; and errors on all registered data sets."""

import pandas as pd

from pumetrics.curves import threshold_rates
from pumetrics_workflow.studies.all_sets import errors_on_sets
from pumetrics_workflow.studies.jain2017 import METRICS, PAIRS
from pumetrics_workflow.studies.queries import only

__all__ = ["SCORES", "simulate"]

# The printed table: score, observed label, true class.
SCORES = pd.DataFrame(
    {
        "score": [0.986, 0.943, 0.863, 0.789, 0.699, 0.473, 0.211, 0.009],
        "s": [1, 0, 1, 0, 1, 0, 0, 0],
        "y": [1, 1, 1, 0, 1, 0, 0, 0],
    }
)


# Without priors, direct and indirect recovery by the envelope with the real ones and with estimates.
_METHODS = {("none", "uncorrected"): "PU"}
for _prior, (_direct, _indirect) in {**PAIRS, "consensus": ("DC", "IC")}.items():
    _METHODS[_prior, "direct"] = _direct
    _METHODS[_prior, "indirect:envelope"] = _indirect


def simulate(part, *, repeats, seed, data, **options):
    """Run one part of the study.

    Parameters
    ----------
    part : {"figure1", "all_sets"}
    repeats : sequence of int
    seed : int
    data : dict of str to pandas.DataFrame
        The part's data sets, prepared; none for Figure 1.
    **options
        Of the second part: ``labeling``, ``model`` and ``priors``.

    Returns
    -------
    pandas.DataFrame
        Statistics. Of Figure 1 true positive rates at false positive rates, ``roc_curve`` by the observed labels and
        ``true_roc_curve`` by the true classes; of all sets those of
        :func:`pumetrics_workflow.studies.all_sets.errors_on_sets`.
    """
    if part == "all_sets":
        given = {
            "repeats": repeats,
            "seed": seed,
            "data": data,
            "metrics": list(METRICS),
            **options,
        }
        return errors_on_sets("jain2017", _errors, **given)
    return _figure1()


def _errors(records):
    """Clipped as in the paper, against the supervised ensemble."""
    part = only(records, truth_kind="supervised", metric=METRICS)
    part = part.assign(
        method=[_METHODS.get(pair) for pair in zip(part["prior"], part["method"], strict=True)]
    )
    return part.assign(error=part["estimate"].clip(0, 1) - part["truth"]).dropna(subset="method")


def _figure1():
    rows = []
    for statistic, labels in (("roc_curve", "s"), ("true_roc_curve", "y")):
        tpr, fpr, _ = threshold_rates(SCORES[labels], SCORES["score"])
        rows.append(pd.DataFrame({"statistic": statistic, "at": fpr, "value": tpr}))
    fixed = {
        "dataset": "eight_examples",
        "model": "printed",
        "labeling": "alpha=0.2,beta=1",
        "repeat": 0,
    }
    return pd.concat(rows).assign(**fixed)
