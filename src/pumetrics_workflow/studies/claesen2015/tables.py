"""The tables of Claesen, Davis, De Smet & De Moor (2015), as queries on records and statistics."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from pumetrics_workflow.intervals import median_over_sets
from pumetrics_workflow.studies.claesen2015 import MEASURES
from pumetrics_workflow.studies.claesen2015.claims import derived
from pumetrics_workflow.studies.queries import means, only, with_parameters

__all__ = ["derived", "reproduced", "tables"]

AREAS = ["roc_auc", "average_precision"]
# Ends of ranges of the share of ranks that is clipped, of the model of a pair with more of it.
_CLIPPED = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
_ROUNDING = 1e-9  # of areas of one ranking at several alphas


def tables(results):
    """Return the tables of the study by name."""
    records = results.records
    statistics = results.statistics
    records, statistics = (
        table.assign(band=table["method"].map(_band)) for table in (records, statistics)
    )
    normals, counted = (only(table, dataset="two_normals") for table in (records, statistics))
    numbered = normals["labeling"].str.startswith("n_labeled=")
    with_alpha = normals["labeling"].str.contains("alpha=")
    judged = [
        only(table, model=["bagging SVM", "published scores"]) for table in (records, statistics)
    ]
    flipped = only(statistics, dataset="figure4", statistic="roc_curve")[
        ["model", "labeling", "at", "value"]
    ]
    return {
        "figure1": _steps(only(statistics, dataset="figure1")),
        "lemmas": _steps(only(statistics, dataset=["lemma1", "lemma2", "lemma4"])),
        "figure2_bounds": _convergence(normals[numbered & ~with_alpha]),
        "figure3_curves": _curves(only(statistics, dataset="figure3")),
        "figure3_areas": _areas(only(records, dataset="figure3")),
        "figure4_areas": _flips(
            *(only(table, dataset="figure4") for table in (records, statistics))
        ),
        "figure4_curves": flipped.rename(columns={"at": "threshold", "value": "estimate"}),
        "figure5_curves": _curves(judged[1]),
        "figure5_areas": _judged(*judged),
        "figure5_close": _close(judged[0]),
        "figure5_band": _band_inside(judged[1]),
        "figure5_excursions": _excursions(judged[1]),
        "known_bounds": _known(normals[normals["labeling"].str.startswith("positives=")], counted),
        "real_orders": _changed_orders(statistics),
        "coverage_cells": _coverage(
            normals[with_alpha], counted[counted["labeling"].str.contains("alpha=")]
        ),
    }


def _band(method):
    """Name of a band in tables, by the method of its bounds."""
    return method.removeprefix("bounds_").replace(":", "_")


def _steps(statistics):
    """Exact values by set and rank."""
    names = {"labeling": "set", "statistic": "metric", "at": "rank"}
    keys = ["dataset", *names.values()]
    table = statistics.drop(columns="metric").rename(columns=names)
    return table[[*keys, "value"]].sort_values(keys, ignore_index=True)


def _covers(table):
    return (table["lower"] <= table["truth"]) & (table["truth"] <= table["upper"])


def _convergence(records):
    """Bounds on the AUC by known positives and band: means, spread over repeats, coverage."""
    direct = only(records, method="direct")[["labeling", "repeat", "estimate"]]
    table = (
        records[records["method"] != "direct"]
        .drop(columns="estimate")
        .merge(direct, on=["labeling", "repeat"])
    )
    table = with_parameters(table, "n_labeled").assign(
        covered=_covers(table), width=table["upper"] - table["lower"]
    )
    spread = {
        f"{side}_q{share:03}": (side, lambda values, share=share: values.quantile(share / 1000))
        for side in ("lower", "upper")
        for share in (25, 975)
    }
    columns = {
        "repeats": ("truth", "size"),
        **means("truth", "estimate", "lower", "upper"),
        **spread,
    }
    return (
        table.groupby(["n_labeled", "band"])
        .agg(**columns, **means("width", "covered"))
        .reset_index()
    )


def _curves(statistics):
    """Curves of the first repeat on their grid: bounds and true curve, and the rank CDF of the labeled positives."""
    first = statistics[statistics["repeat"] == 0]
    named = first["statistic"].str.extract(
        r"^(?P<curve>rank_cdf|roc_curve|pr_curve)(?:_(?P<side>lower|upper|true))?$"
    )
    table = (
        first.drop(columns=["metric", "method"])
        .join(named.fillna({"side": "estimate"}))
        .dropna(subset="curve")
    )
    names = {"curve": "metric", "band": "method", "at": "threshold"}
    keys = ["dataset", "metric", "method", "prior", "labeling", "threshold"]
    wide = table.rename(columns=names).pivot(index=keys, columns="side", values="value")
    wide = wide.reindex(columns=["lower", "upper", "true", "estimate"]).rename(
        columns={"true": "truth"}
    )
    return wide.rename_axis(columns=None).reset_index()


def _areas(records):
    table = with_parameters(
        records.drop(columns="method").rename(columns={"band": "method"}), "alpha_hat"
    )
    keys = ["metric", "method", "alpha_hat"]
    return table[[*keys, "truth", "lower", "upper"]].sort_values(keys, ignore_index=True)


def _flips(records, statistics):
    """Figure 4 in percent, a row for each model and estimated alpha."""
    middles = only(statistics, statistic="middle_of_bounds").replace(
        {"metric": {"max_f1": "best_f1"}}
    )
    clipped = only(statistics, statistic="clipped_share").assign(metric="clipped_share")
    direct = records.assign(metric="roc_auc_unclipped", value=records["estimate"])
    columns = ["model", "labeling", "metric", "value"]
    table = with_parameters(
        pd.concat([part[columns] for part in (middles, clipped, direct)]), "alpha_hat"
    )
    table = table.pivot_table(index=["model", "alpha_hat"], columns="metric", values="value") * 100
    columns = ["roc_auc", "roc_auc_unclipped", "average_precision", "best_f1", "clipped_share"]
    return table.reindex(columns=columns).rename_axis(columns=None).reset_index()


def _judged(records, statistics):
    """Figure 5: mean bounds over draws of the labels, and how often areas and rank CDF lie inside."""
    areas = (
        records.drop(columns="method")
        .rename(columns={"band": "method"})
        .assign(covered=_covers(records))
    )
    grouped = areas.groupby(["dataset", "model", "metric", "method", "prior"])
    table = grouped.agg(
        draws=("repeat", "nunique"), **means("truth", "lower", "upper", "covered")
    ).reset_index()
    shares = ["rank_cdf_inside", "rank_cdf_everywhere"]
    inside = only(statistics, statistic=shares)
    inside = inside.pivot_table(index=["dataset", "band"], columns="statistic", values="value")
    inside = inside.reindex(columns=shares).rename_axis(index={"band": "method"})
    return table.merge(inside.reset_index(), how="left", on=["dataset", "method"])


def _close(records):
    """Error of the worse bound over that of the area at alpha 0: median over draws, each of which is one picture."""
    keys = ["dataset", "model", "metric", "band", "repeat"]
    zero = only(records, prior="none").set_index(keys)["lower"].rename("zero")
    part = only(records, prior="true").merge(zero.reset_index(), on=keys)
    errors = part[["lower", "upper"]].sub(part["truth"], axis=0).abs()
    part = part.assign(ratio=errors.max(axis=1) / (part["zero"] - part["truth"]).abs())
    rows = []
    for key, ratios in part.groupby(keys[:4])["ratio"]:
        found = median_over_sets(ratios)
        rows.append((*key, len(ratios), found.value, found.low, found.high))
    names = {"band": "method"}
    columns = [*keys[:4], "draws", "ratio", "low", "high"]
    return pd.DataFrame(rows, columns=columns).rename(columns=names)


def _band_inside(statistics):
    """How much of the rank CDF lies inside the band of Figure 5a: means over draws, by what is counted."""
    named = {
        "rank_cdf_inside": "all cuts",
        "rank_cdf_inside_by_rank": "all ranks",
        "rank_cdf_inside_by_rank_exact": "all ranks, exact",
        "rank_cdf_inside_up_to": "cuts by F",
        "rank_cdf_cuts_up_to": "share",
    }
    part = only(statistics, statistic=named)
    part = part.assign(counted=part["statistic"].map(named))
    keys = ["dataset", "band", "counted", "at"]
    table = part.groupby(keys, dropna=False)["value"].agg(inside="mean", draws="size").reset_index()
    share = (
        only(table, counted="share")
        .set_index(["dataset", "band", "at"])["inside"]
        .rename("share_of_cuts")
    )
    table = table[table["counted"] != "share"].join(share, on=["dataset", "band", "at"])
    table.loc[table["counted"] != "cuts by F", "share_of_cuts"] = np.nan
    names = {"band": "method", "at": "f_up_to"}
    columns = ["dataset", "method", "counted", "f_up_to", "draws", "share_of_cuts", "inside"]
    return table.rename(columns=names)[columns].reset_index(drop=True)


def _excursions(statistics):
    """How far the rank CDF of the hidden positives leaves the band of Figure 5a at most, in each draw of the labels."""
    part = only(statistics, statistic="rank_cdf_farthest")
    names = {
        "band": "method",
        "repeat": "draw",
        "value": "farthest",
        "at": "step",
    }
    keys = ["dataset", "method", "draw"]
    table = part.drop(columns="method").rename(columns=names)[[*keys, "farthest", "step"]]
    return table.sort_values(keys, ignore_index=True)


def _changed_orders(statistics):
    """Shares of pairs of real models whose order changes with alpha, by measure and by how much is clipped."""
    found = only(statistics, statistic=["estimate", "truth", "clipped_share"])
    pairs = [_pairs(part) for _, part in found.groupby(["dataset", "repeat"])]
    names = ["changed", "halved", "doubled", "wrong_at_zero", "wrong_at_alpha"]
    columns = ["measure", "clipped", "pairs", "datasets", *names, "changed_by_auroc"]
    if not pairs:
        return pd.DataFrame(columns=columns)
    table = pd.concat(pairs)
    place = np.searchsorted(_CLIPPED, table["clipped"])
    ends = [f"{low:g} to {high:g}" for low, high in pairwise(_CLIPPED)]
    table = pd.concat(
        [table.assign(clipped=[["0", *ends][i] for i in place]), table.assign(clipped="all")]
    )
    grouped = table.groupby(["measure", "clipped"])
    counts = {"pairs": ("changed", "size"), "datasets": ("dataset", "nunique")}
    made = grouped.agg(**counts, **means(*names)).reset_index()
    auroc = only(made, measure="AUC").set_index("clipped")["changed"]
    return made.assign(changed_by_auroc=made["clipped"].map(auroc))[columns]


def _pairs(part):
    """Orders of all pairs of models of one data set and repeat."""
    clipped = only(part, statistic="clipped_share").set_index("model")["value"]
    rows = []
    for metric in MEASURES:
        of_metric = only(part, metric=metric)
        estimates = only(of_metric, statistic="estimate").pivot(
            index="model", columns="at", values="value"
        )
        truth = only(of_metric, statistic="truth").set_index("model")["value"]
        for first, second in combinations(estimates.index, 2):
            sign = (estimates.loc[first] - estimates.loc[second]).map(_sign)
            twice = sign.get(2.0, np.nan)  # none where twice alpha would leave no negative
            true = _sign(truth[first] - truth[second])
            rows.append(
                {
                    "dataset": part["dataset"].iloc[0],
                    "measure": MEASURES[metric],
                    "clipped": max(clipped[first], clipped[second]),
                    "changed": sign[0.0] * sign[1.0] < 0,
                    "halved": sign[0.5] * sign[1.0] < 0,
                    "doubled": np.nan if np.isnan(twice) else float(twice * sign[1.0] < 0),
                    "wrong_at_zero": sign[0.0] * true < 0,
                    "wrong_at_alpha": sign[1.0] * true < 0,
                }
            )
    return pd.DataFrame(rows)


def _sign(difference):
    return 0 if abs(difference) < _ROUNDING else int(np.sign(difference))


def _known(records, statistics):
    """Tables 1 and 2: mean bounds by shares of known examples, estimate, band, and whose ranks are used."""
    alphas = only(statistics, statistic="alpha")[["labeling", "repeat", "value"]]
    alphas = alphas.assign(alpha_hat=[float(f"{alpha:.4f}") for alpha in alphas.pop("value")])
    table = with_parameters(
        records.merge(alphas, on=["labeling", "repeat"]), "positives", "negatives", "factor"
    )
    table[["band", "known"]] = [
        name.removeprefix("bounds_").split(":") for name in table["method"]
    ] or np.empty((0, 2))
    grouped = table.assign(covered=_covers(table)).groupby(
        ["positives", "negatives", "factor", "band", "known"]
    )
    values = means("alpha_hat", "truth", "lower", "upper", "covered")
    return grouped.agg(repeats=("repeat", "nunique"), **values).reset_index()


def _coverage(records, statistics):
    """Coverage by cell and band: exact from the law of random labeling, and as simulated."""
    keys = ["n_labeled", "alpha", "band"]
    areas = with_parameters(records, *keys[:2])
    areas = areas.assign(
        covered=_covers(areas).astype(float), width=areas["upper"] - areas["lower"]
    )
    shares = with_parameters(statistics, *keys[:2]).pivot_table(
        index=keys, columns="statistic", values="value"
    )
    columns = {
        "rank_cdf_everywhere_exact": "everywhere_exact",
        "rank_cdf_inside_exact": "rank_mean_exact",
        "rank_cdf_least_exact": "rank_worst_exact",
        "rank_cdf_everywhere": "everywhere",
        "rank_cdf_inside": "rank_mean",
    }
    shares = shares.reindex(columns=list(columns)).rename(columns=columns)
    covered = areas.pivot_table(index=keys, columns="metric", values="covered").reindex(
        columns=AREAS
    )
    width = (
        only(areas, metric="roc_auc")
        .groupby(keys)["width"]
        .agg(roc_auc_width="mean", repeats="size")
    )
    return shares.join(covered).join(width).rename_axis(columns=None).reset_index()


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    published = only(tables["figure5_areas"], dataset="claesen_covertype_scores", metric="roc_auc")[
        "truth"
    ]
    values = {"figure5_auroc": published.iloc[0]} if len(published) else {}
    return values | _reproduced_exact(tables) | _reproduced_areas(tables["figure4_edges"])


def _reproduced_exact(tables):
    steps = tables["figure1"]
    values = {}
    for name, ranks in (("P1", (1, 3, 6, 8)), ("P2", (2, 4, 7))):
        heights = only(steps, set=name).set_index("rank")["value"]
        jumps = heights[heights.diff().fillna(heights.iloc[0]) > 0].index if len(heights) else []
        values[f"figure1_{name}"] = (
            float(list(jumps) == list(ranks)),
            f"steps at ranks {', '.join(map(str, ranks))}",
        )
    return values


def _reproduced_areas(edges):
    """The areas of the pair and the edge that the printed ones agree with best."""
    best = edges.loc[edges["as_printed"].idxmax()]
    note = f"by the {best['edge']} edge of the bounds"
    values = {f"figure4_{name}": (best[name], note) for name in edges if name.startswith("model")}
    change = [best[f"model1_{alpha}"] - best[f"model2_{alpha}"] for alpha in ("0", "0.1")]
    return {**values, "figure4_flip_roc_auc": float(change[0] * change[1] < 0)}
