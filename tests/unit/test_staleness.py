"""Kept tables say which code computed them, whether it has changed since, and whether numbers moved at quick scale."""

import json
import platform
import shutil
import subprocess
from hashlib import sha256

import pytest
from commands import answered, run

from pumetrics_workflow import staleness
from pumetrics_workflow.code import Sources
from pumetrics_workflow.reference import rejudge

MODULE, SCRIPT = "src/pumetrics_workflow/studies/one/study.py", "workflow/scripts/simulate.py"
UNUSED = "src/pumetrics/displays.py"
QUICK, PAPER = (f"results/reference/{scale}/one/tables/errors.csv" for scale in ("quick", "paper"))
TABLE = "method,error,seconds\ndirect,0.1,2\n"


class Clone:
    """A repository with a study of one script and one module, whose paper-scale tables its first commit computed."""

    def __init__(self, folder):
        self.folder = folder
        for name in (MODULE, UNUSED, SCRIPT, "src/pumetrics/__init__.py"):
            self.write(name, "x = 1\n")
        subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
        self.first = self.commit({QUICK: TABLE, PAPER: TABLE})
        behind = Sources(folder / "src").code_hash(folder / SCRIPT, folder / MODULE)
        self.run = {
            "kept": ["one"],
            "commit": self.first,
            "python": platform.python_version(),
            "rules": {"simulate": {"behind": behind}, "draw": {}},
        }
        self.keep()

    def keep(self, **facts):
        self.run |= facts
        self.commit({"results/reference/paper/provenance.json": json.dumps([self.run])})

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self, files):
        """Write and commit files, and the manifest of the quick tables; return the commit."""
        for name, text in files.items():
            self.write(name, text)
        files = {"one/tables/errors.csv": hash((self.folder / QUICK).read_text())}
        self.write("results/reference/quick/manifest.json", json.dumps({"files": files}))
        git = ["git", "-C", self.folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run(
            [*git, "commit", "-q", "--no-verify", "--allow-empty", "-m", "a"], check=True
        )
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True)
        return head.stdout.decode().strip()

    @property
    def state(self):
        return staleness.states(self.folder / "results/reference/paper", home=self.folder)["one"]


@pytest.fixture
def clone(tmp_path):
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    return Clone(tmp_path)


def test_a_changed_module_is_named_and_moved_numbers_make_a_study_stale(clone):
    clone.commit({UNUSED: "x = 2\n", MODULE: '"""Now with a docstring."""\nx = 1\n'})
    assert (clone.state.changed, clone.state.moved) == ((), ())
    clone.commit({MODULE: "x = 2\n"})
    assert (clone.state.changed, clone.state.is_stale) == (("simulate",), False)
    clone.commit({QUICK: TABLE.replace("0.1,2", "0.2,2")})
    assert clone.state.moved == ("errors",)
    assert "stale: at quick scale numbers moved in errors" in str(clone.state)


@pytest.mark.parametrize(
    ("quick", "paper"),
    [
        (TABLE.replace("0.1,2", "0.10000001,7"), TABLE),
        ("method,error,width\ndirect,0.1,1\n", TABLE),
        (TABLE.replace("0.1,2", "0.2,2"), TABLE.replace("0.1,2", "0.3,2")),
    ],
    ids=["last digits and times", "another column", "made again at both scales"],
)
def test_what_is_no_other_number_makes_nothing_stale(clone, quick, paper):
    clone.commit({QUICK: quick, PAPER: paper})
    assert (clone.state.moved, clone.state.is_stale) == ((), False)


def test_where_nothing_is_known_nothing_is_claimed(clone):
    (clone.folder / "results/reference/quick/manifest.json").unlink()
    assert (clone.state.changed, clone.state.moved) == ((), None)
    clone.keep(python="2.7.18")
    assert clone.state.changed is None, "another Python counts other syntax trees"
    clone.keep(python=platform.python_version(), rules={"simulate": {}})
    assert clone.state.changed is None
    shutil.rmtree(clone.folder / ".git")
    assert (clone.state.moved, clone.state.is_stale) == (None, False)


def test_what_was_compared_again_names_both_commits(clone, monkeypatch):
    reference = clone.folder / "results/reference/paper"
    files = {
        str(each.relative_to(reference)): sha256(each.read_bytes()).hexdigest()
        for each in reference.rglob("*.*")
    }
    clone.write("results/reference/paper/manifest.json", json.dumps({"files": files}))
    instead = {
        "check_published": None,
        "load_captions": {"tables": ()},
        "read_published": None,
        "papers": {},
        "git_state": {"commit": "c" * 40},
        "write_verdicts": None,
    }
    for name, value in instead.items():
        monkeypatch.setattr(f"pumetrics_workflow.reference.{name}", lambda *_, value=value: value)
    rejudge(reference, clone.folder)
    assert clone.state.rejudged is None, "no table changed"
    clone.write(PAPER, "method,error\ndirect,0.2\n")
    with pytest.raises(ValueError, match=r"errors.csv does not have the checksum"):
        rejudge(reference, clone.folder)
    clone.write(PAPER, TABLE)
    monkeypatch.setattr(
        "pumetrics_workflow.reference.write_verdicts",
        lambda *given: clone.write(PAPER, "verdict\nholds\n"),
    )
    rejudge(reference, clone.folder)
    assert clone.state.rejudged == "c" * 9


def test_the_check_says_it_without_a_run(clone, monkeypatch):
    clone.write("results/reference/paper/manifest.json", json.dumps({"files": {}}))
    monkeypatch.setattr("pumetrics_workflow.reference.verify", lambda reference: [])
    monkeypatch.chdir(clone.folder)
    said = answered(run("reference", "check", "results/paper"))
    assert "one: computed by commit" in said
    assert "no run in results/paper: nothing is compared" in said
