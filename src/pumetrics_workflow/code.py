"""The code behind a stage, as a hash: Snakemake watches scripts, but not the library they call.

A stage depends on every project file that its script imports (at any place in the file), on the packages around it,
and on the data files whose names those files hold, such as a schema or a template. A module that is imported by a name
which is made when the job runs is not seen: rules give the class of their study as a further start, of which only
the methods that they call count.
"""

import ast
import hashlib
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from pumetrics_workflow.studies import STEPS

__all__ = ["PACKAGES", "Sources", "git", "git_state"]

PACKAGES = ("pumetrics", "pumetrics_workflow")
SRC = Path(__file__).resolve().parents[1]

_COMPUTES = (":/src", ":/workflow", ":/config", ":/Snakefile")
_PYTHON = "{}.{}".format(*sys.version_info)
_SCOPES = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Sources:
    """The files of some packages, and which of them refer to which.

    Parameters
    ----------
    folder : path-like
        Where the packages are.
    packages : iterable of str
        Their names.
    memory : path-like, optional
        JSON file with what was read in files, by their checksums: a cluster starts two processes for each job on the
        same code. Processes may share it; one that cannot be read or written costs time and nothing else.
    """

    def __init__(self, folder=SRC, packages=PACKAGES, memory=None):
        self.folder = Path(folder).resolve()
        self._memory = memory and Path(memory)
        paths = (path for package in packages for path in self.folder.joinpath(package).rglob("*"))
        self.files = sorted(
            path for path in paths if path.is_file() and path.parent.name != "__pycache__"
        )
        self._modules = {self._dotted(path): path for path in self.files if path.suffix == ".py"}
        self._data = [path for path in self.files if path.suffix != ".py"]
        self._known = self._remembered()
        self._read = {}
        self._hashes = {}
        self._remembers = len(self._known)

    def behind(self, *starts, methods=STEPS):
        """Return the files that Python files import or name, directly or not, as a set.

        A start counts itself, and its package's `__init__`, if it belongs to the packages. Of the class of a study only
        these methods count.
        """
        known = set(self.files)
        reached = set()
        queue = [Path(start).resolve() for start in starts]
        queue += {path.with_name("__init__.py") for path in queue} & known
        while queue:
            path = queue.pop()
            if path not in reached:
                reached.add(path)
                queue += self._references(path, methods)
        return reached & known

    def hash(self, paths, methods=STEPS):
        """Hash names and contents of files, twelve hexadecimal digits; comments and docstrings do not count."""
        lines = (
            f"{path.relative_to(self.folder).as_posix()} {self._facts(path, methods)[0]}"
            for path in sorted(paths)
        )
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]

    def code_hash(self, *starts, methods=STEPS):
        """Hash the files :meth:`behind` some Python files, such as a rule's script."""
        key = (starts, methods)
        if key not in self._hashes:
            self._hashes[key] = self.hash(self.behind(*starts, methods=methods), methods)
        return self._hashes[key]

    def save(self):
        """Write down what was read in the files, if any of it is new."""
        if not self._memory or len(self._known) == self._remembers:
            return
        self._known = self._remembered() | self._known  # another process may have added to it
        with suppress(OSError):
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._memory.with_name(f"{self._memory.name}.{os.getpid()}")
            temporary.write_text(json.dumps(self._known))
            os.replace(temporary, self._memory)
            self._remembers = len(self._known)

    def _remembered(self):
        """What earlier processes read in files, by checksum."""
        with suppress(OSError, ValueError, TypeError):
            return (
                dict(json.loads(self._memory.read_text(encoding="utf-8"))) if self._memory else {}
            )
        return {}

    def _dotted(self, path):
        """Name of a module, or of the package whose `__init__` a file is."""
        parts = path.relative_to(self.folder).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _facts(self, path, methods):
        """Digest of a file's content, the dotted names it imports, and the names of data files it holds."""
        left_out = set(STEPS) - set(methods) if path.name == "study.py" else set()
        place = (path, *sorted(left_out))
        if place not in self._read:
            content = path.read_bytes()
            digest = hashlib.sha256(path.suffix.encode() + content).hexdigest()
            key = " ".join([_PYTHON, digest, *place[1:]])  # another version dumps other trees
            if key not in self._known:
                is_code = path.suffix == ".py"
                self._known[key] = _facts_of_code(content, left_out) if is_code else (digest, [])
            held = [data for data in self._data if data.name.encode() in content]
            self._read[place] = (*self._known[key], held)
        return self._read[place]

    def _references(self, path, methods):
        """Files that one imports, with the packages around them, and data files that it names."""
        _, imported, held = self._facts(path, methods)
        for name in imported:
            parts = name.split(".")
            around = (".".join(parts[: depth + 1]) for depth in range(len(parts)))
            yield from (self._modules[package] for package in around if package in self._modules)
        yield from held


def _facts_of_code(content, left_out):
    """Digest of Python code without comments, docstrings and some methods, and all dotted names that it imports."""
    tree = ast.parse(content)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.body = [each for each in node.body if getattr(each, "name", "") not in left_out]

    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                names |= {alias.name for alias in node.names}
            case ast.ImportFrom():
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
        if isinstance(node, _SCOPES) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), sorted(names)


def git_state(folder=SRC):
    """Return the commit of a folder's files and whether what computes in their repository differs from it.

    What computes are sources, rules and settings; documentation, tests and results do not.

    Returns
    -------
    dict
        ``commit`` and ``uncommitted_changes`` (bool); empty without git, and for files that no repository tracks.
    """
    if not git(folder, "ls-files", "."):
        return {}
    commit = git(folder, "rev-parse", "HEAD")
    changes = git(folder, "status", "--porcelain", "--", *_COMPUTES)
    return (
        {"commit": commit.decode().strip(), "uncommitted_changes": bool(changes)} if commit else {}
    )


def git(folder, *arguments):
    """Return what a command of git prints in a folder, as bytes; None if it fails."""
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
