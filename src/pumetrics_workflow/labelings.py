"""Named labelings of studies: kinds with their strength, what each draws, and data that are too small for one.

A study names a labeling by its kind and strength, ``bcar=0.6``. Adding a kind is one entry of :data:`LABELINGS`: a
function of a :class:`Source`, the strength and a generator that returns rows and their labels, and a sentence about the
situation that it represents.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics.labeling import (
    flip_positives,
    least_correlated_feature,
    noisy_positives,
    noisy_sizes,
    sar,
    scar,
)
from pumetrics.validation import check_random_state
from pumetrics_workflow.sample_sizes import LargestSample

__all__ = [
    "LABELINGS",
    "SAR_FREQUENCY",
    "SUPERVISED",
    "Labeling",
    "Scheme",
    "Source",
    "draw",
    "kind_and_strength",
    "parameters_of",
    "scheme_of",
    "shortage",
    "situation",
]


SUPERVISED = "supervised"  # the labeling that shows the true labels to the model


SAR_FREQUENCY = 0.5  # mean chance of a positive to be labeled


class Labeling(NamedTuple):
    """Rows of the data and their observed labels."""

    rows: np.ndarray
    """Positions in the data, shape (n,), ascending."""
    s: np.ndarray
    """1 labeled, 0 unlabeled, shape (n,)."""
    removed: object = None
    """Feature that no model may see, or None."""


def _too_few_positives(n_positive, n_negative, strength, sample):
    """Why data of this size cannot be labeled: the rule of kinds without one of their own."""
    return f"{n_positive} positives, at least 2 are needed" if n_positive < 2 else None


@dataclass(frozen=True)
class Scheme:
    """A kind of labeling.

    Attributes
    ----------
    draw : callable
        ``draw(source, strength, rng)`` returns (rows, s); `strength` is None for a kind without one.
    situation : str
        How the labels came about, as the decision table names it; equal texts are one situation.
    extreme : str or None
        The situation at strength 1, where that is another.
    shortage : callable
        ``shortage(n_positive, n_negative, strength, sample)`` returns why data of this size cannot be labeled so, or
        None if they can; by default two positives are enough.
    by_feature : bool
        Whether labels depend on ``source.feature``.
    hides_feature : bool
        Whether models must not see that feature.
    """

    draw: Callable
    situation: str
    extreme: str | None = None
    shortage: Callable = _too_few_positives
    by_feature: bool = False
    hides_feature: bool = False


@dataclass(frozen=True)
class Source:
    """A data set as the labelings see it.

    Attributes
    ----------
    frame : pandas.DataFrame
        Features and ``y``.
    rows : ndarray or None
        The rows that whole-sample labelings label, the same for all of them; None is all rows.
    feature : hashable or None
        The feature that labels may depend on; None takes :func:`pumetrics.labeling.least_correlated_feature`.
    sample : LargestSample or CappedSample
        Sizes of sampled labelings.
    n_folds : int
        Folds of the model behind labels that depend on a score.
    """

    frame: object
    rows: object = None
    feature: object = None
    sample: object = LargestSample()
    n_folds: int = 5

    def __post_init__(self):
        if self.rows is None:
            object.__setattr__(self, "rows", np.arange(len(self.frame)))

    @cached_property
    def y_all(self):
        """True classes of all rows of the data, shape (n_samples,)."""
        return self.frame["y"].to_numpy()

    @cached_property
    def y(self):
        """True classes of the rows that whole-sample labelings label."""
        return self.y_all[self.rows]

    @cached_property
    def features(self):
        """Features of these rows."""
        return self.frame.drop(columns="y").iloc[self.rows]

    @cached_property
    def sizes(self):
        """Numbers of labeled and of unlabeled examples of sampled labelings; raises ValueError if none fits."""
        n_positive = int(self.y_all.sum())
        return self.sample.sizes(n_positive, len(self.y_all) - n_positive)


def draw(source, name, random_state=None, *, least_labeled=1):
    """Draw the labeling called `name`.

    Parameters
    ----------
    source : Source
    name : str
        A kind of :data:`LABELINGS` and its strength, for example ``"beta=0.9"``.
    random_state : int, SeedSequence, Generator, RandomState or None
        Labelings that get equal random numbers are nested: an example hidden at 0.3 is hidden at 0.6.
    least_labeled : int
        With fewer labeled examples nothing can be trained or evaluated.

    Returns
    -------
    Labeling

    Raises
    ------
    ValueError
        If the kind is unknown, or the data are too small for it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": np.arange(10.0), "y": np.repeat([0, 1], 5)})
    >>> draw(Source(frame), "bar=0.4", 0).s
    array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1], dtype=int8)
    """
    scheme = scheme_of(name)
    strength = kind_and_strength(name)[1]
    if scheme.by_feature and source.feature is None:
        source = replace(source, feature=least_correlated_feature(source.frame.drop(columns="y")))
    rows, s = scheme.draw(source, strength, check_random_state(random_state))
    labeled = int((s == 1).sum())
    if labeled < least_labeled:
        raise ValueError(
            f"{name} leaves {labeled} labeled examples, at least {least_labeled} are needed"
        )
    return Labeling(rows, s, source.feature if scheme.hides_feature else None)


def shortage(names, n_positive, n_negative, *, sample=None):
    """Labelings for which data of this size are too small, with the reasons.

    Parameters
    ----------
    names : sequence of str
        Labelings, for example ``["beta=1", "beta=0.9"]``.
    n_positive, n_negative : int
        Numbers of positives and negatives.
    sample : LargestSample or CappedSample, optional
        Sizes of sampled labelings.

    Returns
    -------
    dict of str to str
        By labeling what is short; empty if the data allow all of them.

    Raises
    ------
    ValueError
        If a kind of labeling is unknown.

    Examples
    --------
    >>> shortage(["bcar=0.3", "bcar=0.9"], 10, 90)
    {'bcar=0.9': '1 of 10 positives would keep their label'}
    """
    sample = sample or LargestSample()
    reasons = {}
    for name in names:
        strength = kind_and_strength(name)[1]
        reason = scheme_of(name).shortage(n_positive, n_negative, strength, sample)
        if reason:
            reasons[name] = reason
    return reasons


def parameters_of(labeling):
    """Return the parameters in a labeling's name.

    Examples
    --------
    >>> parameters_of("beta=0.9,n=1000")
    {'beta': 0.9, 'n': 1000.0}
    """
    pairs = (part.split("=") for part in labeling.split(","))
    return {key: float(value) for key, value in pairs}


def kind_and_strength(name):
    """Return the kind and the strength in a labeling's name; the strength is None where the name has none.

    Examples
    --------
    >>> kind_and_strength("bcar=0.6"), kind_and_strength("supervised")
    (('bcar', 0.6), ('supervised', None))
    """
    if "=" not in name:
        return name, None
    ((kind, strength),) = parameters_of(name).items()
    return kind, strength


def scheme_of(name):
    """Return the entry of :data:`LABELINGS` behind a labeling's name, or raise ValueError."""
    kind = kind_and_strength(name)[0]
    if kind not in LABELINGS:
        raise ValueError(f"unknown kind of labeling {kind!r}: choose one of {', '.join(LABELINGS)}")
    return LABELINGS[kind]


def situation(name):
    """Name the situation that a labeling represents.

    Examples
    --------
    >>> situation("beta=1")
    'SCAR, no label noise'
    """
    scheme = scheme_of(name)
    is_extreme = scheme.extreme and kind_and_strength(name)[1] == 1
    return scheme.extreme if is_extreme else scheme.situation


def _supervised(source, strength, rng):
    """As many rows as a sampled labeling has, with their true classes."""
    rows = np.sort(rng.choice(len(source.y_all), sum(source.sizes), replace=False))
    return rows, source.y_all[rows]


def _noisy(source, beta, rng):
    """A labeled sample with a share `beta` of positives against an unlabeled one."""
    n_labeled, n_unlabeled = source.sizes
    return noisy_positives(
        source.y_all, beta=beta, n_labeled=n_labeled, n_unlabeled=n_unlabeled, random_state=rng
    )


def _scar(source, label_frequency, rng):
    """Label each positive with the same probability (Elkan & Noto 2008)."""
    return source.rows, scar(source.y, label_frequency=label_frequency, random_state=rng)


def _flipped(mechanism):
    """Labeling of all rows in which a share of the positives is hidden by one of Rider's mechanisms."""

    def label(source, fraction, rng):
        options = {"mechanism": mechanism, "feature": source.feature, "random_state": rng}
        return source.rows, flip_positives(source.features, source.y, fraction, **options)[1]

    return label


def _by_score(source, strength, rng):
    """Positives that are easy for a model trained on the true classes are labeled more often."""
    from pumetrics_workflow.models.encoding import encode, standardized
    from pumetrics_workflow.models.folds import logistic_regression, stratified_folds

    folds_rng, label_rng = rng.spawn(2)
    folds = stratified_folds(source.y, n_folds=source.n_folds, random_state=folds_rng)
    score = logistic_regression(standardized(encode(source.features)), source.y, folds, None, C=1.0)
    return source.rows, _selected(source, score, strength, label_rng)


def _by_feature(source, strength, rng):
    """Positives high in the feature are labeled more often; missing numbers are highest, missing categories lowest."""
    column = source.features[source.feature]
    numbers = column.cat.codes if str(column.dtype) == "category" else column
    value = numbers.rank(na_option="bottom").to_numpy(dtype=float)
    return source.rows, _selected(source, value, strength, rng.spawn(2)[1])


def _selected(source, score, strength, rng):
    return sar(source.y, score, label_frequency=SAR_FREQUENCY, strength=strength, random_state=rng)


def _sample_shortage(n_positive, n_negative, strength, sample):
    """What is short for a sampled labeling."""
    try:
        sizes = sample.sizes(n_positive, n_negative)
    except ValueError as error:
        return str(error)
    return noisy_sizes(n_positive, n_negative, 1.0 if strength is None else strength, *sizes)[1]


def _flip_shortage(n_positive, n_negative, strength, sample):
    """What is short where a share of the positives is hidden."""
    left = n_positive - round(strength * n_positive)
    return f"{left} of {n_positive} positives would keep their label" if left < 2 else None


def _frequency_shortage(n_positive, n_negative, strength, sample):
    """What is short where each positive is labeled with the chance that the strength is."""
    labeled = strength * n_positive
    few = f"about {labeled:.3g} of {n_positive} positives would be labeled"
    return few if labeled < 2 else None


def _selection_shortage(n_positive, n_negative, strength, sample):
    """What is short where one positive in two is labeled."""
    few = f"about half of {n_positive} positives would be labeled"
    return few if n_positive * SAR_FREQUENCY < 2 else None


_SCAR = "SCAR, no label noise"


_SEEN = "labels depend on a feature the models see"


LABELINGS = {
    SUPERVISED: Scheme(_supervised, "true labels of a random sample", shortage=_sample_shortage),
    "beta": Scheme(
        _noisy,
        "SCAR, up to a quarter of the labeled examples negative",
        extreme=_SCAR,
        shortage=_sample_shortage,
    ),
    "scar": Scheme(_scar, _SCAR, shortage=_frequency_shortage),
    "bcar": Scheme(_flipped("bcar"), _SCAR, shortage=_flip_shortage),
    "bar": Scheme(_flipped("bar"), _SEEN, shortage=_flip_shortage, by_feature=True),
    "bnar": Scheme(
        _flipped("bnar"),
        "labels depend on a hidden feature",
        shortage=_flip_shortage,
        by_feature=True,
        hides_feature=True,
    ),
    "sar_score": Scheme(_by_score, "mostly easy positives labeled", shortage=_selection_shortage),
    "sar_feature": Scheme(_by_feature, _SEEN, shortage=_selection_shortage, by_feature=True),
}
