"""Fetching raw files from the first source that has the right ones; unverified files never pass silently."""

import errno
import hashlib
import json
import os
import shutil
import time
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from urllib.parse import urlparse

from pumetrics_workflow.datasets.archives import LIMIT, SourceFailed, read_raw
from pumetrics_workflow.datasets.openml_copy import download_openml
from pumetrics_workflow.datasets.prepare import MANIFEST, content_hash, prepare
from pumetrics_workflow.datasets.registry import Location, RawFile
from pumetrics_workflow.datasets.reports import DataUnavailable, FetchReport, read_report

__all__ = ["fetch"]

TIMEOUT = 30.0  # longest wait for a connection, or for the next bytes, in seconds
RETRIES = 4  # of a download, after pauses of 1, 2, ... seconds
DEADLINE = 1800.0  # longest time for all tries of a download, in seconds
TIMES = 10  # a download may have so many times the known size of the set's files,
LEAST = 1 << 26  # or so many bytes if that is more
_PASSING = (408, 425, 429, *range(500, 600))  # status of a failure that may pass
_NO_NETWORK = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)


def fetch(
    dataset,
    folder,
    *,
    mirror=None,
    offline=False,
    strict=False,
    progress=False,
):
    """Bring the raw files of a data set into a folder, each checked.

    Files that are there and right are kept. Otherwise the sources are tried in order: the mirror, the official site,
    its older address, pinned copies, OpenML. Files whose SHA-256 is known are right. Others are read and must have
    the counts of the registry; if the table they hold has the known hash (other line ends, a file saved again), or no
    hash is known, they are right as well. Others are the last resort, and only with a warning.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry.
    folder : path
        Where the files go; made if need be. Two runs may fetch into it at once: one waits for the other. Downloads lie
        in ``.downloads`` next to it, so that sets which share an archive fetch it once.
    mirror : path or str, optional
        Folder or address that holds ``<slug>/<file>``, ``<slug>/<file>.gz`` or the official archive.
    offline : bool
        Never open a connection: only the folder itself and a mirror that is a folder are used.
    strict : bool
        Refuse files with other values than the known ones.
    progress : bool
        Show a bar for each download on standard error.

    Returns
    -------
    FetchReport

    Raises
    ------
    DataUnavailable
        If no source gave the files: one line with what was tried and what to do.
    """
    from filelock import FileLock

    if dataset.kind == "embedded":
        return FetchReport({}, "bundled with scikit-learn")
    if dataset.kind == "generated":
        return FetchReport({}, "generated")
    if dataset.kind == "unavailable":
        instead = f"; {dataset.stand_in} can replace it" if dataset.stand_in else ""
        raise DataUnavailable(f"{dataset.name}: {dataset.unavailable}{instead}")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            if not dataset.own_file and (report := _present(folder)):
                return report
            with _Fetch(dataset, folder, mirror, offline, progress) as job:
                return job.from_sources(strict)
    except OSError as error:
        why = error.strerror or error
        raise DataUnavailable(
            f"{dataset.name}: cannot write to {folder} ({why}): free some space or choose another folder"
        ) from error


def _present(folder):
    """Report on files that an earlier fetch left, if they are all there and right; wrong ones are deleted."""
    manifest = read_report(folder / MANIFEST)
    if not manifest:
        return None

    files = {name: folder / name for name in manifest["sha256"]}
    for name, known in manifest["sha256"].items():
        if not files[name].is_file() or _sha256(files[name].read_bytes()) != known:
            for path in [*files.values(), folder / MANIFEST]:
                path.unlink(missing_ok=True)
            return None
    if manifest["warning"]:  # a source may have the right ones by now
        return None
    return FetchReport(files, manifest["source"], ["already there"], manifest["known"])


def _sha256(data):
    """Hash as registry and manifest write it."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class _Raw:
    """Bytes of a file, whether a known hash vouches for them, and where they are from."""

    data: bytes
    known: bool
    place: Location


class _Limited:
    """A file that takes so many bytes and no more, until a moment of the clock: a server may send for ever."""

    def __init__(self, stream, limit, end):
        self.stream = stream
        self.limit = limit
        self.left = limit
        self.end = end

    def write(self, data):
        """Write, or raise SourceFailed."""
        self.left -= len(data)
        if self.left < 0:
            raise SourceFailed(f"sends more than the {self.limit:,} bytes allowed")
        if time.monotonic() > self.end:
            raise SourceFailed(f"not done in the {DEADLINE:g} s allowed")
        return self.stream.write(data)

    def flush(self):
        """Flush the file."""
        self.stream.flush()


class _Fetch:
    """One data set on its way into one folder; what is not checked yet lies in a folder inside it."""

    def __init__(
        self,
        dataset,
        folder,
        mirror,
        offline,
        progress,
    ):
        self.dataset = dataset
        self.folder = folder
        self.mirror = mirror
        self.offline = offline
        self.progress = progress
        self.temporary = folder / ".partial"
        self.downloads = folder.parent / ".downloads"
        self.tried = []
        self._answers = {}
        self._right = ()

    def __enter__(self):
        shutil.rmtree(self.temporary, ignore_errors=True)  # left by a run that was killed
        self.temporary.mkdir()
        return self

    def __exit__(self, *_):
        """Delete downloads that are wrong, and may be right next time, or a mirror's, which may change."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        for url, answer in self._answers.items():
            if isinstance(answer, Path) and url not in self._right:
                answer.unlink(missing_ok=True)

    def from_sources(self, strict):
        """Files of the first source that has the right ones, or with other values if no source has and they may be."""
        gathered = defaultdict(dict)
        last_resort = None
        for number, files in self._rounds():
            raws = gathered[number]
            if not self._gather(raws, files) or len(raws) < len(files):
                continue
            label = " and ".join(dict.fromkeys(self._label(raw.place) for raw in raws.values()))
            try:
                known, warning = self._checked(number, raws, label)
            except SourceFailed as error:
                self.tried.append(f"{label}: {error}")
                continue
            outcome = (number, dict(raws), label, known, warning)
            if not warning:
                found = "ok" if known else "no hash is known, the counts agree"
                self.tried.append(f"{label}: {found}")
                self._right = {raw.place.url for raw in raws.values() if raw.place.kind != "mirror"}
                return self._moved(*outcome)
            refused = ", refused" if strict else ""
            self.tried.append(f"{label}: OTHER VALUES than the known ones{refused}")
            last_resort = last_resort or outcome

        if last_resort and not strict:
            return self._moved(*last_resort)
        sources = "1 source" if len(self.tried) == 1 else f"{len(self.tried)} sources"
        raise DataUnavailable(self._what_to_do(), f"no source gave its files ({sources} tried)")

    def _what_to_do(self):
        """One line on what was tried and what may help."""
        dataset = self.dataset
        todo = f"put its files into MIRROR/{dataset.slug}/ and give that mirror"
        if not self.offline:
            todo += ", or try again where the network allows"
        if dataset.stand_in:
            todo += f"; {dataset.stand_in} can replace it"
        tried = "; ".join(self.tried) or "none is known"
        return f"{dataset.name}: no source gave its files ({tried}): {todo}"

    def _rounds(self):
        """Number of an alternative and its files, each with the next of its places or None, source after source."""
        alternatives = list(enumerate(self.dataset.variants()))
        sources = []
        if self.mirror and not self.dataset.own_file:
            start = f"{str(self.mirror).rstrip('/')}/{self.dataset.slug}"
            for number, variant in alternatives:
                places = [file.in_mirror(start) for file in variant.files]
                sources.append((number, variant.files, places))
        for number, variant in alternatives:
            sources.append((number, variant.files, [file.locations for file in variant.files]))
        if self.dataset.openml.get("verified"):
            copy = self.dataset.openml["id"]
            place = Location(str(copy), kind="openml")
            sources.append(("openml", [RawFile(f"openml-{copy}.parquet")], [[place]]))

        for number, files, places in sources:
            for next_places in zip_longest(*places):
                yield number, list(zip(files, next_places, strict=True))

    def _gather(self, raws, files):
        """Add what a source has of the files that are not known yet; return whether it had anything."""
        new = False
        for file, place in files:
            if not place or (file.name in raws and raws[file.name].known):
                continue
            try:
                raws[file.name] = self._raw(file, place)
                new = True
            except SourceFailed as error:
                line = f"{self._label(place)}: {error}"
                if line not in self.tried:
                    self.tried.append(line)
        return new

    def _label(self, place):
        """What a place is called in reports."""
        names = {
            "mirror": f"mirror {self.mirror}",
            "openml": f"OpenML {place.url}",
            "own": "own file",
        }
        suffix = {"legacy": " (older address)", "copy": " (copy)"}.get(place.kind, "")
        return names.get(place.kind) or urlparse(place.url).netloc + suffix

    def _raw(self, file, place):
        """Content of a file, unpacked, and whether its bytes, packed or not, are the known ones."""
        path = self._path(place)
        packed = b""
        if place.kind in ("own", "openml"):
            data = path.read_bytes()
        else:
            known = file.sha256_packed
            data, packed = read_raw(path, place.member, bundle=file.bundle, known_packed=known)
        is_known = _sha256(data) in file.sha256 or _sha256(packed) in file.sha256_packed
        return _Raw(data, is_known, place)

    def _path(self, place):
        """Path of the file at a place, downloaded if it is not there yet; a failed download is not repeated."""
        in_folder = place.kind == "mirror" and not place.url.startswith(("http://", "https://"))
        if place.kind == "own" or in_folder:
            path = self.dataset.own_file or Path(place.url).expanduser()
            if not path.is_file():
                raise SourceFailed(f"not in {path.parent}")
            return path
        if self.offline:
            raise SourceFailed("not tried, offline")
        if place.kind == "openml":
            return download_openml(place.url, self.temporary)
        if place.url not in self._answers:
            self._answers[place.url] = self._answer(place.url)
        answer = self._answers[place.url]
        if isinstance(answer, SourceFailed):
            raise answer
        return answer

    def _answer(self, url):
        """Path of a download, or the failure."""
        import pooch
        import requests
        from filelock import FileLock

        name = pooch.utils.unique_file_name(url)[:120]
        cache = pooch.create(
            self.downloads, "", registry={name: None}, urls={name: url}, retry_if_failed=RETRIES
        )
        limit = max(LEAST, TIMES * self.dataset.bytes) if self.dataset.bytes else LIMIT
        download = partial(self._download, limit=limit, end=time.monotonic() + DEADLINE)
        self.downloads.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.downloads / f"{name}.lock"):
                return Path(cache.fetch(name, downloader=download))
        except requests.RequestException as error:
            return SourceFailed(f"{_reason(error)} after {RETRIES + 1} tries")
        except SourceFailed as error:
            return error

    def _download(
        self,
        url,
        file,
        pooch,
        *,
        limit,
        end,
    ):
        """Download for pooch, which retries unless the failure is permanent."""
        import requests
        from pooch import HTTPDownloader

        download = HTTPDownloader(
            progressbar=self.progress,
            chunk_size=1 << 10,  # a slow server may take the whole timeout for each byte
            timeout=TIMEOUT,
            headers={"Accept-Encoding": "identity"},
            verify=os.environ.get("SSL_CERT_FILE") or True,
        )
        try:
            with open(file, "wb") as stream:
                download(url, _Limited(stream, limit, end), pooch)
        except requests.RequestException as error:
            answered = error.response is not None
            if _is_offline(error) or (answered and error.response.status_code not in _PASSING):
                raise SourceFailed(_reason(error)) from error
            raise

    def _checked(self, number, raws, label):
        """Whether files are the known ones, and a warning if others are known; SourceFailed if they cannot be right."""
        if all(raw.known for raw in raws.values()):
            return True, ""
        files = [] if number == "openml" else self.dataset.variants()[number].files
        hashed = any(file.sha256 for file in files)
        if self.dataset.own_file and not hashed:  # `prepare` checks what the entry states
            return False, ""

        paths = {name: self.temporary / name for name in raws}
        for name, path in paths.items():
            path.write_bytes(raws[name].data)
        manifest = {"alternative": number, "source": label}
        try:
            frame, _ = prepare(self.dataset, paths, manifest=manifest)
        except ValueError as error:
            raise SourceFailed(f"does not hold what the registry says: {error}") from error

        expected = self.dataset.content.get("hash")
        known = content_hash(frame) == expected
        if known or not (expected or hashed):
            return known, ""
        return (
            False,
            f"The files from {label} hold OTHER VALUES than the known ones; all counts agree.",
        )

    def _moved(
        self,
        number,
        raws,
        label,
        known,
        warning,
    ):
        """Move checked files into place, the manifest last: it says that they are complete."""
        contents = {name: raw.data for name, raw in raws.items()}
        manifest = {
            "name": self.dataset.name,
            "source": label,
            "alternative": number,
            "known": known,
            "sha256": {name: _sha256(data) for name, data in contents.items()},
            "warning": warning,
            "tried": self.tried,
        }
        paths = {name: self.folder / name for name in contents}
        contents[MANIFEST] = json.dumps(manifest, indent=1).encode() + b"\n"

        for name, data in contents.items():
            (self.temporary / name).write_bytes(data)
        for name in contents:
            os.replace(self.temporary / name, self.folder / name)
        return FetchReport(paths, label, self.tried, known, warning)


def _is_offline(error):
    """Whether a name has no address, or no network leads to it: another try fails in the same way."""
    from urllib3.exceptions import NameResolutionError

    reason = getattr(error.args[0], "reason", None) if error.args else None
    cause = getattr(reason, "__cause__", None)
    return isinstance(reason, NameResolutionError) or getattr(cause, "errno", 0) in _NO_NETWORK


def _reason(error):
    """The failure of a download in a few words."""
    import requests

    if error.response is not None:
        return f"status {error.response.status_code} {error.response.reason}".strip()
    if _is_offline(error):
        return "no network, or no such host"
    kinds = {
        requests.exceptions.SSLError: "no trusted connection",
        requests.exceptions.Timeout: "no answer in time",
        requests.exceptions.ChunkedEncodingError: "the connection was lost",
        requests.exceptions.ConnectionError: "no connection, or it was lost",
    }
    return next(
        (words for kind, words in kinds.items() if isinstance(error, kind)), type(error).__name__
    )
