"""The tables of Jain, White & Radivojac (2017), as queries on records and statistics."""

from itertools import product

import numpy as np
import pandas as pd

from pumetrics.curves import REPAIRS
from pumetrics_workflow.intervals import median_over_sets
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.all_sets import is_of_all_sets, of_all_sets
from pumetrics_workflow.studies.jain2017 import BINS, METRICS, PAIRS
from pumetrics_workflow.studies.queries import (
    box_statistics,
    only,
    quartiles,
    rule_cases,
    side_by_side,
    signed_rank_p_value,
    with_parameters,
)

__all__ = ["derived", "reproduced", "tables", "theorem_cases"]

CASES = 100_000  # of Theorem 1

_SAMPLE = ["dataset", "model", "labeling", "repeat"]
_KEYS = ["metric", "dataset", "beta", "method", "repair", "truth_kind"]
_TESTS = [
    "truth_kind",
    "priors",
    "repair",
    "wins",
    "pairs",
    "p_value",
    "sets_won",
    "sets",
    "p_sets",
    "least_p",
]
_FLOAT = 1e-9
_LEAST_SETS = 6  # of an interval
_CORRECTIONS = ("IR", "DR", "IE", "DE")
_FIRST = next(iter(BINS))
_WAYS = list(
    zip(PAIRS["true"], PAIRS["alphamax"], strict=True)
)  # the same recovery with real and estimated priors


def tables(results):
    """Return the tables of the study by name."""
    statistics = results.statistics[~is_of_all_sets(results.statistics)]
    in_figure1 = statistics["dataset"] == "eight_examples"
    errors = _errors(only(results.records, metric=METRICS), results.priors)
    shown = only(errors, repair=["", "envelope"])
    tests = _sign_tests(errors)
    return {
        "figure1": _figure1(statistics[in_figure1]),
        "errors": shown,
        "figure2": _figure2(only(shown, truth_kind="supervised")),
        "medians": _summary(errors, ["metric", "truth_kind", "beta", "method", "repair"]),
        "by_gap": _summary(
            shown[shown["method"] != "PU"], ["metric", "truth_kind", "gap", "method"]
        ),
        "by_set_and_gap": _by_set_and_gap(shown),
        "sign_tests": tests,
        "by_dataset": _summary(shown, ["metric", "truth_kind", "dataset", "beta", "method"]),
        "agreement": _agreement(errors),
        "example_curves": _examples(statistics[~in_figure1]),
        "all_sets": of_all_sets(results.statistics, "metric"),
    }


def derived(tables, published):
    """Return the tables that follow from others: each set by itself, and pairs of methods over sets."""
    wide = side_by_side(tables["by_dataset"].query("truth_kind == 'supervised'"), "metric")
    return {
        "each_set": wide,
        "estimated_priors": _estimated(tables["by_dataset"]),
        "gap_steps": _gap_steps(tables["by_set_and_gap"]),
        "gap_growth": _gap_growth(tables["by_set_and_gap"]),
        "gap_difference": _gap_difference(tables["by_set_and_gap"]),
        "traditional": _traditional(tables["by_dataset"]),
        "corrected": _corrected(wide, _CORRECTIONS),
        "corrected_all": _corrected(tables["all_sets"], (*_CORRECTIONS, "IC", "DC")),
        "uncorrected_areas": _side_of_areas(wide),
        "theorem_cases": theorem_cases(),
    }


def _side_of_areas(wide):
    """Mean size of the uncorrected error, a column for each area."""
    rows = wide.reindex(columns=["dataset", "beta", "metric", "PU_size"])
    table = rows.pivot(index=["dataset", "beta"], columns="metric", values="PU_size").reindex(
        columns=list(METRICS)
    )
    return table.rename_axis(columns=None).reset_index()


def _corrected(wide, methods):
    """Errors of corrections, a row each: median, and mean size over that of no correction."""
    keys = ["metric", "dataset", "beta"]
    columns = [f"{name}{end}" for name in methods for end in ("", "_size")]
    wide = wide.reindex(columns=[*keys, *columns, "PU_size"])
    parts = []
    for name in methods:
        ratio = wide[f"{name}_size"] / wide["PU_size"]
        parts.append(wide[keys].assign(method=name, error=wide[name], ratio=ratio))
    return pd.concat(parts).dropna().sort_values([*keys, "method"], ignore_index=True)


def theorem_cases(n=CASES):
    """Return how many of `n` random cases violate each part of Theorem 1, or what is said of the labeled share.

    A table that needs no run. Measured rates and precision come from the joint shares of label and prediction, and
    areas from curves with two thresholds, not from the theorem. Cases with alpha within 0.01 of beta are left out: the
    equations divide by beta - alpha.

    Returns
    -------
    pandas.DataFrame
        A row for each part: ``cases``, ``violations``, and ``largest``, the largest difference; of a condition 1 if it
        is violated.
    """
    rng = rng_for(0, "jain2017", "theorem", "cases")
    alpha, beta = np.sort(rng.random((2, n)), axis=0)
    kept = beta - alpha > 0.01
    tpr, fpr = np.sort(rng.uniform(0.001, 0.999, (2, 2, n)), axis=1)[..., kept]  # at two thresholds
    c = rng.uniform(0.01, 0.99, (2, kept.sum()))
    alpha = alpha[kept]
    beta = beta[kept]
    tpr_pu, fpr_pu = (share * tpr + (1 - share) * fpr for share in (beta, alpha))
    gap = beta - alpha
    recovered = (
        ((1 - alpha) * tpr_pu - (1 - beta) * fpr_pu) / gap,
        (beta * fpr_pu - alpha * tpr_pu) / gap,
    )
    # labeled and unlabeled predicted positive, at two labeled shares
    found = c * tpr_pu[0]
    alarms = (1 - c) * fpr_pu[0]
    precision = alpha * tpr[0] / fpr_pu[0]
    measured = found / (found + alarms)
    again = alpha * recovered[0][0] / fpr_pu[0]
    odds = (1 - c[0]) / c[0] * measured[0] / (1 - measured[0])
    area, area_pu = (
        np.trapezoid(*map(_from_corner_to_corner, pair), axis=0)
        for pair in ((tpr, fpr), (tpr_pu, fpr_pu))
    )
    rows = [
        (
            "rates",
            "equal their recovery (Eqs. 1 and 2)",
            np.abs(np.subtract(recovered, (tpr, fpr))).max(axis=(0, 1)),
        ),
        ("precision", "equals its recovery from rates (Eq. 3)", np.abs(again - precision)),
        (
            "precision",
            "equals its recovery from the measured precision",
            np.abs(alpha * (1 - alpha) / gap * (odds - (1 - beta) / (1 - alpha)) - precision),
        ),
        ("AUC", "equals its recovery (Eq. 4)", np.abs((area_pu - (1 - gap) / 2) / gap - area)),
        (
            "AUC",
            "exceeds the measured one if and only if that is above 1/2",
            ((area > area_pu) != (area_pu > 0.5)) * 1.0,
        ),
        (
            "labeled share",
            "changes the measured precision",
            (np.abs(np.diff(measured, axis=0)[0]) < _FLOAT) * 1.0,
        ),
        (
            "labeled share",
            "does not change the measured rates",
            np.maximum(np.ptp(found / c, axis=0), np.ptp(alarms / (1 - c), axis=0)),
        ),
    ]
    return rule_cases(rows, ["of", "part"], tolerance=_FLOAT)


def _from_corner_to_corner(rates):
    return np.vstack([np.zeros(rates.shape[1]), rates, np.ones(rates.shape[1])])


def _estimated(by_dataset):
    """Difference of the estimates with estimated and with real priors: median over sets, and the signed rank test."""
    errors = only(by_dataset, truth_kind="supervised")
    means = errors.groupby(["metric", "method", "dataset"])[
        "error_mean"
    ].mean()  # over levels of noise
    rows = []
    for metric, (real, estimated) in product(METRICS, _WAYS):
        if (metric, real) in means.index.droplevel(2):
            difference = (
                means[metric, estimated] - means[metric, real]
            ).to_numpy()  # both have the same truth
            p_value = signed_rank_p_value(difference, 0)
            rows.append((metric, estimated, real, len(difference), np.median(difference), p_value))
    return pd.DataFrame(
        rows, columns=["metric", "method", "real", "sets", "median_difference", "p_value"]
    )


def _by_set_and_gap(errors):
    """Mean absolute error of each set by the error of beta - alpha."""
    part = only(errors, truth_kind="supervised", method=list(_CORRECTIONS)).assign(
        size=lambda table: table["error"].abs()
    )
    groups = part.groupby(["metric", "dataset", "method", "gap"])["size"]
    return groups.agg(runs="size", absolute_error_mean="mean").reset_index()


def _gap_steps(by_set):
    """Change of the mean absolute error of a set from a bin of the error of beta - alpha to the next that it has."""
    keys = ["metric", "dataset"]
    steps = []
    for key, part in only(by_set, method="IE").groupby(keys) if len(by_set) else ():
        sizes = part.set_index("gap")["absolute_error_mean"].reindex(list(BINS)).dropna()
        steps += [(*key, to, step) for to, step in sizes.diff().dropna().items()]
    return pd.DataFrame(steps, columns=[*keys, "to", "step"])


def _gap_growth(by_set):
    """Mean absolute error of all runs where beta - alpha is wrong by 0.1 or more, over that of the others.

    Runs of all data sets are pooled as in Figure 2 (b, d); intervals resample data sets.
    """
    rows = []
    for (metric, method), means in _pooled(by_set).items():
        small, large = means.T
        growth = large / small
        rows.append((metric, method, small[0], large[0], growth[0], *_ends(growth)))
    columns = ["metric", "method", "small_gap", "large_gap", "growth", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _gap_difference(by_set):
    """By how much more the pooled error grows with estimated than with real priors; intervals resample data sets."""
    growth = {key: np.diff(means, axis=1)[:, 0] for key, means in _pooled(by_set).items()}
    rows = []
    for metric, (real, estimated) in product(METRICS, _WAYS):
        if (metric, real) in growth:
            more = growth[metric, estimated] - growth[metric, real]
            rows.append((metric, estimated, real, more[0], *_ends(more)))
    return pd.DataFrame(rows, columns=["metric", "method", "real", "difference", "low", "high"])


def _ends(values):
    """The 95% interval of a value by those of resampled sets, which follow it; none of too few sets."""
    if len(values) == 1:
        return np.nan, np.nan
    return tuple(np.nanquantile(values[1:], [0.025, 0.975], method="weibull"))


def _pooled(by_set, draws=2000):
    """Pooled mean errors by metric and method, of small and large gaps: of the sets, then of resampled sets.

    Fewer than six sets have no interval, as those of a median.
    """
    pooled = {}
    for key, part in by_set.groupby(["metric", "method"]) if len(by_set) else ():
        part = part.assign(
            total=part["runs"] * part["absolute_error_mean"], is_large=part["gap"] != _FIRST
        )
        sums = part.pivot_table(
            index="dataset", columns="is_large", values=["runs", "total"], aggfunc="sum"
        ).fillna(0)
        sets = len(sums)
        rng = rng_for(0, "jain2017", "resampled", "sets")
        size = draws if sets >= _LEAST_SETS else 0
        drawn = rng.multinomial(sets, np.full(sets, 1 / sets), size=size)
        weights = np.vstack([np.ones((1, sets)), drawn])
        sizes = [
            weights @ sums.reindex(columns=[(name, False), (name, True)]).fillna(0)
            for name in ("total", "runs")
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.divide(*map(np.asarray, sizes))
        if np.isfinite(means[0]).all():
            pooled[key] = means
    return pooled


def _traditional(by_dataset):
    """Area by true classes of the classifier of labeled against unlabeled examples, less that of the supervised one."""
    keys = ["metric", "dataset", "beta"]
    part = only(by_dataset, method="PU").set_index(keys)
    means = {kind: only(part, truth_kind=kind) for kind in ("supervised", "same_scores")}
    lead = means["supervised"]["error_mean"] - means["same_scores"]["error_mean"]
    size = means["supervised"]["absolute_error_mean"]
    return pd.DataFrame({"lead": lead, "PU_size": size}).dropna().reset_index()


def _figure1(points):
    """Points of both curves, by the labels that they are measured with."""
    method = points["statistic"].map({"roc_curve": "uncorrected", "true_roc_curve": "supervised"})
    table = points.assign(method=method).rename(columns={"at": "fpr", "value": "tpr"})
    return table[["method", "fpr", "tpr"]].sort_values("method", kind="stable")


def _figure2(errors):
    """The boxes of Figure 2: errors by beta, and by the error of beta - alpha."""
    by_beta = errors.assign(axis="beta", group=errors["beta"].map("{:g}".format))
    by_gap = errors.dropna(subset="gap").assign(axis="gap", group=lambda table: table["gap"])
    return box_statistics(
        pd.concat([by_beta, by_gap]), ["axis", "metric", "group", "method"], "error"
    )


def _errors(records, priors):
    """Estimates, clipped to [0, 1] as in the paper, next to both kinds of truth."""
    table = with_parameters(records, "beta")
    indirect = table["method"].str.startswith("indirect:")
    table["repair"] = table["method"].str.removeprefix("indirect:").where(indirect, "")
    codes = {
        (prior, way): code
        for prior, pair in PAIRS.items()
        for way, code in zip((False, True), pair, strict=True)
    }
    table["method"] = [codes.get(pair, "PU") for pair in zip(table["prior"], indirect, strict=True)]
    # The paper's truth is one number per data set: the supervised ensemble's, here the mean over repeats.
    same = table.groupby(["metric", "dataset", "model", "beta", "truth_kind"])["truth"].transform(
        "mean"
    )
    table["truth"] = table["truth"].where(table["truth_kind"] != "supervised", same)
    table["error"] = table["estimate"].clip(0, 1) - table["truth"]
    table = table.merge(_gaps(priors), on=[*_SAMPLE, "prior"], how="left")
    columns = [*_KEYS, "model", "repeat", "estimate", "truth", "error", "gap"]
    return table[columns].sort_values([*_KEYS, "model", "repeat"], ignore_index=True)


def _gaps(priors):
    """Bin of the absolute error of beta - alpha, per sample and prior; real priors take AlphaMax's, as in the paper."""
    error = (priors["beta"] - priors["alpha"] - priors["beta_true"] + priors["alpha_true"]).abs()
    edges = [low for low, _ in BINS.values()] + [np.inf]
    gap = pd.cut(error, edges, right=False, labels=list(BINS)).astype(object)
    table = priors[_SAMPLE].assign(prior=priors["method"], gap=gap)
    real = table[table["prior"] == "alphamax"].assign(prior="true")
    return pd.concat([table, real, real.assign(prior="none")], ignore_index=True)


def _summary(errors, keys):
    """Number of runs, quartiles and means of errors, and the share without an estimate."""
    table = errors.assign(absolute_error=errors["error"].abs(), failed=errors["estimate"].isna())
    columns = {
        "error_mean": "error",
        "absolute_error_mean": "absolute_error",
        "share_failed": "failed",
    }
    last = {name: (column, "mean") for name, column in columns.items()}
    return (
        table.groupby(keys).agg(runs=("error", "size"), **quartiles("error"), **last).reset_index()
    )


def _sign_tests(errors):
    """Pairs (data set, beta) in which indirect recovery has the smaller mean absolute error."""
    auc = only(errors, metric="roc_auc").assign(absolute=lambda table: table["error"].abs())
    means = auc.groupby(["truth_kind", "method", "repair", "dataset", "beta"])["absolute"].mean()
    known = means.index.droplevel([3, 4])
    rows = []
    for kind, prior, repair in product(auc["truth_kind"].unique(), PAIRS, REPAIRS):
        direct, indirect = PAIRS[prior]
        if (kind, indirect, repair) in known:
            rows.append(
                (
                    kind,
                    prior,
                    repair,
                    *_won(means[kind, direct, ""] - means[kind, indirect, repair]),
                )
            )
    return pd.DataFrame(rows, columns=_TESTS)


def _won(gain):
    """Pairs with a gain, pairs that differ, p-value of the sign test; the same by set; the least p of as many sets."""
    from scipy.stats import binomtest

    found = []
    for each in (gain, gain.groupby("dataset").mean()):
        wins = int((each > 1e-12).sum())
        differing = int((each.abs() > 1e-12).sum())
        p_value = (
            float(binomtest(wins, differing, alternative="greater").pvalue) if differing else np.nan
        )
        found += [wins, differing, p_value]
    return [*found, 0.5**differing]


def _agreement(errors):
    """Largest difference between direct recovery and indirect recovery without repair."""
    auc = only(errors, metric="roc_auc").set_index(
        ["dataset", "model", "beta", "repeat", "truth_kind"]
    )
    rows = []
    for prior, (direct, indirect) in PAIRS.items():
        gap = (
            only(auc, method=direct)["estimate"]
            - only(auc, method=indirect, repair="none")["estimate"]
        )
        rows.append((prior, gap.abs().max()))
    return pd.DataFrame(rows, columns=["priors", "largest_difference"])


def _examples(curves):
    """Curves of two data sets at the least beta, first repeat: uncorrected and with real priors."""
    table = with_parameters(curves, "beta")
    chosen = sorted(table["dataset"].unique())[:2]
    table = only(table, dataset=chosen, beta=table["beta"].min())
    is_true = table["statistic"].str.startswith("true_")
    truth = table[is_true].assign(statistic=table["statistic"].str.removeprefix("true_"))
    keys = [*_SAMPLE, "statistic", "at"]
    shown = table[~is_true & table["prior"].isin(["none", "true"])]
    both = shown.merge(truth[[*keys, "value"]], on=keys, suffixes=("", "_true"))
    both = both.sort_values(["dataset", "model", "statistic", "method", "at"], ignore_index=True)
    names = {
        "statistic": "metric",
        "prior": "prior",
        "at": "threshold",
        "value": "estimate",
        "value_true": "truth",
    }
    return both[["dataset", *names]].rename(columns=names)


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    points = tables["figure1"]
    values = {}
    for name, method in (("pu", "uncorrected"), ("true", "supervised")):
        if len(curve := only(points, method=method)):
            values[f"figure1_{name}"] = float(np.trapezoid(curve["tpr"], curve["fpr"]))
    for metric, part in tables["each_set"].groupby("metric"):
        noisy = only(part, beta=part["beta"].min()).set_index("dataset")
        values[f"figure2_{metric}_pu"] = median_over_sets(part.groupby("dataset")["PU"].median())
        values[f"figure2_{metric}_noise"] = median_over_sets(noisy["PU"] - noisy["PU_clean"])
    values["agreement"] = tables["agreement"]["largest_difference"].max()
    return values
