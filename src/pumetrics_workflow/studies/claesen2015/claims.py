"""Tables that rules of claims are about, from the other tables."""

import numpy as np
import pandas as pd

from pumetrics_workflow.studies.claesen2015.cases import figure4_edges, lemma_cases

__all__ = ["derived"]

_FLOAT = 12  # digits of an order in floating point
_RANGES = (0, 0.1, 0.25, 0.5, 0.75, 1)  # of recall in precision-recall space, of FPR in ROC space
_NEGATIVES = 5  # for each positive: Tables 1 and 2 have 2,000 positives and 10,000 negatives


def derived(tables, published):
    """Return the tables that follow from others: what the lemmas order, and widths and areas side by side."""
    known = _known_sides(tables["known_bounds"])
    return {
        "lemma_orders": _lemma_orders(tables["lemmas"]),
        "figure2_steps": _steps(tables["figure2_bounds"]),
        "figure4_orders": _orders(tables["figure4_areas"]),
        "lemma_cases": lemma_cases(),
        "figure4_edges": figure4_edges(),
        "curve_widths": _curve_widths(tables["figure5_curves"]),
        "figure5_against_zero": _against_zero(tables["figure5_areas"]),
        "known_sides": known,
        "known_shifts": _shifts(tables["known_bounds"]),
    }


def _lemma_orders(lemmas):
    """What must be less or equal by Lemma 1, where the true positive rates differ, and by Lemma 2, at each rank."""
    wide = lemmas.pivot_table(index=["dataset", "rank"], columns=["metric", "set"], values="value").round(_FLOAT)
    rows = []
    if "lemma1" in wide.index.get_level_values(0):
        first = wide.loc["lemma1"]
        part = first[first["tpr", "P1"] > first["tpr", "P2"]]
        rows += [("lemma1", rank, row["fpr", "P1"], row["fpr", "P2"]) for rank, row in part.iterrows()]
        for rank, row in wide.loc["lemma2", "tpr"].iterrows():
            both = row["P1 and P2"]
            rows += [("lemma2", rank, row[["P1", "P2"]].min(), both), ("lemma2", rank, both, row[["P1", "P2"]].max())]
    return pd.DataFrame(rows, columns=["lemma", "rank", "less", "more"])


def _steps(bounds):
    """Change of the mean width from one number of known positives to the next."""
    table = bounds.sort_values(["band", "n_labeled"])
    table = table.assign(step=table.groupby("band")["width"].diff())[["band", "n_labeled", "width", "step"]]
    return table.dropna().reset_index(drop=True)


def _orders(areas):
    """Difference of two models (%) at the least and the greatest alpha: of both areas, and of the best F1."""
    columns = ["models", "metric", "at_least_alpha", "at_greatest_alpha"]
    rows = []
    for first, second in (("model 1", "model 2"), ("model 3", "model 4")):
        part = areas[areas["model"].isin([first, second])] if len(areas) else areas
        for metric in ("roc_auc", "roc_auc_unclipped", "average_precision", "best_f1") if len(part) else ():
            wide = part.pivot(index="alpha_hat", columns="model", values=metric)
            difference = (wide[first] - wide[second]).to_numpy()
            rows.append((f"{first}, {second}", metric, difference[0], difference[-1]))
    return pd.DataFrame(rows, columns=columns)


def _curve_widths(curves):
    """Mean width of the bounds of Figure 5 by recall in precision-recall space, and by FPR in ROC space."""
    part = curves[curves["metric"].isin(["pr_curve", "roc_curve"])]
    place = np.searchsorted(_RANGES[1:-1], part["threshold"])
    part = part.assign(place=place, width=part["upper"] - part["lower"])
    keys = ["dataset", "method", "prior", "place"]
    wide = part.pivot_table(index=keys, columns="metric", values="width")
    wide = wide.reindex(columns=["pr_curve", "roc_curve"]).rename_axis(columns=None).reset_index()
    lowest = wide[wide["place"] == 0].set_index(keys[:3])["pr_curve"].rename("pr_curve_at_lowest_recall")
    wide = wide.merge(lowest.reset_index(), how="left", on=keys[:3])
    ends = {name: [_RANGES[place + i] for place in wide["place"]] for i, name in enumerate(("from", "to"))}
    return wide.assign(**ends)[[*keys[:3], *ends, "pr_curve", "roc_curve", "pr_curve_at_lowest_recall"]]


def _against_zero(areas):
    """Mean bounds at the true alpha, the area at alpha 0, and the truth."""
    keys = ["dataset", "metric", "method"]
    zero = areas[areas["prior"] == "none"].set_index(keys)["lower"].rename("zero")
    table = areas[areas["prior"] == "true"].merge(zero.reset_index(), on=keys)
    return table[[*keys, "truth", "lower", "upper", "zero"]]


def _known_sides(known):
    """Widths of bounds from known positives and from known negatives, and over those with the fewest positives."""
    part = known[known["factor"] == 1].assign(width=known["upper"] - known["lower"])
    wide = part.pivot(index=["band", "positives", "negatives"], columns="known", values="width")
    wide = wide.reindex(columns=["positives", "negatives"]).add_prefix("width_").rename_axis(columns=None).reset_index()
    fewest = wide[(wide["positives"] == wide["positives"].min()) & (wide["negatives"] == 0)]
    base = wide["band"].map(fewest.set_index("band")["width_positives"])
    more = _NEGATIVES * wide["negatives"] > wide["positives"]
    return wide.assign(ratio=wide["width_positives"] / base, more_negatives=more)


def _shifts(known):
    """How far the middle of the bounds moves if the assumed alpha is 20% too small, or as much too large."""
    part = known[known["negatives"] > 0].assign(middle=(known["lower"] + known["upper"]) / 2)
    means = part.groupby(["band", "known", "factor"])["middle"].mean().unstack()
    rows = [
        (band, factor, *(means.loc[(band, side), factor] - means.loc[(band, side), 1.0] for side in _SIDES))
        for band in part["band"].unique()
        for factor in means.columns
        if factor != 1
    ]
    return pd.DataFrame(rows, columns=["band", "factor", *_SIDES]).astype(dict.fromkeys(_SIDES, np.float64))


_SIDES = ["positives", "negatives"]
