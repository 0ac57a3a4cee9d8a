"""The stage that scores every example of every labeling by models that were not trained on it."""

import logging
import time
from typing import NamedTuple

import numpy as np

from pumetrics_workflow.labelings import scheme_of
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import model_of, out_of_sample_scores
from pumetrics_workflow.tables import empty

__all__ = [
    "Batch",
    "Scored",
    "batches",
    "models_of",
    "scored",
    "seeds_of_labeling",
    "table_of",
    "train",
]


class Batch(NamedTuple):
    """Labelings of the same rows and folds."""

    labelings: tuple
    repeat: int
    rows: np.ndarray
    """Positions in the data, shape (n,)."""
    labels: np.ndarray
    """Observed labels, shape (n_labelings, n)."""
    y: np.ndarray
    """True classes, shape (n,)."""
    folds: np.ndarray | None
    """Fold of each row, shape (n,)."""


class Scored(NamedTuple):
    """A batch as one model scores it."""

    batch: Batch
    model: str
    scores: np.ndarray
    """Shape (n_labelings, n); higher is more positive."""
    seconds: float

    def table(self):
        """Return the scores as rows of their table."""
        import pandas as pd

        batch = self.batch
        n = len(self.batch.rows)
        return pd.DataFrame(
            {
                "labeling": np.repeat(np.array(batch.labelings, dtype=object), n),
                "repeat": batch.repeat,
                "row": np.tile(batch.rows, len(batch.labelings)),
                "s": batch.labels.ravel(),
                "y": np.tile(batch.y, len(batch.labelings)),
                "score": self.scores.ravel(),
            }
        )


def train(data, labelings, model, options):
    """Score every example of every labeling by a model.

    Parameters
    ----------
    data : Data
    labelings : pandas.DataFrame
        As :func:`pumetrics_workflow.stages.label.label` returns them.
    model : str
    options : dict
        As a study file has them; see :func:`models_of`.

    Returns
    -------
    pandas.DataFrame
        The labelings with a column ``score``; no rows if there are no labelings.
    """
    models, design = models_of(model, options)
    return table_of(scored(data, labelings, models, **design))


def table_of(scored):
    """Return the rows of a table of scores, from what :func:`scored` yields of one model."""
    import pandas as pd

    parts = [each.table() for each in scored]
    return pd.concat(parts, ignore_index=True) if parts else empty("scores")


def scored(data, labelings, models, *, folds=None, features=None):
    """Yield the scores of each batch of labelings by each model.

    Parameters
    ----------
    data, labelings
        As for :func:`train`.
    models : dict of str to dict
        By name the ``type``, an entry of ``pumetrics_workflow.models.registry.MODELS``, and its options.
    folds : dict or None
        ``n_folds`` and what they are ``stratified_by``: "y", the same folds for all labelings of a repeat, which then
        are trained together; or "s", folds of each labeling, the same for all models. None for models that score out
        of bag only.
    features : {"standardized"} or None
        What models that know only numbers are trained on; None leaves it to the model.

    Yields
    ------
    Scored
        Batch by batch, in the order of `models`.
    """
    for batch in batches(labelings, folds, data.seeds):
        matrices = {}
        for name, options in models.items():
            start = time.perf_counter()
            seed = _model_seed(data.seeds, batch, folds, name)
            scores = _scores(data, batch, options, seed, features, matrices)
            yield Scored(batch, name, scores, time.perf_counter() - start)
        logging.info(
            "repeat %d: %d rows of %s scored",
            batch.repeat,
            len(batch.rows),
            ", ".join(batch.labelings),
        )


def models_of(name, options):
    """Return the models behind an entry of a study's ``models``, by name, and how they are trained.

    Parameters
    ----------
    name : str
    options : dict
        The model's ``type`` and its options; or, of the type ``pool``, several ``models`` by name. Also the
        ``folds`` and ``features`` of :func:`scored`.

    Returns
    -------
    models : dict of str to dict
    design : dict
    """
    design = {key: value for key, value in options.items() if key in ("folds", "features")}
    if options["type"] == "pool":
        return options["models"], design
    return {name: {key: options[key] for key in options if key not in design}}, design


def batches(labelings, folds, seeds):
    """Yield labelings that are trained together.

    Parameters
    ----------
    labelings : pandas.DataFrame
    folds : dict or None
        See :func:`scored`.
    seeds : Seeds

    Raises
    ------
    ValueError
        If labelings are to share folds but label different rows.
    """
    together = bool(folds) and folds["stratified_by"] == "y"
    by = ["repeat"] if together else ["repeat", "labeling"]
    for (repeat, *_), part in labelings.groupby(by, sort=False):
        repeat = int(repeat)
        names = tuple(part["labeling"].unique())
        rows, y = (part[column].to_numpy().reshape(len(names), -1) for column in ("row", "y"))
        if (rows != rows[0]).any():
            raise ValueError(
                f"labelings {', '.join(names)} label different rows: they cannot share folds by y"
            )

        s = part["s"].to_numpy().reshape(len(names), -1)
        if together:
            seed = seeds.of("folds", repeat)
            dealt = stratified_folds(y[0], n_folds=folds["n_folds"], random_state=seed)
        elif folds:
            seed = seeds_of_labeling(seeds, names[0], repeat)[0]
            dealt = stratified_folds(s[0], n_folds=folds["n_folds"], random_state=seed)
        else:
            dealt = None
        yield Batch(names, repeat, rows[0], s, y[0], dealt)


def seeds_of_labeling(seeds, labeling, repeat):
    """Seeds of a labeling's folds, of its models, and of what is made of their scores."""
    return seeds.of(labeling, repeat).spawn(3)


def _model_seed(seeds, batch, folds, model):
    """Seed of a model: its own, or one that all models of the same folds share."""
    if not folds:
        return seeds.of(batch.labelings[0], batch.repeat, model)
    if folds["stratified_by"] == "y":
        return seeds.of("training", batch.repeat)
    return seeds_of_labeling(seeds, batch.labelings[0], batch.repeat)[1]


def _scores(
    data,
    batch,
    options,
    seed,
    features,
    matrices,
):
    """Scores of one model, shape (n_labelings, n); `matrices` keeps what the models of a batch share."""
    options = {**options, "random_state": seed}
    kind = options["model"] = options.pop("type")
    hidden = [scheme_of(name).hides_feature for name in batch.labelings]
    removed = [str(data.feature) if each else None for each in hidden]
    if model_of(kind).features == "mixed":
        all_rows = len(batch.rows) == len(data.frame)
        X = data.mixed if all_rows else data.features.iloc[batch.rows]
        return out_of_sample_scores(X, batch.labels, batch.folds, removed=removed, **options)

    wanted = features or model_of(kind).features
    scores = np.empty(batch.labels.shape)
    for feature in dict.fromkeys(removed):
        which = [i for i, name in enumerate(removed) if name == feature]
        if (wanted, feature) not in matrices:
            matrices[wanted, feature] = _matrix(data, batch.rows, wanted, feature)
        X = matrices[wanted, feature]
        scores[which] = out_of_sample_scores(X, batch.labels[which], batch.folds, **options)
    return scores


def _matrix(data, rows, features, removed):
    """Rows as a matrix: encoded with all rows in sight, or encoded and standardized among themselves."""
    if features == "encoded":
        return data.encoded(removed)[rows]
    from pumetrics_workflow.models.encoding import encode, standardized

    part = data.features.iloc[rows]
    return standardized(encode(part if removed is None else part.drop(columns=removed)))
