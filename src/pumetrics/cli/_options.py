"""The options of all commands in one table, and the arguments of the library that they become."""

import inspect
import math
import os
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial, wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, get_origin

import typer

from pumetrics._arguments import GOALS, ArgumentError, check_together
from pumetrics._validation import check_count, check_fraction
from pumetrics.metrics import METRICS
from pumetrics.tops import POPULATIONS

__all__ = [
    "FLAGS", "METRIC", "SCORES", "Option", "alpha_of", "arguments_of", "check_columns", "check_output", "choice",
    "columns_named", "one_model", "reading_of", "settings_of", "takes",
]  # fmt: skip


@dataclass(frozen=True)
class Option:
    """An option: its group in the help, type and placeholder, help and default, and the argument that it sets."""

    group: str
    kind: tuple
    help: str
    default: Any = None
    argument: str | None = None
    """Argument of the library; None if it has the name of the option."""
    flags: tuple[str, ...] = ()
    """How it is written; by default its name."""
    show_default: bool | str = True

    @property
    def is_list(self):
        """Whether it may be repeated."""
        return get_origin(self.kind[0]) is list

    def parameter(self, name):
        """As a parameter of a function, for typer."""
        (kind, metavar), panel, flags = self.kind, self.group, self.flags or [_flag(name)]
        shown = typer.Option(
            *flags, metavar=metavar, help=self.help, rich_help_panel=panel, show_default=self.show_default
        )
        annotation = Annotated[kind | None if self.default is None else kind, shown]
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=self.default)


def _flag(name):
    return f"--{name.replace('_', '-')}"


def choice(name, values):
    """A type of options that take one of some values."""
    return StrEnum(name, {value: value for value in values})


METRIC = choice("Metric", [name for name, entry in METRICS.items() if entry.kind != "maximum"])

COLUMN, COLUMNS = (str, "COLUMN"), (list[str], "COLUMN")
VALUE, VALUES = (str, "VALUE"), (list[str], "VALUE")
SHARE, COST, FLAG = (float, "SHARE"), (float, "COST"), (bool, None)

data, labels, reported, cutoff = (partial(Option, name) for name in ("Data", "Labels", "What to report", "Threshold"))
output, checked, selected, advanced = (
    partial(Option, name) for name in ("Output", "Checked rows", "Rows to check", "Advanced")
)

SCORES = Annotated[
    Path, typer.Argument(help="CSV, TSV or Parquet file with one example per row; - for standard input.")
]
OPTIONS = {
    "score": data(
        COLUMNS,
        "Column of scores; higher means more positive. May be repeated, once for each model.",
        show_default="score",
    ),
    "id": data(COLUMN, "Column of example names; each name may occur once."),
    "weight": data(
        COLUMN, "Column of weights, at least 0: the number of examples that a row represents.", argument="sample_weight"
    ),
    "cluster": data(COLUMN, "Column that groups dependent rows, such as user_id: intervals resample whole groups."),
    "fold": data(
        COLUMN,
        "Column of cross-validation folds: scores are compared within folds only, and results are averaged over folds.",
    ),
    "label": labels(COLUMN, "Column of labels: 1 labeled, 0 unlabeled.", "s"),
    "positive": labels(
        VALUE, "Value that means labeled, such as fraud; blank, 0, -1, false and NaN then mean unlabeled."
    ),
    "unlabeled": labels(VALUES, "With --positive: another value that means unlabeled. May be repeated."),
    "negative": labels(VALUES, "With --positive: a value that means labeled negative. May be repeated."),
    "ignore_negatives": labels(FLAG, "Ignore labeled negatives (-1); they are an error by default.", False),
    "alpha": labels(
        (str, "SHARE"),
        "Share of positives among the unlabeled, such as 0.2 or 20%, or a range LOW,HIGH. Estimated by default.",
    ),
    "beta": labels(SHARE, "Share of positives among the labeled.", 1.0),
    "rho": labels(SHARE, "Label frequency, the share of positives that are labeled."),
    "noisy": labels(FLAG, "Allow for label noise: estimate beta as well.", False),
    "selection": labels(
        (str, "TIMES"),
        "Assumed strength of selection: how many times as often the positive with the highest score is labeled as the "
        "one with the lowest. Several values such as 1,2,4 are compared.",
        "1",
    ),
    "selected_by": labels(
        (str, "first|second"),
        "With --selection: the model whose scores are used. By default, the one that separates labeled from unlabeled "
        "best.",
    ),
    "propensity": labels(
        COLUMN,
        "Column of propensities: the probability, up to a factor, that a positive in this row is labeled. "
        "Labeled rows are then weighted to represent all positives.",
    ),
    "metric": reported(
        (list[METRIC], "METRIC"),
        f"{', '.join(METRIC)}. May be repeated. By default all metrics that need no other option: precision and "
        "recall need --threshold, metrics at k need --at.",
    ),
    "at": reported(
        (list[str], "NUMBER|SHARE"),
        "Report precision, recall and lift of this many highest-scoring examples, such as 100 or 1%. May be repeated.",
        argument="k",
    ),
    "population": reported(
        (choice("PopulationName", POPULATIONS), None),
        "Population for --at and for metrics that depend on the class mix: all examples, or only the unlabeled ones.",
        "all",
    ),
    "by": reported(
        COLUMNS,
        "Column of groups, such as country: each group is also assessed separately, with its own alpha unless "
        "--alpha is given. May be repeated.",
    ),
    "threshold": cutoff((float, "NUMBER"), "Predict positive for scores >= threshold. By default, the best threshold."),
    "cost_fp": cutoff(COST, "Cost of a false positive: with --cost-fn, choose the threshold with the lowest cost."),
    "cost_fn": cutoff(COST, "Cost of a false negative, in the same unit."),
    "min_precision": cutoff(
        SHARE, "Choose the threshold with the highest recall among those with at least this precision."
    ),
    "min_recall": cutoff(
        SHARE, "Choose the threshold with the highest precision among those with at least this recall."
    ),
    "thresholds": cutoff((Path, "FILE.csv"), "Write a table of thresholds with expected counts."),
    "report": output(
        (Path, "FILE.html"),
        "Write an HTML page with curves, evidence and text for a paper, with a section for each model.",
    ),
    "json": output(FLAG, "Write JSON instead of a table.", False),
    "explain": output(FLAG, "Also print what the numbers assume and mean, and all warnings.", False),
    "fail_under": output(
        (list[str], "METRIC=NUMBER"),
        "Limit such as roc_auc=0.85: exit with status 1 if the corrected score is below it, 3 if that is undecided. "
        "May be repeated.",
    ),
    "lower": output(FLAG, "With --fail-under: compare the lower end of the interval.", False),
    "checks": checked(
        (Path, "FILE"),
        "Rows that an expert has checked: the file from pumetrics audit with its verdict column filled in.",
    ),
    "checked": checked(
        (choice("CheckedName", ("top", "random")), None),
        "With --checks, if rows were chosen without a plan: top means all of the first k unlabeled rows, random "
        "a random sample of the unlabeled rows.",
    ),
    "guaranteed": checked(FLAG, "With --checks: wider intervals that hold for any sample size.", False),
    "priors": advanced(
        (str, "NAME"), "Estimator of alpha: consensus, bbe, dedpul, km2, ...", "consensus", argument="method"
    ),
    "uncertainty": advanced(
        (choice("UncertaintyName", ("calibrated", "guaranteed", "sampling")), "NAME"),
        "What intervals account for if alpha is estimated. calibrated (default): sampling error and the uncertainty of "
        "alpha; guaranteed: every alpha up to a guaranteed bound; sampling: sampling error only.",
    ),
    "confidence": advanced(SHARE, "Nominal coverage of intervals and bounds.", 0.95),
    "bootstrap": advanced(
        (int, None), "Number of resamples for the intervals; 0 for no intervals.", 200, argument="n_bootstrap"
    ),
    "seed": advanced((int, None), "Seed of the bootstrap.", 0, argument="random_state"),
    "purpose": selected(
        (choice("ForName", ("alpha", "precision", "recall", "f1", "roc_auc", "average_precision", "beta")), None),
        "Metric to optimize the selection for; the rows also serve the others.",
        "f1",
        flags=("--for",),
    ),
    "budget": selected(
        (int, None), "Number of rows to check. A later run with a larger number extends the same selection.", 100
    ),
    "output": output(
        (Path, "FILE.csv"), "Write the rows to check, and their plan (.json) next to them.", flags=("--output", "-o")
    ),
}
"""Options by name, in the order of the help."""

FLAGS = {option.argument or name: (option.flags or [_flag(name)])[0] for name, option in OPTIONS.items()}
"""Names of options by the arguments of the library that they set."""


def takes(names, **own):
    """Let typer see `command(files, given)` as a function with options in the place of `given`.

    Parameters
    ----------
    names : str
        Options in the order of the help, separated by blanks.
    **own : Option or dict
        Options that are not in the table, or what differs from it for this command.
    """
    table = {name: own.get(name, {}) for name in names.split()}
    table = {name: replace(OPTIONS[name], **each) if isinstance(each, dict) else each for name, each in table.items()}

    def decorate(command):
        @wraps(command)
        def run(**values):
            chosen = {
                name: values.pop(name) or [] if each.is_list else values.pop(name) for name, each in table.items()
            }
            return command(**values, given=SimpleNamespace(**chosen))

        signature = inspect.signature(command)
        files = [each for name, each in signature.parameters.items() if name != "given"]
        options = [each.parameter(name) for name, each in table.items()]
        run.__signature__ = signature.replace(parameters=[*files, *options])
        return run

    return decorate


def settings_of(given):
    """The options of a command for JSON."""
    return {
        name: str(value) if isinstance(value, Path | StrEnum) else value
        for name, value in vars(given).items()
        if name not in ("json", "explain")
    }


def reading_of(given):
    """Arguments that say how a file is read."""
    return {name: getattr(given, name) for name in ("label", "positive", "unlabeled", "negative", "id")}


def arguments_of(given, *, planned=None, least=0):
    """Arguments of assess or compare_scores; ValueError on invalid or contradictory options.

    A plan of checked rows (`planned`) decides the threshold if nothing else does.
    """
    from pumetrics.inference.request import ask_of
    from pumetrics.thresholds import check_goal

    said = {OPTIONS[name].argument or name: value for name, value in settings_of(given).items()}
    goal = {name: said[name] for name in GOALS if name in said}
    has_goal = any(value is not None for value in goal.values())
    if planned and given.threshold is None and not has_goal:
        said["threshold"] = planned["threshold"]
    threshold = math.nan if has_goal else said["threshold"]  # there will be one
    metrics = _metrics_of(given, threshold)
    strengths = _selections_of(given.selection)
    check_together(**said | {"population": None, "selection": None if {*strengths} == {1} else given.selection})
    check_goal(**goal)
    check_fraction(given.beta, "beta")
    check_count(given.seed, "random_state", least=0)
    if given.threshold is not None and not math.isfinite(given.threshold):
        raise ArgumentError("threshold", f"must be a finite number, got {given.threshold}")
    drawn = {name: said[name] for name in ("confidence", "n_bootstrap", "random_state")}
    ask_of(metrics, threshold=threshold, least=least, **drawn)
    same = ("beta", "rho", "noisy", "threshold", "uncertainty", "method", "population", "ignore_negatives")
    arguments = {name: said[name] for name in same} | drawn | {"alpha": alpha_of(given.alpha), "metrics": metrics}
    return arguments | {"selection": strengths} | ({"goal": goal} if goal else {})


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


def _selections_of(text):
    """Parse ``1`` or ``1,2,4``."""
    try:
        return [float(part) for part in str(text).split(",")]
    except ValueError:
        raise ValueError(f"--selection must be numbers such as 1 or 1,2,4, got {text!r}") from None


def _metrics_of(given, threshold):
    """Names of the metrics to report."""
    from pumetrics.assessment import metrics_for

    for name in given.metric:
        if METRICS[name].kind == "top" and not given.at:
            raise ValueError(f"--metric {name} needs --at, such as --at 100 or --at 1%")
    return metrics_for([*map(str, given.metric)] or None, threshold=threshold, at=given.at)


def columns_named(score):
    """Columns of scores, "score" by default; ValueError if one is named twice."""
    columns = score or ["score"]
    for column in columns:
        if columns.count(column) > 1:
            raise ValueError(f"--score {column} is named {columns.count(column)} times: name each model once")
    return columns


def one_model(option, columns):
    """Raise ValueError if an option that takes one model is given several."""
    if len(columns) > 1:
        raise ValueError(
            f"{option} takes one model, and --score names {len(columns)} ({', '.join(columns)}): give one --score"
        )


_APART = {
    "weight": ("cluster", "fold"),
    "cluster": (),
    "fold": (),
    "propensity": ("weight", "cluster", "fold"),
    "by": (),
}
"""Columns of which each may be neither the label, nor a score, nor one of some others."""


def check_columns(given):
    """Return the columns that --weight and such name; ValueError if one of them has another meaning as well."""
    said = vars(given) | {"score": given.score or ["score"]}
    for first, others in _APART.items():
        for second in ("label", "score", *others):
            for name in _listed(said.get(first)):
                if name in _listed(said[second]):
                    raise ValueError(f"--{first} {name} and --{second} {name} must name different columns")
    return {name: said[name] for name in _APART if name in said}


def _listed(names):
    return [names] if isinstance(names, str) else names or []


_SUFFIXES = {"--output": (".csv",), "--report": (".html", ".htm"), "--thresholds": (".csv", ".csv.gz")}


def check_output(option, path, inputs):
    """Raise ValueError unless the file, if any, can be written and is not one of the inputs."""
    from pumetrics.plotting import require_plots

    if path is None:
        return
    if str(path) == "-":
        raise ValueError(f"{option} - cannot be written: standard output is used for the table; give a file name")
    for source in inputs:
        if path.exists() and source.exists() and os.path.samefile(path, source):
            raise ValueError(f"{option} {path} would overwrite the input {source}: choose another file name")
    if path.is_dir():
        raise ValueError(f"{option} {path} is a folder: give the name of a file in it")
    folder, unwritable = path.parent, f"{option} {path} cannot be written"
    if not folder.is_dir():
        raise ValueError(f"{unwritable}: folder {folder} does not exist; create it or choose another")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{unwritable}: permission denied; choose another file")
    if path.suffix and not path.name.lower().endswith(_SUFFIXES[option]):
        kind = _SUFFIXES[option][0]
        raise ValueError(f"{unwritable} as {path.suffix}: it is a {kind} file; name it {path.stem}{kind}")
    if option == "--report":
        require_plots(option)
