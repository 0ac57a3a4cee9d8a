"""`pumetrics audit` selects rows to check; their file, its plan, and the advice that recommends the command."""

import json
import shlex
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from pumetrics.cli import options
from pumetrics.cli.options import (
    check_finite,
    check_output,
    columns_named,
    option,
    options_of,
    reading_of,
)
from pumetrics.cli.output import terminal, writing, written_or_refused
from pumetrics.metrics import find_metric, metric_at
from pumetrics.tops import POPULATIONS
from pumetrics.validation import VerifiedError, check_random_state, check_threshold
from pumetrics.writing import alone, write_whole

__all__ = [
    "audit",
    "command_line",
    "names_of",
    "next_step",
    "pairs_of",
    "plan_named",
    "read_checks",
    "read_pairs",
    "sorted_by_name",
    "verdicts_of_labels",
    "ways_named",
]

_ROWS = "Rows to check"
_FORMULA = r"'*(?:[=@]|[+-](?!\d*\.?\d+$))"  # begins one in a spreadsheet; -5 is a number
_FOR = (
    "alpha",
    "precision",
    "recall",
    "f1",
    "accuracy",
    "balanced_accuracy",
    "specificity",
    "mcc",
    "roc_auc",
    "average_precision",
    "beta",
)


def audit(
    scores: options.SCORES,
    second: Annotated[
        Path | None,
        typer.Argument(
            help="Scores of a second model: select rows that only one of the models lists, see --at."
        ),
    ] = None,
    *,
    score: option(
        list[str] | None,
        "--score",
        "Data",
        "Column of scores; twice for two models of one file.",
        metavar="COLUMN",
        default="score",
    ) = None,
    id: options.ID = None,
    label: options.LABEL = "s",
    positive: options.POSITIVE = None,
    unlabeled: options.UNLABELED = None,
    noisy: option(
        bool, "--noisy", "Labels", "Labels can be wrong: check labeled rows as well."
    ) = False,
    purpose: option(
        StrEnum("ForName", _FOR) | None,
        "--for",
        _ROWS,
        "Metric to optimize the selection for; the rows also serve the others.",
        default="f1",
    ) = None,
    threshold: option(
        float | None,
        "--threshold",
        _ROWS,
        "Predict positive for scores >= threshold. For F1 the best one by default.",
        metavar="NUMBER",
    ) = None,
    at: option(
        str | None,
        "--at",
        _ROWS,
        "With --for precision or recall: number or share of the highest-scoring rows. With two models: the length of "
        "their lists.",
        metavar="NUMBER|SHARE",
    ) = None,
    population: option(
        StrEnum("PopulationName", POPULATIONS),
        "--population",
        _ROWS,
        "Population of the metric: all rows, or only the unlabeled ones.",
    ) = "all",
    budget: option(
        int | None,
        "--budget",
        _ROWS,
        "Number of rows to check. A later run with a larger number extends the same selection.",
        default="100, or all if there are fewer",
    ) = None,
    guaranteed: option(
        bool, "--guaranteed", _ROWS, "Select rows for intervals that hold for any sample size."
    ) = False,
    output: option(
        Path | None,
        ("--output", "-o"),
        "Output",
        "Write the rows to check, and their plan (.json) next to them.",
        metavar="FILE.csv",
    ) = None,
    seed: option(int, "--seed", "Advanced", "Seed of the draw.") = 0,
):
    """Select rows for an expert to check, so that a metric can be estimated without assumptions about the labels.

    Prints the expected interval widths for 50 to 400 checked rows. The file
    lists the rows in random order, without their scores. Fill in the column
    verdict (1 for positive, 0 for negative, ? for unsure) and give the file
    to pumetrics evaluate or compare-models with --checks. Rows are numbered
    from 0, starting below the header, unless --id names them.

    Example: pumetrics audit scores.csv --score score --label s --for f1 --budget 100 -o checks.csv
    """
    given = options_of(locals())
    from pumetrics.reading import opened, read_models

    check_finite(threshold)
    read, files = reading_of(given), [scores, *([second] if second else [])]
    columns = given.score or ["score"]
    with opened(scores, second or scores) as sources, ways_named(scores, columns, given):
        check_output("--output", output, files)
        if second is not None or len(columns) > 1:
            pairs = pairs_of(given.score, sources[0], None if second is None else sources[1])
            if len(pairs) > 1:
                raise ValueError(
                    f"rows are selected for two models, and --score names {len(pairs) + 1}: give two"
                )
            ((_, samples),) = read_pairs(pairs, read, {"checked": True})
        else:
            samples = read_models(sources[0], columns, **read, checked=True)
        samples = sorted_by_name(samples)
        # one command at a time reads and continues a file of checks and its plan
        with (
            nullcontext()
            if output is None
            else alone(output.with_name(f".{output.name}.lock"), keep=False)
        ):
            plan = _plan(sources[0], samples, given)
            if output is not None:
                _write_checks(output, plan, names_of(samples[0]), given.id or "row")
    with written_or_refused():
        command = "evaluate" if len(samples) == 1 else "compare-models"
        read["label"] = read["label"] if samples[0].s.any() else None
        wanted = {
            "noisy": plan.noisy,
            "population": plan.strata.question.population,
            "checks": output,
        }
        again = command_line(command, files, columns, **read, **wanted)
        _show(plan, samples, output, again)


def pairs_of(score, first, second):
    """Files and columns that are compared: of two files one pair, of one file its first column with each other."""
    if second is None:
        columns = columns_named(score)
        if len(columns) < 2:
            raise ValueError(
                f"only one model is given, column {columns[0]!r} of {first}: give a second file, or two columns of "
                "this file with --score twice"
            )
        return [((first, columns[0]), (first, column)) for column in columns[1:]]
    columns = score or ["score"]
    if len(columns) > 2:
        raise ValueError(
            f"--score names {len(columns)} columns ({', '.join(columns)}): with two files, give one column or one for "
            "each file; a single file may have any number"
        )
    if columns[0] == columns[-1] and first == second:
        raise ValueError(
            f"{first} and its column {columns[0]!r} are given twice, and a model cannot be compared with itself; give "
            "two files, or --score twice"
        )
    return [((first, columns[0]), (second, columns[-1]))]


def read_pairs(pairs, read, columns):
    """Read the models of each pair: all of their rows, and those that have scores of both.

    A file is read once. The further columns are those of the first file.
    """
    from pumetrics.reading import check_positions, paired, read_models

    sources, names = zip(*pairs[0], strict=True)
    if sources[0] == sources[1]:
        names = list(dict.fromkeys(score for pair in pairs for _, score in pair))
        models = dict(zip(names, read_models(sources[0], names, **read, **columns), strict=True))
        files = [[models[score] for _, score in pair] for pair in pairs]
    else:
        (first,) = read_models(sources[0], names[:1], **read, **columns)
        (second,) = read_models(
            sources[1], names[1:], **read, checked=columns.get("checked", False)
        )
        files = [[first, second]]
        if read["id"] is None:
            check_positions(sources, read=(*names, read["label"]))
    return [(both, paired(sources, both)) for both in files]


def sorted_by_name(samples):
    """Rows of one or two models in the order of their names: a plan recognizes them in any order of the file."""
    if samples[0].ids is None:
        return samples
    order = np.argsort(samples[0].ids.astype(str), kind="stable")
    return [each.take(order) for each in samples]


def names_of(sample):
    """Ids of the rows, or their numbers in the file; the first row below the header is 0."""
    return sample.rows.astype(str) if sample.ids is None else sample.ids


@contextmanager
def ways_named(file, columns, given):
    """Add the commands that evaluate verified rows to the error that labels of -1 are no labels."""
    try:
        yield
    except VerifiedError as error:
        ways = [
            command_line(
                "evaluate",
                [file],
                columns[:1],
                **reading_of(given),
                threshold=given.threshold,
                population=given.population,
                checks=file,
                checked=checked,
            )
            for checked in ("random", "top")
        ]
        two = len(columns) > 1 or getattr(given, "second", None) is not None
        alone = "Such rows do not compare two models: evaluate each by itself. " if two else ""
        raise ValueError(
            f"{error}. {alone}If all rows or a random part of them were verified, and 1 is a verdict too: {ways[0]}. "
            f"If all of the first k by score were: {ways[1]}"
        ) from None


def verdicts_of_labels(samples, label, checked):
    """Rows, their checks, and how they were chosen, where labels are verdicts.

    Of a random part, positives are verdicts as well. Of a top, they can be labels: all rows above its end are known.
    """
    import pandas as pd

    (sample,), given = samples, samples[0].s
    if not (given == -1).any():
        raise ValueError(
            f"--checks is the file of scores, whose labels are verdicts, and none is -1, negative (column {label!r}): "
            "name the file of checked rows, or put verdicts into a column named verdict"
        )
    rows = np.flatnonzero(given if checked == "random" else given == -1)
    s = np.zeros_like(given) if checked == "random" else np.maximum(given, 0)
    return (
        [sample._replace(s=s)],
        pd.DataFrame({"row": rows, "verdict": np.maximum(given[rows], 0)}),
        str(checked),
    )


def plan_named(given, columns):
    """Content of the plan of the checked rows, if any; ValueError on options that contradict each other."""
    if given.checks is None:
        if given.checked is not None:
            raise ValueError("--checked needs --checks, the file of checked rows")
        return None
    if len(columns) > 1:
        raise ValueError(
            f"--checks takes one model, and --score names {len(columns)} ({', '.join(columns)}): give one --score"
        )
    if not given.checks.exists():
        raise ValueError(f"file {given.checks} does not exist: pumetrics audit writes it")
    return _content(given.checks, given.checked)


def _content(path, checked=None):
    """Content of the plan of a file of checks, or None if --checked says how rows were chosen."""
    plan_file = path.parent / f"{path.stem}.json"
    if checked is not None:
        if plan_file.exists():
            raise ValueError(
                f"--checked {checked} and {plan_file} contradict: the plan says how rows were chosen"
            )
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


def _plan_of(content, path, source, samples):
    """The plan of a file of checks for these rows."""
    from pumetrics.checks import CheckPlan

    try:
        return CheckPlan.from_dict(content, samples[0].s, *(each.score for each in samples))
    except ValueError as error:
        raise ValueError(f"{path.with_suffix('.json')} and {source}: {error}") from None


def read_checks(path, source, samples, id, content=None, checked=None):
    """Positions and verdicts of checked rows, and the plan or how they were chosen; ValueError if they do not fit."""
    import pandas as pd

    from pumetrics.checks import read_verdicts

    column, plan = (
        id or "row",
        None if content is None else _plan_of(content, path, source, samples),
    )
    table = _verdicts_in(path, column)
    if path == source.path:  # a row of the scores without a verdict was not checked
        table = table[table["verdict"].notna()].reset_index(drop=True)
    names = _names_in(table[column])
    read_verdicts(table["verdict"], names if id is None else [f"{id} {name}" for name in names])
    places = pd.Index(names_of(samples[0])).get_indexer(names)
    drawn = places >= 0 if plan is None else np.isin(places, plan.rows)
    for fault, wrong, remedy in (
        (f"which is not in {source}", places < 0, "correct or remove it"),
        ("which is not in the plan", ~drawn, "give verdicts only for rows of the plan"),
        ("a second time", names.duplicated().to_numpy(), "keep one verdict of each"),
    ):
        if wrong.any():
            name = names[np.argmax(wrong)]
            raise ValueError(
                f"{path} holds {column} {name!r}, {fault} ({wrong.sum()} such rows): {remedy}"
            )
    chosen = plan if checked is None else str(checked)
    return pd.DataFrame({"row": places, "verdict": table["verdict"]}), chosen


def _verdicts_in(path, column):
    """The table of a file of checks as text."""
    from pumetrics.reading import columns_of, read_columns

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
    return (
        cells.astype(object)
        .fillna("")
        .astype(str)
        .str.strip()
        .str.replace(rf"^'(?={_FORMULA})", "", regex=True)
    )


def _continued(source, samples, given, metric):
    """The plan of an earlier run with the same file of checks, None if there is none; ValueError on other options."""
    path = given.output
    if path is None or not (path.exists() or path.with_suffix(".json").exists()):
        return None
    if not path.with_suffix(".json").exists():
        raise ValueError(f"{path} exists, but not its plan: choose another file with -o")
    plan = _plan_of(_content(path), path, source, samples)
    question = plan.strata.question
    seed = int(check_random_state(given.seed).integers(2**32))  # as plan_checks notes it
    for flag, wanted, planned in (
        ("--for", metric, plan.metric),
        ("--threshold", check_threshold(given.threshold, samples[0].score), plan.threshold),
        (
            "--population",
            None if given.population == "all" else given.population,
            question.population,
        ),
        ("--noisy", given.noisy or None, plan.noisy),
        (
            "--guaranteed",
            given.guaranteed or None,
            not question.cuts or {*plan.cuts} == {*question.cuts},
        ),
        ("--seed", given.seed or None, given.seed if plan.seed == seed else "another number"),
    ):
        if wanted is not None and wanted != planned:
            difference = (
                f"without {flag}" if wanted is True else f"with {flag} {planned}, not {wanted}"
            )
            raise ValueError(
                f"{path} contains a plan {difference}: continue it with the same options, or choose another file with "
                "-o"
            )
    if path.exists():
        read_checks(path, source, samples, given.id, plan.as_dict())
    return plan.extend(given.budget)


def _write_checks(path, plan, names, column):
    """Write the rows of a plan that the file lacks, and the plan; existing verdicts and notes are kept."""
    import pandas as pd

    cells = pd.Series(names[plan.rows]).str.replace(rf"^(?={_FORMULA})", "'", regex=True)
    table = pd.DataFrame({column: cells, "verdict": ""})
    if path.exists():
        old = _verdicts_in(path, column)
        table = pd.concat([old, table[~np.isin(names[plan.rows], _names_in(old[column]))]])
    texts = {
        path.with_suffix(".json"): json.dumps(plan.as_dict()) + "\n",
        path: table.to_csv(index=False),
    }
    for (
        file,
        text,
    ) in texts.items():  # the plan first: rows that are not in the table yet are not checked yet
        with writing("--output", file):
            write_whole(file, text)


def _plan(source, samples, given):
    """The plan for one model or two, new or continued."""
    from pumetrics.checks import plan_checks, plan_comparison

    at, population, two = given.at, str(given.population), len(samples) == 2
    metric = (at and "precision") if two else given.purpose and str(given.purpose)
    alone = {
        "--threshold": given.threshold,
        "--noisy": given.noisy or None,
        "--guaranteed": given.guaranteed or None,
    }
    alone["--for"] = None if given.purpose == "precision" else given.purpose
    if two and (refused := [name for name, value in alone.items() if value is not None]):
        raise ValueError(
            f"{refused[0]} is for one model: rows for two are selected by the precision of their lists; omit it, and "
            "give the length of the lists with --at"
        )
    if two and not samples[0].s.any():
        raise ValueError(
            "no row is labeled, and compare-models needs labels: check rows for each model (one --score), or use "
            "plan_comparison and checked_difference in Python"
        )
    if at is not None:
        if metric not in ("precision", "recall"):
            raise ValueError(
                f"--at {at} needs --for precision or --for recall, got --for {metric or 'f1'}"
            )
        metric = metric_at(f"{metric}_at_k", at)
    plan = _continued(source, samples, given, metric)
    if plan is not None:
        return plan
    options = {"budget": given.budget, "random_state": given.seed, "population": population}
    data = samples[0].s, *(each.score for each in samples)
    threshold, metric = given.threshold, metric or "f1"
    if two:
        k = at or _length_of_lists(samples, _best_threshold(*data[:2], population), population)
        return plan_comparison(*data, k=k, **options)
    if metric == "f1" and threshold is None:
        threshold = _best_threshold(*data, population)
    return plan_checks(
        *data,
        metric=metric,
        threshold=threshold,
        noisy=given.noisy,
        guaranteed=given.guaranteed,
        **options,
    )


def _best_threshold(s, y_score, population):
    """The threshold with the largest corrected F1, as in pumetrics evaluate."""
    if not s.any():
        raise ValueError("without labels there is no best threshold: give --threshold")
    from pumetrics.assessment import assess

    (score,) = assess(s, y_score, metrics=["f1"], n_bootstrap=0, population=population).scores
    if not np.isfinite(score.threshold):
        raise ValueError(
            "by these scores no threshold is best for F1, which is 0 at each: give --threshold"
        )
    return score.threshold


def _length_of_lists(samples, threshold, population):
    """About the number of rows that the first model flags, such that neither list ends within tied scores."""
    kept = samples[0].s == 0 if population == "unlabeled" else slice(None)
    ranked = [each.score[kept] for each in samples]
    ends = [np.cumsum(np.unique(-scores, return_counts=True)[1]) for scores in ranked]
    lengths = np.intersect1d(*ends)
    return int(lengths[np.argmin(abs(lengths - np.count_nonzero(ranked[0] >= threshold)))])


def _show(plan, samples, output, command):
    """Print the expected widths, and how to go on."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from pumetrics.assessment import shown

    s, rows = samples[0].s, plan.rows
    among = f"of {(s == 0).sum():,} unlabeled rows"
    if plan.noisy:
        labeled = int((s[rows] == 1).sum())
        among = f"of {len(s):,}: {labeled:,} labeled and {len(rows) - labeled:,} unlabeled rows"
    name = (
        plan.metric
        if plan.metric in ("alpha", "beta", "specificity")
        else find_metric(plan.metric).label
    )
    if len(samples) == 2:
        name = f"the difference in {name} of two models"
    elif plan.threshold is not None:
        name += f" at {shown(plan.threshold)}"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for title in ("checked rows", "width of the 95% interval, at most"):
        table.add_column(title, justify="right")
    for budget, width in plan.expected.items():
        table.add_row(f"{budget:,}", f"{width:.2f}")
    console = terminal()
    for note in samples[0].notes:
        console.print(f"[yellow]Warning:[/] {escape(note)}")
    console.print(f"Rows to check for {name}: {len(rows):,} {among}.")
    if plan.expected:
        console.print(table)
        console.print(
            "In four of five files the interval is at most this wide. It makes no assumption about the labels."
        )
    else:
        console.print(
            "Without labels the width of the interval is unknown: it depends on how many rows are positive."
        )
    if output is None:
        console.print("To write the rows to check: -o checks.csv")
        return
    console.print(
        f"Wrote {output}, in random order and without scores, and {output.with_suffix('.json')}, the plan. Fill in "
        "the column verdict: 1 for positive, 0 for negative, ? for unsure, blank for not yet checked. Then run:",
        markup=False,
    )
    console.print(command, markup=False, soft_wrap=True)


def command_line(command, files, columns, **options):
    """Return a command line; options without a value, and the default population, are left out.

    Examples
    --------
    >>> command_line("audit", ["my scores.csv"], ["score"], label="s", id=None, threshold=0.5)
    "pumetrics audit 'my scores.csv' --score score --label s --threshold 0.5"
    """
    named = [
        f"./{file}" if len(file) > 1 and file.startswith("-") else file for file in map(str, files)
    ]
    words = ["pumetrics", command, *named]
    for name, value in {"score": columns, **options}.items():
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is not None and each is not False and (name, each) != ("population", "all"):
                words += [
                    f"--{name}" if len(name) > 1 else f"-{name}",
                    *([] if each is True else [str(each)]),
                ]
    return shlex.join(words)


def next_step(files, columns, read, **wanted):
    """What to do next, in words, and its command: select rows for an expert to check."""
    words = "if rows were labeled because they scored high, check some rows"
    return words, command_line("audit", files, columns, **read, **wanted, o="checks.csv")
