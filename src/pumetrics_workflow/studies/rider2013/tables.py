"""The tables of Rider et al. (2013), as queries on records and statistics."""

import numpy as np
import pandas as pd

from pumetrics_workflow.labelings import parameters_of
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.rider2013 import KEYS, LEAST_SETS, METRICS, verdicts

__all__ = ["derived", "reproduced", "tables"]

PRIMARY = "svm_class"  # what WEKA answers by default, and so probably the paper's SVM


def tables(results):
    """Return the tables of the study by name."""
    case, records = _by_part(_with_parameters(results.records))
    case_statistics, statistics = _by_part(_with_parameters(results.statistics))
    areas = _areas(records)
    cells = verdicts.cells(areas)
    published = results.published
    return {
        "table1": _table1(results.cards, statistics),
        "table2a": verdicts.layout(cells, published, "2a", PRIMARY),
        "table2b": verdicts.layout(cells, published, "2b", PRIMARY),
        "sign_of_table2b": verdicts.sign_of_tables(cells, published),
        "svm_readings": verdicts.svm_readings(cells, published),
        "sizes": _sizes(areas),
        "cells": cells,
        "aupr_cells": verdicts.aupr_cells(records),
        "aupr_rank_shifts": verdicts.aupr_rank_shifts(records, PRIMARY),
        "areas": areas,
        "case_study": _case_study(case),
        "case_study_histogram": _histogram(case_statistics),
    }


def derived(tables, published):
    """Return the tables that follow from the cells, the case study and the printed numbers."""
    ours = tables["cells"]
    both = verdicts.compared_cells(ours, published)
    primary = only(both, svm=PRIMARY).drop(columns="svm").reset_index(drop=True)
    own = {}  # not of a run that recorded one definition only
    if "aupr_cells" in tables:
        own = {"aupr_definitions": verdicts.aupr_definitions(tables["aupr_cells"], ours, published)}
    areas = tables["areas"]
    shifts = verdicts.rank_shifts(tables["areas"], PRIMARY)
    both_biases = _bar_and_bnar(primary)
    return {
        **own,
        "rank_shifts": shifts,
        "mechanism_effects": verdicts.mechanism_effects(shifts),
        "mechanism_shares": verdicts.mechanism_shares(areas, PRIMARY),
        "conflicts": verdicts.conflicts(areas, PRIMARY),
        "changes_by_level": verdicts.changes_by_level(areas, PRIMARY),
        "agreement": verdicts.agreement(ours, published),
        "compared_cells": primary,
        "trends": _trends(primary),
        "bar_and_bnar": both_biases,
        "consistent": _consistent(both_biases),
        "gaps": _gaps(tables["case_study"]),
    }


def _trends(cells):
    """Significant cells of each classifier over the levels, by sign, of those with more than one."""
    signs = cells[["table", "mechanism", "classifier"]].assign(
        over=cells["verdict"] > 0, under=cells["verdict"] < 0
    )
    table = signs.groupby(["table", "mechanism", "classifier"]).sum().reset_index()
    return table[table["over"] + table["under"] > 1].reset_index(drop=True)


def _bar_and_bnar(cells):
    """Verdicts under BAR, and of the same cells under BNAR."""
    wide = cells.pivot(
        index=["table", "classifier", "fraction"], columns="mechanism", values="verdict"
    )
    return wide.reindex(columns=["bar", "bnar"]).dropna().rename_axis(columns=None).reset_index()


def _consistent(cells):
    """Cells that are significant under BAR and under BNAR, and those of them with one sign, by table and classifier."""
    signs = cells["bar"] * cells["bnar"]
    table = cells[["table", "classifier"]].assign(both=signs != 0, one_sign=signs > 0)
    return table.groupby(["table", "classifier"]).sum().reset_index()


def _gaps(case):
    """Whether the bias shrinks with every version of the case study, by mechanism and metric."""
    rows = []
    for (dataset, mechanism, metric), part in case.groupby(["dataset", "mechanism", "metric"]):
        bias = (part["bias"] - part["true"]).abs()
        rows.append(
            (
                dataset,
                mechanism,
                metric,
                bias.iloc[0],
                bias.iloc[-1],
                bool((bias.diff().dropna() < 0).all()),
            )
        )
    return pd.DataFrame(
        rows, columns=["dataset", "mechanism", "metric", "first_gap", "last_gap", "shrinks"]
    )


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
    part = only(records, metric=METRICS)
    means = (
        part.groupby([*KEYS, "method"], observed=True)[["estimate", "truth"]].mean().reset_index()
    )
    plain, recovered = (
        only(means, method=name).drop(columns="method") for name in ("uncorrected", "direct")
    )
    both = plain.merge(recovered[[*KEYS, "estimate"]], on=KEYS, suffixes=("", "_recovered"))
    return both.rename(
        columns={"estimate": "bias", "truth": "true", "estimate_recovered": "recovered"}
    )


def _sizes(areas):
    """Bias class and recovered minus true class area: mean over data sets with 95% interval."""
    from scipy.stats import t

    table = areas.assign(
        uncorrected=areas["bias"] - areas["true"], corrected=areas["recovered"] - areas["true"]
    )
    keys = ["metric", "mechanism", "fraction", "model"]
    groups = table.groupby(keys)
    parts = []
    for kind in ("uncorrected", "corrected"):
        means = groups[kind].agg(
            mean="mean", deviation="std", sets="count", absolute=lambda x: x.abs().mean()
        )
        half = (
            t.ppf(0.975, np.maximum(means["sets"] - 1, 1))
            * means["deviation"]
            / np.sqrt(means["sets"])
        )
        parts.append(
            means.assign(
                kind=kind, lower=means["mean"] - half, upper=means["mean"] + half
            ).reset_index()
        )
    level = groups[["true", "bias"]].mean().reset_index()
    columns = ["kind", *keys, "true", "bias", "mean", "lower", "upper", "absolute", "sets"]
    return (
        pd.concat(parts).merge(level, on=keys)[columns].sort_values(columns[:5], ignore_index=True)
    )


def _table1(cards, statistics):
    """Data sets: sizes as printed and as we have them, and the feature that BAR sorts by."""
    tied = only(statistics, statistic="commonest_value").set_index("dataset")
    rows = []
    for name, card in cards.items():
        features_printed, instances_printed = PRINTED_SIZES.get(name, (np.nan, np.nan))
        rows.append(
            {
                "dataset": name,
                "available": card["available"],
                "features": card.get("features"),
                "features_printed": features_printed,
                "type": _type_of(card),
                "instances": card.get("rows"),
                "instances_printed": instances_printed,
                "positives": card.get("positives"),
                "missing": card.get("missing"),
                "sorted_by_feature": tied["at"].get(name, np.nan) + 1,
                "share_with_its_commonest_value": tied["value"].get(name, np.nan),
            }
        )
    return pd.DataFrame(rows)


def _type_of(card):
    """What kind of features a data set has."""
    nominal = len(card.get("nominal_features", []))
    if not nominal:
        return "continuous"
    return "discrete" if nominal == card.get("features") else "mixed"


def _case_study(case):
    part = only(case, metric=METRICS)
    keys = ["dataset", "mechanism", "fraction", "metric"]
    means = part.groupby(keys)[["estimate", "truth"]].agg(["mean", "std"])
    means.columns = ["bias", "bias_deviation", "true", "true_deviation"]
    return means.reset_index().rename(columns={"fraction": "known"})


def _histogram(case):
    part = case[case["statistic"].str.startswith("histogram_")]
    part = part.assign(group=part["statistic"].str.removeprefix("histogram_"))
    part = part.rename(columns={"at": "probability", "value": "count"}).reset_index(drop=True)
    return part[["dataset", "mechanism", "probability", "group", "count"]]


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    values = {}
    for cell in only(tables["cells"], svm=PRIMARY).itertuples():
        note = f"p = {cell.p_over:.3f}, other side {cell.p_under:.3f}; {cell.changed} of {cell.sets} sets change rank"
        if cell.sets < LEAST_SETS:
            note = f"{cell.sets} sets are too few for a verdict"
        values[f"{cell.table}/{cell.mechanism}/{cell.classifier}/{cell.fraction:g}"] = (
            cell.verdict,
            note,
        )
    return values


# Table 1 of the paper: features and instances.
PRINTED_SIZES = {
    "letter": (16, 20000),
    "ism": (6, 11180),
    "pageblock": (10, 5473),
    "estate": (12, 5322),
    "krkp": (36, 3196),
    "hypo": (25, 3163),
    "svmguide1": (4, 3089),
    "segment": (19, 2310),
    "artificial": (8, 2000),
    "splice_1000": (60, 1000),
    "tic_tac_toe": (9, 958),
    "oil": (49, 937),
    "pima": (7, 768),
    "breast_w": (9, 699),
    "credit_a": (15, 690),
    "crx": (15, 690),
    "vote": (16, 435),
    "vote1": (15, 435),
    "horse_colic": (22, 368),
    "ionosphere": (34, 351),
    "bupa": (6, 345),
    "heart_c": (12, 303),
    "threenorm": (19, 300),
    "twonorm": (20, 300),
    "heart_h": (13, 294),
    "breast_y": (9, 286),
    "sonar": (59, 208),
    "heart_v": (13, 200),
}
