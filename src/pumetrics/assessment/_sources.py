"""Where a table comes from: a file, or standard input, which is kept in a temporary file while it is read."""

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

__all__ = ["COLUMNAR", "COMPRESSED", "MAGIC", "STANDARD_INPUT", "Source", "opened", "source_of"]

COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
COLUMNAR = (".parquet", ".feather", ".arrow")
STANDARD_INPUT = "-"

MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\0": ".xz",
    b"PK\3\4": ".zip",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"FEA1": ".feather",
}
"""Suffixes by the first bytes of a file."""
_LONGEST_MAGIC = max(map(len, MAGIC))


class Source(NamedTuple):
    """A file and what messages call it."""

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
        return (self.path.with_suffix("") if self.compression else self.path).suffix.lower()

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
    if STANDARD_INPUT not in map(str, paths):
        yield tuple(map(source_of, paths))
        return
    with TemporaryDirectory(prefix="pumetrics-") as folder:
        given = _keep(Path(folder))
        yield tuple(given if str(path) == STANDARD_INPUT else source_of(path) for path in paths)


def _keep(folder):
    """Standard input in a file whose suffix says what it is, by its first bytes."""
    name = "standard input"
    if sys.stdin is None or sys.stdin.closed:
        raise ValueError(f"{name} is closed: name a file, or pipe one, such as cat scores.csv | pumetrics evaluate -")
    if sys.stdin.isatty():
        raise ValueError(
            f"{name} is a terminal: name a file, or pipe one, such as cat scores.csv | pumetrics evaluate -"
        )
    arriving = folder / "arriving"
    with arriving.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, length=1 << 20)
    with arriving.open("rb") as file:
        head = file.read(_LONGEST_MAGIC)
    suffix = next((suffix for magic, suffix in MAGIC.items() if head.startswith(magic)), "")
    path = folder / f"input{suffix if suffix in COLUMNAR else '.txt' + suffix}"
    os.replace(arriving, path)
    return Source(path, name)
