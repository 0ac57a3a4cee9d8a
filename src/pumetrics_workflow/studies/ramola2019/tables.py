"""The tables of Ramola, Jain & Radivojac (2019), as queries on records."""

import numpy as np
import pandas as pd

from pumetrics.labeling import noisy_sizes
from pumetrics_workflow.intervals import median_over_sets
from pumetrics_workflow.sample_sizes import LargestSample
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.all_sets import of_all_sets
from pumetrics_workflow.studies.queries import (
    box_statistics,
    holm,
    means,
    only,
    quartiles,
    rule_cases,
    side_by_side,
    with_parameters,
    with_verdicts,
)
from pumetrics_workflow.studies.ramola2019 import CLIPS, MEASURES, METHODS

__all__ = [
    "class_choice_signs",
    "class_choices",
    "derived",
    "reproduced",
    "tables",
    "theorem_cases",
]

CASES = 100_000  # of Theorem 2.1
LABELED_RATIO = 0.1  # Section 3.3
_FLOAT = 1e-9
_REGISTERED = "as registered"
_EXCHANGED = "classes exchanged"
_NOISE_NOTES = {
    "accuracy": "where uncorrected accuracy is best with no example predicted positive, its error is pi - c at any beta"
}


def tables(results):
    """Return the tables of the study by name."""
    exact = results.records[results.records["dataset"] == "two_gaussians"]
    maxima = _errors(results.records[results.records["metric"].str.startswith("max_")])
    choices = class_choices(maxima, results.priors, results.statistics, results.cards)
    return {
        "figure1": _figure1(exact),
        "figure1_maxima": _maxima(exact),
        "errors": maxima,
        "figure2": box_statistics(maxima, ["measure", "beta", "method"], "error"),
        "by_dataset": _summary(maxima, ["dataset", "measure", "beta", "method"]),
        "prior_errors": _prior_errors(results.priors),
        "class_choice_signs": class_choice_signs(choices),
        "class_choices": choices,
        "all_sets": _all_sets(results.statistics),
    }


def _all_sets(statistics):
    """Errors on all sets, and whether alpha is above the ratio of labeled to unlabeled examples."""
    table = of_all_sets(statistics, "measure")
    return table.assign(above_ratio=table["alpha"] > LABELED_RATIO)


def derived(tables, published):
    """Return the tables that follow from others or from nothing: each set, methods side by side; random cases."""
    wide = side_by_side(tables["by_dataset"], "measure")
    return {
        "each_set": wide,
        "theorem_cases": theorem_cases(),
        "trivial_predictor": _trivial_predictor(tables["figure1"], tables["figure1_maxima"]),
        "errors_by_alpha": _errors_by_alpha(wide, tables["prior_errors"]),
        "best_thresholds": _best_thresholds(tables["figure1_maxima"]),
    }


def _trivial_predictor(curves, maxima):
    """Each measure of the predictors that answer positive almost always and almost never, and the best value."""
    rows = []
    for measure, part in curves.groupby("measure", sort=False):
        lowest = part.loc[part["tau"].idxmin()]
        never = part.loc[part["tau"].idxmax(), "observed"]
        best = only(maxima, measure=measure, against="estimate")["maximum"].max()
        rows.append((measure, lowest["tau"], lowest["true"], lowest["observed"], never, best))
    columns = ["measure", "tau", "true", "observed", "never_observed", "best_observed"]
    return pd.DataFrame(rows, columns=columns)


def _best_thresholds(maxima):
    """The best thresholds by true and by observed labels, and how far they are apart."""
    wide = maxima.pivot(index="measure", columns="against", values="tau")
    wide = wide.reindex(columns=["truth", "estimate"]).rename_axis(columns=None).reset_index()
    return wide.assign(apart=(wide["truth"] - wide["estimate"]).abs())


def _errors_by_alpha(wide, prior_errors):
    """Rank correlation over sets of alpha with the mean size of the uncorrected error, over levels of noise.

    ``p_holm`` is adjusted for the number of measures (Holm 1979).
    """
    from scipy.stats import spearmanr

    alphas = prior_errors.groupby("dataset")["alpha_true"].mean()
    rows = []
    for measure, part in wide.groupby("measure"):
        sizes = part.groupby("dataset")["PU_size"].mean()
        found = spearmanr(alphas[sizes.index], sizes) if len(sizes) > 2 else None
        rows.append((measure, len(sizes), *(found or (np.nan, np.nan))))
    table = pd.DataFrame(rows, columns=["measure", "sets", "rank_correlation", "p_value"])
    return table.assign(p_holm=holm(table["p_value"].to_numpy(dtype=float)))


def _figure1(exact):
    """Every tenth threshold of the curves: enough to draw."""
    table = exact.rename(
        columns={
            "threshold": "tau",
            "metric": "measure",
            "estimate": "observed",
            "truth": "true",
        }
    )
    table = table[["measure", "tau", "true", "observed"]].sort_values(
        ["measure", "tau"], ignore_index=True
    )
    return table.groupby("measure", sort=False).nth(slice(0, None, 10)).reset_index(drop=True)


def _maxima(exact):
    rows = []
    for measure, part in exact.groupby("metric"):
        for against in ("truth", "estimate"):
            best = part.loc[part[against].idxmax()]
            rows.append(
                {
                    "measure": measure,
                    "against": against,
                    "maximum": best[against],
                    "tau": best["threshold"],
                }
            )
    return pd.DataFrame(rows, columns=["measure", "against", "maximum", "tau"])


def _errors(records):
    """Maxima, clipped as in the paper, next to the truth at the threshold that maximized the raw estimate."""
    table = with_parameters(records, "beta").assign(
        measure=records["metric"].str.removeprefix("max_"),
        method=records["prior"].map(METHODS),
    )
    ends = (
        table["measure"].map({name: clip[end] for name, clip in CLIPS.items()}).astype(float)
        for end in (0, 1)
    )
    table["clipped"] = table["estimate"].clip(*ends)
    table["error"] = table["clipped"] - table["truth"]
    table["threshold"] = table["threshold"].map(
        repr
    )  # all digits: with fewer it would lose its own row
    keys = ["dataset", "model", "measure", "beta", "method", "repeat"]
    return table[[*keys, "estimate", "clipped", "truth", "error", "threshold"]].sort_values(
        keys, ignore_index=True
    )


def _summary(errors, keys):
    """Median, quartiles, mean absolute error, and the shares of estimates that were clipped or failed."""
    table = errors.assign(
        absolute=errors["error"].abs(),
        clipped=errors["estimate"].notna() & (errors["estimate"] != errors["clipped"]),
        failed=errors["estimate"].isna(),
    )
    shares = {f"share_{name}": (name, "mean") for name in ("clipped", "failed")}
    first = {"runs": ("error", "size"), "truth_median": ("truth", "median"), **quartiles("error")}
    return (
        table.groupby(keys)
        .agg(**first, absolute_error_mean=("absolute", "mean"), **shares)
        .reset_index()
    )


def _prior_errors(priors):
    """Estimates of alpha and beta, their truth and errors by data set, level of noise and method."""
    table = with_parameters(priors, beta_nominal="beta")
    table = table.assign(
        method=table["method"].map(METHODS), failed=table["status"].str.startswith("failed")
    )
    columns = {}
    for name in ("alpha", "beta"):
        table[f"{name}_error"] = table[name] - table[f"{name}_true"]
        columns |= means(f"{name}_true", name)
        columns |= {f"{name}_error_median": (f"{name}_error", "median")}
        columns |= {f"{name}_error_absolute": (f"{name}_error", lambda error: error.abs().mean())}
    grouped = table.groupby(["dataset", "beta_nominal", "method"])
    return grouped.agg(**columns, **means("failed")).reset_index()


def class_choices(errors, priors, statistics, cards):
    """Return every data set with each class as the positive one: alpha, and the sign of the error of accuracy.

    Without label noise the error at a threshold is expected to be (1 - c) alpha (1 - 2 tpr): too high if more than half
    of the positives are missed. Labeled examples are at most 1 / alpha times as dense as unlabeled ones, so where alpha
    is above the ratio of labeled to unlabeled examples accuracy is best with no example predicted positive, whatever
    the model, and then it is too high. Below, it depends on how many positives a model finds.

    Parameters
    ----------
    errors : pandas.DataFrame
        Errors of the maxima, of the positive classes in the registry; those without label noise are used.
    priors : pandas.DataFrame
        The true alpha of the same samples.
    statistics : pandas.DataFrame
        ``error_exchanged`` at alpha: the same with the classes exchanged.
    cards : dict of str to dict
        ``classes`` of a card are the rows of each class; single classes that are no measured choice have only an alpha,
        at the paper's sizes.
    """
    part = only(errors, measure="accuracy", method="PU", beta=1)
    registered = (
        part.groupby("dataset")["error"].agg(runs="size", error_median="median").reset_index()
    )
    alphas = only(priors, labeling="beta=1").groupby("dataset")["alpha_true"].mean()
    registered = registered.assign(choice=_REGISTERED, alpha=registered["dataset"].map(alphas))
    swapped = only(statistics, statistic="error_exchanged").groupby("dataset")
    exchanged = swapped.agg(
        runs=("value", "size"), error_median=("value", "median"), alpha=("at", "mean")
    )
    table = pd.concat(
        [registered, exchanged.reset_index().assign(choice=_EXCHANGED), _single_classes(cards)]
    )
    table = only(table, dataset=list(registered["dataset"]))
    order = table["dataset"].map(list(cards).index)
    table = table.iloc[np.argsort(order.to_numpy(), kind="stable")].reset_index(drop=True)
    columns = [
        "dataset",
        "choice",
        "alpha",
        "runs",
        "error_median",
        "sign",
        "implied_by_alpha",
        "changes_sign",
    ]
    return _with_signs(table)[columns]


def _with_signs(table):
    """Signs that were measured, signs that alpha alone implies, and whether a choice turns that of the registry."""
    measured = np.where(table["error_median"] > 0, "too high", "too low")
    table["sign"] = np.where(table["error_median"].notna(), measured, "")
    table["implied_by_alpha"] = np.where(
        table["alpha"] > LABELED_RATIO, "too high", "depends on the model"
    )
    before = table["dataset"].map(only(table, choice=_REGISTERED).set_index("dataset")["sign"])
    now = table["sign"].where(table["sign"] != "", table["implied_by_alpha"])
    changes = np.where(now == before, "no", "yes")
    table["changes_sign"] = np.where(now == "depends on the model", "open", changes)
    return table


def _single_classes(cards):
    """Alpha of each class of more than two, alone against the rest, where it is large enough for the paper's sizes."""
    rows = []
    for name, card in cards.items():
        classes = card.get("classes", [])
        positives = card.get("positives")
        for size in classes if len(classes) > 2 else []:
            rest = sum(classes) - size
            try:
                sizes, _ = noisy_sizes(size, rest, 1.0, *LargestSample().sizes(size, rest))
            except ValueError:
                continue
            if positives not in (size, rest):
                alpha = sizes[2] / (sizes[2] + sizes[3])
                rows.append(
                    {"dataset": name, "choice": f"the class of {size:,} rows", "alpha": alpha}
                )
    return pd.DataFrame(rows, columns=["dataset", "choice", "alpha"])


def class_choice_signs(choices):
    """Return the candidates, ways to choose the positive class, and on how many data sets accuracy is too high.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of :func:`class_choices`.

    Returns
    -------
    pandas.DataFrame
        The error is how far accuracy is below the truth, 0 where it is too high, as the paper says.
    """
    known = choices[choices["sign"] != ""]
    both = known[known.groupby("dataset")["choice"].transform("size") == 2].sort_values(
        "alpha", kind="stable"
    )
    above = known["alpha"] > LABELED_RATIO
    ways = {
        "as in the registry": only(known, choice=_REGISTERED),
        "classes exchanged": only(known, choice=_EXCHANGED),
        "smaller alpha of the two": both.groupby("dataset").head(1),
        "larger alpha of the two": both.groupby("dataset").tail(1),
        f"any with alpha above {LABELED_RATIO:g}": known[above],
        f"any with alpha of {LABELED_RATIO:g} or less": known[~above],
    }
    rows = [
        (
            way,
            int((part["sign"] == "too high").sum()),
            len(part),
            (-part["error_median"]).clip(lower=0).mean(),
        )
        for way, part in ways.items()
    ]
    return with_verdicts(
        pd.DataFrame(rows, columns=["choice", "holds", "of", "mean_absolute_error"])
    )


def theorem_cases(n=CASES):
    """Return how many of `n` random cases violate each part of Theorem 2.1, and the largest difference or excess.

    A table that needs no run.

    Measures by true and by observed labels come from the joint shares of label and prediction, not from the theorem.
    Cases with alpha within 0.01 of beta are left out: the equations divide by beta - alpha.
    """
    rng = rng_for(0, "ramola2019", "theorem", "cases")
    alpha, beta = np.sort(rng.random((2, n)), axis=0)
    c, tpr, fpr = rng.uniform(0.001, 0.999, (3, n))
    kept = beta - alpha > 0.01
    alpha, beta, c, tpr, fpr = (values[kept] for values in (alpha, beta, c, tpr, fpr))
    pi = c * beta + (1 - c) * alpha
    labeled, unlabeled = (share * tpr + (1 - share) * fpr for share in (beta, alpha))
    true = _measures(pi, tpr, fpr)
    observed = _measures(c, labeled, unlabeled)
    ratio = np.sqrt(pi * (1 - pi) / (c * (1 - c))) / (beta - alpha)
    better = observed["balanced_accuracy"] >= 0.5
    balanced = (2 * observed["balanced_accuracy"] - 1) / (2 * (beta - alpha)) + 0.5
    excess = {measure: observed[measure] - true[measure] for measure in true}
    equal = "equals its recovery"
    under = "is underestimated by observed labels"
    rows = [
        ("balanced_accuracy", equal, np.abs(balanced - true["balanced_accuracy"])),
        ("balanced_accuracy", under, excess["balanced_accuracy"][better]),
        ("mcc", equal, np.abs(ratio * observed["mcc"] - true["mcc"])),
        ("mcc", under, np.sign(true["mcc"]) * excess["mcc"]),
    ]
    return rule_cases(rows, ["measure", "part"], tolerance=_FLOAT)


def _measures(share, tpr, fpr):
    """Balanced accuracy and MCC of a prediction, by the share of positives and both rates."""
    tp = share * tpr
    fp = (1 - share) * fpr
    fn = share - tp
    tn = 1 - share - fp
    mcc = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {"balanced_accuracy": (tpr + 1 - fpr) / 2, "mcc": mcc}


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    values = {}
    for row in tables["figure1_maxima"].itertuples():
        kind = {"truth": "true", "estimate": "pu"}[row.against]
        for prefix in ("", "exact_"):  # as printed, and to the digits that we computed
            values[f"{prefix}figure1_{row.measure}_{kind}"] = row.maximum
            values[f"{prefix}figure1_{row.measure}_{kind}_tau"] = row.tau
    for measure, part in only(tables["each_set"], measure=MEASURES).groupby("measure"):
        noisy = only(part, beta=part["beta"].min()).set_index("dataset")
        by_set = part.groupby("dataset")[["PU", "CE"]].median()
        values[f"figure2_{measure}_pu"] = median_over_sets(
            by_set["PU"], _exceptions(by_set["PU"], measure)
        )
        values[f"figure2_{measure}_ce"] = median_over_sets(by_set["CE"], _largest(by_set["CE"]))
        change = noisy["PU"].abs() - noisy["PU_clean"].abs()
        values[f"figure2_{measure}_noise"] = median_over_sets(change, _NOISE_NOTES.get(measure, ""))
    return values


def _exceptions(medians, measure):
    """Name the data sets whose uncorrected error has the opposite sign of that in the paper."""
    odd = medians[medians < 0] if measure == "accuracy" else medians[medians > 0]
    return f"other sign on {', '.join(odd.index)}" if len(odd) else ""


def _largest(medians):
    """Name the set with the largest error."""
    return (
        f"largest on {medians.abs().idxmax()}, {medians[medians.abs().idxmax()]:+.3f}"
        if len(medians)
        else ""
    )
