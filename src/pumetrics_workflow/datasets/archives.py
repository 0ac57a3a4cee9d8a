"""Taking one file out of an archive, safely: no path leaves the folder, no bomb fills the disk."""

import bz2
import contextlib
import fnmatch
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from pathlib import PurePosixPath

from pumetrics_workflow.datasets.errors import SourceFailed

__all__ = ["bundle", "check_packed", "decompress_z", "looks_like_html", "open_member", "read_member", "unpacked"]

_CHUNK = 1 << 20
_SHOWN = 6
_TIMES = 16  # all of a tar archive, whose members are found by unpacking it, may be so many times as large as a member
_MOST = 100_000  # members of an archive

# What the standard library raises on damaged or hostile archives, beside its own errors.
_UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    IndexError,
    OverflowError,
)


def open_member(archive, member, *, limit):
    """Bytes of one member of a zip or tar archive, unpacked if its name ends in ``.Z`` or ``.gz``.

    Parameters
    ----------
    archive : path or file object
        The archive.
    member : str
        Path inside; a folder in front may be missing. ``a.zip!b.csv`` opens a nested archive.
    limit : int
        Most bytes the member may unpack to.

    Returns
    -------
    bytes

    Raises
    ------
    SourceFailed
        If it is no archive, the member is missing or too large, or a path in the archive is unsafe.
    """
    name, data = read_member(archive, member, limit=limit)
    return unpacked(data, name, limit=limit)


def read_member(archive, member, *, limit, depth=2):
    """Name and bytes of one member as the archive holds it, still packed if its name says so.

    A member that is missing is looked for in the archives that the archive holds, `depth` levels deep: sites pack
    and unpack their files over the years. See :func:`open_member` for arguments and errors.
    """
    outer, _, inner = member.partition("!")
    with _opened(archive, limit) as opened:
        try:
            name = _found(opened, outer)
        except _Missing:
            within = _nested(opened, depth, limit)
            for nested in within:
                with contextlib.suppress(_Missing):
                    return read_member(nested, inner or outer, limit=limit, depth=depth - 1)
            if inner:
                return read_member(archive, inner, limit=limit, depth=0)
            raise
        data = opened.read(name, limit)
    if inner:
        return read_member(io.BytesIO(data), inner, limit=limit, depth=depth - 1)
    return name, data


def bundle(archive, folder, pattern, *, limit, depth=2):
    """Lines of all files below `folder` whose name fits `pattern`, each line after its file's name and a comma.

    The order is that of the names, so that one set gives the same bytes from any kind of archive, nested or not.
    """
    with _opened(archive, limit) as opened:
        members = {}
        for path in opened.names:
            parts = PurePosixPath(path).parts
            if folder in parts[:-1] and fnmatch.fnmatch(parts[-1], pattern):
                members[parts[-1]] = path
        if not members:
            for nested in _nested(opened, depth, limit):
                with contextlib.suppress(_Missing):
                    return bundle(nested, folder, pattern, limit=limit, depth=depth - 1)
            raise _Missing(f"holds no files {folder}/{pattern}{_sample(opened.names)}")
        joined = []
        for name in sorted(members):
            data = opened.read(members[name], limit)
            limit -= len(data)
            joined += [name.encode() + b"," + line + b"\n" for line in data.splitlines() if line.strip()]
    return b"".join(joined)


def looks_like_html(data):
    """Whether the first bytes are those of a web page, such as an error page sent with status 200."""
    head = data[:512].lstrip().lower()
    return head.startswith((b"<!doctype html", b"<html", b"<head", b"<?xml"))


def check_packed(name, content, *, limit):
    """Raise SourceFailed if a file that is kept packed, and unpacked by who reads it, unpacks to more than `limit`."""
    suffix = PurePosixPath(name).suffix.lower()
    opener = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(suffix)
    if opener:
        try:
            with opener(io.BytesIO(content)) as stream:
                _limited(stream, limit, name)
        except _UNREADABLE as error:
            raise SourceFailed(f"{name} cannot be unpacked ({error})") from error
    elif suffix in (".zip", ".zst", ".tar", ".tgz"):
        raise SourceFailed(f"{name}: an archive is no table; the registry must name its member")


class _Missing(SourceFailed):
    """An archive does not hold a member."""


def _nested(opened, depth, limit):
    """Archives inside an archive."""
    endings = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
    for name in sorted(opened.names) if depth else []:
        if name.lower().endswith(endings):
            yield io.BytesIO(opened.read(name, limit))


class _Archive:
    """What a zip and a tar archive have in common: names, and reading one member up to a limit."""

    def __init__(self, names, size, opener, close):
        self.names, self._size, self._opener, self._close = names, size, opener, close
        if len(names) > _MOST:
            raise SourceFailed(f"the archive holds {len(names):,} members, more than the {_MOST:,} allowed")
        for name in names:
            path = PurePosixPath(name.replace("\\", "/"))
            if path.is_absolute() or not path.parts or ".." in path.parts or ":" in path.parts[0] or "\0" in name:
                raise SourceFailed(f"the archive holds an unsafe path {name!r}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._close()

    def read(self, name, limit):
        """Bytes of a member; the stated size is checked first, the true one while reading."""
        if self._size(name) > limit:
            raise SourceFailed(f"{name} unpacks to {self._size(name):,} bytes, more than the {limit:,} allowed")
        try:
            with self._opener(name) as stream:
                return _limited(stream, limit, name)
        except _UNREADABLE as error:
            raise SourceFailed(f"{name} cannot be unpacked ({error})") from error


def _opened(archive, limit):
    archive = archive if hasattr(archive, "read") else str(archive)
    if zipfile.is_zipfile(archive):
        try:
            file = zipfile.ZipFile(archive)
        except _UNREADABLE as error:
            raise SourceFailed(f"is not a sound zip archive ({error})") from error
        names = [name for name in file.namelist() if not name.endswith("/")]
        return _Archive(names, lambda name: file.getinfo(name).file_size, file.open, file.close)
    if hasattr(archive, "seek"):
        archive.seek(0)  # the question whether it is a zip has read to its end
    try:
        file = tarfile.open(**({"fileobj": archive} if hasattr(archive, "read") else {"name": archive}))  # noqa: SIM115
        members = {item.name: item for item in _bounded(file, _TIMES * limit) if item.isfile()}
    except _UNREADABLE as error:
        raise SourceFailed(f"is neither a zip nor a tar archive{_what(archive)}") from error
    return _Archive(list(members), lambda name: members[name].size, file.extractfile, file.close)


def _bounded(file, limit):
    """Members of a tar archive, each before it is unpacked, as long as all of them stay below `limit` bytes."""
    total = 0
    for item in file:
        total += item.size
        if total > limit:
            raise SourceFailed(f"unpacks to more than the {limit:,} bytes allowed in all")
        yield item


def _what(archive):
    """What the bytes look like, where that helps."""
    if hasattr(archive, "read"):
        return ""
    with open(archive, "rb") as stream:
        return " but looks like a web page" if looks_like_html(stream.read(512)) else ""


def _found(opened, member):
    """Full name of a member; sites add folders in front, and pack or unpack members over the years."""
    plain = member.removesuffix(".Z").removesuffix(".gz")
    for wanted in (member, plain, f"{plain}.Z", f"{plain}.gz"):
        for matches in ([name for name in opened.names if name == wanted], _ending(opened.names, wanted)):
            if len(matches) > 1:
                raise SourceFailed(f"holds more than one member {wanted!r}{_sample(matches)}")
            if matches:
                return matches[0]
    raise _Missing(f"holds no member {member!r}{_sample(opened.names)}")


def _ending(names, wanted):
    return [name for name in names if name.endswith("/" + wanted)]


def _sample(names):
    shown = ", ".join(sorted(names)[:_SHOWN])
    return f" (it holds {shown}{', ...' if len(names) > _SHOWN else ''})"


def _limited(stream, limit, name):
    chunks, total = [], 0
    while chunk := stream.read(_CHUNK):
        total += len(chunk)
        if total > limit:
            raise SourceFailed(f"{name} unpacks to more than the {limit:,} bytes allowed")
        chunks.append(chunk)
    return b"".join(chunks)


def unpacked(data, name, *, limit):
    """Bytes of a file, unpacked if its name ends in ``.Z`` or ``.gz``."""
    if name.endswith(".Z"):
        return decompress_z(data, limit=limit)
    if name.endswith(".gz"):
        try:
            with gzip.open(io.BytesIO(data)) as stream:
                return _limited(stream, limit, name)
        except (OSError, EOFError, zlib.error) as error:
            raise SourceFailed(f"{name} cannot be unpacked ({error})") from error
    return data


def decompress_z(data, *, limit=1 << 30):
    """Bytes behind a file of Unix ``compress`` (``.Z``), which the standard library cannot read.

    LZW with codes of 9 to `max_bits` bits, least significant bit first. Codes come in groups of eight; where the
    width grows or the table is cleared, the writer pads the group, so the reader goes on at the next one.
    """
    if len(data) < 3 or data[:2] != b"\x1f\x9d":
        raise SourceFailed("is not a file of Unix compress (.Z)")
    max_bits, block_mode = data[2] & 0x1F, bool(data[2] & 0x80)
    if not 9 <= max_bits <= 16:
        raise SourceFailed(f"is compressed with codes of {max_bits} bits, 9 to 16 are known")
    start = [bytes([value]) for value in range(256)] + [b""] * block_mode  # code 256 clears the table
    table, bits, previous, position, out, total = list(start), 9, b"", 3, [], 0
    while position < len(data):
        group = data[position : position + bits]
        codes = int.from_bytes(group, "little")
        position += bits
        width = bits
        for number in range(len(group) * 8 // width):
            code = codes >> number * width & (1 << width) - 1
            if code == 256 and block_mode:
                table, bits, previous = list(start), 9, b""
                break
            entry = _lzw_entry(table, code, previous)
            out.append(entry)
            total += len(entry)
            if total > limit:
                raise SourceFailed(f"unpacks to more than the {limit:,} bytes allowed")
            if previous and len(table) < 1 << max_bits:
                table.append(previous + entry[:1])
            previous = entry
            if len(table) >= 1 << bits and bits < max_bits:
                bits += 1
                break
    return b"".join(out)


def _lzw_entry(table, code, previous):
    if code < len(table):
        return table[code]
    if code == len(table) and previous:
        return previous + previous[:1]
    raise SourceFailed("is a damaged .Z file")
