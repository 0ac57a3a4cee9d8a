"""`pumetrics datasets` lists, explains and fetches the data sets of the papers."""

import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["datasets"]

datasets = typer.Typer(invoke_without_command=True)

_REGISTRY = typer.Option(
    "--registry", help="Registry files; later files take precedence. [default: config/datasets.yaml]"
)
_MIRROR = typer.Option("--mirror", help="Folder or URL of raw files, which is tried first.")


@datasets.callback()
def list_datasets(
    context: typer.Context,
    registry: Annotated[list[Path] | None, _REGISTRY] = None,
    mirror: Annotated[str | None, _MIRROR] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Show the source of each set and the files that are present.")
    ] = False,
    folder: Annotated[Path, typer.Option(help="With --check: folder of the fetched files.")] = Path("resources/raw"),
):
    """List all data sets: rows, features, share of positives, papers, sources, license.

    Example: pumetrics datasets --check --mirror ../data
    """
    context.obj = _load(registry), mirror
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console

    from pumetrics_workflow.datasets.table import check_table, dataset_table

    if check:
        Console().print(check_table(context.obj[0], folder=folder, mirror=mirror))
    else:
        Console().print(dataset_table(context.obj[0], mirror=mirror))


@datasets.command("names")
def list_names(
    context: typer.Context,
    downloads: Annotated[bool, typer.Option("--downloads", help="List only the sets that are downloaded.")] = False,
):
    """List the names of data sets, one per line, for scripts.

    Example: pumetrics datasets names --downloads
    """
    registry, _ = context.obj
    for name, dataset in registry.items():
        if dataset.needs_files or not downloads:
            typer.echo(name)


@datasets.command("show")
def show_dataset(context: typer.Context, name: str):
    """Explain one data set: files, hashes, positive class with the reason, deviations from the papers.

    Example: pumetrics datasets show pima
    """
    from rich.console import Console

    from pumetrics_workflow.datasets.table import dataset_details

    registry, mirror = context.obj
    Console().print(dataset_details(_entry(registry, name), mirror=mirror))


@datasets.command("fetch")
def fetch_dataset(
    context: typer.Context,
    names: list[str],
    folder: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("resources/raw"),
    offline: Annotated[bool, typer.Option("--offline", help="Never open a connection.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse values that differ from the known ones.")] = False,
):
    """Fetch data sets, check each by hash or content, and print the sources that were tried.

    Example: pumetrics datasets --mirror ../data fetch pima wine
    """
    from pumetrics_workflow.datasets import DataUnavailable, fetch

    registry, mirror = context.obj
    missing = False
    for entry in [_entry(registry, name) for name in names]:
        if not entry.needs_files:
            typer.echo(f"{entry.name}: nothing to fetch: {entry.unavailable or 'it comes with the software'}")
            missing |= entry.kind == "unavailable"
            continue
        try:
            options = {"mirror": mirror, "offline": offline, "strict": strict, "progress": sys.stderr.isatty()}
            report = fetch(entry, folder / entry.name, **options)
            typer.echo(f"{entry.name}: from {report.source}")
            if report.warning:
                typer.echo(f"WARNING: {entry.name}: {report.warning}", err=True)
        except DataUnavailable as error:
            typer.echo(str(error), err=True)
            missing = True
    if missing:
        raise typer.Exit(1)


@datasets.command("fingerprint")
def fingerprint_datasets(
    context: typer.Context,
    names: list[str],
    write: Annotated[Path | None, typer.Option(help="Registry file to which the fingerprints are written.")] = None,
):
    """Print what the tables of data sets contain: a hash of their content, levels, sizes of classes.

    The files come from the mirror and must have the known bytes, or the counts of their entries.

    Example: pumetrics datasets --mirror ../data fingerprint iris wine --write config/datasets.yaml
    """
    from tempfile import TemporaryDirectory

    from pumetrics_workflow.datasets import DataUnavailable, fetch
    from pumetrics_workflow.datasets.prepare import fingerprint, write_fingerprints

    registry, mirror = context.obj
    facts = {}
    for entry in [_entry(registry, name) for name in names]:
        try:
            with TemporaryDirectory() as folder:
                facts[entry.name] = fingerprint(entry, fetch(entry, Path(folder, "raw"), mirror=mirror, offline=True))
            typer.echo(f"{entry.name}: {facts[entry.name]}")
        except (DataUnavailable, ValueError) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from None
    if write:
        write_fingerprints(write, facts)


def _load(paths):
    from pumetrics_workflow.datasets import load_registry

    try:
        return load_registry(*(paths or [Path("config/datasets.yaml")]))
    except ValueError as error:
        typer.echo(f"{error}; run this command in the project's folder or give the file with --registry", err=True)
        raise typer.Exit(2) from None


def _entry(registry, name):
    try:
        return registry[name]
    except ValueError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
