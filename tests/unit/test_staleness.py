"""Kept tables say which code computed them, whether it has changed since, and whether numbers moved at quick scale."""

import json
import shutil
import subprocess
from hashlib import sha256

import pytest
from commands import answered, run

from pumetrics_workflow import staleness
from pumetrics_workflow.reference import rejudge

MODULE, UNUSED = "src/pumetrics_workflow/studies/one/simulation.py", "src/pumetrics/displays.py"
QUICK, PAPER = (f"results/reference/{scale}/one/tables/errors.csv" for scale in ("quick", "paper"))
TABLE = "method,error,seconds\ndirect,0.1,2\n"


class Clone:
    """A repository with a study of one script and one module, whose paper-scale tables its first commit computed."""

    def __init__(self, folder):
        self.folder = folder
        for name in (MODULE, UNUSED, "workflow/scripts/simulate.py", "src/pumetrics/__init__.py"):
            self.write(name, "x = 1\n")
        self.write("config/captions/one.yaml", "tables:\n")
        subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
        self.first = self.commit({QUICK: TABLE, PAPER: TABLE})
        run = {
            "scale": "paper",
            "kept": ["one"],
            "commit": self.first,
            "rules": {"simulate": {}, "draw": {}},
        }
        self.commit({"results/reference/paper/provenance.json": json.dumps([run])})

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
            [*git, "commit", "-q", "--no-verify", "--allow-empty", "-m", "a commit"], check=True
        )
        return subprocess.run(
            [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        ).stdout.strip()

    @property
    def state(self):
        staleness._sources.cache_clear()
        return staleness.states(self.folder / "results/reference/paper", home=self.folder)["one"]


@pytest.fixture
def clone(tmp_path):
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    return Clone(tmp_path)


def test_tables_of_the_present_code_are_not_stale(clone):
    clone.commit({UNUSED: "x = 2\n", "config/captions/one.yaml": "tables: {errors: Errors}\n"})
    clone.commit({MODULE: '"""Now with a docstring."""\nx = 1\n'})
    assert (clone.state.changed, clone.state.moved) == ((), ())
    assert (
        str(clone.state) == f"computed by commit {clone.first[:9]}; the code behind it is the same"
    )


def test_a_changed_module_is_named_and_moved_numbers_make_a_study_stale(clone):
    clone.commit({MODULE: "x = 2\n"})
    assert clone.state.changed == ("pumetrics_workflow/studies/one/simulation.py",)
    assert not clone.state.is_stale
    assert "studies/one/simulation.py); at quick scale no number moved" in str(clone.state)
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
    clone.commit({MODULE: "x = 2\n", QUICK: quick, PAPER: paper})
    assert (clone.state.moved, clone.state.is_stale) == ((), False)


def test_without_the_commit_nothing_is_claimed(clone):
    assert staleness._moved("one", "paper", "", clone.folder) is None
    shutil.rmtree(clone.folder / ".git")
    staleness._code_at.cache_clear()
    assert (clone.state.changed, clone.state.moved, clone.state.is_stale) == (None, None, False)
    assert str(clone.state).endswith("whether the code behind it has changed since is unknown")
    assert str(staleness.State("one", "")).startswith("computed by commit unknown; whether")


def test_without_quick_tables_it_is_unknown_whether_numbers_moved(clone):
    (clone.folder / "results/reference/quick/manifest.json").unlink()
    assert (clone.state.changed, clone.state.moved) == ((), None)


def test_what_was_compared_again_names_both_commits(clone, monkeypatch):
    reference = clone.folder / "results/reference/paper"
    files = {
        str(each.relative_to(reference)): sha256(each.read_bytes()).hexdigest()
        for each in reference.rglob("*.*")
    }
    clone.write("results/reference/paper/manifest.json", json.dumps({"files": files}))
    monkeypatch.setattr("pumetrics_workflow.reference.check_published", lambda *given: None)
    monkeypatch.setattr("pumetrics_workflow.reference.load_captions", lambda *given: {"tables": ()})
    monkeypatch.setattr("pumetrics_workflow.reference.read_published", lambda path: None)
    monkeypatch.setattr("pumetrics_workflow.reference.papers", lambda home: {})
    monkeypatch.setattr("pumetrics_workflow.reference.git_state", lambda home: {"commit": "c" * 40})
    monkeypatch.setattr("pumetrics_workflow.reference.write_verdicts", lambda *given: None)
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
    assert str(clone.state).startswith(
        f"computed by commit {clone.first[:9]}, compared with published numbers by ccccccccc"
    )


def test_the_check_says_it_without_a_run(clone, monkeypatch):
    clone.write("results/reference/paper/manifest.json", json.dumps({"files": {}}))
    monkeypatch.setattr("pumetrics_workflow.reference.verify", lambda reference: [])
    monkeypatch.chdir(clone.folder)
    said = answered(run("reference", "check", "results/paper"))
    assert "one: computed by commit" in said
    assert "no run in results/paper: nothing is compared" in said
