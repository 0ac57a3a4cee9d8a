"""Fetching raw files from the first source that has the right ones; unverified files never pass silently."""

import hashlib
import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from pumetrics_workflow.datasets.downloads import Downloads, locked
from pumetrics_workflow.datasets.errors import DataUnavailable, SourceFailed
from pumetrics_workflow.datasets.prepare import MANIFEST, prepare
from pumetrics_workflow.datasets.sources import sources

__all__ = ["TRUST", "FetchReport", "fetch", "fetch_all"]

_PARTIAL = ".partial"
_LIMIT = 1 << 30

# What vouches for the files of a set, the best first.
TRUST = {
    "bytes": "the known bytes",
    "content": "other bytes than the known ones, the same content",
    "counts": "no hash is known; rows, features, positives and missing values agree",
    "different": "OTHER VALUES than the known ones; rows, features, positives and missing values agree",
}


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
    trust : str
        A key of :data:`TRUST`: what vouches for the files.
    warning : str
        What to know before using them; empty if nothing.
    """

    paths: dict
    source: str
    tried: list = field(default_factory=list)
    trust: str = "bytes"
    warning: str = ""


@dataclass(frozen=True)
class _Job:
    """One data set on its way into one folder."""

    dataset: object
    folder: Path
    downloads: Downloads
    strict: bool

    @property
    def partial(self):
        """Folder for what is not checked yet."""
        return self.folder / _PARTIAL


@dataclass(frozen=True)
class _Candidate:
    """Files that a source gave, checked as far as they can be."""

    number: object
    hashes: dict
    label: str
    trust: str
    folder: Path


def fetch(
    dataset,
    folder,
    *,
    mirror=None,
    offline=False,
    strict=False,
    patience=None,
    limit=_LIMIT,
    openml_server=None,
    progress=None,
):
    """Bring the raw files of a data set into a folder, each checked.

    Files that are there and right are kept. Otherwise the sources are tried in order: the mirror, the official site,
    its older address, pinned copies, OpenML. Files whose SHA-256 is known are right. Others are read and must have
    the counts of the registry; if they also have the known content (other line ends, a file saved anew) they are
    right as well. Files with the counts but another content are the last resort, and only with a warning.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry.
    folder : path
        Where the files go; made if need be. Two runs may fetch into it at once: one waits for the other. Downloads lie
        in ``.downloads`` beside it, so that sets which share an archive fetch it once.
    mirror : path or str, optional
        Folder or address that holds ``<slug>/<file>``, ``<slug>/<file>.gz`` or the official archive.
    offline : bool
        Never open a connection: only the folder itself and a mirror that is a folder are used.
    strict : bool
        Refuse files with other values than the known ones.
    patience : Patience, optional
        How long to wait for servers.
    limit : int
        Most bytes to accept per file.
    openml_server : str, optional
        Another server that speaks OpenML's API.
    progress : callable, optional
        Called with an address, the bytes so far, and their number in all (None if unknown).

    Returns
    -------
    FetchReport

    Raises
    ------
    DataUnavailable
        If no source gave the files: one line with what was tried and what to do.
    """
    from pumetrics_workflow.datasets.download import Patience

    if dataset.kind in ("embedded", "generated"):
        return FetchReport({}, "bundled with scikit-learn" if dataset.kind == "embedded" else "generated")
    if dataset.kind == "unavailable":
        instead = f"; {dataset.stand_in} stands in for it" if dataset.stand_in else ""
        raise DataUnavailable(dataset.name, f"{dataset.name}: {dataset.unavailable}{instead}")
    folder = Path(folder)
    downloads = Downloads(folder.parent / ".downloads", patience or Patience(), limit, offline, progress)
    job, tried = _Job(dataset, folder, downloads, strict), []
    try:
        with locked(folder / ".lock"):
            shutil.rmtree(job.partial, ignore_errors=True)  # left by a run that was killed
            try:
                return _present(job) or _from_sources(job, mirror, openml_server, tried)
            finally:
                shutil.rmtree(job.partial, ignore_errors=True)
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
        if manifest.get("trust") == "different":  # a source may have the right ones by now
            return None
        return _report(job, manifest, ["already there"])
    for name in [*wrong, MANIFEST]:
        (job.folder / name).unlink(missing_ok=True)
    return None


def _report(job, manifest, tried):
    paths = {name: job.folder / name for name in manifest["sha256"]}
    trust = manifest.get("trust", "bytes")
    return FetchReport(paths, manifest["source"], tried, trust, manifest.get("warning", ""))


def _from_sources(job, mirror, openml_server, tried):
    dataset, last_resort = job.dataset, None
    options = {"mirror": mirror, "partial": job.partial, "openml_server": openml_server}
    job.partial.mkdir(parents=True)
    for source in sources(dataset, job.downloads, **options):
        for candidate in _tried(job, source, tried):
            if candidate.trust != "different":
                return _moved(job, candidate, tried)
            last_resort = last_resort or candidate
    if last_resort and not job.strict:
        return _moved(job, last_resort, tried)
    _forget(job)
    where = f"put its files into MIRROR/{dataset.slug}/ and name that mirror"
    todo = where if job.downloads.offline else f"{where}, or try again where the network allows"
    instead = f"; {dataset.stand_in} can stand in for it" if dataset.stand_in else ""
    message = f"{dataset.name}: no source gave its files ({'; '.join(tried) or 'none is known'}): {todo}{instead}"
    raise DataUnavailable(dataset.name, message, tried)


def _tried(job, source, tried):
    """Every set of files of a source that can be used, checked; what cannot be used is noted in `tried`."""
    try:
        contents = source.get(tried)
    except SourceFailed as error:
        tried += [f"{source.label}: {error}"] if str(error) else []
        return
    for rank in range(max(map(len, contents.values()))):
        chosen = {name: choices[min(rank, len(choices) - 1)] for name, choices in contents.items()}
        label = " and ".join(dict.fromkeys(content.label for content in chosen.values()))
        folder = Path(job.partial, f"{len(list(job.partial.iterdir()))}")
        folder.mkdir()
        try:
            candidate = _checked(job, source.number, chosen, label, folder)
        except SourceFailed as error:
            _forget(job)
            tried.append(f"{label}: {error}")
            continue
        words = TRUST[candidate.trust]
        if candidate.trust == "different":
            _forget(job)
        if candidate.trust == "different" and job.strict:
            words += ", refused"
        tried.append(f"{label}: {'ok' if candidate.trust == 'bytes' else words}")
        yield candidate


def _forget(job):
    """Delete the downloads of a set, also shared ones: what they hold is wrong now, and may be right next time."""
    job.downloads.forget(*(place.url for place in job.dataset.locations()))


def _checked(job, number, contents, label, folder):
    """Write files into a folder of their own and say what vouches for them; SourceFailed if they cannot be right."""
    from pumetrics_workflow.datasets.content import content_hash

    dataset, hashes = job.dataset, {}
    for name, content in contents.items():
        (folder / name).write_bytes(content.data)
        hashes[name] = hashlib.sha256(content.data).hexdigest()
    if all(content.known for content in contents.values()):
        return _Candidate(number, hashes, label, "bytes", folder)
    _write_manifest(folder, dataset, _Candidate(number, hashes, label, "counts", folder), [])
    try:
        frame, _ = prepare(dataset, folder)
    except ValueError as error:
        raise SourceFailed(f"does not hold what the registry says: {error}") from error
    if dataset.content.hash:
        trust = "content" if content_hash(frame) == dataset.content.hash else "different"
    else:
        known = number != "openml" and any(file.sha256 for file in dataset.variants()[number].files)
        trust = "different" if known else "counts"
    return _Candidate(number, hashes, label, trust, folder)


def _moved(job, candidate, tried):
    """Move the checked files into place, the manifest last: it says that they are complete."""
    for name in candidate.hashes:
        os.replace(candidate.folder / name, job.folder / name)
    manifest = _write_manifest(job.folder, job.dataset, candidate, tried)
    job.downloads.forget(*{place.url for place in job.dataset.locations()} - set(job.dataset.shared))
    return _report(job, manifest, tried)


def _write_manifest(folder, dataset, candidate, tried):
    other = candidate.trust == "different"
    manifest = {
        "name": dataset.name,
        "source": candidate.label,
        "alternative": candidate.number,
        "sha256": candidate.hashes,
        "trust": candidate.trust,
        "warning": f"The files from {candidate.label} hold {TRUST['different']}." if other else "",
        "tried": tried,
    }
    temporary = folder / f"{MANIFEST}.part"
    temporary.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, folder / MANIFEST)
    return manifest


def _sha256(path):
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
