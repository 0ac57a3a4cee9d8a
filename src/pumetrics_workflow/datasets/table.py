"""Tables of data sets for the terminal: all of them, one of them, and what a fetch brought."""

from pathlib import Path

from pumetrics_workflow.datasets.errors import DataUnavailable

__all__ = ["available_from", "dataset_details", "dataset_rows", "dataset_table", "fetch_table", "table"]

_HEAD = ("name", "rows", "features", "kind", "positives", "papers", "available from", "size", "licence")
_RIGHT = {"rows", "features", "positives", "size"}


def dataset_rows(registry, *, mirror=None):
    """One mapping per data set, with the columns of the table as text.

    Parameters
    ----------
    registry : Registry
        The data sets.
    mirror : path, optional
        Folder of raw files; sets whose files are all there are marked so.

    Returns
    -------
    list of dict
    """
    return [
        {
            "name": dataset.name,
            "rows": f"{dataset.rows:,}" if dataset.rows else "",
            "features": str(dataset.features or ""),
            "kind": dataset.kind,
            "positives": f"{dataset.share_positive:.1%}" if dataset.positives else "",
            "papers": " ".join(dataset.papers),
            "available from": ", ".join(available_from(dataset, mirror=mirror)),
            "size": _size(dataset.bytes),
            "licence": dataset.licence,
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
    sources = ["mirror"] if mirror and any(_in_mirror(dataset, files, mirror) for files in _files(dataset)) else []
    for files in _files(dataset):
        if all(file.locations for file in files):
            sources += map(_site, files[0].locations)
    if dataset.openml and dataset.openml.verified:
        sources.append("OpenML")
    return list(dict.fromkeys(sources))


def _files(dataset):
    return [alternative.files for alternative in dataset.variants() if alternative.files]


def _in_mirror(dataset, files, mirror):
    folder = Path(mirror).expanduser() / dataset.slug
    names = [file.mirror or file.name for file in files]
    return all(
        (folder / name).is_file() or (folder / f"{name}.gz").is_file() or _archive_in(folder, file)
        for name, file in zip(names, files, strict=True)
    )


def _archive_in(folder, file):
    return bool(file.member and file.url and not file.mirror) and (folder / file.url.rpartition("/")[2]).is_file()


def _site(place):
    from urllib.parse import urlparse

    if place.url.startswith("file:"):
        return "own file"
    host = urlparse(place.url).hostname or place.url
    if place.kind == "copy":
        return "a copy"
    return "UCI" if host.endswith("ics.uci.edu") else host.removeprefix("www.")


def _size(number):
    if not number:
        return ""
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def dataset_table(registry, *, mirror=None):
    """All data sets as a `rich` table; see :func:`dataset_rows`."""
    return table("Data sets", _HEAD, dataset_rows(registry, mirror=mirror))


def dataset_details(dataset, *, mirror=None):
    """The registry entry of a data set, as a `rich` table of two columns."""
    rule = dict(dataset.positive)
    because = rule.pop("because", "")
    facts = {
        "title": dataset.title,
        "kind": dataset.kind,
        "rows": f"{dataset.rows:,}",
        "features": str(dataset.features) + (f", {dataset.encoded} encoded" if dataset.encoded else ""),
        "positives": f"{dataset.positives:,} ({dataset.share_positive:.1%})" if dataset.positives else "",
        "positive if": f"{dataset.target}: " + ", ".join(f"{key} {_plain(value)}" for key, value in rule.items())
        if rule
        else "",
        "because": because,
        "missing values": f"{dataset.missing:,}",
        "papers": ", ".join(dataset.papers),
        "available from": ", ".join(available_from(dataset, mirror=mirror)) or "nowhere",
        "unavailable": dataset.unavailable,
        "stand-in": dataset.stand_in,
        "files": "\n".join(f"{file.name}  {', '.join(file.sha256) or 'no known hash'}" for file in dataset.files),
        "places": "\n".join(dict.fromkeys(f"{place.url} ({place.kind})" for place in dataset.locations())),
        "OpenML": _openml(dataset.openml),
        "licence": dataset.licence,
        "cite": dataset.citation,
        "notes": dataset.notes,
        "deviation": dataset.deviation,
    }
    rows = [{"": key, dataset.name: value} for key, value in facts.items() if value]
    return table("", ("", dataset.name), rows)


def _plain(value):
    return " or ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _openml(openml):
    if not openml:
        return ""
    return f"{openml.id}, target {openml.target}" + ("" if openml.verified else " (number not verified, never used)")


def fetch_table(outcomes):
    """What a fetch brought, set by set, as a `rich` table.

    Parameters
    ----------
    outcomes : iterable of (DataSet, FetchReport or DataUnavailable)
        As :func:`pumetrics_workflow.datasets.fetch_all` gives them.

    Returns
    -------
    rich.table.Table
    """
    rows = []
    for dataset, outcome in outcomes:
        failed = isinstance(outcome, DataUnavailable)
        what = str(outcome) if failed else outcome.source
        state = "not available" if failed else "OTHER VALUES" if outcome.warning else "ok"
        rows.append({"data set": dataset.name, "": state, "source or reason": what})
    return table("Fetched", ("data set", "", "source or reason"), rows)


def table(title, columns, rows):
    """Build a `rich` table with these columns from mappings."""
    from rich.table import Table

    shown = Table(title=title or None, title_justify="left", header_style="bold")
    for column in columns:
        justify = "right" if column in _RIGHT else "left"
        shown.add_column(column, justify=justify, no_wrap=column in ("name", "rows", "data set"), overflow="fold")
    for row in rows:
        shown.add_row(*(row[column] for column in columns))
    return shown
