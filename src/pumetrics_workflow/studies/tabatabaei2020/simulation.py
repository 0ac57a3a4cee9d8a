"""The simulations of Tabatabaei et al. (2020), each a function from repeats and a seed to records and statistics.

A repeat draws from a generator named by study, data set and repeat alone, so that neither the number of repeats, nor
their order, nor the grid of label frequencies changes a number.
"""

import numpy as np
import pandas as pd

from pumetrics.label_frequency import estimated_f1_std, f1_from_counts
from pumetrics_workflow.rho import (
    RHO_METHODS,
    RHO_MODELS,
    leave_one_out_scores,
    rho_from_mean_score,
)
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.tabatabaei2020 import NAME, draws
from pumetrics_workflow.studies.tabatabaei2020.selection import (
    end_to_end_statistics,
    heart_statistics,
    selection_statistics,
    tries_statistics,
    turning_statistics,
)

__all__ = ["simulate"]

_LINES_TRIED = 1000  # for Figure 3 the one with an F1 nearest to the paper's is taken
_SETOSA_PETAL = 2.5  # cm: shorter petals than this are setosa's, longer ones are not


def simulate(part, *, repeats, seed, data, **options):
    """Run one part of the study.

    Parameters
    ----------
    part : str
        Begins with "figure1", "figure2", "figure3", "selection" (Figures 4 and 5, Table 2), "tries" (Figure 5b with as
        few hyperplanes as in the paper), "heart" (Table 2 by what the paper leaves open), "turning" (Figure 4 under
        other rules) or "estimated" (beyond the paper: Figure 4 with the estimates of Figure 2); the rest is free.
    repeats : sequence of int
    seed : int
    data : dict of str to pandas.DataFrame
        The part's data set, prepared; empty for generated data.
    **options
        Those of the part's function.

    Returns
    -------
    pandas.DataFrame
        Records and statistics in one table, without the column of the study.

    Raises
    ------
    ValueError
        If there is no such part.
    """
    kind = part.split("_")[0]
    if kind not in _PARTS:
        raise ValueError(f"part must begin with one of {', '.join(_PARTS)}, got {part!r}")
    return _PARTS[kind](repeats=repeats, seed=seed, data=data, **options)


def _figure1(*, repeats, seed, data, rho=0.3, n_lines=30):
    """One generated set, its labels, and lines: statistics of points (x1, x2, y, labeled) and lines, by number."""
    rng = rng_for(seed, NAME, "figure1", 0)
    X, y = draws.generated_set(rng)
    lines = draws.random_lines(rng, n_lines)
    labeled = np.zeros(y.size, dtype=bool)
    labeled[y] = draws.label_masks(
        draws.label_keys(rng, int(y.sum())), np.array([round(rho * y.sum())])
    )[0]
    columns = {
        "x1": X[:, 0],
        "x2": X[:, 1],
        "y": y,
        "labeled": labeled,
        "slope": lines[:, 0],
        "intercept": lines[:, 1],
    }
    table = pd.concat(
        pd.DataFrame(
            {"statistic": name, "at": np.arange(len(values)), "value": values.astype(float)}
        )
        for name, values in columns.items()
    )
    return table.assign(dataset="generated", model="line", labeling=f"rho={rho:g}", repeat=0)


def _figure2(*, repeats, seed, data, step=1, n_estimators=10):
    """Label frequency estimated on one sample, for 2 and more labels, drawn again in each repeat.

    The statistic ``label_frequency`` is the estimate at the true label frequency.
    """
    X, y, dataset = _one_sample(data, seed, "figure2")
    sizes = np.arange(2, int(y.sum()), step)
    rows = []
    for repeat in repeats:
        masks = draws.label_masks(
            draws.label_keys(rng_for(seed, NAME, "figure2", dataset, repeat), y.sum()), sizes
        )
        for n_labeled, mask in zip(sizes.tolist(), masks, strict=True):
            s = np.zeros(y.size, dtype=np.int8)
            s[y] = mask
            for model in RHO_MODELS:
                rng = rng_for(seed, NAME, "figure2", dataset, repeat, model, n_labeled)
                scores = leave_one_out_scores(
                    X, s, model=model, n_estimators=n_estimators, random_state=rng
                )
                for method in RHO_METHODS:
                    estimate = float(rho_from_mean_score(scores.mean(), n_labeled, method=method))
                    rows.append(
                        (repeat, n_labeled / y.sum(), model, f"mean_score:{method}", estimate)
                    )
    table = pd.DataFrame(rows, columns=["repeat", "at", "model", "prior", "value"])
    labeling = [f"rho={rho:.6g}" for rho in table["at"]]
    return table.assign(dataset=dataset, labeling=labeling, statistic="label_frequency")


def _one_sample(data, seed, part):
    """Features, true classes and name of the one sample that a figure is about."""
    if not data:
        return *draws.generated_set(rng_for(seed, NAME, part, 0)), "generated"
    name, frame = next(iter(data.items()))
    return draws.scaled(frame.drop(columns="y")), frame["y"].to_numpy() == 1, name


def _figure3(*, repeats, seed, data, f1=0.44):
    """Estimated F1 of one classifier at every number of labels next to the true F1, which is its mean.

    Statistics: its exact standard deviation, and the true and false positives and false negatives of the classifier.
    """
    y, y_pred, dataset = _one_classifier(data, seed, f1)
    n_positive = int(y.sum())
    sizes = np.arange(1, int(y.sum()) + 1)
    true = int((y & y_pred).sum())
    predicted = int(y_pred.sum())
    keys = (
        draws.label_keys(rng_for(seed, NAME, "figure3", dataset, repeat), n_positive)
        for repeat in repeats
    )
    hits = np.stack([draws.label_masks(key, sizes)[:, y_pred[y]].sum(axis=1) for key in keys])
    estimate = f1_from_counts(hits, sizes, predicted, rho=sizes / n_positive)
    truth = 2 * true / (n_positive + predicted)
    std = estimated_f1_std(n_positive, sizes, true, predicted)
    labelings = [f"rho={k / n_positive:.6g}" for k in sizes]
    table = pd.DataFrame(
        {"labeling": np.tile(labelings, len(repeats)), "repeat": np.repeat(repeats, sizes.size)}
    )
    table = table.assign(
        estimate=estimate.reshape(-1), truth=truth, truth_kind="same_scores", prior="true"
    )
    parts = [table.assign(metric="f1", method="f1_from_rho")]
    if 0 in repeats:  # only once, by the chunk of the first repeat
        stds = pd.DataFrame(
            {"labeling": labelings, "statistic": "standard_deviation", "value": std}
        )
        counts = {
            "true_positives": true,
            "false_positives": predicted - true,
            "false_negatives": n_positive - true,
        }
        exact = pd.DataFrame(counts.items(), columns=["statistic", "value"])
        parts += [
            stds.assign(repeat=0, metric="f1", method="f1_from_rho", prior="true"),
            exact.assign(
                repeat=0,
                labeling="rho=1",
                metric="none",
                method="none",
                prior="none",
            ),
        ]
    return pd.concat(parts, ignore_index=True).assign(dataset=dataset, model="one_classifier")


def _one_classifier(data, seed, f1):
    """True classes, predictions and name of Figure 3's sample: on Iris the paper's own hyperplane, setosa positive."""
    if data:
        name, frame = next(iter(data.items()))
        X = frame.drop(columns="y").to_numpy(np.float64)
        return (
            X[:, 2] < _SETOSA_PETAL,
            draws.hyperplane_predictions(draws.scaled(X), draws.IRIS_HYPERPLANE)[0],
            name,
        )
    rng = rng_for(seed, NAME, "figure3", 0)
    X, y = draws.generated_set(rng)
    predictions = draws.line_predictions(X, draws.random_lines(rng, _LINES_TRIED))
    scores = 2 * (predictions & y).sum(axis=1) / (predictions.sum(axis=1) + y.sum())
    return y, predictions[np.argmin(np.abs(scores - f1))], "generated"


_PARTS = {
    "figure1": _figure1,
    "figure2": _figure2,
    "figure3": _figure3,
    "estimated": end_to_end_statistics,
    "heart": heart_statistics,
    "selection": selection_statistics,
    "tries": tries_statistics,
    "turning": turning_statistics,
}
