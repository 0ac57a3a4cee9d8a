"""The tables of Tabatabaei et al. (2020), as queries on records and statistics."""

from itertools import product

import numpy as np
import pandas as pd

from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.queries import holm, only, signed_rank_p_value, with_parameters
from pumetrics_workflow.studies.tabatabaei2020 import METHODS, NAME, NAMES, SHOWN_RHOS
from pumetrics_workflow.studies.tabatabaei2020.selection import (
    RULES,
    count,
    draw,
    f1_scores,
    turned_round,
)
from pumetrics_workflow.studies.tabatabaei2020.verdicts import (
    PAPER_REPEATS,
    figure5_tries,
    heart_variants,
    label_schemes,
    reproduced,
    turning_rules,
)

__all__ = ["closeness", "derived", "reproduced", "tables"]

# What tables call the methods.
_CODES = {"f1_from_rho": "estimated_f1", "lee_liu:without_m": "lee_liu_without_m"}
# Model of the statistics -> panel and variant. "as published": as the published code did it; the others are controls.
_SELECTIONS = {
    "line": "as published",
    "line_exact_labels": "exactly rho P labels",
    "line_unflipped": "lines not turned round",
    "hyperplane": "as published",
    "forest": "as published",
    "thresholds": "as published",
}
_POINTS = 100  # label draws per label frequency that Figure 3 shows
_LEVEL = 0.05
_CERTAIN = 1e-9  # a deviation below it is rounding
_DIGITS = 10
# Two equally likely label frequencies, as factors of the true one: too low, right and too high on average.
_FAMILY = {"precision": 0, "F0.5": 0.5, "F2": 2}  # weights of recall
_RHOS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)  # of the closeness, with these factors
_FACTORS = (0.5, 0.75, 1.5, 2.0)
_NOISE = ((0.5, 1.0), (0.5, 1.5), (0.9, 1.2), (2 / 3, 2.0), (1.0, 1.5))


def tables(results):
    """Return the tables of the study by name."""
    records, statistics = (
        with_parameters(table, "rho").assign(
            method=table["method"].map(lambda name: _CODES.get(name, name)),
            variant=table["model"].map(_SELECTIONS),
        )
        for table in (results.records, results.statistics)
    )
    rates = only(statistics, statistic="inversions")
    deviations = only(statistics, statistic="standard_deviation")[["dataset", "rho", "value"]]
    deviations = deviations.rename(columns={"value": "exact_std"})
    selection = _selection(rates)
    factors = _figure5(rates)
    printed = results.published.set_index("id")["published"]
    return {
        "figure1": _points(statistics),
        "figure1_lines": _wide_at(statistics, ["slope", "intercept"])[
            ["repeat", "slope", "intercept"]
        ],
        "figure2": _figure2(statistics),
        "figure3": _figure3(records, deviations),
        "figure3_points": _figure3_points(records),
        "spread": _spread(records, deviations),
        "counts": _counts(statistics),
        "table2": _table2(statistics, printed),
        "figure4": selection,
        "medians": _medians(selection),
        "significance": _significance(selection),
        "figure5": factors,
        "figure5_tries": figure5_tries(statistics),
        "heart_variants": heart_variants(statistics, printed),
        "turning_rules": turning_rules(statistics, printed),
        "end_to_end": _end_to_end(only(rates, model="end_to_end")),
    }


def derived(tables, published):
    """Return the tables that follow from others: the two scores side by side, and what rules of claims are about."""
    compared = _compared(tables["figure4"])
    errors = tables["table2"].pivot(index=["dataset", "variant"], columns="method", values="mean")
    return {
        "compared_with_lee_liu": compared,
        "gap_growth": _growth(compared, tables["figure4"]),
        "rmse": errors.reset_index().rename_axis(columns=None),
        "bias": _bias(tables["figure3"]),
        "monotone": _monotone(tables["figure4"]),
        "expected_f1": _expected(tables["counts"], {"F1": 1}),
        "expected_family": _expected(tables["counts"], _FAMILY),
        "closeness": closeness(),
        "noisy_f1": _noisy(tables["counts"]),
        "rho_spread": _rho_spread(tables["figure2"]),
        "rho_bias": _rho_bias(tables["figure2"]),
        "label_schemes": label_schemes(tables, published.set_index("id")["published"]),
    }


def _compared(selection):
    """Mean inversions by both scores at each label frequency; those that give as many labels are the same draws."""
    wide = selection.pivot(
        index=["dataset", "variant", "rho", "p_value"], columns="method", values="mean"
    )
    wide = (
        wide.round(6).reset_index().rename_axis(columns=None)
    )  # lest the last digit of a mean decides between equals
    if not len(wide):
        return wide
    wide = wide.drop_duplicates(["dataset", "variant", *METHODS], ignore_index=True)
    p_holm = wide.groupby(["dataset", "variant"])["p_value"].transform(
        lambda values: holm(values.to_numpy())
    )
    return wide.assign(gap=(wide["lee_liu"] - wide["estimated_f1"]).round(6), p_holm=p_holm)


def _correlations(table, keys, name):
    """Rank correlation of a column and the label frequency, by group."""
    rows = [
        (*key, part[name].corr(part["rho"], method="spearman"), len(part))
        for key, part in table.groupby(keys)
    ]
    return pd.DataFrame(rows, columns=[*keys, "rank_correlation", "label_frequencies"])


def _growth(compared, selection):
    """Rank correlations with the label frequency: of the gap between both scores, and of the widths of their bands."""
    keys = ["dataset", "variant"]
    table = _correlations(compared, keys, "gap")
    selection = selection.assign(width=selection["high"] - selection["low"])
    for method in METHODS:
        band = _correlations(only(selection, method=method), keys, "width").drop(
            columns="label_frequencies"
        )
        table = table.merge(band.rename(columns={"rank_correlation": f"{method}_band"}), on=keys)
    return table


def _rho_spread(figure2):
    """Rank correlation of the spread of the estimates of Figure 2 (10 to 90%) and the label frequency."""
    part = figure2.assign(width=figure2["high"] - figure2["low"])
    return _correlations(part, ["dataset", "model", "method"], "width")


def _rho_bias(figure2):
    """Mean relative error of the estimates of Figure 2 on both data sets, and a test of no difference.

    Labels are drawn again at each label frequency of the one sample of a set; the rank sum test compares the relative
    errors of the mean estimates.
    """
    from scipy.stats import mannwhitneyu

    part = figure2.assign(error=figure2["mean"] / figure2["rho"] - 1)
    rows = []
    for (model, method), group in part.groupby(["model", "method"]):
        errors = {
            name.removesuffix("_bundled"): values["error"]
            for name, values in group.groupby("dataset")
        }
        if len(errors) == 2:
            generated = errors["generated"]
            iris = errors["iris"]
            p_value = mannwhitneyu(generated, iris).pvalue
            rows.append(
                (model, method, generated.mean(), iris.mean(), len(generated), len(iris), p_value)
            )
    names = [
        "generated",
        "iris",
        "label_frequencies_generated",
        "label_frequencies_iris",
        "p_value",
    ]
    return pd.DataFrame(rows, columns=["model", "method", *names])


def _monotone(selection):
    """Kendall's tau of a score and the true F1 over classifiers: 1 without an inversion, 0 at half of them."""
    part = only(selection, variant="as published")
    wide = part.pivot(index=["dataset", "rho"], columns="method", values="mean").reindex(
        columns=list(METHODS)
    )
    tau = (
        (1 - wide / 50)
        .rename(columns={"estimated_f1": "tau", "lee_liu": "tau_lee_liu"})
        .reset_index()
    )
    return tau.drop_duplicates(["dataset", "tau", "tau_lee_liu"], ignore_index=True).rename_axis(
        columns=None
    )


def _expected(counts, family):
    """Expected estimates of the classifiers of Figure 3 with a known label frequency (Section 4.1).

    The sum over the hypergeometric law of the labeled true positives, least and greatest over the numbers of labels.
    `family` has the weight of recall by measure: F1 has 1, precision 0.
    """
    from scipy.stats import hypergeom

    rows = []
    for (dataset, hit, positives, predicted), (measure, weight) in product(
        _classifiers(counts), family.items()
    ):
        found = []
        of_recall = weight**2
        for labeled in range(1, positives):
            hits = np.arange(labeled + 1)
            mean = hits @ hypergeom.pmf(hits, positives, hit, labeled)
            whole = labeled / positives * predicted + of_recall * labeled
            found.append((1 + of_recall) * mean / whole)
        truth = (1 + of_recall) * hit / (of_recall * positives + predicted)
        rows.append((dataset, measure, positives - 1, truth, min(found), max(found)))
    columns = ["dataset", "measure", "label_frequencies", "f1", "least", "greatest"]
    table = pd.DataFrame(rows, columns=columns).round(_DIGITS)
    return table.drop(columns="measure") if len(family) == 1 else table


def closeness(repeats=200, n_classifiers=100):
    """Return the RMSE of the estimate with a wrong label frequency, next to that of the LL score, on generated data.

    A table that needs no run: samples, lines and labels as in Table 2, at each label frequency and factor of it; the
    signed-rank test is over samples, and ``p_holm`` adjusted for the number of tests.
    """
    rhos = np.array(_RHOS)
    drawn = [
        draw(
            "generated",
            {},
            n_classifiers,
            rhos,
            rng_for(0, NAME, "closeness", repeat),
            labels="independent",
        )
        for repeat in range(repeats)
    ]
    counts = count(drawn)
    counts = turned_round(counts, RULES["misses_labeled"][1](counts, None))
    rows = []
    for factor in _FACTORS:
        true, estimated, lee_liu = f1_scores(counts, factor=factor)
        errors = [np.sqrt(((score - true) ** 2).mean(axis=2)) for score in (estimated, lee_liu)]
        for place, rho in enumerate(rhos):
            ours, theirs = (error[:, place] for error in errors)
            p_value = signed_rank_p_value(ours, theirs, "less")
            rows.append((rho, factor, repeats, ours.mean(), theirs.mean(), p_value))
    columns = ["rho", "factor", "draws", "estimated_f1", "lee_liu", "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(p_holm=holm(table["p_value"].to_numpy()))


def _noisy(counts):
    """Bias of the expected estimate with a label frequency of two equally likely values, as factors of the true one.

    The number of labels cancels. ``least_of_all`` is the least bias of these laws.
    """
    rows = [
        (
            dataset,
            " or ".join(f"{factor:.3g}" for factor in law),
            np.mean(law),
            np.mean([2 * hit / (positives + factor * predicted) for factor in law])
            - 2 * hit / (positives + predicted),
        )
        for dataset, hit, positives, predicted in _classifiers(counts)
        for law in _NOISE
    ]
    table = pd.DataFrame(rows, columns=["dataset", "factors", "mean_factor", "bias"]).round(_DIGITS)
    return table.assign(least_of_all=table.groupby("dataset")["bias"].transform("min"))


def _classifiers(counts):
    """Data set, true positives, positives and predicted positives of the classifiers of Figure 3."""
    for dataset, *found in counts.itertuples(index=False):
        hit, false, missed = map(int, found)
        yield dataset, hit, hit + missed, hit + false


def _bias(figure3):
    """Standard normal score of the mean error over label frequencies, of draws that leave something to chance."""
    part = figure3[figure3["std"] > _CERTAIN]
    z = (part["mean"] - part["truth"]) / (part["std"] / np.sqrt(part["draws"]))
    table = z.groupby(part["dataset"]).agg(lambda scores: scores.sum() / np.sqrt(len(scores)))
    return table.rename("z").reset_index()


def _points(statistics):
    wide = _wide_at(statistics, ["x1", "x2", "y", "labeled"], "rho")
    wide["label"] = np.where(wide.pop("labeled") == 1, "labeled", "unlabeled")
    return wide.reindex(columns=["repeat", "x1", "x2", "y", "label", "rho"])


def _wide_at(statistics, names, *keys):
    """Statistics as columns, one row for each number of a point or line, which is in the column `repeat`."""
    part = only(statistics, statistic=names)
    wide = (
        part.pivot(index=["at", *keys], columns="statistic", values="value")
        .reindex(columns=names)
        .reset_index()
    )
    return wide.rename(columns={"at": "repeat"}).rename_axis(columns=None).astype({"repeat": int})


def _figure2(statistics):
    part = only(statistics, statistic="label_frequency")
    part = part[np.isfinite(part["value"])].assign(
        method=lambda table: table["prior"].str.removeprefix("mean_score:")
    )
    grouped = part.groupby(["dataset", "model", "method", "at"])["value"]
    table = grouped.agg(["mean", "min", "max"]).join(_deciles(grouped)).reset_index()
    return table.rename(columns={"at": "rho"})


def _figure3(records, deviations):
    grouped = records.groupby(["dataset", "rho"])
    table = (
        grouped["estimate"]
        .agg(["mean", "size"])
        .join(grouped["estimate"].std(ddof=0).rename("std"))
    )
    table = table.join(grouped["truth"].first()).reset_index().rename(columns={"size": "draws"})
    table = table.merge(deviations, on=["dataset", "rho"])
    std = table.pop("exact_std")
    return table.assign(exact_low=table["truth"] - std, exact_high=table["truth"] + std)


def _figure3_points(records):
    part = records[records["repeat"] < _POINTS]
    return part[["dataset", "rho", "repeat", "estimate"]].reset_index(drop=True)


def _spread(records, deviations):
    """Pool simulated over exact variance, where labels leave anything to chance."""
    part = records.merge(deviations, on=["dataset", "rho"])
    part = part[part["exact_std"] > _CERTAIN]
    ratio = ((part["estimate"] - part["truth"]) / part["exact_std"]) ** 2
    table = ratio.groupby(part["dataset"]).agg(["mean", "size"]).reset_index()
    return table.rename(columns={"mean": "simulated_over_exact_variance", "size": "draws"})


def _counts(statistics):
    names = ["true_positives", "false_positives", "false_negatives"]
    wide = only(statistics, statistic=names).pivot(
        index="dataset", columns="statistic", values="value"
    )
    return wide.reset_index().rename_axis(columns=None).reindex(columns=["dataset", *names])


def _table2(statistics, printed):
    part = only(statistics, statistic="rmse").dropna(subset="variant")
    keys = "table2_" + part["dataset"].map(NAMES) + "_" + part["method"]
    # The LL score of Iris was computed without the factor M of the paper's own formula.
    keys = keys.replace("table2_iris_lee_liu_without_m", "table2_iris_lee_liu")
    part = part.assign(published=keys.map(printed).astype(float))
    part["below"] = (
        (part["value"] < part["published"]).where(part["published"].notna()).astype(float)
    )
    grouped = part.groupby(["dataset", "variant", "method"])
    table = (
        grouped["value"].agg(draws="size", mean="mean", std="std").join(_deciles(grouped["value"]))
    )
    return table.join(
        grouped.agg(published=("published", "first"), share_below=("below", "mean"))
    ).reset_index()


def _selection(rates):
    """Median, deciles and signed rank test of the share of inversions (%) at every label frequency.

    The test is the paper's, of 200 pairs: the normal approximation, at every scale.
    """
    part = rates.dropna(subset="variant").assign(percent=lambda part: 100 * part["value"])
    keys = ["dataset", "variant", "rho"]
    grouped = part.groupby([*keys, "method"])["percent"]
    table = (
        grouped.agg(median="median", mean="mean", draws="size")
        .join(_deciles(grouped))
        .reset_index()
    )
    tested = part[part["repeat"] < PAPER_REPEATS].pivot(
        index=[*keys, "repeat"], columns="method", values="percent"
    )
    if not len(tested):
        return table.assign(p_value=[])
    p_values = tested.groupby(keys).apply(
        lambda pair: signed_rank_p_value(pair["estimated_f1"], pair["lee_liu"], exact=False)
    )
    return table.merge(p_values.rename("p_value").reset_index(), on=keys)


def _end_to_end(rates):
    """Mean inversions (%) of estimated F1, by the label frequency that it uses, next to those of the LL score."""
    keys = ["dataset", "rho", "repeat"]
    rates = rates.assign(
        percent=100 * rates["value"], label_frequency=rates["prior"].str.removeprefix("mean_score:")
    )
    other = only(rates, method="lee_liu").set_index(keys)["percent"].rename("lee_liu")
    pairs = (
        only(rates, method="estimated_f1")
        .rename(columns={"percent": "estimated_f1"})
        .join(other, on=keys)
    )
    rows = []
    for key, part in pairs.groupby(["dataset", "label_frequency", "rho"]):
        gap = part["lee_liu"] - part["estimated_f1"]
        p_value = signed_rank_p_value(part["estimated_f1"], part["lee_liu"], exact=False)
        means = part[["estimated_f1", "lee_liu"]].mean()
        rows.append(
            (*key, len(part), *means, gap.mean(), (gap > 0).mean(), (gap < 0).mean(), p_value)
        )
    names = ["draws", "estimated_f1", "lee_liu", "gap", "share_better", "share_worse", "p_value"]
    return pd.DataFrame(rows, columns=["dataset", "label_frequency", "rho", *names])


def _deciles(grouped):
    return pd.DataFrame({"low": grouped.quantile(0.1), "high": grouped.quantile(0.9)})


def _medians(selection):
    part = only(selection, rho=SHOWN_RHOS)
    wide = part.pivot(
        index=["dataset", "variant", "method"], columns="rho", values="median"
    ).reset_index()
    return wide.rename(columns={rho: f"{rho:g}" for rho in SHOWN_RHOS}).rename_axis(columns=None)


def _significance(selection):
    """Find where the estimated F1 makes significantly fewer inversions: first, from where on always, and how often."""
    rows = []
    for (dataset, variant), part in selection.groupby(["dataset", "variant"]):
        mean = part.pivot(index="rho", columns="method", values="mean")
        p_value = part.drop_duplicates("rho").set_index("rho")["p_value"]
        fewer = (p_value < _LEVEL) & (mean["estimated_f1"] < mean["lee_liu"])
        exceptions = fewer.index[~fewer]
        from_on = fewer.index[fewer.index > exceptions.max()] if len(exceptions) else fewer.index
        rows.append(
            (
                dataset,
                variant,
                fewer.index[fewer].min(),
                from_on.min(),
                int(fewer.sum()),
                len(fewer),
            )
        )
    columns = [
        "dataset",
        "variant",
        "first_significant",
        "significant_from",
        "significant",
        "label_frequencies",
    ]
    return pd.DataFrame(rows, columns=columns)


def _figure5(rates):
    """Mean share of inversions (%) over all label frequencies, by error factor, and its spread over repeats."""
    part = rates[rates["model"].str.endswith("_factors")]
    keys = [part[key] for key in ("dataset", "method", "at", "repeat")]
    mean = (100 * part["value"]).groupby(keys, dropna=False).mean()
    grouped = mean.groupby(level=[0, 1, 2], dropna=False)
    table = grouped.agg(mean="mean", draws="size").join(_deciles(grouped)).reset_index()
    return table.assign(factor=table.pop("at")).sort_values(
        ["dataset", "method", "factor"], ignore_index=True
    )
