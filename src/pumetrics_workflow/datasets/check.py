"""What is known of each data set before a run: where it would come from, what is there, what vouches for it."""

import json
from pathlib import Path

from pumetrics_workflow.datasets.errors import SourceFailed
from pumetrics_workflow.datasets.prepare import MANIFEST
from pumetrics_workflow.datasets.table import available_from, table

__all__ = ["check_online", "check_rows", "check_table"]

_HEAD = ("name", "would come from", "here", "checked by", "licence")
_HERE = {"bytes": "known bytes", "content": "known content", "counts": "counts agree", "different": "OTHER VALUES"}


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
    return table("Where data sets come from", _HEAD, check_rows(registry, folder=folder, mirror=mirror))


def check_online(registry, *, timeout=20.0):
    """Ask each server for the head of each file, each address once.

    Parameters
    ----------
    registry : Registry
        The data sets.
    timeout : float
        Seconds to wait for each answer.

    Yields
    ------
    dataset : DataSet
        One that is downloaded.
    answers : list of (str, bool, str)
        Address, whether it answers, and its size or what is wrong.
    available : bool
        Whether every file of the set is available from one of its sources, according to the servers.
    """
    known = {}

    def ask(url):
        if url not in known:
            known[url] = _answer(url, timeout)
        return known[url]

    for dataset in registry.values():
        if dataset.kind == "download" and not dataset.own_file:
            yield dataset, *_asked(dataset, ask)


def _asked(dataset, ask):
    from pumetrics_workflow.datasets.openml_client import openml_description_url

    urls = dict.fromkeys(place.url for place in dataset.locations())
    openml = dataset.openml if dataset.openml and dataset.openml.verified else None
    description = openml and openml_description_url(openml.id, openml.server)
    answers = [(url, *ask(url)) for url in [*urls, *([description] if openml else [])]]
    works = {url for url, works, _ in answers if works}
    available = description in works
    for variant in dataset.variants():
        available |= all({place.url for place in file.locations} & works for file in variant.files)
    return answers, available


def _answer(url, timeout):
    from pumetrics_workflow.datasets.download import probe

    try:
        size = probe(url, timeout=timeout)
    except SourceFailed as error:
        return False, str(error)
    return True, "size unknown" if size is None else f"{size:,} bytes"


def _here(dataset, folder):
    if dataset.kind != "download":
        return "" if dataset.kind == "unavailable" else "always"
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "no"
    return f"{_HERE.get(manifest.get('trust', 'bytes'), 'yes')}, from {manifest['source']}"


def _checked_by(dataset):
    """What vouches for a download of this set."""
    if dataset.kind != "download":
        return dataset.unavailable or "comes with the software"
    if dataset.own_file:
        return "hash" if dataset.files[0].sha256 else "counts"
    hashes = [bool(file.sha256 or file.sha256_packed) for file in dataset.files]
    facts = ["hash"] if all(hashes) else ["some hashes"] if any(hashes) else []
    facts += ["content"] if dataset.content.hash else []
    return ", ".join([*facts, "counts"])
