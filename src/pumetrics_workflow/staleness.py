"""Whether tables of the reference are up to date: has the code behind them changed, and did that move numbers?

The provenance of a reference holds the hash of the code behind each rule, as the rules count it. Whether numbers moved
is seen at quick scale, whose tracked tables every commit renews: those of the commit that computed a reference are
compared with those of now, in the columns that both have. What is made again at all scales
(:func:`pumetrics_workflow.reference.rejudge`) does not count: the table of published numbers, and a table that its own
scale has had again since it last changed at quick scale.
"""

import io
import json
import platform
from dataclasses import dataclass
from pathlib import Path

from pumetrics_workflow.code import Sources, git
from pumetrics_workflow.compare import differences, without_times
from pumetrics_workflow.sets import finished, in_words
from pumetrics_workflow.studies import files_of

__all__ = ["RENAMED", "State", "states"]

RENAMED = {"judge": "evaluate_in_memory"}
"""The name of a rule now, by the one that is in the provenance of older runs."""
_NOT_COMPUTED = ("draw", "fetch")  # rules whose results are in no table
# Methods of a study that a rule calls.
_OF_THE_STUDY = {"simulate": ("simulate",), "summarize": ("tables", "published", "derived")}
_QUICK = "results/reference/quick"
_MEMORY = ".snakemake/pumetrics/code.json"  # as of runs in the clone: what is in files, by their checksums


@dataclass(frozen=True)
class State:
    """What is known of the tables of a study.

    Attributes
    ----------
    study, commit : str
    rejudged : str or None
        Commit at which its published numbers were compared again.
    changed : tuple of str or None
        Rules whose code has changed since; None if that is not known.
    moved : tuple of str or None
        Tables with other numbers at quick scale; None if that is not known.
    sets : str
        How many data sets are kept one by one, and by which commits.
    """

    study: str
    commit: str
    rejudged: str | None = None
    changed: tuple | None = None
    moved: tuple | None = None
    sets: str = ""

    @property
    def is_stale(self):
        """Whether a run by the present code would give other numbers."""
        return bool(self.moved)

    def __str__(self):
        again = f", compared with published numbers by {self.rejudged}" if self.rejudged else ""
        sets = f"; data sets kept: {self.sets}" if self.sets else ""
        return f"computed by commit {self.commit or 'unknown'}{again}; {self._code()}{sets}"

    def _code(self):
        if self.changed is None:
            code = "whether the code behind it has changed since is unknown"
        elif self.changed:
            code = f"the code behind it has changed since ({', '.join(self.changed)})"
        else:
            code = "the code behind it is the same"

        if self.moved:
            return f"{code}; stale: at quick scale numbers moved in {', '.join(self.moved)}"
        if self.changed and self.moved is not None:
            return f"{code}; at quick scale no number moved"
        return code


def states(reference, *, home="."):
    """Return the :class:`State` of each study of a reference of one scale, by name.

    Parameters
    ----------
    reference : path-like
        A folder of one scale, such as ``results/reference/paper``.
    home : path-like
        The clone.
    """
    reference = Path(reference)
    home = Path(home).resolve()
    sources = Sources(home / "src", memory=home / _MEMORY)
    found = {}
    for run in json.loads((reference / "provenance.json").read_text(encoding="utf-8")):
        commits = [commit for commit in run.get("commit", "").split(", ") if commit]
        for study in run["kept"]:
            found[study] = State(
                study,
                commit=", ".join(commit[:9] for commit in commits),
                rejudged=run.get("rejudged", {}).get(study),
                changed=_changed(run, study, sources),
                moved=_moved(study, reference.name, commits, home),
                sets=in_words(finished(reference, study)),
            )
    sources.save()
    return found


def _changed(run, study, sources):
    """Rules whose code is not that of a run; None if the run does not say, or another Python counted it."""
    then = {
        name: rule.get("behind")
        for name, rule in run.get("rules", {}).items()
        if name not in _NOT_COMPUTED
    }
    counted_alike = _minor(run.get("python", "")) == _minor(platform.python_version())
    is_known = counted_alike and then and all(then.values())
    if not is_known:
        return None
    return tuple(name for name in then if then[name] != _behind(name, study, sources))


def _minor(python):
    return python.split(".")[:2]


def _behind(rule, study, sources):
    """Hash of the code behind a rule of a study, as its param has it."""
    script = sources.folder.parent / f"workflow/scripts/{RENAMED.get(rule, rule)}.py"
    if rule not in _OF_THE_STUDY:
        return sources.code_hash(script)
    methods = _OF_THE_STUDY[rule]
    folder = sources.folder / "pumetrics_workflow/studies"
    return sources.code_hash(script, *files_of(study, methods, folder=folder), methods=methods)


def _moved(study, scale, commits, home):
    """Tables of a study with other numbers at quick scale than at any of some commits; None if that is not known."""
    manifest = home / _QUICK / "manifest.json"
    if scale == "quick" or not commits or not manifest.is_file():
        return None

    now = json.loads(manifest.read_text(encoding="utf-8"))["files"]
    moved = set()
    for commit in commits:
        text = git(home, "show", f"{commit}:{_QUICK}/manifest.json")
        then = json.loads(text)["files"] if text else {}
        names = [
            name for name in then if name.startswith(f"{study}/") and "/published." not in name
        ]
        if not names:
            return None
        for name in names:
            is_other = name in now and then[name] != now[name]
            if is_other and _has_moved(name, scale, commit, home):
                moved.add(Path(name).stem)
    return tuple(sorted(moved))


def _has_moved(name, scale, commit, home):
    """Whether a table has other numbers than at a commit, and was not made again at its own scale since."""
    import pandas as pd

    own = f"results/reference/{scale}/{name}"
    newest = _commits(home, commit, f"{_QUICK}/{name}", own)[:1]
    if {*newest} <= {*_commits(home, commit, own)}:
        return False
    before = pd.read_csv(io.BytesIO(git(home, "show", f"{commit}:{_QUICK}/{name}")))
    after = pd.read_csv(home / _QUICK / name)
    shared = [column for column in before if column in after]
    tables = (without_times(table[shared]) for table in (before, after))
    return bool(differences(*tables, tolerance=1e-6, rtol=1e-6))


def _commits(home, since, *paths):
    """Commits since one that changed a file or any of several, the newest first."""
    return (git(home, "log", "--format=%H", f"{since}..HEAD", "--", *paths) or b"").split()
