"""Bytes out of a raw file: unpacked, and out of an archive; nothing is written, and nothing unpacks without a limit."""

import contextlib
import fnmatch
import gzip
import hashlib
import io
import tarfile
import zipfile
from pathlib import PurePosixPath

__all__ = ["LIMIT", "SourceFailed", "read_raw"]

LIMIT = 1 << 30  # bytes that a file may have once it is unpacked

_TIMES = 16  # all of a tar archive, whose members are found by unpacking it, may be so many times as large as a file
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


class SourceFailed(Exception):
    """One source failed; the message says why. The next source is tried."""


class _Missing(SourceFailed):
    """An archive does not hold a member."""


def read_raw(path, member="", *, bundle="", known_packed=(), limit=LIMIT):
    """Bytes of a raw file, unpacked, and its packed bytes.

    Members are read into memory and never extracted, so no path or link in an archive leads anywhere.

    Parameters
    ----------
    path : path
        A plain file, one packed by gzip or Unix ``compress``, or a zip or tar archive.
    member : str
        Path inside an archive; folders in front, another packing (``.Z``, ``.gz``) and archives around it, up to two,
        may be missing from it. Empty: the file itself.
    bundle : str
        Pattern of file names below the folder `member`. All lines of these files are joined, in the order of the
        names, each after its file's name and a comma.
    known_packed : sequence of str
        SHA-256 of packed bytes. A ``.Z`` file must be among them, as nothing limits what it unpacks to.
    limit : int
        Most bytes it may unpack to.

    Returns
    -------
    data : bytes
    packed : bytes
        The bytes before they were unpacked by gzip or ``compress``; empty if they were not.

    Raises
    ------
    SourceFailed
        If it is damaged, too large, a web page, or has no such member.
    """
    try:
        with open(path, "rb") as stream:
            if not member:
                return _unpacked(_limited(stream, limit), known_packed, limit)
            _refuse_page(stream.read(512))
            members = _members(stream, member, bundle, limit)
        if not bundle:
            return _unpacked(*members.values(), known_packed, limit)
    except SourceFailed:
        raise
    except Exception as error:  # readers raise whatever damaged and hostile files lead them to
        raise SourceFailed(f"cannot be unpacked ({error})") from error
    joined = []
    for path, data in members.items():
        name = PurePosixPath(path).name.encode()
        joined += [b"%s,%s\n" % (name, line) for line in data.splitlines() if line.strip()]
    return b"".join(joined), b""


def _limited(stream, limit):
    """All bytes of a stream, unless there are more than `limit`."""
    with stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise SourceFailed(f"unpacks to more than the {limit:,} bytes allowed")
    return data


def _unpacked(data, known_packed, limit):
    """Bytes and packed bytes of what may be packed."""
    content = data
    if data[:2] == b"\x1f\x8b":
        content = _limited(gzip.GzipFile(fileobj=io.BytesIO(data)), limit)
    elif data[:2] == b"\x1f\x9d":
        if hashlib.sha256(data).hexdigest() not in known_packed:
            raise SourceFailed("its .Z file is not the known one")
        import unlzw3

        content = unlzw3.unlzw(data)
    _refuse_page(content)
    return content, data if content is not data else b""


def _refuse_page(data):
    """Refuse a web page, such as an error page sent with status 200."""
    if data[:512].lstrip().lower().startswith((b"<!doctype html", b"<html", b"<head", b"<?xml")):
        raise SourceFailed("looks like a web page")


def _members(archive, member, bundle, limit, depth=2):
    """Bytes by name of the members that are wanted, from an archive or from one inside it."""
    with _opened(archive, limit) as (names, opener):
        wanted = _bundled(names, member, bundle) if bundle else _named(names, member)
        found = {}
        for name in wanted:
            found[name] = _limited(opener(name), limit)
            limit -= len(found[name])
        if found:
            return found
        for name in sorted(names) if depth else ():
            if name.lower().endswith(_ARCHIVES):
                inner = io.BytesIO(_limited(opener(name), limit))
                with contextlib.suppress(_Missing):
                    return _members(inner, member, bundle, limit, depth - 1)
        shown = ", ".join(sorted(names)[:6]) + (", ..." if len(names) > 6 else "")
        raise _Missing(f"holds no member {member!r} (it holds {shown})")


def _bundled(names, folder, pattern):
    """Names of the files below a folder that fit a pattern, sorted by the last part."""
    paths = {name: PurePosixPath(name) for name in names}
    chosen = [
        name
        for name, path in paths.items()
        if folder in path.parts[:-1] and fnmatch.fnmatch(path.name, pattern)
    ]
    return sorted(chosen, key=lambda name: paths[name].name)


def _named(names, member):
    """Full name of a member, if it is there; sites add folders in front, and pack or unpack members over the years."""
    plain = member.removesuffix(".Z").removesuffix(".gz")
    for wanted in (member, plain, f"{plain}.Z", f"{plain}.gz"):
        matches = sorted((name for name in names if f"/{name}".endswith(f"/{wanted}")), key=len)
        if matches:
            return matches[:1]
    return []


@contextlib.contextmanager
def _opened(archive, limit):
    """Names of the files in an archive, and what opens one of them. Links and devices are none."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as file:
            yield [name for name in file.namelist() if not name.endswith("/")], file.open
        return
    archive.seek(0)  # the question whether it is a zip has read to its end
    try:
        file = tarfile.open(fileobj=archive)  # noqa: SIM115
    except tarfile.ReadError as error:
        raise SourceFailed("is neither a zip nor a tar archive") from error
    with file:
        items = {}
        allowed = left = _TIMES * limit
        for item in file:
            left -= item.size
            if left < 0:
                raise SourceFailed(f"unpacks to more than the {allowed:,} bytes allowed in all")
            if item.isfile():
                items[item.name] = item
        yield list(items), lambda name: file.extractfile(items[name])
