"""The tables of Rider et al. (2013), as queries on records and statistics."""

import numpy as np
import pandas as pd

from pumetrics.labeling import parameters_of
from pumetrics_workflow.studies.rider2013 import LEAST_SETS, METRICS
from pumetrics_workflow.studies.rider2013.ambiguities import svm_readings
from pumetrics_workflow.studies.rider2013.aupr import aupr_cells, aupr_definitions, only_here
from pumetrics_workflow.studies.rider2013.verdicts import (
    agreement,
    cells,
    compared_cells,
    layout,
    sign_of_tables,
    significant,
)

__all__ = ["derived", "reproduced", "tables"]

PRIMARY = "svm_class"  # what WEKA answers by default, and so probably the paper's SVM
_KEYS = ["metric", "mechanism", "fraction", "dataset", "model"]


def tables(results):
    """Return the tables of the study by name."""
    case, records = _by_part(_with_parameters(results.records))
    case_statistics, statistics = _by_part(_with_parameters(results.statistics))
    areas = _areas(records)
    verdicts = cells(areas)
    return {
        "table1": _table1(results.cards, statistics),
        "table2a": layout(verdicts, results.published, "2a", PRIMARY),
        "table2b": layout(verdicts, results.published, "2b", PRIMARY),
        "sign_of_table2b": sign_of_tables(verdicts, results.published),
        "svm_readings": svm_readings(verdicts, results.published),
        "sizes": _sizes(areas),
        "undefined": _undefined(statistics, max(records["repeat"].nunique(), 1)),
        "cells": verdicts,
        "aupr_cells": aupr_cells(records),
        "areas": areas,
        "case_study": _case_study(case),
        "case_study_histogram": _histogram(case_statistics),
    }


def derived(tables, published):
    """Return the tables that follow from the cells, the case study and the printed numbers."""
    ours = tables["cells"]
    both = compared_cells(ours, published)
    primary = both[both["svm"] == PRIMARY].drop(columns="svm").reset_index(drop=True)
    own = {}  # not of a run that recorded one definition only
    if "aupr_cells" in tables:
        own = {"aupr_definitions": aupr_definitions(tables["aupr_cells"], ours, published)}
    return {
        **own,
        "agreement": agreement(ours, published),
        "compared_cells": primary,
        "significant": significant(primary),
        "trends": _trends(primary),
        "bar_and_bnar": _bar_and_bnar(primary),
        "only_here": only_here(primary),
        "gaps": _gaps(tables["case_study"]),
    }


def _trends(cells):
    """Significant cells of each classifier over the levels, by sign, of those with more than one."""
    groups = cells.groupby(["table", "mechanism", "classifier"])["verdict"]
    table = groups.agg(
        over=lambda verdict: (verdict > 0).sum(), under=lambda verdict: (verdict < 0).sum()
    ).reset_index()
    return table[table["over"] + table["under"] > 1].reset_index(drop=True)


def _bar_and_bnar(cells):
    """Verdicts under BAR, and of the same cells under BNAR."""
    wide = cells.pivot(index=["table", "classifier", "fraction"], columns="mechanism", values="verdict")
    return wide.reindex(columns=["bar", "bnar"]).dropna().rename_axis(columns=None).reset_index()


def _gaps(case):
    """Whether the bias shrinks with every version of the case study, by mechanism and metric."""
    rows = []
    for (dataset, mechanism, metric), part in case.groupby(["dataset", "mechanism", "metric"]):
        bias = (part["bias"] - part["true"]).abs()
        rows.append((dataset, mechanism, metric, bias.iloc[0], bias.iloc[-1], bool((bias.diff().dropna() < 0).all())))
    return pd.DataFrame(rows, columns=["dataset", "mechanism", "metric", "first_gap", "last_gap", "shrinks"])


def _by_part(table):
    """Rows of the case study, and the others."""
    in_case_study = table["labeling"].str.startswith("known_")
    return table[in_case_study], table[~in_case_study]


def _with_parameters(records):
    pairs = [next(iter(parameters_of(name).items())) for name in records["labeling"]]
    mechanisms = [pair[0].removeprefix("known_") for pair in pairs]
    return records.assign(mechanism=mechanisms, fraction=[pair[1] for pair in pairs])


def _areas(records):
    """Means over permutations: bias class, true class and recovered area."""
    part = records[records["metric"].isin(METRICS)]
    means = part.groupby([*_KEYS, "method"], observed=True)[["estimate", "truth"]].mean().reset_index()
    plain, recovered = (means[means["method"] == name].drop(columns="method") for name in ("uncorrected", "direct"))
    both = plain.merge(recovered[[*_KEYS, "estimate"]], on=_KEYS, suffixes=("", "_recovered"))
    return both.rename(columns={"estimate": "bias", "truth": "true", "estimate_recovered": "recovered"})


def _sizes(areas):
    """Bias class and recovered minus true class area: mean over data sets with 95% interval."""
    from scipy.stats import t

    table = areas.assign(uncorrected=areas["bias"] - areas["true"], corrected=areas["recovered"] - areas["true"])
    keys = ["metric", "mechanism", "fraction", "model"]
    groups = table.groupby(keys)
    parts = []
    for kind in ("uncorrected", "corrected"):
        means = groups[kind].agg(mean="mean", deviation="std", sets="count", absolute=lambda x: x.abs().mean())
        half = t.ppf(0.975, np.maximum(means["sets"] - 1, 1)) * means["deviation"] / np.sqrt(means["sets"])
        parts.append(means.assign(kind=kind, lower=means["mean"] - half, upper=means["mean"] + half).reset_index())
    level = groups[["true", "bias"]].mean().reset_index()
    columns = ["kind", *keys, "true", "bias", "mean", "lower", "upper", "absolute", "sets"]
    return pd.concat(parts).merge(level, on=keys)[columns].sort_values(columns[:5], ignore_index=True)


def _undefined(statistics, repeats):
    part = statistics[statistics["statistic"] == "undefined_folds"]
    counts = part.groupby(["dataset", "mechanism", "fraction"])["value"].sum() / repeats
    return counts.rename("folds").reset_index()


def _table1(cards, statistics):
    tied = statistics[statistics["statistic"] == "commonest_value"].set_index("dataset")
    rows = []
    for name, card in cards.items():
        nominal, features = len(card.get("nominal_features", [])), card.get("features")
        rows.append(
            {
                "dataset": name,
                "available": card["available"],
                "features": features,
                "features_printed": PRINTED_SIZES.get(name, (np.nan, np.nan))[0],
                "type": "continuous" if not nominal else "discrete" if nominal == features else "mixed",
                "instances": card.get("rows"),
                "instances_printed": PRINTED_SIZES.get(name, (np.nan, np.nan))[1],
                "positives": card.get("positives"),
                "missing": card.get("missing"),
                "sorted_by_feature": tied["at"].get(name, np.nan) + 1,
                "share_with_its_commonest_value": tied["value"].get(name, np.nan),
            }
        )
    return pd.DataFrame(rows)


def _case_study(case):
    part = case[case["metric"].isin(METRICS)]
    keys = ["dataset", "mechanism", "fraction", "metric"]
    means = part.groupby(keys)[["estimate", "truth"]].agg(["mean", "std"])
    means.columns = ["bias", "bias_deviation", "true", "true_deviation"]
    return means.reset_index().rename(columns={"fraction": "known"})


def _histogram(case):
    part = case[case["statistic"].str.startswith("histogram_")]
    part = part.assign(group=part["statistic"].str.removeprefix("histogram_"))
    names = {"dataset": "dataset", "mechanism": "mechanism", "at": "probability", "group": "group", "value": "count"}
    return part[list(names)].rename(columns=names).reset_index(drop=True)


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    verdicts = tables["cells"]
    verdicts = verdicts[(verdicts["svm"] == PRIMARY)]
    values = {}
    for cell in verdicts.itertuples():
        note = f"p = {cell.p_over:.3f}, other side {cell.p_under:.3f}; {cell.changed} of {cell.sets} sets change rank"
        if cell.sets < LEAST_SETS:
            note = f"{cell.sets} sets are too few for a verdict"
        values[f"{cell.table}/{cell.mechanism}/{cell.classifier}/{cell.fraction:g}"] = cell.verdict, note
    return values


# Table 1 of the paper: features and instances.
PRINTED_SIZES = {
    "letter": (16, 20000), "ism": (6, 11180), "pageblock": (10, 5473), "estate": (12, 5322), "krkp": (36, 3196),
    "hypo": (25, 3163), "svmguide1": (4, 3089), "segment": (19, 2310), "artificial": (8, 2000),
    "splice_1000": (60, 1000), "tic_tac_toe": (9, 958), "oil": (49, 937), "pima": (7, 768), "breast_w": (9, 699),
    "credit_a": (15, 690), "crx": (15, 690), "vote": (16, 435), "vote1": (15, 435), "horse_colic": (22, 368),
    "ionosphere": (34, 351), "bupa": (6, 345), "heart_c": (12, 303), "threenorm": (19, 300), "twonorm": (20, 300),
    "heart_h": (13, 294), "breast_y": (9, 286), "sonar": (59, 208), "heart_v": (13, 200),
}  # fmt: skip
