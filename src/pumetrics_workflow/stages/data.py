"""A study's data set as its stages see it, and the seeds of everything that is random about it."""

from dataclasses import dataclass
from functools import cached_property

from pumetrics_workflow.seeding import seed_for

__all__ = ["Data", "Seeds"]


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
        import numpy as np

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
        from pumetrics.labeling import least_correlated_feature

        return least_correlated_feature(self.features)

    @cached_property
    def mixed(self):
        """All rows as the classifiers of Rider et al. (2013) take them, with what these keep between repeats."""
        from pumetrics.models.encoding import MixedTable

        return MixedTable(self.features)

    def encoded(self, removed=None):
        """Return all rows as a matrix of numbers, without one of the features."""
        from pumetrics.models.encoding import encode

        if removed not in self._encoded:
            self._encoded[removed] = encode(self.features if removed is None else self.features.drop(columns=removed))
        return self._encoded[removed]

    @cached_property
    def _encoded(self):
        return {}
