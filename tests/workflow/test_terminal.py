"""What a run shows while it goes on: on a terminal a line that moves between finished jobs, elsewhere none."""

import os
import pty
import re
import subprocess
import sys

import pytest

WORKFLOW = """
rule all:
    input: "long", "short"

rule short:
    output: "short"
    message: "Doing something short"
    shell: "touch {output}"

rule long:
    output: "long"
    log: "long.log"
    message: "Training for long"
    shell: "sleep 3; touch {output}"
"""
MOVING = r"\[\d/3 jobs, (\d:\d\d)[^\]\r\n]*\]  Training for long \((\d:\d\d)\)"


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return the command of a run with one job that takes longer than the other."""
    (tmp_path / "Snakefile").write_text(WORKFLOW, encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # away from the profile of the project
    return [sys.executable, "-m", "snakemake", "--cores", "2", "--scheduler", "greedy", "--logger", "pumetrics"]


def on_a_terminal(command):
    """Run a command on a terminal and return what it wrote there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        written = b""
        while block := _read(ours):
            written += block
        os.close(ours)
    assert process.returncode == 0, written.decode()
    return written.decode()


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


def test_on_a_terminal_a_line_moves_while_a_job_runs_and_then_is_gone(command):
    written = on_a_terminal(command)
    times = {running for _, running in re.findall(MOVING, written)}
    assert len(times) >= 2, f"it stood still:\n{written!r}"
    left = shown(written)
    finished = [line.partition("]  ")[2].rpartition("  (")[0] for line in left if line.startswith("[")]
    assert finished == ["Doing something short", "Training for long", "all"], left
    assert written.rfind("\x1b[?25h") >= written.rfind("\x1b[?25l"), "the cursor must be there again"


def shown(written):
    """Lines that a terminal shows in the end."""
    lines, row = [""], 0
    for token in re.findall(r"\x1b\[[\d;?]*\w|[\r\n]|[^\x1b\r\n]+", written):
        if token == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif token == "\x1b[2K":
            lines[row] = ""
        elif re.fullmatch(r"\x1b\[\d+A", token):
            row -= int(token[2:-1])
        elif not token.startswith("\x1b"):
            lines[row] += token
    return lines


def test_in_a_file_there_are_lines_alone(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "FORCE_COLOR": "1"})
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stderr
    assert "\r" not in done.stderr
    assert not re.search(r"\[0/3 jobs", done.stderr), "no line before a job is done"
    assert len(re.findall(r"^\[\d/3 jobs", done.stderr, flags=re.M)) == 3
