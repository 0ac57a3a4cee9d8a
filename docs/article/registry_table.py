"""The table of all data sets: size, papers, version, address, license and hash."""

import re
from urllib.parse import urlparse

from article.pieces import markdown
from article.reference import PAPERS, ROOT
from pumetrics_workflow.datasets import load_registry
from pumetrics_workflow.plan import papers_of_sets

__all__ = ["registry_table"]

_COLUMNS = ("data set", "rows", "% positive", "papers", "version", "address", "license", "hash")
NONE = "–"


def registry_table():
    """Return a row for each data set of the registry, as Markdown."""
    registry = load_registry(ROOT / "config/datasets.yaml")
    papers = papers_of_sets(ROOT)
    rows = [_row(registry[name], papers.get(name, ())) for name in sorted(registry)]
    return markdown(_COLUMNS, rows, ("rows", "% positive"))


def _row(entry, papers):
    places = [place.url for file in entry.files for place in file.locations]
    kinds = {
        "embedded": "with scikit-learn",
        "generated": "generated from the seed",
        "unavailable": "not public",
    }
    address = f"[{urlparse(places[0]).hostname}]({places[0]})" if places else NONE
    return (
        f"`{entry.name}`",
        f"{entry.rows:,}",
        f"{100 * entry.share_positive:.0f}" if entry.positives else NONE,
        ", ".join(PAPERS[name] for name in papers) or NONE,
        _version(entry, places),
        kinds.get(entry.kind, address),
        entry.license or NONE,
        _hash(entry),
    )


def _version(entry, places):
    """The commit of a pinned copy, and the number at OpenML; official sites give their sets no version."""
    commits = {commit[0][:9] for place in places if (commit := re.search(r"[0-9a-f]{40}", place))}
    found = [f"commit {commit}" for commit in sorted(commits)]
    found += [f"OpenML {entry.openml['id']}"] if entry.openml.get("verified") else []
    return ", ".join(found) or NONE


def _hash(entry):
    """The hash of the prepared table, which decides; else that of the first raw file."""
    raw = next((sha256 for file in entry.files for sha256 in file.sha256), "")
    shown = entry.content.get("hash", raw[:32])
    return f"`{shown}`" if shown else NONE
