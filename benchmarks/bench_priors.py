"""Estimators of priors: their speed against plain computations, and their errors where the priors are known."""

from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness import Point, Row, cpu_medians, ratio_row
from pumetrics.priors.alphamax import GRID, likelihood_curve, likelihood_of_shares
from pumetrics.priors.estimate import estimate_shares
from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.studies import Results
from pumetrics_workflow.studies.class_priors.simulation import (
    draw_gaussians,
    logistic_scores,
    simulate,
)
from pumetrics_workflow.studies.class_priors.tables import tables

__all__ = ["curves", "rows"]

# Seconds for one estimate at 1,000 + 10,000 scores.
SECONDS = {
    "alphamax": 0.05,
    "alphamax_plus": 0.05,
    "bbe": 0.1,
    "dedpul": 3,
    "km1": 6,
    "km2": 6,
    "plateau": 0.1,
    "consensus": 0.3,
    "elkan_noto_e3": 0.1,
}
# Mean absolute errors. One run: the published implementation's plus .005; the best estimator has a bar of its own.
ONE_RUN = {
    "consensus": 0.018,
    "plateau": 0.018,
    "dedpul": 0.024,
    "bbe": 0.027,
    "km1": 0.036,
    "km2": 0.036,
    "alphamax": 0.043,
    "alphamax_plus": 0.037,
    "elkan_noto_e3": 0.036,
}
TWO_RUNS = {
    "consensus": {"alpha": 0.020, "beta": 0.017, "clean_beta": 0.02},
    "alphamax_plus": {"clean_beta": 0.03},
}
TWO_RUNS["plateau"] = TWO_RUNS["consensus"]
SETTINGS = {
    "mus": [1, 2],
    "alphas": [0.1, 0.25, 0.5, 0.75],
    "betas": [1, 0.9, 0.75],
    "n_labeled": [1000],
    "n_unlabeled": 10_000,
}


def _scores(n_labeled=1000, n_unlabeled=10_000):
    rng = np.random.default_rng(0)
    return logistic_scores(
        rng,
        *draw_gaussians(
            rng, mu=1, alpha=0.25, beta=0.9, n_labeled=n_labeled, n_unlabeled=n_unlabeled
        ),
    )


def rows(options):
    """Yield ratios, then seconds per estimate, then errors."""
    yield _curve_row(options)
    yield _density_row(options)
    labeled, unlabeled = _scores()
    candidates = {name: _estimate(name, labeled, unlabeled) for name in SECONDS}
    for name, seconds in cpu_medians(candidates, repeats=options.repeats).items():
        yield Row(
            "priors, one estimate",
            "1,000 + 10,000 scores",
            name,
            seconds,
            "s",
            bar=SECONDS[name],
            at_most=True,
            ours_seconds=seconds,
        )
    yield from _threads_rows(labeled, unlabeled, options)
    options.log("measuring errors: 22 settings, 5 samples each")
    measured = simulate(
        "gaussians", repeats=range(5), seed=0, data={}, methods=list(ONE_RUN), **SETTINGS
    )
    yield from error_rows(
        tables(Results(*split_answers(measured), None, {}))["bars"].set_index("method")
    )


def error_rows(table):
    """Rows that hold a summary of measured errors against the bars."""
    area = "priors, mean absolute error: N(±1, 1) and N(±2, 1), alpha 0.1 to 0.75, beta 1, 0.9 and 0.75"
    cases = {
        "share": "alpha / beta, one run",
        "alpha": "alpha, two runs",
        "beta": "beta, two runs",
        "clean_beta": "beta where all labels are right, two runs",
    }
    for column, case in cases.items():
        for name, value in table[f"{column}_error"].sort_values().items():
            bar = ONE_RUN[name] if column == "share" else TWO_RUNS.get(name, {}).get(column)
            if bar is not None:
                yield Row(area, case, name, float(value), "", bar=bar, at_most=True)


def _estimate(name, labeled, unlabeled):
    return lambda: estimate_shares(labeled, unlabeled, method=name, random_state=0)


def _threads_rows(labeled, unlabeled, options):
    """CPU seconds where linear algebra may use two threads, as without OPENBLAS_NUM_THREADS=1, over those of one."""
    for name in ("consensus", "pearson"):
        estimate = _estimate(name, labeled, unlabeled)
        candidates = {n: partial(_with_threads, n, estimate) for n in (1, 2)}
        seconds = cpu_medians(candidates, repeats=max(options.repeats, 9))
        yield Row(
            "priors, threads",
            f"{name}, 1,000 + 10,000 scores",
            "two threads allowed",
            seconds[2] / seconds[1],
            peer="one thread allowed",
            ours_seconds=seconds[2],
            peer_seconds=seconds[1],
            bar=1.05,
            at_most=True,
        )


def _with_threads(n, function):
    with threadpool_limits(limits=n, user_api="blas"):
        function()


def _curve_row(options):
    """All grid points by one bisection, against a general optimizer at every tenth of them."""
    u, w = _histogram(*_scores())
    peer, scale = _slsqp(u, w)
    return ratio_row(
        "priors",
        f"AlphaMax curve of {GRID.size} points, {u.size} bins",
        ours=("one bisection", lambda: likelihood_curve(u, w)),
        peer=("SLSQP per point", peer),
        scale=scale,
        repeats=options.repeats,
        bar=100,
        note=f"peer timed at every tenth of {GRID.size} points and scaled up",
    )


def _histogram(labeled, unlabeled):
    """Shares of the unlabeled and of the labeled in AlphaMax's bins."""
    from pumetrics.priors.alphamax import common_histogram, scott_bin_width

    u, w = common_histogram(labeled, unlabeled, scott_bin_width(labeled) / 3)
    return u[w > 0], w[w > 0]


def _slsqp(u, w):
    """A general optimizer at every tenth point of the grid, and how many times that the whole curve is."""
    from scipy.optimize import minimize

    part = GRID[9::10]

    def curve():
        for a in part:
            minimize(
                lambda m, a=a: (
                    -likelihood_of_shares(m[:, None], u[:, None], w[:, None], np.array([a]))[0]
                ),
                w * a,
                method="SLSQP",
                bounds=[(1e-12 if u_i else 0, w_i) for u_i, w_i in zip(u, w, strict=True)],
                constraints={"type": "eq", "fun": lambda m, a=a: m.sum() - a},
            )

    return curve, GRID.size / part.size


def _density_row(options):
    """Kernel densities by convolution, against scipy's sum over all pairs."""
    from pumetrics.priors.densities import _kernel_density

    scores = _scores()[1]
    unlabeled = np.log(scores / (1 - scores))
    centers = np.linspace(unlabeled.min() - 1, unlabeled.max() + 1, 4096)
    return ratio_row(
        "priors",
        "density of 10,000 scores, for DEDPUL",
        ours=("convolution", lambda: _kernel_density(unlabeled, centers, 0.05 * unlabeled.std())),
        peer=("scipy gaussian_kde", _all_pairs(scores)),
        repeats=options.repeats,
        note="the peer evaluates at the 10,000 scores themselves, as the published code does",
    )


def curves(options):
    """Yield how cost grows with the number of unlabeled scores, a tenth as many labeled."""
    for n_unlabeled in (1000, 3000, 10_000, 30_000, 100_000):
        samples = _scores(n_unlabeled // 10, n_unlabeled)
        candidates = {
            f"ours, {name}": _estimate(name, *samples)
            for name in ("alphamax", "bbe", "dedpul", "km2", "plateau")
        }
        slsqp, scale = _slsqp(*_histogram(*samples))
        candidates["alphamax by SLSQP"] = slsqp
        if n_unlabeled <= 30_000:  # all pairs of 100,000 take minutes
            candidates["dedpul's density by scipy"] = _all_pairs(samples[1])
        for series, seconds in cpu_medians(candidates, repeats=min(options.repeats, 3)).items():
            factor = scale if series == "alphamax by SLSQP" else 1
            yield Point(
                "one estimate of a prior", "unlabeled scores", n_unlabeled, series, factor * seconds
            )


def _all_pairs(unlabeled):
    """Density of the scores at themselves by scipy, as DEDPUL's published code has it."""
    from scipy.stats import gaussian_kde

    logits = np.log(unlabeled / (1 - unlabeled))
    return lambda: gaussian_kde(logits, 0.05)(logits)
