"""Where the bytes of a score file come from: a path or standard input, packed or not, and what its format is."""

import csv
import io
import os
import re
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pumetrics.extras import require

__all__ = [
    "DELIMITERS",
    "ESCAPES",
    "Source",
    "check_path",
    "described",
    "is_readable",
    "opened",
    "reading",
    "source_of",
    "unpacked",
]

COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
COLUMNAR = (".parquet", ".feather", ".arrow")
JSON_LINES = (".jsonl", ".ndjson")
# The usual delimiter of the suffix is the first.
DELIMITERS = {".csv": ",;\t|", ".tsv": "\t,;|", ".txt": "\t,;| "}

MAGIC = {
    b"\x1f\x8b": (".gz", "compressed by gzip: rename it to end in .gz"),
    b"BZh": (".bz2", "compressed by bzip2: rename it to end in .bz2"),
    b"\xfd7zXZ\0": (".xz", "compressed by xz: rename it to end in .xz"),
    b"PK\3\4": (".zip", "a zip archive or an Excel workbook"),
    b"\x28\xb5\x2f\xfd": (".zst", "compressed by Zstandard: rename it to end in .zst"),
    b"PAR1": (".parquet", "a Parquet file: rename it to end in .parquet"),
    b"ARROW1": (".arrow", "an Arrow file: rename it to end in .feather"),
    b"FEA1": (".feather", "an Arrow file: rename it to end in .feather"),
    b"\x89PNG": ("", "a PNG image"),
    b"\xff\xd8\xff": ("", "a JPEG image"),
    b"%PDF": ("", "a PDF document"),
}
"""Suffix of a format that is read, and what a file without that suffix is, by the first bytes."""
# Control characters in a name would reach a terminal and a page.
ESCAPES = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]")


class Source(NamedTuple):
    """A file and its name in messages."""

    path: Path
    name: str

    def __str__(self):
        return self.name

    @property
    def compression(self):
        """Suffix of a compression, or an empty string."""
        suffix = self.path.suffix.lower()
        return suffix if suffix in COMPRESSED else ""

    @property
    def kind(self):
        """Suffix that says what the content is, in lower case, without that of a compression."""
        path = self.path.with_suffix("") if self.compression else self.path
        return path.suffix.lower()

    @property
    def is_json(self):
        """Whether each line of the file is a JSON object."""
        return self.kind in JSON_LINES

    @property
    def has_types(self):
        """Whether numbers and text are told apart in the file, as in columns and in JSON."""
        return self.is_columnar or self.is_json

    @property
    def is_columnar(self):
        """Whether the file holds columns with types, not text."""
        return self.kind in COLUMNAR and not self.compression


def source_of(path):
    """A source as it is, and any path as a source that is called by its path."""
    return path if isinstance(path, Source) else Source(Path(path), str(path))


@contextmanager
def opened(*paths):
    """Sources of paths, among which "-" is standard input.

    Parameters
    ----------
    *paths : path-like
        Standard input is read once, however often it is named, and forgotten at the end.

    Yields
    ------
    tuple of Source
        One for each path.

    Raises
    ------
    ValueError
        If standard input is to be read, and is closed or a terminal.
    """
    if "-" not in map(str, paths):
        yield tuple(map(source_of, paths))
        return
    with TemporaryDirectory(prefix="pumetrics-") as folder:
        given = _standard_input(Path(folder))
        yield tuple(given if str(path) == "-" else source_of(path) for path in paths)


def _standard_input(folder):
    """Standard input in a file whose suffix says what it is, by its first bytes."""
    state = ""
    if sys.stdin is None or sys.stdin.closed:
        state = "closed"
    elif sys.stdin.isatty():
        state = "a terminal"
    if state:
        raise ValueError(
            f"standard input is {state}: give a file name, or pipe a file, such as cat "
            "scores.csv | pumetrics evaluate -"
        )

    arriving = folder / "arriving"
    with arriving.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, length=1 << 20)
    start = _start(arriving)
    suffix, _ = described(start)
    if start.lstrip().startswith(b"{"):
        suffix = JSON_LINES[0]
    path = folder / f"input{suffix if suffix in (*COLUMNAR, *JSON_LINES) else '.txt' + suffix}"
    os.replace(arriving, path)
    return Source(path, "standard input")


def _start(path):
    with open(path, "rb") as file:
        return file.read(max(map(len, MAGIC)))


def described(head):
    """Suffix and description of a file by its first bytes, blank if they are unknown."""
    for magic, known in MAGIC.items():
        if head.startswith(magic):
            return known
    return "", ""


def is_readable(path):
    """Whether a file's name is that of a format that is read."""
    source = source_of(path)
    return source.has_types or source.kind in DELIMITERS


def check_path(source):
    """Raise ValueError unless the source is a file of a format that is read."""
    if source.path.is_dir():
        raise ValueError(f"{source} is a folder: give a file")
    if not source.path.exists():
        raise ValueError(f"file {source} does not exist")
    if not source.path.is_file():
        raise ValueError(f"{source} is a pipe or a device: give - in its place, and add < {source}")
    if ESCAPES.search(source.name):
        raise ValueError(f"{source} has a control character in its name: rename it")
    if not is_readable(source):
        raise ValueError(
            f"{source} must be a .csv, .tsv, .txt, .jsonl, .parquet or .feather file (text may be "
            f"compressed: {', '.join(COMPRESSED)})"
        )
    suffix = source.compression
    head = _start(source.path)
    if suffix and head and described(head)[0] != suffix:
        raise ValueError(
            f"{source} cannot be read: it is not compressed, as {suffix} says; if it is text, "
            f"rename it to end in {source.kind}"
        )


@contextmanager
def reading(source, broken=None):
    """Turn whatever makes a file unreadable into one line; `broken` says what a wrong content means."""
    import lzma
    import zlib
    from zipfile import BadZipFile

    unreadable = (
        OSError,
        EOFError,
        RuntimeError,
        csv.Error,
        lzma.LZMAError,
        zlib.error,
        BadZipFile,
    )
    try:
        yield
    except (*unreadable, ValueError) as error:  # pandas' and pyarrow's errors are ValueErrors
        reason, *_ = str(error).strip().splitlines() or [type(error).__name__]
        if broken and isinstance(error, ValueError):
            reason = broken
        raise ValueError(f"{source} cannot be read: {reason}") from None


def unpacked(source):
    """The file's bytes, unpacked."""
    import bz2
    import gzip
    import lzma

    if source.compression == ".zip":
        return _only_member(source.path)
    if source.compression == ".zst":
        return _zstandard(source)
    openers = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, "": open}
    return openers[source.compression](source.path, "rb")


def _only_member(path):
    """The one file of a zip archive."""
    from zipfile import ZipFile

    archive = ZipFile(path)
    members = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise ValueError(f"it contains {len(members)} files: keep one")
    return archive.open(members[0])


def _zstandard(source):
    """Python unpacks Zstandard from 3.14 on, and pyarrow everywhere."""
    try:
        from compression import zstd
    except ModuleNotFoundError:
        pyarrow = require("pyarrow", extra="parquet", purpose=f"reading {source}")
        return io.BufferedReader(pyarrow.input_stream(source.path, compression="zstd"))
    return zstd.open(source.path, "rb")
