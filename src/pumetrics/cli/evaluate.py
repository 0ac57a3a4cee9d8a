"""`pumetrics evaluate` estimates the performance of a model from a file of scores."""

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli import _options as option
from pumetrics.cli._checks import check_columns, check_output
from pumetrics.cli._checks_options import (
    Checked,
    Checks,
    Guaranteed,
    IgnoreNegatives,
    LabelOdds,
    Negative,
    advice,
    more_checks,
    planned,
    read_checks,
    refusals_advised,
    rows_of,
)
from pumetrics.cli._errors import (
    limits_of,
    one_line_errors,
    shortfalls,
    stop_below,
    terminal,
    writing,
    written_or_refused,
)
from pumetrics.cli._json import answer, file_facts, json_text
from pumetrics.cli._models import (
    columns_named,
    groups_as_dicts,
    heading,
    one_model,
    show_groups,
    table_of,
    warnings_of_groups,
)

__all__ = ["MOST_NOTES", "evaluate", "show_notes", "working"]

MOST_NOTES = 3
"""Number of warnings on a terminal; --explain, JSON and the page have all of them."""


def evaluate(
    scores: Annotated[
        Path, typer.Argument(help="CSV, TSV or Parquet file with one example per row; - for standard input.")
    ],
    score: option.ScoreColumn = None,
    id: Annotated[
        str | None, option.data(metavar="COLUMN", help="Column of example names; each name may occur once.")
    ] = None,
    weight: option.Weight = None,
    cluster: option.Cluster = None,
    fold: option.Fold = None,
    label: option.LabelColumn = "s",
    positive: option.Positive = None,
    unlabeled: option.Unlabeled = None,
    negative: Negative = None,
    ignore_negatives: IgnoreNegatives = False,
    alpha: option.Alpha = None,
    beta: option.Beta = 1.0,
    rho: option.Rho = None,
    noisy: option.Noisy = False,
    selection: Annotated[
        str,
        option.labels(
            metavar="TIMES",
            help="Assumed strength of selection: how many times as often the positive with the highest score is "
            "labeled as the one with the lowest. Several values such as 1,2,4 are compared.",
        ),
    ] = "1",
    propensity: option.Propensity = None,
    metric: option.Metrics = None,
    at: option.At = None,
    population: option.Population = option.PopulationName.all,
    by: option.By = None,
    threshold: option.Threshold = None,
    cost_fp: option.CostFp = None,
    cost_fn: option.CostFn = None,
    min_precision: option.MinPrecision = None,
    min_recall: option.MinRecall = None,
    thresholds: Annotated[
        Path | None, option.cutoff(metavar="FILE.csv", help="Write a table of thresholds with expected counts.")
    ] = None,
    report: Annotated[
        Path | None,
        option.output(
            metavar="FILE.html",
            help="Write an HTML page with curves, evidence and text for a paper, with a section for each model.",
        ),
    ] = None,
    as_json: option.Json = False,
    explain: option.Explain = False,
    fail_under: Annotated[
        list[str] | None,
        option.output(
            metavar="METRIC=NUMBER",
            help="Limit such as roc_auc=0.85: exit with status 1 if the corrected score is below it, 3 if that is "
            "undecided. May be repeated.",
        ),
    ] = None,
    lower: Annotated[
        bool, option.output("--lower", help="With --fail-under: compare the lower end of the interval.")
    ] = False,
    checks: Checks = None,
    checked: Checked = None,
    label_odds: LabelOdds = None,
    guaranteed: Guaranteed = False,
    priors: option.PriorMethod = "consensus",
    uncertainty: option.Uncertainty = None,
    confidence: option.Confidence = 0.95,
    bootstrap: Annotated[int, option.advanced(help="Number of resamples for the intervals; 0 for no intervals.")] = 200,
    seed: option.Seed = 0,
):
    """Estimate performance against the true class from scores of labeled and unlabeled examples.

    Scores must be out of sample: use examples that the model was not trained on.

    Exit status: 0 on success; 1 if a score is below --fail-under; 2 if a file
    or an option is wrong, with a message of one line; 3 if these scores do
    not determine whether a score is below --fail-under.

    Example: pumetrics evaluate scores.csv --score score --label s --alpha 0.2 --report scores.html
    """
    settings = option.settings_of(locals())
    from pumetrics.assessment import date_of, opened, read_or_count, with_columns
    from pumetrics.plotting import require_plots

    with one_line_errors(), working(bootstrap), opened(scores) as (source,):
        goal = {name: settings[name] for name in ("cost_fp", "cost_fn", "min_precision", "min_recall")}
        columns, chosen = columns_named(score), option.chosen_of(settings)
        content = planned(checks, checked, columns, label_odds=label_odds, guaranteed=guaranteed)
        if content and chosen is None:
            chosen = threshold = content["threshold"]
        metrics = option.names_of(metric, threshold=chosen, at=at)
        limits = limits_of(fail_under, metrics, lower=lower, intervals=bool(bootstrap or checks))
        arguments = option.arguments_of(settings, metrics=metrics, threshold=chosen)
        arguments |= {"goal": goal, "selection": option.selections_of(selection), "threshold": threshold}
        arguments["ignore_negatives"] = ignore_negatives
        extra = {"weight": weight, "cluster": cluster, "fold": fold, "propensity": propensity, "by": by}
        check_columns(columns, label, **extra)
        if thresholds is not None:
            check_output("--thresholds", thresholds, [scores])
            one_model("--thresholds", columns)
        if report is not None:
            check_output("--report", report, [scores])
            require_plots("--report")
        read = {
            "label": label,
            "positive": positive,
            "unlabeled": unlabeled or (),
            "negative": negative or (),
            "id": id,
        }
        count = {"threshold": threshold, "ignore_negatives": ignore_negatives}
        samples = read_or_count(source, columns, row_by_row=bool(checks or any(extra.values())), **read, **count)
        verdicts = {}
        if checks is not None:
            (sample,) = samples
            kept = (sample.s, [sample.score], sample.rows, sample.ids, id)
            usable = rows_of(source, label, *kept, ignore_negatives=ignore_negatives)
            samples = [sample._replace(s=usable.s, score=usable.scores[0], rows=usable.places, ids=None)]
            samples = [each._replace(notes=each.notes + usable.notes) for each in samples]
            verdicts = {"checks": read_checks(checks, usable, content, checked), "guaranteed": guaranteed}
            verdicts["label_odds"] = label_odds or (2.0, 1.0)
        samples = with_columns(source, samples, **extra)
        with refusals_advised(samples, scores, columns[0], read):
            assessments, groups = zip(*map(partial(_assessed, arguments, verdicts), samples), strict=True)
        steps = _next_steps(assessments, samples, scores, columns, read, checks, content, first=limits)
        failed = [
            shortfalls(each, limits, lower=lower, remedy=step or "")
            for each, step in zip(assessments, steps, strict=True)
        ]
        facts = []
        if as_json or report is not None:
            facts = file_facts(source, used=[(sample.n_rows, sample.n_used) for sample in samples])
        text = _json_of(columns, facts, assessments, groups, failed, steps, settings) if as_json else None
        if thresholds is not None:
            with writing("--thresholds", thresholds):
                table_of(assessments[0], samples[0]).to_csv(thresholds, index=False)
        if report is not None:
            named = [step and step.replace(str(scores), scores.name) for step in steps]
            content = _page_of(columns, assessments, samples, facts, named, date=date_of(source))
            with writing("--report", report):
                report.write_text(content, encoding="utf-8")
    with written_or_refused():
        if as_json:
            typer.echo(text)
        else:
            shown = {"report": report, "explain": explain}
            _show_all(columns, assessments, groups, steps, metrics if metric else metrics[:1], **shown)
    stop_below(failed, columns)


def _assessed(arguments, verdicts, sample):
    """Return the assessment of one model with all warnings, and those of its groups by column."""
    from pumetrics.assessment import assess, assess_by

    arguments = arguments | sample.options
    assessment = assess(sample.s, sample.score, **arguments, **verdicts)
    groups = {name: assess_by(sample.s, sample.score, each, **arguments) for name, each in sample.by.items()}
    warnings = sample.notes + assessment.warnings + warnings_of_groups(groups)
    return replace(assessment, warnings=warnings), groups


def _next_steps(assessments, samples, scores, columns, read, checks, content, *, first):
    """Return the next step for each model: a line that ends with a command, or None."""
    from pumetrics.assessment import next_step

    lines = []
    for assessment, sample, column in zip(assessments, samples, columns, strict=True):
        if checks:
            step = more_checks(assessment, content)
            lines.append(step and advice(step, scores, column, read, checks, threshold=None))
            continue
        step = next_step(assessment, sample.s, sample.score, first=first)
        rows_count_alike = not any((assessment.design or {}).get(name) for name in ("weighted", "folds", "propensity"))
        options = {"noisy": assessment.uncertainty.endswith("noise")}
        options |= {} if step else {"threshold": assessment.threshold}
        lines.append(advice(step, scores, column, read, **options) if step or rows_count_alike else None)
    return lines


def _json_of(columns, facts, assessments, groups, failed, steps, settings):
    """Return the JSON of all models."""
    answers = []
    parts = zip(columns, facts, assessments, groups, failed, steps, strict=True)
    for column, fact, assessment, by, lines, step in parts:
        result = {**assessment.as_dict(), "groups": groups_as_dicts(by), "failed": [*chain(*lines.values())]}
        result["next_step"] = step
        answers.append(answer("evaluate", [fact], settings | {"score": [column]}, result))
    return json_text(answers)


def _page_of(columns, assessments, samples, facts, steps, *, date):
    """Return a page with each model, named after its column, or after its file if the column has the default name."""
    from pumetrics.assessment import Assessed, models_page

    file = Path(facts[0]["name"]).name
    names = [file if columns == ["score"] else column for column in columns]
    facts = [fact | {"name": file} for fact in facts]
    parts = zip(names, assessments, samples, facts, steps, strict=True)
    models = [Assessed(name, result, sample.s, sample.score, fact, step) for name, result, sample, fact, step in parts]
    return models_page(models, date=date)


def _show_all(columns, assessments, groups, steps, metrics, *, report, explain):
    """Print a table for each model and its groups, with a heading if there are several models."""
    for column, assessment, parts, step in zip(columns, assessments, groups, steps, strict=True):
        if len(columns) > 1:
            heading(f"Model {column}", first=column == columns[0])
        _show(assessment, step, report, explain)
        for name, each in parts.items():
            show_groups(terminal(), name, each, metrics)


def _show(assessment, step, report, explain):
    from pumetrics.assessment import (
        FOOTNOTE,
        assessment_table,
        assumed_in_words,
        checked_in_words,
        checked_table,
        choice_in_words,
        explained,
        priors_in_words,
    )

    console = terminal()
    console.print(priors_in_words(assessment))
    console.print(assumed_in_words(assessment))
    if assessment.checked:
        console.print(checked_table(assessment))
        console.print("Results from the labels alone, if labels are random (SCAR):")
    console.print(assessment_table(assessment.scar or assessment))
    if assessment.choice is not None:
        console.print(choice_in_words(assessment.choice))
    lines = [*explained(assessment), *(checked_in_words(assessment.checked) if assessment.checked else ())]
    if assessment.n_resamples:
        lines.append(f"Intervals: {assessment.confidence:.0%}, {assessment.n_resamples} resamples.")
    if not any(score.bounds for score in assessment.scores):
        lines.append("There are no bounds: they need random labels without noise, and rows of equal weight.")
    show_notes(console, assessment, step, report, [*lines, FOOTNOTE] if explain else ())


def show_notes(console, result, step, report, explained):
    """Print at most three warnings, or all of them with explanations; then the next step."""
    from rich.markup import escape

    warnings = result.warnings if explained else result.warnings[:MOST_NOTES]
    for warning in warnings:
        console.print(f"[yellow]Warning:[/] {escape(warning)}")
    if len(warnings) < len(result.warnings):
        console.print(f"{len(result.warnings) - len(warnings)} more warnings: use --explain")
    for line in explained:
        console.print(escape(line))
    if step:
        words, _, command = step.partition(": ")
        console.print(f"[bold]Next:[/] {escape(words)}:")
        console.print(command, markup=False, soft_wrap=True, highlight=False)
    if report is not None:
        console.print(f"Report: {escape(str(report))}")


@contextmanager
def working(n_bootstrap):
    """Show on a terminal that the bootstrap is running."""
    from rich.console import Console

    activity = f"Drawing {n_bootstrap} resamples" if n_bootstrap else "Counting"
    with Console(stderr=True).status(activity):
        yield
