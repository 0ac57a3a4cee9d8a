"""Columns of a user's file beside scores and labels: weights, clusters, folds, propensities and groups of the rows."""

from typing import NamedTuple

import numpy as np

from pumetrics.assessment._by import MOST_BY
from pumetrics.assessment._files import line_of, read_columns
from pumetrics.assessment._labels import numbers_of, shown

__all__ = ["RowColumns", "read_beside"]


class RowColumns(NamedTuple):
    """Values of the rows of one model, each None or empty where no column was named."""

    weight: np.ndarray | None
    cluster: np.ndarray | None
    fold: np.ndarray | None
    by: dict
    """Groups by the name of their column."""
    propensity: np.ndarray | None = None

    def options(self):
        """The same as arguments of :func:`pumetrics.assessment.assess`."""
        given = {"sample_weight": self.weight, "cluster": self.cluster, "fold": self.fold}
        given["propensity"] = self.propensity
        return {name: values for name, values in given.items() if values is not None}


def read_beside(source, samples, *, weight=None, cluster=None, fold=None, by=None, propensity=None):
    """Read weights, clusters, folds, propensities and groups of the rows that each model has a score of.

    Parameters
    ----------
    source : Source
    samples : list of Scored or Pairs
    weight, cluster, fold : str or None
    by : list of str or None
    propensity : str or None

    Returns
    -------
    list of RowColumns
        One for each of the samples.

    Raises
    ------
    ValueError
        If a column is missing, a weight is no number of at least 0, the propensity of a labeled row no number above 0,
        or a cluster or fold has no value: one line that says where.
    """
    names = list(dict.fromkeys(by or []))
    texts = list(dict.fromkeys(name for name in (cluster, fold, *names) if name is not None))
    wanted = [*texts, *([weight] if weight else []), *([propensity] if propensity else [])]
    if not wanted:
        return [RowColumns(None, None, None, {}) for _ in samples]
    table = read_columns(source, wanted, as_text=texts)
    weights = None if weight is None else _weights(source, weight, table[weight])
    values = {name: table[name] for name in texts}
    for option, name in (("--cluster", cluster), ("--fold", fold)):
        if name is not None:
            _check_complete(source, option, name, values[name])
    for name in names:
        _check_few(source, name, values[name])
    groups = {name: values[name].astype(object).where(values[name].notna(), "no value").astype(str) for name in names}
    propensities = None if propensity is None else _propensities(source, propensity, table[propensity], samples)
    beside = [weights, values.get(cluster), values.get(fold)]
    return [
        RowColumns(
            *(None if each is None else np.asarray(each)[sample.rows] for each in beside),
            {name: each.to_numpy()[sample.rows] for name, each in groups.items()},
            None if propensities is None else propensities[sample.rows],
        )
        for sample in samples
    ]


def _weights(source, name, column):
    values = numbers_of(source, name, column, "weights of at least 0")
    bad = np.flatnonzero(~(values >= 0) | np.isinf(values))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {source} must hold weights of at least 0, got {shown(values[bad[0]])} in "
            f"{line_of(source, bad[0])} ({bad.size} such rows): correct or remove them"
        )
    return values


def _propensities(source, name, column, samples):
    values = numbers_of(source, name, column, "propensities above 0")
    for sample in samples:
        labeled = sample.rows[sample.s == 1]
        bad = labeled[~(values[labeled] > 0) | np.isinf(values[labeled])]
        if bad.size:
            raise ValueError(
                f"column {name!r} of {source} must hold propensities above 0 in labeled rows, got "
                f"{shown(values[bad[0]])} in {line_of(source, bad[0])} ({bad.size} such rows): what is never labeled "
                "cannot have been"
            )
    return values


def _check_complete(source, option, name, column):
    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"column {name!r} of {source} must hold a value in every row ({option}), got none in "
            f"{line_of(source, missing[0])} ({missing.size} such rows): fill it, or remove them"
        )


def _check_few(source, name, column):
    n_values = column.nunique()
    if n_values > MOST_BY:
        raise ValueError(
            f"--by {name}: the column holds {n_values:,} different values in {source}, more than {MOST_BY}: group by a "
            "column of fewer, or join the rare ones"
        )
