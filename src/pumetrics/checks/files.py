"""Files of checks: rows with the verdicts of an expert, and the plan next to them that says how rows were chosen."""

import json

import numpy as np

from pumetrics.checks.plans import CheckPlan
from pumetrics.checks.verdicts import read_verdicts
from pumetrics.reading import columns_of, read_columns, written_alike

__all__ = [
    "plan_named",
    "read_checks",
    "read_plan",
    "restored",
    "sorted_by_name",
    "table_to_fill",
    "verdicts_of_labels",
]

_FORMULA = r"'*(?:[=@]|[+-](?!\d*\.?\d+$))"  # begins one in a spreadsheet; -5 is a number


def sorted_by_name(samples):
    """Rows of one or two models in the order of their names: a plan recognizes them in any order of the file."""
    if samples[0].ids is None:
        return samples
    order = np.argsort(samples[0].ids.astype(str), kind="stable")
    return [each.take(order) for each in samples]


def verdicts_of_labels(sample, label, checked, positive=None):
    """Rows and their checks, where labels are verdicts.

    Of a random part, positives are verdicts as well. Of a top, they can be labels: all rows above its end are known.
    """
    import pandas as pd

    if not (sample.s == -1).any():
        raise ValueError(
            f"--checks is the file of scores, whose labels are verdicts, and none is -1, negative (column {label!r}): "
            "name the file of checked rows, or put verdicts into a column named verdict"
        )
    if checked == "random" and positive is None and not (sample.s == 0).any():
        raise ValueError(
            f"column {label!r} holds 1 or -1 in every row: if -1 means unlabeled, 1 is a label, give --positive 1 and "
            "no --checks; if every row was verified, put 1 and 0 into a column named verdict"
        )
    is_checked = sample.s == -1
    s = np.maximum(sample.s, 0)
    if checked == "random":
        is_checked = sample.s != 0
        s = np.zeros_like(s)
    rows = np.flatnonzero(is_checked)
    table = pd.DataFrame({"row": rows, "verdict": np.maximum(sample.s[rows], 0)})
    return sample._replace(s=s), table


def plan_named(checks, checked, columns):
    """Content of the plan of a file of checks, if any; ValueError on options that contradict each other."""
    if checks is None:
        if checked is not None:
            raise ValueError("--checked needs --checks, the file of checked rows")
        return None
    if len(columns) > 1:
        raise ValueError(
            f"--checks takes one model, and --score names {len(columns)} ({', '.join(columns)}): give one --score"
        )
    if not checks.exists():
        raise ValueError(f"file {checks} does not exist: pumetrics audit writes it")
    plan_file = _plan_file(checks)
    if checked is None:
        return read_plan(checks)
    if plan_file.exists():
        raise ValueError(
            f"--checked {checked} and {plan_file} contradict: the plan says how rows were chosen"
        )
    return None


def _plan_file(path):
    return path.parent / f"{path.stem}.json"


def read_plan(path):
    """Content of the plan of a file of checks; ValueError if there is none."""
    plan_file = _plan_file(path)
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


def restored(content, path, source, samples):
    """The plan of a file of checks for these rows."""
    try:
        return CheckPlan.from_dict(content, samples[0].s, *(each.score for each in samples))
    except ValueError as error:
        raise ValueError(f"{_plan_file(path)} and {source}: {error}") from None


def read_checks(path, source, sample, id, plan, positive=None):
    """Positions and verdicts of checked rows; ValueError if they do not fit to the rows or to their plan, if any."""
    import pandas as pd

    column = id or "row"
    table = _verdicts_in(path, column)
    if path == source.path:  # a row of the scores without a verdict was not checked
        table = table[table["verdict"].notna()].reset_index(drop=True)
    names = _names_in(table[column])
    verdicts = read_verdicts(
        table["verdict"], names if id is None else [f"{id} {name}" for name in names], positive
    )
    if positive is not None and not isinstance(plan, CheckPlan):
        _check_not_reversed(positive, table["verdict"], path)
    if positive is not None and not sample.s.any() and positive not in set(table["verdict"]):
        raise ValueError(
            f"--positive {positive} is no value of the column verdict of {path}, and no row is labeled: omit it, or "
            "give the column of labels with --label"
        )

    places = pd.Index(sample.names).get_indexer(names)
    is_drawn = np.isin(places, plan.rows) if isinstance(plan, CheckPlan) else places >= 0
    is_unscored = np.zeros(len(names), dtype=bool)
    if sample.left_out is not None:
        is_unscored = np.isin(names, sample.left_out.names)
    unscored_remedy = (
        "such rows are left out (--unscored skip); verdicts on them count with --unscored lowest"
    )
    absent_remedy = "correct it, or give the file that has it"
    if id is not None:
        absent_remedy = written_alike(names[places < 0], sample.names) or absent_remedy
    for fault, wrong, remedy in (
        (f"which has no score in {source}", is_unscored, unscored_remedy),
        (f"which is not in {source}", places < 0, absent_remedy),
        ("which is not in the plan", ~is_drawn, "give verdicts only for rows of the plan"),
    ):
        if wrong.any():
            name = names[np.argmax(wrong)]
            raise ValueError(
                f"{path} holds {column} {name!r}, {fault} ({wrong.sum()} such rows): {remedy}"
            )
    shown = pd.Series(verdicts).map({1: "1", 0: "0", -1: "?", -2: ""})
    return pd.DataFrame({"row": places, "verdict": shown})


def _check_not_reversed(positive, verdicts, path):
    """Raise ValueError if verdicts are 1 and 0, and the word for positive is one that means something else there."""
    is_number = verdicts.astype(str).str.strip().isin(("0", "1"))
    if read_verdicts([positive], [path], positive)[0] != 1 and is_number.any():
        raise ValueError(
            f"--positive {positive} and the column verdict of {path}, which holds 1 and 0, contradict: there 1 means "
            "positive; recode labels and verdicts so that 1 is positive, and omit --positive"
        )


def table_to_fill(path, plan, names, column):
    """Rows of a plan without verdicts, below those that the file already has with their verdicts and notes."""
    import pandas as pd

    names = names[plan.rows]
    cells = pd.Series(names).str.replace(rf"^(?={_FORMULA})", "'", regex=True)
    table = pd.DataFrame({column: cells, "verdict": ""})
    if not path.exists():
        return table
    old = _verdicts_in(path, column)
    return pd.concat([old, table[~np.isin(names, _names_in(old[column]))]])


def _verdicts_in(path, column):
    """The table of a file of checks as text."""
    columns = columns_of(path, [column, "verdict"])
    for name in (column, "verdict"):
        if name not in columns:
            hint = "; give the column that names its rows with --id" if name == "row" else ""
            raise ValueError(
                f"{path} has no column {name!r}: a file of checks has the columns {column} and verdict{hint}"
            )
    return read_columns(path, columns, as_text=columns)


def _names_in(cells):
    """Names of rows in a file of checks, without the quotation mark before what a spreadsheet would take as formula."""
    names = cells.astype(object).fillna("").astype(str).str.strip().str.normalize("NFC")
    return names.str.replace(rf"^'(?={_FORMULA})", "", regex=True)
