"""`pumetrics audit` selects rows to check when scores and labels alone do not identify a metric."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli._checks import check_output
from pumetrics.cli._checks_options import (
    IgnoreNegatives,
    Negative,
    command_line,
    continued,
    rows_of,
    write_checks,
)
from pumetrics.cli._errors import one_line_errors, terminal, written_or_refused
from pumetrics.cli._models import pairs_of

__all__ = ["advice_on_two", "audit", "expected_table", "rows_of_pairs"]

ForName = StrEnum(
    "ForName", {name: name for name in ("alpha", "precision", "recall", "f1", "roc_auc", "average_precision", "beta")}
)


def audit(
    scores: Annotated[
        Path, typer.Argument(help="CSV, TSV or Parquet file with one example per row; - for standard input.")
    ],
    second: Annotated[
        Path | None,
        typer.Argument(help="Scores of a second model: select rows that only one of the models lists, see --at."),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option("--score", help="Column of scores; twice for two models of one file.", show_default="score"),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="Column of labels: 1 labeled, 0 unlabeled.")] = "s",
    positive: Annotated[str | None, typer.Option(metavar="VALUE", help="Value that means labeled.")] = None,
    unlabeled: Annotated[
        list[str] | None, typer.Option(metavar="VALUE", help="With --positive: another value that means unlabeled.")
    ] = None,
    negative: Negative = None,
    ignore_negatives: IgnoreNegatives = False,
    id: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of row names; row numbers are used by default.")
    ] = None,
    metric: Annotated[
        ForName, typer.Option("--for", help="Metric to optimize the selection for; the rows also serve the others.")
    ] = ForName.f1,
    threshold: Annotated[
        float | None, typer.Option(help="Predict positive for scores >= threshold. For F1 the best one by default.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER|SHARE",
            help="Number or share of the highest-scoring rows for --for precision or recall; with two models, the "
            "length of their lists.",
        ),
    ] = None,
    population: Annotated[
        str, typer.Option(help="Population of the metric: all rows, or only the unlabeled ones.")
    ] = "all",
    budget: Annotated[
        int, typer.Option(help="Number of rows to check. A later run with a larger number extends the same selection.")
    ] = 100,
    noisy: Annotated[bool, typer.Option("--noisy", help="Labels can be wrong: check labeled rows as well.")] = False,
    guaranteed: Annotated[
        bool, typer.Option("--guaranteed", help="Select rows for intervals that hold for any sample size.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE.csv", help="Write the rows to check, and their plan (.json) next to them."
        ),
    ] = None,
):
    """Select rows for an expert to check, so that a metric can be estimated without assumptions about the labels.

    Prints the expected interval widths for 50 to 400 checked rows. The file
    lists the rows in random order, without their scores. Fill in the column
    verdict (1 for positive, 0 for negative, ? for unsure) and give the file
    to pumetrics evaluate or compare-models with --checks. Rows are numbered
    from 0, starting below the header, unless --id names them.

    Example: pumetrics audit scores.csv --score score --label s --for f1 --budget 100 -o checks.csv
    """
    from pumetrics.assessment import opened

    read = {"label": label, "positive": positive, "unlabeled": unlabeled or (), "negative": negative or (), "id": id}
    with one_line_errors(), opened(scores, second or scores) as sources:
        if output is not None:
            check_output("--output", output, [each for each in (scores, second) if each])
        columns = score or ["score"]
        if second is not None or len(columns) > 1:
            pairs = pairs_of(score, sources[0], None if second is None else sources[1])
            rows, files = pair_of_models(pairs, read, ignore_negatives), [scores, *([second] if second else [])]
            request = {"k": at, "population": population}
            plan, name = _plan_of_two(rows, request, budget, seed, output)
        else:
            from pumetrics.assessment import read_models

            (sample,) = read_models(sources[0], columns, **read)
            taken = (sample.s, [sample.score], sample.rows, sample.ids, id)
            rows, files = rows_of(sources[0], label, *taken, ignore_negatives=ignore_negatives), [scores]
            request = {"metric": str(metric), "threshold": threshold, "at": at, "population": population}
            plan, name = _plan_of_one(rows, request, budget, seed, output, noisy=noisy, guaranteed=guaranteed)
        if output is not None:
            write_checks(output, plan, rows)
    with written_or_refused():
        again = read | {"ignore_negatives": ignore_negatives, "noisy": plan.noisy}
        _show(plan, name, rows, output, command_of(rows, files, columns, output, again))


def command_of(rows, files, columns, output, read):
    """Return the command that reads the verdicts."""
    name = "evaluate" if len(rows.scores) == 1 else "compare-models"
    return command_line(name, files, columns, **read, checks=output)


def pair_of_models(pairs, read, ignore_negatives):
    """Return the rows of two models, from one file or two."""
    from pumetrics.assessment import check_positions, paired, read_models

    if len(pairs) > 1:
        raise ValueError(f"rows are selected for two models, and --score names {len(pairs) + 1}: give two")
    (pair,) = pairs
    sources, scores = zip(*pair, strict=True)
    if sources[0] == sources[1]:
        files = read_models(sources[0], list(scores), **read)
    else:
        files = [read_models(source, [score], **read)[0] for source, score in pair]
        if read["id"] is None:
            check_positions(sources, read=(*scores, read["label"]))
    return rows_of_pairs(sources[0], read, *paired(sources, files), ignore_negatives)


def rows_of_pairs(source, read, first, second, ignore_negatives):
    """Return the rows that have scores of both models, named as in the first file."""
    taken = (first.s, [first.score, second.score], first.rows, first.ids, read["id"])
    return rows_of(source, read["label"], *taken, ignore_negatives=ignore_negatives)


def _plan_of_one(rows, request, budget, seed, output, *, noisy, guaranteed):
    """Return the plan for one model, new or continued, and its purpose in words."""
    from pumetrics.checks import plan_checks
    from pumetrics.metrics import metric_at

    metric, threshold, at = request["metric"], request["threshold"], request["at"]
    if at is not None:
        if metric not in ("precision", "recall"):
            raise ValueError(f"--at {at} needs --for precision or --for recall, got --for {metric}")
        metric = metric_at(f"{metric}_at_k", at)
    plan = None if output is None else continued(output, rows, metric, threshold)
    if plan is not None:
        return plan.extend(budget), name_of(plan)
    if metric == "f1" and threshold is None:
        threshold = best_threshold(rows.s, rows.scores[0], request["population"])
    options = {"budget": budget, "metric": metric, "threshold": threshold, "random_state": seed}
    options |= {"noisy": noisy, "guaranteed": guaranteed, "population": request["population"]}
    plan = plan_checks(rows.s, *rows.scores, **options)
    return plan, name_of(plan)


def _plan_of_two(rows, request, budget, seed, output):
    """Return the plan for two models, new or continued, and its purpose in words."""
    from pumetrics.checks import plan_comparison
    from pumetrics.metrics import metric_at

    k = request["k"]
    plan = None if output is None else continued(output, rows, k and metric_at("precision_at_k", k), None)
    if plan is None:
        if k is None:
            k = length_of_lists(
                rows, best_threshold(rows.s, rows.scores[0], request["population"]), request["population"]
            )
        options = {"k": k, "budget": budget, "random_state": seed, "population": request["population"]}
        plan = plan_comparison(rows.s, *rows.scores, **options)
    else:
        plan = plan.extend(budget)
    return plan, f"the difference in {plan.metric.replace('_', ' ')} of two models"


def name_of(plan):
    """Return the purpose of a plan in words."""
    at = "" if plan.threshold is None else f" at {plan.threshold:.6g}"
    return f"{plan.metric.replace('_', ' ')}{at}"


def best_threshold(s, y_score, population):
    """Return the threshold with the largest corrected F1, as in pumetrics evaluate."""
    from pumetrics.assessment import assess

    (score,) = assess(s, y_score, metrics=["f1"], n_bootstrap=0, population=population).scores
    return score.threshold


def advice_on_two(rows, comparison, files, columns, read):
    """Recommend rows to check to find out which of two models is better, with the command that selects them.

    Parameters
    ----------
    rows : Rows
    comparison : Comparison
        For the share of positives among the unlabeled, which determines the length of the lists.
    files, columns : list
        From the command line.
    read : dict
        Options for reading the files.

    Returns
    -------
    str or None
        None if the lists are equal or differ in too few rows.
    """
    from pumetrics.assessment import budget_of
    from pumetrics.checks import plan_comparison
    from pumetrics.metrics import max_score

    threshold = max_score("f1", rows.s, rows.scores[0], alpha=min(comparison.alpha, 0.99))[1]
    k, population = length_of_lists(rows, threshold, comparison.population), comparison.population
    try:
        plan = plan_comparison(rows.s, *rows.scores, k=k, budget=8, random_state=0, population=population)
    except ValueError:
        return None
    budget = min(budget_of(plan), int(plan.sample.strata.sizes[[weight >= 0 for weight in plan.weights]].sum()))
    command = command_line("audit", files, columns, **read, at=k, budget=budget, o="checks.csv")
    open_ = comparison.winner is None or not comparison.alpha_identified
    why = "" if open_ else "if rows were labeled because a model scored them high, "
    known = f"the difference in precision of the first {k:,} within 0.1"
    return f"{why}check {budget:,} rows to know {known}: {command}"


def length_of_lists(rows, threshold, population):
    """Return about the number of rows that the first model flags, such that neither list ends within tied scores."""
    import numpy as np

    ranked = [scores[rows.s == 0] if population == "unlabeled" else scores for scores in rows.scores]
    ends = [np.cumsum(np.unique(-scores, return_counts=True)[1]) for scores in ranked]
    lengths = np.intersect1d(*ends)
    return int(lengths[np.argmin(abs(lengths - np.count_nonzero(ranked[0] >= threshold)))])


def expected_table(plan):
    """Return a table for :mod:`rich` of widths that are not exceeded in four of five files."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("checked rows", "width of the 95% interval, at most"):
        table.add_column(name, justify="right")
    for budget, width in plan.expected.items():
        table.add_row(f"{budget:,}", f"{width:.2f}")
    return table


def _drawn_from(plan, rows):
    """Return in words which rows, and how many, a plan selects from."""
    if not plan.noisy:
        return f"of {(rows.s == 0).sum():,} unlabeled rows"
    labeled = int((rows.s[plan.rows] == 1).sum())
    return f"of {len(rows.s):,}: {labeled:,} labeled and {len(plan.rows) - labeled:,} unlabeled rows"


def _show(plan, name, rows, output, command):
    console = terminal()
    console.print(f"Rows to check for {name}: {len(plan.rows):,} {_drawn_from(plan, rows)}.")
    console.print(expected_table(plan))
    console.print("In four of five files the interval is at most this wide. It makes no assumption about the labels.")
    if output is None:
        console.print("To write the rows to check: -o checks.csv")
        return
    console.print(
        f"Wrote {output}, in random order and without scores, and {output.with_suffix('.json')}, the plan. Fill in "
        "the column verdict: 1 for positive, 0 for negative, ? for unsure, blank for not yet checked. Then run:",
        markup=False,
    )
    console.print(command, markup=False, soft_wrap=True)
