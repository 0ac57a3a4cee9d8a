"""Theorem 2.1 on random classifiers, labels and shares: a table that needs no run."""

import numpy as np
import pandas as pd

from pumetrics_workflow.seeding import rng_for

__all__ = ["theorem_cases"]

CASES = 100_000
_FLOAT = 1e-9


def theorem_cases(n=CASES):
    """Return how many of `n` random cases violate each part of Theorem 2.1, and the largest difference or excess.

    Measures by true and by observed labels come from the joint shares of label and prediction, not from the theorem.
    Cases with alpha within 0.01 of beta are left out: the equations divide by beta - alpha.
    """
    rng = rng_for(0, "ramola2019", "theorem", "cases")
    alpha, beta = np.sort(rng.random((2, n)), axis=0)
    c, tpr, fpr = rng.uniform(0.001, 0.999, (3, n))
    kept = beta - alpha > 0.01
    alpha, beta, c, tpr, fpr = (values[kept] for values in (alpha, beta, c, tpr, fpr))
    pi = c * beta + (1 - c) * alpha
    labeled, unlabeled = (share * tpr + (1 - share) * fpr for share in (beta, alpha))
    true, observed = _measures(pi, tpr, fpr), _measures(c, labeled, unlabeled)
    ratio = np.sqrt(pi * (1 - pi) / (c * (1 - c))) / (beta - alpha)
    better = observed["balanced_accuracy"] >= 0.5
    equations = {
        "balanced_accuracy": (2 * observed["balanced_accuracy"] - 1) / (2 * (beta - alpha)) + 0.5,
        "mcc": ratio * observed["mcc"],
    }
    excess = {
        "balanced_accuracy": (observed["balanced_accuracy"] - true["balanced_accuracy"])[better],
        "mcc": np.sign(true["mcc"]) * (observed["mcc"] - true["mcc"]),
    }
    rows = []
    for measure in equations:
        rows.append((measure, "equals its recovery", np.abs(equations[measure] - true[measure])))
        rows.append((measure, "is underestimated by observed labels", excess[measure]))
    columns = ["measure", "part", "cases", "violations", "largest"]
    table = [(*names, len(off), int((off > _FLOAT).sum()), round(float(off.max()), 9)) for *names, off in rows]
    return pd.DataFrame(table, columns=columns)


def _measures(share, tpr, fpr):
    """Balanced accuracy and MCC of a prediction, by the share of positives and both rates."""
    tp, fp = share * tpr, (1 - share) * fpr
    fn, tn = share - tp, 1 - share - fp
    mcc = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {"balanced_accuracy": (tpr + 1 - fpr) / 2, "mcc": mcc}
