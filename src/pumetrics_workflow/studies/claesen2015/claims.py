"""Tables that rules of claims are about: from the other tables, and of random cases, which need no run."""

import numpy as np
import pandas as pd

from pumetrics.bounds import Band, roc_bounds
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015.rankings import FLIPS, laid_out
from pumetrics_workflow.studies.queries import only

__all__ = ["derived", "figure4_edges", "lemma_cases"]

CASES = 20_000  # of each lemma
_FLOAT = 12  # digits of an order in floating point
_RANGES = (0, 0.1, 0.25, 0.5, 0.75, 1)  # of recall in precision-recall space, of FPR in ROC space
_SIDES = ["positives", "negatives"]
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
        part = only(areas, model=[first, second]) if len(areas) else areas
        for metric in ("roc_auc", "roc_auc_unclipped", "average_precision", "best_f1") if len(part) else ():
            wide = part.pivot(index="alpha_hat", columns="model", values=metric)
            difference = (wide[first] - wide[second]).to_numpy()
            rows.append((f"{first}, {second}", metric, difference[0], difference[-1]))
    return pd.DataFrame(rows, columns=columns)


def _curve_widths(curves):
    """Mean width of the bounds of Figure 5 by recall in precision-recall space, and by FPR in ROC space."""
    part = only(curves, metric=["pr_curve", "roc_curve"])
    place = np.searchsorted(_RANGES[1:-1], part["threshold"])
    part = part.assign(place=place, width=part["upper"] - part["lower"])
    keys = ["dataset", "method", "prior", "place"]
    wide = part.pivot_table(index=keys, columns="metric", values="width")
    wide = wide.reindex(columns=["pr_curve", "roc_curve"]).rename_axis(columns=None).reset_index()
    lowest = only(wide, place=0).set_index(keys[:3])["pr_curve"].rename("pr_curve_at_lowest_recall")
    wide = wide.merge(lowest.reset_index(), how="left", on=keys[:3])
    ends = {name: [_RANGES[place + i] for place in wide["place"]] for i, name in enumerate(("from", "to"))}
    return wide.assign(**ends)[[*keys[:3], *ends, "pr_curve", "roc_curve", "pr_curve_at_lowest_recall"]]


def _against_zero(areas):
    """Mean bounds at the true alpha, the area at alpha 0, and the truth."""
    keys = ["dataset", "metric", "method"]
    zero = only(areas, prior="none").set_index(keys)["lower"].rename("zero")
    table = only(areas, prior="true").merge(zero.reset_index(), on=keys)
    return table[[*keys, "truth", "lower", "upper", "zero"]]


def _known_sides(known):
    """Widths of bounds from known positives and from known negatives, and over those with the fewest positives."""
    part = only(known, factor=1).assign(width=known["upper"] - known["lower"])
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


def lemma_cases(n=CASES):
    """Return how many of `n` random rankings violate each part of Lemmas 3 and 4; counts are exact integers."""
    rngs = rng_for(0, "claesen2015", "lemma3", "cases"), rng_for(0, "claesen2015", "lemma4", 0)
    rows = [*_lemma3(n, rngs[0]), *_lemma4(n, rngs[1])]
    return pd.DataFrame(rows, columns=["lemma", "part", "cases", "violations"])


def _lemma3(n, rng):
    """The surrogate set of Theorem 1 against sets within the band on the rank CDF, and against other surrogates.

    A set of latent positives is described by how many of them the head holds: rates depend on nothing else.
    """
    unlabeled, negatives = rng.integers(5, 200, n), rng.integers(0, 50, n)
    latent = rng.integers(1, unlabeled)  # positives among the unlabeled
    head, negative_head = (rng.integers(0, size + 1) for size in (unlabeled, negatives))
    fewest, most = np.maximum(0, latent - (unlabeled - head)), np.minimum(latent, head)
    allowed = rng.uniform(fewest, most + 1)  # the bound on the rank CDF, as a number of positives
    allowed = np.where(rng.random(n) < 0.5, np.floor(allowed), np.minimum(allowed, most))
    surrogate = np.ceil(allowed).astype(int)
    inside = rng.integers(fewest, np.floor(allowed).astype(int) + 1)
    other = rng.integers(surrogate, most + 1)
    not_positive = unlabeled + negatives - latent
    false = {
        name: (head + negative_head - held) / not_positive
        for name, held in (("surrogate", surrogate), ("inside", inside), ("other", other))
    }
    reached = allowed == np.floor(allowed)
    lowest = (head + negative_head - np.floor(allowed).astype(int)) / not_positive
    violated = {
        "no set within the band has a lower FPR": false["inside"] < false["surrogate"],
        "no other surrogate set bounds the FPR more tightly": false["other"] > false["surrogate"],
        "a set within the band has this FPR, where the band is at a count": (lowest != false["surrogate"])[reached],
    }
    return [("3", part, len(found), int(found.sum())) for part, found in violated.items()]


def _lemma4(n, rng):
    """Two sets of positives of different size with one TPR at one rank: m and k of them, times two factors."""
    size, held = rng.integers(1, 40, n), rng.random(n)
    held = np.floor(held * (size + 1)).astype(int)
    factor = rng.integers(1, 4, n)
    more = factor + rng.integers(1, 4, n)
    larger, held_larger = more * size, more * held
    smaller, held_smaller = factor * size, factor * held
    others = larger + rng.integers(1, 200, n)  # examples that are not in the larger set
    rank = held_larger + rng.integers(0, others + 1)
    total = larger + others
    fits = (rank - held_smaller >= 0) & (rank - held_smaller <= total - smaller) & (rank <= total)

    def compare(numerator, denominator, other_numerator, other_denominator):
        """Sign of a difference of two fractions."""
        return np.sign(numerator * other_denominator - other_numerator * denominator)

    false_larger, false_smaller = rank - held_larger, rank - held_smaller
    below = compare(false_smaller, total - smaller, held, size)
    change = compare(false_larger, total - larger, false_smaller, total - smaller)
    parts = (("4 (a)", "better than random: the larger set has the lower FPR", -1),
             ("4 (b)", "worse than random: the larger set has the higher FPR", 1))  # fmt: skip
    return [
        (lemma, part, int((fits & (below == sign)).sum()), int((fits & (below == sign) & (change != sign)).sum()))
        for lemma, part, sign in parts
    ]


def figure4_edges(n_labeled=5000, n_unlabeled=45000, alphas=(0, 0.1)):
    """Return the AUROC (%) of models 1 and 2 by the edge of the bootstrap band and with or without rank 0.

    The paper prints four areas and does not say which edge of the bounds they belong to, and the published code has no
    rank 0, so that its curves lack their first segment.
    """
    rows = []
    for model in ("model 1", "model 2"):
        s, score = laid_out(FLIPS[model], n_labeled=n_labeled, n_unlabeled=n_unlabeled)
        share = np.cumsum(s) / n_labeled
        for alpha in alphas:
            plain = roc_bounds(s, score, alpha=alpha, band=Band(share, share)).lower
            edges = roc_bounds(s, score, alpha=alpha, band="bootstrap")
            for edge, curve in (("lower", edges.lower), ("rank CDF", plain), ("upper", edges.upper)):
                areas = [100 * np.trapezoid(curve.tpr[first:], curve.fpr[first:]) for first in (0, 1)]
                rows.append((model, alpha, edge, *areas))
    return pd.DataFrame(rows, columns=["model", "alpha_hat", "edge", "roc_auc", "roc_auc_without_rank_0"])
