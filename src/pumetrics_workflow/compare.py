"""Comparing the tables of two runs: byte for byte, and where bytes differ, value by value."""

import filecmp
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

__all__ = ["ColumnDifference", "Comparison", "FileDifference", "compare_runs", "compare_tables"]

_KINDS = (".csv", ".parquet")
_TIME = "seconds"


@dataclass(frozen=True)
class ColumnDifference:
    """How one column differs.

    Attributes
    ----------
    column : str
    rows : int
        Number of rows that differ by more than is allowed.
    row : int
        The row, counted from 0, with the largest difference; the first one that differs if they are no numbers.
    first, second : object
        What the two tables hold there.
    absolute, relative : float
        Largest absolute difference, and largest difference as a share of the larger magnitude, in all rows; NaN for
        text, infinite where one side has a number and the other none.
    """

    column: str
    rows: int
    row: int
    first: object
    second: object
    absolute: float
    relative: float


@dataclass(frozen=True)
class FileDifference:
    """How one table differs: its columns, or in `shape` why they cannot be compared."""

    name: str
    rows: int = 0
    columns: list = field(default_factory=list)
    shape: str = ""

    def lines(self):
        """Return one line for each column."""
        yield f"different: {self.name}" + (f": {self.shape}" if self.shape else "")
        for column in self.columns:
            where = f"row {column.row}: {column.first!s} against {column.second!s}"
            size = (
                "" if np.isnan(column.absolute) else f", by {column.absolute:.3g} at most, {column.relative:.3g} of it"
            )
            yield f"  {column.column}: {column.rows} of {self.rows} rows{size} ({where})"


@dataclass(frozen=True)
class Comparison:
    """Result of a comparison of two runs.

    Attributes
    ----------
    names : tuple of str
        The two sides as given.
    same_bytes, same_values : list of str
        Tables that are the same byte for byte, and those equal in value (within what is allowed) but not in bytes.
    different : list of FileDifference
    only : tuple of (list of str, list of str)
        Tables that only the first or only the second run has.
    timed : list of str
        Tables in which times were left out.
    """

    names: tuple
    same_bytes: list = field(default_factory=list)
    same_values: list = field(default_factory=list)
    different: list = field(default_factory=list)
    only: tuple = ((), ())
    timed: list = field(default_factory=list)

    @property
    def equal(self):
        """Whether both have the same tables with the same values."""
        return not self.different and not any(self.only)

    def lines(self):
        """Return a line for every table that differs or is missing, then the counts."""
        for difference in self.different:
            yield from difference.lines()
        for side, names in zip(self.names, self.only, strict=True):
            yield from (f"only in {side}: {name}" for name in names)
        missing = sum(map(len, self.only))
        yield (
            f"{len(self.same_bytes)} tables are byte-identical, {len(self.same_values)} equal in value, "
            f"{len(self.different)} differ, {missing} exist on one side only"
        )
        if self.timed:
            yield f"times were ignored in {len(self.timed)} tables"
        yield "not compared: logs, reports, figures, provenance"


def compare_runs(first, second, *, tolerance=0.0, rtol=0.0):
    """Compare all CSV and Parquet tables of two folders, or two tables.

    Parameters
    ----------
    first, second : path
        Two folders, for example ``results/quick``, or two files.
    tolerance, rtol : float
        A difference counts if it exceeds ``tolerance + rtol * max(|a|, |b|)``.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If something is missing, is no table, or cannot be read.
    """
    first, second = Path(first), Path(second)
    for path in (first, second):
        if not path.exists():
            raise ValueError(f"{path}: there is no such file or folder; name a results folder or a table")
    if first.is_dir() != second.is_dir():
        raise ValueError(f"{first} and {second}: compare two folders or two files, not one of each")
    ours, theirs = _tables(first), _tables(second)
    for side, tables in ((first, ours), (second, theirs)):
        if not tables:
            raise ValueError(f"{side} holds no table; tables end in {' or '.join(_KINDS)}")
    only = (sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours)))
    comparison = Comparison((str(first), str(second)), only=only)
    for name in sorted(set(ours) & set(theirs)):
        _compare_file(comparison, name, ours[name], theirs[name], tolerance, rtol)
    return comparison


def compare_tables(first, second, *, tolerance=0.0, rtol=0.0):
    """Compare two frames row by row and return a ColumnDifference for each column that differs.

    Parameters
    ----------
    first, second : pandas.DataFrame
        Same columns, same number of rows.
    tolerance, rtol : float
        As for :func:`compare_runs`.
    """
    pairs = ((name, first[name], second[name]) for name in first.columns)
    differences = (_compare_column(name, a, b, tolerance, rtol) for name, a, b in pairs)
    return [difference for difference in differences if difference]


def _tables(path):
    """Tables by the name under which they are compared; two single files have the same."""
    if path.is_file():
        return {"": path} if path.suffix in _KINDS else {}
    paths = (file for file in path.rglob("*") if file.suffix in _KINDS and file.is_file())
    return {file.relative_to(path).as_posix(): file for file in paths if not file.name.startswith(".")}


def _compare_file(comparison, name, ours, theirs, tolerance, rtol):
    """Put one pair of tables where it belongs in `comparison`."""
    shown = name or str(ours)
    if filecmp.cmp(ours, theirs, shallow=False):
        comparison.same_bytes.append(shown)
        return
    first, second = _read(ours), _read(theirs)
    if list(first.columns) != list(second.columns):
        odd = sorted(set(map(str, first.columns)) ^ set(map(str, second.columns)))
        comparison.different.append(FileDifference(shown, shape=f"other columns: {', '.join(odd) or 'another order'}"))
        return
    if _timed(first):
        comparison.timed.append(shown)
        first, second = _without_times(first), _without_times(second)
    if len(first) != len(second):
        comparison.different.append(FileDifference(shown, shape=f"{len(first)} rows against {len(second)}"))
        return
    columns = compare_tables(first, second, tolerance=tolerance, rtol=rtol)
    if columns:
        comparison.different.append(FileDifference(shown, len(first), columns))
    else:
        comparison.same_values.append(shown)


def _read(path):
    import pandas as pd

    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path, page_checksum_verification=True)
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"{path} cannot be read ({reason}): delete it and run again to rebuild it") from None


def _timed(table):
    return _TIME in table or ("statistic" in table and bool(_is_time(table).any()))


def _is_time(table):
    """Whether a row of statistics holds seconds: ``seconds``, ``seconds_training`` and so on."""
    return table["statistic"].str.startswith(_TIME, na=False)


def _without_times(table):
    if "statistic" in table:
        table = table[~_is_time(table)].reset_index(drop=True)
    return table.drop(columns=_TIME, errors="ignore")


def _compare_column(name, first, second, tolerance, rtol):
    import pandas as pd

    numbers = all(pd.api.types.is_numeric_dtype(column) for column in (first, second))
    missing = first.isna().to_numpy(), second.isna().to_numpy()
    both = missing[0] & missing[1]
    if not numbers:
        differs = ~both & (first.astype(str).to_numpy() != second.astype(str).to_numpy())
        if not differs.any():
            return None
        row = int(np.flatnonzero(differs)[0])
        return ColumnDifference(name, int(differs.sum()), row, first[row], second[row], np.nan, np.nan)
    a, b = first.to_numpy(dtype="float64", na_value=np.nan), second.to_numpy(dtype="float64", na_value=np.nan)
    same = both | (first.to_numpy() == second.to_numpy())
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.maximum(np.abs(a), np.abs(b))
        gap = np.where(same, 0.0, np.where(missing[0] ^ missing[1], np.inf, np.abs(a - b)))
        share = np.where(gap > 0, gap / np.where(np.isnan(size), 1.0, size), 0.0)
        share = np.where(np.isinf(gap), np.inf, share)
        allowed = tolerance + rtol * np.where(np.isfinite(size), size, 0.0)
    differs = gap > allowed
    if not differs.any():
        return None
    row = int(np.argmax(gap))
    return ColumnDifference(
        name, int(differs.sum()), row, first[row], second[row], float(gap.max()), float(share.max())
    )
