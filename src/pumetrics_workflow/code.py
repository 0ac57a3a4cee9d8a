"""The code a stage depends on, as a hash: Snakemake watches scripts, but not the library they call."""

import ast
import hashlib
from functools import cache
from pathlib import Path

import pumetrics
import pumetrics_workflow

__all__ = ["code_hash", "modules_of"]

_ROOTS = {package.__name__: Path(package.__file__).resolve().parent for package in (pumetrics, pumetrics_workflow)}


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
        digest.update(_name(path).encode() + _essence(path))
    return digest.hexdigest()[:12]


def modules_of(start):
    """Return the set of library files that a Python file imports, directly or not."""
    start = Path(start).resolve()
    found, queue = set(), [start] if _root(start) else list(_imports(start))
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
        files |= {file for name in names for file in _file_of(name)}
    return frozenset(files)


def _root(path):
    """Folder of the package a file belongs to, or None."""
    return next((root for root in _ROOTS.values() if path.is_relative_to(root)), None)


def _name(path):
    return path.relative_to(_root(path).parent).as_posix()


def _file_of(name):
    package, *rest = name.split(".")
    if package not in _ROOTS:
        return []
    base = _ROOTS[package].joinpath(*rest)
    return [file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()]


@cache
def _essence(path):
    """Return the code of a file as bytes, without comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree).encode()
