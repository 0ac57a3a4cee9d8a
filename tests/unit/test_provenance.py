"""Provenance: what varies between runs stands there, with the time that each rule took, and in no table."""

import json
import sys

import pytest

from pumetrics_workflow import job
from pumetrics_workflow.journal import FOLDER, Journal, usage_in_log
from pumetrics_workflow.provenance import provenance

CONFIG = {"scale": "quick", "seed": 7, "studies": ["ramola2019"]}
CARDS = {"pima": {"available": True, "sha256": {"pima.csv": "ab"}, "source": "UCI"}, "oil": {"available": False}}


def journal_of(folder, jobs):
    """Write the journal of a run that did `jobs`: (rule, output, seconds, CPU seconds, MB)."""
    journal = Journal(folder / FOLDER)
    journal.start({"all": len(jobs)}, 2)
    for number, (rule, output, seconds, cpu, memory) in enumerate(jobs):
        journal.add("start", job=number, rule=rule, what=rule, outputs=[output], log=[])
        journal.add("done", job=number, seconds=seconds, cpu=cpu, memory=memory)
    journal.close()
    journal.path.rename(journal.path.with_name(f"{len(list(journal.path.parent.iterdir()))}.jsonl"))


@pytest.fixture
def facts(tmp_path):
    """Return the provenance after two runs, of which the second made one table anew."""
    journal_of(
        tmp_path,
        [
            ("prepare", "resources/prepared/pima.parquet", 1.0, 0.5, 100),
            ("train", "results/quick/ramola2019/scores/pima/mlp/000-001.parquet", 10.0, 9.0, 300),
            ("train", "results/quick/ramola2019/scores/oil/mlp/000-001.parquet", 20.0, 19.0, 400),
            ("train", "results/laptop/ramola2019/scores/oil/mlp/000-001.parquet", 900.0, 900.0, 900),
            ("prepare", "resources/prepared/mushroom.parquet", 50.0, 50.0, 500),
        ],
    )
    journal_of(tmp_path, [("train", "results/quick/ramola2019/scores/oil/mlp/000-001.parquet", 21.0, 18.5, 350)])
    return provenance(CONFIG, CARDS, code="c0de", folder=tmp_path)


def test_each_rule_has_the_time_of_the_jobs_whose_results_are_in_use(facts):
    assert facts["rules"] == {
        "prepare": {"jobs": 1, "wall_seconds": 1.0, "cpu_seconds": 0.5, "most_mb": 100},
        "train": {"jobs": 2, "wall_seconds": 31.0, "cpu_seconds": 27.5, "most_mb": 350},
    }


def test_the_runs_are_named_with_host_and_cores(facts):
    assert [run["jobs_in_use"] for run in facts["runs"]] == [2, 1]
    assert all(run["cores"] == 2 and run["host"] == facts["host"] for run in facts["runs"])


def test_versions_seed_and_hashes_are_there_and_it_is_json(facts):
    assert json.loads(json.dumps(facts)) == facts
    assert facts["seed"] == 7
    assert facts["code"] == "c0de"
    assert facts["data"] == {"pima": {"pima.csv": "ab"}}
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"numpy", "scipy", "pandas", "scikit-learn", "pumetrics", "config_sha256"} <= set(facts)


def test_the_hash_of_the_config_follows_the_config_and_not_its_order():
    def hashed(**config):
        return provenance(config, {}, code="")["config_sha256"]

    assert hashed(**CONFIG) == hashed(**dict(reversed(CONFIG.items())))
    assert hashed(**CONFIG) != hashed(**{**CONFIG, "seed": 8})


def test_without_a_journal_there_are_no_times(tmp_path):
    facts = provenance(CONFIG, CARDS, code="", folder=tmp_path)
    assert "rules" not in facts
    assert "runs" not in facts


def test_a_job_ends_its_log_with_what_it_took(tmp_path):
    from types import SimpleNamespace

    log = tmp_path / "job.log"
    fake = SimpleNamespace(input={}, output={}, params={}, wildcards={}, log=[str(log)], rule="train")
    job.run(lambda: bytearray(1 << 20), fake)
    seconds, cpu, memory = usage_in_log(log)
    assert cpu > 0
    assert seconds > 0
    assert 10 < memory < 10_000
    log.write_text("took a while\n", encoding="utf-8")
    assert usage_in_log(log) is None


def test_a_damaged_file_of_a_users_own_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.parquet", "made.parquet", "sound.json"):
        (tmp_path / name).write_bytes(b"[1]")
    told = job.set_aside_damaged([str(tmp_path / "mine.parquet"), "made.parquet", "sound.json", "missing.parquet"])
    assert len(told) == 1
    assert told[0].startswith("made.parquet is damaged (")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.parquet.damaged", "mine.parquet", "sound.json"]
