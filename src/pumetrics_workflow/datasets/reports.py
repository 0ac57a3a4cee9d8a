"""Reports of fetches: which data sets are unavailable, and which to fetch again."""

import json
from pathlib import Path

__all__ = ["FOLDER", "Request", "next_request", "read_report", "skipped", "write_report"]

FOLDER = Path("resources/raw")


class Request(str):
    """Request of a fetch as a param, whose repr decides whether the rule runs again.

    Snakemake's cache encodes params as JSON: it sees whether the known data are there, not where they came from. Data
    that are missing so far, or have other values, are known to the folder alone: no other folder takes its results.

    Parameters
    ----------
    content : dict
        As :func:`next_request` returns it.
    report : dict
        What is known of the data, as :func:`read_report` returns it.
    """

    def __new__(cls, content, report):
        """Make the text that the cache sees, and keep the request next to it."""
        known = report.get("available") and report.get("trust") != "different"
        self = super().__new__(cls, "known" if known else f"{Path.cwd()} {content}")
        self.content, self._report = content, report
        return self

    def __repr__(self):
        return repr(self.content)

    def __getnewargs__(self):
        return self.content, self._report


def next_request(path, settings):
    """Request of a fetch: the one that its report answers, or a new one while that answer does not do.

    It is a parameter of the rule, so the rule runs again exactly when the request changes: after a fetch that could
    not have the data, and, where files with other values were accepted, as soon as the settings change.

    Parameters
    ----------
    path : path
        Report of the fetch; may be missing.
    settings : dict
        ``mirror``, ``offline`` and ``strict`` of the config.

    Returns
    -------
    dict
        The settings and ``tries``, the number of fetches in a row that it took.
    """
    report = read_report(path)
    last = report.get("request")
    if last is None:
        return {**settings, "tries": 1}
    request = {key: value for key, value in last.items() if key != "tries"}
    if report.get("available") and (report.get("trust") != "different" or request == settings):
        return last
    return {**settings, "tries": last["tries"] + 1}


def read_report(path):
    """Report of a fetch, or an empty one if there is none that can be read."""
    try:
        report = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return report if isinstance(report, dict) else {}


def write_report(path, request, outcome):
    """Write what a fetch brought, or why it brought nothing.

    Parameters
    ----------
    path : path
        File to write.
    request : dict
        See :func:`next_request`.
    outcome : FetchReport or DataUnavailable
        As :func:`pumetrics_workflow.datasets.fetch` gives or raises it.
    """
    if isinstance(outcome, Exception):
        facts = {"available": False, "reason": str(outcome), "tried": list(outcome.tried)}
    else:
        paths = {name: str(path) for name, path in outcome.paths.items()}
        facts = {"available": True, "paths": paths, "source": outcome.source, "tried": outcome.tried}
        facts |= {"trust": outcome.trust, "warning": outcome.warning}
    Path(path).write_text(json.dumps({**facts, "request": request}, indent=1), encoding="utf-8")


def skipped(names=None, folder="."):
    """A line for each data set that is unavailable, or whose values differ from the known ones.

    Parameters
    ----------
    names : iterable of str, optional
        The data sets that matter; default: all that were requested.
    folder : path
        Folder in which Snakemake runs.

    Returns
    -------
    list of str
    """
    folder = Path(folder, FOLDER)
    names = sorted(path.stem for path in folder.glob("*.json")) if names is None else sorted(names)
    lines = []
    for name in names:
        report = read_report(folder / f"{name}.json")
        if report.get("available") is False:
            lines.append(f"not available: {report.get('reason', name)}")
        elif report.get("warning"):
            lines.append(f"WARNING: {name}: {report['warning']}")
    return lines
