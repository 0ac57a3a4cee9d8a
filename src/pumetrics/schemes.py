"""The registry of labeling schemes: how a study turns a fully labeled data set into labelings of it."""

from dataclasses import dataclass

import numpy as np

from pumetrics.labeling import flip_positives, largest_unlabeled_size, noisy_positives

__all__ = ["SCHEMES", "SUPERVISED", "parameters_of"]

SUPERVISED = "supervised"  # the labeling that shows the true labels to the model


@dataclass(frozen=True)
class NoisyPositives:
    """A labeled sample with a share beta of positives against an unlabeled one (Ramola et al. 2019, Section 3.3)."""

    def names(self, *, betas, **_):
        """Names of the labelings, one for each beta."""
        return [f"beta={beta:g}" for beta in betas]

    def shortage(self, n_positive, n_negative, *, betas, n_unlabeled, labeled_ratio):
        """Return why a data set of this size cannot be used, or None if it can."""
        try:
            largest_unlabeled_size(
                n_positive, n_negative, betas=betas, choices=n_unlabeled, labeled_ratio=labeled_ratio
            )
        except ValueError as error:
            return str(error)
        return None

    def draw(self, frame, name, rng, *, betas, n_unlabeled, labeled_ratio):
        """Return (rows, s): positions in `frame` and their observed labels."""
        y = frame["y"].to_numpy()
        positive = int(y.sum())
        size = largest_unlabeled_size(
            positive, len(y) - positive, betas=betas, choices=n_unlabeled, labeled_ratio=labeled_ratio
        )
        beta = parameters_of(name)["beta"]
        return noisy_positives(y, beta=beta, n_labeled=round(labeled_ratio * size), n_unlabeled=size, random_state=rng)


@dataclass(frozen=True)
class CappedNoisyPositives:
    """As above, but all that remains is unlabeled, up to a cap; and once with the true labels (Jain et al. 2017).

    Large data sets give 1,000 labeled examples, small ones 100. What true labels give is the paper's truth.
    """

    def names(self, *, betas, **_):
        """Names of the labelings: one for each beta, and the supervised one."""
        return [SUPERVISED, *(f"beta={beta:g}" for beta in betas)]

    def shortage(self, n_positive, n_negative, *, betas, labeled_large, labeled_small, unlabeled_at_most):
        """Return why a data set of this size cannot be used, or None if it can."""
        wanted = labeled_large if n_positive > labeled_large else labeled_small
        if n_positive <= wanted:
            return f"{n_positive} positives, of which {wanted} are to be labeled: none would remain"
        spare = round((1 - min(betas)) * wanted)
        return f"{n_negative} negatives, of which {spare} are to be labeled" if n_negative <= spare else None

    def draw(self, frame, name, rng, *, betas, labeled_large, labeled_small, unlabeled_at_most):
        """Return (rows, s): positions in `frame` and their observed labels."""
        y = frame["y"].to_numpy()
        n_labeled = labeled_large if y.sum() > labeled_large else labeled_small
        n_unlabeled = min(unlabeled_at_most, len(y) - n_labeled)
        if name == SUPERVISED:
            rows = np.sort(rng.choice(len(y), n_labeled + n_unlabeled, replace=False))
            return rows, y[rows]
        beta = parameters_of(name)["beta"]
        return noisy_positives(y, beta=beta, n_labeled=n_labeled, n_unlabeled=n_unlabeled, random_state=rng)


@dataclass(frozen=True)
class FlippedPositives:
    """A share of the positives labeled negative: at random, by a feature, or by one nobody sees (Rider et al. 2013)."""

    def names(self, *, mechanisms, fractions):
        """Names of the labelings, one for each mechanism and share of flipped positives, for example ``bar=0.3``."""
        return [f"{mechanism}={fraction:g}" for mechanism in mechanisms for fraction in fractions]

    def shortage(self, n_positive, n_negative, *, mechanisms, fractions):
        """Return why a data set of this size cannot be used, or None if it can."""
        left = n_positive - round(max(fractions) * n_positive)
        return f"{left} of {n_positive} positives would keep their label" if left < 2 else None

    def draw(self, frame, name, rng, *, feature=None, **_):
        """Return (rows, s): all positions in `frame` and their labels; `feature` is what bar and bnar sort by."""
        ((mechanism, fraction),) = parameters_of(name).items()
        features, y = frame.drop(columns="y"), frame["y"].to_numpy()
        _, s = flip_positives(features, y, fraction, mechanism=mechanism, feature=feature, random_state=rng)
        return np.arange(len(frame)), s


SCHEMES = {
    "noisy_positives": NoisyPositives(),
    "capped_noisy_positives": CappedNoisyPositives(),
    "flipped_positives": FlippedPositives(),
}


def parameters_of(labeling):
    """Return the parameters in a labeling's name.

    Examples
    --------
    >>> parameters_of("beta=0.9,n=1000")
    {'beta': 0.9, 'n': 1000.0}
    """
    return {key: float(value) for key, value in (part.split("=") for part in labeling.split(","))}
