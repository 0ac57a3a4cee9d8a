"""WEKA's files: attributes with their types and levels, and rows, by the rules of WEKA 3.9.7."""

import re

__all__ = ["read_arff"]

_NUMERIC = ("numeric", "real", "integer")
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]+)\s*(\{{.*\}}|\S+)", re.IGNORECASE)
# In sparse rows the number of its attribute comes before a value.
_FIELD = re.compile(rf"\s*((?:\d+\s+)?(?:{_QUOTED})|[^,'\"]*?)\s*(?:,|$)")
_WEIGHT = re.compile(r",\s*\{[^{}]*\}\s*$")


def read_arff(path):
    """Read a file of WEKA.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    attributes : dict
        By name: "numeric", "date" or the list of levels.
    rows : list of list
        Values as text, None where one is missing.

    Raises
    ------
    ValueError
        On a type that is not read, instance weights, or a row with other numbers of values; naming the line.
    """
    attributes = {}
    rows = []
    in_data = False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip(" \t\r\n\x1a")
            if not text or text.startswith("%"):
                continue
            if in_data:
                rows.append(_row(text, attributes, f"line {number}"))
            elif text.lower().startswith("@data"):
                in_data = True
            elif text.lower().startswith("@attribute"):
                name, kind = _attribute(text, f"line {number}")
                attributes[name] = kind
    if not in_data:
        raise ValueError("it has no line @data")
    return attributes, rows


def _attribute(text, where):
    """Name and type of an attribute."""
    match = _ATTRIBUTE.match(text)
    if not match:
        raise ValueError(f"{where} is no attribute: {text[:60]!r}")
    name = _value(match[1])
    if match[2].startswith("{"):
        return name, [_value(level) for level in _fields(match[2][1:-1], where)]

    kind = match[2].lower()
    if kind not in (*_NUMERIC, "date"):
        raise ValueError(
            f"{where}: attribute {name!r} is of type {match[2]}, which is not read: remove it, or list its levels"
        )
    return name, "date" if kind == "date" else "numeric"


def _row(text, attributes, where):
    """Values of a row, dense or sparse."""
    if _WEIGHT.search(text):
        raise ValueError(
            f"{where} has an instance weight: rows count once here, so remove the weights or repeat rows"
        )
    if text.startswith("{"):
        return _sparse(text, attributes, where)
    fields = _fields(text, where)
    if len(fields) != len(attributes):
        raise ValueError(
            f"{where} has {len(fields)} values, but there are {len(attributes)} attributes"
        )
    return [None if field == "?" else _value(field) for field in fields]


def _sparse(text, attributes, where):
    """Values of a sparse row: what is not named is 0 or the first level."""
    row = [kind[0] if isinstance(kind, list) else "0" for kind in attributes.values()]
    inner = text[1:].removesuffix("}").strip()
    for field in _fields(inner, where) if inner else ():
        place, _, value = field.partition(" ")
        if not place.isdecimal() or int(place) >= len(row):
            raise ValueError(f"{where}: {field!r} names none of the {len(row)} attributes")
        value = value.strip()
        row[int(place)] = None if value == "?" else _value(value)
    return row


def _fields(text, where):
    """Values as written, with their quotation marks."""
    if "'" not in text and '"' not in text:
        return [field.strip() for field in text.split(",")]
    fields = []
    end = 0
    while True:
        match = _FIELD.match(text, end)
        if not match:
            raise ValueError(
                f"{where}: a quotation mark is not closed, or text follows it: {text[end:][:60]!r}"
            )
        fields.append(match[1])
        end = match.end()
        if not match[0].endswith(","):
            return fields


def _value(field):
    """A value without quotation marks and backslashes."""
    if field[:1] in ("'", '"'):
        return re.sub(r"\\(.)", r"\1", field[1:-1])
    return field
