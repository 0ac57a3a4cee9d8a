"""A study's data set as its stages see it, the seeds of all that is random about it, and the stage that labels it."""

import logging
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pumetrics.labeling import least_correlated_feature
from pumetrics_workflow.labelings import Source, draw, kind_and_strength, scheme_of
from pumetrics_workflow.sample_sizes import CappedSample, LargestSample
from pumetrics_workflow.seeding import seed_for
from pumetrics_workflow.tables import empty

__all__ = ["Data", "Seeds", "label", "sample_of"]

_SAMPLES = {"largest": LargestSample, "capped": CappedSample}


@dataclass(frozen=True)
class Seeds:
    """Seeds that name a study, a data set, and what they are for.

    Attributes
    ----------
    root : int
        The project's seed.
    study, dataset : str
    """

    root: int
    study: str
    dataset: str

    def of(self, *names):
        """Return the seed sequence of a thing, for example of a labeling, a repeat and a model."""
        return seed_for(self.root, self.study, self.dataset, *names)

    def rng(self, *names):
        """Return a generator with that seed."""
        return np.random.default_rng(self.of(*names))


@dataclass(frozen=True)
class Data:
    """A prepared data set; what is derived from it is computed once.

    Attributes
    ----------
    frame : pandas.DataFrame
        Features and ``y``.
    seeds : Seeds
    """

    frame: object
    seeds: Seeds

    @cached_property
    def features(self):
        """Features without the class."""
        return self.frame.drop(columns="y")

    @cached_property
    def y(self):
        """True classes, shape (n_samples,)."""
        return self.frame["y"].to_numpy()

    @cached_property
    def feature(self):
        """The feature that labels may depend on (Rider et al. 2013, Eq. 1)."""
        return least_correlated_feature(self.features)

    @cached_property
    def mixed(self):
        """All rows as the classifiers of Rider et al. (2013) take them, with what these keep between repeats."""
        from pumetrics_workflow.models.encoding import MixedTable

        return MixedTable(self.features)

    def encoded(self, removed=None):
        """Return all rows as a matrix of numbers, without one of the features."""
        from pumetrics_workflow.models.encoding import encode

        if removed not in self._encoded:
            kept = self.features.drop(columns=[] if removed is None else removed)
            self._encoded[removed] = encode(kept)
        return self._encoded[removed]

    @cached_property
    def _encoded(self):
        return {}


def label(data, labeling, repeats):
    """Draw the labelings of a data set.

    Parameters
    ----------
    data : Data
    labeling : dict
        ``names`` of labelings, entries of ``pumetrics_workflow.labelings.LABELINGS`` with their strength. ``sample``:
        ``kind`` (largest, capped) and sizes of sampled labelings. ``rows``: how many rows, drawn again in each repeat,
        whole-sample labelings label (default all). ``nested``: kinds of labelings by the name of the random numbers
        that they share, so that an example hidden at 0.3 is hidden at 0.6. ``n_folds`` of the model behind labels that
        depend on a score. ``least_labeled``: a labeling with fewer labeled examples, or for which the data are too
        small, is left out and named in the log; without it that is an error.
    repeats : sequence of int

    Returns
    -------
    pandas.DataFrame
        Columns ``labeling``, ``repeat``, ``row``, ``s`` and ``y``.
    """
    import pandas as pd

    drawn = []
    for repeat in repeats:
        drawn += map(pd.DataFrame, _of_repeat(data, labeling, repeat))
    return pd.concat(drawn, ignore_index=True) if drawn else empty("labelings")


def sample_of(labeling):
    """Sizes of the sampled labelings of a study, as its file says them."""
    options = {"kind": "largest", **labeling.get("sample", {})}
    strengths = [kind_and_strength(name) for name in labeling["names"]]
    betas = tuple(strength for kind, strength in strengths if kind == "beta")
    return _SAMPLES[options.pop("kind")](**options, betas=betas)


def _of_repeat(data, labeling, repeat):
    """Yield the columns of each labeling of one repeat."""
    source = _source(data, labeling, repeat)
    shared = {}
    for name, kinds in labeling.get("nested", {}).items():
        shared |= dict.fromkeys(kinds, name)
    least = labeling.get("least_labeled")
    for name in labeling["names"]:
        rng = data.seeds.rng(shared.get(kind_and_strength(name)[0], name), repeat)
        try:
            rows, s, _ = draw(source, name, rng, least_labeled=least or 0)
        except ValueError as error:
            if least is None:
                raise
            logging.info("%s, repeat %d: left out: %s", name, repeat, error)
            continue
        yield {
            "labeling": name,
            "repeat": repeat,
            "row": rows,
            "s": s,
            "y": data.y[rows],
        }


def _source(data, labeling, repeat):
    """The data set as the labelings of one repeat see it."""
    rows = None
    if "rows" in labeling:
        order = data.seeds.rng("rows", repeat).permutation(len(data.frame))
        rows = np.sort(order[: labeling["rows"]])
    needs_feature = any(scheme_of(name).by_feature for name in labeling["names"])
    return Source(
        data.frame,
        rows=rows,
        feature=data.feature if needs_feature else None,
        sample=sample_of(labeling),
        n_folds=labeling.get("n_folds", 5),
    )
