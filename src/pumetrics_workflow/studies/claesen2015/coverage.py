"""Which band has its nominal 95% coverage: coverage by an exact recursion, and on simulated rankings."""

import numpy as np

from pumetrics_workflow.ranking import ranking_scores
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015.rankings import two_normals
from pumetrics_workflow.studies.claesen2015.rows import BANDS, area_rows, band_of, statistic

__all__ = ["coverage"]

STUDY = "claesen2015"


def coverage(repeat, seed, data, *, n_labeled, alphas, n_unlabeled, separation):
    """Whether the rank CDF of the hidden positives, and the true areas, lie inside each band, cell by cell.

    Per band both areas with their bounds, and as statistics ``rank_cdf_inside``, the share of ranks where the band
    holds, and ``rank_cdf_everywhere``, 1 if it holds at all ranks. With the first repeat come the exact probabilities,
    which need no scores: ``rank_cdf_inside_exact`` (mean over ranks), ``rank_cdf_least_exact`` (worst rank) and
    ``rank_cdf_everywhere_exact``.
    """
    rows = []
    for size in n_labeled:
        for alpha in alphas:
            rng = rng_for(seed, STUDY, "coverage", size, f"{alpha:g}", repeat)
            drawn = two_normals(rng, n_labeled=size, n_unlabeled=n_unlabeled, alpha=alpha, separation=separation)
            common = {"labeling": f"n_labeled={size},alpha={alpha:g}", "repeat": repeat}
            rows += _simulated(drawn, alpha, common)
            if repeat == 0:
                rows += _exact(size, n_unlabeled, alpha, common)
    return rows


def _simulated(drawn, alpha, common):
    s, y, score = drawn
    hidden = np.cumsum((y == 1) & (s == 0))
    hidden = hidden / hidden[-1]
    areas, rows = ranking_scores(score, y), []
    for name in BANDS:
        band = band_of(name, s, score, alpha=alpha)
        # A band of whole counts can meet the truth exactly; rounding must not decide.
        inside = (band.lower <= hidden + 1e-9) & (hidden <= band.upper + 1e-9)
        shares = {"inside": inside.mean(), "everywhere": float(inside.all())}
        rows += _rank_cdf(name, shares, common)
        rows.append(area_rows(s, score, areas, alpha=alpha, band=band, method=f"bounds_{name}", **common))
    return rows


def _exact(n_labeled, n_unlabeled, alpha, common):
    from pumetrics.bounds.hypergeometric import band_coverage

    # Any ranking shows a band's n_labeled + 1 values; this one shows them in its last ranks.
    s = np.r_[np.zeros(n_unlabeled, dtype=np.int8), np.ones(n_labeled, dtype=np.int8)]
    rows = []
    for name in BANDS:
        band = [side[n_unlabeled - 1 :] for side in band_of(name, s, -np.arange(len(s)), alpha=alpha)]
        everywhere, pointwise = band_coverage(n_labeled, round(alpha * n_unlabeled), *band)
        shares = {"everywhere": everywhere, "inside": pointwise.mean(), "least": pointwise.min()}
        rows += _rank_cdf(name, {f"{what}_exact": value for what, value in shares.items()}, common)
    return rows


def _rank_cdf(band, shares, common):
    return [
        statistic(statistic=f"rank_cdf_{what}", method=f"bounds_{band}", value=value, **common)
        for what, value in shares.items()
    ]
