"""Rows of two files that belong to the same example, matched by position or by a column of ids."""

import re

import numpy as np

from pumetrics.cautions import Caution
from pumetrics.reading._files import columns_of, line_of, read_columns

__all__ = ["check_positions", "paired"]

_NAMES_ROWS = re.compile(r"(.*[ _.-])?(id|key|uuid|index)", re.IGNORECASE)


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
    first, second = files
    notes = tuple(dict.fromkeys(first.notes + second.notes))
    if first.ids is None:
        if first.n_rows != second.n_rows:
            raise ValueError(
                f"{paths[0]} has {first.n_rows} rows and {paths[1]} has {second.n_rows}: both must hold the same "
                "examples; join them with --id if a column names them"
            )
        if notes:  # some rows have no score
            _, here, there = np.intersect1d(
                first.rows, second.rows, assume_unique=True, return_indices=True
            )
            if not here.size:
                raise ValueError(f"no row has a score in both {paths[0]} and {paths[1]}")
            first, second = first.take(here), second.take(there)
        differ = np.flatnonzero(first.s != second.s)
        if differ.size:
            raise ValueError(
                f"{paths[0]} and {paths[1]} have different labels in {line_of(paths[0], first.rows[differ[0]])} "
                f"({differ.size} such rows): both must hold the same examples in the same order; join them with --id "
                "if a column names them"
            )
        return [first._replace(notes=notes), second]
    place = {value: position for position, value in enumerate(second.ids)}
    matches = np.array([place.get(value, -1) for value in first.ids])
    here, there = np.flatnonzero(matches >= 0), matches[matches >= 0]
    if not here.size:
        raise ValueError(
            f"{paths[0]} and {paths[1]} have no id in common: the first begins with {first.ids[0]!r}, the second with "
            f"{second.ids[0]!r}; write them alike, or give another column with --id"
        )
    differ = np.flatnonzero(first.s[here] != second.s[there])
    if differ.size:
        row = here[differ[0]]
        raise ValueError(
            f"{paths[0]} and {paths[1]} have different labels for id {first.ids[row]!r}, in "
            f"{line_of(paths[0], first.rows[row])} of the first ({differ.size} such ids): both must label the same "
            "examples"
        )
    alone = len(first.ids) - here.size, len(second.ids) - here.size
    if any(alone) and paths[0] != paths[1]:
        files = {"first_file": str(paths[0]), "second_file": str(paths[1])}
        notes += (Caution("unpaired", both=here.size, first=alone[0], second=alone[1], **files),)
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
        if (
            name in read
            or not _NAMES_ROWS.fullmatch(name)
            or [each.count(name) for each in columns] != [1, 1]
        ):
            continue
        first, second = (
            read_columns(path, [name], as_text=[name])[name].astype(str) for path in paths
        )
        if (
            len(first) == len(second)
            and (differ := np.flatnonzero(first.to_numpy() != second.to_numpy())).size
        ):
            raise ValueError(
                f"column {name!r} differs in {line_of(paths[0], differ[0])}: {first.iloc[differ[0]]!r} in {paths[0]}, "
                f"{second.iloc[differ[0]]!r} in {paths[1]} ({differ.size} such rows): join the files with --id {name}"
            )
