"""A checked sample: what some rows of known class say of a metric, and how often intervals from them hold it."""

__all__ = ["CAPTIONS", "DRAWN_FROM", "WAYS"]

WAYS = {
    "profile_inf": "no assumption",
    "profile_2": "at most twofold",
    "profile_1": "SCAR",
    "two_strata": "two strata, exact",
    "random_exact": "random rows, exact",
    "wald": "stratified Wald",
    "ppi": "random rows, PPI++",
    "without": "no checks, calibrated",
}
"""What tables and figures call the ways to choose and to analyse rows."""

CAPTIONS = {
    "published": (
        "Coverage and width compared with the values required of them. A setting is a kind of data, a kind of labels, "
        "an alpha and a number of checks; the worst setting and a mean width are those of at least 100 intervals."
    ),
    "coverage": (
        "Coverage of 95% intervals: each dot is a setting (data, labels, alpha, number of checked rows), all metrics "
        "together. No assumption, at most twofold, SCAR: how much labels may prefer one side of the threshold; with "
        "wrong labels only the first is available."
    ),
    "width": (
        "Mean width by number of checked rows: two Gaussians, alpha 0.03, labels at random. Dashed: the calibrated "
        "interval without checked rows. Where Wald and PPI++ are narrow, their coverage is too low."
    ),
    "methods": (
        "By method: coverage (mean over settings), that of the worst setting with its number of intervals, and the "
        "width of its intervals with 100 checked rows on two Gaussians, alpha 0.03, labels at random. With few "
        "intervals a worst setting looks worse than it is."
    ),
    "worst": (
        "The twenty settings and metrics with the lowest coverage of the interval without assumptions, given its "
        "number of runs. p is the probability of this coverage or a lower one at a true coverage of 0.95."
    ),
    "by_setting": "The same for all settings and metrics.",
    "settings": "Coverage and mean width by setting and method, all metrics together.",
    "by_metric": "Coverage and mean width by kind of labels, number of checks, metric and method, all alphas together.",
    "by_dataset": "Coverage on real sets, all settings together; the number of intervals is small.",
    "widths": "Mean width and coverage on two Gaussians, alpha 0.03, labels at random.",
    "odds": "How many times as often positives above the threshold are labeled as positives below it (geometric mean).",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {"coverage": ["settings"], "width": ["widths"]}
