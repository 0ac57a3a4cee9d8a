"""On which choices of the positive class uncorrected accuracy is too high, as the paper says of all its data sets.

Without label noise the error at a threshold is expected to be (1 - c) alpha (1 - 2 tpr): too high if more than half
of the positives are missed. Labeled examples are at most 1 / alpha times as dense as unlabeled ones, so where alpha is
above the ratio of labeled to unlabeled examples accuracy is best with no example predicted positive, whatever the
model, and then it is too high. Below, it depends on how many positives a model finds.
"""

import numpy as np
import pandas as pd

from pumetrics.labeling import LargestSample, noisy_sizes
from pumetrics_workflow.studies.candidates import with_verdicts

__all__ = ["LABELED_RATIO", "class_choice_signs", "class_choices"]

LABELED_RATIO = 0.1  # Section 3.3
_REGISTERED, _EXCHANGED = "as registered", "classes exchanged"
_COLUMNS = ["dataset", "choice", "alpha", "runs", "error_median", "sign", "implied_by_alpha", "changes_sign"]
_SIGNS = ["choice", "holds", "of", "mean_absolute_error"]


def class_choices(errors, priors, statistics, cards):
    """Return every data set with each class as the positive one: alpha, and the sign of the error of accuracy.

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
    part = errors.query("measure == 'accuracy' and method == 'PU' and beta == 1")
    registered = part.groupby("dataset")["error"].agg(runs="size", error_median="median").reset_index()
    alphas = priors[priors["labeling"] == "beta=1"].groupby("dataset")["alpha_true"].mean()
    registered = registered.assign(choice=_REGISTERED, alpha=registered["dataset"].map(alphas))
    swapped = statistics[statistics["statistic"] == "error_exchanged"].groupby("dataset")
    exchanged = swapped.agg(runs=("value", "size"), error_median=("value", "median"), alpha=("at", "mean"))
    table = pd.concat([registered, exchanged.reset_index().assign(choice=_EXCHANGED), _single_classes(cards)])
    order = {name: place for place, name in enumerate(cards)}
    table = table[table["dataset"].isin(registered["dataset"])]
    table = table.sort_values("dataset", key=lambda names: names.map(order), kind="stable", ignore_index=True)
    return _with_signs(table)[_COLUMNS]


def _with_signs(table):
    """Signs that were measured, signs that alpha alone implies, and whether a choice turns that of the registry."""
    measured = np.where(table["error_median"] > 0, "too high", "too low")
    table["sign"] = np.where(table["error_median"].notna(), measured, "")
    table["implied_by_alpha"] = np.where(table["alpha"] > LABELED_RATIO, "too high", "depends on the model")
    before = table["dataset"].map(table[table["choice"] == _REGISTERED].set_index("dataset")["sign"])
    now = table["sign"].where(table["sign"] != "", table["implied_by_alpha"])
    changes = np.where(now == before, "no", "yes")
    table["changes_sign"] = np.where(now == "depends on the model", "open", changes)
    return table


def _single_classes(cards):
    """Alpha of each class of more than two, alone against the rest, where it is large enough for the paper's sizes."""
    rows = []
    for name, card in cards.items():
        classes, positives = card.get("classes", []), card.get("positives")
        for size in classes if len(classes) > 2 else []:
            rest = sum(classes) - size
            try:
                sizes, _ = noisy_sizes(size, rest, 1.0, *LargestSample().sizes(size, rest))
            except ValueError:
                continue
            if positives not in (size, rest):
                alpha = sizes[2] / (sizes[2] + sizes[3])
                rows.append({"dataset": name, "choice": f"the class of {size:,} rows", "alpha": alpha})
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
    both = known[known.groupby("dataset")["choice"].transform("size") == 2].sort_values("alpha", kind="stable")
    above = known["alpha"] > LABELED_RATIO
    ways = {
        "as in the registry": known[known["choice"] == _REGISTERED],
        "classes exchanged": known[known["choice"] == _EXCHANGED],
        "smaller alpha of the two": both.groupby("dataset").head(1),
        "larger alpha of the two": both.groupby("dataset").tail(1),
        f"any with alpha above {LABELED_RATIO:g}": known[above],
        f"any with alpha of {LABELED_RATIO:g} or less": known[~above],
    }
    rows = [
        (way, int((part["sign"] == "too high").sum()), len(part), (-part["error_median"]).clip(lower=0).mean())
        for way, part in ways.items()
    ]
    return with_verdicts(pd.DataFrame(rows, columns=_SIGNS))
