"""`pumetrics evaluate` estimates the performance of a model from a file of scores."""

from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pumetrics._extras import MissingExtraError
from pumetrics.metrics import AREAS, MEASURES

__all__ = ["evaluate"]


Metric = StrEnum("Metric", {name: name for name in (*AREAS, *MEASURES)})


class UncertaintyName(StrEnum):
    """Kinds of uncertainty by name."""

    calibrated = "calibrated"
    guaranteed = "guaranteed"
    sampling = "sampling"


ScoreColumn = Annotated[str, typer.Option("--score", help="Column of scores, higher for more positive.")]
LabelColumn = Annotated[str, typer.Option("--label", help="Column of labels: 1 labeled, 0 unlabeled.")]
Alpha = Annotated[
    str | None,
    typer.Option(help="Share of positives among the unlabeled, or a range LOW,HIGH. Estimated by default."),
]
Beta = Annotated[float, typer.Option(help="Share of positives among the labeled.")]
Rho = Annotated[float | None, typer.Option(help="Label frequency, the share of positives that are labeled.")]
PriorMethod = Annotated[str, typer.Option("--priors", help="Estimator of alpha: consensus, bbe, dedpul, km2, ...")]
Noisy = Annotated[bool, typer.Option("--noisy", help="Allow for label noise: estimate beta as well.")]
Uncertainty = Annotated[
    UncertaintyName | None,
    typer.Option(
        help="What intervals account for if alpha is estimated. calibrated (default): sampling error and the "
        "uncertainty of alpha; guaranteed: every alpha up to a bound that always holds; sampling: sampling error only."
    ),
]
Metrics = Annotated[list[Metric] | None, typer.Option("--metric", help="May be repeated. All by default.")]
Threshold = Annotated[
    float | None, typer.Option(help="Predict positive for scores >= threshold. The best one by default.")
]
Confidence = Annotated[float, typer.Option(help="Nominal coverage of intervals and bounds.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")]


def evaluate(
    scores: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file, one example per row.")],
    score: ScoreColumn = "score",
    label: LabelColumn = "s",
    alpha: Alpha = None,
    beta: Beta = 1.0,
    rho: Rho = None,
    priors: PriorMethod = "consensus",
    noisy: Noisy = False,
    metric: Metrics = None,
    uncertainty: Uncertainty = None,
    selection: Annotated[
        str,
        typer.Option(
            help="How many times as often the easiest positive is labeled as the hardest; several values such as 1,2,4 "
            "are compared."
        ),
    ] = "1",
    threshold: Threshold = None,
    confidence: Confidence = 0.95,
    bootstrap: Annotated[int, typer.Option(help="Resamples behind the intervals; 0 for none.")] = 200,
    seed: Seed = 0,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with curves, evidence and text for a paper.")
    ] = None,
    as_json: Json = False,
):
    """Estimate performance against the true class from scores of labeled and unlabeled examples.

    Scores must be out of sample: of examples the model was not trained on.

    Example: pumetrics evaluate scores.csv --score score --label s --alpha 0.2 --report scores.html
    """
    from pumetrics.assessment import assess, read_scores
    from pumetrics.plotting import require_plots

    with one_line_errors(), working(bootstrap):
        if report is not None:
            require_plots("--report")
        sample = read_scores(scores, score=score, label=label)
        assessment = assess(
            *sample,
            alpha=alpha_of(alpha),
            beta=beta,
            rho=rho,
            method=priors,
            noisy=noisy,
            metrics=names_of(metric),
            uncertainty=uncertainty and str(uncertainty),
            selection=selections_of(selection),
            threshold=threshold,
            confidence=confidence,
            n_bootstrap=bootstrap,
            random_state=seed,
        )
        if report is not None:
            from pumetrics.assessment import write_page

            write_page(report, assessment, *sample, name=scores.name)
    _show(assessment, as_json, report)


def _show(assessment, as_json, report):
    import json

    from rich.console import Console

    from pumetrics.assessment import FOOTNOTE, assessment_table, assumed_in_words, priors_in_words

    if as_json:
        typer.echo(json.dumps(assessment.as_dict(), indent=2))
        return
    console = Console(highlight=False)
    console.print(priors_in_words(assessment))
    console.print(assessment_table(assessment))
    intervals = (
        f"interval: {assessment.confidence:.0%}, {assessment.n_resamples} resamples. " if assessment.n_resamples else ""
    )
    bounds = f"{assessment.confidence:.0%}"
    if assessment.beta < 1 or assessment.selection != 1:
        bounds = "none, they take labels at their word"
    console.print(assumed_in_words(assessment))
    console.print(f"{intervals}bounds: {bounds}. {FOOTNOTE}")
    show_warnings(console, assessment.warnings)
    if report is not None:
        console.print(f"Report: {report}")


def show_warnings(console, warnings):
    """Print warnings, one a line."""
    from rich.markup import escape

    for warning in warnings:
        console.print(f"[yellow]Warning:[/] {escape(warning)}")


def alpha_of(text):
    """Parse ``0.2`` or ``0.1,0.3``."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise ValueError(f"--alpha must be a number such as 0.2 or a range such as 0.1,0.3, got {text!r}")
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


def selections_of(text):
    """Parse ``1`` or ``1,2,4``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--selection must be numbers such as 1 or 1,2,4, got {text!r}") from None


def names_of(metric):
    """Names of the metrics asked for; all of them by default."""
    return [str(name) for name in metric or Metric]


@contextmanager
def one_line_errors():
    """Turn errors of a user's input into one line on stderr and exit status 2."""
    try:
        yield
    except (ValueError, OSError, MissingExtraError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    except MemoryError:
        typer.echo("there is not enough memory: draw a random sample of the rows", err=True)
        raise typer.Exit(2) from None


@contextmanager
def working(n_bootstrap):
    """Show on a terminal that the bootstrap, which takes a while, is at work."""
    from rich.console import Console

    activity = f"Drawing {n_bootstrap} resamples" if n_bootstrap else "Counting"
    with Console(stderr=True).status(activity):
        yield
