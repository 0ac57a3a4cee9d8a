"""Tables 2a and 2b by each definition of AUPR, which the paper does not state; and the cells significant only here."""

import numpy as np
import pandas as pd

from pumetrics_workflow.stages.evaluate_folds import DEFINITIONS
from pumetrics_workflow.studies.rider2013 import CLASSIFIERS, MECHANISMS, SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import cells, compared_cells, sign_of_tables

__all__ = ["aupr_cells", "aupr_definitions", "only_here"]

_KEYS = ["metric", "mechanism", "fraction", "dataset", "model"]
_DEFINITIONS = [
    "definition", "svm", "printed_table", "cells", "rank_correlation", "mean_absolute_error", "significant_printed",
    "significant_reproduced", "leaning_the_same_way", "leaning_the_other_way", "both_significant_same_sign",
    "both_significant_opposite_sign",
]  # fmt: skip
_ONLY_HERE = [
    "table",
    "classifier",
    "cells",
    *MECHANISMS,
    "over",
    "under",
    "printed_leans_the_same_way",
    "printed_leans_the_other_way",
]


def aupr_cells(records):
    """Return the tests of Table 2b for each definition of AUPR, as :func:`.verdicts.cells` makes them.

    Parameters
    ----------
    records : pandas.DataFrame
        With mechanism and fraction, of all permutations. Definitions that the run did not record are left out.
    """
    names = {f"average_precision{':' * (name != 'step')}{name.removeprefix('step')}": name for name in DEFINITIONS}
    part = records[records["metric"].isin(names) & (records["method"] == "uncorrected")]
    means = part.groupby(_KEYS, observed=True)[["estimate", "truth"]].mean().reset_index()
    means = means.rename(columns={"estimate": "bias", "truth": "true"})
    parts = [
        cells(means[means["metric"] == metric].assign(metric="average_precision")).assign(definition=name)
        for metric, name in names.items()
    ]
    table = pd.concat(parts, ignore_index=True).drop(columns="table")
    return table[["definition", *table.columns.drop("definition")]]


def aupr_definitions(by_definition, ours, published):
    """Compare each definition of AUPR, and the AUROC, with both printed tables.

    Parameters
    ----------
    by_definition : pandas.DataFrame
        As :func:`aupr_cells` returns it.
    ours : pandas.DataFrame
        As :func:`.verdicts.cells` returns it.
    published : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        As :func:`.verdicts.sign_of_tables`, over all mechanisms, for each definition and printed table.
    """
    labeled = {label: by_definition[by_definition["definition"] == name] for name, label in DEFINITIONS.items()}
    labeled = {"AUROC": ours[ours["table"] == "2a"], **{f"AUPR, {label}": part for label, part in labeled.items()}}
    rows = []
    for definition, part in labeled.items():
        for printed in ("2a", "2b"):
            part = part.assign(table=printed)
            both = compared_cells(part, published)
            for sign in sign_of_tables(part, published).query("mechanism == 'all'").to_dict("records"):
                chosen = both[both["svm"].map(SVM_READINGS) == sign["svm"]]
                sums = {
                    "cells": len(chosen),
                    "mean_absolute_error": (chosen["p_over"] - chosen["p_printed"]).abs().mean(),
                    "significant_reproduced": int((chosen["verdict"] != 0).sum()),
                }
                rows.append({"definition": definition, "printed_table": printed, **sign, **sums})
    return pd.DataFrame(rows, columns=_DEFINITIONS)


def only_here(both):
    """Count the cells that are significant here and not printed so, by table and classifier.

    Parameters
    ----------
    both : pandas.DataFrame
        Printed and reproduced cells, as :func:`.verdicts.compared_cells` returns them for one reading of the SVM.

    Returns
    -------
    pandas.DataFrame
        ``over`` and ``under``: by sign. The other counts are of cells whose printed p-value is below or above 0.5, on
        our side or on the other one.
    """
    rows = []
    for (table, classifier), part in both.groupby(["table", "classifier"]):
        extra = part[(part["verdict"] != 0) & (part["printed"] == 0)]
        towards = np.sign(0.5 - extra["p_printed"]) * extra["verdict"]
        rows.append(
            {
                "table": table,
                "classifier": CLASSIFIERS[classifier],
                "cells": len(extra),
                **{name: int((extra["mechanism"] == name).sum()) for name in MECHANISMS},
                "over": int((extra["verdict"] == 1).sum()),
                "under": int((extra["verdict"] == -1).sum()),
                "printed_leans_the_same_way": int((towards == 1).sum()),
                "printed_leans_the_other_way": int((towards == -1).sum()),
            }
        )
    return pd.DataFrame(rows, columns=_ONLY_HERE)
