"""Figure 1 of Ramola, Jain & Radivojac (2019) in closed form."""

import numpy as np
import pandas as pd

from pumetrics.recovery import recover_measures
from pumetrics_workflow.studies.ramola2019 import MEASURES

__all__ = ["simulate"]


def simulate(part, *, repeats, seed, data):
    """Figure 1 in closed form: every measure at thresholds from -5 to 5, in steps of a thousandth.

    Parameters
    ----------
    part : {"figure1"}
    repeats : sequence of int
        One repeat; nothing is random.
    seed, data
        Not used.

    Returns
    -------
    pandas.DataFrame
        Records: `estimate` is the measure against observed labels, `truth` against the true class.
    """
    from scipy.special import ndtr

    alpha, beta, c = 0.25, 0.75, 0.1
    tau = np.linspace(-5, 5, 10_001)
    tpr, fpr = ndtr(1 - tau), ndtr(-1 - tau)
    tpr_pu, fpr_pu = beta * tpr + (1 - beta) * fpr, alpha * tpr + (1 - alpha) * fpr
    observed = recover_measures(tpr_pu, fpr_pu, alpha=0, beta=1, c=c)
    true = recover_measures(tpr_pu, fpr_pu, alpha=alpha, beta=beta, c=c)
    fixed = {
        "dataset": "two_gaussians",
        "model": "threshold",
        "labeling": f"alpha={alpha},beta={beta},c={c}",
        "repeat": 0,
    }
    kinds = {"method": "uncorrected", "prior": "none", "truth_kind": "exact"}
    return pd.concat(
        pd.DataFrame(
            {**fixed, **kinds, "metric": name, "threshold": tau, "estimate": observed[name], "truth": true[name]}
        )
        for name in MEASURES
    )
