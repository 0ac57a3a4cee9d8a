"""Which repair of the recovered curve gives the published p-values: the paper's own is in its supplement."""

import pandas as pd

from pumetrics.inference import sign_test
from pumetrics_workflow.studies.candidates import with_verdicts
from pumetrics_workflow.studies.jain2017 import PAIRS

__all__ = ["PRINTED", "repair_candidates"]

# Pairs won by indirect recovery and pairs, by priors: 31 and 26 of 36 give the printed 6.5e-6 and 5.7e-3.
PRINTED = {"true": (31, 36), "alphamax": (26, 36)}
_LEVEL = 0.05
_AREA = "area clipped"


def repair_candidates(tests, errors):
    """Return the candidates, each a repair and a kind of truth.

    Parameters
    ----------
    tests : pandas.DataFrame
        Pairs won by each repair: truth_kind, priors, repair, wins, pairs, p_value.
    errors : pandas.DataFrame
        Errors of the areas, for one more candidate: direct recovery with its area clipped to [0, 1] against direct
        recovery without, which needs no curve.

    Returns
    -------
    pandas.DataFrame
        For the real and the estimated priors two numbers are compared: whether p is below 0.05, and whether Fisher's
        exact test at 0.05 distinguishes the share of pairs won from the printed one. The error is that of this share.
    """
    tests = pd.concat([tests, _area_clipped(errors)], ignore_index=True)
    rows = []
    for (kind, repair), part in tests.groupby(["truth_kind", "repair"], sort=False):
        found = {row.priors: row for row in part.itertuples() if row.priors in PRINTED}
        compared = {prior: _compared(row, *PRINTED[prior]) for prior, row in found.items()}
        errors_of_share = pd.Series([error for *_, error in compared.values()], dtype=float)
        row = {"repair": repair, "truth_kind": kind}
        for prior in PRINTED:
            row[f"won_{prior}"] = f"{found[prior].wins} of {found[prior].pairs}" if prior in found else ""
            row[f"p_{prior}"] = found[prior].p_value if prior in found else float("nan")
        row["holds"] = sum(low + near for low, near, _ in compared.values())
        rows.append({**row, "of": 2 * len(compared), "mean_absolute_error": errors_of_share.mean()})
    columns = ["repair", "truth_kind", *(f"{what}_{prior}" for prior in PRINTED for what in ("won", "p"))]
    return with_verdicts(pd.DataFrame(rows, columns=[*columns, "holds", "of", "mean_absolute_error"]))


def _compared(row, wins, pairs):
    """Whether p is below the level, whether the share won agrees with the printed one, and its absolute error."""
    from scipy.stats import fisher_exact

    if not row.pairs:  # equal everywhere: nothing is won
        return False, False, float("nan")
    p_value = fisher_exact([[row.wins, row.pairs - row.wins], [wins, pairs - wins]]).pvalue
    return bool(row.p_value < _LEVEL), bool(p_value > _LEVEL), abs(row.wins / row.pairs - wins / pairs)


def _area_clipped(errors):
    """Pairs in which clipping the direct area makes its mean absolute error smaller."""
    direct = {pair[0]: prior for prior, pair in PAIRS.items()}
    part = errors[(errors["metric"] == "roc_auc") & errors["method"].isin(direct)]
    part = part.assign(raw=(part["estimate"] - part["truth"]).abs(), clipped=part["error"].abs())
    means = part.groupby(["truth_kind", "method", "dataset", "beta"])[["raw", "clipped"]].mean().dropna()
    gain = means["raw"] - means["clipped"]
    rows = []
    for (kind, method), one in gain.groupby(level=[0, 1]):
        wins, pairs = int((one > 1e-12).sum()), int((one.abs() > 1e-12).sum())
        p_value = sign_test(wins, pairs) if pairs else float("nan")
        row = {"truth_kind": kind, "priors": direct[method], "repair": _AREA, "wins": wins, "pairs": pairs}
        rows.append({**row, "p_value": p_value})
    return pd.DataFrame(rows, columns=["truth_kind", "priors", "repair", "wins", "pairs", "p_value"])
