"""Options of evaluate and compare-models, by group of the help, and the arguments they become."""

import math
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pumetrics._arguments import GOALS, ArgumentError, check_together
from pumetrics._validation import check_count, check_fraction
from pumetrics.metrics import METRICS
from pumetrics.tops import POPULATIONS

Metric = StrEnum("Metric", {name: name for name, entry in METRICS.items() if entry.kind != "maximum"})
PopulationName = StrEnum("PopulationName", {name: name for name in POPULATIONS})


class UncertaintyName(StrEnum):
    """Kinds of uncertainty by name."""

    calibrated = "calibrated"
    guaranteed = "guaranteed"
    sampling = "sampling"


data, labels, reported, cutoff, output, advanced = (
    partial(typer.Option, rich_help_panel=panel)
    for panel in ("Data", "Labels", "What to report", "Threshold", "Output", "Advanced")
)

ScoreColumn = Annotated[
    list[str] | None,
    data(
        "--score",
        metavar="COLUMN",
        help="Column of scores; higher means more positive. May be repeated, once for each model.",
        show_default="score",
    ),
]
Weight = Annotated[
    str | None,
    data(metavar="COLUMN", help="Column of weights, at least 0: the number of examples that a row represents."),
]
Cluster = Annotated[
    str | None,
    data(
        metavar="COLUMN",
        help="Column that groups dependent rows, such as user_id: intervals resample whole groups.",
    ),
]
Fold = Annotated[
    str | None,
    data(
        metavar="COLUMN",
        help="Column of cross-validation folds: scores are compared within folds only, and results are averaged over "
        "folds.",
    ),
]

LabelColumn = Annotated[str, labels("--label", metavar="COLUMN", help="Column of labels: 1 labeled, 0 unlabeled.")]
Positive = Annotated[
    str | None,
    labels(
        metavar="VALUE",
        help="Value that means labeled, such as fraud; blank, 0, -1, false and NaN then mean unlabeled.",
    ),
]
Unlabeled = Annotated[
    list[str] | None,
    labels(metavar="VALUE", help="With --positive: another value that means unlabeled. May be repeated."),
]
Alpha = Annotated[
    str | None,
    labels(
        metavar="SHARE",
        help="Share of positives among the unlabeled, such as 0.2 or 20%, or a range LOW,HIGH. Estimated by default.",
    ),
]
Beta = Annotated[float, labels(metavar="SHARE", help="Share of positives among the labeled.")]
Rho = Annotated[float | None, labels(metavar="SHARE", help="Label frequency, the share of positives that are labeled.")]
Noisy = Annotated[bool, labels("--noisy", help="Allow for label noise: estimate beta as well.")]
Propensity = Annotated[
    str | None,
    labels(
        metavar="COLUMN",
        help="Column of propensities: the probability, up to a factor, that a positive in this row is labeled. "
        "Labeled rows are then weighted to represent all positives.",
    ),
]

Metrics = Annotated[
    list[Metric] | None,
    reported(
        "--metric",
        metavar="METRIC",
        help=f"{', '.join(Metric)}. May be repeated. By default all metrics that need no other option: precision and "
        "recall need --threshold, metrics at k need --at.",
    ),
]
At = Annotated[
    list[str] | None,
    reported(
        metavar="NUMBER|SHARE",
        help="Report precision, recall and lift of this many highest-scoring examples, such as 100 or 1%. May be "
        "repeated.",
    ),
]
Population = Annotated[
    PopulationName,
    reported(
        help="Population for --at and for metrics that depend on the class mix: all examples, or only the unlabeled "
        "ones."
    ),
]
By = Annotated[
    list[str] | None,
    reported(
        metavar="COLUMN",
        help="Column of groups, such as country: each group is also assessed separately, with its own alpha unless "
        "--alpha is given. May be repeated.",
    ),
]

Threshold = Annotated[
    float | None,
    cutoff(metavar="NUMBER", help="Predict positive for scores >= threshold. By default, the best threshold."),
]
CostFp = Annotated[
    float | None,
    cutoff(metavar="COST", help="Cost of a false positive: with --cost-fn, choose the threshold with the lowest cost."),
]
CostFn = Annotated[float | None, cutoff(metavar="COST", help="Cost of a false negative, in the same unit.")]
MinPrecision = Annotated[
    float | None,
    cutoff(
        metavar="SHARE", help="Choose the threshold with the highest recall among those with at least this precision."
    ),
]
MinRecall = Annotated[
    float | None,
    cutoff(
        metavar="SHARE", help="Choose the threshold with the highest precision among those with at least this recall."
    ),
]

Json = Annotated[bool, output("--json", help="Write JSON instead of a table.")]
Explain = Annotated[bool, output("--explain", help="Also print what the numbers assume and mean, and all warnings.")]

PriorMethod = Annotated[
    str, advanced("--priors", metavar="NAME", help="Estimator of alpha: consensus, bbe, dedpul, km2, ...")
]
Uncertainty = Annotated[
    UncertaintyName | None,
    advanced(
        metavar="NAME",
        help="What intervals account for if alpha is estimated. calibrated (default): sampling error and the "
        "uncertainty of alpha; guaranteed: every alpha up to a guaranteed bound; sampling: sampling error only.",
    ),
]
Confidence = Annotated[float, advanced(metavar="SHARE", help="Nominal coverage of intervals and bounds.")]
Seed = Annotated[int, advanced(help="Seed of the bootstrap.")]


def settings_of(options):
    """Return the options of a command for JSON, by their names on the command line."""
    left_out = ("scores", "first", "second", "as_json", "explain")  # files are named with their hashes
    settings = {
        name: str(value) if isinstance(value, Path | StrEnum) else value
        for name, value in options.items()
        if name not in left_out
    }
    lists = {"score": options["score"] or ["score"]}
    several = ("unlabeled", "negative", "fail_under", "by", "metric", "at", "label_odds")
    return settings | lists | {name: options[name] or [] for name in several if name in options}


def arguments_of(settings, *, metrics, threshold, least_bootstrap=0):
    """Arguments that assess and compare_scores share; ValueError on invalid or contradictory options."""
    from pumetrics.inference.request import ask_of
    from pumetrics.thresholds import check_goal

    same = {name: settings[name] for name in ("beta", "rho", "noisy", "threshold", "confidence", "uncertainty")}
    drawn = {"n_bootstrap": settings["bootstrap"], "random_state": settings["seed"]}
    goal = {name: settings.get(name) for name in GOALS}
    alone = {name: settings.get(name) for name in ("alpha", "cluster", "fold", "propensity", "thresholds")}
    check_together(
        **same, **goal, **alone, sample_weight=settings["weight"], checks=bool(settings["checks"]),
        selection=None if set(selections_of(settings["selection"])) == {1} else settings["selection"],
    )  # fmt: skip
    check_goal(**goal)
    check_fraction(same["beta"], "beta")
    check_count(settings["seed"], "random_state", least=0)
    if same["threshold"] is not None and not math.isfinite(same["threshold"]):
        raise ArgumentError("threshold", f"must be a finite number, got {same['threshold']}")
    ask_of(metrics, threshold=threshold, confidence=same["confidence"], least=least_bootstrap, **drawn)
    shown = {"alpha": alpha_of(settings["alpha"]), "method": settings["priors"], "population": settings["population"]}
    return {**same, **shown, **drawn, "metrics": metrics}


def chosen_of(settings):
    """The threshold, NaN where a goal chooses it."""
    return math.nan if any(settings.get(name) is not None for name in GOALS) else settings["threshold"]


def alpha_of(text):
    """Parse ``0.2``, ``20%``, or a range such as ``0.1,0.3``.

    Examples
    --------
    >>> alpha_of("20%"), alpha_of("0.1,0.3")
    (0.2, (0.1, 0.3))
    """
    if text is None:
        return None
    parts = text.split(",")
    try:
        numbers = [float(part.rstrip(" %")) / (100 if part.rstrip().endswith("%") else 1) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise ValueError(f"--alpha must be a number such as 0.2 or a range such as 0.1,0.3, got {text!r}")
    if len(parts) == 2 and parts[0].strip() == "0" and parts[1].isdigit():
        share = f"0.{parts[1]}"
        raise ValueError(
            f"--alpha {text} is a range, from 0 to {parts[1]}: did you mean {share}, that is {100 * float(share):g}%? "
            "A range within [0, 1] is written 0.1,0.3"
        )
    if any(1 < number <= 100 for number in numbers):
        shares, percents = (",".join(f"{number * scale:g}{unit}" for number in numbers) for scale, unit in _READINGS)
        raise ValueError(f"--alpha must lie in [0, 1], got {text}: did you mean {shares}, that is {percents}?")
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


_READINGS = ((0.01, ""), (1, "%"))  # of numbers above 1: as shares, and as percents


def selections_of(text):
    """Parse ``1`` or ``1,2,4``."""
    try:
        return [float(part) for part in str(text).split(",")]
    except ValueError:
        raise ValueError(f"--selection must be numbers such as 1 or 1,2,4, got {text!r}") from None


def names_of(metric, *, threshold, at):
    """Names of the metrics to report, see :func:`pumetrics.assessment.metrics_for`."""
    from pumetrics.assessment import metrics_for

    names = [str(name) for name in metric] if metric else None
    for name in names or []:
        if METRICS[name].kind == "top" and not at:
            raise ValueError(f"--metric {name} needs --at, such as --at 100 or --at 1%")
    return metrics_for(names, threshold=threshold, at=at or ())
