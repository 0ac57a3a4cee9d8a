"""Provenance: what varies between runs stands there, with the time that each rule took, and in no table."""

import json
import shutil
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from pumetrics_workflow import job
from pumetrics_workflow.code import git_state, source_hash
from pumetrics_workflow.journal import FOLDER, Journal
from pumetrics_workflow.provenance import provenance

CONFIG = {"scale": "quick", "seed": 7, "studies": ["ramola2019"]}
CARDS = {"pima": {"available": True, "sha256": {"pima.csv": "ab"}, "source": "UCI"}, "oil": {"available": False}}
OIL = "results/quick/ramola2019/scores/oil/mlp/000-001.parquet"


def journal_of(folder, outputs):
    """Write the journal of a run whose jobs made the given files."""
    journal = Journal({"all": len(outputs)}, 2, folder / FOLDER)
    for number, output in enumerate(outputs):
        (folder / output).parent.mkdir(parents=True, exist_ok=True)
        (folder / output).touch()
        journal.add("start", job=number, rule="train", what="Training", outputs=[output], log=[])
        journal.add("done", job=number)
    journal.add("close")
    journal.path.rename(journal.path.with_name(f"{len(list(journal.path.parent.iterdir()))}.jsonl"))


def benchmarked(folder, name, text):
    """Write a table as Snakemake's `benchmark` directive does."""
    path = folder / "logs" / f"{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def measured(seconds, memory, cpu):
    columns = ["s", "h:m:s", "max_rss", "max_vms", "max_uss", "max_pss", "io_in", "io_out", "mean_load", "cpu_time"]
    values = [seconds, "0:00:01", memory, 900.0, 90.0, 90.0, 0.0, 0.5, 80.0, cpu]
    return "\t".join(columns) + "\n" + "\t".join(map(str, values)) + "\n"


@pytest.fixture
def facts(tmp_path):
    """Return the provenance after two runs, of which the second made one table again."""
    journal_of(tmp_path, ["resources/prepared/pima.parquet", OIL.replace("oil", "pima"), OIL])
    journal_of(tmp_path, [OIL])
    tables = {
        "prepare/pima": measured(1.0, 100.2, 0.5),
        "prepare/mushroom": measured(50.0, 500.0, 50.0),
        "quick/ramola2019/train/pima/mlp/000-001": measured(10.0, 300.0, 9.0),
        "quick/ramola2019/train/oil/mlp/000-001": measured(21.0, 350.0, 18.5),
        "quick/ramola2019/draw": measured(0.1, "NA", "NA"),
        "quick/ramola2019/summarize": "s\th:m:s\tmax_",
        "quick/jain2017/train/oil/mlp/000-001": measured(700.0, 700.0, 700.0),
        "laptop/ramola2019/train/oil/mlp/000-001": measured(900.0, 900.0, 900.0),
    }
    for name, text in tables.items():
        benchmarked(tmp_path, name, text)
    logs = {"prepare/pima": "0.75", "quick/ramola2019/train/oil/mlp/000-001": "20.25"}
    for name, seconds in logs.items():
        (tmp_path / f"logs/{name}.log").write_text(f"Training\nCPU time in seconds: {seconds}\n", encoding="utf-8")
    return provenance(CONFIG, CARDS, folder=tmp_path)


def test_each_rule_has_the_time_and_memory_that_its_jobs_took(facts):
    assert facts["rules"] == {
        "draw": {"jobs": 1, "wall_seconds": 0.1, "cpu_seconds": 0.0, "cpu_sampled": True, "most_mb": 0},
        "prepare": {"jobs": 1, "wall_seconds": 1.0, "cpu_seconds": 0.8, "cpu_sampled": False, "most_mb": 100},
        "train": {"jobs": 2, "wall_seconds": 31.0, "cpu_seconds": 29.2, "cpu_sampled": True, "most_mb": 350},
    }, "of this scale, its studies and their data sets; what a kill cut off counts for nothing"


def test_a_job_counts_its_cpu_time_to_the_end(tmp_path):
    def work(seconds):
        print("working")
        start = time.process_time()
        while time.process_time() < start + seconds:
            pass

    log = tmp_path / "logs/work.log"
    before = time.process_time()
    snakemake = SimpleNamespace(log=[log], input={}, output={}, params={"seconds": 0.3}, wildcards={})
    job.run(work, snakemake)
    lines = log.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "working"
    assert len(lines) == 2
    assert job.cpu_seconds(log) >= before + 0.3 - 0.02, "of the whole process, its start included"
    assert job.cpu_seconds(tmp_path / "none.log") is None


def test_the_runs_are_named_with_host_and_cores(facts):
    assert [run["jobs_in_use"] for run in facts["runs"]] == [2, 1]
    assert all(run["cores"] == 2 and run["host"] == facts["host"] for run in facts["runs"])


def test_versions_seed_and_hashes_are_there_and_it_is_json(facts):
    assert json.loads(json.dumps(facts)) == facts
    assert facts["seed"] == 7
    assert facts["code"] == source_hash()
    assert facts["data"] == {"pima": {"pima.csv": "ab"}}
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"numpy", "scipy", "pandas", "scikit-learn", "pumetrics", "config_sha256"} <= set(facts)


def test_the_hash_of_the_config_follows_the_config_and_not_its_order():
    def hashed(**config):
        return provenance(config, {})["config_sha256"]

    assert hashed(**CONFIG) == hashed(**dict(reversed(CONFIG.items())))
    assert hashed(**CONFIG) != hashed(**{**CONFIG, "seed": 8})


def test_without_a_journal_there_are_no_times(tmp_path):
    facts = provenance(CONFIG, CARDS, folder=tmp_path)
    assert "rules" not in facts
    assert "runs" not in facts


def test_a_result_has_the_state_of_the_sources_when_its_jobs_ran_not_when_the_report_was_written(tmp_path, monkeypatch):
    states = [{"commit": "ab", "uncommitted_changes": True}, {"commit": "cd", "uncommitted_changes": False}]
    for state, output in zip(states, (OIL, OIL.replace("oil", "pima")), strict=True):
        monkeypatch.setattr("pumetrics_workflow.journal.git_state", lambda state=state: state)
        journal_of(tmp_path, [output])
    facts = provenance(CONFIG, CARDS, folder=tmp_path)
    assert (facts["commit"], facts["uncommitted_changes"]) == ("ab, cd", True)
    assert [run["uncommitted_changes"] for run in facts["runs"]] == [True, False]
    journal_of(tmp_path, [OIL])
    facts = provenance(CONFIG, CARDS, folder=tmp_path)
    assert (facts["commit"], facts["uncommitted_changes"]) == ("cd", False)
    monkeypatch.setattr("pumetrics_workflow.journal.git_state", lambda: states[0])
    journal_of(tmp_path, [OIL.replace("ramola2019", "jain2017"), OIL.replace("quick", "laptop")])
    journal_of(tmp_path, ["results/quick/ramola2019/report.html", gone := OIL.replace("oil", "gone")])
    (tmp_path / gone).unlink()
    assert provenance(CONFIG, CARDS, folder=tmp_path)["runs"] == facts["runs"], "of other results, and of the report"


@pytest.fixture
def repository(tmp_path):
    """Return the sources of a repository with two committed files."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    (tmp_path / "src").mkdir()
    for name in ("src/module.py", "README.md"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "--no-verify", "-m", "first"]):
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
    assert git_state(repository / "installed") == {}, "the repository around it says nothing about it"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_state(repository) == {}, "without git"


def test_a_damaged_file_of_a_users_own_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.parquet", "made.parquet", "sound.json"):
        (tmp_path / name).write_bytes(b"[1]")
    lines = job.set_aside_damaged([str(tmp_path / "mine.parquet"), "made.parquet", "sound.json", "missing.parquet"])
    assert len(lines) == 1
    assert lines[0].startswith("made.parquet is damaged (")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.parquet.damaged", "mine.parquet", "sound.json"]
