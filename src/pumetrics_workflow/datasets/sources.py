"""Where raw files come from: a user's own file, a mirror, the official site, pinned copies, OpenML."""

import gzip
import hashlib
import io
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlparse

from pumetrics_workflow.datasets import archives
from pumetrics_workflow.datasets.downloads import Downloads
from pumetrics_workflow.datasets.errors import SourceFailed
from pumetrics_workflow.datasets.prepare import MANIFEST

__all__ = ["Content", "Source", "sources"]


@dataclass(frozen=True)
class Content:
    """Bytes of a file as a source gives them, and whether a known hash vouches for them."""

    data: bytes
    known: bool
    label: str


@dataclass(frozen=True)
class Source:
    """One source of all files of an alternative.

    Attributes
    ----------
    label : str
        What it is called in reports.
    number : int or str
        Number of the alternative of the data set, or ``"openml"``.
    get : callable
        Takes a list for the failures and gives, by file name, a list of :class:`Content`: one with known bytes, or all
        that were found. Raises SourceFailed.
    """

    label: str
    number: object
    get: object


def sources(dataset, downloads, *, mirror=None, partial=None, openml_server=None):
    """Every :class:`Source` of a data set, in the order in which they are tried.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry.
    downloads : Downloads
        Fetches addresses, each once.
    mirror : path or str, optional
        Folder or address of a mirror.
    partial : path
        Folder for what OpenML's client leaves.
    openml_server : str, optional
        Another server that speaks OpenML's API.
    """
    variants = list(enumerate(dataset.variants()))
    own_path = dataset.own_file
    if own_path:
        yield Source("own file", 0, lambda _: {dataset.files[0].name: [_own(dataset.files[0], own_path)]})
        return
    for number, variant in variants if mirror else []:
        place = _Mirror(str(mirror), dataset.slug, downloads)
        label = f"mirror {mirror}"
        yield Source(
            label, number, lambda _, place=place, variant=variant: {f.name: [place.get(f)] for f in variant.files}
        )
    for number, variant in variants:
        if variant.files and all(file.locations for file in variant.files):
            label = urlparse(variant.files[0].locations[0].url).netloc
            yield Source(label, number, lambda tried, variant=variant: _from_locations(downloads, variant.files, tried))
    if dataset.openml:
        yield Source(
            f"OpenML {dataset.openml.id}", "openml", lambda _: _from_openml(dataset, downloads, partial, openml_server)
        )


def _own(file, path):
    if not path.is_file():
        raise SourceFailed(f"{path} does not exist")
    data = path.read_bytes()
    known = not file.sha256 or hashlib.sha256(data).hexdigest() in file.sha256
    if not known:
        raise SourceFailed(f"{file.name} is not the file whose sha256 its entry states")
    return Content(data, known, "own file")


@dataclass(frozen=True)
class _Mirror:
    """A folder or an address with ``<slug>/<file>``, ``<slug>/<file>.gz`` or ``<slug>/<official archive>``."""

    place: str
    slug: str
    downloads: Downloads

    def get(self, file):
        """One file of the mirror."""
        limit, packed = self.downloads.limit, b""
        path, member = self._first(self._names(file))
        try:
            if member is not None:
                data, packed = _member(file, path, member, limit)
            else:
                data = path.read_bytes()
                if data[:2] == b"\x1f\x8b" and not file.name.endswith(".gz"):
                    packed, data = data, _gunzipped(data, limit)
        finally:
            if path.parent == self.downloads.folder:  # a mirror may change at any time
                path.unlink(missing_ok=True)
        return _checked(file, data, f"mirror {self.place}", packed=packed, limit=limit)

    def _names(self, file):
        """Names that the file may have, each with the member of it that is wanted, or None for all of it."""
        name, slug = _inside(file.mirror or file.name), _inside(self.slug)
        if file.mirror:
            member = file.mirror_member or file.member
            return [(f"{slug}/{name}", member), (f"{slug}/{name}.gz", member)]
        names = [(f"{slug}/{name}", None), (f"{slug}/{name}.gz", None)]
        if file.member and file.url:
            names.append((f"{slug}/{_inside(urlparse(file.url).path.rpartition('/')[2])}", file.member))
        return names

    def _first(self, names):
        failures = []
        for name, member in names:
            if not self.place.startswith(("http://", "https://")):
                path = Path(self.place).expanduser() / name
                if path.is_file():
                    return path, member
                failures.append(f"no file {name}")
                continue
            try:
                return self.downloads.get(f"{self.place.rstrip('/')}/{name}"), member
            except SourceFailed as error:
                failures.append(f"{name}: {error}")
        raise SourceFailed(failures[0])


def _inside(path):
    """Path below a mirror, as the registry gives it: it must not lead out of the mirror."""
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in path:
        raise SourceFailed(f"the registry names an unsafe path {path!r}")
    return path


def _from_locations(downloads, files, tried):
    """Each file from the first of its locations that has the known bytes, or all that was found instead."""
    by_name = {}
    for file in files:
        failures, contents = [], []
        for place in file.locations:
            label = urlparse(place.url).netloc + {"legacy": " (older address)", "copy": " (copy)"}.get(place.kind, "")
            try:
                contents.append(_from_location(downloads, file, place, label))
            except SourceFailed as error:
                failures.append(f"{label}: {error}")
                continue
            if contents[-1].known:
                contents = contents[-1:]
                break
        if not contents:
            tried += failures
            raise SourceFailed("")
        tried += [failure for failure in failures if failure not in tried]
        by_name[file.name] = contents
    return by_name


def _from_location(downloads, file, place, label):
    path = downloads.get(place.url)
    limit = downloads.limit
    try:
        if place.member:
            data, packed = _member(file, path, place.member, limit)
            return _checked(file, data, label, packed=packed, limit=limit)
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b" and not file.name.endswith(".gz"):
            packed, data = data, _gunzipped(data, limit)
            return _checked(file, data, label, packed=packed, limit=limit)
        if place.url.endswith(".Z"):
            data = archives.unpacked(data, place.url, limit=limit)
        return _checked(file, data, label, limit=limit)
    except FileNotFoundError:
        raise SourceFailed("its download was found wrong by another data set") from None
    except SourceFailed:
        downloads.forget(place.url)
        raise


def _member(file, archive, member, limit):
    """Bytes of a member and, where it is packed once more, its packed bytes."""
    if file.bundle:
        return archives.bundle(archive, member, file.bundle, limit=limit), b""
    name, packed = archives.read_member(archive, member, limit=limit)
    return archives.unpacked(packed, name, limit=limit), packed


def _gunzipped(content, limit):
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            data = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceFailed(f"cannot be unpacked ({error})") from error
    if len(data) > limit:
        raise SourceFailed(f"unpacks to more than the {limit:,} bytes allowed")
    return data


def _checked(file, data, label, *, limit, packed=b""):
    """Content of a file, refused if it is a web page or an archive that nothing here would read."""
    if Path(file.name).name != file.name or file.name.startswith(".") or file.name == MANIFEST:
        raise SourceFailed(f"the registry names a file {file.name!r}, which cannot be one of a data set")
    archives.check_packed(file.name, data, limit=limit)
    known = hashlib.sha256(data).hexdigest() in file.sha256
    known |= bool(packed) and hashlib.sha256(packed).hexdigest() in file.sha256_packed
    if not known and archives.looks_like_html(data):
        raise SourceFailed(f"{file.name} looks like a web page ({len(data):,} bytes)")
    return Content(data, known, label)


def _from_openml(dataset, downloads, partial, server):
    from pumetrics_workflow.datasets.openml_client import download_openml

    openml = dataset.openml
    if not openml.verified:
        raise SourceFailed("its number is not verified, so it is not used")
    if downloads.offline:
        raise SourceFailed("not tried, offline")
    path = partial / f"openml-{openml.id}.parquet"
    download_openml(openml.id, path, downloads=downloads, cache=partial / "openml", server=server or openml.server)
    return {path.name: [Content(path.read_bytes(), False, f"OpenML {openml.id}")]}
