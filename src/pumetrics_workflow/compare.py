"""Comparing the tables of two runs: byte for byte, and where bytes differ, value by value."""

import filecmp
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

__all__ = ["Comparison", "compare_runs", "differences", "without_times"]

_KINDS = (".csv", ".parquet", ".jsonld")
_TIME = "seconds"  # a column, or the beginning of a statistic: seconds, seconds_training and so on


@dataclass
class Comparison:
    """Result of a comparison of two runs.

    Attributes
    ----------
    names : tuple of str
        The two sides as given.
    only : tuple of (list of str, list of str)
        Tables that only the first or only the second run has.
    same_bytes, same_values : list of str
        Tables that are the same byte for byte, and those equal in value (within what is allowed) but not in bytes.
    different : dict
        For each other table lines about what differs.
    timed : list of str
        Tables in which times were left out.
    problems, notes : list of str
        What is damaged, and what could not be compared.
    """

    names: tuple
    only: tuple = ((), ())
    same_bytes: list = field(default_factory=list)
    same_values: list = field(default_factory=list)
    different: dict = field(default_factory=dict)
    timed: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    @property
    def equal(self):
        """Whether both have the same tables with the same values, and nothing is damaged."""
        return not (self.different or any(self.only) or self.problems)

    def add(self, name, first, second, **allowed):
        """Compare two files, and enter them under a name; what is allowed is as for :func:`compare_runs`."""
        if filecmp.cmp(first, second, shallow=False):
            self.same_bytes.append(name)
            return
        tables = [_read(first), _read(second)]
        without = [without_times(table) for table in tables]
        if without[0].shape != tables[0].shape:
            self.timed.append(name)
        if lines := differences(*without, **allowed):
            self.different[name] = lines
        else:
            self.same_values.append(name)

    def lines(self):
        """Return a line for everything that differs, is missing or was not compared, then the counts."""
        yield from (f"damaged reference: {problem}" for problem in self.problems)
        yield from self.notes
        for name, lines in self.different.items():
            yield f"different: {name}"
            yield from (f"  {line}" for line in lines)
        for side, names in zip(self.names, self.only, strict=True):
            yield from (f"only in {side}: {name}" for name in names)
        yield (
            f"{len(self.same_bytes)} tables are byte-identical, {len(self.same_values)} equal in value, "
            f"{len(self.different)} differ, {sum(map(len, self.only))} exist on one side only"
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
        A difference counts if it exceeds ``tolerance + rtol * |b|``, where b is the number of the second.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If something is missing, is no table, or cannot be read.
    """
    first = Path(first)
    second = Path(second)
    for path in (first, second):
        if not path.exists():
            raise ValueError(f"{path} does not exist: give a folder of results or a table")
    if first.is_dir() != second.is_dir():
        raise ValueError(f"{first} and {second}: compare two folders or two files, not one of each")
    ours = _tables(first)
    theirs = _tables(second)
    for side, tables in ((first, ours), (second, theirs)):
        if not tables:
            raise ValueError(
                f"{side} contains no table; names of tables end in {' or '.join(_KINDS)}"
            )
    comparison = Comparison(
        (first, second), (sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours)))
    )
    for name in sorted(set(ours) & set(theirs)):
        comparison.add(name or str(first), ours[name], theirs[name], tolerance=tolerance, rtol=rtol)
    return comparison


def differences(first, second, *, tolerance=0.0, rtol=0.0):
    """Return a line for each column in which two tables differ, or one line if they cannot be compared row by row.

    Parameters
    ----------
    first, second : pandas.DataFrame
    tolerance, rtol : float
        As for :func:`compare_runs`.
    """
    if list(first.columns) != list(second.columns):
        odd = sorted(set(map(str, first.columns)) ^ set(map(str, second.columns)))
        return [f"different columns: {', '.join(odd) or 'another order'}"]
    if len(first) != len(second):
        return [f"{len(first)} rows against {len(second)}"]
    lines = (_difference(first[name], second[name], tolerance, rtol) for name in first.columns)
    return [line for line in lines if line]


def _difference(first, second, tolerance, rtol):
    """How two columns differ: in how many rows, by how much, and where most; None if they do not."""
    from pandas.api.types import is_numeric_dtype

    numbers = is_numeric_dtype(first) and is_numeric_dtype(second)
    if numbers:
        a, b = (column.to_numpy(dtype=float, na_value=np.nan) for column in (first, second))
        differs = ~np.isclose(a, b, rtol=rtol, atol=tolerance, equal_nan=True)
    else:
        differs = (
            first.astype(str).ne(second.astype(str)) & ~(first.isna() & second.isna())
        ).to_numpy()
    if not differs.any():
        return None
    gap = (
        np.where(differs, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf), 0.0)
        if numbers
        else differs
    )
    row = int(np.argmax(gap))
    size = f", by {gap.max():.3g} at most" if numbers else ""
    return f"{first.name}: {differs.sum()} of {len(first)} rows{size} (row {row}: {first[row]} against {second[row]})"


def _tables(path):
    """Tables by the name under which they are compared; two single files have the same."""
    if path.is_file():
        return {"": path} if path.suffix in _KINDS else {}
    paths = (file for file in path.rglob("*") if file.suffix in _KINDS and file.is_file())
    return {
        file.relative_to(path).as_posix(): file for file in paths if not file.name.startswith(".")
    }


def _read(path):
    import pandas as pd

    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path, page_checksum_verification=True)
        if path.suffix == ".jsonld":
            content = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(content, dict) or "@graph" not in content:
                raise ValueError("without '@graph'")
            return pd.json_normalize(content["@graph"])
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(
            f"{path} cannot be read ({reason}): delete it and rerun to rebuild it"
        ) from None


def without_times(table):
    """Return a table without its times: columns named seconds, and statistics in seconds."""
    if "statistic" in table:
        table = table[~table["statistic"].astype(str).str.startswith(_TIME)].reset_index(drop=True)
    return table.drop(columns=_TIME, errors="ignore")
