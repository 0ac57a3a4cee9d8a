"""Many labelings of the same rows at once, against scikit-learn's loops over labelings and folds."""

import warnings
from collections.abc import Iterable
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.bench_rider import peers
from benchmarks.harness import Options, Point, Row, cpu_medians, ratio_row
from pumetrics_workflow.models.encoding import MixedTable
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import out_of_sample_scores
from pumetrics_workflow.ranking import ranking_scores

LABELINGS, FOLDS, PERMUTATIONS = 30, 10, 10
PIMA, PAGE = (768, 8), (5473, 10)
EPOCHS = 500


def rows(options: Options) -> Iterable[Row]:
    """Perceptron, neighbors, Bayes, trees and areas."""
    yield perceptron(options)
    yield neighbors(options)
    for model, peer in (("naive_bayes", "GaussianNB"), ("c45", "DecisionTreeClassifier")):
        X, labelings, folds = problem(*PAGE)
        yield ratio_row(
            "reference classifiers",
            f"{model.replace('_', ' ')}, {LABELINGS} labelings x {FOLDS} folds, 5,473 x 10",
            ours=(
                "shared",
                partial(out_of_sample_scores, MixedTable(X), labelings, folds, model=model),
            ),
            peer=(f"scikit-learn {peer}", partial(loop, model, X.to_numpy(), labelings[:1], folds)),
            scale=LABELINGS,
            repeats=options.repeats,
            note="peer timed on 1 labeling and scaled up; ours is WEKA's method, the peer the nearest of scikit-learn",
        )
    for n, bar in ((64, 100), (2000, 8)):
        scores, labels = ranking_problem(n)
        yield ratio_row(
            "metrics",
            f"AUROC and AUPR of {LABELINGS} labelings, {n:,} rows",
            ours=("one sort", partial(ranking_scores, scores, labels)),
            peer=("roc_auc_score, average_precision_score", partial(both_areas, scores, labels)),
            repeats=max(options.repeats, 9),
            bar=bar,
            note="equal to 1e-12, ties included",
        )


def curves(options: Options) -> Iterable[Point]:
    """Cost of a perceptron by the number of labelings, of neighbors and of areas by the number of rows."""
    repeats = min(options.repeats, 3)
    yield from _perceptron_points(repeats)
    for n in (300, 1000, 3000, 10_000):
        X, labelings, folds = problem(n, 10)
        candidates = {
            "ours, shared list": partial(all_permutations, X, labelings, [folds]),
            "scikit-learn": partial(loop, "nearest_neighbors", unit_range(X), labelings[:1], folds),
        }
        seconds = cpu_medians(candidates, repeats=repeats)
        for (
            series,
            value,
        ) in seconds.items():  # the peer takes labeling after labeling: one is timed
            scale = 1 if series.startswith("ours") else LABELINGS
            yield Point(f"5 neighbors, {LABELINGS} labelings", "rows", n, series, scale * value)
        scores, labels = ranking_problem(n)
        candidates = {
            "ours, one sort": partial(ranking_scores, scores, labels),
            "scikit-learn": partial(both_areas, scores, labels),
        }
        for series, value in cpu_medians(candidates, repeats=options.repeats).items():
            yield Point(f"AUROC and AUPR, {LABELINGS} labelings", "rows", n, series, value)


def _perceptron_points(repeats, epochs=20):
    """Ours for growing numbers of labelings; the peer on one labeling and fold, scaled up."""
    X, _, folds = problem(*PIMA)
    table, rng = MixedTable(X), np.random.default_rng(0)
    one_fold = np.where(folds == 0, 0, 1)
    for count in (1, 4, 16, 32, 64):
        labelings = rng.integers(0, 2, (count, len(X)))
        candidates = {
            "ours, lockstep": partial(
                out_of_sample_scores,
                table,
                labelings,
                folds,
                model="mlp",
                random_state=0,
                epochs=epochs,
            ),
            "scikit-learn, a step per 32 rows": partial(
                loop, "mlp", X.to_numpy(), labelings[:1], one_fold, first=True, epochs=epochs
            ),
        }
        for series, value in cpu_medians(candidates, repeats=repeats).items():
            scale = 1 if series.startswith("ours") else count * FOLDS
            yield Point(
                f"perceptron, {epochs} epochs, 768 x 8", "labelings", count, series, scale * value
            )


def perceptron(options):
    """Lockstep perceptron against scikit-learn's at batch size 32."""
    X, labelings, folds = problem(*PIMA)
    ours = partial(
        out_of_sample_scores,
        MixedTable(X),
        labelings,
        folds,
        model="mlp",
        random_state=0,
        epochs=EPOCHS,
    )
    one_fold = np.where(folds == 0, 0, 1)
    return ratio_row(
        "reference classifiers",
        f"perceptron, {EPOCHS} epochs, {LABELINGS} labelings x {FOLDS} folds, 768 x 8",
        ours=("lockstep, a step per row", ours),
        peer=(
            "scikit-learn MLPClassifier, a step per 32 rows",
            partial(loop, "mlp", X.to_numpy(), labelings[:1], one_fold, first=True),
        ),
        scale=LABELINGS * FOLDS,
        repeats=options.repeats,
        bar=100,
        note="peer timed on 1 labeling and 1 fold, scaled up; with a step per row, as ours, it takes 26 times longer",
    )


def neighbors(options):
    """Shared neighbor list against one search per labeling and fold."""
    X, labelings, _ = problem(*PAGE)
    y = labelings[0]
    partitions = [stratified_folds(y, n_folds=FOLDS, random_state=i) for i in range(PERMUTATIONS)]
    return ratio_row(
        "reference classifiers",
        f"5 neighbors, {LABELINGS} labelings x {FOLDS} folds x {PERMUTATIONS} permutations, 5,473 x 10",
        ours=("one list per data set", partial(all_permutations, X, labelings, partitions)),
        peer=(
            "scikit-learn KNeighborsClassifier",
            partial(loop, "nearest_neighbors", unit_range(X), labelings[:1], partitions[0]),
        ),
        scale=LABELINGS * PERMUTATIONS,
        repeats=options.repeats,
        bar=60,
        note="peer timed on 1 labeling and 1 permutation and scaled up; making the list is included in ours",
    )


def all_permutations(X, labelings, partitions):
    """All permutations from one neighbor list, made here."""
    table = MixedTable(X)
    return [
        out_of_sample_scores(table, labelings, folds, model="nearest_neighbors")
        for folds in partitions
    ]


def loop(name, X, labelings, folds, first=False, epochs=EPOCHS):
    """scikit-learn, one fit per labeling and fold (only the first fold if `first`)."""
    scores = np.empty(labelings.shape)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # equal epochs are wanted, not convergence
        for i, y in enumerate(labelings):
            for fold in np.unique(folds)[: 1 if first else None]:
                train = folds != fold
                scores[i, ~train] = (
                    peers(5, epochs)[name].fit(X[train], y[train]).predict_proba(X[~train])[:, 1]
                )
    return scores


def both_areas(scores, labels):
    """scikit-learn's two functions, ranking by ranking."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    return [
        (roc_auc_score(y, s), average_precision_score(y, s))
        for y, s in zip(labels, scores, strict=True)
    ]


def unit_range(X):
    """Features scaled to [0, 1]."""
    values = X.to_numpy()
    return (values - values.min(axis=0)) / np.ptp(values, axis=0)


def problem(n, d):
    """Features, 30 labelings with growing shares of positives flipped, and folds."""
    import pandas as pd

    rng = np.random.default_rng([n, d])
    y = rng.random(n) < 0.3
    X = pd.DataFrame(rng.normal(0.7 * y[:, None], 1.0, (n, d))).rename(columns=str)
    keep = rng.random((LABELINGS, n)) >= np.arange(LABELINGS)[:, None] / LABELINGS * 0.9
    return X, (y & keep).astype(np.uint8), stratified_folds(y, n_folds=FOLDS, random_state=0)


def ranking_problem(n):
    """Scores and labels of 30 labelings."""
    rng = np.random.default_rng(n)
    labels = (rng.random((LABELINGS, n)) < 0.3).astype(int)
    return rng.normal(labels), labels
