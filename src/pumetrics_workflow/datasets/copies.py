"""A copy of a data set from elsewhere, compared with the known one and with copies that are known to differ."""

from pathlib import Path

import numpy as np
import pandas as pd

from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.datasets.parse import parse
from pumetrics_workflow.datasets.registry import Alternative, RawFile

__all__ = ["compare_copy", "facts_of_copy", "known_copies"]

_FEW = 30  # classes; a target with more is a number
_ROUNDING = 1e-6  # relative: what float32 loses


def known_copies():
    """Copies that are known to differ, by name: package, data sets, what differs, and facts to recognize them by."""
    return load_yaml(Path(__file__).with_name("copies.yaml"))


def facts_of_copy(path, *, target):
    """Rows, features, sizes of the classes, missing values, and the range of each numeric feature of a file.

    Parameters
    ----------
    path : path
        CSV with a header, in any of the forms that are read, or ARFF.
    target : str
        Column of the class.

    Returns
    -------
    dict
        Classes from the largest on, empty for a target of numbers; ranges by the place of the feature, from 1.

    Raises
    ------
    ValueError
        If the file cannot be read, or has no such column.
    """
    path = Path(path)
    parser = "arff" if path.suffix.lower() == ".arff" else "own"
    frame = parse(
        Alternative((RawFile(path.name),), parser), {path.name: path}, target=target
    ).dropna(subset=target)
    sizes = frame[target].value_counts().tolist()
    return _facts(frame.drop(columns=target), sizes if len(sizes) <= _FEW else [])


def _facts(features, classes):
    ranges = {}
    for place, (_, column) in enumerate(features.items(), 1):
        if pd.api.types.is_numeric_dtype(column):
            ranges[place] = (float(column.min()), float(column.max()))
    return {
        "rows": len(features),
        "features": features.shape[1],
        "classes": classes,
        "missing": int(features.isna().sum().sum()),
        "ranges": ranges,
    }


def compare_copy(dataset, copy, known=None):
    """Compare a copy with the entry of the registry and, if it is there, with the prepared table.

    Parameters
    ----------
    dataset : DataSet
    copy : dict
        From :func:`facts_of_copy`.
    known : pandas.DataFrame, optional
        From :func:`pumetrics_workflow.datasets.prepare`; without it no ranges are compared.

    Returns
    -------
    differences : list of tuple of str
        What differs, in the copy and in the known set; empty if nothing does.
    recognized : list of str
        Those of :func:`known_copies` of this data set whose facts are those of the copy.
    """
    classes = dataset.content.get("classes") or [
        dataset.rows - dataset.positives,
        dataset.positives,
    ]
    expected = {
        "rows": dataset.rows,
        "features": dataset.features,
        "missing": dataset.missing,
        "classes": sorted(classes, reverse=True),
    }
    differences = []
    for name, value in expected.items():
        if copy[name] != value:
            differences.append((name, _shown(copy[name]), _shown(value)))

    if known is not None and copy["features"] == dataset.features:
        ranges = _facts(known.drop(columns="y"), [])["ranges"]
        for place in sorted(ranges.keys() & copy["ranges"].keys()):
            if not np.allclose(copy["ranges"][place], ranges[place], rtol=_ROUNDING, atol=0):
                differences.append(
                    (
                        f"range of feature {place}",
                        "{:.6g} to {:.6g}".format(*copy["ranges"][place]),
                        "{:.6g} to {:.6g}".format(*ranges[place]),
                    )
                )

    recognized = []
    for name, entry in known_copies().items():
        if dataset.name in entry["of"] and entry["facts"] and _has(copy, **entry["facts"]):
            recognized.append(name)
    return differences, recognized


def _has(copy, *, largest=None, **facts):
    """Whether a copy has all of these facts."""
    for place, value in (largest or {}).items():
        _, found = copy["ranges"].get(place, (None, np.nan))
        if not np.isclose(found, value, rtol=_ROUNDING):
            return False
    return all(copy[name] == value for name, value in facts.items())


def _shown(value):
    """A count, or the sizes of classes with their shares."""
    if not isinstance(value, list):
        return f"{value:,}"
    return ", ".join(f"{size:,} ({size / sum(value):.3f})" for size in value) or "a number"
