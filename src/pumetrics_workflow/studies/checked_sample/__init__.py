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
        "Coverage and width against the bars set for them. A setting is a kind of data, a kind of labels, an alpha and "
        "a number of checks; its worst and a mean width are told from 100 intervals on."
    ),
    "coverage": (
        "Coverage of 95 % intervals: each dot is a setting (data, labels, alpha, number of checks), all metrics "
        "together. No assumption, at most twofold, SCAR: how much labels may prefer one side of the threshold; with "
        "label noise only the first is available. Line: nominal level; dotted: the bar."
    ),
    "width": (
        "Mean width by number of checks: two Gaussians, alpha .03, labels at random. Dashed: the calibrated interval "
        "without checks. Where Wald and PPI++ are narrow, they cover too little."
    ),
    "methods": (
        "By method: coverage (mean over settings), that of the worst setting with its number of intervals, and the "
        "width of its intervals with 100 checks on two Gaussians, alpha .03, labels at random. With few intervals a "
        "worst setting looks worse than it is."
    ),
    "worst": (
        "The twenty settings and metrics in which the interval without assumptions covers least for its number of "
        "runs; p: how likely so few, or fewer, hold the truth at a true coverage of .95."
    ),
    "by_setting": "The same for all settings and metrics.",
    "settings": "Coverage and mean width by setting and method, all metrics together.",
    "by_metric": "Coverage and mean width by kind of labels, number of checks, metric and method, all alphas together.",
    "by_dataset": "Coverage on real sets, all settings together; the number of intervals is small.",
    "widths": "Mean width and coverage on two Gaussians, alpha .03, labels at random.",
    "odds": "How many times as often positives above the threshold are labeled as those below, geometric mean.",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {"coverage": ["settings"], "width": ["widths"]}
