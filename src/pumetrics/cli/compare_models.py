"""`pumetrics compare-models` compares two models against the true class."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from pumetrics.cli import options
from pumetrics.cli import output as out
from pumetrics.cli.next_steps import check_rows_of, next_steps, ways_named
from pumetrics.cli.pairs import pairs_of, read_pairs
from pumetrics.writing import write_whole

__all__ = ["compare_models"]


def compare_models(
    first: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV, JSON Lines or Parquet file with scores of the first model; - for standard input."
        ),
    ],
    second: Annotated[
        Path | None,
        typer.Argument(
            help="File with scores of the second model: the same rows in the same order, unless --id joins them. If "
            "omitted, the models are columns of the first file."
        ),
    ] = None,
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
    checks: options.CHECKS = None,
    checked: options.CHECKED = None,
    priors: options.PRIORS = "consensus",
    uncertainty: options.UNCERTAINTY = None,
    confidence: options.CONFIDENCE = 0.95,
    bootstrap: options.option(
        int,
        "--bootstrap",
        "Advanced",
        "Number of resamples for the intervals, at least 10.",
        metavar="INTEGER",
    ) = 200,
):
    """Compare two models against the true class: which is better, how certain, and does the ranking depend on alpha?

    With two files, --score may be given twice: the column of the first file,
    then that of the second. With one file, the first --score is compared with
    each of the others. Weights and clusters are columns of the first file. The
    first --metric (AUC by default) determines which model is better.

    Exit status: 0 on success; 2 if a file or an option is wrong, with a
    message of one line.

    Example: pumetrics compare-models forest.csv svm.csv --alpha 0.1,0.3
    """
    given = options.options_of(locals())
    from pumetrics.assessment import comparison_page, date_of
    from pumetrics.checks.files import plan_named
    from pumetrics.reading import opened

    files = [each for each in (first, second) if each is not None]
    read = options.reading_of(given)
    with out.working(bootstrap), opened(first, second or first) as (one, other):
        arguments = options.arguments_of(given, least=1)
        options.check_output("--report", report, files)
        pairs = pairs_of(given.score, one, None if second is None else other)
        plan = plan_named(checks, checked, [column for _, (_, column) in pairs])
        if not given.metric:  # those of compare_scores, and the one that rows were selected for
            arguments |= {"metrics": None, "at": given.at or ()}
        if checked is not None:
            command = check_rows_of(given, files, given.score)
            raise ValueError(
                f"--checked {checked}: two models need a common plan, which checks only rows that exactly one of "
                f"them lists: {command}"
            )
        with ways_named(first, given.score or ["score"], given, two=second is not None):
            rows = read_pairs(pairs, read, weight=weight, cluster=cluster)
        compared = [
            _compared(pair, both, files, given, arguments, plan)
            for pair, both in zip(pairs, rows, strict=True)
        ]
        answers = [each.answer for each in compared]
        contests = [each.contest for each in compared]
        text = out.json_text(answers) if json else None
        if report is not None:
            # a page names no folder
            facts = {fact["name"]: fact for answer in answers for fact in answer["files"]}
            shown = [fact | {"name": Path(fact["name"]).name} for fact in facts.values()]
            date = max(filter(None, map(date_of, (one, other))), default=None)
            with out.writing("--report", report):
                write_whole(report, comparison_page(contests, files=shown, date=date))
    with out.written_or_refused():
        if json:
            typer.echo(text)
            return
        for place, each in enumerate(compared, 1):
            if len(compared) > 1:
                words = f"{place} of {len(compared)} comparisons with the first model"
                out.heading(words, first=place == 1)
            console = out.terminal()
            console.print("First: {}, second: {}.".format(*each.answer["models"]), markup=False)
            written = report if each is compared[-1] else None
            out.show(console, each.contest.comparison, each.step, written, explain=explain)


class _Compared(NamedTuple):
    """What is found of a pair of models."""

    answer: dict
    """The result for JSON."""
    contest: Any
    """The result for a page."""
    step: tuple | None
    """What to do next, in words, and its command."""


def _compared(pair, rows, files, given, arguments, plan):
    """Compare a pair of models, given all rows of each, and those with scores of both."""
    from pumetrics.assessment import Contest, compare_scores
    from pumetrics.checks.files import read_checks, restored, sorted_by_name

    sources, scores = zip(*pair, strict=True)
    whole, samples = rows
    if plan is not None:
        samples = sorted_by_name(samples)
        chosen = restored(plan, given.checks, sources[0], samples)
        checks = read_checks(given.checks, sources[0], samples[0], given.id, chosen, given.positive)
        arguments = arguments | {"checks": checks, "plan": chosen}
    first, second = samples
    data = (first.s, first.score, second.score)
    comparison = compare_scores(*data, **arguments, **first.options)
    comparison = replace(
        comparison,
        first=comparison.first.with_unscored(first.unscored),
        second=comparison.second.with_unscored(second.unscored),
    )

    step, shown = next_steps(given, list(dict.fromkeys(files)), list(dict.fromkeys(scores)))
    models = [str(source) for source in sources]
    if scores[0] != scores[1]:
        models = [f"{source}, column {score}" for source, score in pair]
    facts = []
    for source, file in zip(sources, whole, strict=True):
        facts += out.file_facts(source, used=[(file.n_rows, min(file.n_rows, first.n_used))])
    settings = options.settings_of(given) | {"score": scores}
    result = {
        "models": models,
        **comparison.as_dict(),
        "next_step": step and ": ".join(step),
    }
    return _Compared(
        out.answer("compare-models", facts, settings, result),
        Contest(*_short_names(sources, scores), *data, comparison, shown),
        step,
    )


def _short_names(sources, scores):
    """Names of two models for a page: columns of one file, or files, with their columns if these differ."""
    if sources[0] == sources[1]:
        return scores
    names = [
        source.path.name if str(source.path) == source.name else source.name for source in sources
    ]
    if names[0] == names[1]:
        names = [source.name for source in sources]
    if scores[0] != scores[1]:
        names = [f"{name}, {score}" for name, score in zip(names, scores, strict=True)]
    return names
