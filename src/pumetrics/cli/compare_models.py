"""`pumetrics compare-models` compares two models against the true class."""

from dataclasses import replace
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
    Negative,
    command_line,
    planned,
    read_checks,
)
from pumetrics.cli._errors import one_line_errors, terminal, writing, written_or_refused
from pumetrics.cli._json import answer, file_facts, json_text
from pumetrics.cli._models import heading, latest, pairs_of, short_names
from pumetrics.cli.audit import advice_on_two, rows_of_pairs
from pumetrics.cli.evaluate import show_notes, working

__all__ = ["compare_models"]


def compare_models(
    first: Annotated[
        Path, typer.Argument(help="CSV, TSV or Parquet file with scores of the first model; - for standard input.")
    ],
    second: Annotated[
        Path | None,
        typer.Argument(
            help="File with scores of the second model: the same rows in the same order, unless --id joins them. If "
            "omitted, the models are columns of the first file."
        ),
    ] = None,
    score: option.ScoreColumn = None,
    id: Annotated[str | None, option.data(metavar="COLUMN", help="Join the files by this column.")] = None,
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
        float,
        option.labels(
            metavar="TIMES",
            help="Assumed strength of selection: how many times as often the positive with the highest score is "
            "labeled as the one with the lowest, by the scores of one model.",
        ),
    ] = 1.0,
    selected_by: Annotated[
        str | None,
        option.labels(
            metavar="first|second",
            help="With --selection: the model whose scores are used. By default, the one that separates labeled from "
            "unlabeled best.",
        ),
    ] = None,
    propensity: option.Propensity = None,
    metric: option.Metrics = None,
    at: option.At = None,
    population: option.Population = option.PopulationName.all,
    threshold: option.Threshold = None,
    report: Annotated[
        Path | None,
        option.output(
            metavar="FILE.html", help="Write an HTML page with the verdict, the models side by side, and their curves."
        ),
    ] = None,
    as_json: option.Json = False,
    explain: option.Explain = False,
    checks: Checks = None,
    checked: Checked = None,
    guaranteed: Guaranteed = False,
    priors: option.PriorMethod = "consensus",
    uncertainty: option.Uncertainty = None,
    confidence: option.Confidence = 0.95,
    bootstrap: Annotated[int, option.advanced(help="Number of resamples for the intervals, at least 1.")] = 200,
    seed: option.Seed = 0,
):
    """Compare two models against the true class: which is better, how certain, and does the ranking depend on alpha?

    With two files, --score may be given twice: the column of the first file,
    then that of the second. With one file, the first --score is compared with
    each of the others. Weights, clusters, folds and propensities are columns
    of the first file. The first --metric (AUC by default) determines which
    model is better.

    Exit status: 0 on success; 2 if a file or an option is wrong, with a
    message of one line.

    Example: pumetrics compare-models forest.csv svm.csv --alpha 0.1,0.3
    """
    settings = option.settings_of(locals())
    from pumetrics.assessment import opened, write_comparison_page
    from pumetrics.plotting import require_plots

    with one_line_errors(), working(bootstrap), opened(first, second or first) as sources:
        arguments = option.arguments_of(
            settings,
            metrics=option.names_of(metric, threshold=threshold, at=at),
            threshold=threshold,
            least_bootstrap=1,
        )
        arguments |= {"selection": selection, "selected_by": selected_by}
        extra = {"weight": weight, "cluster": cluster, "fold": fold, "propensity": propensity}
        check_columns(score or ["score"], label, **extra)
        if report is not None:
            check_output("--report", report, [first, second or first])
            require_plots("--report")
        columns = {
            "label": label,
            "positive": positive,
            "unlabeled": unlabeled or (),
            "negative": negative or (),
            "id": id,
        }
        pairs = pairs_of(score, sources[0], None if second is None else sources[1])
        models = [column for _, column in (pair[1] for pair in pairs)]
        content = planned(checks, checked, models, guaranteed=guaranteed)
        if checked is not None:
            raise ValueError(
                f"--checked {checked}: two models need a common plan, which checks only rows that exactly one of them "
                f"lists: {command_line('audit', [first, *([second] if second else [])], score, o='checks.csv')}"
            )
        verdicts = {"checks": (checks, content), "guaranteed": guaranteed, "ignore_negatives": ignore_negatives}
        answers = [_compared(pair, columns, extra, arguments, settings, verdicts) for pair in pairs]
        text = json_text([each for each, _ in answers]) if as_json else None
        if report is not None:
            facts = {fact["name"]: fact for each, _ in answers for fact in each["files"]}
            with writing("--report", report):
                contests = [contest for _, contest in answers]
                write_comparison_page(report, contests, files=facts.values(), date=latest(sources))
    with written_or_refused():
        if as_json:
            typer.echo(text)
        for place, (each, contest) in enumerate(answers if not as_json else []):
            if len(answers) > 1:
                heading(f"{place + 1} of {len(answers)} comparisons with the first model", first=place == 0)
            _show(contest, each, report if contest is answers[-1][1] else None, explain=explain)


def _compared(pair, columns, extra, arguments, settings, verdicts):
    """Answer for JSON, and contest, of one pair of models."""
    from pumetrics.assessment import Contest, check_positions, compare_scores, paired, read_models, with_columns

    sources, scores = zip(*pair, strict=True)
    if sources[0] == sources[1]:
        files = read_models(sources[0], list(dict.fromkeys(scores)), **columns)
        files = [files[0], files[-1]]
    else:
        files = [read_models(source, [score], **columns)[0] for source, score in pair]
        if columns["id"] is None:
            check_positions(sources, read=(*scores, columns["label"]))
    first, second = paired(sources, files)
    (path, content), ignored = verdicts["checks"], verdicts["ignore_negatives"]
    if path is not None:
        usable = rows_of_pairs(sources[0], columns, first, second, ignored)
        first = first._replace(
            s=usable.s, score=usable.scores[0], rows=usable.places, ids=None, notes=first.notes + usable.notes
        )
        second = second._replace(score=usable.scores[1])
    (first,) = with_columns(sources[0], [first], **extra)
    verdicts = verdicts | {"checks": path and read_checks(path, usable, content)}
    scored = first.s, first.score, second.score
    comparison = compare_scores(*scored, **arguments, **first.options, **verdicts)
    comparison = replace(comparison, warnings=first.notes + comparison.warnings)
    step, named = None, (list(dict.fromkeys(sources)), list(dict.fromkeys(scores)))
    if path is None and not any(extra.values()):
        step = advice_on_two(rows_of_pairs(sources[0], columns, first, second, ignored), comparison, *named, columns)
    elif path is not None and comparison.winner is None and not comparison.checked.n_open:
        step = _more_of_two(content, *named, columns, path)
    names = [str(source) for source in sources]
    if scores[0] != scores[1]:
        names = [f"{source}, column {score}" for source, score in pair]
    facts = [
        fact
        for source, file in zip(sources, files, strict=True)
        for fact in file_facts(source, used=[(file.n_rows, first.n_used)])
    ]
    chosen = settings | {"score": list(dict.fromkeys(scores))}
    shown = step  # a page names no folder
    for source in sources:
        shown = shown and shown.replace(str(source), Path(str(source)).name)
    contest = Contest(*short_names(sources, scores), *scored, comparison, shown)
    result = {"models": names, **comparison.as_dict(), "next_step": step}
    return answer("compare-models", facts, chosen, result), contest


def _more_of_two(content, files, scores, read, path):
    """How to continue a plan that leaves open which of two models is better, or None if all of its rows are checked."""
    most = sum(size for size, weight in zip(content["sizes"], content["weights"], strict=True) if weight >= 0)
    budget = min(2 * content["budgets"][-1], most)
    if budget == content["budgets"][-1]:
        return None
    return f"check {budget:,} rows: {command_line('audit', files, scores, **read, budget=budget, o=path)}"


def _show(contest, result, report, *, explain):
    from rich.markup import escape

    from pumetrics.assessment import (
        FOOTNOTE,
        assumed_in_words,
        comparison_table,
        difference_in_words,
        explained,
        headline_in_words,
        priors_in_words,
    )

    console, comparison, names = terminal(), contest.comparison, result["models"]
    console.print(f"First: {escape(names[0])}, second: {escape(names[1])}. {priors_in_words(comparison)}")
    if comparison.checked:
        console.print(difference_in_words(comparison))
    console.print(assumed_in_words(comparison))
    console.print(comparison_table(comparison))
    lines = [
        f"The {comparison.confidence:.0%} interval is below each number; the difference is first minus second.",
        f"{headline_in_words(comparison)}. A comparison is open if the interval of the difference contains 0 or there "
        "is no interval.",
        "P is the share of the resamples in which the first model scores higher.",
        f"'Flips at' lists the alphas at which the ranking changes, from 0 to {comparison.most_alpha:.3f}, the largest "
        "alpha that these scores allow.",
        *explained(comparison),
        FOOTNOTE,
    ]
    show_notes(console, comparison, result["next_step"], report, lines if explain else ())
