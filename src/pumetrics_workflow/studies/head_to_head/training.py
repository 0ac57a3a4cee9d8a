"""Label a data set and train the pool on each labeling: what the head-to-head and its intervals start from."""

import logging
import time
from typing import NamedTuple

import numpy as np

from pumetrics.labeling import least_correlated_feature
from pumetrics.methods import ScoredSample
from pumetrics.models.reference import stratified_folds
from pumetrics.schemes import parameters_of
from pumetrics_workflow.seeding import rng_for, seed_for
from pumetrics_workflow.studies.head_to_head.labelings import Source, draw
from pumetrics_workflow.studies.head_to_head.pool import matrix, pool_scores

__all__ = ["NAME", "Trained", "trained"]

NAME = "head_to_head"  # not taken from the package, whose captions may change without anything being trained again


class Trained(NamedTuple):
    """The pool on one labeling."""

    labeling: str
    repeat: int
    ranked: dict
    """Ranking of every model, by name."""
    seconds: dict
    """Seconds that each model took, by name."""
    seed: np.random.SeedSequence
    """Where further random numbers of this labeling come from."""


def trained(frame, dataset, options, repeats, seed):
    """Train the pool on every labeling and repeat.

    Parameters
    ----------
    frame : pandas.DataFrame
        Features and ``y``.
    dataset : str
    options : dict
        ``labelings``, ``rows``, ``n_unlabeled``, ``labeled_ratio``, ``n_folds`` and ``models``; see
        :func:`pumetrics_workflow.studies.head_to_head.in_memory.judge`.
    repeats : sequence of int
    seed : int

    Yields
    ------
    Trained
        None for a labeling that the data are too small for; the log says why.
    """
    feature = least_correlated_feature(frame.drop(columns="y"))
    for repeat in repeats:
        source = _source(frame, feature, dataset, options, repeat, seed)
        for name in options["labelings"]:
            # Equal random numbers within a family: who is hidden at .3 is so at .6, and under each mechanism.
            family = "sampled" if name.startswith("beta=") else "whole"
            try:
                drawn = draw(source, name, rng_for(seed, NAME, dataset, family, repeat))
            except ValueError as error:
                logging.info("%s, repeat %d: left out: %s", name, repeat, error)
                continue
            ranked, seconds, rest = _pool(source, drawn, options, seed_for(seed, NAME, dataset, name, repeat))
            logging.info("%s, repeat %d: %d rows", name, repeat, len(drawn.rows))
            yield Trained(name, repeat, ranked, seconds, rest)


def _source(frame, feature, dataset, options, repeat, seed):
    """Rows of one repeat: as many as are asked for, at random."""
    rng = rng_for(seed, NAME, dataset, "rows", repeat)
    strengths = [parameters_of(name) for name in options["labelings"]]
    return Source(
        frame,
        feature,
        np.sort(rng.permutation(len(frame))[: options["rows"]]),
        n_unlabeled=tuple(options["n_unlabeled"]),
        labeled_ratio=options["labeled_ratio"],
        betas=tuple(each["beta"] for each in strengths if "beta" in each),
        n_folds=options["n_folds"],
    )


def _pool(source, drawn, options, root):
    """Rankings and seconds of all models on one labeling, with the same folds, and a seed for the rest."""
    fold_seed, model_seed, rest = root.spawn(3)
    s, y = drawn.s, source.y[drawn.rows]
    X = matrix(source.frame.iloc[drawn.rows].drop(columns=["y", *([drawn.removed] if drawn.removed else [])]))
    folds = stratified_folds(s, n_folds=options["n_folds"], random_state=fold_seed)
    ranked, seconds, start = {}, {}, time.perf_counter()
    for name, score in pool_scores(X, s, folds, options["models"], model_seed):
        seconds[name] = time.perf_counter() - start
        ranked[name], start = ScoredSample(s, score, y=y, population="all"), time.perf_counter()
    return ranked, seconds, rest
