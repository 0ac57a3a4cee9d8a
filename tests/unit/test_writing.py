"""What is written is there as a whole or not at all, and two commands that write one file do so in turn."""

import errno
import fcntl
import importlib
import os
import stat
from pathlib import Path

import pytest
from commands import COMPARE, QUICK, answered, refused, run, scores

from pumetrics.writing import alone, write_whole


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A file of scores in the folder."""
    monkeypatch.chdir(tmp_path)
    table = scores()
    table.to_csv("scores.csv", index=False)
    return table


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which half a file fits."""
    write = Path.write_text

    def half(path, text, **options):
        write(path, text[: len(text) // 2], **options)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_text", half)


AUDIT = ["audit", "scores.csv", "--threshold", 1, "-o", "checks.csv"]
audit = importlib.import_module(
    "pumetrics.cli.audit"
)  # the package names its command like the module
TWO = ["--score", "score", "--score", "other"]
WRITERS = {
    "page of a model": (["evaluate", "scores.csv", *QUICK, "--report", "page.html"], "page.html"),
    "page of two": (
        ["compare-models", "scores.csv", *TWO, *COMPARE, "--report", "page.html"],
        "page.html",
    ),
    "plan": (AUDIT, "checks.json"),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_is_named_and_the_old_file_stays(writer, cases, sketched, full_disk):
    command, name = WRITERS[writer]
    cases.assign(other=cases["score"] ** 2).to_csv("scores.csv", index=False)
    before = {}
    if writer != "plan":
        Path(name).write_bytes(b"old")
        before = {name: b"old"}
    refused(run(*command), f"{name} cannot be written: No space left on device")
    left = {path.name: path.read_bytes() for path in Path().iterdir() if path.name != "scores.csv"}
    assert left == before


def test_a_file_keeps_its_mode_its_link_and_its_line_ends(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_whole(link, "a\r\nb\n")
    assert link.is_symlink()
    assert file.read_bytes() == b"a\r\nb\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert {path.name for path in tmp_path.iterdir()} == {"file", "link"}


def test_an_interruption_loses_nothing(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_device_is_written_to_and_not_replaced():
    write_whole("/dev/null", "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("step", ["_continued", "_write_checks"])
def test_an_audit_reads_and_writes_its_files_alone(step, cases, monkeypatch):
    original, seen = getattr(audit, step), []

    def watched(*arguments):
        with open(".checks.csv.lock", "ab") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        seen.append(step)
        return original(*arguments)

    monkeypatch.setattr(audit, step, watched)
    answered(run(*AUDIT))
    assert seen == [step]
    assert {path.name for path in Path().iterdir()} == {"scores.csv", "checks.csv", "checks.json"}


def test_a_lock_that_was_removed_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    path, lock, waits = tmp_path / "lock", fcntl.flock, []

    def removed_at_first(file, how):
        lock(file, how)
        if not waits:
            path.unlink()
        waits.append(how)

    monkeypatch.setattr(fcntl, "flock", removed_at_first)
    with alone(path, keep=False):
        assert path.exists()
    assert len(waits) == 2
    assert not path.exists()
