"""Rows of two files that belong to the same example, matched by position or by a column of ids."""

import re
from decimal import Decimal

import numpy as np

from pumetrics.reading._files import columns_of, read_columns
from pumetrics.reading._text import line_of
from pumetrics.unscored import Unscored, UnscoredError

__all__ = ["check_positions", "paired", "written_alike"]

_NAMES_ROWS = re.compile(r"(.*[ _.-])?(id|key|uuid|index)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(\.\d*)?(e[+-]?\d{1,3})?", re.IGNORECASE)
_LONGEST_NUMBER = 40  # digits
_JOIN = "join them with --id if a column names them"


def paired(paths, files, unscored=None):
    """Labels and both scores of the examples in two files.

    Parameters
    ----------
    paths : tuple of path-like or Source
    files : list of Scored
        With ids, rows are joined by them; without, they pair by position.
    unscored : {"lowest", "skip"}, optional
        What to do with examples that only one file has: the other model ranks them below all others, or they are left
        out. By default they are refused.

    Returns
    -------
    list of Scored
        The same examples in the same order, of both models. The first has the positions in its file.

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

    keys = [_keys(each) for each in files]
    place = pd.Index(keys[1]).get_indexer(keys[0])
    here = np.flatnonzero(place >= 0)
    there = place[here]
    if by_id and here.size < max(map(len, keys)):
        _check_written_alike(paths, files, here.size)
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

    alone = np.setdiff1d(np.arange(len(second.s)), there)
    if here.size == len(first.s) and not alone.size:
        return [first, second.take(there)]
    if unscored == "lowest":
        return _outer(paths, files, place, alone)

    everyone = [first, second]
    everyone += [each.left_out for each in files if each.left_out is not None]
    names = np.concatenate([*map(_keys, everyone)])
    names, place_of = np.unique(names, return_index=True)
    s = np.concatenate([each.s for each in everyone])[place_of]
    is_alone = ~np.isin(names, keys[0][here])
    facts = Unscored.of_rows(s, is_alone, unscored)
    if unscored is None:
        raise UnscoredError(
            f"{facts} are in only one of the files, {len(first.s) - here.size:,} in {paths[0]} and {alone.size:,} in "
            f"{paths[1]}"
        )
    left_out = first._replace(s=s[is_alone], **{"ids" if by_id else "rows": names[is_alone]})
    return [
        each.take(rows)._replace(unscored=facts, left_out=left_out)
        for each, rows in ((first, here), (second, there))
    ]


def _keys(scored):
    """What rows are joined by."""
    return scored.rows if scored.ids is None else scored.ids


def _check_written_alike(paths, files, n_both):
    """Raise ValueError if ids of two files differ by what programs that read numbers drop or add."""
    (first, second) = (each.ids for each in files)
    cause = written_alike(first[~np.isin(first, second)], second)
    if cause:
        raise ValueError(
            f"ids of {paths[0]} and {paths[1]} are written differently ({n_both} match): {cause}"
        )


def written_alike(ids, others):
    """Why ids are not among others, if programs that read ids as numbers dropped or added zeros; blank otherwise."""
    import pandas as pd

    plain = pd.Index(map(_plain, others))
    mine = pd.Index(map(_plain, ids))
    if not plain.is_unique or not mine.is_unique:
        return ""  # 12 and 012 are two examples
    place = plain.get_indexer(mine)
    found = np.flatnonzero(place >= 0)
    if not found.size:
        return ""
    first = found[0]
    return (
        f"{ids[first]!r} is {others[place[first]]!r} there ({found.size} such ids), as where a program reads ids as "
        "numbers and drops or adds zeros: write them alike, as text"
    )


def _plain(text):
    """An id without what changes where it is read as a number: leading zeros, .0, an exponent."""
    if not _NUMBER.fullmatch(text):
        return text
    number = Decimal(text)
    is_whole = abs(number.adjusted()) < _LONGEST_NUMBER and number == number.to_integral_value()
    return str(int(number)) if is_whole else text


def _outer(paths, files, place, alone):
    """All examples of both files: those of the first, and those of the second `alone`; a model without a score ranks
    an example lowest.
    """
    first, second = files
    if alone.size and first.options:
        raise ValueError(
            f"{alone.size:,} rows of {paths[1]} are not in {paths[0]}, which has the weights and clusters: add them "
            "there, without a score"
        )
    here = np.flatnonzero(place >= 0)
    n_first = len(first.s)
    scores = np.full((2, n_first + alone.size), -np.inf)
    scores[0, :n_first] = first.score
    scores[1, here] = second.score[place[here]]
    scores[1, n_first:] = second.score[alone]

    joined = first._replace(
        s=np.concatenate([first.s, second.s[alone]]),
        rows=np.concatenate([first.rows, np.full(alone.size, -1)]),
        ids=None if first.ids is None else np.concatenate([first.ids, second.ids[alone]]),
    )
    absent = (second.s[alone], first.s[place < 0])
    models = []
    for score, file, labels in zip(scores, files, absent, strict=True):
        facts = Unscored(len(labels), int((labels == 1).sum()), len(joined.s), "lowest")
        if file.unscored is not None:
            rows = facts.rows + file.unscored.rows
            facts = facts._replace(rows=rows, labeled=facts.labeled + file.unscored.labeled)
        score = score.astype(file.score.dtype)
        models.append(joined._replace(score=score, unscored=facts if facts.rows else None))
    return models


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
