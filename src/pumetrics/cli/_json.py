"""Results as JSON, with what they were computed from; the schemas lie beside this module."""

import hashlib
import json
import math
from importlib.metadata import version
from pathlib import Path

__all__ = ["as_json_text", "file_facts", "schema"]


def as_json_text(command, files, settings, result):
    """JSON of a command's result, its input and its settings.

    Parameters
    ----------
    command : str
        Its schema is that of this name.
    files : list of dict
        See :func:`file_facts`.
    settings : dict
        Options as they were given or by default.
    result : dict
        Numbers, strings, lists and dicts; infinities and NaN become null.

    Returns
    -------
    str
    """
    whole = {"command": command, "version": version("pumetrics"), "files": files, "settings": settings, **result}
    return json.dumps(_finite(whole), indent=2, allow_nan=False)


def file_facts(path, *, rows, used):
    """Name, SHA-256 and rows of a file, and how many of them had a score.

    Parameters
    ----------
    path : path-like
    rows, used : int

    Returns
    -------
    dict
    """
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": str(path), "sha256": digest, "rows": int(rows), "rows_used": int(used)}


def schema(command):
    """JSON schema of a command's output.

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


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
