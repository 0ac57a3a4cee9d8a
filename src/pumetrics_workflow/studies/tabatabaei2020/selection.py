"""Figures 4 and 5 and Table 2: which of many classifiers is best, by true F1, estimated F1 and LL score.

Everything is counted for all repeats, label frequencies and classifiers at once: labels times predictions is one
product, and the scores follow from four counts.
"""

import numpy as np
import pandas as pd

from pumetrics.inference import inversion_rate
from pumetrics.label_frequency import f1_from_counts, lee_liu_from_counts
from pumetrics_workflow.rho import RHO_METHODS, leave_one_out_scores, rho_from_mean_score
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.tabatabaei2020 import NAME, SHOWN_RHOS, draws

__all__ = [
    "RULES",
    "count",
    "draw",
    "end_to_end_statistics",
    "f1_scores",
    "heart_statistics",
    "selection_statistics",
    "tries_statistics",
    "turned_round",
    "turning_statistics",
]

_BLOCK = 10  # repeats counted at once, for memory alone
_PARTS = 1_000_000  # a given label frequency is so many parts, so that scores stay quotients of whole numbers


def _errors(counts):
    return counts["predicted_positives"] + counts["n_positive"] - 2 * counts["true_positives"]


# By name: which classifiers are flipped, in words, and from counts and one coin for each classifier.
RULES = {
    "never": ("never", lambda counts, coin: np.zeros(coin.shape, dtype=bool)),
    "always": ("always", lambda counts, coin: np.ones(coin.shape, dtype=bool)),
    "by_a_coin": ("by a coin", lambda counts, coin: coin),
    "misses_labeled": (
        "misses most labeled points",
        lambda counts, coin: 2 * counts["labeled_hits"] < counts["n_labeled"],
    ),
    "misses_positives": (
        "misses most positives",
        lambda counts, coin: 2 * counts["true_positives"] < counts["n_positive"],
    ),
    "below_chance": (
        "labeled points hit less often than all points",
        lambda counts, coin: (
            counts["labeled_hits"] * counts["n"]
            < counts["predicted_positives"] * counts["n_labeled"]
        ),
    ),
    "errs_on_most": (
        "wrong on most points",
        lambda counts, coin: 2 * _errors(counts) > counts["n"],
    ),
    "predicts_most": (
        "predicts most points positive",
        lambda counts, coin: 2 * counts["predicted_positives"] > counts["n"],
    ),
}


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
    table = []
    for block, count_all in _blocks(repeats, seed, source, data, n_classifiers, rhos):
        counts = count_all(labels)
        if flip:
            counts = turned_round(counts, RULES["misses_labeled"][1](counts, None))
        table.append(_statistics(counts, block, rhos, factors))
    return pd.concat(table, ignore_index=True).assign(
        dataset=_name_of(source, data), model=model, metric="f1"
    )


def turning_statistics(
    *, repeats, seed, data, source, labels=("independent", "exact"), n_classifiers=100
):
    """Inversions at the label frequencies of the medians, and errors at 0.30, under every rule of :data:`RULES`.

    The paper does not mention that classifiers are flipped, and its code does it.

    Parameters
    ----------
    repeats, seed, data, source, n_classifiers
        As for :func:`selection_statistics`; samples, classifiers and labels are those of Figure 4.
    labels : sequence of {"independent", "exact"}

    Returns
    -------
    pandas.DataFrame
        Statistics without the column of the study; the model is named by rule and labels, as in ``never:exact``.
    """
    rhos = np.asarray(SHOWN_RHOS)
    dataset = _name_of(source, data)
    parts = []
    for block, count_all in _blocks(repeats, seed, source, data, n_classifiers, rhos):
        coins = np.stack(
            [
                rng_for(seed, NAME, dataset, "coin", repeat).random(n_classifiers) < 0.5
                for repeat in block
            ]
        )
        for kind in labels:
            counts = count_all(kind)
            for name, (_, rule) in RULES.items():
                turned = turned_round(counts, rule(counts, coins[:, None, :]))
                parts.append(_statistics(turned, block, rhos).assign(model=f"{name}:{kind}"))
    return pd.concat(parts, ignore_index=True).assign(dataset=dataset, metric="f1")


def _blocks(
    repeats,
    seed,
    source,
    data,
    n_classifiers,
    rhos,
):
    """Blocks of repeats, each with a function that counts them with labels drawn in one way."""
    dataset = _name_of(source, data)
    for start in range(0, len(repeats), _BLOCK):
        block = list(repeats)[start : start + _BLOCK]

        def count_all(labels, block=block):
            rngs = (rng_for(seed, NAME, dataset, repeat) for repeat in block)
            counts = count(
                [draw(source, data, n_classifiers, rhos, rng, labels=labels) for rng in rngs]
            )
            if (
                labels == "independent"
            ):  # the label frequency is the given one, and not the realized share
                counts |= {
                    "rho": np.rint(rhos * _PARTS).astype(np.int64)[None, :, None],
                    "whole": _PARTS,
                }
            return counts

        yield block, count_all


def tries_statistics(*, repeats, seed, data, n_classifiers=25, **options):
    """Means over all label frequencies of what :func:`selection_statistics` returns, for one draw of few classifiers.

    Figure 5b of the paper is one draw of 25 hyperplanes, labeled once at each label frequency.
    """
    options = {"model": "few", "n_classifiers": n_classifiers, **options}
    table = selection_statistics(repeats=repeats, seed=seed, data=data, **options)
    table = only(table, statistic="inversions").assign(
        statistic="mean_inversions", labeling="rho=1"
    )
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
    rhos = np.array([0.3])
    table = []
    for dataset, frame in data.items():
        for positive, y in (("disease", frame["y"]), ("no disease", 1 - frame["y"])):
            for parts in test_shares:
                common = {"dataset": dataset, "model": f"heart:{positive}:{parts}", "metric": "f1"}
                for repeat in repeats:
                    rng = rng_for(seed, NAME, dataset, positive, parts, repeat)
                    drawn = draw(
                        "heart", {dataset: frame.assign(y=y)}, n_classifiers, rhos, rng, parts=parts
                    )
                    rows = _statistics(count([drawn]), [repeat], rhos)
                    size = {"labeling": "rho=0.3", "repeat": repeat, "statistic": "test_positives"}
                    size |= {"value": float(drawn[1].sum()), "method": "none", "prior": "none"}
                    table += [
                        only(rows, statistic="rmse").assign(**common),
                        pd.DataFrame([{**size, **common}]),
                    ]
    return pd.concat(table, ignore_index=True)


def end_to_end_statistics(
    *, repeats, seed, data, source, at=SHOWN_RHOS, n_classifiers=100, n_estimators=10, flip=False
):
    """Inversions of estimated F1 with the label frequency estimated from the same labels, as in Figure 2.

    Samples, classifiers and labels are those of :func:`selection_statistics` with exact labels. Estimates of the label
    frequency are kept within what is possible: all unlabeled examples positive, or none.

    Parameters
    ----------
    repeats, seed, data, source, n_classifiers, flip
        As for :func:`selection_statistics`.
    at : sequence of float
        Label frequencies.
    n_estimators : int
        Trees of the forest that estimates the label frequency.

    Returns
    -------
    pandas.DataFrame
        Statistics without the column of the study: ``inversions`` of estimated F1, by the estimate of the label
        frequency in ``prior`` ("true" for the realized one), and of the LL score.
    """
    rhos = np.asarray(at)
    dataset = _name_of(source, data)
    parts = []
    for repeat in repeats:
        rng = rng_for(seed, NAME, dataset, repeat)
        X, *drawn = _drawn(source, data, n_classifiers, rhos, rng)
        counts = count([drawn])
        if flip:
            counts = turned_round(counts, RULES["misses_labeled"][1](counts, None))
        true, known, lee_liu = f1_scores(counts)
        scores = {("f1_from_rho", "true"): known, ("lee_liu", "none"): lee_liu}
        means = []
        for rho, labeled in zip(rhos, drawn[2], strict=True):
            forest = rng_for(seed, NAME, dataset, "end_to_end", repeat, f"{rho:g}")
            means.append(
                leave_one_out_scores(
                    X, labeled.astype(np.int8), n_estimators=n_estimators, random_state=forest
                ).mean()
            )
        labeled, whole = (counts[name].reshape(-1) for name in ("n_labeled", "whole"))
        for method in RHO_METHODS:
            estimate = np.clip(
                rho_from_mean_score(means, labeled, method=method), labeled / counts["n"], 1
            )
            factor = (estimate * whole / labeled)[None, :, None]
            scores["f1_from_rho", f"mean_score:{method}"] = f1_scores(counts, factor=factor)[1]
        for (method, prior), score in scores.items():
            rows = _rows([repeat], rhos, "inversions", method, np.nan, inversion_rate(true, score))
            parts.append(rows.assign(prior=prior))
    return pd.concat(parts, ignore_index=True).assign(
        dataset=dataset, model="end_to_end", metric="f1"
    )


def draw(
    source,
    data,
    n_classifiers,
    rhos,
    rng,
    *,
    labels="exact",
    **options,
):
    """Draw a sample, its classifiers and its labels, and build all of it.

    Returns
    -------
    predictions : ndarray of bool, shape (n_classifiers, n_samples)
    y : ndarray of bool, shape (n_samples,)
    labeled : ndarray of bool, shape (n_rhos, n_samples)
        At each label frequency; at least one if `labels` is "exact".
    """
    return _drawn(source, data, n_classifiers, rhos, rng, labels=labels, **options)[1:]


def _drawn(
    source,
    data,
    n_classifiers,
    rhos,
    rng,
    *,
    labels="exact",
    **options,
):
    """Features, and what :func:`draw` returns."""
    X, y, predictions = _SOURCES[source](rng, data, n_classifiers, **options)
    keys = draws.label_keys(rng, int(y.sum()))
    labeled = np.zeros((len(rhos), len(y)), dtype=bool)
    n_labeled = np.maximum(1, np.rint(rhos * y.sum())).astype(int)
    exact = labels == "exact"
    labeled[:, y] = (
        draws.label_masks(keys, n_labeled)
        if exact
        else keys[n_labeled - 1] < np.asarray(rhos)[:, None]
    )
    return X, predictions, y, labeled


def count(drawn):
    """Count what every score needs, for a list of what :func:`draw` returned.

    Parameters
    ----------
    drawn : list of tuple
        Samples of one size.

    Returns
    -------
    dict of str to ndarray
        n, n_positive (R, 1, 1), n_labeled (R, K, 1), labeled_hits, true_positives, predicted_positives (R, K, C); and
        the label frequency as rho of whole, the realized S of P.
    """
    predictions, y, labeled = (np.stack(part) for part in zip(*drawn, strict=True))
    # Counts stay far below 2^24, so that single precision is exact.
    predicted = predictions.astype(np.float32)
    labels = labeled.astype(np.float32)
    hits = np.rint(labels @ predicted.transpose(0, 2, 1)).astype(np.int64)
    true = np.rint(predicted @ y[:, :, None].astype(np.float32)).astype(np.int64).transpose(0, 2, 1)
    total = predictions.sum(axis=2)[:, None, :]
    n = y.shape[1]
    n_labeled = labeled.sum(axis=2)[:, :, None]
    n_positive = y.sum(axis=1)[:, None, None]
    return {
        "n": n,
        "n_positive": n_positive,
        "n_labeled": n_labeled,
        "labeled_hits": hits,
        "true_positives": np.broadcast_to(true, hits.shape),
        "predicted_positives": np.broadcast_to(total, hits.shape),
        "rho": n_labeled,
        "whole": n_positive,
    }


def turned_round(counts, turned):
    """Counts with the predictions inverted where `turned`, (R, K, C) or less, is true."""
    ends = {"labeled_hits": "n_labeled", "true_positives": "n_positive", "predicted_positives": "n"}
    return counts | {
        name: np.where(turned, counts[end] - counts[name], counts[name])
        for name, end in ends.items()
    }


def f1_scores(counts, *, factor=1.0):
    """True F1, estimated F1 with a label frequency that is wrong by `factor`, and LL score, each (R, K, C).

    The estimate is multiplied through, so that it is one quotient of whole numbers: scores that are equal stay equal,
    and no rounding error makes an inversion. Without any labeled point estimate and LL score are 0.
    """
    positive = counts["n_positive"]
    predicted = counts["predicted_positives"]
    hits = counts["labeled_hits"]
    labeled = np.maximum(counts["n_labeled"], 1)
    whole = counts["whole"]
    true = 2 * counts["true_positives"] / (positive + predicted)
    estimated = f1_from_counts(hits * whole, labeled * whole, predicted * counts["rho"], rho=factor)
    return true, estimated, lee_liu_from_counts(hits, labeled, predicted, counts["n"])


def _statistics(counts, repeats, rhos, factors=(1.0,)):
    """Inversions at every label frequency and errors at 0.30 of what :func:`count` counted, as statistics."""
    true, estimated, lee_liu = f1_scores(counts)
    rows = []
    for factor in factors:
        rates = inversion_rate(true, f1_scores(counts, factor=factor)[1])
        rows.append(_rows(repeats, rhos, "inversions", "f1_from_rho", factor, rates))
    rows.append(
        _rows(repeats, rhos, "inversions", "lee_liu", np.nan, inversion_rate(true, lee_liu))
    )
    at = np.flatnonzero(np.isclose(rhos, 0.3))
    # The published code divided the LL score by M for two of the four data sets.
    scores = {
        "f1_from_rho": estimated,
        "lee_liu": lee_liu,
        "lee_liu:without_m": lee_liu / counts["n"],
    }
    for method, estimate in scores.items():
        error = np.sqrt(np.mean((estimate[:, at] - true[:, at]) ** 2, axis=2))
        rows.append(
            _rows(
                repeats, rhos[at], "rmse", method, 1.0 if method == "f1_from_rho" else np.nan, error
            )
        )
    return pd.concat(rows, ignore_index=True)


def _rows(
    repeats,
    rhos,
    statistic,
    method,
    factor,
    values,
):
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


def _name_of(source, data):
    """Name of the data set in the tables."""
    return next(iter(data)) if data else {"health": "health_stand_in"}.get(source, source)


def _generated(rng, data, n):
    X, y = draws.generated_set(rng)
    return X, y, draws.line_predictions(X, draws.random_lines(rng, n))


def _iris(rng, data, n):
    frame = next(iter(data.values()))
    X = draws.scaled(frame.drop(columns="y"))
    y = frame["y"].to_numpy() == 1
    return X, y, draws.hyperplane_predictions(X, draws.random_hyperplanes(rng, X, n))


def _heart(rng, data, n, *, parts=3):
    """A third of each class tests, the rest trains: the paper does not say how it split."""
    from pumetrics_workflow.datasets import encode

    frame = next(iter(data.values()))
    X = encode(frame.drop(columns="y"))
    y = frame["y"].to_numpy() == 1
    order = [rng.permutation(np.flatnonzero(y == label)) for label in (True, False)]
    test = np.sort(np.concatenate([rows[: len(rows) // parts] for rows in order]))
    train = np.setdiff1d(np.arange(len(y)), test)
    return X[test], y[test], draws.forest_predictions(rng, X[train], y[train], X[test], n)


def _health(rng, data, n):
    X, y = draws.health_set(rng)
    return X, y, draws.threshold_predictions(rng, X, n)


_SOURCES = {
    "generated": _generated,
    "iris": _iris,
    "heart": _heart,
    "health": _health,
}
