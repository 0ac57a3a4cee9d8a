"""The tables of Jain, White & Radivojac (2017), as queries on records and statistics."""

import numpy as np
import pandas as pd

from pumetrics.curves import REPAIRS
from pumetrics.inference import sign_test, signed_rank_test
from pumetrics.labeling import parameters_of
from pumetrics.recovery import recover_auc
from pumetrics_workflow.studies.boxes import box_statistics
from pumetrics_workflow.studies.candidates import side_by_side
from pumetrics_workflow.studies.jain2017 import BINS, METRICS, PAIRS
from pumetrics_workflow.studies.jain2017.ambiguities import repair_candidates
from pumetrics_workflow.verdicts import median_over_sets

__all__ = ["derived", "reproduced", "tables"]

_SAMPLE = ["dataset", "model", "labeling", "repeat"]
_KEYS = ["metric", "dataset", "beta", "method", "repair", "truth_kind"]


def tables(results):
    """Return the tables of the study by name."""
    in_figure1 = results.statistics["dataset"] == "eight_examples"
    errors = _errors(results.records[results.records["metric"].isin(METRICS)], results.priors)
    shown = errors[errors["repair"].isin(["", "envelope"])]
    tests = _sign_tests(errors)
    return {
        "figure1": _figure1(results.statistics[in_figure1]),
        "errors": shown,
        "figure2": _figure2(shown[shown["truth_kind"] == "supervised"]),
        "medians": _summary(errors, ["metric", "truth_kind", "beta", "method", "repair"]),
        "by_gap": _summary(shown[shown["method"] != "PU"], ["metric", "truth_kind", "gap", "method"]),
        "sign_tests": tests,
        "repair_candidates": repair_candidates(tests, errors),
        "by_dataset": _summary(shown, ["metric", "truth_kind", "dataset", "beta", "method"]),
        "agreement": _agreement(errors),
        "example_curves": _examples(results.statistics[~in_figure1]),
    }


def derived(tables, published):
    """Return the tables that follow from others: each set by itself, and pairs of methods over sets."""
    wide = side_by_side(tables["by_dataset"].query("truth_kind == 'supervised'"), "metric")
    return {
        "each_set": wide,
        "estimated_priors": _estimated(wide),
        "gap_steps": _gap_steps(tables["by_gap"]),
        "corrected": _corrected(wide),
        "uncorrected_areas": _side_of_areas(wide),
        "one_measured_area": _one_measured_area(tables["figure1"]),
    }


def _side_of_areas(wide):
    """Mean size of the uncorrected error, a column for each area."""
    rows = wide.reindex(columns=["dataset", "beta", "metric", "PU_size"])
    table = rows.pivot(index=["dataset", "beta"], columns="metric", values="PU_size").reindex(columns=list(METRICS))
    return table.rename_axis(columns=None).reset_index()


def _corrected(wide):
    """Errors of the paper's four corrections, a row each: median, and mean size over that of no correction."""
    keys = ["metric", "dataset", "beta"]
    parts = [
        wide[keys].assign(method=method, error=wide[method], ratio=wide[f"{method}_size"] / wide["PU_size"])
        for method in ("IR", "DR", "IE", "DE")
        if method in wide
    ]
    if not parts:
        return pd.DataFrame(columns=[*keys, "method", "error", "ratio"])
    return pd.concat(parts).dropna().sort_values([*keys, "method"], ignore_index=True)


def _one_measured_area(points):
    """Areas by true labels that belong to the measured area of Figure 1, by alpha and beta (Eq. 4)."""
    curve = points[points["method"] == "uncorrected"]
    measured = float(np.trapezoid(curve["tpr"], curve["fpr"])) if len(curve) else np.nan
    rows = [(measured, alpha, beta, recover_auc(measured, alpha=alpha, beta=beta))
            for beta in (1.0, 0.95, 0.75) for alpha in (0.0, 0.1) if measured == measured]  # fmt: skip
    table = pd.DataFrame(rows, columns=["measured", "alpha", "beta", "area"])
    return table.assign(others=[int((table["area"].sub(area).abs() > 1e-9).sum()) for area in table["area"]])


def _estimated(wide):
    """Median absolute error with real and with estimated priors over sets, and the signed rank test of the pairs."""
    rows = []
    for metric, part in wide.groupby("metric"):
        errors = part.groupby("dataset")[["IR_size", "IE_size"]].mean()
        p_value = signed_rank_test(errors["IE_size"], errors["IR_size"]).p_value
        rows.append((metric, len(errors), errors["IR_size"].median(), errors["IE_size"].median(), p_value))
    return pd.DataFrame(rows, columns=["metric", "sets", "real_priors", "estimated_priors", "p_value"])


def _gap_steps(by_gap):
    """Change of the mean absolute error from bin to bin of the error of beta - alpha, estimated priors."""
    part = by_gap.query("truth_kind == 'supervised' and method == 'IE'")
    wide = part.pivot(index="metric", columns="gap", values="absolute_error_mean").reindex(columns=list(BINS))
    steps = wide.diff(axis=1).iloc[:, 1:].reset_index().melt("metric", var_name="to", value_name="step")
    return steps.dropna().reset_index(drop=True)


def _figure1(points):
    """Points of both curves, by the labels that they are measured with."""
    method = points["statistic"].map({"roc_curve": "uncorrected", "true_roc_curve": "supervised"})
    table = points.assign(method=method).rename(columns={"at": "fpr", "value": "tpr"})
    return table[["method", "fpr", "tpr"]].sort_values("method", kind="stable")


def _figure2(errors):
    """The boxes of Figure 2: errors by beta, and by the error of beta - alpha."""
    by_beta = errors.assign(axis="beta", group=errors["beta"].map("{:g}".format))
    by_gap = errors.dropna(subset="gap").assign(axis="gap", group=lambda table: table["gap"])
    return box_statistics(pd.concat([by_beta, by_gap]), ["axis", "metric", "group", "method"], "error")


def _errors(records, priors):
    """Estimates, clipped to [0, 1] as in the paper, next to both kinds of truth."""
    table = records[[*_SAMPLE, "metric", "method", "prior", "truth_kind", "estimate", "truth"]].copy()
    table["beta"] = [parameters_of(name)["beta"] for name in table["labeling"]]
    indirect = table["method"].str.startswith("indirect:")
    table["repair"] = table["method"].str.removeprefix("indirect:").where(indirect, "")
    codes = {(prior, way): code for prior, pair in PAIRS.items() for way, code in zip((False, True), pair, strict=True)}
    table["method"] = [codes.get(pair, "PU") for pair in zip(table["prior"], indirect, strict=True)]
    # The paper's truth is one number per data set: the supervised ensemble's, here the mean over repeats.
    same = table.groupby(["metric", "dataset", "model", "beta", "truth_kind"])["truth"].transform("mean")
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
    table = errors.assign(absolute=errors["error"].abs(), failed=errors["estimate"].isna())
    return (
        table.groupby(keys)
        .agg(
            runs=("error", "size"),
            error_q25=("error", lambda error: error.quantile(0.25)),
            error_median=("error", "median"),
            error_q75=("error", lambda error: error.quantile(0.75)),
            error_mean=("error", "mean"),
            absolute_error_mean=("absolute", "mean"),
            share_failed=("failed", "mean"),
        )
        .reset_index()
    )


def _sign_tests(errors):
    """Pairs (data set, beta) in which indirect recovery has the smaller mean absolute error."""
    auc = errors[errors["metric"] == "roc_auc"].assign(absolute=lambda table: table["error"].abs())
    means = auc.groupby(["truth_kind", "method", "repair", "dataset", "beta"])["absolute"].mean()
    rows = []
    for kind in auc["truth_kind"].unique():
        for prior, (direct, indirect) in PAIRS.items():
            for repair in REPAIRS:
                if (kind, indirect, repair) not in means.index.droplevel([3, 4]):
                    continue
                difference = (means[kind, direct, ""] - means[kind, indirect, repair]).dropna()
                wins, pairs = int((difference > 1e-12).sum()), int((difference.abs() > 1e-12).sum())
                p_value = sign_test(wins, pairs) if pairs else np.nan
                rows.append(
                    {
                        "truth_kind": kind,
                        "priors": prior,
                        "repair": repair,
                        "wins": wins,
                        "pairs": pairs,
                        "p_value": p_value,
                    }
                )
    return pd.DataFrame(rows, columns=["truth_kind", "priors", "repair", "wins", "pairs", "p_value"])


def _agreement(errors):
    """Largest difference between direct recovery and indirect recovery without repair."""
    keys = ["dataset", "model", "beta", "repeat", "truth_kind"]
    auc = errors[errors["metric"] == "roc_auc"].set_index(keys)["estimate"]
    kinds = errors[errors["metric"] == "roc_auc"].set_index(keys)[["method", "repair"]]
    rows = []
    for prior, (direct, indirect) in PAIRS.items():
        first = auc[(kinds["method"] == direct).to_numpy()]
        second = auc[((kinds["method"] == indirect) & (kinds["repair"] == "none")).to_numpy()]
        rows.append({"priors": prior, "largest_difference": (first - second).abs().max()})
    return pd.DataFrame(rows)


def _examples(curves):
    """Curves of two data sets at the least beta, first repeat: uncorrected and with real priors."""
    table = curves.assign(beta=[parameters_of(name)["beta"] for name in curves["labeling"]])
    chosen = sorted(table["dataset"].unique())[:2]
    table = table[table["dataset"].isin(chosen) & (table["beta"] == table["beta"].min())]
    is_true = table["statistic"].str.startswith("true_")
    truth = table[is_true].assign(statistic=table["statistic"].str.removeprefix("true_"))
    keys = [*_SAMPLE, "statistic", "at"]
    shown = table[~is_true & table["prior"].isin(["none", "true"])]
    both = shown.merge(truth[[*keys, "value"]], on=keys, suffixes=("", "_true"))
    both = both.sort_values(["dataset", "model", "statistic", "method", "at"], ignore_index=True)
    names = {"statistic": "metric", "prior": "prior", "at": "threshold", "value": "estimate", "value_true": "truth"}
    return both[["dataset", *names]].rename(columns=names)


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    points = tables["figure1"]
    values = {}
    for name, method in (("pu", "uncorrected"), ("true", "supervised")):
        if len(curve := points[points["method"] == method]):
            values[f"figure1_{name}"] = float(np.trapezoid(curve["tpr"], curve["fpr"]))
    for metric, part in tables["each_set"].groupby("metric"):
        noisy = part[part["beta"] == part["beta"].min()].set_index("dataset")
        values[f"figure2_{metric}_pu"] = median_over_sets(part.groupby("dataset")["PU"].median())
        values[f"figure2_{metric}_noise"] = median_over_sets(noisy["PU"] - noisy["PU_clean"])
    values["agreement"] = tables["agreement"]["largest_difference"].max()
    return values
