"""Tables that rules of claims are about: from the other tables, and of random cases, which need no run."""

import numpy as np
import pandas as pd
from scipy.stats import binomtest, norm

from pumetrics.bounds import Band, contingency_bounds, roc_bounds
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015.rankings import FLIPS, UPPER_FLIPS, laid_out
from pumetrics_workflow.studies.queries import only

__all__ = ["clipped_entries", "derived", "figure4_edges", "lemma_cases", "totals"]

CASES = 20_000  # of each lemma
_ROUNDING = 1e-12
_RANGES = (0, 0.1, 0.25, 0.5, 0.75, 1)  # of recall
_SPACES = ["pr_curve", "roc_curve"]
_CURVE = ["dataset", "method", "prior"]
_SIDES = ["positives", "negatives"]
_NEGATIVES = 5  # for each positive: Tables 1 and 2 have 2,000 positives and 10,000 negatives


def derived(tables, published):
    """Return the tables that follow from others or from no run: random cases, and widths and areas side by side."""
    known = _known_sides(tables["known_bounds"])
    widths = _curve_widths(tables["figure5_curves"])
    recall = _low_recall(tables["figure5_curves"])
    sizes = totals()
    pairs = tables["real_orders"]
    return {
        "real_orders": pairs.replace("AUROC", "AUC"),  # of runs before the name was AUC everywhere
        "figure2_steps": _steps(tables["figure2_bounds"], sizes),
        "figure4_orders": _orders(tables["figure4_areas"]),
        "lemma_cases": lemma_cases(),
        "figure4_edges": figure4_edges(published),
        "totals": sizes,
        "curve_widths": widths,
        "low_recall": recall,
        "alpha_sensitivity": _alpha_sensitivity(widths),
        "figure5_against_zero": _against_zero(tables["figure5_areas"]),
        "known_sides": known,
        "known_shifts": _shifts(tables["known_bounds"]),
        "tightest": _tightest(tables["known_bounds"]),
        "clipped_entries": clipped_entries(),
    }


def _steps(bounds, totals):
    """Change of the mean width from one number of known positives, or of unlabeled examples, to the next."""
    parts = [
        part.rename(columns={column: "size"}).assign(varied=varied)
        for varied, column, part in (
            ("known positives", "n_labeled", bounds),
            (
                "unlabeled examples",
                "n_unlabeled",
                totals.drop(columns="n_labeled").assign(band="bootstrap"),
            ),
        )
    ]
    table = pd.concat(parts).sort_values(["varied", "band", "size"])
    table = table.assign(step=table.groupby(["varied", "band"])["width"].diff())
    return table[["band", "varied", "size", "width", "step"]].dropna().reset_index(drop=True)


def _orders(areas):
    """Difference of two models (%) at the least and the greatest alpha: of both areas, and of the best F1."""
    columns = ["models", "metric", "at_least_alpha", "at_greatest_alpha"]
    rows = []
    for first, second in (("model 1", "model 2"), ("model 3", "model 4")):
        part = only(areas, model=[first, second]) if len(areas) else areas
        for metric in (
            ("roc_auc", "roc_auc_unclipped", "average_precision", "best_f1") if len(part) else ()
        ):
            wide = part.pivot(index="alpha_hat", columns="model", values=metric)
            difference = (wide[first] - wide[second]).to_numpy()
            rows.append((f"{first}, {second}", metric, difference[0], difference[-1]))
    return pd.DataFrame(rows, columns=columns)


def _curve_widths(curves):
    """Mean width of the bounds of Figure 5 over recall in precision-recall space, and over FPR in ROC space.

    The axes are compared as a whole: a recall of 0.1 and an FPR of 0.1 are different parts of a ranking.
    """
    part = only(curves, metric=_SPACES)
    part = part.assign(width=part["upper"] - part["lower"])
    wide = part.pivot_table(index=_CURVE, columns="metric", values="width")
    return wide.reindex(columns=_SPACES).rename_axis(columns=None).reset_index()


def _low_recall(curves):
    """Mean width of the bounds in precision-recall space at the lowest recall, and the largest of those elsewhere."""
    part = only(curves, metric="pr_curve", method="bootstrap", prior="true")
    part = part.assign(
        place=np.searchsorted(_RANGES[1:-1], part["threshold"]),
        width=part["upper"] - part["lower"],
    )
    widths = part.pivot_table(index="dataset", columns="place", values="width")
    widths = widths.reindex(columns=range(len(_RANGES) - 1))
    return pd.DataFrame(
        {"at_lowest_recall": widths[0], "elsewhere": widths.drop(columns=0).max(axis=1)}
    ).reset_index()


def _alpha_sensitivity(widths):
    """How much wider the bounds of Figure 5 are if alpha is known up to 20% only."""
    keys = ["dataset", "method"]
    known, range_of = (only(widths, prior=prior).set_index(keys) for prior in ("true", "interval"))
    return (range_of[_SPACES] - known[_SPACES]).reset_index()


def _against_zero(areas):
    """Mean bounds at the true alpha, the area at alpha 0, the truth, and the error of the worse of the two bounds."""
    keys = ["dataset", "metric", "method"]
    zero = only(areas, prior="none").set_index(keys)["lower"].rename("zero")
    table = only(areas, prior="true").merge(zero.reset_index(), on=keys)
    errors = table[["lower", "upper"]].sub(table["truth"], axis=0).abs()
    return table[[*keys, "truth", "lower", "upper", "zero"]].assign(worse=errors.max(axis=1))


def _known_sides(known):
    """Widths of bounds from known positives and from known negatives, and over those with the fewest positives."""
    part = only(known, factor=1).assign(width=known["upper"] - known["lower"])
    wide = part.pivot(index=["band", "positives", "negatives"], columns="known", values="width")
    wide = (
        wide.reindex(columns=["positives", "negatives"])
        .add_prefix("width_")
        .rename_axis(columns=None)
        .reset_index()
    )
    fewest = wide[(wide["positives"] == wide["positives"].min()) & (wide["negatives"] == 0)]
    base = wide["band"].map(fewest.set_index("band")["width_positives"])
    more = _NEGATIVES * wide["negatives"] > wide["positives"]
    return wide.assign(ratio=wide["width_positives"] / base, more_negatives=more)


def _shifts(known):
    """How far the middle of the bounds moves if the assumed alpha is 20% too small, or as much too large."""
    part = known[known["negatives"] > 0].assign(middle=(known["lower"] + known["upper"]) / 2)
    means = part.groupby(["band", "known", "factor"])["middle"].mean().unstack()
    rows = [
        (
            band,
            factor,
            *(means.loc[(band, side), factor] - means.loc[(band, side), 1.0] for side in _SIDES),
        )
        for band in part["band"].unique()
        for factor in means.columns
        if factor != 1
    ]
    return pd.DataFrame(rows, columns=["band", "factor", *_SIDES]).astype(
        dict.fromkeys(_SIDES, np.float64)
    )


def _tightest(known):
    """Coverage of whichever bounds are tighter, from known positives or negatives, at the exact alpha.

    ``low`` and ``high``: 95% interval of the coverage over repeats (Clopper and Pearson).
    """
    part = only(known, factor=1, known="tightest")
    part = part[part["negatives"] > 0]
    columns = ["band", "positives", "negatives", "lower", "upper", "repeats", "covered"]
    ends = [
        binomtest(round(row.covered * row.repeats), row.repeats).proportion_ci()
        for row in part.itertuples()
    ]
    table = part[columns].assign(low=[end.low for end in ends], high=[end.high for end in ends])
    return table.reset_index(drop=True)


def clipped_entries(alphas=(0.10, 0.12), *, place=0.03, n_labeled=5000, n_unlabeled=45000):
    """Return the entries of a table that is clipped (Eq. 11) at two alphas, and their change by a unit of alpha.

    Model 2 of Figure 4 where the head holds a share ``place`` of the unlabeled, all of which count as positive: more
    would be hidden there if they fitted. Appendix B says that with clipping the derivatives of all entries are 0.
    """
    s, score = laid_out(FLIPS["model 2"], n_labeled=n_labeled, n_unlabeled=n_unlabeled)
    share = np.cumsum(s) / n_labeled
    rank = int(np.searchsorted(np.cumsum(s == 0), place * n_unlabeled))
    found = []
    for alpha in alphas:
        table = contingency_bounds(s, score, alpha=alpha, band=Band(share, share)).lower[rank]
        labeled = np.array([1, 0, -1, 0]) * share[rank] * n_labeled + [0, 0, n_labeled, 0]
        entries = table - np.where([True, False, True, False], np.abs(labeled), 0)
        found.append([*entries, entries[0] / (entries[0] + entries[2])])
    first, last = np.array(found)
    change = (last - first) / (alphas[1] - alphas[0])
    names = ["TP_U", "FP_U", "FN_U", "TN_U", "TPR_U"]
    values = {"at_least_alpha": first, "at_greatest_alpha": last, "derivative": change.round(6)}
    return pd.DataFrame({"entry": names, **values})


def lemma_cases(n=CASES):
    """Return how many of `n` random rankings violate the lemmas, Corollary 1, and what Section 6.2 says of dominance.

    Counts are exact integers, but for dominance.
    """
    rows = []
    for name, cases, part in (
        ("lemma1", _lemmas_1_2, "cases"),
        ("corollary1", _corollary1, "cases"),
        ("lemma3", _lemma3, "cases"),
        ("lemma4", _lemma4, 0),
        ("dominance", _dominance, "cases"),
    ):
        rows += cases(n, rng_for(0, "claesen2015", name, part))
    return pd.DataFrame(rows, columns=["lemma", "part", "cases", "violations"])


def _compare(numerator, denominator, other_numerator, other_denominator):
    """Sign of a difference of two fractions of whole numbers."""
    return np.sign(numerator * other_denominator - other_numerator * denominator)


def _two_sets(n, rng):
    """Sizes of two disjoint sets of positives, of the rest and of the head, and how many of each set the head holds."""
    sizes = rng.integers(1, 40, (2, n))
    rest = rng.integers(1, 200, n)
    rank = rng.integers(1, sizes.sum(axis=0) + rest)
    first = rng.hypergeometric(sizes[0], sizes[1] + rest, rank)
    return sizes, rest, rank, (first, rng.hypergeometric(sizes[1], rest, rank - first))


def _lemmas_1_2(n, rng):
    """Two disjoint sets of positives at one rank; for Lemma 1 random parts of both, of one size."""
    sizes, rest, rank, held = _two_sets(n, rng)
    higher = _compare(held[0], sizes[0], held[1], sizes[1])
    of_one_size = np.minimum(*sizes)
    kept = [
        rng.hypergeometric(of, size - of, of_one_size) for of, size in zip(held, sizes, strict=True)
    ]
    not_positive = sizes.sum(axis=0) + rest - of_one_size
    tpr = _compare(kept[0], of_one_size, kept[1], of_one_size)
    fpr = _compare(rank - kept[0], not_positive, rank - kept[1], not_positive)
    union = [
        _compare(of, size, sum(held), sizes.sum(axis=0))
        for of, size in zip(held, sizes, strict=True)
    ]
    between = (union[0] == higher) & (union[1] == -higher)
    first = _violated(tpr != 0, fpr == -tpr)
    second = _violated(higher != 0, between)
    return [
        ("1", "of two sets of one size, the one with the higher TPR has the lower FPR", *first),
        ("2", "the TPR of a union lies between those of its parts", *second),
    ]


def _violated(applies, so):
    """Numbers of cases to which a statement applies, and of those in which it is not so."""
    return int(applies.sum()), int((applies & ~so).sum())


def _corollary1(n, rng):
    """A set of positives joined with either of two sets of one size: counts of the three above a rank."""
    sizes = rng.integers(1, 40, (2, n))
    joined = rng.integers(0, sizes[0] + 1)
    (first, second) = rng.integers(0, sizes[1] + 1, (2, n))
    total = sizes.sum(axis=0)
    alone = _compare(first, sizes[1], second, sizes[1])
    return [
        (
            "corollary 1",
            "joined with one set, two sets of one size keep the order of their TPR",
            *_violated(
                alone != 0, _compare(joined + first, total, joined + second, total) == alone
            ),
        ),
    ]


def _dominance(n, rng, *, n_labeled=8, n_total=40):
    """Two rankings, of which one has every labeled positive at least as high, at a random alpha, clipped as in Eq. 11.

    The order of the estimated areas under both curves, and of the best F1, is that of dominance.
    """
    places = np.sort(np.argsort(rng.random((2, n, n_total)), axis=2)[..., :n_labeled], axis=2)
    hidden = rng.integers(0, n_total - n_labeled, n)[:, None]
    rank = np.arange(1, n_total + 1)
    positives = n_labeled + hidden
    measures = []
    for labeled in (np.minimum(*places), np.maximum(*places)):
        share = (labeled[:, :, None] < rank).mean(axis=1)
        true = np.clip(share * positives, positives - (n_total - rank), np.minimum(rank, positives))
        tpr = true / positives
        fpr = (rank - true) / (n_total - positives)
        area = np.trapezoid(np.pad(tpr, ((0, 0), (1, 0))), np.pad(fpr, ((0, 0), (1, 0))), axis=1)
        precision = true / rank
        steps = np.diff(tpr, prepend=0)
        best = (2 * true / (rank + positives)).max(axis=1)
        measures.append((area, (precision * steps).sum(axis=1), best))
    differ = (places[0] != places[1]).any(axis=1)
    return [
        (
            "dominance",
            f"a ranking that dominates another has no smaller {what} at any alpha",
            *_violated(differ, better >= worse - _ROUNDING),
        )
        for what, better, worse in zip(("AUC", "AUC-PR", "best F1"), *measures, strict=True)
    ]


def _lemma3(n, rng):
    """The surrogate set of Theorem 1 against sets within the band on the rank CDF, and against other surrogates.

    A set of latent positives is described by how many of them the head holds: rates depend on nothing else.
    """
    unlabeled = rng.integers(5, 200, n)
    negatives = rng.integers(0, 50, n)
    latent = rng.integers(1, unlabeled)  # positives among the unlabeled
    head, negative_head = (rng.integers(0, size + 1) for size in (unlabeled, negatives))
    fewest = np.maximum(0, latent - (unlabeled - head))
    most = np.minimum(latent, head)
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
        "a set within the band has this FPR, where the band is at a count": (
            lowest != false["surrogate"]
        )[reached],
    }
    return [("3", part, len(found), int(found.sum())) for part, found in violated.items()]


def _lemma4(n, rng):
    """Two sets of positives of different size with one TPR at one rank: m and k of them, times two factors."""
    size = rng.integers(1, 40, n)
    held = rng.random(n)
    held = np.floor(held * (size + 1)).astype(int)
    factor = rng.integers(1, 4, n)
    more = factor + rng.integers(1, 4, n)
    larger = more * size
    held_larger = more * held
    smaller = factor * size
    held_smaller = factor * held
    others = larger + rng.integers(1, 200, n)  # examples that are not in the larger set
    rank = held_larger + rng.integers(0, others + 1)
    total = larger + others
    fits = (rank - held_smaller >= 0) & (rank - held_smaller <= total - smaller) & (rank <= total)

    false_larger = rank - held_larger
    false_smaller = rank - held_smaller
    below = _compare(false_smaller, total - smaller, held, size)
    change = _compare(false_larger, total - larger, false_smaller, total - smaller)
    parts = (
        ("4 (a)", "better than random: the larger set has the lower FPR", -1),
        ("4 (b)", "worse than random: the larger set has the higher FPR", 1),
    )
    return [
        (
            lemma,
            part,
            int((fits & (below == sign)).sum()),
            int((fits & (below == sign) & (change != sign)).sum()),
        )
        for lemma, part, sign in parts
    ]


def figure4_edges(published, n_labeled=5000, n_unlabeled=45000):
    """Return the areas (%) of Figure 4 for two pairs of rankings, by the edge of the bootstrap band.

    The paper prints four areas, and neither the rankings nor the edge of the bounds that the areas belong to. One pair
    is built for the rank CDF itself, the other for the upper edge.

    Parameters
    ----------
    published : pandas.DataFrame
        With the printed areas and their unit of print.

    Returns
    -------
    pandas.DataFrame
        A row per pair and edge: the areas, named by model and estimated alpha, and how many are as printed.
    """
    printed = published[published["id"].str.startswith("figure4_model")].set_index("id")
    rows = []
    for pair, blocks in (("rank CDF", FLIPS), ("upper", UPPER_FLIPS)):
        found = {}
        for key in printed.index:
            model, alpha = key.removeprefix("figure4_model").split("_")
            s, score = laid_out(
                blocks[f"model {model}"], n_labeled=n_labeled, n_unlabeled=n_unlabeled
            )
            share = np.cumsum(s) / n_labeled
            plain = roc_bounds(s, score, alpha=float(alpha), band=Band(share, share))
            edges = roc_bounds(s, score, alpha=float(alpha), band="bootstrap")
            areas = {"lower": edges.auc[0], "rank CDF": plain.auc[0], "upper": edges.auc[1]}
            for edge, area in areas.items():
                found.setdefault(edge, {})[key.removeprefix("figure4_")] = 100 * area
        for edge, areas in found.items():
            apart = np.abs(np.array(list(areas.values())) - printed["published"])
            as_printed = int((apart <= printed["unit"] / 2).sum())
            rows.append({"built_for": pair, "edge": edge, **areas, "as_printed": as_printed})
    return pd.DataFrame(rows).assign(printed=len(printed))


def totals(sizes=(2_000, 10_000, 100_000), *, n_labeled=1000, alpha=0.2, separation=1.2):
    """Return the mean width of the bounds on the AUC by the number of unlabeled examples, all else equal.

    Scores are quantiles of two normals, so that nothing is left to chance. The number of labeled positives and the
    share of positives among the unlabeled stay the same.
    """
    rows = []
    for size in sizes:
        hidden = round(alpha * size)
        groups = [(n_labeled, separation), (hidden, separation), (size - hidden, 0)]
        score = np.concatenate([norm.ppf((np.arange(n) + 0.5) / n) + shift for n, shift in groups])
        s = (np.arange(len(score)) < n_labeled).astype(np.int8)
        low, high = roc_bounds(s, score, alpha=alpha, band="bootstrap").auc
        rows.append((size, n_labeled, alpha, low, high, high - low))
    return pd.DataFrame(
        rows, columns=["n_unlabeled", "n_labeled", "alpha", "lower", "upper", "width"]
    )
