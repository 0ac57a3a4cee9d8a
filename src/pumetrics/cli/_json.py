"""Results as JSON with their inputs and settings; the schemas are in the folder ``schemas``."""

import hashlib
import json
import math
from pathlib import Path

from pumetrics import __version__

__all__ = ["answer", "file_facts", "json_text", "output_schema", "schema"]

_LISTS = {"evaluate": "models", "compare-models": "comparisons"}
"""Name of the list of several results of a command."""


def answer(command, files, settings, result):
    """Return a command's result with its input and its settings.

    Parameters
    ----------
    command : str
        Also the name of its schema.
    files : list of dict
        See :func:`file_facts`.
    settings : dict
        Options, given or by default.
    result : dict
        Numbers, strings, lists and dicts.

    Returns
    -------
    dict
    """
    return {"command": command, "version": __version__, "files": files, "settings": settings, **result}


def json_text(answers):
    """Return the JSON of one answer, or of several as a list in an object.

    Parameters
    ----------
    answers : list of dict
        Results of one command. Infinities and NaN become null.

    Returns
    -------
    str
    """
    whole = answers[0] if len(answers) == 1 else {_LISTS[answers[0]["command"]]: answers}
    return json.dumps(_finite(whole), indent=2, allow_nan=False)


def file_facts(source, *, used):
    """Return name, SHA-256, number of rows and number of rows used of a file, for each model.

    Parameters
    ----------
    source : Source
    used : list of (int, int)
        Number of rows of the file and number of rows used, one pair for each model.

    Returns
    -------
    list of dict
    """
    facts = {"name": str(source), "sha256": _digest(source.path)}
    return [{**facts, "rows": int(rows), "rows_used": int(some)} for rows, some in used]


def _digest(path):
    """SHA-256 of a file, or of the digests of the Parquet files in a folder, in the order of their names."""
    if path.is_dir():
        parts = sorted(part for part in path.iterdir() if part.suffix.lower() == ".parquet")
        return hashlib.sha256("".join(map(_digest, parts)).encode()).hexdigest()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def schema(command):
    """Return the JSON schema of a command's output for one model or one pair; several form a list in an object.

    Parameters
    ----------
    command : {"evaluate", "compare-models"}

    Returns
    -------
    dict

    Examples
    --------
    >>> schema("evaluate")["title"]
    'Output of pumetrics evaluate --json'
    """
    return json.loads((Path(__file__).parent / "schemas" / f"{command}.json").read_text(encoding="utf-8"))


def output_schema(command):
    """Return the JSON schema of any output of a command: one answer, or a list of answers in an object.

    Parameters
    ----------
    command : {"evaluate", "compare-models"}

    Returns
    -------
    dict

    Examples
    --------
    >>> [sorted(each) for each in output_schema("evaluate")["anyOf"]]
    [['$ref'], ['additionalProperties', 'properties', 'required', 'type']]
    """
    one, name = schema(command), _LISTS[command]
    address = f"urn:pumetrics:{command}"
    several = {"type": "array", "items": {"$ref": address}, "minItems": 2}
    return {
        "$schema": one["$schema"],
        "title": one["title"],
        "anyOf": [
            {"$ref": address},
            {"type": "object", "properties": {name: several}, "required": [name], "additionalProperties": False},
        ],
        "$defs": {command: {"$id": address, **one}},
    }


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
