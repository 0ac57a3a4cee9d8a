"""Provenance: each table says what made it, wherever it is carried; what varies between runs is in no table."""

import json
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from pumetrics_workflow import job, provenance, tables
from pumetrics_workflow.code import git_state

CARDS = {
    "pima": {"available": True, "sha256": {"pima.csv": "ab"}, "source": "UCI"},
    "oil": {"available": False},
}
PRIORS = pd.DataFrame(
    {
        "dataset": "pima",
        "model": "mlp",
        "labeling": "scar",
        "repeat": [0],
        "method": "elkan_noto",
        "alpha_true": 0.3,
        "beta_true": 1.0,
        "seconds": 0.1,
        "status": "ok",
    }
)


@pytest.fixture
def do(tmp_path, monkeypatch):
    """Return a function that runs a job of a rule from inputs to an output, with the sources at a commit."""
    monkeypatch.chdir(tmp_path)

    def run(
        rule, output, *inputs, commit="ab", work=lambda path: tables.write("priors", PRIORS, path)
    ):
        monkeypatch.setenv(
            provenance.STATE, json.dumps({"commit": commit, "uncommitted_changes": commit == "ef"})
        )
        given = SimpleNamespace(rule=rule, log=["job.log"], output={"path": output}, wildcards={})
        given.params = {"code": f"code of {rule}"}
        given.input = type("Inputs", (list,), {"items": lambda self: []})(inputs)
        job.run(work, given)
        return output

    return run


def gathered(path):
    """Write provenance as the job does that makes the tables of a study."""
    path = tables.Path(path)
    path.write_text(
        json.dumps(provenance.provenance(CARDS, scale="quick", seed=7)), encoding="utf-8"
    )


def test_a_table_says_which_job_made_it_of_what_code_and_what_it_cost(do):
    facts = tables.read_metadata(do("train", "scores.parquet"))["made_by"]
    assert (facts["rule"], facts["behind"], facts["commit"]) == ("train", "code of train", "ab")
    assert facts["uncommitted_changes"] is False
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert facts["numpy"]
    assert facts["most_mb"] > 10
    assert facts["wall_seconds"] > 0


def test_tables_that_are_carried_to_another_folder_say_there_what_made_them(
    do, tmp_path, monkeypatch
):
    do("prepare", "prepared.parquet")
    do("train", "a.parquet", "prepared.parquet")
    (tmp_path / "elsewhere").mkdir()
    for name in ("prepared.parquet", "a.parquet"):
        (tmp_path / name).rename(tmp_path / "elsewhere" / name)
    monkeypatch.chdir(tmp_path / "elsewhere")
    do("train", "b.parquet", "prepared.parquet", commit="cd")
    do("summarize", "provenance.json", "a.parquet", "b.parquet", commit="cd", work=gathered)
    facts = json.loads((tmp_path / "elsewhere/provenance.json").read_text())
    assert (facts["commit"], facts["uncommitted_changes"]) == ("ab, cd", False)
    assert {rule: sums["jobs"] for rule, sums in facts["rules"].items()} == {
        "prepare": 1,
        "train": 2,
        "summarize": 1,
    }
    assert facts["rules"]["train"]["behind"] == "code of train"
    assert all(sums["cpu_seconds"] > 0 and sums["most_mb"] > 10 for sums in facts["rules"].values())
    assert (facts["seed"], facts["data"]) == (7, {"pima": {"pima.csv": "ab"}})
    do("train", "b.parquet", "prepared.parquet", commit="ef")
    do("summarize", "provenance.json", "a.parquet", "b.parquet", commit="cd", work=gathered)
    facts = json.loads((tmp_path / "elsewhere/provenance.json").read_text())
    assert (facts["commit"], facts["uncommitted_changes"]) == ("ab, ef, cd", True)


def test_the_provenance_of_several_studies_names_each_fact_once_and_adds_times(do):
    do("summarize", "provenance.json", do("train", "a.parquet"), work=gathered)
    one = json.loads(tables.Path("provenance.json").read_text())
    both = provenance.merged([one, {**one, "commit": "ab, cd", "data": {"oil": "UCI"}}])
    assert both["commit"] == "ab, cd"
    assert both["rules"]["train"]["jobs"] == 2
    assert both["data"] == {**one["data"], "oil": "UCI"}


@pytest.fixture
def repository(tmp_path):
    """Return the sources of a repository with two committed files."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    (tmp_path / "src").mkdir()
    for name in ("src/module.py", "README.md"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (
        ["init", "-q"],
        ["add", "."],
        [*who, "commit", "-q", "--no-verify", "-m", "first"],
    ):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    return tmp_path / "src"


def test_the_state_in_git_is_the_commit_and_whether_what_computes_differs_from_it(repository):
    state = git_state(repository)
    assert len(state["commit"]) == 40
    (repository.parent / "README.md").write_text("x = 2\n", encoding="utf-8")
    assert git_state(repository) == {**state, "uncommitted_changes": False}
    (repository / "module.py").write_text("x = 2\n", encoding="utf-8")
    assert git_state(repository) == {**state, "uncommitted_changes": True}


def test_sources_that_git_does_not_track_have_no_commit(repository, tmp_path, monkeypatch):
    (repository / "installed").mkdir()
    (repository / "installed/module.py").write_text("x = 1\n", encoding="utf-8")
    assert git_state(repository / "installed") == {}, (
        "the repository around it says nothing about it"
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_state(repository) == {}, "without git"


def test_a_damaged_file_of_a_users_own_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.parquet", "made.parquet", "sound.json"):
        (tmp_path / name).write_bytes(b"[1]")
    lines = job.set_aside_damaged(
        [str(tmp_path / "mine.parquet"), "made.parquet", "sound.json", "missing.parquet"]
    )
    assert len(lines) == 1
    assert lines[0].startswith("made.parquet is damaged (")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "made.parquet.damaged",
        "mine.parquet",
        "sound.json",
    ]
