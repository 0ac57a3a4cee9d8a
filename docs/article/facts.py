"""Numbers of the article's sentences, read from the kept tables; a dash where a scale does not have them."""

import numpy as np
import pandas as pd

from pumetrics_workflow.studies import Tables
from pumetrics_workflow.studies.rider2013 import SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import printed_cells

__all__ = ["accuracy_sign", "clipping", "derived", "facts", "svm_readings"]

NONE = "–"


def derived(name, tables):
    """Return the tables of a study, with those that only the article's findings need."""
    more = {
        "claesen2015": {"clipping": (clipping, ("figure4_areas",))},
        "ramola2019": {"accuracy_sign": (accuracy_sign, ("by_dataset", "prior_errors"))},
        "rider2013": {"svm_distances": (svm_readings, ("cells", "published"))},
    }.get(name, {})
    made = {key: make(*(tables[table] for table in needed)) for key, (make, needed) in more.items()}
    return Tables({**tables, **made})


def clipping(areas):
    """Return which areas change order between the least and the greatest alpha, for both pairs of models of Figure 4.

    Parameters
    ----------
    areas : DataFrame
        Columns ``model``, ``alpha_hat``, ``roc_auc``, ``average_precision``, ``best_f1``, ``clipped_share``.
    """
    rows = []
    for pair, models in {"as printed": ["model 1", "model 2"], "never clipped": ["model 3", "model 4"]}.items():
        part = areas[areas["model"].isin(models)] if len(areas) else areas
        if not len(part):
            continue
        wide = part.pivot(index="alpha_hat", columns="model", values=["roc_auc", "average_precision", "best_f1"])
        signs = {
            f"{metric}_flips": np.sign(np.diff(wide[metric][models].to_numpy(), axis=1).ravel())
            for metric in ("roc_auc", "average_precision", "best_f1")
        }
        flips = {key: bool(sign[0] * sign[-1] < 0) for key, sign in signs.items()}
        rows.append({"pair": pair, "clipped_share": part["clipped_share"].max(), **flips})
    return pd.DataFrame(rows)


def accuracy_sign(by_dataset, prior_errors):
    """Return the largest alpha with too low, and the least with too high uncorrected accuracy, in one row.

    Parameters
    ----------
    by_dataset, prior_errors : DataFrame
        Median errors of the maxima, and true priors, by data set and beta. One row of NaN where there is no such set.
    """
    if not len(by_dataset) or not len(prior_errors):
        return pd.DataFrame()
    part = by_dataset[(by_dataset["measure"] == "accuracy") & (by_dataset["method"] == "PU")]
    alpha = prior_errors.groupby(["dataset", "beta_nominal"])["alpha_true"].mean().reset_index()
    both = part.merge(alpha, left_on=["dataset", "beta"], right_on=["dataset", "beta_nominal"])
    low, high = (both.loc[both["error_median"] * sign > 0, "alpha_true"] for sign in (-1, 1))
    return pd.DataFrame({"too_low_up_to": [low.max()], "too_high_from": [high.min()]})


def svm_readings(cells, published):
    """Return the mean distance of the SVM's p-values from the printed ones, by table and reading of its scores.

    Parameters
    ----------
    cells, published : DataFrame
        As kept for Rider et al.: cells of Tables 2a and 2b, and the printed numbers.
    """
    cells = cells[cells["verdict"].notna()] if len(cells) else cells
    if not len(cells):
        return pd.DataFrame()
    both = cells.merge(printed_cells(published), on=["table", "mechanism", "classifier", "fraction"])
    both = both[(both["classifier"] == "svm") & (both["fraction"] > 0)]
    both = both.assign(distance=(both["p_over"] - both["p_printed"]).abs(), reading=both["svm"].map(SVM_READINGS))
    return both.groupby(["table", "reading"])["distance"].mean().reset_index()


def facts(name, tables):
    """Return the numbers of a study as text, by the name used in braces.

    Parameters
    ----------
    name : str
    tables : pumetrics_workflow.studies.Tables
        As :func:`derived` returns them.
    """
    return {
        "claesen2015": _claesen,
        "rider2013": _rider,
        "jain2017": _jain,
        "ramola2019": _ramola,
        "tabatabaei2020": _tabatabaei,
    }.get(name, lambda tables: {})(tables)


def _claesen(tables):
    areas = tables["figure4_areas"].query("alpha_hat == alpha_hat.max()").set_index("model")
    return {
        **{f"model{n}": f"{areas['roc_auc'][f'model {n}']:.1f}" for n in (1, 2)},
        **{f"model{n}_unclipped": f"{areas['roc_auc_unclipped'][f'model {n}']:.1f}" for n in (1, 2)},
        "inside": _inside(tables["figure5_areas"]),
    }


def _inside(areas):
    part = areas.query("dataset == 'claesen_covertype_scores' and method == 'bootstrap'")
    return _text(part["rank_cdf_inside"].iloc[0], ".0%") if len(part) else NONE


def _rider(tables):
    signs, readings = tables["sign_of_table2b"], tables["svm_distances"]
    rows = signs[(signs["svm"] == "0/1") & (signs["mechanism"] == "all")].set_index("table") if len(signs) else signs
    columns = {"bold": "significant_printed", "same": "leaning_the_same_way", "other": "leaning_the_other_way"}
    counts = {
        f"{key}_{table}": str(int(rows[column][table])) if table in rows.index else NONE
        for key, column in columns.items()
        for table in ("2a", "2b")
    }
    first = readings[readings["table"] == "2a"].sort_values("distance") if len(readings) else readings
    distances = "; ".join(f"{row.reading} {row.distance:.2f}" for row in first.itertuples())
    return {**counts, **_rider_sizes(tables["sizes"]), "distances": distances or NONE}


def _rider_sizes(sizes):
    """How much the areas of C4.5 fall where most positives are hidden completely at random."""
    part = sizes.query("kind == 'uncorrected' and mechanism == 'bcar' and model == 'c45'")
    last = part[part["fraction"] == part["fraction"].max()].set_index("metric")
    lost = {"bcar_auroc": -last["mean"]["roc_auc"], "bcar_aupr": -last["mean"]["average_precision"]}
    return {"most_hidden": f"{100 * last['fraction'].iloc[0]:.0f}", **{key: _text(lost[key], ".2f") for key in lost}}


def _jain(tables):
    tests = tables["sign_tests"]
    tests = tests[(tests["truth_kind"] == "supervised") & (tests["priors"] == "true")].set_index("repair")
    wins = {
        repair: f"{tests['wins'][repair]:.0f} of {tests['pairs'][repair]:.0f}" for repair in ("envelope", "monotone")
    }
    return {**wins, "largest_difference": _scientific(tables["agreement"]["largest_difference"].max())}


def _ramola(tables):
    priors, sign = tables["prior_errors"], tables["accuracy_sign"].iloc[0]
    clean = priors[priors["beta_nominal"] == 1].set_index("method")
    small = clean.loc[["CE"]].query("alpha_true < 0.05")["alpha"]
    return {
        "too_low_up_to": _text(sign["too_low_up_to"], ".3f"),
        "too_high_from": _text(sign["too_high_from"], ".2f"),
        "beta_error": _text(-clean.loc[["CE"], "beta_error_median"].median(), ".2f"),
        "beta_error_plus": _text(-clean.loc[["CE+"], "beta_error_median"].median(), ".3f"),
        "small_alpha": f"At an alpha below 0.05 it returns {small.mean():.2f} on average." if len(small) else "",
    }


def _tabatabaei(tables):
    medians = tables["medians"].query("dataset == 'generated' and method == 'estimated_f1'").set_index("variant")["0.1"]
    errors = tables["table2"].query("dataset == 'generated' and method == 'lee_liu'").set_index("variant")["mean"]
    f1 = tables["rmse"].query("dataset == 'generated'").set_index("variant")["estimated_f1"]
    heart = tables["medians"].query("dataset == 'heart_c'").set_index("method")
    levels = heart[[column for column in heart if column[0].isdigit()]]
    gap = (levels.loc["estimated_f1"] - levels.loc["lee_liu"]).abs() if len(heart) else []
    counted = tables["significance"].query("dataset == 'heart_c'")
    iris = tables["table2"].query("dataset.str.startswith('iris')", engine="python").set_index("method")["mean"]
    return {
        "iris_with_m": _text(iris["lee_liu"], ".2f"),
        "iris_without_m": _text(iris["lee_liu_without_m"], ".2f"),
        "independent": _text(f1["as published"], ".3f"),
        "exact": _text(f1["exactly rho P labels"], ".3f"),
        "flipped": _text(medians["as published"], ".1f"),
        "unflipped": _text(medians["lines not turned round"], ".1f"),
        "ll_flipped": _text(errors["as published"], ".2f"),
        "ll_unflipped": _text(errors["lines not turned round"], ".2f"),
        "heart": f"{counted['significant'].iloc[0]} of {counted['label_frequencies'].iloc[0]}"
        if len(counted)
        else NONE,
        "heart_gap": _text(gap.max(), ".1f") if len(gap) else NONE,
        **_iris_draws(tables["figure5_tries"]),
    }


def _iris_draws(tries):
    """Shares of draws in which the estimated F1 is worse than LL: at half and at twice the label frequency, at both."""
    if not len(tries):
        return dict.fromkeys(("draws", "worse_half", "worse_twice", "worse_both"), NONE)
    half, twice = (tries.set_index("factor").loc[factor] for factor in (0.5, 2))
    shares = {"half": half["share_worse"], "twice": twice["share_worse"], "both": twice["share_worse_here_and_at_half"]}
    return {"draws": f"{twice['draws']:,.0f}", **{f"worse_{key}": f"{share:.0%}" for key, share in shares.items()}}


def _text(value, form):
    return NONE if value != value else format(value, form)


def _scientific(value):
    """Write 5.3e-12 as 5·10⁻¹²."""
    if value == 0:
        return "0"
    digit, exponent = f"{value:.0e}".split("e")
    return f"{digit}·10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
