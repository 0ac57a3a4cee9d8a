"""Rows of two files that belong to the same example, matched by position or by a column of ids."""

import re

import numpy as np

from pumetrics.cautions import Caution
from pumetrics.reading._files import columns_of, read_columns
from pumetrics.reading._text import line_of

__all__ = ["check_positions", "paired"]

_NAMES_ROWS = re.compile(r"(.*[ _.-])?(id|key|uuid|index)", re.IGNORECASE)
_JOIN = "join them with --id if a column names them"


def paired(paths, files):
    """Labels and both scores of the examples in two files.

    Parameters
    ----------
    paths : tuple of path-like or Source
    files : list of Scored
        With ids, rows are joined by them and those of one file only are left out; without, they pair by position.

    Returns
    -------
    list of Scored
        The same examples in the same order, of both models. The first has the positions in its file and all notes.

    Raises
    ------
    ValueError
        If the files share no example, or label one differently: one line that says where.
    """
    import pandas as pd

    first, second = files
    by_id = first.ids is not None
    if not by_id and first.n_rows != second.n_rows:
        raise ValueError(
            f"{paths[0]} has {first.n_rows} rows and {paths[1]} has {second.n_rows}: both must hold "
            f"the same examples; {_JOIN}"
        )

    keys = [each.ids if by_id else each.rows for each in files]
    place = pd.Index(keys[1]).get_indexer(keys[0])
    here = np.flatnonzero(place >= 0)
    there = place[here]
    if not here.size and by_id:
        raise ValueError(
            f"{paths[0]} and {paths[1]} have no id in common: the first begins with "
            f"{first.ids[0]!r}, the second with {second.ids[0]!r}; write them alike, or give "
            "another column with --id"
        )
    if not here.size:
        raise ValueError(f"no row has a score in both {paths[0]} and {paths[1]}")

    differ = here[first.s[here] != second.s[there]]
    if differ.size:
        which = line_of(paths[0], first.rows[differ[0]])
        remedy = f" in the same order; {_JOIN}"
        if by_id:
            which = f"{which}, id {first.ids[differ[0]]!r}"
            remedy = ""
        raise ValueError(
            f"{paths[0]} and {paths[1]} have different labels in {which} ({differ.size} such rows): "
            f"both must hold the same examples{remedy}"
        )

    notes = first.notes + tuple(note for note in second.notes if note not in first.notes)
    n_alone = {"first": len(first.s) - here.size, "second": len(second.s) - here.size}
    if by_id and any(n_alone.values()) and paths[0] != paths[1]:
        files = {"first_file": str(paths[0]), "second_file": str(paths[1])}
        notes += (Caution("unpaired", both=here.size, **n_alone, **files),)
    return [first.take(here)._replace(notes=notes), second.take(there)]


def check_positions(paths, *, read):
    """Raise ValueError if a column that names the rows says that the rows of two files do not pair by position.

    Parameters
    ----------
    paths : tuple of path-like or Source
    read : collection of str
        Columns of scores and labels.
    """
    columns = [columns_of(path, read) for path in paths]
    for name in columns[0]:
        is_in_both = all(each.count(name) == 1 for each in columns)
        if name in read or not is_in_both or not _NAMES_ROWS.fullmatch(name):
            continue
        tables = [read_columns(path, [name], as_text=[name]) for path in paths]
        first, second = (table[name].astype(str).to_numpy() for table in tables)
        if len(first) != len(second):
            continue
        differ = np.flatnonzero(first != second)
        if differ.size:
            row = differ[0]
            raise ValueError(
                f"column {name!r} differs in {line_of(paths[0], row)}: {first[row]!r} in {paths[0]}, "
                f"{second[row]!r} in {paths[1]} ({differ.size} such rows): join the files with "
                f"--id {name}"
            )
