"""Reports of fetches: what each brought, which data sets a run lacks, and which to fetch again."""

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

__all__ = [
    "DataUnavailable",
    "FetchReport",
    "Request",
    "next_request",
    "read_report",
    "say_unavailable",
    "skipped",
    "write_report",
]


class DataUnavailable(Exception):
    """No source gave a data set. The message is one line: what was tried and what to do.

    Parameters
    ----------
    message : str
    in_short : str, optional
        The same without what was tried and what to do.
    """

    def __init__(self, message, in_short=None):
        super().__init__(message)
        self.in_short = in_short or message


@dataclass(frozen=True)
class FetchReport:
    """What a fetch brought.

    Attributes
    ----------
    paths : dict
        Path by file name.
    source : str
        The source that gave them.
    tried : list of str
        A line per source that was tried.
    known : bool
        Whether the hash of the files, or of the table that they hold, is one of the registry.
    warning : str
        Where the registry has a hash and it is another one: that the values differ; else empty.
    """

    paths: dict
    source: str
    tried: list = field(default_factory=list)
    known: bool = True
    warning: str = ""


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
        known = report.get("available") and not report.get("warning")
        self = super().__new__(cls, "known" if known else f"{Path.cwd()} {content}")
        self.content = content
        self._report = report
        return self

    @classmethod
    def after(cls, path, settings):
        """Request after the fetch whose report is at `path`, see :func:`next_request`."""
        return cls(next_request(path, settings), read_report(path))

    @property
    def failed(self):
        """Whether a fetch with these settings could not have the data."""
        return self._report.get("available") is False and self.content == self._report.get(
            "request"
        )

    def __repr__(self):
        return repr(self.content)

    def __getnewargs__(self):
        return self.content, self._report


def next_request(path, settings):
    """Request of a fetch: the one that its report answers, or a new one if the settings have changed since.

    It is a parameter of the rule, so the rule runs again exactly when the request changes. Where the known data are
    there, it does not.

    Parameters
    ----------
    path : path
        Report of the fetch; may be missing.
    settings : dict
        ``mirror``, ``offline`` and ``strict`` of the config.

    Returns
    -------
    dict
        The settings and ``tries``, the number of settings in a row that were tried.
    """
    report = read_report(path)
    last = report.get("request")
    if last is None:
        return {**settings, "tries": 1}
    is_known = report.get("available") and not report.get("warning")
    if is_known or last == {**settings, "tries": last["tries"]}:
        return last
    return {**settings, "tries": last["tries"] + 1}


def read_report(path):
    """Report of a fetch, or an empty one if there is none that can be read."""
    try:
        return dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def write_report(path, request, outcome):
    """Write what a fetch brought, or why it brought nothing.

    Parameters
    ----------
    path : path
        File to write.
    request : dict
        See :func:`next_request`.
    outcome : FetchReport or DataUnavailable
        As :func:`fetch` gives or raises it.
    """
    available = isinstance(outcome, FetchReport)
    facts = asdict(outcome) if available else {"reason": str(outcome)}
    facts = {"available": available, **facts, "request": request}
    Path(path).write_text(json.dumps(facts, indent=1, default=str), encoding="utf-8")


def say_unavailable(dataset, error):
    """Say on the terminal that a job fetched nothing, which is no failure of the job."""
    line = f"Fetching {dataset}: {error.in_short}; its studies run without it"
    print(line, file=sys.__stderr__, flush=True)


def skipped(names, folder="."):
    """A line for each data set that a run lacked, or whose values differ from the known ones.

    Parameters
    ----------
    names : iterable of str
    folder : path
        Folder in which Snakemake runs.

    Returns
    -------
    list of str
    """
    lines = []
    for name in sorted(names):
        report = read_report(Path(folder, "resources/raw", f"{name}.json"))
        card = read_report(Path(folder, "resources/prepared", f"{name}.json"))
        if report.get("available") is False:
            lines.append(f"not available: {report['reason']}")
        elif card.get("available") is False:
            lines.append(f"{name} is available now: repeat the command to include it")
        elif report.get("warning"):
            lines.append(f"WARNING: {name}: {report['warning']}")
    return lines
