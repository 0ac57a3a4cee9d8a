"""Whether tables of the reference are up to date: has the code behind them changed, and did that move numbers?

git has the code at the commit that computed them. Whether numbers moved is seen at quick scale, whose tracked tables
every commit renews: those of that commit are compared with those of now, in the columns that both have. What is made
again at all scales (:func:`pumetrics_workflow.reference.rejudge`) does not count: the table of published numbers, and a
table that no commit changed at quick scale alone.
"""

import io
import json
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pumetrics_workflow.code import Sources, git
from pumetrics_workflow.compare import differences, without_times

__all__ = ["RENAMED", "State", "states"]

_NOT_COMPUTED = ("draw", "fetch")  # rules whose results are in no table
RENAMED = {"judge": "evaluate_in_memory"}
"""The name of a rule now, by the one that is in the provenance of older runs."""
_QUICK = "results/reference/quick"
_MEMORY = ".snakemake/pumetrics/code.json"  # as of runs in the clone: what is in files, by their checksums
_NAMED = 3


@dataclass(frozen=True)
class State:
    """What is known of the tables of a study.

    Attributes
    ----------
    study, commit : str
    rejudged : str or None
        Commit at which its published numbers were compared again.
    changed : tuple of str or None
        Files of code behind it that have changed since; None if git cannot say.
    moved : tuple of str or None
        Tables with other numbers at quick scale; None if that is not known.
    """

    study: str
    commit: str
    rejudged: str | None = None
    changed: tuple | None = None
    moved: tuple | None = None

    @property
    def is_stale(self):
        """Whether a run by the present code would give other numbers."""
        return bool(self.moved)

    def __str__(self):
        again = f", compared with published numbers by {self.rejudged}" if self.rejudged else ""
        return (
            f"computed by commit {self.commit or 'unknown'}{again}; {self._code()}{self._numbers()}"
        )

    def _code(self):
        if self.changed is None:
            return "whether the code behind it has changed since is unknown"
        if not self.changed:
            return "the code behind it is the same"
        more = f" and {len(self.changed) - _NAMED} more files" if len(self.changed) > _NAMED else ""
        return f"the code behind it has changed since ({', '.join(self.changed[:_NAMED])}{more})"

    def _numbers(self):
        if self.moved:
            return f"; stale: at quick scale numbers moved in {', '.join(self.moved)}"
        return "; at quick scale no number moved" if self.moved == () and self.changed else ""


def states(reference, *, home="."):
    """Return the :class:`State` of each study of a reference of one scale, by name.

    Parameters
    ----------
    reference : path-like
        A folder of one scale, such as ``results/reference/paper``.
    home : path-like
        The clone.
    """
    reference, home = Path(reference), Path(home).resolve()
    runs = json.loads((reference / "provenance.json").read_text(encoding="utf-8"))
    return {
        study: _state(study, run, reference.name, home) for run in runs for study in run["kept"]
    }


def _state(study, run, scale, home):
    commits = run.get("commit", "").split(", ")
    changed = [_changed(study, tuple(run.get("rules", {})), commit, home) for commit in commits]
    moved = [None if scale == "quick" else _moved(study, scale, commit, home) for commit in commits]
    commit, rejudged = (
        ", ".join(commit[:9] for commit in commits),
        run.get("rejudged", {}).get(study),
    )
    return State(study, commit, rejudged, _together(changed, study), _together(moved, study))


def _together(found, study):
    """Names that belong to any commit, those of the study first; None if one commit is not known."""
    if None in found:
        return None
    return tuple(sorted(set().union(*found), key=lambda name: (f"/{study}/" not in name, name)))


def _changed(study, rules, commit, home):
    """Files behind the rules of a study that are not those of a commit; None if git does not have it."""
    then = _code_at(commit, home)
    if then is None:
        return None
    before = _behind(then, study, rules)
    now = _behind(_sources(home), study, [RENAMED.get(name, name) for name in rules])
    return {name for name in {**before, **now} if before.get(name) != now.get(name)}


def _behind(sources, study, rules):
    """Hashes of the files behind the scripts of some rules and the modules of a study, by name."""
    scripts = [
        sources.folder.parent / f"workflow/scripts/{name}.py"
        for name in rules
        if name not in _NOT_COMPUTED
    ]
    package = sources.folder / "pumetrics_workflow/studies" / study
    starts = [
        path
        for path in (*scripts, package / "tables.py", package / "simulation.py")
        if path.is_file()
    ]
    found = {
        path.relative_to(sources.folder).as_posix(): sources.hash([path])
        for path in sources.behind(*starts)
    }
    sources.save()
    return found


@cache
def _sources(home):
    return Sources(home / "src", memory=home / _MEMORY)


@cache
def _code_at(commit, home):
    """The sources at a commit, all read; None if git does not have it."""
    archive = git(home, "archive", commit, "src", "workflow/scripts")
    if archive is None:
        return None
    folder = TemporaryDirectory()
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in filter(tarfile.TarInfo.isfile, tar):
            path = Path(folder.name, member.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tar.extractfile(member).read())
    sources = Sources(Path(folder.name, "src"), memory=home / _MEMORY)
    sources.kept = folder  # until the process ends
    return sources


def _moved(study, scale, commit, home):
    """Tables of a study with other numbers at quick scale than at a commit; None if that is not known."""
    import pandas as pd

    text = git(home, "show", f"{commit}:{_QUICK}/manifest.json") if commit else None
    manifest = home / _QUICK / "manifest.json"
    if text is None or not manifest.is_file():
        return None
    then, now = json.loads(text)["files"], json.loads(manifest.read_text(encoding="utf-8"))["files"]
    names = [name for name in then if name.startswith(f"{study}/") and "/published." not in name]
    if not names:
        return None
    moved = set()
    for name in (name for name in names if name in now and then[name] != now[name]):
        touched = [
            _commits(home, commit, f"results/reference/{each}/{name}") for each in ("quick", scale)
        ]
        if touched[0] <= touched[1]:
            continue
        before = pd.read_csv(io.BytesIO(git(home, "show", f"{commit}:{_QUICK}/{name}")))
        after = pd.read_csv(home / _QUICK / name)
        shared = [column for column in before if column in after]
        if differences(
            *(without_times(table[shared]) for table in (before, after)), tolerance=1e-6, rtol=1e-6
        ):
            moved.add(Path(name).stem)
    return moved


def _commits(home, since, path):
    """Commits since one that changed a file."""
    return set((git(home, "log", "--format=%H", f"{since}..HEAD", "--", path) or b"").split())
