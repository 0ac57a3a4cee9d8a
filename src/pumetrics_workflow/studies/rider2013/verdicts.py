"""Tables 2a and 2b: does a classifier's rank by bias class area differ from its rank by true class area?

Every cell is tested as the paper did, compared with the printed one, and read in each way that the text leaves open: by
the score of the SVM, the signs of Table 2b, and the definition of AUC-PR.
"""

import numpy as np
import pandas as pd

from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.stages.evaluate_folds import DEFINITIONS
from pumetrics_workflow.studies.queries import holm, only, signed_rank_p_value, with_verdicts
from pumetrics_workflow.studies.rider2013 import (
    CLASSIFIERS,
    KEYS,
    LEAST_SETS,
    MECHANISMS,
    SVM_READINGS,
)

__all__ = [
    "agreement",
    "aupr_cells",
    "aupr_definitions",
    "aupr_rank_shifts",
    "cells",
    "changes_by_level",
    "compared_cells",
    "conflicts",
    "layout",
    "mechanism_effects",
    "mechanism_shares",
    "printed_cells",
    "rank_shifts",
    "sign_of_tables",
    "svm_readings",
]

_LEVEL = 0.01
_TABLES = {"roc_auc": "2a", "average_precision": "2b"}
_CELL = ["table", "mechanism", "classifier", "fraction"]
# Columns are named, lest a run of few data sets leave a table without any.
_CELLS = [
    "table",
    "svm",
    "mechanism",
    "classifier",
    "fraction",
    "p_over",
    "p_under",
    "verdict",
    "sets",
    "changed",
]
_NO_READING = "none: one side for all cells"


def cells(areas):
    """Signed-rank tests for every cell of both tables and every reading of the SVM.

    Parameters
    ----------
    areas : pandas.DataFrame
        Mean areas: metric, mechanism, fraction, dataset, model, bias, true.

    Returns
    -------
    pandas.DataFrame
        ``p_over``: one-sided, rank by true class above (worse than) rank by bias class, "the bias class area
        overestimates"; ``p_under``: the opposite; ``verdict`` 1, -1 or 0; how many sets there were and how many of
        them changed rank. Too few sets for any verdict: NaN.

    Notes
    -----
    Classifiers are ranked within each data set, 1 is best, ties share their mean rank. Tests are the paper's own, R's
    normal approximation, to the digit: one changed set is printed as 0.977. The exact test has another verdict in one
    of the 300 cells (AUC-PR of C4.5, 70% hidden at random).
    """
    rows = []
    for (metric, mechanism, fraction), part in areas.groupby(["metric", "mechanism", "fraction"]):
        for reading in SVM_READINGS:
            models = [reading if name == "svm" else name for name in CLASSIFIERS]
            if not set(models) <= set(part["model"]):
                continue
            true, bias = (_ranks(part, kind, models) for kind in ("true", "bias"))
            for model, classifier in zip(models, CLASSIFIERS, strict=True):
                pair = true[model].to_numpy(), bias[model].to_numpy()
                over, under = (
                    signed_rank_p_value(*pair, side, exact=False) for side in ("greater", "less")
                )
                verdict = float((over < _LEVEL) - (under < _LEVEL))
                cell = _TABLES[metric], reading, mechanism, classifier, fraction, over, under
                changed = np.count_nonzero(pair[0] != pair[1])
                rows.append(
                    (*cell, verdict if len(true) >= LEAST_SETS else np.nan, len(true), changed)
                )
    return pd.DataFrame(rows, columns=_CELLS)


def rank_shifts(areas, svm):
    """By how many ranks bias class areas make a classifier look too good, on each set: mean over levels above 0%.

    Levels of a set are not independent, so what is said of classifiers and mechanisms rests on these rows.

    Parameters
    ----------
    areas : pandas.DataFrame
        As for :func:`cells`.
    svm : str
        The reading of the SVM.

    Returns
    -------
    pandas.DataFrame
        ``shift``: rank by true class area minus rank by bias class area, where 1 is best.
    """
    ranks = _all_ranks(only(areas, metric=_TABLES), svm)
    ranks = ranks[ranks["fraction"] > 0].assign(table=lambda rows: rows["metric"].map(_TABLES))
    means = ranks.assign(shift=ranks["true"] - ranks["bias"]).groupby(
        ["table", "mechanism", "classifier", "dataset"]
    )
    return means["shift"].mean().reset_index()


def _all_ranks(areas, svm):
    """Ranks by both areas of every set, mechanism and level, in a row for each classifier."""
    models = [svm if name == "svm" else name for name in CLASSIFIERS]
    index = ["metric", "mechanism", "fraction", "dataset"]
    both = [_ranks(areas, kind, models, index).stack().rename(kind) for kind in ("true", "bias")]
    ranks = pd.concat(both, axis=1).reset_index()
    return ranks.assign(classifier=ranks["model"].map(dict(zip(models, CLASSIFIERS, strict=True))))


def mechanism_shares(areas, svm, draws=1000):
    """Return which share of the significant cells from 10% on is under each mechanism, with its 95% interval.

    Data sets are resampled, since the cells of all mechanisms, classifiers and levels rest on the same ones.
    """
    ranks = _all_ranks(only(areas, metric=_TABLES), svm)
    ranks = ranks[ranks["fraction"] > 0].assign(change=lambda rows: rows["true"] - rows["bias"])
    changes = ranks.pivot(
        index=["metric", "mechanism", "fraction", "classifier"], columns="dataset", values="change"
    ).dropna(axis=1)
    columns = ["mechanism", "sets", "cells", "share", "low", "high"]
    if changes.shape[1] < LEAST_SETS:
        return pd.DataFrame(columns=columns)
    sets = changes.shape[1]
    rng = rng_for(0, "rider2013", "resampled", "sets")
    weights = np.vstack(
        [np.ones((1, sets)), rng.multinomial(sets, np.full(sets, 1 / sets), size=draws)]
    )
    significant = pd.DataFrame(_significant(changes.to_numpy(), weights.T), index=changes.index)
    counts = significant.groupby("mechanism").sum()
    shares = counts / counts.sum()
    low, high = np.nanquantile(shares.iloc[:, 1:], [0.025, 0.975], axis=1, method="weibull")
    rows = {"sets": sets, "cells": counts[0], "share": shares[0], "low": low, "high": high}
    return shares[[0]].assign(**rows).reset_index()[columns]


def _significant(changes, weights):
    """Whether either one-sided signed-rank test of each row is significant, for weights of its columns, a column each.

    As :func:`pumetrics_workflow.studies.queries.signed_rank_p_value`: zeros dropped, midranks, normal approximation
    with correction for continuity and for ties.
    """
    from scipy.special import ndtr

    sizes = np.unique(np.abs(changes[changes != 0]))
    up, down = (
        np.stack([(side * changes == size) @ weights for size in sizes]) for side in (1, -1)
    )
    tied = up + down
    n = tied.sum(axis=0)
    ranks = np.cumsum(tied, axis=0) - tied + (tied + 1) / 2
    variance = n * (n + 1) * (2 * n + 1) / 24 - (tied**3 - tied).sum(axis=0) / 48
    excess = (up * ranks).sum(axis=0) - n * (n + 1) / 4
    with np.errstate(divide="ignore", invalid="ignore"):
        return ndtr(-(np.abs(excess) - 0.5) / np.sqrt(variance)) < _LEVEL


def mechanism_effects(shifts):
    """Return whether the mechanism changes the shift of C4.5 and naive Bayes: Friedman's test over sets.

    ``p_holm`` is adjusted for the number of tests (Holm 1979).
    """
    from scipy.stats import friedmanchisquare

    rows = []
    for key, part in only(shifts, classifier=["c45", "naive_bayes"]).groupby(
        ["table", "classifier"]
    ):
        wide = (
            part.pivot(index="dataset", columns="mechanism", values="shift")
            .reindex(columns=list(MECHANISMS))
            .dropna()
        )
        if len(wide) >= LEAST_SETS:
            rows.append(
                (*key, len(wide), *wide.mean(), friedmanchisquare(*wide.to_numpy().T).pvalue)
            )
    table = pd.DataFrame(rows, columns=["table", "classifier", "sets", *MECHANISMS, "p_value"])
    return table.assign(p_holm=holm(table["p_value"].to_numpy(dtype=float)))


def conflicts(areas, svm):
    """Return in how many rankings of a set (mechanisms by levels) AUC and AUC-PR rank the classifiers differently."""
    keys = ["dataset", "mechanism", "fraction", "classifier"]
    ranks = _all_ranks(areas, svm).set_index(keys)[["metric", "true", "bias"]]
    first, second = (only(ranks, metric=metric).drop(columns="metric") for metric in _TABLES)
    shared = first.index.intersection(second.index)
    each = (first.loc[shared] != second.loc[shared]).groupby(keys[:3]).any().groupby("dataset")
    return each.agg(
        rankings=("true", "size"), true=("true", "sum"), bias=("bias", "sum")
    ).reset_index()


def changes_by_level(areas, svm):
    """Return at each level on how many sets some classifier changes its rank under some mechanism, by table."""
    ranks = _all_ranks(only(areas, metric=_TABLES), svm)
    ranks = ranks.assign(table=ranks["metric"].map(_TABLES), changed=ranks["true"] != ranks["bias"])
    each = ranks[ranks["fraction"] > 0].groupby(["table", "fraction", "dataset"])["changed"].any()
    return each.groupby(["table", "fraction"]).agg(sets="size", changed="sum").reset_index()


def _ranks(areas, kind, models, index="dataset"):
    """Ranks of the classifiers in each row of the index that has all of them, 1 for the largest area."""
    wide = areas.pivot(index=index, columns="model", values=kind).reindex(columns=models)
    # Rounded, lest the order of a sum decides between equals.
    return wide.dropna().round(10).rank(axis=1, ascending=False)


def printed_cells(published):
    """The printed cells: p-value and verdict by table, mechanism, classifier and share of flipped positives."""
    part = published[published["p_value"].notna()].reset_index(drop=True)
    keys = (
        part["id"].str.split("/", expand=True).set_axis(_CELL, axis=1).astype({"fraction": float})
    )
    return keys.assign(p_printed=part["p_value"], printed=part["published"])


def compared_cells(ours, published):
    """Reproduced cells from 10% on that have a verdict, next to the printed ones."""
    both = ours.merge(printed_cells(published), on=_CELL)
    return both[(both["fraction"] > 0) & both["verdict"].notna()]


def _z_correlation(cells):
    return _z(cells["p_over"]).corr(_z(cells["p_printed"]), method="spearman")


def _z(p_over):
    """Normal quantile of a one-sided p-value as printed, to three digits; 0 where p is 1.000: no set changed rank."""
    from scipy.stats import norm

    z = norm.isf(p_over.round(3).clip(0.0005, 0.9995))
    return pd.Series(np.where(p_over.round(3) == 1, 0, z), index=p_over.index)


def _kappa(first, second):
    """Cohen's kappa: agreement beyond what the shares of both answers give by chance; NaN of one answer only."""
    chance = sum((first == answer).mean() * (second == answer).mean() for answer in (-1, 0, 1))
    return ((first == second).mean() - chance) / (1 - chance) if chance < 1 else np.nan


def _lean(p_value, verdict):
    """Return 1 and -1 for the side that a cell leans to; 0 for p = 1 on both sides, where no rank changes.

    With R's continuity correction a single changed set gives 0.500 on the side it leans to and 0.977 on the other.
    """
    unchanged = (p_value > 0.9995) & (verdict == 0)
    return pd.Series(np.where(p_value <= 0.5, 1.0, -1.0), index=p_value.index).where(
        ~unchanged, 0.0
    )


def _leaning(cells, sign):
    """Cells printed as significant that lean to this side of the printed one here, significant or not."""
    return int(
        (np.sign(0.5 - cells["p_over"]) == sign * cells["printed"])[cells["printed"] != 0].sum()
    )


# What is said of some cells, reproduced and printed.
_SAID = {
    "cells": len,
    "agree": lambda cells: (cells["verdict"] == cells["printed"]).sum(),
    "agree_turned": lambda cells: (cells["verdict"] == -cells["printed"]).sum(),
    "significant_printed": lambda cells: (cells["printed"] != 0).sum(),
    "significant_reproduced": lambda cells: (cells["verdict"] != 0).sum(),
    "same_sign": lambda cells: (cells["verdict"] * cells["printed"] > 0).sum(),
    "opposite_sign": lambda cells: (cells["verdict"] * cells["printed"] < 0).sum(),
    "trivial": lambda cells: (cells["printed"] == 0).sum(),
    "leaning_the_same_way": lambda cells: _leaning(cells, 1),
    "leaning_the_other_way": lambda cells: _leaning(cells, -1),
    "leaning_alike": lambda cells: (
        _lean(cells["p_over"], cells["verdict"]) == _lean(cells["p_printed"], cells["printed"])
    ).sum(),
    "mean_absolute_error": lambda cells: (cells["p_over"] - cells["p_printed"]).abs().mean(),
    "rank_correlation": lambda cells: cells["p_over"].corr(cells["p_printed"], method="spearman"),
    "kappa": lambda cells: _kappa(cells["verdict"], cells["printed"]),
    "kappa_turned": lambda cells: _kappa(cells["verdict"], -cells["printed"]),
    "z_correlation": _z_correlation,
}
_SIGNS = {
    "rank_correlation": "rank_correlation",
    "significant_printed": "significant_printed",
    "leaning_the_same_way": "leaning_the_same_way",
    "leaning_the_other_way": "leaning_the_other_way",
    "both_significant_same_sign": "same_sign",
    "both_significant_opposite_sign": "opposite_sign",
}


def _said(both, by, columns):
    """Table of what is said of groups of cells: entries of `_SAID` by the names of their columns."""
    rows = [
        (*key, *(_SAID[name](part) for name in columns.values())) for key, part in both.groupby(by)
    ]
    table = pd.DataFrame(rows, columns=[*by, *columns])
    names = {"svm": SVM_READINGS, "classifier": CLASSIFIERS}
    return table.replace({column: labels for column, labels in names.items() if column in by})


def agreement(ours, published):
    """Cells whose verdicts agree, by table, reading of the SVM and classifier, printed signs as they are and turned."""
    both = compared_cells(ours, published)
    names = [
        "cells",
        "agree",
        "agree_turned",
        "significant_printed",
        "significant_reproduced",
        "same_sign",
        "opposite_sign",
        "rank_correlation",
        "trivial",
        "kappa",
        "kappa_turned",
        "z_correlation",
    ]
    everyone = pd.concat([both.assign(classifier="all"), both])
    return _said(everyone, ["table", "svm", "classifier"], dict(zip(names, names, strict=True)))


def sign_of_tables(ours, published):
    """What speaks for and against a table being printed with reversed signs, by reading of the SVM."""
    both = compared_cells(ours, published)
    return _said(
        pd.concat([both.assign(mechanism="all"), both]), ["table", "svm", "mechanism"], _SIGNS
    )


def layout(ours, published, table, svm):
    """A table in the paper's layout, each cell ``p [printed p]`` with a star where one side is significant."""
    part = only(ours.merge(printed_cells(published), on=_CELL), table=table, svm=svm)
    rows = []
    for mechanism in [name for name in MECHANISMS if name in set(part["mechanism"])]:
        for classifier, label in CLASSIFIERS.items():
            row = only(part, mechanism=mechanism, classifier=classifier)
            row = row.sort_values("fraction", kind="stable")
            texts = {f"{100 * cell.fraction:.0f}%": _pair(cell) for cell in row.itertuples()}
            rows.append({"bias": MECHANISMS[mechanism], "classifier": label, **texts})
    return pd.DataFrame(rows, columns=None if rows else ["bias", "classifier"])


def _pair(cell):
    pairs = ((cell.p_over, cell.verdict), (cell.p_printed, cell.printed))
    ours, printed = (
        f"{p_value:.3f}{'*' if verdict in (1, -1) else ''}" for p_value, verdict in pairs
    )
    return f"{ours} [{printed}]"


def svm_readings(ours, published):
    """Return which score of the SVM, left open by the paper, gives its rows of Tables 2a and 2b, by the signs of 2b.

    Parameters
    ----------
    ours : pandas.DataFrame
        As made by :func:`cells`.
    published : pandas.DataFrame
        As in ``config/published``.

    Returns
    -------
    pandas.DataFrame
        Cells of the SVM from 10% on that lean to the printed side (p at most or above 0.5, or no changed rank), those
        whose verdict (1, -1, 0) is the printed one, and the mean absolute difference of the p-values; then the same
        counts for all five classifiers, whose ranks the reading changes too. The last row is a baseline: all cells lean
        to the side that most printed ones lean to, none is significant, p = 0.5.
    """
    both = compared_cells(ours, published)
    first = both["table"] == "2a"
    sides = {"verdict": -both["verdict"], "p_over": both["p_under"]}
    turned = both.assign(**{name: both[name].where(first, other) for name, other in sides.items()})
    rows = [
        {"reading": label, "signs_of_table2b": signs, **_of_svm(only(table, svm=reading))}
        for signs, table in (("as printed", both), ("reversed", turned))
        for reading, label in SVM_READINGS.items()
    ]
    some = only(both, svm=next(iter(SVM_READINGS)))
    nothing = _of_svm(some.assign(verdict=0.0, p_over=0.5))
    for name, part in (("holds", only(some, classifier="svm")), ("holds_all_five", some)):
        nothing[name] = (
            int(_lean(part["p_printed"], part["printed"]).value_counts().max()) if len(part) else 0
        )
    table = pd.DataFrame([*rows, {"reading": _NO_READING, "signs_of_table2b": "", **nothing}])
    return with_verdicts(table, baseline=table["reading"] == _NO_READING)


def _of_svm(cells):
    columns = {
        "holds": "leaning_alike",
        "of": "cells",
        "mean_absolute_error": "mean_absolute_error",
    }
    columns |= {"same_verdict": "agree", "significant_printed": "significant_printed"}
    five = {"holds": "leaning_alike", "of": "cells", "same_verdict": "agree"}
    svm = only(cells, classifier="svm")
    return {
        **{name: _SAID[said](svm) for name, said in columns.items()},
        **{f"{name}_all_five": _SAID[said](cells) for name, said in five.items()},
    }


def aupr_rank_shifts(records, svm):
    """Return the shifts of ranks, as :func:`rank_shifts` does, by each definition of AUC-PR that was recorded."""
    parts = [
        rank_shifts(means, svm).assign(definition=name) for name, means in _definitions(records)
    ]
    columns = ["definition", "mechanism", "classifier", "dataset", "shift"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _definitions(records):
    """Mean areas by each definition of AUC-PR, as pairs with its name."""
    names = {f"average_precision:{name}": name for name in DEFINITIONS if name != "step"}
    names = {"average_precision": "step", **names}
    part = only(records, metric=names, method="uncorrected")
    means = part.groupby(KEYS, observed=True)[["estimate", "truth"]].mean().reset_index()
    means = means.rename(columns={"estimate": "bias", "truth": "true"})
    for metric, name in names.items():
        yield name, only(means, metric=metric).assign(metric="average_precision")


def aupr_cells(records):
    """Return the tests of Table 2b for each definition of AUC-PR, which the paper does not state.

    Parameters
    ----------
    records : pandas.DataFrame
        With mechanism and fraction, of all permutations. Definitions that the run did not record are left out.
    """
    parts = [cells(means).assign(definition=name) for name, means in _definitions(records)]
    return pd.concat(parts, ignore_index=True)[["definition", *_CELLS[1:]]]


def aupr_definitions(by_definition, ours, published):
    """Compare each definition of AUC-PR, and the AUC, with both printed tables.

    Parameters
    ----------
    by_definition : pandas.DataFrame
        As :func:`aupr_cells` returns it.
    ours : pandas.DataFrame
        As :func:`cells` returns it.
    published : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        As :func:`sign_of_tables`, over all mechanisms, for each definition and printed table.
    """
    labeled = {"AUC": only(ours, table="2a")}
    labeled |= {
        f"AUC-PR, {label}": only(by_definition, definition=name)
        for name, label in DEFINITIONS.items()
    }
    whole = pd.concat(
        compared_cells(part.assign(table=table), published).assign(definition=definition)
        for definition, part in labeled.items()
        for table in ("2a", "2b")
    )
    signs = dict(_SIGNS)
    columns = {"cells": "cells", "rank_correlation": signs.pop("rank_correlation")}
    columns |= {
        "mean_absolute_error": "mean_absolute_error",
        "significant_printed": signs.pop("significant_printed"),
    }
    columns |= {"significant_reproduced": "significant_reproduced", **signs}
    found = _said(whole, ["definition", "table", "svm"], columns).rename(
        columns={"table": "printed_table"}
    )
    found = found.sort_values(
        "definition", key=lambda names: names.map(list(labeled).index), kind="stable"
    )
    return found[["definition", "svm", "printed_table", *columns]]
