"""Tables 2a and 2b: does a classifier's rank by bias class area differ from its rank by true class area?"""

import numpy as np
import pandas as pd

from pumetrics.inference import signed_rank_test
from pumetrics_workflow.studies.rider2013 import CLASSIFIERS, LEAST_SETS, MECHANISMS, SVM_READINGS

__all__ = ["agreement", "cells", "compared_cells", "layout", "printed_cells", "sign_of_tables", "significant"]

_LEVEL = 0.01
_TABLES = {"roc_auc": "2a", "average_precision": "2b"}
_CELL = ["table", "mechanism", "classifier", "fraction"]
# Columns are named, lest a run of few data sets leave a table without any.
_CELLS = ["table", "svm", "mechanism", "classifier", "fraction", "p_over", "p_under", "verdict", "sets", "changed"]
_AGREEMENT = [
    "table", "svm", "classifier", "cells", "agree", "agree_turned", "significant_printed", "significant_reproduced",
    "same_sign", "opposite_sign", "rank_correlation", "trivial", "kappa", "kappa_turned", "z_correlation",
]  # fmt: skip
_SIGNS = [
    "table", "svm", "mechanism", "rank_correlation", "significant_printed", "leaning_the_same_way",
    "leaning_the_other_way", "both_significant_same_sign", "both_significant_opposite_sign",
]  # fmt: skip


def cells(areas):
    """Signed-rank tests for every cell of both tables and every reading of the SVM.

    Parameters
    ----------
    areas : pandas.DataFrame
        Mean areas: metric, mechanism, fraction, dataset, model, bias, true.

    Returns
    -------
    pandas.DataFrame
        ``p_over``: one-sided, rank by true class above (worse than) rank by bias class, "the bias class area
        overestimates"; ``p_under``: the opposite; ``verdict`` 1, -1 or 0; how many sets there were and how many of
        them changed rank. Too few sets for any verdict: NaN.

    Notes
    -----
    Classifiers are ranked within each data set, 1 is best, ties share their mean rank. Tests are R's: zeros dropped,
    normal approximation with continuity correction.
    """
    rows = []
    for (metric, mechanism, fraction), part in areas.groupby(["metric", "mechanism", "fraction"]):
        for reading in SVM_READINGS:
            models = [reading if name == "svm" else name for name in CLASSIFIERS]
            ranks = [_ranks(part, kind, models) for kind in ("true", "bias")]
            if ranks[0] is None:
                continue
            both = [rank.to_numpy() for rank in ranks]
            for place, classifier in enumerate(CLASSIFIERS):
                pair = both[0][:, place], both[1][:, place]
                tested = {side: signed_rank_test(*pair, alternative=side) for side in ("greater", "less")}
                p_over, p_under = tested["greater"].p_value, tested["less"].p_value
                enough = len(pair[0]) >= LEAST_SETS
                rows.append(
                    {
                        "table": _TABLES[metric],
                        "svm": reading,
                        "mechanism": mechanism,
                        "classifier": classifier,
                        "fraction": fraction,
                        "p_over": p_over,
                        "p_under": p_under,
                        "verdict": float((p_over < _LEVEL) - (p_under < _LEVEL)) if enough else np.nan,
                        "sets": len(pair[0]),
                        "changed": tested["greater"].n,
                    }
                )
    return pd.DataFrame(rows, columns=_CELLS)


def _ranks(part, kind, models):
    """Ranks of the classifiers in each data set that has all of them, 1 for the largest area."""
    wide = part.pivot(index="dataset", columns="model", values=kind)
    if not set(models) <= set(wide.columns):
        return None
    # Rounded, lest the order of a sum decides between equals.
    return wide[models].dropna().round(10).rank(axis=1, ascending=False)


def printed_cells(published):
    """The printed cells: p-value and verdict by table, mechanism, classifier and share of flipped positives."""
    part = published[published["p_value"].notna()]
    keys = part["id"].str.split("/", expand=True)
    return pd.DataFrame(
        {
            "table": keys[0],
            "mechanism": keys[1],
            "classifier": keys[2],
            "fraction": keys[3].astype(float),
            "p_printed": part["p_value"],
            "printed": part["published"],
        }
    ).reset_index(drop=True)


def compared_cells(ours, published):
    """Reproduced cells from 10% on that have a verdict, next to the printed ones."""
    both = ours.merge(printed_cells(published), on=_CELL)
    return both[(both["fraction"] > 0) & both["verdict"].notna()]


def agreement(ours, published):
    """Cells whose verdicts agree, by table, reading of the SVM and classifier, printed signs as they are and turned."""
    both = compared_cells(ours, published)
    rows = []
    everyone = both.assign(classifier="all")
    for (table, svm, classifier), part in pd.concat([everyone, both]).groupby(["table", "svm", "classifier"]):
        rows.append(
            {
                "table": table,
                "svm": SVM_READINGS[svm],
                "classifier": CLASSIFIERS.get(classifier, classifier),
                "cells": len(part),
                "agree": int((part["verdict"] == part["printed"]).sum()),
                "agree_turned": int((part["verdict"] == -part["printed"]).sum()),
                "significant_printed": int((part["printed"] != 0).sum()),
                "significant_reproduced": int((part["verdict"] != 0).sum()),
                "same_sign": int((part["verdict"] * part["printed"] > 0).sum()),
                "opposite_sign": int((part["verdict"] * part["printed"] < 0).sum()),
                "rank_correlation": _correlation(part),
                "trivial": int((part["printed"] == 0).sum()),
                "kappa": _kappa(part["verdict"], part["printed"]),
                "kappa_turned": _kappa(part["verdict"], -part["printed"]),
                "z_correlation": _z(part["p_over"]).corr(_z(part["p_printed"]), method="spearman"),
            }
        )
    return pd.DataFrame(rows, columns=_AGREEMENT)


def _kappa(first, second):
    """Cohen's kappa: agreement beyond what the shares of both answers give by chance; NaN of one answer only."""
    chance = sum((first == answer).mean() * (second == answer).mean() for answer in (-1, 0, 1))
    return ((first == second).mean() - chance) / (1 - chance) if chance < 1 else np.nan


def _z(p_over):
    """Normal quantile of a one-sided p-value as printed, to three digits; 0 where p is 1.000: no set changed rank."""
    from scipy.stats import norm

    z = norm.isf(p_over.round(3).clip(0.0005, 0.9995))
    return pd.Series(np.where(p_over.round(3) == 1, 0, z), index=p_over.index)


def significant(both):
    """Significant cells by table and mechanism, printed and reproduced, by sign."""
    rows = []
    for (table, mechanism), part in both.groupby(["table", "mechanism"]):
        bold = part[part["printed"] != 0]
        rows.append(
            {
                "table": table,
                "mechanism": mechanism,
                "cells": len(part),
                "printed": len(bold),
                "reproduced": int((part["verdict"] != 0).sum()),
                "same_sign": int((bold["verdict"] == bold["printed"]).sum()),
                "opposite_sign": int((bold["verdict"] == -bold["printed"]).sum()),
                "only_here": int(((part["verdict"] != 0) & (part["printed"] == 0)).sum()),
            }
        )
    columns = ["table", "mechanism", "cells", "printed", "reproduced", "same_sign", "opposite_sign", "only_here"]
    return pd.DataFrame(rows, columns=columns)


def _correlation(part):
    first, second = part["p_over"].rank(), part["p_printed"].rank()
    return first.corr(second) if first.nunique() > 1 and second.nunique() > 1 else np.nan


def sign_of_tables(ours, published):
    """What speaks for and against a table being printed with the sign turned round, by reading of the SVM."""
    both = compared_cells(ours, published)
    rows = []
    for (table, svm, mechanism), part in pd.concat([both.assign(mechanism="all"), both]).groupby(
        ["table", "svm", "mechanism"]
    ):
        bold = part[part["printed"] != 0]
        towards = np.sign(0.5 - bold["p_over"])  # the side the reproduced cell leans to, significant or not
        rows.append(
            {
                "table": table,
                "svm": SVM_READINGS[svm],
                "mechanism": mechanism,
                "rank_correlation": _correlation(part),
                "significant_printed": len(bold),
                "leaning_the_same_way": int((towards == bold["printed"]).sum()),
                "leaning_the_other_way": int((towards == -bold["printed"]).sum()),
                "both_significant_same_sign": int((bold["verdict"] == bold["printed"]).sum()),
                "both_significant_opposite_sign": int((bold["verdict"] == -bold["printed"]).sum()),
            }
        )
    return pd.DataFrame(rows, columns=_SIGNS)


def layout(ours, published, table, svm):
    """A table in the paper's layout, each cell ``p [printed p]`` with a star where one side is significant."""
    both = ours.merge(printed_cells(published), on=_CELL)
    part = both[(both["table"] == table) & (both["svm"] == svm)]
    rows = []
    for mechanism in [name for name in MECHANISMS if name in set(part["mechanism"])]:
        for classifier, label in CLASSIFIERS.items():
            row = part[(part["mechanism"] == mechanism) & (part["classifier"] == classifier)].sort_values("fraction")
            texts = {f"{100 * cell.fraction:.0f}%": _pair(cell) for cell in row.itertuples()}
            rows.append({"bias": MECHANISMS[mechanism], "classifier": label, **texts})
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["bias", "classifier"])


def _pair(cell):
    return f"{_text(cell.p_over, cell.verdict)} [{_text(cell.p_printed, cell.printed)}]"


def _text(p_value, verdict):
    return f"{p_value:.3f}{'*' if verdict in (1, -1) else ''}"
