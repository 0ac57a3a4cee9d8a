"""Fetches that are killed, run at once, or meet a full disk: each in a process of its own."""

import os
import signal
import subprocess
import sys
import time

import pytest
from serving import DATA, GOOD, ZIP, Server, entry, registry_of, resumable, send, silent, zipped
from test_fetch import check_fetched

from pumetrics_workflow.datasets import prepare


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def example(server, tmp_path):
    return lambda: registry_of(tmp_path, example=entry(server))["example"]


CHILD = """
import sys, resource
from pumetrics_workflow.datasets import DataUnavailable, fetch, load_registry
if int(sys.argv[3]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
try:
    fetch(load_registry(sys.argv[1])[sys.argv[4]], sys.argv[2])
except DataUnavailable as error:
    sys.exit(f"unavailable: {error}")
"""


def start_child(registry, folder, *, quota=0, name="example"):
    command = [sys.executable, "-c", CHILD, str(registry), str(folder), str(quota), name]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def wait_for(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what the test waits for did not happen"
        time.sleep(0.02)


def test_two_runs_at_once_fetch_once(server, example, tmp_path):
    example()

    def slow(handler):
        time.sleep(0.5)
        send(GOOD)(handler)

    server.routes[ZIP] = slow
    children = [start_child(tmp_path / "registry.yaml", tmp_path / "raw") for _ in range(2)]
    assert [child.wait(20) for child in children] == [0, 0], [child.stderr.read() for child in children]
    assert server.hits == [ZIP]
    check_fetched(example(), tmp_path / "raw")


def test_sets_that_share_an_archive_fetch_it_once_also_at_the_same_time(server, tmp_path):
    shared = {name: entry(server, slug="example") for name in ("one", "two", "three")}
    registry = registry_of(tmp_path, **shared)

    def slow(handler):
        time.sleep(0.5)
        send(GOOD)(handler)

    server.routes[ZIP] = slow
    children = [start_child(tmp_path / "registry.yaml", tmp_path / "raw" / name, name=name) for name in ("one", "two")]
    assert [child.wait(20) for child in children] == [0, 0], [child.stderr.read() for child in children]
    check_fetched(registry["three"], tmp_path / "raw/three")
    assert server.hits == [ZIP]


def test_a_killed_fetch_leaves_nothing_that_is_read(server, example, tmp_path):
    dataset, raw = example(), tmp_path / "raw"
    body = zipped(**{"data.csv": DATA, "noise": os.urandom(300_000)})
    server.routes[ZIP] = [resumable(body, lost_after=200_000), silent]
    child = start_child(tmp_path / "registry.yaml", raw)
    wait_for(lambda: len(server.hits) == 2)
    os.kill(child.pid, signal.SIGKILL)
    child.wait(10)
    child.stderr.close()
    assert not (raw / "data.csv").exists()
    with pytest.raises(ValueError, match="fetch the set first"):
        prepare(dataset, raw)
    server.routes[ZIP] = resumable(body)
    check_fetched(dataset, raw)
    assert server.asked[-1]["Range"] == "bytes=200000-", "the next run goes on where the killed one was"


def test_a_full_disk_is_named_and_leaves_no_file(server, example, tmp_path):
    dataset, raw = example(), tmp_path / "raw"
    server.routes[ZIP] = GOOD
    child = start_child(tmp_path / "registry.yaml", raw, quota=100)
    _, message = child.communicate(timeout=20)
    assert child.returncode == 1
    assert "example: cannot write to" in message
    assert "free some space" in message
    assert [path.name for path in raw.iterdir()] == [".lock"]
    check_fetched(dataset, raw)
