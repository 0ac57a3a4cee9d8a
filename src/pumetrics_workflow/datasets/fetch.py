"""Fetching raw files: a mirror, then the official site, then OpenML; nothing wrong is ever left in place."""

import contextlib
import gzip
import hashlib
import io
import json
import os
import shutil
import zlib
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from pumetrics_workflow.datasets import archives
from pumetrics_workflow.datasets.errors import DataUnavailable, SourceFailed
from pumetrics_workflow.datasets.prepare import MANIFEST, prepare

__all__ = ["FetchReport", "fetch", "fetch_all"]

_PARTIAL = ".partial"
_LIMIT = 1 << 30


@dataclass(frozen=True)
class FetchReport:
    """What a fetch brought: paths by file name, the source that gave them, and a line per source tried."""

    paths: dict
    source: str
    tried: list = field(default_factory=list)


@dataclass(frozen=True)
class _Job:
    """One data set on its way into one folder."""

    dataset: object
    folder: Path
    offline: bool
    timeout: float
    deadline: float
    retries: int
    limit: int
    openml_server: str | None

    @property
    def partial(self):
        """Folder for what is not checked yet."""
        return self.folder / _PARTIAL


def fetch(
    dataset,
    folder,
    *,
    mirror=None,
    offline=False,
    timeout=30.0,
    deadline=900.0,
    retries=3,
    limit=_LIMIT,
    openml_server=None,
):
    """Bring the raw files of a data set into a folder, each checked.

    Files that are there and right are kept. Otherwise the sources are tried in order: the mirror, the official
    site, OpenML. A file counts only if the SHA-256 of its uncompressed bytes is the registry's; where no hash is
    known, only if what it holds has the rows, features and positives of the registry.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry.
    folder : path
        Where the files go; made if need be. Two runs may fetch into it at once: one waits for the other.
    mirror : path or str, optional
        Folder or address that holds ``<slug>/<file>`` or ``<slug>/<file>.gz``.
    offline : bool
        Never open a connection: only the folder itself and a mirror that is a folder are used.
    timeout, deadline : float
        Seconds to wait for the next bytes, and for a whole download.
    retries : int
        Further tries after a failure that may pass.
    limit : int
        Most bytes to accept per file.
    openml_server : str, optional
        Another server that speaks OpenML's API.

    Returns
    -------
    FetchReport

    Raises
    ------
    DataUnavailable
        If no source gave the files: one line with what was tried and what to do.
    """
    if dataset.kind in ("embedded", "generated"):
        return FetchReport({}, "bundled with scikit-learn" if dataset.kind == "embedded" else "generated")
    if dataset.kind == "unavailable":
        instead = f"; {dataset.stand_in} stands in for it" if dataset.stand_in else ""
        raise DataUnavailable(dataset.name, f"{dataset.name}: {dataset.unavailable}{instead}")
    job = _Job(dataset, Path(folder), offline, timeout, deadline, retries, limit, openml_server)
    tried = []
    try:
        with _locked(job):
            return _present(job) or _from_sources(job, mirror, tried)
    except OSError as error:
        why = error.strerror or error
        message = f"{dataset.name}: cannot write to {folder} ({why}): free some space or choose another folder"
        raise DataUnavailable(dataset.name, message, tried) from error


def fetch_all(datasets, folder, **options):
    """Fetch several data sets, each into its own folder below `folder`; one that fails does not stop the others.

    Parameters
    ----------
    datasets : iterable of DataSet
        Entries of the registry.
    folder : path
        Each set goes into ``<folder>/<name>``.
    **options
        As for :func:`fetch`.

    Yields
    ------
    dataset : DataSet
    outcome : FetchReport or DataUnavailable
    """
    for dataset in datasets:
        try:
            yield dataset, fetch(dataset, Path(folder) / dataset.name, **options)
        except DataUnavailable as error:
            yield dataset, error


def _present(job):
    """Report on files that an earlier fetch left, if they are all there and right; wrong ones are deleted."""
    path = job.folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        hashes = manifest["sha256"]
    except (OSError, ValueError, KeyError):
        return None
    wrong = [name for name, sha256 in hashes.items() if _sha256(job.folder / name) != sha256]
    if not wrong and hashes:
        return FetchReport({name: job.folder / name for name in hashes}, manifest["source"], ["already there"])
    for name in [*wrong, MANIFEST]:
        (job.folder / name).unlink(missing_ok=True)
    return None


def _from_sources(job, mirror, tried):
    dataset = job.dataset
    for label, number, get in _sources(job, mirror):
        shutil.rmtree(job.partial, ignore_errors=True)
        job.partial.mkdir(parents=True)
        try:
            hashes = get()
            _check_content(job, number, hashes, label)
        except SourceFailed as error:
            tried.append(f"{label}: {error}")
            continue
        tried.append(f"{label}: ok")
        return _moved(job, number, hashes, label, tried)
    where = f"put its files into MIRROR/{dataset.slug}/ and name that mirror"
    todo = where if job.offline else f"{where}, or try again where the network allows"
    instead = f"; {dataset.stand_in} can stand in for it" if dataset.stand_in else ""
    message = f"{dataset.name}: no source gave its files ({'; '.join(tried) or 'none is known'}): {todo}{instead}"
    raise DataUnavailable(dataset.name, message, tried)


def _sources(job, mirror):
    """Source name, number of the alternative and a function that fills the partial folder, in order of trust."""
    variants = list(enumerate(job.dataset.variants()))
    for number, variant in variants:
        if all(file.url.startswith("file:") for file in variant.files):
            yield "own file", number, lambda files=variant.files: _each(files, partial(_own, job))
            return
    for number, variant in variants if mirror else []:
        label = f"mirror {mirror}"
        yield label, number, lambda files=variant.files: _each(files, partial(_from_mirror, job, str(mirror)))
    for number, variant in variants:
        if variant.files and all(file.url for file in variant.files):
            site = urlparse(variant.files[0].url).netloc
            yield site, number, lambda files=variant.files: _from_site(job, files)
    if job.dataset.openml:
        yield f"OpenML {job.dataset.openml.id}", "openml", lambda: _from_openml(job)


def _each(files, get):
    return {file.name: get(file) for file in files}


def _own(job, file):
    path = Path(url2pathname(unquote(urlparse(file.url).path)))
    if not path.is_file():
        raise SourceFailed(f"{path} does not exist")
    return _store(job, file, path.read_bytes())


def _from_mirror(job, mirror, file):
    """One file of a mirror, plain or as ``.gz``, alone or inside an archive."""
    name, slug = _inside(file.mirror or file.name), _inside(job.dataset.slug)
    if mirror.startswith(("http://", "https://")):
        data = _first_of(job, [f"{mirror.rstrip('/')}/{slug}/{name}{ending}" for ending in ("", ".gz")])
    else:
        candidates = [Path(mirror).expanduser() / slug / f"{name}{ending}" for ending in ("", ".gz")]
        found = [path for path in candidates if path.is_file()]
        if not found:
            raise SourceFailed(f"no file {slug}/{name}")
        data = found[0]
    if file.mirror:
        return _store(job, file, _member(job, file, data, file.mirror_member or file.member))
    content = data.read_bytes()
    if content[:2] == b"\x1f\x8b" and not name.endswith(".gz"):
        content = _gunzipped(content, job.limit)
    return _store(job, file, content)


def _inside(path):
    """Path below a mirror, as the registry gives it: it must not lead out of the mirror."""
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in path:
        raise SourceFailed(f"the registry names an unsafe path {path!r}")
    return path


def _first_of(job, urls):
    failures = []
    for url in urls:
        try:
            return _downloaded(job, url)
        except SourceFailed as error:
            failures.append(str(error))
    raise SourceFailed(f"{urls[0]}: {failures[0]}")


def _from_site(job, files):
    """The official files; an archive is downloaded once for all of them."""
    hashes = {}
    for file in files:
        data = _downloaded(job, file.url)
        content = _member(job, file, data, file.member) if file.member else data.read_bytes()
        if not file.member and content[:2] == b"\x1f\x8b" and not file.name.endswith(".gz"):
            content = _gunzipped(content, job.limit)
        hashes[file.name] = _store(job, file, content)
    return hashes


def _from_openml(job):
    from pumetrics_workflow.datasets.openml_client import download_openml

    openml = job.dataset.openml
    if not openml.verified:
        raise SourceFailed("its number is not verified, so it is not used")
    if job.offline:
        raise SourceFailed("not tried, offline")
    path = job.partial / f"openml-{openml.id}.parquet"
    download_openml(
        openml.id,
        path,
        cache=job.partial / "openml",
        server=job.openml_server,
        deadline=job.deadline,
        retries=job.retries,
    )
    return {path.name: _sha256(path)}


def _downloaded(job, url):
    """Path of a download; a second call with the same address returns the first one's."""
    from pumetrics_workflow.datasets.download import download

    if job.offline:
        raise SourceFailed("not tried, offline")
    path = job.partial / f"download-{hashlib.sha256(url.encode()).hexdigest()[:16]}"
    if not path.is_file():
        download(url, path, timeout=job.timeout, deadline=job.deadline, retries=job.retries, limit=job.limit)
    return path


def _member(job, file, archive, member):
    if file.bundle:
        return archives.bundle(archive, member, file.bundle, limit=job.limit)
    return archives.open_member(archive, member, limit=job.limit)


def _gunzipped(content, limit):
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            data = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceFailed(f"cannot be unpacked ({error})") from error
    if len(data) > limit:
        raise SourceFailed(f"unpacks to more than the {limit:,} bytes allowed")
    return data


def _store(job, file, content):
    """Check the bytes of a file, write them into the partial folder, and return their hash."""
    if Path(file.name).name != file.name or file.name.startswith(".") or file.name == MANIFEST:
        raise SourceFailed(f"the registry names a file {file.name!r}, which cannot be one of a data set")
    if not file.url.startswith("file:"):
        archives.check_packed(file.name, content, limit=job.limit)
    sha256 = hashlib.sha256(content).hexdigest()
    if file.sha256 and file.same_bytes and sha256 not in file.sha256:
        looks = ", it looks like a web page" if archives.looks_like_html(content) else ""
        raise SourceFailed(
            f"{file.name} is not the known file (sha256 {sha256[:12]}..., {len(content):,} bytes{looks})"
        )
    (job.partial / file.name).write_bytes(content)
    return sha256


def _check_content(job, number, hashes, label):
    """Where no hash vouches for the bytes, rows, features and positives must be the registry's."""
    if number != "openml":
        files = job.dataset.variants()[number].files
        if all(hashes[file.name] in file.sha256 for file in files):
            return
    _write_manifest(job.partial, job, number, hashes, label, [])
    try:
        prepare(job.dataset, job.partial)
    except ValueError as error:
        raise SourceFailed(f"does not hold what the registry says: {error}") from error


def _moved(job, number, hashes, label, tried):
    """Move the checked files into place, the manifest last: it says that they are complete."""
    for name in hashes:
        os.replace(job.partial / name, job.folder / name)
    _write_manifest(job.folder, job, number, hashes, label, tried)
    return FetchReport({name: job.folder / name for name in hashes}, label, tried)


def _write_manifest(folder, job, number, hashes, label, tried):
    manifest = {"name": job.dataset.name, "source": label, "alternative": number, "sha256": hashes, "tried": tried}
    temporary = folder / f"{MANIFEST}.part"
    temporary.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, folder / MANIFEST)


def _sha256(path):
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


@contextlib.contextmanager
def _locked(job):
    """Let one run at a time into a folder; the lock ends with the process that holds it, killed or not."""
    job.folder.mkdir(parents=True, exist_ok=True)
    with open(job.folder / ".lock", "w") as stream:
        with contextlib.suppress(ImportError):  # no fcntl on Windows, where Snakemake runs one rule per folder anyway
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        shutil.rmtree(job.partial, ignore_errors=True)  # left by a run that was killed
        try:
            yield
        finally:
            shutil.rmtree(job.partial, ignore_errors=True)
