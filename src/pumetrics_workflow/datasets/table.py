"""Tables of data sets for the terminal: all of them, where they come from, and one of them."""

import json
from pathlib import Path
from urllib.parse import urlparse

from pumetrics_workflow.datasets.prepare import MANIFEST

__all__ = ["available_from", "check_rows", "check_table", "dataset_details", "dataset_rows", "dataset_table"]

_RIGHT = {"rows", "features", "positives", "size"}
_HERE = {"bytes": "known bytes", "content": "known content", "counts": "counts agree", "different": "OTHER VALUES"}


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
    from rich.filesize import decimal

    return [
        {
            "name": dataset.name,
            "rows": f"{dataset.rows:,}" if dataset.rows else "",
            "features": str(dataset.features or ""),
            "kind": dataset.kind,
            "positives": f"{dataset.share_positive:.1%}" if dataset.positives else "",
            "papers": " ".join(dataset.papers),
            "available from": ", ".join(available_from(dataset, mirror=mirror)),
            "size": decimal(dataset.bytes) if dataset.bytes else "",
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
    alternatives = [alternative.files for alternative in dataset.variants()]
    sources = ["mirror"] if mirror and any(_in_mirror(dataset, files, mirror) for files in alternatives) else []
    for files in alternatives:
        if all(file.locations for file in files):
            sources += map(_site, files[0].locations)
    if dataset.openml and dataset.openml.verified:
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


def dataset_table(registry, *, mirror=None):
    """All data sets as a `rich` table; see :func:`dataset_rows`."""
    return _table("Data sets", dataset_rows(registry, mirror=mirror))


def check_rows(registry, *, folder="resources/raw", mirror=None):
    """One mapping per data set, as text. Nothing is downloaded.

    Parameters
    ----------
    registry : Registry
        The data sets.
    folder : path
        Where fetched files lie.
    mirror : path, optional
        Folder of raw files.

    Returns
    -------
    list of dict
        ``name``; ``would come from``, the sources in order; ``here``, what was fetched and what vouched for it;
        ``checked by``, what the registry knows to check a download with; ``licence``.
    """
    return [
        {
            "name": dataset.name,
            "would come from": ", ".join(available_from(dataset, mirror=mirror)) or "nowhere",
            "here": _here(dataset, Path(folder, dataset.name)),
            "checked by": _checked_by(dataset),
            "licence": dataset.licence,
        }
        for dataset in registry.values()
    ]


def check_table(registry, *, folder="resources/raw", mirror=None):
    """Build the `rich` table of :func:`check_rows`."""
    return _table("Where data sets come from", check_rows(registry, folder=folder, mirror=mirror))


def _here(dataset, folder):
    """Whether a set was fetched, and what vouched for it."""
    if dataset.kind != "download":
        return "" if dataset.kind == "unavailable" else "always"
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "no"
    return f"{_HERE[manifest['trust']]}, from {manifest['source']}"


def _checked_by(dataset):
    """What vouches for a download of this set."""
    if dataset.kind != "download":
        return dataset.unavailable or "comes with the software"
    hashes = [bool(file.sha256 or file.sha256_packed) for file in dataset.files]
    facts = ["hash"] if all(hashes) else ["some hashes"] if any(hashes) else []
    return ", ".join([*facts, *["content"] * bool(dataset.content.hash), "counts"])


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
    return _table(None, [{"": key, dataset.name: value} for key, value in facts.items() if value])


def _plain(value):
    """A value of a positive rule in words."""
    return " or ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _openml(openml):
    """The copy at OpenML in words."""
    if not openml:
        return ""
    return f"{openml.id}, target {openml.target}" + ("" if openml.verified else " (number not verified, never used)")


def _table(title, rows):
    """A `rich` table from mappings that share their keys."""
    from rich.table import Table

    shown = Table(title=title, title_justify="left", header_style="bold")
    for column in rows[0]:
        justify = "right" if column in _RIGHT else "left"
        shown.add_column(column, justify=justify, no_wrap=column in ("name", "rows"), overflow="fold")
    for row in rows:
        shown.add_row(*row.values())
    return shown
