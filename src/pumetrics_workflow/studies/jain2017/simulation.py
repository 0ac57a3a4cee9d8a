"""Figure 1 of Jain, White & Radivojac (2017): eight scored examples, exact."""

import pandas as pd

from pumetrics.curves import threshold_rates

__all__ = ["SCORES", "simulate"]

# The printed table: score, observed label, true class.
SCORES = pd.DataFrame(
    {
        "score": [0.986, 0.943, 0.863, 0.789, 0.699, 0.473, 0.211, 0.009],
        "s": [1, 0, 1, 0, 1, 0, 0, 0],
        "y": [1, 1, 1, 0, 1, 0, 0, 0],
    }
)


def simulate(part, *, repeats, seed, data):
    """Points of both ROC curves of Figure 1.

    Parameters
    ----------
    part : {"figure1"}
    repeats, seed, data
        One repeat; nothing is random.

    Returns
    -------
    pandas.DataFrame
        Statistics: true positive rates at false positive rates, ``roc_curve`` by the observed labels and
        ``true_roc_curve`` by the true classes.
    """
    rows = []
    for statistic, labels in (("roc_curve", "s"), ("true_roc_curve", "y")):
        tpr, fpr, _ = threshold_rates(SCORES[labels], SCORES["score"])
        rows.append(pd.DataFrame({"statistic": statistic, "at": fpr, "value": tpr}))
    fixed = {"dataset": "eight_examples", "model": "printed", "labeling": "alpha=0.2,beta=1", "repeat": 0}
    return pd.concat(rows).assign(**fixed)
