"""`pumetrics evaluate` estimates the performance of a model from a file of scores."""

import math
from pathlib import Path
from typing import Any, NamedTuple

import typer

from pumetrics.cli import options
from pumetrics.cli import output as out
from pumetrics.cli.next_steps import next_steps, ways_named
from pumetrics.metrics import find_metric
from pumetrics.writing import write_whole

__all__ = ["evaluate"]

# Exit status if a score is below its limit, or if none is known to be and one is undecided.
BELOW = 1
UNKNOWN = 3


class _Model(NamedTuple):
    """A column of scores, its rows, and what is found of it."""

    column: str
    sample: Any
    assessment: Any
    step: tuple | None
    """What to do next, in words, and its command."""
    shown: tuple | None
    """The same for a page, which names no folder."""
    failed: list
    """Exit status and line of each limit that is not reached."""


def evaluate(
    scores: options.SCORES,
    *,
    score: options.SCORE = None,
    id: options.ID = None,
    weight: options.WEIGHT = None,
    cluster: options.CLUSTER = None,
    label: options.LABEL = "s",
    positive: options.POSITIVE = None,
    unlabeled: options.UNLABELED = None,
    unscored: options.UNSCORED = None,
    alpha: options.ALPHA = None,
    beta: options.BETA = 1.0,
    rho: options.RHO = None,
    noisy: options.NOISY = False,
    metric: options.METRICS_ = None,
    at: options.AT = None,
    population: options.POPULATION = "all",
    threshold: options.THRESHOLD = None,
    report: options.REPORT = None,
    json: options.JSON = False,
    explain: options.EXPLAIN = False,
    fail_under: options.FAIL_UNDER = None,
    lower: options.LOWER = False,
    checks: options.CHECKS = None,
    checked: options.CHECKED = None,
    priors: options.PRIORS = "consensus",
    uncertainty: options.UNCERTAINTY = None,
    confidence: options.CONFIDENCE = 0.95,
    bootstrap: options.BOOTSTRAP = 200,
):
    """Estimate performance against the true class from scores of labeled and unlabeled examples.

    Scores must be out of sample: use examples that the model was not trained on.

    Exit status: 0 on success; 1 if a score is below --fail-under; 2 if a file
    or an option is wrong, with a message of one line; 3 if these scores do
    not determine whether a score is below --fail-under.

    Example: pumetrics evaluate scores.csv --score score --label s --alpha 0.2 --report scores.html
    """
    if checks and options.are_same_file(checks, scores):
        checks = scores
    given = options.options_of(locals())
    from pumetrics.assessment import date_of
    from pumetrics.checks.files import plan_named
    from pumetrics.reading import opened

    with out.working(bootstrap), opened(scores) as (source,):
        columns = options.columns_named(given.score)
        plan = plan_named(checks, checked, columns)
        arguments = options.arguments_of(given, planned=plan)
        limits = _limits_of(given, arguments["metrics"])
        if not given.metric:  # those of assess, and the one that checked rows were selected for
            arguments |= {"metrics": None, "at": given.at or ()}
        options.check_output("--report", report, [scores])
        samples, verdicts = _read(source, columns, given, plan)
        models = [
            _model(column, sample, given, arguments | verdicts, limits)
            for column, sample in zip(columns, samples, strict=True)
        ]
        facts = []
        if json or report:
            used = [(each.n_rows, each.n_used) for each in samples]
            facts = out.file_facts(source, used=used)
        text = _json_of(models, facts, options.settings_of(given)) if json else None
        if report is not None:
            with out.writing("--report", report):
                write_whole(report, _page_of(models, facts, date=date_of(source)))
    with out.written_or_refused():
        if json:
            typer.echo(text)
        else:
            for model in models:
                if len(models) > 1:
                    out.heading(f"Model {model.column}", first=model is models[0])
                out.show(out.terminal(), model.assessment, model.step, report, explain=explain)
    _stop_below(models)


def _read(source, columns, given, plan):
    """Rows of each model, and the arguments of assess about checked rows, if any."""
    from pumetrics.checks.files import read_checks, restored, sorted_by_name, verdicts_of_labels
    from pumetrics.reading import columns_of, read_models

    checks = given.checks
    are_labels = checks == given.scores and "verdict" not in columns_of(source, columns)
    with ways_named(given.scores, columns, given):
        samples = read_models(
            source,
            columns,
            **options.reading_of(given),
            weight=given.weight,
            cluster=given.cluster,
            checked=checks is not None,
            verified=are_labels,
        )
    if checks is None:
        return samples, {}
    if are_labels:
        sample, table = verdicts_of_labels(samples[0], given.label, given.checked, given.positive)
        return [sample], {"checks": table, "plan": given.checked}
    samples = sorted_by_name(samples)
    chosen = given.checked if plan is None else restored(plan, checks, source, samples)
    table = read_checks(checks, source, samples[0], given.id, chosen, given.positive)
    return samples, {"checks": table, "plan": chosen}


def _model(column, sample, given, arguments, limits):
    """What is found of one column of scores."""
    from pumetrics.assessment import assess
    from pumetrics.checks import ChosenError

    try:
        assessment = assess(sample.s, sample.score, **arguments, **sample.options)
    except ChosenError as error:  # rows are in another order than in the file
        name = given.id or "row"
        raise ValueError(error.named(lambda row: f"{name} {sample.names[row]}")) from None
    assessment = assessment.with_unscored(sample.unscored)

    wanted = {"noisy": given.noisy, "threshold": given.threshold}
    step, shown = next_steps(given, [given.scores], [column], **wanted)
    failed = _shortfalls(assessment, limits, lower=given.lower, remedy=": ".join(step or ()))
    return _Model(column, sample, assessment, step, shown, failed)


def _json_of(models, facts, settings):
    """The JSON of all models."""
    answers = []
    for model, fact in zip(models, facts, strict=True):
        result = model.assessment.as_dict()
        result["failed"] = [line for _, line in model.failed]
        result["next_step"] = model.step and ": ".join(model.step)
        answers.append(out.answer("evaluate", [fact], settings | {"score": [model.column]}, result))
    return out.json_text(answers)


def _page_of(models, facts, *, date):
    """A page with each model, named after its column, or after its file if the column has the default name."""
    from pumetrics.assessment import Assessed, models_page

    file = Path(facts[0]["name"]).name
    has_default_name = [each.column for each in models] == ["score"]
    parts = []
    for model, fact in zip(models, facts, strict=True):
        name = file if has_default_name else model.column
        data = (model.sample.s, model.sample.score)
        parts.append(Assessed(name, model.assessment, *data, fact | {"name": file}, model.shown))
    return models_page(parts, date=date)


def _limits_of(given, metrics):
    """Limits by metric, such as ``roc_auc=0.85``; ValueError on one that cannot be compared."""
    from pumetrics.inference.request import LEAST

    limits = {}
    for text in given.fail_under:
        name, _, number = text.partition("=")
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        if math.isnan(limit):
            raise ValueError(
                f"--fail-under must be a metric and a number such as roc_auc=0.85, got {text!r}"
            )
        if name not in metrics:
            remedy = ""
            if name in options.METRIC and find_metric(name).kind != "top":
                remedy = f": add --metric {name}"
            raise ValueError(
                f"--fail-under must name one of {', '.join(metrics)}, got {name!r}{remedy}"
            )
        if name in limits:
            raise ValueError(
                f"--fail-under limits {name} to {limits[name]:g} and to {limit:g}: give one limit of each"
            )
        low, high = find_metric(name).range
        if not low <= limit <= high:
            raise ValueError(
                f"--fail-under {text}: {name} lies in [{low:g}, {high:g}]; use a limit within"
            )
        limits[name] = limit
    if given.lower and not limits:
        raise ValueError("--lower needs --fail-under, such as --fail-under roc_auc=0.85")
    if given.lower and given.bootstrap < LEAST and not given.checks:
        raise ValueError(
            f"--lower needs intervals: give --bootstrap of at least {LEAST}; 200 is common"
        )
    return limits


def _shortfalls(assessment, limits, *, lower, remedy):
    """Exit status and line of each limit that is not reached; `remedy` is one for what is not identified."""
    scores = {score.metric: score for score in assessment.scores}
    failed = []
    for metric, limit in limits.items():
        status = UNKNOWN
        line = _undetermined(metric, assessment)
        if metric in scores:
            status, line = _shortfall(scores[metric], limit, assessment, lower, remedy)
        if status:
            failed.append((status, f"{metric}{line}"))
    return sorted(failed, key=lambda each: each[0])


def _undetermined(metric, assessment):
    """Why there is no score of a metric, and what to do."""
    if assessment.threshold is None and find_metric(metric).kind == "threshold":
        return (
            " is undecided: without a threshold the checked rows do not determine it; give --threshold, or omit "
            "--checks"
        )
    return " is undecided: the checked rows do not determine it; use a metric that they determine, or omit --checks"


_WAYS = {
    "checked": "check more rows",
    "known": "label more rows",
    "range": "give a narrower --alpha",
}


def _shortfall(score, limit, assessment, lower, remedy):
    """Return the status and line of a limit that is not reached, status 0 if it is.

    A score that is not identified is below its limit if its whole interval is, and reaches it alike.
    """
    checked = assessment.checked
    least, most = score.interval or (None, math.inf)
    n_open = checked[score.metric].n_open if checked else 0
    if n_open:
        return (
            UNKNOWN,
            f" is undecided until the whole plan is checked (rows without a verdict: {n_open:,})",
        )
    if most < limit:
        return BELOW, f": its whole interval, up to {most:.4g}, is below {limit:g}"
    holds_all = checked or assessment.n_resamples  # else it is that of alpha alone
    if holds_all and least is not None and least >= limit:
        return 0, ""

    way = _WAYS.get("checked" if checked else assessment.uncertainty, "give --alpha")
    if not score.identified:
        basis = "checks" if checked else "scores"
        more = f", or {remedy}" if remedy else ""
        return (
            UNKNOWN,
            f" is undecided: these {basis} do not identify it, so it may or may not reach {limit:g}; {way}{more}",
        )
    value = least if lower else score.corrected
    if value is None:
        return UNKNOWN, " is undecided: it has no interval, see the warnings"
    if math.isnan(value):  # no point, as where a part of the rows was not checked at all
        return (
            UNKNOWN,
            f" is undecided: it is between {least:.4g} and {most:.4g}; use --lower, or {way}",
        )
    if value >= limit:
        return 0, ""
    what = f"lower end of the {assessment.confidence:.0%} interval" if lower else "corrected score"
    return BELOW, f": the {what} is {value:.4g}, below {limit:g}"


def _stop_below(models):
    """Print scores that are below their limits or undecided, and exit with the status if there are any."""
    for model in models:
        whose = f"model {model.column}: " if len(models) > 1 else ""
        for _, line in model.failed:
            out.complain(f"--fail-under: {whose}{line}")
    failed = [status for model in models for status, _ in model.failed]
    if failed:
        raise typer.Exit(min(failed))
