"""The registry of labelings that the methods are compared on: a kind and its strength, ``bcar=0.6``.

Adding one is one entry of :data:`LABELINGS`: a function of a :class:`Source`, the strength and a generator that returns
a :class:`Labeling`, and a sentence about whom it concerns. A study file then names it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics.labeling import flip_positives, largest_unlabeled_size, noisy_positives, sar
from pumetrics.schemes import parameters_of

__all__ = ["LABELINGS", "LEAST_LABELED", "Kind", "Labeling", "Source", "draw", "situation"]

LEAST_LABELED = 10  # with fewer labeled examples nothing can be trained or judged
SAR_FREQUENCY = 0.5  # mean chance of a positive to be labeled


class Labeling(NamedTuple):
    """Rows of the data and their observed labels."""

    rows: np.ndarray
    """Positions in the data, shape (n,)."""
    s: np.ndarray
    """1 labeled, 0 unlabeled, shape (n,)."""
    removed: str | None = None
    """Feature that no model sees."""


@dataclass(frozen=True)
class Kind:
    """A kind of labeling.

    Attributes
    ----------
    draw : callable
        ``draw(source, strength, rng)`` returns a Labeling.
    situation : str
        Whose labels are like this, as the decision table says it; equal texts are one situation.
    extreme : str or None
        The situation at strength 1, where that is another.
    """

    draw: callable
    situation: str
    extreme: str | None = None


@dataclass(frozen=True)
class Source:
    """A data set as the labelings of one repeat see it.

    Attributes
    ----------
    frame : pandas.DataFrame
        Features and ``y``.
    feature : hashable
        The feature that labels may depend on (Rider et al. 2013, Eq. 1).
    rows : ndarray
        The rows that whole-sample labelings label, the same for all of them.
    n_unlabeled, labeled_ratio
        Sizes of sampled labelings, as in Ramola et al. (2019).
    betas : tuple of float
        Shares of positives among the labeled that one size has to serve.
    n_folds : int
        Folds of the model behind labels that depend on a score.
    """

    frame: object
    feature: object
    rows: np.ndarray
    n_unlabeled: tuple
    labeled_ratio: float
    betas: tuple
    n_folds: int = 5

    @cached_property
    def y(self):
        """True classes of all rows of the data."""
        return self.frame["y"].to_numpy()

    @cached_property
    def features(self):
        """Features of the rows that are labeled."""
        return self.frame.drop(columns="y").iloc[self.rows]


def draw(source, name, rng):
    """Draw the labeling called `name`, for example ``"beta=0.9"``.

    Parameters
    ----------
    source : Source
    name : str
        A kind of :data:`LABELINGS` and its strength.
    rng : numpy.random.Generator
        Labelings that get equal generators are nested: who is hidden at .3 is so at .6.

    Returns
    -------
    Labeling

    Raises
    ------
    ValueError
        If the kind is unknown, or the data are too small for it.
    """
    ((kind, strength),) = parameters_of(name).items()
    if kind not in LABELINGS:
        raise ValueError(f"there is no kind of labeling {kind!r}; there are {', '.join(LABELINGS)}")
    labeling = LABELINGS[kind].draw(source, strength, rng)
    labeled = int(labeling.s.sum())
    if labeled < LEAST_LABELED:
        raise ValueError(f"{name} leaves {labeled} labeled examples; {LEAST_LABELED} are the least")
    return labeling


def _sampled(source, beta, rng):
    """A labeled sample with a share `beta` of positives against an unlabeled one."""
    positives = int(source.y.sum())
    size = largest_unlabeled_size(
        positives,
        len(source.y) - positives,
        betas=source.betas,
        choices=source.n_unlabeled,
        labeled_ratio=source.labeled_ratio,
    )
    labeled = round(source.labeled_ratio * size)
    return Labeling(*noisy_positives(source.y, beta=beta, n_labeled=labeled, n_unlabeled=size, random_state=rng))


def _flipped(mechanism):
    """Labeling of all rows in which a share of the positives is hidden by one of Rider's mechanisms."""

    def label(source, fraction, rng):
        y = source.y[source.rows]
        _, s = flip_positives(
            source.features, y, fraction, mechanism=mechanism, feature=source.feature, random_state=rng
        )
        return Labeling(source.rows, s, source.feature if mechanism == "bnar" else None)

    return label


def _by_score(source, strength, rng):
    """Positives that a model trained on the true classes finds easy are labeled more often."""
    folds_rng, label_rng = rng.spawn(2)
    score = _true_scores(source, folds_rng)
    y = source.y[source.rows]
    s = sar(y, score, label_frequency=SAR_FREQUENCY, strength=strength, random_state=label_rng)
    return Labeling(source.rows, s)


def _by_feature(source, strength, rng):
    """Positives high in the feature are labeled more often; missing values count as highest."""
    column = source.features[source.feature]
    numbers = column.cat.codes if str(column.dtype) == "category" else column
    value = numbers.rank(na_option="bottom").to_numpy(dtype=float)
    y = source.y[source.rows]
    return Labeling(
        source.rows, sar(y, value, label_frequency=SAR_FREQUENCY, strength=strength, random_state=rng.spawn(2)[1])
    )


def _true_scores(source, rng):
    """Out-of-fold log odds of a logistic regression trained on the true classes."""
    from pumetrics.models.reference import stratified_folds
    from pumetrics_workflow.studies.head_to_head.pool import POOL, matrix

    y = source.y[source.rows]
    folds = stratified_folds(y, n_folds=source.n_folds, random_state=rng)
    return POOL["logistic_regression"](matrix(source.features), y, folds, None, C=1.0)


def situation(name):
    """Whose labels are like the labeling called `name`.

    Examples
    --------
    >>> situation("beta=1")
    'right labels of a random part of the positives'
    """
    ((kind, strength),) = parameters_of(name).items()
    entry = LABELINGS[kind]
    return entry.extreme if entry.extreme and strength == 1 else entry.situation


_SCAR = "right labels of a random part of the positives"

LABELINGS = {
    "beta": Kind(_sampled, "labels of a random part of the positives, up to a quarter of them wrong", _SCAR),
    "bcar": Kind(_flipped("bcar"), _SCAR),
    "bar": Kind(_flipped("bar"), "labels that depend on a feature the models see"),
    "bnar": Kind(_flipped("bnar"), "labels that depend on a feature nobody sees"),
    "sar_score": Kind(_by_score, "labels mostly of positives that are easy to tell"),
    "sar_feature": Kind(_by_feature, "labels that depend on a feature the models see"),
}
