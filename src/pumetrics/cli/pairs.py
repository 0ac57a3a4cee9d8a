"""The two models of a comparison: their files and columns, and the rows that have scores of both."""

from pumetrics.cli.options import columns_named

__all__ = ["pairs_of", "read_pairs"]


def pairs_of(score, first, second):
    """Files and columns that are compared: of two files one pair, of one file its first column with each other."""
    if second is None:
        columns = columns_named(score)
        if len(columns) < 2:
            raise ValueError(
                f"only one model is given, column {columns[0]!r} of {first}: give a second file, or two columns of "
                "this file with --score twice"
            )
        return [((first, columns[0]), (first, column)) for column in columns[1:]]
    columns = score or ["score"]
    if len(columns) > 2:
        raise ValueError(
            f"--score names {len(columns)} columns ({', '.join(columns)}): with two files, give one column or one for "
            "each file; a single file may have any number"
        )
    if columns[0] == columns[-1] and first == second:
        raise ValueError(
            f"{first} and its column {columns[0]!r} are given twice, and a model cannot be compared with itself; give "
            "two files, or --score twice"
        )
    return [((first, columns[0]), (second, columns[-1]))]


def read_pairs(pairs, read, *, checked=False, **columns):
    """Read the models of each pair: all of their rows, and those that have scores of both.

    A file is read once. The further `columns` are those of the first file.
    """
    from pumetrics.reading import check_positions, paired, read_models

    (first, name), (second, other) = pairs[0]
    sources = (first, second)
    if first == second:
        names = [name, *(column for _, (_, column) in pairs)]
        one, *others = read_models(
            first, list(dict.fromkeys(names)), **read, checked=checked, **columns
        )
        files = [[one, each] for each in others]
    else:
        (one,) = read_models(first, [name], **read, checked=checked, **columns)
        (each,) = read_models(second, [other], **read, checked=checked)
        files = [[one, each]]
        if read["id"] is None:
            check_positions(sources, read=(name, other, read["label"]))
    return [(both, paired(sources, both, read["unscored"])) for both in files]
