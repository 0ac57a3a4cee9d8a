"""Fetching against a local server that fails in every way sites fail: the right file, or a clear error and no file."""

import gzip
import pickle
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest
from serving import (
    DATA,
    GOOD,
    HTML,
    QUICK,
    ZIP,
    Server,
    drip,
    entry,
    half,
    redirect,
    registry_of,
    send,
    silent,
    status,
    zipped,
)  # fmt: skip

from pumetrics_workflow.datasets import DataUnavailable, fetch, fetch_all, prepare


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def example(server, tmp_path):
    """Data set `example`: one CSV inside a zip at the local server."""
    return lambda **changes: registry_of(tmp_path, example=entry(server, **changes))["example"]


def check_fetched(dataset, folder, **options):
    """The right file is there, prepares as the registry says, and nothing else is left."""
    report = fetch(dataset, folder, **{"patience": QUICK, **options})
    assert (folder / "data.csv").read_bytes() == DATA
    assert {path.name for path in folder.iterdir()} <= {"data.csv", "fetched.json", ".lock"}
    frame, card = prepare(dataset, report)
    assert (len(frame), card["positives"], card["source"]) == (60, 20, report.source)
    return report


def check_refused(dataset, folder, *reasons, **options):
    """The error is one line naming the set and the reason, and no file is left in place."""
    with pytest.raises(DataUnavailable) as caught:
        fetch(dataset, folder, **{"patience": QUICK, **options})
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("example: ")
    for reason in reasons:
        assert reason in message, message
    assert [path.name for path in folder.glob("*") if path.name != ".lock"] == []


@pytest.mark.parametrize(
    "answers",
    [
        [GOOD],
        [status(503), GOOD],
        [status(503), status(429), GOOD],
        [redirect("/elsewhere.zip")],
        [send(GOOD[:100], claimed=len(GOOD)), GOOD],
        [half(GOOD), GOOD],
    ],
    ids=["plain", "503", "503 and 429", "redirect", "truncated", "reset"],
)
def test_a_fault_that_passes_does_no_harm(server, example, tmp_path, answers):
    server.routes.update({ZIP: list(answers), "/elsewhere.zip": GOOD})
    report = check_fetched(example(), tmp_path / "raw")
    assert report.tried[-1].endswith("ok")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(404), "status 404"),
        (status(503), "status 503"),
        (send(GOOD[:100], claimed=len(GOOD)), "the connection was lost at 100 bytes after 4 tries"),
        (half(GOOD), "the connection was lost"),
        (HTML, "looks like a web page"),
        (GOOD[:-30], "neither a zip nor a tar archive"),
        (zipped(other=b"1"), "holds no member 'data.csv' (it holds other)"),
        (zipped(**{"data.csv": b"1,2,yes\n"}), "1 rows, expected 60"),
        (zipped(**{"data.csv": HTML}), "data.csv looks like a web page"),
        (zipped(**{"data.csv": DATA, "../../evil": b"1"}), "unsafe path '../../evil'"),
        (zipped(**{"/etc/evil": b"1"}), "unsafe path '/etc/evil'"),
        (zipped(**{"data.csv": b"0" * 3_000_000}), "unpacks to 3,000,000 bytes, more than the 1,000,000 allowed"),
        (redirect(ZIP), "too many redirects"),
    ],
)
def test_a_fault_that_stays_is_named_and_leaves_no_file(server, example, tmp_path, answer, reason):
    server.routes[ZIP] = answer
    check_refused(example(), tmp_path / "raw", "127.0.0.1", reason, "MIRROR/example/", limit=1_000_000)
    assert not (tmp_path.parent / "evil").exists()


def test_a_client_error_is_not_tried_again(server, example, tmp_path):
    check_refused(example(), tmp_path / "raw", "status 404")
    assert server.hits == [ZIP]


def test_wrong_files_are_refused(server, example, tmp_path):
    dataset = example(file={"member": None, "url": f"{server.url}/data.csv"})
    for body, reason in ((DATA[:-9], "59 rows, expected 60"), (HTML, "looks like a web page"), (b"", "holds no rows")):
        server.routes["/data.csv"] = body
        check_refused(dataset, tmp_path / "raw", reason)
    server.routes["/data.csv"] = DATA
    check_fetched(dataset, tmp_path / "raw")


def test_a_slow_server_is_given_up(server, example, tmp_path):
    once = replace(QUICK, retries=1)
    server.routes[ZIP] = silent
    started = time.monotonic()
    check_refused(example(), tmp_path / "1/raw", "no answer in time after 2 tries", patience=replace(once, timeout=0.2))
    server.routes[ZIP] = drip
    slow = replace(once, stall=0.3, least=100_000)
    check_refused(example(), tmp_path / "2/raw", "sends less than 100,000 bytes in 0.3 s after 2 tries", patience=slow)
    check_refused(example(), tmp_path / "3/raw", "sends more than the 1,000 bytes allowed", limit=1_000)
    assert time.monotonic() - started < 8


def test_a_zip_that_lies_about_its_size_is_stopped_while_unpacking(server, example, tmp_path):
    bomb = bytearray(zipped(**{"data.csv": b"0" * 3_000_000}))
    size = (3_000_000).to_bytes(4, "little")
    while size in bomb:  # local header and directory both say 9 bytes
        start = bomb.index(size)
        bomb[start : start + 4] = (9).to_bytes(4, "little")
    server.routes[ZIP] = bytes(bomb)
    check_refused(example(), tmp_path / "raw", "data.csv", limit=1_000_000)


def test_without_network_the_error_says_so(server, example, tmp_path):
    server.shutdown()
    server.server_close()
    check_refused(example(), tmp_path / "raw", "no connection", "try again where the network allows")


def test_offline_opens_no_connection(server, example, tmp_path, monkeypatch):
    def connect(*_):
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    dataset = example(openml={"id": 1, "target": "class", "verified": True})
    check_refused(dataset, tmp_path / "raw", "not tried, offline", "OpenML 1", offline=True)
    check_refused(dataset, tmp_path / "raw", "not tried, offline", offline=True, mirror=server.url)
    assert server.hits == []


def fill_mirror(folder, data, name="data.csv"):
    (folder / "example").mkdir(parents=True)
    (folder / "example" / name).write_bytes(data)
    return folder


def test_a_mirror_comes_first(server, example, tmp_path):
    mirrors = {
        "plain": fill_mirror(tmp_path / "plain", DATA),
        "packed": fill_mirror(tmp_path / "packed", gzip.compress(DATA), "data.csv.gz"),
        "address": f"{server.url}/mirror/",
    }
    server.routes["/mirror/example/data.csv.gz"] = gzip.compress(DATA)
    for name, mirror in mirrors.items():
        report = check_fetched(example(), tmp_path / "raw" / name, mirror=mirror)
        assert report.source == f"mirror {mirror}"
    assert ZIP not in server.hits
    assert check_fetched(example(), tmp_path / "raw/offline", mirror=mirrors["packed"], offline=True)


@pytest.mark.parametrize("wrong", [DATA[:-9], HTML, gzip.compress(DATA)[:-20]])
def test_a_wrong_file_in_the_mirror_leads_to_the_site(server, example, tmp_path, wrong):
    server.routes[ZIP] = GOOD
    report = check_fetched(example(), tmp_path / "raw", mirror=fill_mirror(tmp_path / "mirror", wrong))
    assert report.source.startswith("127.0.0.1")
    assert report.tried[0].startswith("mirror")


def test_what_is_there_and_right_is_kept_and_what_is_damaged_is_fetched_again(server, example, tmp_path):
    server.routes[ZIP] = GOOD
    raw = tmp_path / "raw"
    check_fetched(example(), raw)
    assert check_fetched(example(), raw).tried == ["already there"]
    assert server.hits == [ZIP]
    (raw / "data.csv").write_bytes(DATA[:50])
    check_fetched(example(), raw)
    assert server.hits == [ZIP, ZIP]
    (raw / "data.csv").write_bytes(DATA[:50])
    server.routes[ZIP] = status(404)
    check_refused(example(), raw, "status 404")


def test_without_a_known_hash_the_content_must_be_what_the_registry_says(server, example, tmp_path):
    dataset = example(file={"sha256": None})
    server.routes[ZIP] = zipped(**{"data.csv": DATA[:200]})
    check_refused(dataset, tmp_path / "raw", "does not hold what the registry says", "expected 60")
    server.routes[ZIP] = zipped(**{"data.csv": b"a,b\n" * 9})
    check_refused(dataset, tmp_path / "raw", "does not hold what the registry says")
    server.routes[ZIP] = GOOD
    assert check_fetched(dataset, tmp_path / "raw").trust == "counts"


def test_one_set_that_fails_does_not_stop_the_others(server, tmp_path):
    server.routes[ZIP] = GOOD
    lost = entry(server, url=f"{server.url}/lost.zip")
    registry = registry_of(tmp_path, first=lost, second=entry(server), third=lost)
    outcomes = {
        dataset.name: outcome for dataset, outcome in fetch_all(registry.values(), tmp_path / "raw", patience=QUICK)
    }
    assert [isinstance(outcomes[name], DataUnavailable) for name in ("first", "second", "third")] == [True, False, True]


def test_a_folder_that_cannot_be_made_is_named(server, example, tmp_path):
    Path(tmp_path / "file").write_text("in the way")
    with pytest.raises(DataUnavailable, match="example: cannot write to"):
        fetch(example(), tmp_path / "file" / "raw")


def test_the_error_survives_the_way_between_processes():
    error = pickle.loads(pickle.dumps(DataUnavailable("example", "example: no", ["mirror: no"])))
    assert (error.name, str(error), error.tried) == ("example", "example: no", ("mirror: no",))
