"""`pumetrics evaluate` estimates the performance of a model from a file of scores."""

from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli._checks import check_options, check_output
from pumetrics.cli._errors import one_line_errors, terminal, writing, written_or_refused
from pumetrics.cli._gate import limits_of, shortfalls, stop_below
from pumetrics.cli._goals import CostFn, CostFp, MinPrecision, MinRecall, check_goal_options, table_of
from pumetrics.cli._grouping import (
    By,
    Cluster,
    Fold,
    Weight,
    check_columns,
    groups_as_dicts,
    show_groups,
)
from pumetrics.cli._json import answer, file_facts, json_text
from pumetrics.cli._models import columns_named, heading, one_model
from pumetrics.metrics import METRICS
from pumetrics.tops import POPULATIONS

__all__ = ["evaluate"]


Metric = StrEnum("Metric", {name: name for name, entry in METRICS.items() if entry.kind != "maximum"})
PopulationName = StrEnum("PopulationName", {name: name for name in POPULATIONS})


class UncertaintyName(StrEnum):
    """Kinds of uncertainty by name."""

    calibrated = "calibrated"
    guaranteed = "guaranteed"
    sampling = "sampling"


ScoreColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        help="Column of scores, higher for more positive. May be repeated: one model each.",
        show_default="score",
    ),
]
LabelColumn = Annotated[str, typer.Option("--label", help="Column of labels: 1 labeled, 0 unlabeled.")]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE",
        help="Value that means labeled, such as fraud; blank, 0, -1, false and NaN then mean unlabeled.",
    ),
]
Unlabeled = Annotated[
    list[str] | None,
    typer.Option(metavar="VALUE", help="With --positive: another value that means unlabeled. May be repeated."),
]
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
Metrics = Annotated[
    list[Metric] | None,
    typer.Option(
        "--metric",
        help="May be repeated. By default all that need no option: precision and recall need --threshold, those at k "
        "--at.",
    ),
]
At = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NUMBER|SHARE",
        help="Precision, recall and lift of so many examples that score highest, such as 100 or 1%. May be repeated.",
    ),
]
Population = Annotated[
    PopulationName,
    typer.Option(
        help="What metrics that depend on the class mix are about, and whom --at ranks: all examples, or the unlabeled."
    ),
]
Threshold = Annotated[
    float | None, typer.Option(help="Predict positive for scores >= threshold. The best one by default.")
]
Confidence = Annotated[float, typer.Option(help="Nominal coverage of intervals and bounds.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")]


def evaluate(
    scores: Annotated[
        Path, typer.Argument(help="CSV, TSV or Parquet file, one example per row; - for standard input.")
    ],
    score: ScoreColumn = None,
    label: LabelColumn = "s",
    positive: Positive = None,
    unlabeled: Unlabeled = None,
    id: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column that names the examples; each may occur once.")
    ] = None,
    alpha: Alpha = None,
    beta: Beta = 1.0,
    rho: Rho = None,
    priors: PriorMethod = "consensus",
    noisy: Noisy = False,
    metric: Metrics = None,
    at: At = None,
    population: Population = PopulationName.all,
    uncertainty: Uncertainty = None,
    selection: Annotated[
        str,
        typer.Option(
            help="How many times as often the easiest positive is labeled as the hardest; several values such as 1,2,4 "
            "are compared."
        ),
    ] = "1",
    threshold: Threshold = None,
    cost_fp: CostFp = None,
    cost_fn: CostFn = None,
    min_precision: MinPrecision = None,
    min_recall: MinRecall = None,
    thresholds: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write a table of thresholds with expected counts.")
    ] = None,
    confidence: Confidence = 0.95,
    bootstrap: Annotated[int, typer.Option(help="Resamples behind the intervals; 0 for none.")] = 200,
    seed: Seed = 0,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with curves, evidence and text for a paper.")
    ] = None,
    as_json: Json = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=NUMBER",
            help="Exit with status 1 if the corrected score is below, such as roc_auc=0.85. May be repeated.",
        ),
    ] = None,
    lower: Annotated[
        bool, typer.Option("--lower", help="With --fail-under: compare the lower end of the interval.")
    ] = False,
    weight: Weight = None,
    by: By = None,
    cluster: Cluster = None,
    fold: Fold = None,
):
    """Estimate performance against the true class from scores of labeled and unlabeled examples.

    Scores must be out of sample: of examples the model was not trained on.

    Exit status: 0; 1 if a score is below --fail-under; 2 if a file or an option is wrong, with one line on why.

    Example: pumetrics evaluate scores.csv --score score --label s --alpha 0.2 --report scores.html
    """
    settings = settings_of(locals())
    goal = {"cost_fp": cost_fp, "cost_fn": cost_fn, "min_precision": min_precision, "min_recall": min_recall}
    from pumetrics.assessment import assess, assess_by, date_of, opened, read_beside, read_or_count, write_page
    from pumetrics.plotting import require_plots

    with one_line_errors(), working(bootstrap), opened(scores) as (source,):
        metrics, columns = names_of(metric, threshold=check_goal_options(threshold, goal), at=at), columns_named(score)
        limits = limits_of(fail_under, metrics, lower=lower, n_bootstrap=bootstrap)
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
            selection=selection,
        )
        beside = {"weight": weight, "cluster": cluster, "fold": fold, "by": by}
        check_columns(columns, label, report=report, **beside)
        if thresholds is not None:
            check_output("--thresholds", thresholds, [scores])
            one_model("--thresholds", columns)
        if report is not None:
            check_output("--report", report, [scores])
            one_model("--report", columns)
            require_plots("--report")
        read = {"label": label, "positive": positive, "unlabeled": unlabeled or (), "id": id, "threshold": threshold}
        samples = read_or_count(source, columns, row_by_row=any(beside.values()), **read)
        rows = read_beside(source, samples, **beside)
        options = {
            "alpha": alpha_of(alpha),
            "beta": beta,
            "rho": rho,
            "method": priors,
            "noisy": noisy,
            "metrics": metrics,
            "population": str(population),
            "uncertainty": uncertainty and str(uncertainty),
            "selection": selections_of(selection),
            "threshold": threshold,
            "goal": goal,
            "confidence": confidence,
            "n_bootstrap": bootstrap,
            "random_state": seed,
        }
        pairs = list(zip(samples, rows, strict=True))
        assessments = [assess(sample.s, sample.score, **options, **row.options()) for sample, row in pairs]
        groups = [
            {name: assess_by(sample.s, sample.score, each, **options, **row.options()) for name, each in row.by.items()}
            for sample, row in pairs
        ]
        assessments = [
            replace(assessment, warnings=sample.notes + assessment.warnings)
            for sample, assessment in zip(samples, assessments, strict=True)
        ]
        failed = [shortfalls(assessment, limits, lower=lower) for assessment in assessments]
        text = None
        facts = []
        if as_json or report is not None:
            facts = file_facts(source, used=[(sample.n_rows, sample.n_used) for sample in samples])
        if as_json:
            answers = []
            for column, fact, assessment, parts, lines in zip(columns, facts, assessments, groups, failed, strict=True):
                result = {**assessment.as_dict(), "groups": groups_as_dicts(parts), "failed": lines}
                answers.append(answer("evaluate", [fact], settings | {"score": [column]}, result))
            text = json_text(answers)
        if thresholds is not None:
            with writing("--thresholds", thresholds):
                table_of(assessments[0], samples[0], rows[0]).to_csv(thresholds, index=False)
        if report is not None:
            about = {"name": Path(source.name).name, "file": facts[0], "date": date_of(source)}
            with writing("--report", report):
                write_page(report, assessments[0], samples[0].s, samples[0].score, **about)
    with written_or_refused():
        if as_json:
            typer.echo(text)
        else:
            _show_all(columns, assessments, groups, metrics if metric else metrics[:1], report)
    stop_below(failed, columns)


def _show_all(columns, assessments, groups, metrics, report):
    """One table for each model and its groups; a heading says whose it is where there are several."""
    for column, assessment, parts in zip(columns, assessments, groups, strict=True):
        if len(columns) > 1:
            heading(f"Model {column}", first=column == columns[0])
        _show(assessment, report)
        for name, each in parts.items():
            show_groups(terminal(), name, each, metrics)


def _show(assessment, report):
    from rich.markup import escape

    from pumetrics.assessment import FOOTNOTE, assessment_table, assumed_in_words, choice_in_words, priors_in_words

    console = terminal()
    console.print(priors_in_words(assessment))
    console.print(assessment_table(assessment))
    intervals = (
        f"interval: {assessment.confidence:.0%}, {assessment.n_resamples} resamples. " if assessment.n_resamples else ""
    )
    bounds = f"{assessment.confidence:.0%}" if assessment.design is None else "none"
    if assessment.beta < 1 or assessment.selection != 1:
        bounds = "none, they take labels at their word"
    if assessment.choice is not None:
        console.print(choice_in_words(assessment.choice))
    console.print(assumed_in_words(assessment))
    console.print(f"{intervals}bounds: {bounds}. {FOOTNOTE}")
    show_warnings(console, assessment.warnings)
    if report is not None:
        console.print(f"Report: {escape(str(report))}")


def settings_of(options):
    """Options of a command as JSON takes them, by the names they are given by."""
    left_out = ("scores", "first", "second", "as_json")  # files are named with their hashes
    settings = {
        name: str(value) if isinstance(value, Path | StrEnum) else value
        for name, value in options.items()
        if name not in left_out
    }
    lists = {"score": options["score"] or ["score"]}
    several = ("unlabeled", "fail_under", "by", "metric", "at")
    return settings | lists | {name: options[name] or [] for name in several if name in options}


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


def names_of(metric, *, threshold, at):
    """Names of the metrics to report, see :func:`pumetrics.assessment.metrics_for`."""
    from pumetrics.assessment import metrics_for

    names = [str(name) for name in metric] if metric else None
    for name in names or []:
        if METRICS[name].kind == "top" and not at:
            raise ValueError(f"--metric {name} needs --at, such as --at 100 or --at 1%")
        if name in ("precision", "recall") and threshold is None:
            raise ValueError(f"--metric {name} needs --threshold: moving the threshold makes it as large as one likes")
    try:
        return metrics_for(names, threshold=threshold, at=at or ())
    except ValueError as error:
        raise ValueError(str(error).replace("k must", "--at must", 1)) from None


@contextmanager
def working(n_bootstrap):
    """Show on a terminal that the bootstrap, which takes a while, is at work."""
    from rich.console import Console

    activity = f"Drawing {n_bootstrap} resamples" if n_bootstrap else "Counting"
    with Console(stderr=True).status(activity):
        yield
