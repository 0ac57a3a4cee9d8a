"""What a prepared table holds, in a few numbers and a hash: the same for any file that holds the same data."""

import hashlib

import numpy as np

__all__ = ["class_sizes", "content_hash", "fingerprint", "levels_in_use", "write_fingerprints"]

_DIGITS = 6
_LARGEST = 30  # classes; a target with more is treated as a number


def content_hash(frame):
    """Hash of a prepared table: names and order of columns, levels, values to six significant digits, classes, rows.

    Line ends, quotes, further digits, and the format of the file leave it as it is; one changed value does not.

    Parameters
    ----------
    frame : pandas.DataFrame of shape (n_samples, n_features + 1)
        A table of :func:`pumetrics_workflow.datasets.prepare`.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.5, 0.1], "y": [0, 1]})
    >>> content_hash(frame) == content_hash(frame.assign(size=[1.5, 0.1000000001]))
    True
    >>> content_hash(frame) == content_hash(frame.assign(size=[1.5, 0.1001]))
    False
    """
    digest = hashlib.sha256(f"{len(frame)} rows\n".encode())
    for name in frame.columns:
        column = frame[name]
        digest.update(f"{name!s}\n".encode())
        if str(column.dtype) == "category":
            kind = "ordinal" if column.cat.ordered else "nominal"
            levels = "\x1f".join(map(str, column.cat.categories))
            digest.update(f"{kind}\n{levels}\n".encode())
            digest.update(column.cat.codes.to_numpy().astype("<i4").tobytes())
        else:
            for part in _rounded(column.to_numpy(np.float64)):
                digest.update(part.tobytes())
    return digest.hexdigest()[:32]


def _rounded(values):
    """Values to six significant digits, as whole mantissas and exponents; the same on any machine."""
    values = np.asarray(values, np.float64)
    known = np.isfinite(values) & (values != 0)
    size = np.where(known, np.abs(values), 1.0)
    exponents = np.floor(np.log10(size)).astype(np.int64)
    mantissas = _scaled(size, exponents)
    for wrong, step in ((mantissas >= 10**_DIGITS, 1), (mantissas < 10 ** (_DIGITS - 1), -1)):  # log10 is not exact
        exponents = np.where(wrong, exponents + step, exponents)
        mantissas = _scaled(size, exponents)
    mantissas = np.where(known, np.sign(values) * mantissas, 0.0)
    special = np.select([np.isnan(values), np.isposinf(values), np.isneginf(values)], [1, 2, 3], 0)
    exponents = np.where(known, exponents, 1000 * special)
    return mantissas.astype("<i8"), exponents.astype("<i4")


def _scaled(size, exponents):
    powers = exponents - (_DIGITS - 1)
    least = int(powers.min(initial=0))
    table = np.array([float(f"1e{power}") for power in range(least, int(powers.max(initial=0)) + 1)])
    return np.rint(size / table[powers - least])


def levels_in_use(frame):
    """Number of levels that occur, of all nominal and ordinal features."""
    nominal = [name for name in frame.columns if str(frame[name].dtype) == "category"]
    return sum(int(frame[name].nunique()) for name in nominal)


def class_sizes(target):
    """Sizes of the classes of a target, the largest first; empty for a target that is a number."""
    sizes = sorted((int(size) for size in target.value_counts() if size), reverse=True)
    return sizes if len(sizes) <= _LARGEST else []


def fingerprint(dataset, paths):
    """What an entry of the registry states of a table: hash, levels and sizes of classes.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry.
    paths : path, mapping or FetchReport
        As for :func:`pumetrics_workflow.datasets.prepare`.

    Returns
    -------
    dict
        ``hash``, ``levels``, and ``classes`` where the target has classes.
    """
    from pumetrics_workflow.datasets.prepare import prepare

    frame, card = prepare(dataset, paths)
    facts = {"hash": content_hash(frame), "levels": card["levels"], "classes": card["classes"]}
    return {key: value for key, value in facts.items() if value != []}


def write_fingerprints(path, fingerprints):
    """Put fingerprints into a registry file, as the ``content`` of their entries; all else stays as it is.

    Parameters
    ----------
    path : path
        A registry file whose entries begin at the start of a line.
    fingerprints : mapping of str to dict
        See :func:`fingerprint`.
    """
    lines, entry = [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and line[0].isalpha():
            entry = line.partition(":")[0]
        if entry in fingerprints and line.startswith("  content:"):
            continue
        lines.append(line)
        if entry in fingerprints and line.startswith("  positives:"):
            facts = ", ".join(f"{key}: {value}" for key, value in fingerprints[entry].items())
            lines.append(f"  content: {{{facts}}}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
