"""Downloads that data sets share: each address is fetched once, however many entries, jobs and runs ask for it."""

import contextlib
import hashlib
import re
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlparse

from pumetrics_workflow.datasets.download import Patience, download
from pumetrics_workflow.datasets.errors import SourceFailed

__all__ = ["Downloads", "locked"]

_MEMORY = 600  # seconds for which a server that was given up gets one more try for each file, not all


@dataclass(frozen=True)
class Downloads:
    """A folder of downloads that several processes use at once.

    What is downloaded only in part stays for the next call to go on with.

    Attributes
    ----------
    folder : path
        Where downloads lie; made if need be.
    patience : Patience
        How long to wait for a server.
    limit : int
        Most bytes to accept for a file.
    offline : bool
        Never open a connection.
    progress : callable, optional
        As for :func:`pumetrics_workflow.datasets.download.download`.
    """

    folder: Path
    patience: Patience = field(default_factory=Patience)
    limit: int = 1 << 30
    offline: bool = False
    progress: object = None

    def get(self, url):
        """Path of the file behind an address, downloaded if it is not there yet.

        Raises
        ------
        SourceFailed
            If it is unavailable.
        """
        path = self._path(url)
        if self.offline:
            raise SourceFailed("not tried, offline")
        with locked(path.with_name(f"{path.name}.lock")):
            if not path.is_file():
                self._download(url, path)
        return path

    def forget(self, *urls):
        """Delete downloads: their content is wrong, or is needed no more."""
        for url in urls:
            self._path(url).unlink(missing_ok=True)

    def _path(self, url):
        name = re.sub(r"[^\w.-]+", "-", unquote(urlparse(url).path.rpartition("/")[2]))[:60]
        return self.folder / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}-{name}"

    def _download(self, url, path):
        """Download, with little patience where the server was given up minutes ago."""
        mark = self.folder / f"given-up-{re.sub(r'[^A-Za-z0-9.-]+', '-', urlparse(url).netloc)}"
        recent = mark.is_file() and time.time() - mark.stat().st_mtime < _MEMORY
        patience = self.patience
        if recent:
            patience = replace(patience, retries=min(1, patience.retries), unreachable=0)
        try:
            download(url, path, patience=patience, limit=self.limit, progress=self.progress)
        except SourceFailed as error:
            if not recent and re.search(r" after \d+ (try|tries)$", str(error)):
                mark.touch()
            raise
        mark.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path):
    """Let one process at a time through; the lock ends with the process that holds it, killed or not."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as stream:
        with contextlib.suppress(ImportError):  # no fcntl on Windows, where Snakemake runs one rule per folder anyway
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
