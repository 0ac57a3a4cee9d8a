"""Options on checked rows and their files: a table of verdicts and its plan."""

import json
import os
import shlex
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from pumetrics.cli._models import one_model

__all__ = [
    "Checked",
    "Checks",
    "Guaranteed",
    "IgnoreNegatives",
    "LabelOdds",
    "Negative",
    "Rows",
    "advice",
    "command_line",
    "continued",
    "more_checks",
    "planned",
    "read_checks",
    "refusals_advised",
    "rows_of",
    "write_checks",
]


class CheckedName(StrEnum):
    """How rows were chosen if they were checked without a plan."""

    top = "top"
    random = "random"


_checked, _labels = (partial(typer.Option, rich_help_panel=panel) for panel in ("Checked rows", "Labels"))

Checks = Annotated[
    Path | None,
    _checked(
        metavar="FILE",
        help="Rows that an expert has checked: the file from pumetrics audit with its verdict column filled in.",
    ),
]
Checked = Annotated[
    CheckedName | None,
    _checked(
        help="With --checks, if rows were chosen without a plan: top means all of the first k unlabeled rows, random "
        "a random sample of the unlabeled rows."
    ),
]
LabelOdds = Annotated[
    list[float] | None,
    _checked(
        metavar="NUMBER",
        help="With --checks: also show results that assume that the odds of being labeled differ at most by this "
        "factor across the threshold; 2 and 1 (SCAR) by default. May be repeated.",
    ),
]
Guaranteed = Annotated[
    bool, _checked("--guaranteed", help="With --checks: wider intervals that hold for any sample size.")
]
Negative = Annotated[
    list[str] | None,
    _labels(metavar="VALUE", help="With --positive: a value that means labeled negative. May be repeated."),
]
IgnoreNegatives = Annotated[
    bool, _labels("--ignore-negatives", help="Ignore labeled negatives (-1); they are an error by default.")
]


class Rows(NamedTuple):
    """Scored rows that can be checked, and their names in the file."""

    s: np.ndarray
    scores: list
    """Scores of one model, or of two."""
    names: np.ndarray
    """Id of each row, or its number in the file; the first row below the header is 0."""
    column: str
    """Column that holds the names: the column of ids, or "row"."""
    file: str
    places: np.ndarray
    """Position of each row in the file."""
    notes: tuple
    """A line on rows that were left out."""


def rows_of(file, label, s, scores, rows, ids, id, *, ignore_negatives):
    """Return the rows of a file without labeled negatives; ValueError if there are any that may not be ignored.

    Rows with names are sorted by name, so a plan recognizes them in any order of the file.
    """
    from pumetrics._validation import of_unknown_origin

    kept = s != -1
    if not kept.all() and not ignore_negatives:
        where = f"column {label!r} of {file} holds a labeled negative in row {rows[np.argmin(kept)]}"
        raise ValueError(of_unknown_origin(np.sum(~kept), where))
    names = (rows.astype(str) if ids is None else ids)[kept]
    order = np.arange(len(names)) if ids is None else np.argsort(names.astype(str), kind="stable")
    notes = () if kept.all() else (f"{np.sum(~kept)} labeled negatives (-1) are ignored",)
    kept = np.flatnonzero(kept)[order]
    return Rows(s[kept], [each[kept] for each in scores], names[order], id or "row", str(file), rows[kept], notes)


def planned(checks, checked, columns, *, label_odds=None, guaranteed=False):
    """Return the content of the plan of the checks, if any; ValueError on options that contradict each other.

    Parameters
    ----------
    checks, checked, label_odds, guaranteed
        Values from the command line.
    columns : list of str
        Of scores.
    """
    if checks is None:
        alone = {"--checked": checked, "--label-odds": label_odds, "--guaranteed": guaranteed}
        given = [option for option, value in alone.items() if value]
        if given:
            raise ValueError(f"{given[0]} needs --checks, the file of checked rows")
        return None
    one_model("--checks", columns)
    if not checks.is_file():
        raise ValueError(f"file {checks} does not exist: pumetrics audit writes it")
    return plan_beside(checks, checked)


def plan_beside(path, checked=None):
    """Return the content of the plan of a file of checks, or None if --checked says how rows were chosen."""
    plan_file = path.with_suffix(".json")
    if checked is not None:
        if plan_file.exists():
            raise ValueError(f"--checked {checked} and {plan_file} contradict: the plan says how rows were chosen")
        return None
    if not plan_file.exists():
        raise ValueError(
            f"plan {plan_file} of {path} does not exist: copy it there, or give how rows were chosen with "
            "--checked top (all of the first k unlabeled rows) or --checked random"
        )
    try:
        content = json.loads(plan_file.read_text(encoding="utf-8"))
    except ValueError:
        content = None
    if not isinstance(content, dict) or "threshold" not in content:
        raise ValueError(f"{plan_file} is not a plan that pumetrics audit wrote: use the original")
    return content


def plan_of(content, rows, path):
    """The plan of a file of checks for these rows."""
    from pumetrics.checks import CheckPlan

    try:
        return CheckPlan.from_dict(content, rows.s, *rows.scores)
    except ValueError as error:
        raise ValueError(f"{path.with_suffix('.json')} and {rows.file}: {error}") from None


def read_checks(path, rows, content=None, checked=None):
    """Return the checks of a file as a table of positions and verdicts, with the plan or how rows were chosen.

    Parameters
    ----------
    path : pathlib.Path
    rows : Rows
    content : dict or None
        From :func:`plan_beside`.
    checked : {"top", "random"} or None

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        If the file cannot be read, names a row twice, names a row that is not in the file of scores or not in the plan,
        or holds an invalid verdict; if its plan was edited or belongs to other scores.
    """
    import pandas as pd

    from pumetrics.checks import read_verdicts

    plan = None if content is None else plan_of(content, rows, path)
    table = verdicts_in(path, rows.column)
    names = table[rows.column].fillna("").str.strip()
    read_verdicts(table["verdict"], [f"{rows.column} {name}" for name in names])
    places = pd.Index(rows.names).get_indexer(names)
    drawn = places >= 0 if plan is None else np.isin(places, plan.rows)
    for fault, wrong, remedy in (
        (f"which is not in {rows.file}", places < 0, "correct or remove it"),
        ("which is not in the plan", ~drawn, "give verdicts only for rows of the plan"),
        ("a second time", names.duplicated().to_numpy(), "keep one verdict of each"),
    ):
        if wrong.any():
            name = names[np.argmax(wrong)]
            raise ValueError(f"{path} holds {rows.column} {name!r}, {fault} ({wrong.sum()} such rows): {remedy}")
    checks = pd.DataFrame({"row": places, "verdict": table["verdict"]})
    checks.attrs |= {"checked": checked and str(checked)} if plan is None else {"plan": plan}
    return checks


def verdicts_in(path, column):
    """Read the table of a file of checks as text."""
    from pumetrics.assessment import columns_of, read_columns

    columns = columns_of(path, [column, "verdict"])
    for name in (column, "verdict"):
        if name not in columns:
            raise ValueError(f"{path} has no column {name!r}: a file of checks has the columns {column} and verdict")
    return read_columns(path, columns, as_text=columns)


def continued(path, rows, metric, threshold):
    """Return the plan of a file of checks and the table so far, or None if neither exists."""
    if not path.exists() and not path.with_suffix(".json").exists():
        return None
    if not path.with_suffix(".json").exists():
        raise ValueError(f"{path} exists, but not its plan: choose another file with -o")
    plan = plan_of(plan_beside(path), rows, path)
    for what, wanted, planned in (("for", metric, plan.metric), ("threshold", threshold, plan.threshold)):
        if wanted is not None and wanted != planned:
            raise ValueError(
                f"{path} contains a plan with --{what} {planned}, not {wanted}: continue it with the same options, or "
                "choose another file with -o"
            )
    if path.exists():
        read_checks(path, rows, plan.as_dict())
    return plan


def write_checks(path, plan, rows):
    """Write the rows of a plan that the file lacks, and the plan; existing verdicts and notes are kept."""
    import pandas as pd

    names = rows.names[plan.rows]
    table = pd.DataFrame({rows.column: names, "verdict": ""})
    if path.exists():
        old = verdicts_in(path, rows.column)
        table = pd.concat([old, table[~np.isin(names, old[rows.column].str.strip())]])
    texts = {path.with_suffix(".json"): json.dumps(plan.as_dict()) + "\n", path: table.to_csv(index=False)}
    for file, text in texts.items():  # the plan first: rows that are not in the table yet are not checked yet
        arriving = file.with_name(f".{file.name}.part")
        arriving.write_text(text, encoding="utf-8", newline="")
        os.replace(arriving, file)


def command_line(command, files, columns, **options):
    """Return a command line; options without a value are left out.

    Examples
    --------
    >>> command_line("audit", ["my scores.csv"], ["score"], label="s", id=None, threshold=0.5)
    "pumetrics audit 'my scores.csv' --score score --label s --threshold 0.5"
    """
    words = ["pumetrics", command, *map(str, files)]
    options = {"score": columns, **options}
    for name, value in options.items():
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is not None and each is not False:
                option = f"--{name.replace('_', '-')}" if len(name) > 1 else f"-{name}"
                words += [option, *([] if each is True else [str(each)])]
    return shlex.join(words)


def advice(step, file, column, read, output="checks.csv", **wanted):
    """Recommend rows to check, with the command that draws them.

    Parameters
    ----------
    step : NextStep or None
        None if everything is identified under the assumption on the labels.
    file : path-like
    column : str
        Of scores.
    read : dict
        Options that say how the file is read.
    output : path-like
        The file of checks.
    **wanted
        Further options of the command: a continued plan keeps its threshold.
    """
    if step is None:
        words = command_line("audit", [file], [column], **read, **wanted, o=output)
        return f"if rows were labeled because they scored high, check some rows: {words}"
    name, _, top = step.metric.partition("_at_")
    wanted = {"for": name, "at": top or None, "threshold": step.threshold, "budget": step.budget} | wanted
    words = command_line("audit", [file], [column], **read, **wanted, o=output)
    known = "" if step.threshold is None else f" at {step.threshold:.4g}"
    return f"check {step.budget:,} rows to know {step.metric}{known} within {step.within:.2g}: {words}"


def more_checks(assessment, content):
    """Estimate by the square root law how many checked rows give +-0.1; None if the plan already does.

    Parameters
    ----------
    assessment : Assessment
        With checks.
    content : dict or None
        Of the plan.

    Returns
    -------
    NextStep or None
        For the metric that the rows were drawn for, at the threshold in use.
    """
    from scipy.stats import chi2

    from pumetrics.assessment import NextStep

    if content is None or content["metric"] not in assessment.checked:
        return None
    answer = assessment.checked[content["metric"]][0]
    width, within = answer.upper - answer.lower, 0.1
    if width <= 2.5 * within or answer.n_open or content["noisy"]:
        return None
    errors = [(1 - answer.confidence) / look for look in (answer.look, answer.look + 1)]
    now, then = chi2.isf(errors, 1)  # the next look spends less
    width *= np.sqrt(then / now)
    budget = int(np.ceil(answer.n_checked * (width / (2 * within)) ** 2 / 10)) * 10
    threshold = content["threshold"] and answer.threshold
    most = sum(size for size, weight in zip(content["sizes"], content["weights"], strict=True) if weight >= 0)
    return NextStep(content["metric"], threshold, min(budget, most), within)


@contextmanager
def refusals_advised(samples, file, column, read):
    """Add a recommendation of rows to check to the error that a threshold needs alpha."""
    from pumetrics.assessment import OpenThresholdError, step_of

    try:
        yield
    except OpenThresholdError as error:
        sample = samples[0]
        if sample.s is None:
            raise
        kept = sample.s != -1
        step = step_of("alpha", sample.s[kept], sample.score[kept])
        raise ValueError(f"{error}; {advice(step, file, column, read)}") from None
