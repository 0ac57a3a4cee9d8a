"""`pumetrics evaluate` estimates the performance of a model from a file of scores."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

from pumetrics.cli import _options as option
from pumetrics.cli import _output as out
from pumetrics.cli.audit import advice_on, plan_named, read_checks, refusals_advised, usable, with_command
from pumetrics.metrics import find_metric

__all__ = ["evaluate"]

BELOW, UNKNOWN = 1, 3  # exit status if a score is below its limit, or if none is known to be and one is undecided


class _Model(NamedTuple):
    """A column of scores, its rows, and what is found of it."""

    column: str
    sample: Any
    assessment: Any
    groups: dict
    """By column."""
    step: tuple | None
    """What to check next, in words, and its command."""
    shown: tuple | None
    """The same for a page, which names no folder."""
    failed: list
    """Exit status and line of each limit that is not reached."""


@option.takes(
    "score id weight cluster fold label positive unlabeled negative ignore_negatives alpha beta rho noisy selection "
    "propensity metric at population by threshold cost_fp cost_fn min_precision min_recall thresholds report json "
    "explain fail_under lower checks checked guaranteed priors uncertainty confidence bootstrap seed"
)
def evaluate(scores: option.SCORES, *, given):
    """Estimate performance against the true class from scores of labeled and unlabeled examples.

    Scores must be out of sample: use examples that the model was not trained on.

    Exit status: 0 on success; 1 if a score is below --fail-under; 2 if a file
    or an option is wrong, with a message of one line; 3 if these scores do
    not determine whether a score is below --fail-under.

    Example: pumetrics evaluate scores.csv --score score --label s --alpha 0.2 --report scores.html
    """
    from pumetrics.assessment import date_of, opened, read_or_count

    with out.working(given.bootstrap), opened(scores) as (source,):
        columns, read = option.columns_named(given.score), option.reading_of(given)
        plan = plan_named(given, columns)
        arguments = option.arguments_of(given, planned=plan)
        limits = _limits_of(given, arguments["metrics"])
        option.check_output("--thresholds", given.thresholds, [scores])
        if given.thresholds is not None:
            option.one_model("--thresholds", columns)
        option.check_output("--report", given.report, [scores])
        count = {name: arguments[name] for name in ("threshold", "ignore_negatives")}
        count |= {"row_by_row": given.checks is not None, "columns": option.check_columns(given)}
        samples, verdicts = read_or_count(source, columns, **read, **count), {}
        if given.checks is not None:
            samples = usable(source, samples, given)
            checks, chosen = read_checks(given.checks, source, samples, given.id, plan, given.checked)
            verdicts = {"checks": checks, "plan": chosen, "guaranteed": given.guaranteed}
        models = []
        for column, sample in zip(columns, samples, strict=True):
            with refusals_advised(sample, scores, column, read):
                assessment, groups = _assessed(sample, arguments, verdicts)
            advice = _advice(assessment, sample, given, limits)
            step, shown = (with_command(advice, [file], [column], read) for file in (scores, scores.name))
            failed = _shortfalls(assessment, limits, lower=given.lower, remedy=": ".join(step or ()))
            models.append(_Model(column, sample, assessment, groups, step, shown, failed))
        facts = []
        if given.json or given.report is not None:
            facts = out.file_facts(source, used=[(sample.n_rows, sample.n_used) for sample in samples])
        text = _json_of(models, facts, option.settings_of(given)) if given.json else None
        if given.thresholds is not None:
            with out.writing("--thresholds", given.thresholds):
                _thresholds_of(models[0]).to_csv(given.thresholds, index=False)
        if given.report is not None:
            page = _page_of(models, facts, date=date_of(source))
            with out.writing("--report", given.report):
                given.report.write_text(page, encoding="utf-8")
    with out.written_or_refused():
        if given.json:
            typer.echo(text)
        else:
            metrics = arguments["metrics"] if given.metric else arguments["metrics"][:1]
            for model in models:
                if len(models) > 1:
                    out.heading(f"Model {model.column}", first=model is models[0])
                out.show(out.terminal(), model.assessment, model.step, given.report, explain=given.explain)
                for name, groups in model.groups.items():
                    _show_groups(name, groups, metrics)
    _stop_below(models)


def _assessed(sample, arguments, verdicts):
    """The assessment of one model with all warnings, and those of its groups by column."""
    from pumetrics.assessment import assess, assess_by

    arguments = arguments | sample.options
    assessment = assess(sample.s, sample.score, **arguments, **verdicts)
    groups = {name: assess_by(sample.s, sample.score, each, **arguments) for name, each in sample.by.items()}
    by = (warning.of(name) for name, parts in groups.items() for warning in parts.warnings)
    return replace(assessment, warnings=(*sample.notes, *assessment.warnings, *by)), groups


def _advice(assessment, sample, given, limits):
    """What to check next, if anything."""
    from pumetrics.assessment import next_step

    if given.checks:
        return None
    step = next_step(assessment, sample.s, sample.score, first=limits)
    rows_count_alike = not any((assessment.design or {}).get(name) for name in ("weighted", "folds", "propensity"))
    options = {"noisy": assessment.uncertainty.endswith("noise")}
    options |= {} if step else {"threshold": assessment.threshold}
    return advice_on(step, **options) if step or rows_count_alike else None


def _json_of(models, facts, settings):
    """The JSON of all models."""
    answers = []
    for model, fact in zip(models, facts, strict=True):
        groups = [{"by": name, **each} for name, parts in model.groups.items() for each in parts.as_dicts()]
        result = model.assessment.as_dict() | {"groups": groups, "failed": [line for _, line in model.failed]}
        chosen = settings | {"score": [model.column]}
        result["next_step"] = model.step and ": ".join(model.step)
        answers.append(out.answer("evaluate", [fact], chosen, result))
    return out.json_text(answers)


def _page_of(models, facts, *, date):
    """A page with each model, named after its column, or after its file if the column has the default name."""
    from pumetrics.assessment import Assessed, models_page

    file, default = Path(facts[0]["name"]).name, [each.column for each in models] == ["score"]
    parts = []
    for model, fact in zip(models, facts, strict=True):
        name, fact = file if default else model.column, fact | {"name": file}
        parts.append(Assessed(name, model.assessment, model.sample.s, model.sample.score, fact, model.shown))
    return models_page(parts, date=date)


def _thresholds_of(model):
    """A table of thresholds with the priors of an assessment; NaN for numbers that need alpha if it is not known."""
    from pumetrics.priors.interval import identifies
    from pumetrics.thresholds import threshold_table

    sample, assessment = model.sample, model.assessment
    s, y_score, weight = sample.s, sample.score, sample.options.get("sample_weight")
    if s is not None:  # read row by row, not counted
        kept = s != -1
        s, y_score, weight = s[kept], y_score[kept], weight if weight is None else weight[kept]
    priors = {"alpha": assessment.alpha, "beta": assessment.beta, "selection": assessment.selection}
    table = threshold_table(s, y_score, **priors, population=assessment.population, sample_weight=weight)
    if not (identifies(*assessment.alpha_interval) if assessment.alpha_interval else assessment.alpha_identified):
        random = assessment.selection == 1 and assessment.beta == 1  # recall is then that of the labeled
        known = {"threshold", "predicted_positive", "selection"} | ({"recall"} if random else set())
        table[[name for name in table if name not in known]] = np.nan
    return table


def _show_groups(column, groups, metrics):
    """Print a table of groups for each metric, then the warnings of each group."""
    from rich.markup import escape

    from pumetrics.assessment import group_table

    console = out.terminal()
    for metric in metrics:
        console.print(group_table(groups, metric, column=column))
    one = next(each.assessment for each in groups if each.assessment)
    priors = "all groups have the given alpha" if one.source == "given" else f"alpha of every group: {one.source}"
    console.print(f"By {escape(column)}: {priors}; interval: {one.confidence:.0%}.")
    for each in groups:
        warnings = (each.reason,) if each.assessment is None else each.assessment.warnings
        for warning in warnings:
            console.print(f"[yellow]Warning:[/] {escape(f'{column} {each.group}: {warning}')}")


def _limits_of(given, metrics):
    """Limits by metric, such as ``roc_auc=0.85``; ValueError on one that cannot be compared."""
    limits = {}
    for text in given.fail_under:
        name, _, number = text.partition("=")
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        if math.isnan(limit):
            raise ValueError(f"--fail-under must be a metric and a number such as roc_auc=0.85, got {text!r}")
        if name not in metrics:
            raise ValueError(f"--fail-under must name one of {', '.join(metrics)}, got {name!r}")
        low, high = find_metric(name).range
        if not low <= limit <= high:
            raise ValueError(f"--fail-under {text}: {name} lies in [{low:g}, {high:g}]; use a limit within")
        limits[name] = limit
    if given.lower and not limits:
        raise ValueError("--lower needs --fail-under, such as --fail-under roc_auc=0.85")
    if given.lower and not (given.bootstrap or given.checks):
        raise ValueError("--lower needs intervals: give --bootstrap; 200 is common")
    return limits


def _shortfalls(assessment, limits, *, lower, remedy):
    """Exit status and line of each limit that is not reached; `remedy` is one for what is not identified."""
    scores, lines = {score.metric: score for score in assessment.scores}, []
    for metric, limit in limits.items():
        if metric not in scores:
            why = "the checked rows do not determine it; use a metric that they determine"
            lines.append((UNKNOWN, f"{metric} is undecided: {why}, or omit --checks"))
        elif found := _shortfall(scores[metric], limit, assessment, lower=lower, remedy=remedy):
            lines.append((found[0], f"{metric}{found[1]}"))
    return sorted(lines, key=lambda each: each[0])


_WAYS = {"checked": "check more rows", "known": "label more rows", "range": "give a narrower --alpha"}


def _shortfall(score, limit, assessment, *, lower, remedy):
    """Return the status and line of a limit that is not reached, or None.

    A score that is not identified is below its limit if its whole interval is.
    """
    what = f"lower end of the {assessment.confidence:.0%} interval" if lower else "corrected score"
    least, most = score.interval or (None, math.inf)
    value = least if lower else score.corrected
    ways = _WAYS.get("checked" if assessment.checked else assessment.uncertainty, "give --alpha")
    n_open = assessment.checked[score.metric].n_open if assessment.checked else 0
    if n_open:
        return UNKNOWN, f" is undecided: {n_open:,} rows of the plan have no verdict yet, and a claim needs all of them"
    if most < limit:
        return BELOW, f": its whole interval, up to {most:.4g}, is below {limit:g}"
    if assessment.checked and least >= limit:
        return None
    if not score.identified:
        ways += f", or {remedy}" if remedy else ""
        return UNKNOWN, f" is undecided: these scores do not identify it, so it may or may not reach {limit:g}; {ways}"
    if value is None:
        return UNKNOWN, " is undecided: it has no interval, see the warnings"
    if math.isnan(value):  # no point, as where a part of the rows was not checked at all
        return UNKNOWN, f" is undecided: it is between {least:.4g} and {most:.4g}; use --lower, or {ways}"
    return None if value >= limit else (BELOW, f": the {what} is {value:.4g}, below {limit:g}")


def _stop_below(models):
    """Print scores that are below their limits or undecided, and exit with the status if there are any."""
    for model in models:
        whose = f"model {model.column}: " if len(models) > 1 else ""
        for _, line in model.failed:
            out.complain(f"--fail-under: {whose}{line}")
    if failed := [status for model in models for status, _ in model.failed]:
        raise typer.Exit(min(failed))
