"""The decision table: what to use, and what error to expect, computed from the tables of errors and selection.

Of all methods and priors whose error exceeds the smallest by at most one standard error of this difference, paired by
data set, the simplest is recommended: the best of twenty methods on thirty data sets is partly luck.
"""

import pandas as pd

from pumetrics.metrics import METRICS
from pumetrics.priors import available_priors
from pumetrics_workflow.controls import METHODS
from pumetrics_workflow.labelings import situation
from pumetrics_workflow.studies.head_to_head.means import candidates, place_of

__all__ = ["ANY", "decisions", "simplicity"]

ANY = "mean over the {} labelings tried"
KNOWN = {"known": True, "unknown": False}
_WHAT = ["metric", "method", "prior"]
_COLUMNS = [
    "have",
    "labelings",
    "need",
    "priors",
    "use",
    "with",
    "error",
    "bias",
    "error_q90",
    "standard_error",
    "least_error",
    "uncorrected_error",
    "pick_by",
    "pick_with",
    "regret",
    "least_regret",
    "uncorrected_regret",
]
_SET = "set "  # begins the columns of single data sets


def decisions(sets, errors, selection):
    """For every situation, metric and state of knowledge what to estimate with, and what to pick a model by.

    Parameters
    ----------
    sets : pandas.DataFrame
        As :func:`pumetrics_workflow.studies.head_to_head.means.by_set` returns it.
    errors, selection : pandas.DataFrame
        The tables of these names: means over data sets by metric, labeling, method and prior.

    Returns
    -------
    pandas.DataFrame
        Columns ``have`` (a situation), ``labelings`` (its labelings), ``priors`` (known or unknown), ``need`` (a
        metric), ``use`` and ``with`` (the simplest method and prior within one standard error of the best), ``error``
        and ``bias`` (means of the rows of these labelings in `errors`), ``error_q90`` (what nine in ten data sets stay
        below), ``standard_error`` (over data sets, of its difference from the best), ``least_error`` (of the best),
        ``uncorrected_error``,
        ``pick_by`` and ``pick_with`` (the same for picking a model), ``regret`` (mean of the rows in `selection`),
        ``least_regret`` and ``uncorrected_regret``.
    """
    labelings = sorted(errors["labeling"].unique(), key=place_of)
    groups = {}
    for name in labelings:
        groups.setdefault(situation(name), []).append(name)
    rows = []
    for have, names in [*groups.items(), (ANY.format(len(labelings)), labelings)]:
        tables = _of_labelings(sets, errors, selection, names)
        for metric in METRICS:
            for priors, known in KNOWN.items():
                line = _line(*(table[table["metric"] == metric] for table in tables), known)
                fixed = {
                    "have": have,
                    "labelings": " ".join(names),
                    "need": metric,
                    "priors": priors,
                }
                rows += [{**fixed, **line}] if line else []
    return pd.DataFrame(rows, columns=_COLUMNS)


def simplicity(method, prior):
    """Sort key, smaller for simpler: methods in the order of ``METHODS``; no prior, the true one, consensus, others.

    Examples
    --------
    >>> ways = [("indirect", "true"), ("direct", "bbe_clean"), ("direct", "consensus_clean"), ("uncorrected", "none")]
    >>> sorted(ways, key=lambda way: simplicity(*way))[:3]
    [('uncorrected', 'none'), ('direct', 'consensus_clean'), ('direct', 'bbe_clean')]
    """
    first = ("none", "true", "consensus_clean", "consensus")
    return list(METHODS).index(method), first.index(prior) if prior in first else len(first), prior


def _of_labelings(sets, errors, selection, names):
    """Errors and regrets under some labelings, of the methods that have an answer under all of them."""
    part = sets[sets["labeling"].isin(names)]
    means = []
    for table, column in ((errors, "absolute_error"), (selection, "regret")):
        table = _mean(table[table["labeling"].isin(names)], len(names))
        each = part.groupby([*_WHAT, "dataset"])[column].mean()
        table = table.join(each.groupby(_WHAT).quantile(0.9).rename("q90"), on=_WHAT)
        means.append(table.join(each.unstack("dataset").add_prefix(_SET), on=_WHAT))
    return means


def _mean(table, n):
    """Means over labelings of the methods that have an answer under all `n` of them."""
    grouped = table.groupby(_WHAT)
    means = grouped.mean(numeric_only=True)
    return means[grouped.size() == n].reset_index()


def _line(errors, selection, known):
    """What to use and what to pick by; None where nothing is known."""
    errors, selection = (_candidates(table, known) for table in (errors, selection))
    errors = errors.dropna(subset="absolute_error")
    selection = selection.dropna(subset="regret")
    if errors.empty or selection.empty:
        return None
    estimate, best = _simplest(errors, "absolute_error")
    pick, best_pick = _simplest(selection, "regret")
    return {
        "use": estimate["method"],
        "with": estimate["prior"],
        "error": estimate["absolute_error"],
        "error_q90": estimate["q90"],
        "bias": estimate["bias"],
        "standard_error": estimate["standard_error"],
        "least_error": best["absolute_error"],
        "uncorrected_error": _uncorrected(errors, "absolute_error"),
        "pick_by": pick["method"],
        "pick_with": pick["prior"],
        "regret": pick["regret"],
        "least_regret": best_pick["regret"],
        "uncorrected_regret": _uncorrected(selection, "regret"),
    }


def _candidates(table, known):
    """What a user can call: no controls, and the true priors where they are known, else an estimator by its name."""
    estimators = available_priors()
    names = {"true"} if known else {*estimators, *(f"{name}_clean" for name in estimators)}
    table = candidates(table, known=known)
    return table[table["prior"].isin({"none", *names})]


def _simplest(table, column):
    """The simplest row that exceeds the best by at most one standard error of their difference by set, and the best."""
    sets = [name for name in table if name.startswith(_SET)]
    best = table.loc[table[column].idxmin()]
    difference = table[sets].sub(best[sets].astype(float), axis=1)
    table = table.assign(
        standard_error=difference.sem(axis=1).fillna(0)
    )  # unknown with a single data set
    near = table[table[column] <= best[column] + table["standard_error"]]
    order = [simplicity(row.method, row.prior) for row in near.itertuples()]
    return near.iloc[order.index(min(order))], best


def _uncorrected(table, column):
    return float(table.loc[table["method"] == "uncorrected", column].iloc[0])
