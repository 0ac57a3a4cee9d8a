"""`pumetrics compare-models` compares two models against the true class."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli import options
from pumetrics.cli import output as out
from pumetrics.cli.audit import (
    next_step,
    pairs_of,
    plan_named,
    read_checks,
    read_pairs,
    sorted_by_name,
    ways_named,
)
from pumetrics.writing import write_whole

__all__ = ["compare_models"]


def compare_models(
    first: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV or Parquet file with scores of the first model; - for standard input."
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
        int, "--bootstrap", "Advanced", "Number of resamples for the intervals, at least 10."
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
    from pumetrics.reading import opened

    files = [first, *([second] if second else [])]
    with out.working(bootstrap), opened(first, second or first) as sources:
        arguments, extra = (
            options.arguments_of(given, least=1),
            {"weight": weight, "cluster": cluster},
        )
        options.check_output("--report", report, files)
        pairs = pairs_of(given.score, sources[0], None if second is None else sources[1])
        plan = plan_named(given, [column for _, (_, column) in pairs])
        wanted = {**options.reading_of(given), "population": given.population}
        if checked is not None:
            _, command = next_step(files, given.score, wanted)
            raise ValueError(
                f"--checked {checked}: two models need a common plan, which checks only rows that exactly one of "
                f"them lists: {command}"
            )
        with ways_named(files[0], given.score or ["score"], given):
            read = read_pairs(pairs, options.reading_of(given), extra)
        compared = (
            _compared(*each, given, arguments, plan, wanted)
            for each in zip(pairs, read, strict=True)
        )
        results, contests, steps = zip(*compared, strict=True)
        text = out.json_text(results) if json else None
        if report is not None:
            facts = {fact["name"]: fact for result in results for fact in result["files"]}
            shown = [
                fact | {"name": Path(fact["name"]).name} for fact in facts.values()
            ]  # a page names no folder
            date = max(filter(None, map(date_of, sources)), default=None)
            with out.writing("--report", report):
                write_whole(report, comparison_page(contests, files=shown, date=date))
    with out.written_or_refused():
        if json:
            typer.echo(text)
            return
        for place, (result, contest, step) in enumerate(zip(results, contests, steps, strict=True)):
            if len(results) > 1:
                out.heading(
                    f"{place + 1} of {len(results)} comparisons with the first model",
                    first=place == 0,
                )
            console = out.terminal()
            console.print("First: {}, second: {}.".format(*result["models"]), markup=False)
            out.show(
                console,
                contest.comparison,
                step,
                report if contest is contests[-1] else None,
                explain=explain,
            )


def _compared(pair, both, given, arguments, plan, wanted):
    """Result for JSON, contest and next step, with the options `wanted`, of one pair of models."""
    from pumetrics.assessment import Contest, compare_scores

    sources, scores = zip(*pair, strict=True)
    files, samples = both
    if given.checks is not None:
        samples = sorted_by_name(samples)
        checks, chosen = read_checks(given.checks, sources[0], samples, given.id, plan)
        arguments = arguments | {"checks": checks, "plan": chosen}
    scored = samples[0].s, samples[0].score, samples[1].score
    comparison = compare_scores(*scored, **arguments, **samples[0].options)
    comparison = replace(comparison, warnings=samples[0].notes + comparison.warnings)
    paths, columns = (
        [*dict.fromkeys(map(str, filter(None, (given.first, given.second))))],
        [*dict.fromkeys(scores)],
    )
    step = named = None
    if given.checks is None and given.weight is None:
        step = next_step(paths, columns, wanted)
        named = next_step([Path(path).name for path in paths], columns, wanted)
    names = [str(source) for source in sources]
    if scores[0] != scores[1]:
        names = [f"{source}, column {score}" for source, score in pair]
    facts = []
    for source, file in zip(sources, files, strict=True):
        facts += out.file_facts(source, used=[(file.n_rows, samples[0].n_used)])
    contest = Contest(*_short_names(sources, scores), *scored, comparison, named)
    result = {"models": names, **comparison.as_dict(), "next_step": step and ": ".join(step)}
    return (
        out.answer(
            "compare-models", facts, options.settings_of(given) | {"score": columns}, result
        ),
        contest,
        step,
    )


def _short_names(sources, scores):
    """Names of two models for a page: columns of one file, or files, with their columns if these differ."""
    if sources[0] == sources[1]:
        return list(scores)
    names = [
        source.path.name if str(source.path) == source.name else source.name for source in sources
    ]
    if names[0] == names[1]:
        names = [source.name for source in sources]
    return (
        names
        if scores[0] == scores[1]
        else [f"{n}, {c}" for n, c in zip(names, scores, strict=True)]
    )
