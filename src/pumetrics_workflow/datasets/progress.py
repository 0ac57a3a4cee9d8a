"""How far a download is: a bar in a terminal, lines where several jobs share one, each with bytes and rate."""

import contextlib
import time
from pathlib import PurePosixPath
from urllib.parse import unquote, urlparse

__all__ = ["ProgressLines", "progress_bar"]


class ProgressLines:
    """Says every few seconds how far a download is; nothing about one that takes less.

    Parameters
    ----------
    name : str
        The data set.
    stream : text stream
        Where the lines go.
    every : float
        Seconds between lines.

    Examples
    --------
    >>> import sys
    >>> say = ProgressLines("hapt", sys.stdout, every=0.0)
    >>> say("https://example.org/hapt.zip", 0, 4_000_000)
    >>> say("https://example.org/hapt.zip", 1_000_000, 4_000_000)  # doctest: +ELLIPSIS
    hapt: 1.0 of 4.0 MB, ... MB/s
    """

    def __init__(self, name, stream, every=10.0):
        self._name, self._stream, self._every = name, stream, every
        self._url, self._time, self._size = None, 0.0, 0

    def __call__(self, url, size, total):
        """Take note of the bytes so far, and their number in all if it is known."""
        now = time.monotonic()
        if url != self._url or size < self._size:
            self._url, self._time, self._size = url, now, size
            return
        if now - self._time < self._every:
            return
        rate = (size - self._size) / 1e6 / max(now - self._time, 1e-9)
        whole = f" of {total / 1e6:.1f}" if total else ""
        self._stream.write(f"{self._name}: {size / 1e6:.1f}{whole} MB, {rate:.1f} MB/s\n")
        self._stream.flush()
        self._time, self._size = now, size


@contextlib.contextmanager
def progress_bar(console=None):
    """Give a `progress` for :func:`pumetrics_workflow.datasets.fetch` that shows a bar with bytes and rate.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where the bar is shown; default: standard error. Nothing is shown where that is no terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = [TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()]
    console, tasks = console or Console(stderr=True), {}
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bars:

        def show(url, size, total):
            if url not in tasks:
                tasks[url] = bars.add_task(PurePosixPath(unquote(urlparse(url).path)).name, total=total)
            bars.update(tasks[url], completed=size, total=total)
            if size == total:
                bars.remove_task(tasks.pop(url))

        yield show
