"""`pumetrics compare-models` compares two models against the true class."""

from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli.evaluate import (
    Alpha,
    Beta,
    Confidence,
    Json,
    LabelColumn,
    Metrics,
    Noisy,
    PriorMethod,
    Rho,
    ScoreColumn,
    Seed,
    Threshold,
    Uncertainty,
    alpha_of,
    names_of,
    one_line_errors,
    show_warnings,
    working,
)

__all__ = ["compare_models"]


def compare_models(
    first: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file with the first model's scores.")],
    second: Annotated[Path, typer.Argument(help="The second model's, the same rows in the same order.")],
    score: ScoreColumn = "score",
    label: LabelColumn = "s",
    alpha: Alpha = None,
    beta: Beta = 1.0,
    rho: Rho = None,
    priors: PriorMethod = "consensus",
    noisy: Noisy = False,
    metric: Metrics = None,
    uncertainty: Uncertainty = None,
    threshold: Threshold = None,
    confidence: Confidence = 0.95,
    bootstrap: Annotated[int, typer.Option(help="Resamples behind the intervals, at least 1.")] = 200,
    seed: Seed = 0,
    as_json: Json = False,
):
    """Compare two models against the true class: which is better, how sure, and does the ranking depend on alpha?

    Example: pumetrics compare-models forest.csv svm.csv --alpha 0.1,0.3
    """
    from pumetrics.assessment import compare_scores, read_scores, same_labels

    with one_line_errors(), working(bootstrap):
        files = [read_scores(path, score=score, label=label) for path in (first, second)]
        same_labels((first, second), files)
        comparison = compare_scores(
            files[0].s,
            files[0].score,
            files[1].score,
            alpha=alpha_of(alpha),
            beta=beta,
            rho=rho,
            method=priors,
            noisy=noisy,
            metrics=names_of(metric),
            uncertainty=uncertainty and str(uncertainty),
            threshold=threshold,
            confidence=confidence,
            n_bootstrap=bootstrap,
            random_state=seed,
        )
    _show(comparison, [str(first), str(second)], as_json)


def _show(comparison, names, as_json):
    import json

    from rich.console import Console

    from pumetrics.assessment import FOOTNOTE, assumed_in_words, comparison_table, priors_in_words

    if as_json:
        typer.echo(json.dumps({"models": names, **comparison.as_dict()}, indent=2))
        return
    console = Console(highlight=False)
    console.print(f"First: {names[0]}, second: {names[1]}. {priors_in_words(comparison)}")
    console.print(comparison_table(comparison))
    console.print(assumed_in_words(comparison))
    console.print(
        f"interval: {comparison.confidence:.0%}, of first minus second; open: it contains 0. "
        f"P: share of the resamples in which the first scores higher. "
        f"Alpha was varied from 0 to {comparison.most_alpha:.3f}, the largest alpha that these scores allow. {FOOTNOTE}"
    )
    show_warnings(console, comparison.warnings)
