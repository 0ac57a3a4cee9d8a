"""`pumetrics datasets` lists, explains and fetches the data sets of the papers."""

import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlparse

import typer

__all__ = ["available_from", "dataset_details", "dataset_rows", "datasets"]

_RIGHT = {"rows", "features", "positives", "size"}
_WIDE, _NARROW = 120, 5  # characters that all columns of the list take, and columns that 80 hold
_DEFAULT = Path("config/datasets.yaml")

datasets = typer.Typer(no_args_is_help=True)

_REGISTRY = typer.Option(
    "--registry",
    help="Registry files; later files take precedence. [default: config/datasets.yaml]",
)
_MIRROR = typer.Option("--mirror", help="Folder or URL of raw files, which is tried first.")


@datasets.callback()
def read_registry(
    context: typer.Context,
    registry: Annotated[list[Path] | None, _REGISTRY] = None,
    mirror: Annotated[str | None, _MIRROR] = None,
):
    """List, explain and fetch the data sets of the papers, and your own.

    Example: pumetrics datasets --registry my_sets.yaml show my_patients
    """
    from pumetrics_workflow.datasets import load_registry
    from pumetrics_workflow.plan import papers_of_sets

    if not registry and not _DEFAULT.is_file():
        raise ValueError(
            f"{_DEFAULT} does not exist; run this in the project's folder or give --registry"
        )
    papers = papers_of_sets(".") if _DEFAULT.is_file() else {}
    context.obj = load_registry(*registry or [_DEFAULT]), mirror, papers


@datasets.command("list")
def list_datasets(context: typer.Context):
    """List all data sets: rows, features, share of positives, papers, sources, license.

    Example: pumetrics datasets list
    """
    registry, mirror, papers = context.obj
    _print(dataset_rows(registry, mirror=mirror, papers=papers))


@datasets.command("show")
def show_dataset(context: typer.Context, name: str):
    """Explain one data set: files, hashes, positive class with the reason, deviations from the papers.

    Example: pumetrics datasets show pima
    """
    registry, mirror, papers = context.obj
    _print(dataset_details(registry[name], mirror=mirror, papers=papers.get(name, ())))


@datasets.command("fetch")
def fetch_dataset(
    context: typer.Context,
    names: list[str],
    folder: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("resources/raw"),
    offline: Annotated[bool, typer.Option("--offline", help="Never open a connection.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse values that differ from the known ones.")
    ] = False,
):
    """Fetch data sets, check each by hash or content, and print the sources that were tried.

    Example: pumetrics datasets --mirror ../data fetch pima wine
    """
    from pumetrics_workflow.datasets import DataUnavailable, fetch

    registry, mirror, _ = context.obj
    missing = False
    for entry in [registry[name] for name in names]:
        try:
            options = {
                "mirror": mirror,
                "offline": offline,
                "strict": strict,
                "progress": sys.stderr.isatty(),
            }
            report = fetch(entry, folder / entry.name, **options)
            source = f"from {report.source}" if entry.needs_files else report.source
            typer.echo(f"{entry.name}: {source}")
            if report.warning:
                typer.echo(f"WARNING: {entry.name}: {report.warning}", err=True)
        except DataUnavailable as error:
            typer.echo(str(error), err=True)
            missing = True
    if missing:
        raise typer.Exit(1)


@datasets.command("check")
def check_copy(
    context: typer.Context,
    name: str,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False)],
    target: Annotated[str, typer.Option(help="Column of the class.")],
    folder: Annotated[Path, typer.Option(help="Folder of the known files.")] = Path(
        "resources/raw"
    ),
    offline: Annotated[bool, typer.Option("--offline", help="Never open a connection.")] = False,
):
    """Compare your own copy of a data set, CSV or ARFF, with the known one, which is fetched. Status 1 if they differ.

    Example: pumetrics datasets check crx crx.csv --target class
    """
    from pumetrics_workflow.datasets import DataUnavailable, fetch, prepare
    from pumetrics_workflow.datasets.copies import compare_copy, facts_of_copy, known_copies

    registry, mirror, _ = context.obj
    entry = registry[name]
    copy = facts_of_copy(file, target=target)
    known = None
    compared = "rows, features, classes, missing values"
    try:
        report = fetch(entry, folder / name, mirror=mirror, offline=offline)
        known, _ = prepare(entry, report)
        compared += ", ranges"
    except DataUnavailable as error:
        typer.echo(f"WARNING: ranges are not compared: {error}", err=True)

    differences, recognized = compare_copy(entry, copy, known)
    if differences:
        _print([{name: what, file.name: own, "known": right} for what, own, right in differences])
    for each in recognized:
        is_known = known_copies()[each]
        typer.echo(f"This is {each} of {is_known['package']}: {is_known['copy']}.")
    if differences:
        raise typer.Exit(1)
    typer.echo(f"{file.name} has the numbers of {name}: {compared}.")


def dataset_rows(registry, *, mirror=None, papers=None):
    """One mapping per data set, with the columns of the table as text.

    Parameters
    ----------
    registry : Registry
        The data sets.
    mirror : path, optional
        Folder of raw files; sets whose files are all there are marked so.
    papers : dict, optional
        See :func:`pumetrics_workflow.plan.papers_of_sets`.

    Returns
    -------
    list of dict
    """
    from rich.filesize import decimal

    return [
        {
            "name": dataset.name,
            "rows": f"{dataset.rows:,}" if dataset.rows else "",
            "features": str(dataset.features or ""),
            "positives": f"{dataset.share_positive:.1%}" if dataset.positives else "",
            "papers": " ".join((papers or {}).get(dataset.name, ())),
            "available from": ", ".join(available_from(dataset, mirror=mirror)),
            "size": decimal(dataset.bytes) if dataset.bytes else "",
            "license": dataset.license,
        }
        for dataset in registry.values()
    ]


def available_from(dataset, *, mirror=None):
    """Sources that can give a data set, in the order in which they are tried.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry.
    mirror : path, optional
        Folder of raw files.

    Returns
    -------
    list of str
        Empty for an unavailable set.
    """
    if dataset.kind != "download":
        return {"embedded": ["scikit-learn"], "generated": ["generated"]}.get(dataset.kind, [])
    alternatives = [alternative.files for alternative in dataset.variants()]
    sources = (
        ["mirror"]
        if mirror and any(_in_mirror(dataset, files, mirror) for files in alternatives)
        else []
    )
    for files in alternatives:
        if all(file.locations for file in files):
            sources += map(_site, files[0].locations)
    if dataset.openml.get("verified"):
        sources.append("OpenML")
    return list(dict.fromkeys(sources))


def _in_mirror(dataset, files, mirror):
    """Whether a folder holds all files, in any of their forms."""
    folder = Path(mirror).expanduser() / dataset.slug
    return all(any(Path(place.url).is_file() for place in file.in_mirror(folder)) for file in files)


def _site(place):
    """What the table calls a place."""
    if place.url.startswith("file:"):
        return "own file"
    host = urlparse(place.url).hostname or place.url
    if place.kind == "copy":
        return "a copy"
    return "UCI" if host.endswith("ics.uci.edu") else host.removeprefix("www.")


def dataset_details(dataset, *, mirror=None, papers=()):
    """The registry entry of a data set, as rows of two columns."""
    card = _card_of(dataset)
    rule = ", ".join(
        f"{key} {_plain(value)}" for key, value in dataset.positive.items() if key != "because"
    )
    unused = "" if dataset.openml.get("verified") else " (number not verified, never used)"
    facts = {
        "title": dataset.title,
        "kind": dataset.kind,
        "rows": f"{dataset.rows:,}",
        "features": str(dataset.features)
        + (f", {dataset.encoded} encoded" if dataset.encoded else ""),
        "positives": f"{dataset.positives:,} ({dataset.share_positive:.1%})"
        if dataset.positives
        else "",
        "positive if": f"{dataset.target}: {rule}" if rule else "",
        "because": dataset.positive.get("because", ""),
        "classes": ", ".join(
            f"{name} {size:,}" for name, size in card.get("class_sizes", {}).items()
        ),
        "nominal columns": ", ".join(card.get("nominal_features", ())),
        "missing values": f"{dataset.missing:,}",
        "papers": ", ".join(papers),
        "available from": ", ".join(available_from(dataset, mirror=mirror)) or "nowhere",
        "unavailable": dataset.unavailable,
        "stand-in": dataset.stand_in,
        "files": "\n".join(
            f"{file.name}  {', '.join(file.sha256) or 'no known hash'}" for file in dataset.files
        ),
        "places": "\n".join(
            dict.fromkeys(f"{place.url} ({place.kind})" for place in dataset.locations())
        ),
        "OpenML": dataset.openml
        and f"{dataset.openml['id']}, target {dataset.openml['target']}{unused}",
        "license": dataset.license,
        "cite": dataset.citation,
        "notes": dataset.notes,
        "deviation": dataset.deviation,
    }
    return [{"": key, dataset.name: value} for key, value in facts.items() if value]


def _card_of(dataset):
    """The card of an own or a prepared data set; empty if it is not there."""
    from pumetrics_workflow.datasets.prepare import prepare
    from pumetrics_workflow.datasets.reports import read_report

    if dataset.own_file:
        return prepare(dataset, {dataset.files[0].name: dataset.own_file})[1]
    return read_report(Path("resources/prepared", f"{dataset.name}.json"))


def _plain(value):
    """A value of a positive rule in words."""
    return " or ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _print(rows):
    """Print mappings that share their keys as a table; in a narrow terminal without the last columns."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else _WIDE)
    columns = list(rows[0])[: None if console.width >= _WIDE else _NARROW]
    hidden = ", ".join(list(rows[0])[len(columns) :])
    caption = f"A terminal of {_WIDE} characters also shows: {hidden}." if hidden else None
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption, caption_justify="left"
    )
    for name in columns:
        justify = "right" if name in _RIGHT else "left"
        table.add_column(name, justify=justify, no_wrap=name == "name", overflow="fold")
    for row in rows:
        table.add_row(*(row[name] for name in columns))
    console.print(table)
