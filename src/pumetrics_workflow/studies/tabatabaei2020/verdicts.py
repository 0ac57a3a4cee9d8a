"""Printed numbers next to ours: what one draw of the paper may be, and what its text leaves open."""

import numpy as np
import pandas as pd

from pumetrics_workflow.intervals import Answer, prediction, prediction_of_median
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.tabatabaei2020 import METHODS, NAMES, SHOWN_RHOS
from pumetrics_workflow.studies.tabatabaei2020.selection import RULES

__all__ = [
    "PAPER_REPEATS",
    "figure5_tries",
    "heart_variants",
    "label_schemes",
    "reproduced",
    "turning_rules",
]

PAPER_REPEATS = 200  # pairs of the signed rank test, and medians of Figure 4
_SCHEMES = {"exact": "exactly rho P labels", "independent": "as published"}
_TRIES = [
    "dataset",
    "factor",
    "draws",
    "mean",
    "std",
    "lower",
    "upper",
    "difference",
    "difference_lower",
    "difference_upper",
    "share_worse",
    "share_worse_here_and_at_half",
]
_HEART = [
    "dataset",
    "positive",
    "test_share",
    "test_positives",
    "method",
    "draws",
    "mean",
    "lower",
    "upper",
    "printed",
    "inside",
    "share_below",
]
_TURNING = [
    "dataset",
    "turned_round_if",
    "labels",
    "draws",
    "of",
    "mean_absolute_error",
    "rmse_estimated_f1",
    "rmse_lee_liu",
]
_LABELS = {"independent": "each with probability rho", "exact": "exactly rho P"}
_PANELS = {"generated": "figure4a", "iris": "figure4b", "iris_bundled": "figure4b"}
_BUNDLED = "the copy bundled with scikit-learn: two rows differ"
_PRIVATE = (
    "the health data are private; the table of errors shows a generated stand-in, named as such"
)
# Of a normal law, in standard deviations: from the first decile to the last, and from 2.5% to 97.5%.
_DECILES = 2.5631
_CENTRAL = 3.9199


def figure5_tries(statistics):
    """Return the mean inversions (%) of one draw of few classifiers, over draws, by error factor.

    ``lower`` and ``upper``: 95% prediction interval of one draw; ``difference``: estimated F1 less LL score, with its
    quantiles at 2.5% and 97.5%, as its law is skewed; ``share_worse``: draws in which it is above 0, and
    ``share_worse_here_and_at_half`` those in which it is so at 0.5 too.
    """
    rows = []
    for dataset, table in only(statistics, statistic="mean_inversions").groupby("dataset"):
        wide = 100 * table.pivot(index="repeat", columns=["method", "at"], values="value")
        other = wide["lee_liu"].iloc[:, 0]
        estimated = wide["estimated_f1"]
        worse = estimated.gt(other, axis=0)
        for factor, values in [*estimated.items(), (np.nan, other)]:
            ends = prediction(values.mean(), values.std(), len(values))
            compared = [np.nan] * 5
            if factor == factor:
                gap = values - other
                shares = (worse[factor].mean(), (worse[factor] & worse[0.5]).mean())
                compared = gap.mean(), *np.quantile(gap, [0.025, 0.975], method="weibull"), *shares
            rows.append(
                (dataset, factor, len(values), values.mean(), values.std(), *ends, *compared)
            )
    return pd.DataFrame(rows, columns=_TRIES)


def heart_variants(statistics, printed):
    """Return the errors of Table 2 on heart disease by file, positive class and share of the rows that test.

    ``lower`` and ``upper``: 95% prediction interval of one draw, that of its logarithm, wider by half a unit of print;
    ``share_below``: draws below the printed number.
    """
    part = statistics[statistics["model"].str.startswith("heart:")]
    counts = only(part, statistic="test_positives").groupby(["dataset", "model"])["value"].first()
    errors = only(part, statistic="rmse", method=METHODS)
    rows = []
    for (dataset, model, method), values in errors.groupby(["dataset", "model", "method"])["value"]:
        _, positive, parts = model.split(":")
        low, high = _of_lognormal(values.mean(), values.std(), len(values))
        low = low - 0.0005
        high = high + 0.0005
        goal = printed[f"table2_heart_{method}"]
        place = dataset, positive, 1 / int(parts), int(counts[dataset, model]), method, len(values)
        rows.append(
            (
                *place,
                values.mean(),
                low,
                high,
                goal,
                bool(low <= goal <= high),
                (values < goal).mean(),
            )
        )
    return pd.DataFrame(rows, columns=_HEART)


def label_schemes(tables, printed):
    """Return Table 2 and Figure 4a on generated data with exactly rho P labels and with independent ones.

    The paper's text says the first, its published code does the second. Intervals are prediction intervals of one
    replication of the paper's size.
    """
    found = {}
    errors, medians = (only(tables[name], dataset="generated") for name in ("table2", "figure4"))
    for row in errors.itertuples():
        ends = _of_lognormal(row.mean, row.std, int(row.draws))
        found[f"table2_generated_{row.method}", row.variant] = row.mean, *ends
    for row in medians.itertuples():
        ends = prediction_of_median(row.median, row.low, row.high, row.draws, PAPER_REPEATS)
        found[f"figure4a_{row.method}_{row.rho:g}", row.variant] = row.median, *ends
    compared = [("RMSE", name, 0.3, f"table2_generated_{name}", 0.001) for name in METHODS]
    compared += [
        ("median inversions (%)", name, rho, f"figure4a_{name}_{rho:g}", 0.1)
        for name in METHODS
        for rho in SHOWN_RHOS
    ]
    rows = []
    for what, method, rho, key, unit in compared:
        row = {"what": what, "method": method, "rho": rho, "printed": printed[key]}
        for name, variant in _SCHEMES.items():
            value, low, high = found.get((key, variant), (np.nan,) * 3)
            low = low - unit / 2
            high = high + unit / 2
            row |= {name: value, f"{name}_lower": low, f"{name}_upper": high}
            row[f"{name}_inside"] = bool(low <= printed[key] <= high)
        rows.append({**row, "ratio_of_squares": (row["independent"] / row["exact"]) ** 2})
    return pd.DataFrame(rows)


def turning_rules(statistics, printed):
    """Return which rule of turning classifiers round gives Figure 4 and Table 2, by data set and way to label.

    Parameters
    ----------
    statistics : pandas.DataFrame
        Of :func:`pumetrics_workflow.studies.tabatabaei2020.selection.turning_statistics`, with ``rho`` and ``method``
        as the tables name them.
    printed : pandas.Series
        Printed numbers by id.

    Returns
    -------
    pandas.DataFrame
        Mean absolute error of the medians of Figure 4, in percentage points, of how many, and both errors of Table 2.
    """
    rows = []
    for dataset, of_dataset in statistics[
        statistics["model"].str.contains(":", regex=False)
    ].groupby("dataset"):
        by_model = dict(iter(of_dataset.groupby("model")))
        candidates = [
            (rule, labels) for rule in RULES for labels in _LABELS if f"{rule}:{labels}" in by_model
        ]
        rows += [
            _candidate(dataset, *pair, by_model[":".join(pair)], printed) for pair in candidates
        ]
    return pd.DataFrame(rows, columns=_TURNING)


def _candidate(dataset, rule, labels, part, printed):
    """Row of one rule: its medians and errors next to the printed ones."""
    rates = only(part, statistic="inversions").groupby(["method", "rho"])["value"].median() * 100
    errors = only(part, statistic="rmse").groupby("method")["value"].mean()
    rates.index = [f"{_PANELS.get(dataset)}_{method}_{rho:g}" for method, rho in rates.index]
    apart = (rates - printed).dropna().abs()
    sizes = (
        part["repeat"].nunique(),
        len(apart),
        apart.mean(),
        *(errors.get(name, np.nan) for name in METHODS),
    )
    return dataset, RULES[rule][0], _LABELS[labels], *sizes


def reproduced(tables):
    """Return the reproduced value of each published number, some with a note."""
    values = {f"table2_health_{method}": (np.nan, _PRIVATE) for method in METHODS}
    for of_table in (_of_table2, _of_figure3, _of_figure4, _of_figure5, _of_tries):
        values |= of_table(tables)
    return values


def _note(dataset, *parts):
    """What is said of a number, and that data are not the paper's."""
    return "; ".join(filter(None, [*parts, _BUNDLED * (dataset == "iris_bundled")]))


def _of_table2(tables):
    table = only(tables["table2"], variant="as published", dataset=NAMES, method=METHODS)
    values = {}
    for row in table.dropna(subset="share_below").itertuples():
        low, high = _of_lognormal(row.mean, row.std, row.draws)
        # The paper argues from the difference of the two scores.
        gap = only(table, dataset=row.dataset)["published"].diff().abs().max()
        is_wide = high - low > gap
        wide = "says little: the interval is wider than the printed gap" if is_wide else ""
        share = f"mean of {row.draws} draws, {row.share_below:.0%} of them below the printed number"
        basis = f"table2: {row.draws} draws of ours, one of the paper's"
        key = f"table2_{NAMES[row.dataset]}_{row.method}"
        values[key] = Answer(row.mean, _note(row.dataset, share, wide), low, high, basis)
    return values


def _of_lognormal(mean, std, draws):
    """Prediction interval of an error, which is above 0 and skewed: that of its logarithm."""
    variance = np.log1p((std / mean) ** 2)
    return np.exp(prediction(np.log(mean) - variance / 2, np.sqrt(variance), draws))


def _of_figure3(tables):
    values = {}
    names = ["iris", "generated"]
    for row in only(tables["counts"], dataset="iris").to_dict("records"):
        values |= {
            f"figure3_iris_{name}": count for name, count in row.items() if name != "dataset"
        }
    for row in only(tables["figure3"], dataset=names).drop_duplicates("dataset").itertuples():
        values[f"figure3_{row.dataset}_f1"] = row.truth
    for row in only(tables["spread"], dataset=names).itertuples():
        # of the square of a standard normal
        ratio = row.simulated_over_exact_variance
        deviation = np.sqrt(2)
        ends = prediction(ratio, deviation, row.draws, theirs=np.inf)
        values[f"figure3_{row.dataset}_variance"] = Answer(
            ratio, "", *ends, f"spread: {row.draws} label draws"
        )
    return values


def _of_figure4(tables):
    values = {}
    for row in only(tables["figure4"], variant="as published", dataset=_PANELS).itertuples():
        if any(np.isclose(row.rho, SHOWN_RHOS)):
            ends = prediction_of_median(row.median, row.low, row.high, row.draws, PAPER_REPEATS)
            basis = f"figure4: deciles of {row.draws} draws; the paper's {PAPER_REPEATS}"
            key = f"{_PANELS[row.dataset]}_{row.method}_{row.rho:g}"
            values[key] = Answer(row.median, _note(row.dataset), *ends, basis)
    return values


def _of_figure5(tables):
    """Differences of two means with 95% intervals, from the deciles as of a normal law and as if not paired."""
    values = {}
    table = only(tables["figure5"], dataset=NAMES)
    others = only(table, method="lee_liu").set_index("dataset")
    for row in only(table, method="estimated_f1").to_dict("records"):
        other = others.loc[row["dataset"]]
        draws = row["draws"]
        deviation = np.hypot(*((each["high"] - each["low"]) / _DECILES for each in (row, other)))
        difference = row["mean"] - other["mean"]
        ends = prediction(difference, deviation, draws, theirs=np.inf)
        note = _note(row["dataset"], f"{row['mean']:.2f} % against {other['mean']:.2f} %")
        basis = f"figure5: deciles of {draws} repeats, not paired, so rather too wide"
        values[f"figure5_{NAMES[row['dataset']]}_{row['factor']:g}"] = Answer(
            difference, note, *ends, basis
        )
    return values


def _of_tries(tables):
    """Figure 5b, of draws of 25 hyperplanes: which score is worse on average, means, and the mean of two further runs.

    The paper has one draw, which is compared with the spread of one; the sign is that of the mean over draws.
    """
    tries = tables["figure5_tries"]
    values = {}
    for row in tries.dropna(subset="factor").itertuples() if len(tries) else ():
        basis = f"figure5_tries: {row.draws} draws of 25 hyperplanes"
        note = _note(row.dataset)
        worse = _note(row.dataset, f"the estimate is worse in {row.share_worse:.0%} of draws of 25")
        # The mean over draws, as in Figure 5a, not the spread of one draw.
        deviation = (row.difference_upper - row.difference_lower) / _CENTRAL
        ends = prediction(row.difference, deviation, row.draws, theirs=np.inf)
        values[f"figure5_iris_{row.factor:g}"] = Answer(row.difference, worse, *ends, basis)
        for name, theirs in (("mean", 1), ("tries", 2)):
            if name == "mean" or row.factor in (
                1,
                2,
            ):  # the factors of which the two other runs are known
                ends = prediction(row.mean, row.std, row.draws, theirs)
                values[f"figure5_iris_{name}_{row.factor:g}"] = Answer(row.mean, note, *ends, basis)
    return values
