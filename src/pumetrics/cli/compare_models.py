"""`pumetrics compare-models` compares two models against the true class."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli._checks import check_options
from pumetrics.cli._errors import one_line_errors, terminal, written_or_refused
from pumetrics.cli._json import as_json_text, file_facts
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
    first: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file with the first model's scores.")],
    second: Annotated[
        Path, typer.Argument(help="The second model's: the same rows in the same order, or join them with --id.")
    ],
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
    as_json: Json = False,
):
    """Compare two models against the true class: which is better, how sure, and does the ranking depend on alpha?

    --score may be given twice: the column of the first file, then that of the second.

    Exit status: 0; 2 if a file or an option is wrong, with one line on why.

    Example: pumetrics compare-models forest.csv svm.csv --alpha 0.1,0.3
    """
    settings = settings_of(locals())
    from pumetrics.assessment import check_positions, compare_scores, paired, read_scores

    paths = (first, second)
    with one_line_errors(), working(bootstrap):
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
        )
        columns = _columns(score, paths)
        options = {"label": label, "positive": positive, "unlabeled": unlabeled or (), "id": id}
        files = [read_scores(path, score=column, **options) for path, column in zip(paths, columns, strict=True)]
        if id is None and first != second:
            check_positions(paths, read=(*columns, label))
        s, first_score, second_score, notes = paired(paths, files)
        comparison = compare_scores(
            s,
            first_score,
            second_score,
            alpha=alpha_of(alpha),
            beta=beta,
            rho=rho,
            method=priors,
            noisy=noisy,
            metrics=names_of(metric, threshold=threshold, at=at),
            population=str(population),
            uncertainty=uncertainty and str(uncertainty),
            threshold=threshold,
            confidence=confidence,
            n_bootstrap=bootstrap,
            random_state=seed,
        )
        comparison = replace(comparison, warnings=notes + comparison.warnings)
        names = [str(path) for path in paths]
        if columns[0] != columns[1]:
            names = [f"{path}, column {column}" for path, column in zip(paths, columns, strict=True)]
        text = None
        if as_json:
            facts = [file_facts(path, rows=file.n_rows, used=len(s)) for path, file in zip(paths, files, strict=True)]
            text = as_json_text("compare-models", facts, settings, {"models": names, **comparison.as_dict()})
    with written_or_refused():
        if as_json:
            typer.echo(text)
        else:
            _show(comparison, names)


def _columns(score, paths):
    """Columns of the scores of both models."""
    names = score or ["score"]
    if len(names) > 2:
        raise ValueError(f"--score names {len(names)} columns ({', '.join(names)}): give one, or one for each file")
    columns = names[0], names[-1]
    if columns[0] == columns[1] and paths[0] == paths[1] and score is not None:
        raise ValueError(
            f"{paths[0]} and its column {columns[0]!r} are named twice: a model is not compared with itself; give two "
            "files, or --score twice"
        )
    return columns


def _show(comparison, names):
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
