"""Sizes of the labeled and of the unlabeled sample of a study, as the papers choose them for a data set."""

from dataclasses import dataclass

from pumetrics.labeling import noisy_sizes

__all__ = ["CappedSample", "LargestSample"]


@dataclass(frozen=True)
class LargestSample:
    """Sizes of both samples: the largest unlabeled one that the data allow at every noise level.

    Attributes
    ----------
    n_unlabeled : sequence of int
        Sizes to choose from.
    labeled_ratio : float
        Number of labeled examples per unlabeled one.
    betas : sequence of float
        Shares of positives among the labeled that one size has to serve.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Section 3.3.
    """

    n_unlabeled: tuple = (10_000, 5_000, 2_000, 1_000)
    labeled_ratio: float = 0.1
    betas: tuple = (1.0,)

    def sizes(self, n_positive, n_negative):
        """Return (n_labeled, n_unlabeled), or raise ValueError if none of the sizes is feasible.

        Examples
        --------
        >>> LargestSample(betas=(1, 0.7)).sizes(1_000, 3_000)
        (200, 2000)
        """
        for n_unlabeled in sorted(self.n_unlabeled, reverse=True):
            sizes = round(self.labeled_ratio * n_unlabeled), n_unlabeled
            shortages = [
                noisy_sizes(n_positive, n_negative, beta, *sizes)[1] for beta in self.betas
            ]
            if not any(shortages):
                return sizes
        sizes = ", ".join(map(str, self.n_unlabeled))
        shortage = next(filter(None, shortages))
        raise ValueError(f"no unlabeled sample of {sizes} fits: {shortage}")


@dataclass(frozen=True)
class CappedSample:
    """Sizes of both samples: a fixed labeled one, and all that remains unlabeled up to a cap.

    Attributes
    ----------
    labeled_large, labeled_small : int
        Labeled examples where there are more than `labeled_large` positives, and where there are not.
    unlabeled_at_most : int
    betas : sequence of float
        Not used: the sizes do not depend on the noise.

    References
    ----------
    Jain, White & Radivojac (2017), "Experimental protocols".
    """

    labeled_large: int = 1_000
    labeled_small: int = 100
    unlabeled_at_most: int = 10_000
    betas: tuple = ()

    def sizes(self, n_positive, n_negative):
        """Return (n_labeled, n_unlabeled), or raise ValueError if all positives would be labeled.

        Examples
        --------
        >>> CappedSample().sizes(500, 3_000)
        (100, 3400)
        """
        n_labeled = self.labeled_large if n_positive > self.labeled_large else self.labeled_small
        if n_positive <= n_labeled:
            raise ValueError(
                f"{n_positive} positives, of which {n_labeled} are to be labeled: none would remain"
            )
        return n_labeled, min(self.unlabeled_at_most, n_positive + n_negative - n_labeled)
