"""The code a stage depends on, as a hash: Snakemake watches scripts, but not the library they call."""

import ast
import hashlib
from functools import cache
from pathlib import Path

import pumetrics

__all__ = ["code_hash", "modules_of"]

_ROOT = Path(pumetrics.__file__).resolve().parent


def code_hash(*starts):
    """Hash the library modules that `starts` import, directly or not.

    Comments and docstrings do not count, so that explaining something reruns nothing.

    Parameters
    ----------
    *starts : path-like
        Python files, for example a rule's script.

    Returns
    -------
    str
        Twelve hexadecimal digits.
    """
    modules = sorted(set().union(*(modules_of(start) for start in starts)))
    digest = hashlib.sha256()
    for path in modules:
        digest.update(path.relative_to(_ROOT).as_posix().encode() + _essence(path))
    return digest.hexdigest()[:12]


def modules_of(start):
    """Return the set of library files that a Python file imports, directly or not."""
    start = Path(start).resolve()
    found, queue = set(), [start] if start.is_relative_to(_ROOT) else list(_imports(start))
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue += _imports(path)
    return found


@cache
def _tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path):
    """Library files named in the import statements of a file, wherever in it they stand."""
    files = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        files |= {file for name in names if name.split(".")[0] == "pumetrics" for file in _file_of(name)}
    return frozenset(files)


def _file_of(name):
    base = _ROOT.joinpath(*name.split(".")[1:])
    return [file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()]


@cache
def _essence(path):
    """Return the code of a file as bytes, without comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree).encode()
