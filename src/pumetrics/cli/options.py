"""The options that commands share, what they mean in Python, and checks of columns and output files."""

import math
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated

import typer

from pumetrics.arguments import ArgumentError, suggestion
from pumetrics.metrics import METRICS
from pumetrics.tops import POPULATIONS
from pumetrics.unscored import UNSCORED as UNSCORED_WAYS
from pumetrics.validation import check_fraction

__all__ = [
    "FLAGS",
    "METRIC",
    "SCORES",
    "OptionError",
    "alpha_of",
    "are_same_file",
    "arguments_of",
    "check_finite",
    "check_output",
    "columns_named",
    "option",
    "options_of",
    "prior_of",
    "reading_of",
    "settings_of",
]

_SAME_NAMES = (
    "alpha",
    "at",
    "beta",
    "budget",
    "checks",
    "cluster",
    "confidence",
    "noisy",
    "population",
    "rho",
    "threshold",
    "uncertainty",
    "unscored",
)
FLAGS = {name: f"--{name}" for name in _SAME_NAMES} | {
    "k": "--at",
    "method": "--priors",
    "n_bootstrap": "--bootstrap",
    "pi": "--alpha pi",
    "random_state": "--seed",
    "sample_weight": "--weight",
}
"""Options by the arguments of the library that they set."""
METRIC = [name for name, entry in METRICS.items() if entry.kind != "maximum"]
"""Metrics that may be named."""
_NUMBERS = {
    float: (float, "a number such as 0.3"),
    float | None: (float, "a number such as 0.3"),
    int: (int, "a whole number such as 100"),
    int | None: (int, "a whole number such as 100"),
}


class OptionError(Exception):
    """A value that an option cannot have: no ValueError, which a parser's caller would reword."""


def option(kind, flag, panel, text, *, metavar=None, default=True, choices=(), share=False):
    """Type of a parameter of a command: an option of some kind, written as `flag`, in a panel of the help."""
    flags = [flag] if isinstance(flag, str) else flag
    parser = None
    if choices:
        parser = _one_of(flag, choices)
        metavar = metavar or f"[{'|'.join(choices)}]"
    elif share:
        parser = _number(flag, _share, "a share such as 0.3 or 30%")
    elif kind in _NUMBERS:
        parser = _number(flag, *_NUMBERS[kind])
    shown = typer.Option(
        *flags,
        metavar=metavar,
        help=text,
        rich_help_panel=panel,
        show_default=default,
        parser=parser,
    )
    return Annotated[kind, shown]


def _number(flag, kind, wanted):
    """What reads a number."""

    def number(text):
        try:
            return kind(text)
        except ValueError:
            raise OptionError(f"{flag} must be {wanted}, got {text!r}") from None

    return number


def _share(text):
    """A number, or a percentage as its share."""
    text = str(text).strip()
    number = float(text.removesuffix("%"))
    return number / 100 if text.endswith("%") else number


def _one_of(flag, choices):
    """What reads one of some names, and says which is similar."""

    def name(text):
        if text in choices:
            return text
        word = text.lower().replace("-", "_").removesuffix("_score")
        hint = suggestion(word, choices, "; did you mean {}?")
        raise OptionError(f"{flag} must be one of {', '.join(choices)}, got {text!r}{hint}")

    return name


_DATA = "Data"
_LABELS = "Labels"
_REPORT = "What to report"
_OUTPUT = "Output"
_CHECKED = "Checked rows"
_ADVANCED = "Advanced"

SCORES = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, JSON Lines or Parquet file with one example per row; - for standard input."
    ),
]
SCORE = option(
    list[str] | None,
    "--score",
    _DATA,
    "Column of scores; higher means more positive. May be repeated, once for each model.",
    metavar="COLUMN",
    default="score",
)
ID = option(
    str | None,
    "--id",
    _DATA,
    "Column of row names: joins two files, and matches the checked rows.",
    metavar="COLUMN",
)
WEIGHT = option(
    str | None,
    "--weight",
    _DATA,
    "Column of weights, at least 0: the number of examples that a row represents.",
    metavar="COLUMN",
)
CLUSTER = option(
    str | None,
    "--cluster",
    _DATA,
    "Column that groups dependent rows, such as user_id: intervals resample whole groups.",
    metavar="COLUMN",
)
LABEL = option(
    str, "--label", _LABELS, "Column of labels: 1 labeled, 0 unlabeled.", metavar="COLUMN"
)
POSITIVE = option(
    str | None,
    "--positive",
    _LABELS,
    "Value that means labeled, such as fraud; blank, 0, -1, false and NaN then mean unlabeled. With --checks, also the "
    "positive word of verdicts, such as PASS.",
    metavar="VALUE",
)
UNLABELED = option(
    list[str] | None,
    "--unlabeled",
    _LABELS,
    "With --positive: another value that means unlabeled. May be repeated.",
    metavar="VALUE",
)
UNSCORED = option(
    str | None,
    "--unscored",
    _DATA,
    "What rows without a score mean. lowest: the model did not list them, so they rank below all others, tied; skip: "
    "leave them out, for a result about the scored rows only. By default such rows are refused.",
    choices=UNSCORED_WAYS,
)
ALPHA = option(
    str | None,
    "--alpha",
    _LABELS,
    "Share of positives among the unlabeled, such as 0.2 or 20%, or a range LOW,HIGH; among all rows: pi=0.2. "
    "Estimated by default.",
    metavar="SHARE",
)
BETA = option(
    float, "--beta", _LABELS, "Share of positives among the labeled.", metavar="SHARE", share=True
)
RHO = option(
    float | None,
    "--rho",
    _LABELS,
    "Instead of --alpha: the label frequency, the share of positives that are labeled.",
    metavar="SHARE",
    share=True,
)
NOISY = option(bool, "--noisy", _LABELS, "Allow for label noise: estimate beta as well.")
METRICS_ = option(
    list[str] | None,
    "--metric",
    _REPORT,
    f"{', '.join(METRIC)}. May be repeated. By default all metrics that need no other option: precision and recall "
    "need --threshold, metrics at k need --at.",
    metavar="METRIC",
    choices=METRIC,
)
AT = option(
    list[str] | None,
    "--at",
    _REPORT,
    "Report precision, recall and lift of this many highest-scoring examples, such as 100 or 1%. May be repeated.",
    metavar="NUMBER|SHARE",
)
POPULATION = option(
    str,
    "--population",
    _REPORT,
    "Population for --at and for metrics that depend on the prevalence: all examples, or only the unlabeled ones.",
    choices=POPULATIONS,
)
THRESHOLD = option(
    float | None,
    "--threshold",
    _REPORT,
    "Predict positive for scores >= threshold. By default, the best threshold.",
    metavar="NUMBER",
)
REPORT = option(
    Path | None,
    "--report",
    _OUTPUT,
    "Write an HTML page with the numbers, curves and a text for a paper, with a section for each model.",
    metavar="FILE.html",
)
JSON = option(bool, "--json", _OUTPUT, "Write JSON instead of a table.")
EXPLAIN = option(
    bool, "--explain", _OUTPUT, "Also print what the numbers assume and mean, and all warnings."
)
FAIL_UNDER = option(
    list[str] | None,
    "--fail-under",
    _OUTPUT,
    "Limit such as roc_auc=0.85: exit with status 1 if the corrected score is below it, 3 if that is undecided. May "
    "be repeated.",
    metavar="METRIC=NUMBER",
)
LOWER = option(
    bool, "--lower", _OUTPUT, "With --fail-under: compare the lower end of the interval."
)
CHECKS = option(
    Path | None,
    "--checks",
    _CHECKED,
    "Rows that an expert has checked: the file from pumetrics audit with its verdict column filled in.",
    metavar="FILE",
)
CHECKED = option(
    str | None,
    "--checked",
    _CHECKED,
    "With --checks, if rows were chosen without a plan: top means all of the first k unlabeled rows, random a random "
    "sample of the unlabeled rows.",
    choices=("top", "random"),
)
PRIORS = option(
    str,
    "--priors",
    _ADVANCED,
    "Estimator of alpha: consensus, bbe, dedpul, km2, ...",
    metavar="NAME",
)
UNCERTAINTY = option(
    str | None,
    "--uncertainty",
    _ADVANCED,
    "What intervals account for if alpha is estimated, beyond sampling error. calibrated (default): the uncertainty of "
    "alpha; guaranteed: every alpha up to a guaranteed bound. With --checks, guaranteed means wider intervals that are "
    "valid for any sample size.",
    metavar="NAME",
    choices=("calibrated", "guaranteed"),
)
CONFIDENCE = option(
    float,
    "--confidence",
    _ADVANCED,
    "Nominal coverage of intervals.",
    metavar="SHARE",
    share=True,
)
BOOTSTRAP = option(
    int,
    "--bootstrap",
    _ADVANCED,
    "Number of resamples for the intervals; 0 for no intervals.",
    metavar="INTEGER",
)

_READING = ("label", "positive", "unlabeled", "id", "unscored")
_REPEATED = ("score", "unlabeled", "metric", "fail_under")
_NOT_SETTINGS = ("scores", "first", "second", "json", "explain")


def options_of(values):
    """The options of a command by name, those that may be repeated as lists."""
    repeated = {name: values[name] or [] for name in _REPEATED if name in values}
    return SimpleNamespace(**values | repeated)


def settings_of(given):
    """The options of a command for JSON."""
    return {
        name: str(value) if isinstance(value, Path) else value
        for name, value in vars(given).items()
        if name not in _NOT_SETTINGS
    }


def reading_of(given):
    """Arguments that say how a file is read."""
    return {name: getattr(given, name) for name in _READING}


def arguments_of(given, *, planned=None, least=0):
    """Arguments of assess or compare_scores; ValueError on invalid options.

    A plan of checked rows (`planned`) decides the threshold if nothing else does.
    """
    from pumetrics.inference.request import LEAST, ask_of

    check_finite(given.threshold)
    threshold = given.threshold
    if planned and threshold is None:
        threshold = planned["threshold"]
    if given.bootstrap < LEAST and (least or given.bootstrap):
        none = "" if least else ", or 0 for no intervals"
        raise ValueError(f"--bootstrap must be at least {LEAST}{none}, got {given.bootstrap}")
    metrics = _metrics_of(given, threshold)
    check_fraction(given.beta, "beta")
    drawn = {"confidence": given.confidence, "n_bootstrap": given.bootstrap}
    ask_of(metrics, threshold=threshold, least=least, **drawn)
    return {
        **prior_of(given.alpha),
        "beta": given.beta,
        "rho": given.rho,
        "noisy": given.noisy,
        "threshold": threshold,
        "population": given.population,
        "metrics": metrics,
        "method": given.priors,
        "uncertainty": given.uncertainty,
        **drawn,
    }


def check_finite(threshold):
    """Raise ValueError on a threshold that is not finite."""
    if threshold is not None and not math.isfinite(threshold):
        raise ArgumentError("threshold", f"must be a finite number, got {threshold}")


def prior_of(text):
    """The argument of assess that --alpha gives: alpha or, after ``pi=``, the share among all rows.

    Examples
    --------
    >>> prior_of("pi=30%"), prior_of("0.2")
    ({'pi': 0.3}, {'alpha': 0.2})
    """
    if text is not None and text.startswith("pi="):
        return {"pi": alpha_of(text.removeprefix("pi="))}
    return {"alpha": alpha_of(text)}


def alpha_of(text):
    """Parse ``0.2``, ``20%``, or a range such as ``0.1,0.3``.

    Examples
    --------
    >>> alpha_of("20%"), alpha_of("0.1,0.3")
    (0.2, (0.1, 0.3))
    """
    if text is None:
        return None
    try:
        numbers = [_share(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise ValueError(
            f"--alpha must be a number such as 0.2 or a range such as 0.1,0.3, got {text!r}"
        )
    decimals = re.fullmatch(r"\s*0\s*,(\d+)", text)
    if decimals:
        share = f"0.{decimals[1]}"
        raise ValueError(
            f"--alpha {text} is a range, from 0 to {decimals[1]}: did you mean {share}, that is "
            f"{100 * float(share):g}%? A range within [0, 1] is written 0.1,0.3"
        )
    if "%" not in text and 1 < max(numbers) <= 100:
        shares = ",".join(f"{number / 100:g}" for number in numbers)
        percents = ",".join(f"{number:g}%" for number in numbers)
        raise ValueError(
            f"--alpha must lie in [0, 1], got {text}: did you mean {shares}, that is {percents}?"
        )
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


def _metrics_of(given, threshold):
    """Names of the metrics to report."""
    from pumetrics.assessment import metrics_for

    for name in given.metric:
        if METRICS[name].kind == "top" and not given.at:
            raise ValueError(f"--metric {name} needs --at, such as --at 100 or --at 1%")
    return metrics_for(given.metric or None, threshold=threshold, at=given.at or ())


def columns_named(score):
    """Columns of scores, "score" by default; ValueError if one is named twice."""
    columns = score or ["score"]
    for column in columns:
        if columns.count(column) > 1:
            raise ValueError(
                f"--score {column} is named {columns.count(column)} times: name each model once"
            )
    return columns


_SUFFIXES = {"--output": (".csv",), "--report": (".html", ".htm")}


def are_same_file(one, other):
    """Whether two paths lead to the same file that exists."""
    return one.exists() and other.exists() and os.path.samefile(one, other)


def check_output(option, path, inputs):
    """Raise ValueError unless the file, if any, can be written and is not one of the inputs."""
    from pumetrics.plotting import require_plots

    if path is None:
        return
    if str(path) == "-":
        raise ValueError(
            f"{option} - cannot be written: standard output is used for the table; give a file name"
        )
    for source in inputs:
        if are_same_file(path, source):
            raise ValueError(
                f"{option} {path} would overwrite the input {source}: choose another file name"
            )
    if path.is_dir():
        raise ValueError(f"{option} {path} is a folder: give the name of a file in it")
    unwritable = f"{option} {path} cannot be written"
    folder = path.parent
    if not folder.is_dir():
        raise ValueError(
            f"{unwritable}: folder {folder} does not exist; create it or choose another"
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{unwritable}: permission denied; choose another file")
    if (path.suffix or option == "--output") and not path.name.lower().endswith(_SUFFIXES[option]):
        kind = _SUFFIXES[option][0]
        raise ValueError(
            f"{unwritable}: it is a {kind} file, not {path.suffix or 'without a suffix'}; name it "
            f"{path.stem}{kind}"
        )
    if option == "--report":
        require_plots(option)
