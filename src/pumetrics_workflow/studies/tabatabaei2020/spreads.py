"""What one draw of the paper may be: Figure 5b over draws of 25 hyperplanes; generated data labeled in both ways."""

import numpy as np
import pandas as pd

from pumetrics_workflow.studies.tabatabaei2020 import SHOWN_RHOS
from pumetrics_workflow.verdicts import prediction, prediction_of_median

__all__ = ["PAPER_REPEATS", "figure5_tries", "heart_variants", "label_schemes"]

PAPER_REPEATS = 200  # pairs of the signed rank test, and medians of Figure 4
_SCHEMES = {"exact": "exactly rho P labels", "independent": "as published"}
_TRIES = [
    "dataset", "factor", "draws", "mean", "std", "lower", "upper", "difference", "difference_lower",
    "difference_upper", "share_worse", "share_worse_here_and_at_half",
]  # fmt: skip
_HEART = [
    "dataset", "positive", "test_share", "test_positives", "method", "draws", "mean", "lower", "upper", "printed",
    "inside", "share_below",
]  # fmt: skip


def figure5_tries(statistics):
    """Return the mean inversions (%) of one draw of few classifiers, over draws, by error factor.

    ``lower`` and ``upper``: 95% prediction interval of one draw; ``difference``: estimated F1 less LL score, with its
    quantiles at 2.5% and 97.5%, as its law is skewed; ``share_worse``: draws in which it is above 0, and
    ``share_worse_here_and_at_half`` those in which it is so at 0.5 too.
    """
    part = statistics[statistics["statistic"] == "mean_inversions"]
    rows = []
    for dataset, table in part.groupby("dataset"):
        wide = 100 * table.pivot(index="repeat", columns=["method", "at"], values="value")
        other, estimated = wide["lee_liu"].iloc[:, 0], wide["estimated_f1"]
        worse = estimated.gt(other, axis=0)
        for factor in sorted(estimated):
            values, gap = estimated[factor], estimated[factor] - other
            ends = prediction(values.mean(), values.std(), len(values))
            shares = worse[factor].mean(), (worse[factor] & worse[0.5]).mean()
            rows.append(
                (
                    dataset,
                    factor,
                    len(values),
                    values.mean(),
                    values.std(),
                    *ends,
                    gap.mean(),
                    *gap.quantile([0.025, 0.975]),
                    *shares,
                )
            )
        ends = prediction(other.mean(), other.std(), len(other))
        rows.append((dataset, np.nan, len(other), other.mean(), other.std(), *ends, *[np.nan] * 5))
    return pd.DataFrame(rows, columns=_TRIES)


def heart_variants(statistics, printed):
    """Return the errors of Table 2 on heart disease by file, positive class and share of the rows that test.

    ``lower`` and ``upper``: 95% prediction interval of one draw, wider by half a unit of print; ``share_below``: draws
    below the printed number.
    """
    part = statistics[statistics["model"].str.startswith("heart:")]
    counts = part[part["statistic"] == "test_positives"].groupby(["dataset", "model"])["value"].first()
    errors = part[(part["statistic"] == "rmse") & part["method"].isin(["estimated_f1", "lee_liu"])]
    rows = []
    for (dataset, model, method), values in errors.groupby(["dataset", "model", "method"])["value"]:
        _, positive, parts = model.split(":")
        low, high = prediction(values.mean(), values.std(), len(values))
        low, high, goal = low - 0.0005, high + 0.0005, printed[method]
        place = dataset, positive, 1 / int(parts), int(counts[dataset, model]), method, len(values)
        rows.append((*place, values.mean(), low, high, goal, bool(low <= goal <= high), (values < goal).mean()))
    return pd.DataFrame(rows, columns=_HEART)


def label_schemes(tables, published):
    """Return Table 2 and Figure 4a on generated data with exactly rho P labels and with independent ones.

    The paper's text says the first, its published code does the second. Intervals are prediction intervals of one
    replication of the paper's size.
    """
    printed = published.set_index("id")["published"]
    rows = []
    errors, medians = (
        table[table["dataset"] == "generated"].set_index(["variant", "method"]).sort_index()
        for table in (tables["table2"], tables["figure4"])
    )
    for method in ("estimated_f1", "lee_liu"):
        pair = {
            name: errors.loc[(variant, method)]
            for name, variant in _SCHEMES.items()
            if (variant, method) in errors.index
        }
        found = {
            name: (row["mean"], *prediction(row["mean"], row["std"], int(row["draws"]))) for name, row in pair.items()
        }
        rows.append(("RMSE", method, 0.3, printed[f"table2_generated_{method}"], 0.001, found))
    for method in ("estimated_f1", "lee_liu"):
        for rho in SHOWN_RHOS:
            found = {}
            for name, variant in _SCHEMES.items():
                part = medians.loc[[key for key in [(variant, method)] if key in medians.index]]
                for row in part[np.isclose(part["rho"], rho)].itertuples():
                    ends = prediction_of_median(row.median, row.low, row.high, row.draws, PAPER_REPEATS)
                    found[name] = row.median, *ends
            rows.append(("median inversions (%)", method, rho, printed[f"figure4a_{method}_{rho:g}"], 0.1, found))
    return pd.DataFrame([_row(*row) for row in rows])


def _row(what, method, rho, printed, unit, found):
    row = {"what": what, "method": method, "rho": rho, "printed": printed}
    for name in _SCHEMES:
        value, low, high = found.get(name, (np.nan,) * 3)
        ends = {"lower": low - unit / 2, "upper": high + unit / 2}
        inside = bool(ends["lower"] <= printed <= ends["upper"])
        row |= {name: value, **{f"{name}_{end}": place for end, place in ends.items()}, f"{name}_inside": inside}
    exact, independent = (found.get(name, (np.nan,))[0] for name in _SCHEMES)
    return row | {"ratio_of_squares": (independent / exact) ** 2}
