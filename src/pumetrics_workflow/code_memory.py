"""Hashes of code, kept from one Snakemake process to the next: a cluster starts two for each job, on the same code."""

import hashlib
import json
import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from pumetrics_workflow.code import Sources, code_hash

__all__ = ["CodeMemory"]

_SOURCES = Sources(Path(__file__).parents[1])


class CodeMemory:
    """:func:`pumetrics_workflow.code.code_hash`, asked once for each state of the files.

    A kept hash is used only if every byte of our packages and of the starts is as it was. A file that cannot be read or
    written is no error: the hash is then computed.

    Parameters
    ----------
    path : path-like
        A JSON file. Processes may share it: it is replaced as a whole, and what one of them loses is computed again.
    """

    def __init__(self, path):
        self._path, self._new = Path(path), {}

    def code_hash(self, *starts):
        """Hash the files that Python files can execute or read; see :func:`pumetrics_workflow.code.code_hash`."""
        digest = self._packages.copy()
        for start in starts:
            digest.update(Path(start).read_bytes() + str(start).encode())
        key = digest.hexdigest()
        if key not in self._kept:
            self._kept[key] = self._new[key] = code_hash(*starts)
        return self._kept[key]

    def save(self):
        """Write down the hashes of this state of the files, if there are new ones."""
        if not self._new:
            return
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"packages": self._packages.hexdigest(), "hashes": self._kept}))
            os.replace(temporary, self._path)
        self._new = {}

    @cached_property
    def _packages(self):
        digest = hashlib.sha256()
        for path in _SOURCES.files:
            digest.update(f"{path} {path.stat().st_size} ".encode() + path.read_bytes())
        return digest

    @cached_property
    def _kept(self):
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            return content["hashes"] if content["packages"] == self._packages.hexdigest() else {}
        except (OSError, ValueError, TypeError, KeyError):
            return {}
