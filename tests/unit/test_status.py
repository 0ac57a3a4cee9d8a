"""`pumetrics status`: what a journal tells, for runs that go on, end, fail, are killed, or run elsewhere."""

import json
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from pumetrics.cli import app
from pumetrics_workflow.journal import FOLDER, Journal, Run, clock, read_runs


def status(folder):
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["status", str(folder)])


@pytest.fixture
def journal(tmp_path, monkeypatch):
    """Return the journal of a run of this very process, with one job of each kind."""
    monkeypatch.setattr(sys, "argv", ["snakemake", "ramola2019", "--cores", "2", "--config", "mirror=my data"])
    journal = Journal({"train": 4, "report": 1}, 2, tmp_path / FOLDER)
    log = tmp_path / "logs/train.log"
    log.parent.mkdir()
    log.write_text("Traceback\nValueError: no positives\n", encoding="utf-8")
    for number, name in enumerate(("pima", "wine", "oil")):
        journal.add(
            "start", job=number, rule="train", what=f"Training on {name}", outputs=[name], log=["logs/train.log"]
        )
    journal.add("done", job=0)
    journal.add("failed", job=1, log=["logs/train.log"])
    return journal


def rewrite(journal, **changes):
    """Change the first line of a journal: where and by which process it was written."""
    first, *rest = journal.path.read_text(encoding="utf-8").splitlines()
    journal.path.write_text("\n".join([json.dumps({**json.loads(first), **changes}), *rest]) + "\n", encoding="utf-8")


def test_a_run_that_goes_on(journal, tmp_path):
    said = status(tmp_path)
    assert said.exit_code == 0, said.output
    assert "snakemake ramola2019 --cores 2" in said.output
    assert "1 of 5 jobs done, 1 running, 1 failed, 2 left, about " in said.output
    assert "running: Training on oil (for 0:0" in said.output
    assert "failed: Training on wine\n    logs/train.log: ValueError: no positives\n" in said.output
    assert "to resume" not in said.output


def test_what_a_scheduler_ended_is_told_by_the_log_of_the_scheduler(journal, tmp_path):
    (tmp_path / "logs/oil.log").write_text("", encoding="utf-8")
    (tmp_path / "slurm.log").write_text("JOB 5 CANCELLED DUE TO TIME LIMIT\n", encoding="utf-8")
    journal.add("failed", job=2, log=["logs/oil.log", "slurm.log"])
    said = status(tmp_path)
    assert "failed: Training on oil\n    slurm.log: JOB 5 CANCELLED DUE TO TIME LIMIT\n" in said.output
    (tmp_path / "slurm.log").unlink()
    assert "failed: Training on oil\n    logs/oil.log: empty\n" in status(tmp_path).output


def test_a_run_whose_process_is_gone_names_the_commands_that_go_on(journal, tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    rewrite(journal, pid=dead.pid)
    said = status(tmp_path)
    assert said.exit_code == 1
    assert "ended unexpectedly" in said.output
    assert "1 cut off" in said.output
    command = "snakemake ramola2019 --cores 2 --config 'mirror=my data'"
    assert f"to resume:\n  {command} --unlock\n  {command}\n" in said.output


def test_a_number_that_passed_to_another_process_is_no_sign_of_life(journal, tmp_path):
    rewrite(journal, born=psutil.Process().create_time() - 3600)
    assert "ended unexpectedly" in status(tmp_path).output


def test_a_run_on_another_machine_may_go_on(journal, tmp_path):
    rewrite(journal, host="node17")
    said = status(tmp_path)
    assert said.exit_code == 0
    assert "on node17" in said.output
    assert "may be running there" in said.output
    assert "if it has ended, resume with:" in said.output


def test_a_run_that_ended_with_a_failure(journal, tmp_path):
    journal.add("close")
    said = status(tmp_path)
    assert said.exit_code == 1
    assert "ended with failures" in said.output
    assert "--unlock" not in said.output, "it ended in order, so it left no lock"


def test_a_job_that_was_tried_again_is_not_failed(journal, tmp_path):
    journal.add("start", job=1, rule="train", what="Training on wine", outputs=["wine"], log=[])
    assert "2 running, 0 failed" in status(tmp_path).output
    for number in (1, 2):
        journal.add("done", job=number)
    assert "3 of 5 jobs done, 0 running, 0 failed, 2 left" in status(tmp_path).output


def test_a_finished_run(journal, tmp_path):
    for number in range(5):
        journal.add("start", job=number, rule="train", what="", outputs=[], log=[])
        journal.add("done", job=number)
    journal.add("close")
    said = status(tmp_path)
    assert said.exit_code == 0
    assert "done after 0:0" in said.output
    assert "5 of 5 jobs done" in said.output


def test_a_run_that_was_stopped_in_order_is_taken_up_without_unlocking(journal, tmp_path):
    journal.add("done", job=1)
    journal.add("close")
    said = status(tmp_path)
    assert said.exit_code == 1
    assert "stopped after" in said.output
    assert "--unlock" not in said.output


def test_a_line_that_was_cut_off_by_a_kill_costs_that_line_alone(journal, tmp_path):
    with journal.path.open("a", encoding="utf-8") as stream:
        stream.write('{"event": "done", "ti')
    (run,) = read_runs(tmp_path)
    assert run.total == 5
    assert len(run.of_state("done")) == 1


def test_where_no_run_was_the_folder_is_named(tmp_path):
    said = status(tmp_path)
    assert said.exit_code == 2
    assert str(tmp_path / FOLDER) in said.output
    assert len(said.output.strip().splitlines()) == 1


def test_the_latest_run_is_the_one_that_counts(journal, tmp_path):
    journal.add("close")
    Path(journal.path).rename(journal.path.with_name("earlier.jsonl"))
    Journal({"report": 1}, 2, tmp_path / FOLDER)
    said = status(tmp_path)
    assert "0 of 1 jobs done" in said.output
    assert "of 5 jobs" not in said.output


def test_the_journal_costs_a_run_next_to_nothing(tmp_path):
    journal = Journal({"train": 1000}, 2, tmp_path / FOLDER)
    start = time.process_time()
    for number in range(1000):
        journal.add("start", job=number, rule="train", what="Training", outputs=["results/x.parquet"], log=["x.log"])
        journal.add("done", job=number)
    assert time.process_time() - start < 1.0, "more than a millisecond of CPU for each job"
    start = time.process_time()
    (run,) = read_runs(tmp_path)
    assert len(run.of_state("done")) == 1000
    assert time.process_time() - start < 1.0


def run_of(counts, *jobs):
    """A run that began at time 0, of jobs (rule, start, end, whether it is done); without an end it runs."""
    run = Run()
    run.see({"event": "run", "time": 0.0, "jobs": counts})
    for number, (rule, start, end, state) in enumerate(jobs):
        run.see({"event": "start", "time": start, "job": number, "rule": rule, "what": rule, "outputs": [], "log": []})
        if end is not None:
            run.see({"event": state, "time": end, "job": number})
    return run


def test_the_time_left_counts_what_running_jobs_have_behind_them():
    twice = [("train", 0, 10, "done"), ("train", 10, 20, "done")]
    # two jobs of 10 s are left, one at a time; one of them has 5 s behind it
    assert run_of({"train": 4}, *twice, ("train", 20, None, "")).remaining(25) == pytest.approx(15)
    one_failed = run_of({"train": 4}, *twice, ("train", 20, 20, "failed"), ("train", 20, None, ""))
    assert one_failed.remaining(25) == pytest.approx(5)
    assert run_of({"train": 4}).remaining(25) is None
    # 2 training jobs of 10 s and a report as long as the average, two at a time
    both = run_of({"train": 4, "report": 1}, ("train", 0, 10, "done"), ("train", 0, 10, "done"))
    assert both.remaining(10) == pytest.approx(15)


def test_a_kind_of_job_that_none_has_finished_is_judged_by_how_long_one_is_under_way():
    run = run_of({"fetch": 2, "train": 1}, ("fetch", 0, 1, "done"), ("fetch", 1, 2, "done"), ("train", 2, None, ""))
    assert run.remaining(42) == pytest.approx(40)


def test_a_journal_that_cannot_be_written_stops_nothing(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    journal = Journal({"train": 1}, 2, tmp_path / "file")
    journal.add("close")
    assert journal.run.closed
    assert capsys.readouterr().err.count("the journal cannot be written") == 1


def test_seconds_are_written_as_on_a_clock():
    assert [clock(seconds) for seconds in (0, 59.6, 65, 3725)] == ["0:00", "1:00", "1:05", "1:02:05"]
