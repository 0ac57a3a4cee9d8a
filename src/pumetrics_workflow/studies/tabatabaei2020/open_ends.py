"""Which rule of turning classifiers round gives Figure 4 and Table 2."""

import numpy as np
import pandas as pd

from pumetrics_workflow.studies.candidates import with_verdicts

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
    "dataset", "turned_round_if", "labels", "draws", "holds", "of", "mean_absolute_error", "rmse_estimated_f1",
    "rmse_lee_liu", "verdict",
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
        The medians of Figure 4 and, of generated data, the two errors of Table 2 that hold within the tolerance stated
        there; the mean absolute error is that of the medians, in percentage points.
    """
    part = statistics[statistics["model"].str.contains(":", regex=False)]
    if published is None or part.empty:
        return pd.DataFrame(columns=_COLUMNS)
    printed = published.set_index("id")[["published", "tolerance"]]
    judged = []
    for dataset, of_dataset in part.groupby("dataset"):
        by_model = dict(iter(of_dataset.groupby("model")))
        candidates = [(rule, labels) for rule in _RULES for labels in _LABELS if f"{rule}:{labels}" in by_model]
        rows = [_candidate(dataset, *pair, by_model[":".join(pair)], printed) for pair in candidates]
        judged.append(with_verdicts(pd.DataFrame(rows)))
    return pd.concat(judged, ignore_index=True)[_COLUMNS]


def _candidate(dataset, rule, labels, part, printed):
    """Row of one rule: its medians and errors beside the printed ones."""
    rates = part[part["statistic"] == "inversions"].groupby(["method", "rho"])["value"].median() * 100
    errors = part[part["statistic"] == "rmse"].groupby("method")["value"].mean()
    medians = {f"{_PANELS.get(dataset)}_{method}_{rho:g}": value for (method, rho), value in rates.items()}
    others = {f"table2_{dataset}_{method}": value for method, value in errors.items()}
    compared = pd.Series({**medians, **(others if dataset == "generated" else {})}, dtype=float)
    compared = compared[compared.index.isin(printed.index)]
    difference = (compared - printed["published"].reindex(compared.index)).abs()
    return {
        "dataset": dataset,
        "turned_round_if": _RULES[rule],
        "labels": _LABELS[labels],
        "draws": part["repeat"].nunique(),
        "holds": int((difference <= printed["tolerance"].reindex(compared.index)).sum()),
        "of": len(compared),
        "mean_absolute_error": difference[difference.index.isin(list(medians))].mean(),
        "rmse_estimated_f1": errors.get("estimated_f1", np.nan),
        "rmse_lee_liu": errors.get("lee_liu", np.nan),
    }
