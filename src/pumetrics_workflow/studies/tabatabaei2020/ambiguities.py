"""Which rule of turning classifiers round gives Figure 4 and Table 2."""

import numpy as np
import pandas as pd

__all__ = ["turning_rules"]

_RULES = {
    "never": "never",
    "always": "always",
    "by_a_coin": "by a coin",
    "misses_labeled": "misses most labeled points",
    "misses_positives": "misses most positives",
    "below_chance": "labeled points hit less often than all points",
    "errs_on_most": "wrong on most points",
    "predicts_most": "predicts most points positive",
}
_LABELS = {"independent": "each with probability rho", "exact": "exactly rho P"}
_PANELS = {"generated": "figure4a", "iris": "figure4b", "iris_bundled": "figure4b"}
_COLUMNS = [
    "dataset", "turned_round_if", "labels", "draws", "of", "mean_absolute_error", "rmse_estimated_f1",
    "rmse_lee_liu",
]  # fmt: skip


def turning_rules(statistics, published):
    """Return the candidates, each a rule and a way to label, by data set.

    Parameters
    ----------
    statistics : pandas.DataFrame
        Of :func:`pumetrics_workflow.studies.tabatabaei2020.turning.turning_statistics`, with ``rho`` and ``method`` as
        the tables name them.
    published : pandas.DataFrame
        As in ``config/published``.

    Returns
    -------
    pandas.DataFrame
        Mean absolute error of the medians of Figure 4, in percentage points, of how many, and both errors of Table 2.
    """
    part = statistics[statistics["model"].str.contains(":", regex=False)]
    if published is None or part.empty:
        return pd.DataFrame(columns=_COLUMNS)
    printed = published.set_index("id")["published"]
    rows = []
    for dataset, of_dataset in part.groupby("dataset"):
        by_model = dict(iter(of_dataset.groupby("model")))
        candidates = [(rule, labels) for rule in _RULES for labels in _LABELS if f"{rule}:{labels}" in by_model]
        rows += [_candidate(dataset, *pair, by_model[":".join(pair)], printed) for pair in candidates]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _candidate(dataset, rule, labels, part, printed):
    """Row of one rule: its medians and errors next to the printed ones."""
    rates = part[part["statistic"] == "inversions"].groupby(["method", "rho"])["value"].median() * 100
    errors = part[part["statistic"] == "rmse"].groupby("method")["value"].mean()
    medians = {f"{_PANELS.get(dataset)}_{method}_{rho:g}": value for (method, rho), value in rates.items()}
    compared = pd.Series({key: value for key, value in medians.items() if key in printed.index}, dtype=float)
    return {
        "dataset": dataset,
        "turned_round_if": _RULES[rule],
        "labels": _LABELS[labels],
        "draws": part["repeat"].nunique(),
        "of": len(compared),
        "mean_absolute_error": (compared - printed.reindex(compared.index)).abs().mean(),
        "rmse_estimated_f1": errors.get("estimated_f1", np.nan),
        "rmse_lee_liu": errors.get("lee_liu", np.nan),
    }
