"""The registry of labeling schemes: how a study turns a fully labeled data set into labelings of it."""

from dataclasses import dataclass

from pumetrics.labeling import largest_unlabeled_size, noisy_positives

__all__ = ["SCHEMES", "parameters_of"]


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


SCHEMES = {"noisy_positives": NoisyPositives()}


def parameters_of(labeling):
    """Return the parameters in a labeling's name.

    Examples
    --------
    >>> parameters_of("beta=0.9,n=1000")
    {'beta': 0.9, 'n': 1000.0}
    """
    return {key: float(value) for key, value in (part.split("=") for part in labeling.split(","))}
