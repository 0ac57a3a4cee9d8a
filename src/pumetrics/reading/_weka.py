"""WEKA's predictions as CSV: probabilities of the predicted class, or of each class, to scores of the positive one."""

import re
from decimal import Decimal

from pumetrics.reading._files import columns_of, read_columns
from pumetrics.reading._sources import reading
from pumetrics.reading._text import fields_of, line_of

__all__ = ["is_weka", "weka_table"]

_HEADER = ["inst#", "actual", "predicted", "error"]
_CLASS = re.compile(r"\s*(\d+):(.*?)\s*")
_MISSING = "?"


def is_weka(source):
    """Whether a file is what WEKA's classifiers write by -p and -classifications CSV."""
    if source.is_columnar:
        return False
    names = columns_of(source, [])
    return names[:4] == _HEADER and names[4:5] in (["prediction"], ["distribution"])


def weka_table(source, scores, label, positive, others, as_text):
    """Scores and classes of WEKA's predictions, with other columns as they are.

    Parameters
    ----------
    source : Source
    scores : list of str
        One name, that of the column of probabilities or the default.
    label : str
        "actual" or the default.
    positive : str or None
        Name of the positive class, with or without WEKA's number.
    others, as_text : list of str
        Further columns, and those of them that are no numbers.

    Returns
    -------
    table : pandas.DataFrame
        With the columns `scores`, `label` and `others`.
    negative : list of str
        The other classes.

    Raises
    ------
    ValueError
        If other columns are named, the positive class is not, or is none of the classes, or if there are three and only
        the probability of the predicted one is there.
    """
    import pandas as pd

    with reading(source):
        header, *rows = fields_of(source)
    kind = header[4].strip()
    if scores not in (["score"], [kind]) or label not in ("s", "actual"):
        raise ValueError(
            f"{source} holds predictions of WEKA: omit --score and --label, or give --score {kind} --label actual"
        )
    numbers = {}
    for place, row in enumerate(rows):
        named = [_CLASS.fullmatch(value) for value in row[1:3]]
        if len(row) != len(header) or not all(named):
            raise ValueError(
                f"{line_of(source, place)} of {source} is no prediction of a class: {','.join(row)[:60]!r}"
            )
        numbers |= {match[2]: int(match[1]) for match in named}
    numbers.pop(_MISSING, None)
    classes = sorted(numbers, key=numbers.get)

    positive = re.sub(r"^\d+:", "", positive or "")
    if positive not in classes:
        raise ValueError(
            f"{source} holds predictions of WEKA: give its positive class, such as --positive {classes[-1]} "
            f"(its classes are {', '.join(classes)})"
        )
    if kind == "prediction" and len(classes) > 2:
        raise ValueError(
            f"{source} has {len(classes)} classes and only the probability of the predicted one: let WEKA write all, "
            'by -classifications "weka.classifiers.evaluation.output.prediction.CSV -distribution"'
        )

    table = read_columns(source, others, as_text=as_text) if others else pd.DataFrame()
    table[scores[0]] = [_score(row, positive, numbers[positive], kind) for row in rows]
    table[label] = [_class(row[1]) for row in rows]
    return table, [name for name in classes if name != positive]


def _score(row, positive, number, kind):
    """Probability of the positive class, with as many digits as WEKA wrote: 1 - 0.573 is 0.427."""
    if kind == "distribution":
        return float(row[3 + number].strip().removeprefix("*"))
    probability = Decimal(row[4].strip())
    return float(probability if _class(row[2]) == positive else 1 - probability)


def _class(value):
    return _CLASS.fullmatch(value)[2]
