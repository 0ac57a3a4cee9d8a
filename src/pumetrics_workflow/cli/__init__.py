"""Commands that the workflow adds to ``pumetrics``; those on data sets are in a module of their own."""

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = ["add_commands", "compare", "new_study", "reference"]

_TEMPLATE = Path(__file__).parents[1] / "template"  # a study of a paper; tests run it
_CONFIG = {
    "study.yaml": "config/studies/{}.yaml",
    "printed.csv": "config/published/{}.csv",
    "captions.yaml": "config/captions/{}.yaml",
    "notebook.ipynb": "notebooks/{:02}_{}.ipynb",
}
_RESULTS = typer.Argument(metavar="RESULTS", help="Folder of the results of one scale.")
_REFERENCE = typer.Argument(
    metavar="REFERENCE",
    help="Folder of the reference.",
    show_default="reference/SCALE next to RESULTS",
)

reference = typer.Typer(
    no_args_is_help=True,
    help="Keep the tables of a run as a reference, compare another run with it, or write its report.",
)


def add_commands(app):
    """Add the workflow's commands to a typer app."""
    from pumetrics_workflow.cli.datasets import datasets

    panel = "The papers"
    app.add_typer(datasets, name="datasets", rich_help_panel=panel)
    app.add_typer(reference, name="reference", rich_help_panel=panel)
    for command in (compare, new_study):
        app.command(rich_help_panel=panel)(command)


def compare(
    first: Annotated[
        Path, typer.Argument(help="Folder of results, folder of a study, or a single table.")
    ],
    second: Annotated[Path, typer.Argument(help="Folder or table to compare it with.")],
    tolerance: Annotated[
        float, typer.Option(min=0.0, help="Largest absolute difference that counts as equal.")
    ] = 0.0,
    rtol: Annotated[
        float, typer.Option(min=0.0, help="Largest relative difference that counts as equal.")
    ] = 0.0,
):
    """Compare the tables and records (CSV and Parquet) of two runs: bytes first, then values.

    Times are ignored: columns named seconds, and statistics in seconds. A difference counts if it exceeds tolerance +
    rtol * magnitude of the second value. Exit status: 0 equal, 1 different, 2 cannot be compared.

    Example: pumetrics compare results/quick /elsewhere/results/quick --rtol 1e-9
    """
    from pumetrics_workflow.compare import compare_runs

    comparison = compare_runs(first, second, tolerance=tolerance, rtol=rtol)
    for line in comparison.lines():
        typer.echo(line)
    raise typer.Exit(0 if comparison.equal else 1)


def new_study(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of the study; for a paper, first author and year, for example elkan2008."
        ),
    ],
    kind: Annotated[
        Literal["paper", "own"],
        typer.Option(help="Whether the study replicates a paper or is your own."),
    ] = "paper",
    home: Annotated[Path, typer.Option(help="Folder of the clone.", show_default="here")] = Path(
        "."
    ),
):
    """Write the files of a new study: settings, captions, published numbers, and its class.

    Of a paper there is a notebook as well. The study runs immediately. TO WRITE marks the placeholders, and
    docs/adding.md lists what else a paper needs. Exit status: 0 written, 2 nothing written.

    Example: pumetrics new-study elkan2008 --kind paper
    """
    if reason := _refused(name, kind, home):
        typer.echo(reason, err=True)
        raise typer.Exit(2)
    written = []
    number = len(list(home.glob("notebooks/[0-9]*.ipynb")))
    for path in filter(Path.is_file, sorted(_TEMPLATE.iterdir())):
        if kind == "own" and path.suffix == ".ipynb":  # the documentation lists one for each paper
            continue
        text = re.sub(r'(\\?)"template\1"', rf'\1"{name}\1"', path.read_text(encoding="utf-8"))
        text = text.replace("Template", "".join(part.capitalize() for part in name.split("_")))
        if kind == "own":
            text = re.sub(r"^.*# of a paper.*\n", "", text, flags=re.M).replace(
                "kind: paper", "kind: own"
            )
        place = _CONFIG.get(path.name, f"src/pumetrics_workflow/studies/{{}}/{path.name}")
        written.append(
            place.format(number, name) if path.suffix == ".ipynb" else place.format(name)
        )
        (home / written[-1]).parent.mkdir(parents=True, exist_ok=True)
        (home / written[-1]).write_text(text, encoding="utf-8")
    listed = _list(name, home / "config/config.yaml")
    for file in written:
        typer.echo(f"written: {file}")
    typer.echo(f"{listed} `studies` of config/config.yaml; try it: snakemake {name} --cores 2")
    if kind == "paper":
        typer.echo(
            "for what else a paper needs, see docs/adding.md, section 'A paper: before the pull request'"
        )


def _list(name, config):
    """Add a study to those that are run, written as [a, b] or one a line; say whether that was done."""
    text = config.read_text(encoding="utf-8")
    for pattern, end in (
        (r"^studies: \[[^\]]+(?=\])", f", {name}"),
        (r"^studies:\n(?:- .*\n)+", f"- {name}\n"),
    ):
        text, count = re.subn(pattern, lambda listed, end=end: listed[0] + end, text, flags=re.M)
        if count:
            config.write_text(text, encoding="utf-8")
            return "added to"
    return f"add {name} by hand to"


def _refused(name, kind, home):
    """Why a study cannot be written, in one line; None if it can."""
    from pumetrics_workflow.config import load_yaml

    if (
        not (home / "config/studies").is_dir()
        or not (home / "src/pumetrics_workflow/studies").is_dir()
    ):
        return f"{home}: not a clone of the project; change to its folder, or give it with --home"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        return (
            f"{name!r} cannot be the name of a Python package: use lowercase letters, digits and _"
        )
    if kind == "paper" and not re.fullmatch(r"[a-z]+[0-9]{4}", name):
        return f"{name!r}: name a paper by its first author and year, for example elkan2008"
    if (home / f"src/pumetrics_workflow/studies/{name}.py").is_file():
        return f"{name!r} is a module of all studies: choose another name"
    rules = (
        path.read_text(encoding="utf-8")
        for path in (*home.glob("Snakefile"), *home.glob("workflow/rules/*.smk"))
    )
    if any(
        re.search(rf'^\s*(use )?rule (\w+ as )?{name}( with)?:|"{name}"', text, flags=re.M)
        for text in rules
    ):
        return f"{name!r} is a name that the rules of the workflow use: choose another name"
    there = [
        *home.glob(f"config/studies/{name}.yaml"),
        *home.glob(f"src/pumetrics_workflow/studies/{name}"),
    ]
    if there or name in load_yaml(home / "config/config.yaml").get("studies", ()):
        return f"study {name!r} already exists"
    return None


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

    for line in keep(results, folder or results.parent / "reference" / results.name, study=study):
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
    damaged = verify(reference)
    for study, state in states(reference).items() if not damaged else ():
        typer.echo(f"{study}: {state}")
    if not list(results.glob("*/tables/*.csv")):
        for line in [*damaged, f"no run in {results}: nothing is compared"]:
            typer.echo(line)
        raise typer.Exit(1 if damaged else 0)
    outcome = check(results, reference)
    for line in outcome.lines():
        typer.echo(line)
    raise typer.Exit(0 if outcome.equal else 1)


@reference.command("rejudge")
def rejudge_reference(
    folder: Annotated[Path, typer.Argument(metavar="REFERENCE", help="Folder of one scale.")],
):
    """Apply the rules and published numbers of config/published to the tables of the reference.

    Example: pumetrics reference rejudge results/reference/paper
    """
    from pumetrics_workflow.reference import rejudge

    rejudge(folder)


@reference.command("resume")
def resume_run(
    results: Annotated[Path, _RESULTS] = Path("results/paper"),
    folder: Annotated[Path | None, _REFERENCE] = None,
):
    """Put the data sets that the reference has finished into a run, which goes on from them.

    They are used as they are, also if the code has changed since: the answer and the provenance name their commits.

    Example: pumetrics reference resume results/paper
    """
    from pumetrics_workflow.sets import resume

    for line in resume(folder or results.parent / "reference" / results.name, results):
        typer.echo(line)


@reference.command("report")
def report_of_reference(
    folder: Annotated[
        Path, typer.Argument(metavar="REFERENCE", help="Folder of all scales.")
    ] = Path("results/reference"),
    scale: Annotated[
        str | None, typer.Option(help="quick, laptop or paper; by default the largest available.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The overview.", show_default="reference-SCALE.html next to it"),
    ] = None,
):
    """Write the report of the reference without running a study: an overview, and a folder with a page per study.

    Run this command in the folder of the clone.

    Example: pumetrics reference report --scale quick
    """
    from pumetrics_workflow.report.from_reference import largest_scale, reference_report

    scale = scale or largest_scale(folder)
    output = output or folder.parent / f"reference-{scale}.html"
    if not output.suffix:
        raise ValueError(
            f"{output}: give a name that ends in .html; pages of studies are in a folder of its name without it"
        )
    overview, pages = reference_report(folder, scale, page=output.name)
    for path, page in {output.name: overview, **pages}.items():
        (output.parent / path).parent.mkdir(parents=True, exist_ok=True)
        (output.parent / path).write_text(page, encoding="utf-8")
    typer.echo(f"report: {output.resolve()}")
