"""`pumetrics compare-models` compares two models against the true class."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli._checks import check_options, check_output
from pumetrics.cli._errors import one_line_errors, terminal, writing, written_or_refused
from pumetrics.cli._grouping import Cluster, Fold, Weight, check_columns
from pumetrics.cli._json import answer, file_facts, json_text
from pumetrics.cli._models import heading, latest, pairs_of, short_names
from pumetrics.cli.evaluate import (
    Alpha,
    At,
    Beta,
    Confidence,
    Json,
    LabelColumn,
    Metrics,
    Noisy,
    Population,
    PopulationName,
    Positive,
    PriorMethod,
    Rho,
    ScoreColumn,
    Seed,
    Threshold,
    Uncertainty,
    Unlabeled,
    alpha_of,
    names_of,
    settings_of,
    show_warnings,
    working,
)

__all__ = ["compare_models"]


def compare_models(
    first: Annotated[
        Path, typer.Argument(help="CSV, TSV or Parquet file with the first model's scores; - for standard input.")
    ],
    second: Annotated[
        Path | None,
        typer.Argument(
            help="The second model's: the same rows in the same order, or join them with --id. Left out, models are "
            "columns of the first."
        ),
    ] = None,
    score: ScoreColumn = None,
    label: LabelColumn = "s",
    positive: Positive = None,
    unlabeled: Unlabeled = None,
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Join the files by this column.")] = None,
    alpha: Alpha = None,
    beta: Beta = 1.0,
    rho: Rho = None,
    priors: PriorMethod = "consensus",
    noisy: Noisy = False,
    metric: Metrics = None,
    at: At = None,
    population: Population = PopulationName.all,
    uncertainty: Uncertainty = None,
    threshold: Threshold = None,
    confidence: Confidence = 0.95,
    bootstrap: Annotated[int, typer.Option(help="Resamples behind the intervals, at least 1.")] = 200,
    seed: Seed = 0,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page: one verdict, the models side by side, and their curves.")
    ] = None,
    as_json: Json = False,
    weight: Weight = None,
    cluster: Cluster = None,
    fold: Fold = None,
):
    """Compare two models against the true class: which is better, how sure, and does the ranking depend on alpha?

    Of two files, --score may be given twice: the column of the first file, then that of the second. Of one file, the
    first --score is compared with each of the others. Weights, clusters and folds are columns of the first file.

    Exit status: 0; 2 if a file or an option is wrong, with one line on why.

    Example: pumetrics compare-models forest.csv svm.csv --alpha 0.1,0.3
    """
    settings = settings_of(locals())
    from pumetrics.assessment import opened, write_comparison_page
    from pumetrics.plotting import require_plots

    with one_line_errors(), working(bootstrap), opened(first, second or first) as sources:
        check_options(
            alpha=alpha,
            beta=beta,
            rho=rho,
            noisy=noisy,
            confidence=confidence,
            bootstrap=bootstrap,
            seed=seed,
            threshold=threshold,
            uncertainty=uncertainty,
            least_bootstrap=1,
        )
        beside = {"weight": weight, "cluster": cluster, "fold": fold}
        check_columns(score or ["score"], label, report=report, **beside)
        if report is not None:
            check_output("--report", report, [first, second or first])
            require_plots("--report")
        options = {
            "alpha": alpha_of(alpha),
            "beta": beta,
            "rho": rho,
            "method": priors,
            "noisy": noisy,
            "metrics": names_of(metric, threshold=threshold, at=at),
            "population": str(population),
            "uncertainty": uncertainty and str(uncertainty),
            "threshold": threshold,
            "confidence": confidence,
            "n_bootstrap": bootstrap,
            "random_state": seed,
        }
        columns = {"label": label, "positive": positive, "unlabeled": unlabeled or (), "id": id}
        pairs = pairs_of(score, sources[0], None if second is None else sources[1])
        answers = [_compared(pair, columns, beside, options, settings) for pair in pairs]
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
            _show(contest.comparison, each["models"], report if contest is answers[-1][1] else None)


def _compared(pair, columns, beside, options, settings):
    """Answer for JSON, and contest, of one pair of models."""
    from pumetrics.assessment import Contest, check_positions, compare_scores, paired, read_beside, read_models

    sources, scores = zip(*pair, strict=True)
    if sources[0] == sources[1]:
        files = read_models(sources[0], list(dict.fromkeys(scores)), **columns)
        files = [files[0], files[-1]]
    else:
        files = [read_models(source, [score], **columns)[0] for source, score in pair]
        if columns["id"] is None:
            check_positions(sources, read=(*scores, columns["label"]))
    pairs = paired(sources, files)
    (rows,) = read_beside(sources[0], [pairs], **beside)
    scored = pairs.s, pairs.first_score, pairs.second_score
    comparison = compare_scores(*scored, **options, **rows.options())
    comparison = replace(comparison, warnings=pairs.notes + comparison.warnings)
    names = [str(source) for source in sources]
    if scores[0] != scores[1]:
        names = [f"{source}, column {score}" for source, score in pair]
    facts = [
        fact
        for source, file in zip(sources, files, strict=True)
        for fact in file_facts(source, used=[(file.n_rows, len(pairs.s))])
    ]
    chosen = settings | {"score": list(dict.fromkeys(scores))}
    contest = Contest(*short_names(sources, scores), *scored, comparison)
    return answer("compare-models", facts, chosen, {"models": names, **comparison.as_dict()}), contest


def _show(comparison, names, report):
    from rich.markup import escape

    from pumetrics.assessment import FOOTNOTE, assumed_in_words, comparison_table, priors_in_words

    console = terminal()
    console.print(f"First: {escape(names[0])}, second: {escape(names[1])}. {priors_in_words(comparison)}")
    console.print(comparison_table(comparison))
    console.print(assumed_in_words(comparison))
    console.print(
        f"interval: {comparison.confidence:.0%}, of first minus second; open: it contains 0. "
        f"P: share of the resamples in which the first scores higher. "
        f"flips at: alphas at which the ranking changes, from 0 to {comparison.most_alpha:.3f}, the largest that "
        f"these scores allow. {FOOTNOTE}"
    )
    show_warnings(console, comparison.warnings)
    if report is not None:
        console.print(f"Report: {escape(str(report))}")
