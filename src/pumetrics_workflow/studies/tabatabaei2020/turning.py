"""Figure 4 under other rules of turning a classifier round, which the paper does not mention and its code does."""

import numpy as np
import pandas as pd

from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.tabatabaei2020 import NAME, SHOWN_RHOS
from pumetrics_workflow.studies.tabatabaei2020.selection import (
    BLOCK,
    count,
    draw,
    given_rho,
    name_of,
    statistics,
    turned_round,
)

__all__ = ["RULES", "turning_statistics"]


def _never(counts, coin):
    return np.zeros(coin.shape, dtype=bool)


def _always(counts, coin):
    return np.ones(coin.shape, dtype=bool)


def _by_a_coin(counts, coin):
    return coin


def _misses_labeled(counts, coin):
    return 2 * counts["labeled_hits"] < counts["n_labeled"]


def _misses_positives(counts, coin):
    return 2 * counts["true_positives"] < counts["n_positive"]


def _below_chance(counts, coin):
    return counts["labeled_hits"] * counts["n"] < counts["predicted_positives"] * counts["n_labeled"]


def _errs_on_most(counts, coin):
    errors = counts["predicted_positives"] + counts["n_positive"] - 2 * counts["true_positives"]
    return 2 * errors > counts["n"]


def _predicts_most(counts, coin):
    return 2 * counts["predicted_positives"] > counts["n"]


# By name: which classifiers are turned round, from counts and one coin for each classifier.
RULES = {
    "never": _never,
    "always": _always,
    "by_a_coin": _by_a_coin,
    "misses_labeled": _misses_labeled,
    "misses_positives": _misses_positives,
    "below_chance": _below_chance,
    "errs_on_most": _errs_on_most,
    "predicts_most": _predicts_most,
}


def turning_statistics(*, repeats, seed, data, source, labels=("independent", "exact"), n_classifiers=100):
    """Inversions at the label frequencies of the medians, and errors at 0.30, under every rule.

    Parameters
    ----------
    repeats, seed, data, source, n_classifiers
        As for :func:`pumetrics_workflow.studies.tabatabaei2020.selection.selection_statistics`; samples, classifiers
        and labels are those of Figure 4.
    labels : sequence of {"independent", "exact"}

    Returns
    -------
    pandas.DataFrame
        Statistics without the column of the study; the model is named by rule and labels, as in ``never:exact``.
    """
    rhos, dataset, parts = np.asarray(SHOWN_RHOS), name_of(source, data), []
    for start in range(0, len(repeats), BLOCK):
        block = list(repeats)[start : start + BLOCK]
        coins = np.stack([rng_for(seed, NAME, dataset, "coin", repeat).random(n_classifiers) < 0.5 for repeat in block])
        for kind in labels:
            rngs = [rng_for(seed, NAME, dataset, repeat) for repeat in block]
            counts = count([draw(source, data, n_classifiers, rhos, rng, labels=kind) for rng in rngs], flip=False)
            if kind == "independent":
                counts |= given_rho(rhos)
            for name, rule in RULES.items():
                turned = turned_round(counts, rule(counts, coins[:, None, :]))
                parts.append(statistics(turned, block, rhos).assign(model=f"{name}:{kind}"))
    return pd.concat(parts, ignore_index=True).assign(dataset=dataset, metric="f1")
