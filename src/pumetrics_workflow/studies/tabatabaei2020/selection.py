"""Figures 4 and 5 and Table 2: which of many classifiers is best, by true F1, estimated F1 and LL score.

Everything is counted for all repeats, label frequencies and classifiers at once: labels times predictions is one
product, and the scores follow from four counts.
"""

import numpy as np
import pandas as pd

from pumetrics.inference import inversion_rate
from pumetrics.label_frequency import fbeta_from_counts, lee_liu_from_counts
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.tabatabaei2020 import NAME, draws

__all__ = [
    "BLOCK",
    "count",
    "draw",
    "f1_scores",
    "given_rho",
    "heart_statistics",
    "name_of",
    "selection_statistics",
    "statistics",
    "tries_statistics",
    "turned_round",
]

# Repeats counted at once, for memory alone.
BLOCK = 10
# A given label frequency is taken as this many parts, so that scores stay quotients of whole numbers.
_PARTS = 1_000_000


def selection_statistics(
    *,
    repeats,
    seed,
    data,
    source,
    model,
    step=0.01,
    at=None,
    n_classifiers=100,
    factors=(1.0,),
    labels="exact",
    flip=False,
):
    """Inversions of estimated F1 and LL score at every label frequency, and their errors at 0.30.

    Parameters
    ----------
    repeats : sequence of int
    seed : int
    data : dict of str to pandas.DataFrame
        The one data set of "iris" and "heart"; nothing for the others.
    source : {"generated", "iris", "heart", "health"}
    model : str
        Name of the classifiers in the table.
    step : float
        Label frequencies are step, 2 step, ..., 1.
    at : sequence of float, optional
        Only these label frequencies.
    n_classifiers : int
    factors : sequence of float
        The label frequency is taken for this many times itself (Figure 5).
    labels : {"exact", "independent"}
        "exact": round(rho P) of the positives are labeled, and their realized share is known, as the paper says.
        "independent": each positive is labeled with probability rho, and rho is known but not the share: so the
        code published with the paper made its generated data (its printed scores follow from 17 labels of 68
        positives at 0.30).
    flip : bool
        Turn a classifier round if it misses more than half of the labeled points, as that code did on generated data
        (the paper does not mention it).

    Returns
    -------
    pandas.DataFrame
        Statistics without the column of the study: ``inversions`` (share of pairs of classifiers in the wrong order),
        at the factor by which the label frequency is wrong, and ``rmse``.
    """
    rhos = np.asarray(at) if at else np.round(np.arange(1, round(1 / step) + 1) * step, 6)
    dataset, table = name_of(source, data), []
    for start in range(0, len(repeats), BLOCK):
        block = list(repeats)[start : start + BLOCK]
        rngs = [rng_for(seed, NAME, dataset, repeat) for repeat in block]
        counts = count([draw(source, data, n_classifiers, rhos, rng, labels=labels) for rng in rngs], flip=flip)
        if labels == "independent":
            counts |= given_rho(rhos)
        table.append(statistics(counts, block, rhos, factors))
    return pd.concat(table, ignore_index=True).assign(dataset=dataset, model=model, metric="f1")


def tries_statistics(*, repeats, seed, data, n_classifiers=25, **options):
    """Means over all label frequencies of what :func:`selection_statistics` returns, for one draw of few classifiers.

    Figure 5b of the paper is one draw of 25 hyperplanes, labeled once at each label frequency.
    """
    options = {"model": "few", "n_classifiers": n_classifiers, **options}
    table = selection_statistics(repeats=repeats, seed=seed, data=data, **options)
    table = table[table["statistic"] == "inversions"].assign(statistic="mean_inversions", labeling="rho=1")
    keys = [name for name in table if name != "value"]
    return table.groupby(keys, dropna=False, sort=False)["value"].mean().reset_index()


def heart_statistics(*, repeats, seed, data, test_shares=(2, 3, 5), n_classifiers=100):
    """Errors at 0.30 on heart disease by file, class and split, none of which the paper states.

    Parameters
    ----------
    data : dict of str to pandas.DataFrame
        Each file.
    test_shares : sequence of int
        A test set is one of so many parts of each class.

    Returns
    -------
    pandas.DataFrame
        Statistics without the column of the study: ``rmse``, and ``test_positives`` of the first repeat.
    """
    rhos, table = np.array([0.3]), []
    for dataset, frame in data.items():
        for positive, y in (("disease", frame["y"]), ("no disease", 1 - frame["y"])):
            for parts in test_shares:
                common = {"dataset": dataset, "model": f"heart:{positive}:{parts}", "metric": "f1"}
                for repeat in repeats:
                    rng = rng_for(seed, NAME, dataset, positive, parts, repeat)
                    drawn = draw("heart", {dataset: frame.assign(y=y)}, n_classifiers, rhos, rng, parts=parts)
                    rows = statistics(count([drawn], flip=False), [repeat], rhos)
                    size = {"labeling": "rho=0.3", "repeat": repeat, "statistic": "test_positives"}
                    size |= {"value": float(drawn[1].sum()), "method": "none", "prior": "none"}
                    table += [rows[rows["statistic"] == "rmse"].assign(**common), pd.DataFrame([{**size, **common}])]
    return pd.concat(table, ignore_index=True)


def draw(source, data, n_classifiers, rhos, rng, *, labels="exact", **options):
    """Draw a sample, its classifiers and its labels, and build all of it.

    Returns
    -------
    predictions : ndarray of bool, shape (n_classifiers, n_samples)
    y : ndarray of bool, shape (n_samples,)
    labeled : ndarray of bool, shape (n_rhos, n_samples)
        At each label frequency; at least one if `labels` is "exact".
    """
    y, predictions = _SOURCES[source](rng, data, n_classifiers, **options)
    keys = draws.label_keys(rng, int(y.sum()))
    labeled = np.zeros((len(rhos), len(y)), dtype=bool)
    n_labeled = np.maximum(1, np.rint(rhos * y.sum())).astype(int)
    exact = labels == "exact"
    labeled[:, y] = draws.label_masks(keys, n_labeled) if exact else keys[n_labeled - 1] < np.asarray(rhos)[:, None]
    return predictions, y, labeled


def count(drawn, *, flip):
    """Count what every score needs, for a list of what :func:`draw` returned.

    Parameters
    ----------
    drawn : list of tuple
        Samples of one size.
    flip : bool
        Turn a classifier round wherever it misses more than half of the labeled points.

    Returns
    -------
    dict of str to ndarray
        n, n_positive (R, 1, 1), n_labeled (R, K, 1), labeled_hits, true_positives, predicted_positives (R, K, C); and
        the label frequency as rho of whole, the realised S of P.
    """
    predictions, y, labeled = (np.stack(part) for part in zip(*drawn, strict=True))
    # Counts stay far below 2^24, so that single precision is exact.
    predicted, labels = predictions.astype(np.float32), labeled.astype(np.float32)
    hits = np.rint(labels @ predicted.transpose(0, 2, 1)).astype(np.int64)
    true = np.rint(predicted @ y[:, :, None].astype(np.float32)).astype(np.int64).transpose(0, 2, 1)
    total = predictions.sum(axis=2)[:, None, :]
    n, n_labeled, n_positive = y.shape[1], labeled.sum(axis=2)[:, :, None], y.sum(axis=1)[:, None, None]
    counts = {
        "n": n,
        "n_positive": n_positive,
        "n_labeled": n_labeled,
        "labeled_hits": hits,
        "true_positives": np.broadcast_to(true, hits.shape),
        "predicted_positives": np.broadcast_to(total, hits.shape),
        "rho": n_labeled,
        "whole": n_positive,
    }
    return turned_round(counts, 2 * hits < n_labeled) if flip else counts


def turned_round(counts, turned):
    """Counts with the predictions inverted where `turned`, (R, K, C) or less, is true."""
    ends = {"labeled_hits": "n_labeled", "true_positives": "n_positive", "predicted_positives": "n"}
    return counts | {name: np.where(turned, counts[end] - counts[name], counts[name]) for name, end in ends.items()}


def given_rho(rhos):
    """Entries of counts that make the label frequency the given one, and not the realised share."""
    return {"rho": np.rint(rhos * _PARTS).astype(np.int64)[None, :, None], "whole": _PARTS}


def f1_scores(counts, *, factor=1.0):
    """True F1, estimated F1 with a label frequency that is wrong by `factor`, and LL score, each (R, K, C).

    The estimate is multiplied through, so that it is one quotient of whole numbers: scores that are equal stay equal,
    and no rounding error makes an inversion. Without any labeled point estimate and LL score are 0.
    """
    positive, predicted, hits = counts["n_positive"], counts["predicted_positives"], counts["labeled_hits"]
    labeled, whole = np.maximum(counts["n_labeled"], 1), counts["whole"]
    true = 2 * counts["true_positives"] / (positive + predicted)
    estimated = fbeta_from_counts(hits * whole, labeled * whole, predicted * counts["rho"], rho=factor)
    return true, estimated, lee_liu_from_counts(hits, labeled, predicted, counts["n"])


def statistics(counts, repeats, rhos, factors=(1.0,)):
    """Inversions at every label frequency and errors at 0.30 of what :func:`count` counted, as statistics."""
    true, estimated, lee_liu = f1_scores(counts)
    rows = []
    for factor in factors:
        rate = inversion_rate(true, f1_scores(counts, factor=factor)[1])
        rows.append(_rows(repeats, rhos, "inversions", "f1_from_rho", factor, rate))
    rows.append(_rows(repeats, rhos, "inversions", "lee_liu", np.nan, inversion_rate(true, lee_liu)))
    at = np.flatnonzero(np.isclose(rhos, 0.3))
    for method, factor, estimate in (
        ("f1_from_rho", 1.0, estimated),
        ("lee_liu", np.nan, lee_liu),
        # What the published code computed for two of the four data sets.
        ("lee_liu:without_m", np.nan, lee_liu / counts["n"]),
    ):
        error = np.sqrt(np.mean((estimate[:, at] - true[:, at]) ** 2, axis=2))
        rows.append(_rows(repeats, rhos[at], "rmse", method, factor, error))
    return pd.concat(rows, ignore_index=True)


def _rows(repeats, rhos, statistic, method, factor, values):
    """Statistics of a method for each repeat and label frequency; `factor` is NaN for a method that needs none."""
    return pd.DataFrame(
        {
            "labeling": np.tile([f"rho={rho:g}" for rho in rhos], len(repeats)),
            "repeat": np.repeat(repeats, len(rhos)),
            "method": method,
            "prior": "none" if np.isnan(factor) else "assumed",
            "statistic": statistic,
            "at": factor,
            "value": values.reshape(-1),
        }
    )


def name_of(source, data):
    """Name of the data set in the tables."""
    return next(iter(data)) if data else {"health": "health_stand_in"}.get(source, source)


def _generated(rng, data, n):
    X, y = draws.generated_set(rng)
    return y, draws.line_predictions(X, draws.random_lines(rng, n))


def _iris(rng, data, n):
    frame = next(iter(data.values()))
    X, y = draws.scaled(frame.drop(columns="y")), frame["y"].to_numpy() == 1
    return y, draws.hyperplane_predictions(X, draws.random_hyperplanes(rng, X, n))


def _heart(rng, data, n, *, parts=3):
    """A third of each class tests, the rest trains: the paper does not say how it split."""
    from pumetrics_workflow.datasets import encode

    frame = next(iter(data.values()))
    X, y = encode(frame.drop(columns="y")), frame["y"].to_numpy() == 1
    order = [rng.permutation(np.flatnonzero(y == label)) for label in (True, False)]
    test = np.sort(np.concatenate([rows[: len(rows) // parts] for rows in order]))
    train = np.setdiff1d(np.arange(len(y)), test)
    return y[test], draws.forest_predictions(rng, X[train], y[train], X[test], n)


def _health(rng, data, n):
    X, y = draws.health_set(rng)
    return y, draws.threshold_predictions(rng, X, n)


_SOURCES = {"generated": _generated, "iris": _iris, "heart": _heart, "health": _health}
