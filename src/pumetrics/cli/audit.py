"""`pumetrics audit` selects rows for an expert to check."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from pumetrics.cli import options
from pumetrics.cli.next_steps import command_line, ways_named
from pumetrics.cli.options import check_finite, check_output, option, options_of, reading_of
from pumetrics.cli.output import terminal, writing, written_or_refused
from pumetrics.cli.pairs import pairs_of, read_pairs
from pumetrics.metrics import find_metric, metric_at
from pumetrics.tops import POPULATIONS
from pumetrics.validation import check_random_state, check_threshold
from pumetrics.writing import alone, write_whole

__all__ = ["audit"]

_ROWS = "Rows to check"
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
    unscored: options.UNSCORED = None,
    noisy: option(
        bool, "--noisy", "Labels", "Labels can be wrong: check labeled rows as well."
    ) = False,
    purpose: option(
        str | None,
        "--for",
        _ROWS,
        "Metric to optimize the selection for; the rows also serve the others.",
        default="f1",
        choices=_FOR,
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
        str,
        "--population",
        _ROWS,
        "Population of the metric: all rows, or only the unlabeled ones.",
        choices=POPULATIONS,
    ) = "all",
    budget: option(
        int | None,
        "--budget",
        _ROWS,
        "Number of rows to check. A later run with a larger number extends the same selection.",
        metavar="INTEGER",
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
    seed: option(int, "--seed", "Advanced", "Seed of the draw.", metavar="INTEGER") = 0,
):
    """Select rows for an expert to check, so that a metric can be estimated whichever positives were labeled.

    Prints the expected interval widths for 50 to 400 checked rows. The file
    lists the rows in random order, without their scores. Fill in the column
    verdict (1 for positive, 0 for negative, ? for unsure) and give the file
    to pumetrics evaluate or compare-models with --checks. Rows are numbered
    from 0, starting below the header, unless --id names them.

    Example: pumetrics audit scores.csv --score score --label s --for f1 --budget 100 -o checks.csv
    """
    given = options_of(locals())
    from pumetrics.checks.files import sorted_by_name
    from pumetrics.reading import opened

    check_finite(threshold)
    read = reading_of(given)
    files = [each for each in (scores, second) if each is not None]
    columns = given.score or ["score"]
    two = second is not None or len(columns) > 1
    with (
        opened(scores, second or scores) as (first, other),
        ways_named(scores, columns, given, two=two),
    ):
        check_output("--output", output, files)
        pair = None if second is None else other
        samples = sorted_by_name(_samples(columns, read, first, pair, two=two))
        # one command at a time reads and continues a file of checks and its plan
        lock = nullcontext()
        if output is not None:
            lock = alone(output.with_name(f".{output.name}.lock"), keep=False)
        with lock:
            plan = _plan(first, samples, given)
            if output is not None:
                _write_checks(output, plan, samples[0], given.id or "row")
    with written_or_refused():
        if not samples[0].s.any():
            read["label"] = None
        command = command_line(
            "compare-models" if two else "evaluate",
            files,
            columns,
            **read,
            noisy=plan.noisy,
            population=plan.strata.question.population,
            checks=output,
        )
        _show(plan, samples, output, command)


def _samples(columns, read, first, second, *, two):
    """Rows of the model, or those with scores of both."""
    from pumetrics.reading import read_models

    if not two:
        return read_models(first, columns, **read, checked=True)
    pairs = pairs_of(columns, first, second)
    if len(pairs) > 1:
        raise ValueError(
            f"rows are selected for two models, and --score names {len(pairs) + 1}: give two"
        )
    ((_, samples),) = read_pairs(pairs, read, checked=True)
    return samples


def _continued(source, samples, given, metric):
    """The plan of an earlier run with the same file of checks, None if there is none; ValueError on other options."""
    from pumetrics.checks.files import read_checks, read_plan, restored

    path = given.output
    if path is None or not (path.exists() or path.with_suffix(".json").exists()):
        return None
    if not path.with_suffix(".json").exists():
        raise ValueError(f"{path} exists, but not its plan: choose another file with -o")
    plan = restored(read_plan(path), path, source, samples)
    _check_same_options(path, plan, samples[0], given, metric)
    if path.exists():
        read_checks(path, source, samples[0], given.id, plan, given.positive)
    return plan.extend(given.budget)


def _check_same_options(path, plan, sample, given, metric):
    """Raise ValueError unless the options, where given, are those of a plan."""
    question = plan.strata.question
    is_guaranteed = not question.cuts or {*plan.cuts} == {*question.cuts}
    seed = int(check_random_state(given.seed).integers(2**32))  # as plan_checks notes it
    planned_seed = given.seed if plan.seed == seed else "another number"
    population = None if given.population == "all" else given.population
    for flag, wanted, planned in (
        ("--for", metric, plan.metric),
        ("--threshold", check_threshold(given.threshold, sample.score), plan.threshold),
        ("--population", population, question.population),
        ("--noisy", given.noisy or None, plan.noisy),
        ("--guaranteed", given.guaranteed or None, is_guaranteed),
        ("--seed", given.seed or None, planned_seed),
    ):
        if wanted is not None and wanted != planned:
            difference = f"with {flag} {planned}, not {wanted}"
            if wanted is True:
                difference = f"without {flag}"
            raise ValueError(
                f"{path} contains a plan {difference}: continue it with the same options, or choose another file with "
                "-o"
            )


def _write_checks(path, plan, sample, column):
    """Write the rows of a plan that the file lacks, and the plan; existing verdicts and notes are kept."""
    from pumetrics.checks.files import table_to_fill

    table = table_to_fill(path, plan, sample.names, column)
    # the plan first: rows that are not in the table yet are not checked yet
    for file, text in (
        (path.with_suffix(".json"), json.dumps(plan.as_dict()) + "\n"),
        (path, table.to_csv(index=False)),
    ):
        with writing("--output", file):
            write_whole(file, text)


def _plan(source, samples, given):
    """The plan for one model or two, new or continued."""
    from pumetrics.checks import plan_checks, plan_comparison

    two = len(samples) == 2
    if two:
        _check_options_of_two(samples, given)
    metric = given.purpose
    if two:
        metric = given.at and "precision"
    if given.at is not None:
        if metric not in ("precision", "recall"):
            raise ValueError(
                f"--at {given.at} needs --for precision or --for recall, got --for {metric or 'f1'}"
            )
        metric = metric_at(f"{metric}_at_k", given.at)
    plan = _continued(source, samples, given, metric)
    if plan is not None:
        return plan

    population = given.population
    options = {"budget": given.budget, "random_state": given.seed, "population": population}
    data = (samples[0].s, *(each.score for each in samples))
    if two:
        k = given.at or _length_of_lists(samples, population)
        return plan_comparison(*data, k=k, **options)
    threshold = given.threshold
    metric = metric or "f1"
    if metric == "f1" and threshold is None:
        threshold = _best_threshold(*data, population)
    kind = {"noisy": given.noisy, "guaranteed": given.guaranteed}
    return plan_checks(*data, metric=metric, threshold=threshold, **kind, **options)


def _check_options_of_two(samples, given):
    """Raise ValueError on options that are for one model, and on files without labels."""
    for flag, value in (
        ("--threshold", given.threshold),
        ("--noisy", given.noisy or None),
        ("--guaranteed", given.guaranteed or None),
        ("--for", None if given.purpose == "precision" else given.purpose),
    ):
        if value is not None:
            raise ValueError(
                f"{flag} is for one model: rows for two are selected by the precision of their lists; omit it, and "
                "give the length of the lists with --at"
            )
    if not samples[0].s.any():
        raise ValueError(
            "no row is labeled, and compare-models needs labels: check rows for each model (one --score), or use "
            "plan_comparison and checked_difference in Python"
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


def _length_of_lists(samples, population):
    """About the number of rows that the first model flags, such that neither list ends within tied scores."""
    threshold = _best_threshold(samples[0].s, samples[0].score, population)
    kept = samples[0].s == 0 if population == "unlabeled" else slice(None)
    ranked = [each.score[kept] for each in samples]
    ends = [np.cumsum(np.unique(-scores, return_counts=True)[1]) for scores in ranked]
    lengths = np.intersect1d(*ends)
    return int(lengths[np.argmin(abs(lengths - np.count_nonzero(ranked[0] >= threshold)))])


def _show(plan, samples, output, command):
    """Print the expected widths, and how to go on."""
    from rich.markup import escape

    from pumetrics.assessment import unscored_in_words

    console = terminal()
    left_out = unscored_in_words(*(each.unscored for each in samples))
    drawn = f"Rows to check for {_subject(plan, samples)}: {_drawn(plan, samples[0].s)}."
    console.print(escape(drawn + left_out))
    if plan.expected:
        console.print(_widths(plan))
        labels = (
            "nothing of the labels" if plan.noisy else "of the labels only that they are correct"
        )
        width = "In four of five files the interval is at most this wide."
        console.print(f"{width} It assumes {labels}.")
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


def _subject(plan, samples):
    """What the rows are to estimate, in words."""
    from pumetrics.assessment import shown

    name = plan.metric
    if name not in ("alpha", "beta", "specificity"):
        name = find_metric(name).label
    if len(samples) == 2:
        return f"the difference in {name} of two models"
    return name if plan.threshold is None else f"{name} at {shown(plan.threshold)}"


def _drawn(plan, s):
    """How many rows of which kind were selected, in words."""
    n = len(plan.rows)
    if not plan.noisy:
        return f"{n:,} of {(s == 0).sum():,} unlabeled rows"
    labeled = int((s[plan.rows] == 1).sum())
    return f"{n:,} of {len(s):,}: {labeled:,} labeled and {n - labeled:,} unlabeled rows"


def _widths(plan):
    """The widths to expect, as a table."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for title in ("checked rows", "width of the 95% interval, at most"):
        table.add_column(title, justify="right")
    for budget, width in plan.expected.items():
        table.add_row(f"{budget:,}", f"{width:.2f}")
    return table
