"""`pumetrics reference` keeps the tables of a run as a reference, compares other runs with it, and writes its
report."""

from pathlib import Path
from typing import Annotated

import typer

from pumetrics_workflow.cli import or_exit

__all__ = ["reference"]

reference = typer.Typer(
    no_args_is_help=True,
    help="Keep the tables of a run as a reference, compare another run with it, or write its report.",
)

_RESULTS = typer.Argument(metavar="RESULTS", help="Folder of the results of one scale.")
_REFERENCE = typer.Argument(
    metavar="REFERENCE", help="Folder of the reference.", show_default="reference/SCALE next to RESULTS"
)


@reference.command("keep")
def keep_results(
    results: Annotated[Path, _RESULTS] = Path("results/quick"),
    folder: Annotated[Path | None, _REFERENCE] = None,
    study: Annotated[str | None, typer.Option(help="Keep only this study.")] = None,
):
    """Copy the tables of all finished studies of a run into the reference, with provenance and checksums.

    Other studies of the reference are not changed. Results of uncommitted sources are refused. Wall-clock seconds,
    tables with one row per repeat and very large tables are left out; of the latter two, the checksum is kept.

    Example: pumetrics reference keep results/paper
    """
    from pumetrics_workflow.reference import keep

    for line in or_exit(keep, results, folder or results.parent / "reference" / results.name, study=study):
        typer.echo(line)


@reference.command("check")
def check_results(
    results: Annotated[Path, _RESULTS] = Path("results/quick"),
    folder: Annotated[Path | None, _REFERENCE] = None,
):
    """Say of each study of the reference whether its code has changed, and compare it with a run if there is one.

    Tables are compared by bytes first, then by values within a tolerance. A study is stale if the code behind it has
    changed and numbers of its quick tables have moved since. Exit status: 0 equal, 1 different or a damaged reference,
    2 cannot be compared.

    Example: pumetrics reference check results/paper
    """
    from pumetrics_workflow.reference import check, verify
    from pumetrics_workflow.staleness import states

    reference = folder or results.parent / "reference" / results.name
    damaged = or_exit(verify, reference)
    for study, state in states(reference).items() if not damaged else ():
        typer.echo(f"{study}: {state}")
    if not list(results.glob("*/tables/*.csv")):
        for line in [*damaged, f"no run in {results}: nothing is compared"]:
            typer.echo(line)
        raise typer.Exit(1 if damaged else 0)
    outcome = or_exit(check, results, reference)
    for line in outcome.lines():
        typer.echo(line)
    raise typer.Exit(0 if outcome.equal else 1)


@reference.command("rejudge")
def rejudge_reference(folder: Annotated[Path, typer.Argument(metavar="REFERENCE", help="Folder of one scale.")]):
    """Apply the rules and published numbers of config/published to the tables of the reference.

    Example: pumetrics reference rejudge results/reference/paper
    """
    from pumetrics_workflow.reference import rejudge

    or_exit(rejudge, folder)


@reference.command("report")
def report_of_reference(
    folder: Annotated[Path, typer.Argument(metavar="REFERENCE", help="Folder of all scales.")] = Path(
        "results/reference"
    ),
    scale: Annotated[str | None, typer.Option(help="quick, laptop or paper; by default the largest available.")] = None,
    output: Annotated[
        Path | None, typer.Option(help="The overview.", show_default="reference-SCALE.html next to it")
    ] = None,
):
    """Write the report of the reference without running a study: an overview, and a folder with a page per study.

    Run this command in the folder of the clone.

    Example: pumetrics reference report --scale quick
    """
    from pumetrics_workflow.report.from_reference import largest_scale, reference_report

    scale = scale or or_exit(largest_scale, folder)
    output = output or folder.parent / f"reference-{scale}.html"
    overview, pages = or_exit(reference_report, folder, scale, page=output.name)
    for path, page in {output.name: overview, **pages}.items():
        (output.parent / path).parent.mkdir(exist_ok=True)
        (output.parent / path).write_text(page, encoding="utf-8")
    typer.echo(f"report: {output.resolve()}")
