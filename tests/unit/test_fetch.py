"""Fetching against a local server that fails in every way sites fail: the right file, or a clear error and no file."""

import gzip
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from serving import (
    DATA,
    GOOD,
    HTML,
    ZIP,
    entry,
    half,
    impatient,
    redirect,
    registry_of,
    reset,
    send,
    silent,
    status,
    zipped,
)

from pumetrics_workflow.datasets import DataUnavailable, fetch, prepare
from pumetrics_workflow.datasets.prepare import content_hash

OTHER = DATA.replace(b"\n5,4,", b"\n5,6,")  # one value, and no count, is another
CRLF = DATA.replace(b"\n", b"\r\n")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    impatient(monkeypatch)


@pytest.fixture
def example(server, tmp_path):
    """Data set `example`: one CSV inside a zip at the local server, with known bytes and known content."""
    (tmp_path / "known.csv").write_bytes(DATA)
    plain = registry_of(tmp_path, example=entry(server))["example"]
    known = {"hash": content_hash(prepare(plain, {"data.csv": tmp_path / "known.csv"})[0])}
    return lambda **changes: registry_of(
        tmp_path, example=entry(server, **{"content": known, **changes})
    )["example"]


def check_fetched(dataset, folder, known=True, **options):
    """The right file is there, prepares as the registry says, and nothing else is left."""
    report = fetch(dataset, folder, **options)
    assert {path.name for path in folder.iterdir()} <= {"data.csv", "fetched.json", ".lock"}
    assert not (folder / "data.csv").stat().st_mode & 0o111
    assert report.known == known
    frame, card = prepare(dataset, report)
    assert (len(frame), card["positives"], card["source"]) == (60, 20, report.source)
    assert card["warning"] == report.warning
    assert bool(report.warning) != known, "the registry has a hash"
    return report


def check_refused(dataset, folder, *reasons, **options):
    """The error is one line naming the set and the reason, and no file is left in place."""
    with pytest.raises(DataUnavailable) as caught:
        fetch(dataset, folder, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("example: ")
    for reason in reasons:
        assert reason in message, message
    assert [path.name for path in folder.glob("*") if path.name != ".lock"] == []
    kept = [path for path in (folder.parent / ".downloads").glob("*") if path.suffix != ".lock"]
    assert not kept, "what is wrong now may be right next time"


# The network


@pytest.mark.parametrize(
    "answers",
    [
        [GOOD],
        [status(503), GOOD],
        [status(429), status(502), GOOD],
        [redirect("/elsewhere.zip")],
        [send(GOOD[:100], claimed=len(GOOD)), GOOD],
        [half(GOOD), GOOD],
        [reset, GOOD],
    ],
    ids=["plain", "503", "429 and 502", "redirect", "truncated", "reset halfway", "reset"],
)
def test_a_fault_that_passes_does_no_harm(server, example, tmp_path, answers):
    server.routes.update({ZIP: list(answers), "/elsewhere.zip": GOOD})
    assert check_fetched(example(), tmp_path / "raw").tried[-1].endswith("ok")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(404), "status 404 Not Found"),
        (status(503), "status 503 Service Unavailable after 5 tries"),
        (send(GOOD[:100], claimed=len(GOOD)), "the connection was lost after 5 tries"),
        (HTML, "looks like a web page"),
        (zipped({"other": b"1"}), "holds no member 'data.csv' (it holds other)"),
        (zipped({"data.csv": b"1,2,yes\n"}), "1 rows, expected 60"),
        (zipped({"data.csv": DATA.replace(b"no", b"yes", 1)}), "21 positives, expected 20"),
        (redirect(ZIP), "status 302 Found"),
    ],
)
@pytest.mark.parametrize("hashed", [True, False])
def test_a_fault_that_stays_is_named_and_leaves_no_file(
    server, example, tmp_path, answer, reason, hashed
):
    server.routes[ZIP] = answer
    dataset = example(**({} if hashed else {"content": {}, "file": {"sha256": None}}))
    check_refused(
        dataset,
        tmp_path / "raw",
        "127.0.0.1",
        reason,
        "MIRROR/example/",
        "try again where the network",
    )
    server.routes[ZIP] = GOOD
    assert fetch(dataset, tmp_path / "raw").known == hashed


def test_a_client_error_is_not_tried_again_and_a_server_error_is(server, example, tmp_path):
    check_refused(example(), tmp_path / "raw", "status 404")
    assert server.hits == [ZIP]
    server.routes[ZIP] = status(503)
    check_refused(example(), tmp_path / "raw", "status 503")
    assert server.hits == [ZIP] * 6


def test_a_name_without_an_address_is_asked_for_once(example, tmp_path, monkeypatch):
    asked = []

    def nowhere(host, *_, **__):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    check_refused(example(), tmp_path / "raw", "no network, or no such host")
    assert len(asked) == 1


def test_a_stalled_server_is_given_up(server, example, tmp_path, monkeypatch):
    impatient(monkeypatch, timeout=0.1)
    server.routes[ZIP] = silent
    check_refused(example(), tmp_path / "raw", "no answer in time after 5 tries")


def endless(handler):
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(bytes(1 << 16))


def dripping(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000000")
    handler.end_headers()
    while True:
        handler.wfile.write(bytes(64))
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("answer", "reason", "size", "limits"),
    [
        (endless, "sends more than the 100,000 bytes allowed", 10_000, {"LEAST": 50_000}),
        (endless, "sends more than the 50,000 bytes allowed", 1, {"LEAST": 50_000}),
        (endless, "sends more than the 200,000 bytes allowed", 0, {"LIMIT": 200_000}),
        (dripping, "not done in the 0.3 s allowed", 0, {"DEADLINE": 0.3}),
    ],
)
def test_a_server_that_sends_for_ever_is_a_source_that_failed(
    server, example, tmp_path, monkeypatch, answer, reason, size, limits
):
    for name, value in limits.items():
        monkeypatch.setattr(sys.modules["pumetrics_workflow.datasets.fetch"], name, value)
    server.routes |= {ZIP: answer, "/old/data.csv": DATA}
    report = check_fetched(example(legacy=f"{server.url}/old/", bytes=size), tmp_path / "raw")
    assert report.tried[0] == f"{server.url[7:]}: {reason}"
    assert report.source.endswith("(older address)")
    assert server.hits.count(ZIP) == 1, "it is not tried again"
    assert not [
        path for path in (tmp_path / ".downloads").iterdir() if path.stat().st_size > len(DATA)
    ]


def test_offline_opens_no_connection(server, example, tmp_path, monkeypatch):
    def connect(*_):
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    dataset = example(openml={"id": 1, "target": "class", "verified": True})
    check_refused(dataset, tmp_path / "raw", "not tried, offline", "OpenML 1", offline=True)
    check_refused(dataset, tmp_path / "raw", "not tried, offline", offline=True, mirror=server.url)
    assert server.hits == []


def test_a_private_authority_is_the_one_that_the_usual_variable_names(
    server, example, tmp_path, monkeypatch
):
    import pooch

    seen = []
    downloader = pooch.HTTPDownloader
    monkeypatch.setattr(
        pooch, "HTTPDownloader", lambda **options: seen.append(options) or downloader(**options)
    )
    monkeypatch.setenv("SSL_CERT_FILE", "authority.pem")
    server.routes[ZIP] = GOOD
    fetch(example(), tmp_path / "raw")
    assert seen[0]["verify"] == "authority.pem"


# The mirror


def fill_mirror(folder, data, name="data.csv"):
    (folder / "example").mkdir(parents=True)
    (folder / "example" / name).write_bytes(data)
    return folder


def test_a_mirror_comes_first(server, example, tmp_path):
    mirrors = {
        "plain": fill_mirror(tmp_path / "plain", DATA),
        "packed": fill_mirror(tmp_path / "packed", gzip.compress(DATA), "data.csv.gz"),
        "archive": fill_mirror(tmp_path / "archive", GOOD, "example.zip"),
        "address": f"{server.url}/mirror/",
    }
    server.routes |= {"/mirror/example/data.csv.gz": gzip.compress(DATA), ZIP: GOOD}
    for name, mirror in mirrors.items():
        report = check_fetched(
            example(), tmp_path / "raw" / name, mirror=mirror, offline=name != "address"
        )
        assert report.source == f"mirror {mirror}"
    assert ZIP not in server.hits


def test_a_mirror_of_an_alternative_comes_before_the_site(server, example, tmp_path):
    alternative = {"files": [{"name": "other.csv", "url": ""}], "note": "as CSV"}
    options = {"names": ["a", "b", "class"]}
    dataset = example(alternatives=[{**alternative, "parser": "delimited", "options": options}])
    mirror = fill_mirror(tmp_path / "mirror", DATA, "other.csv")
    report = fetch(dataset, tmp_path / "raw", mirror=mirror)
    assert list(report.paths) == ["other.csv"]
    assert prepare(dataset, report)[1]["files_note"] == "as CSV"
    assert not server.hits


@pytest.mark.parametrize("wrong", [DATA[:-9], HTML, gzip.compress(DATA)[:-20]])
def test_a_wrong_file_in_the_mirror_leads_to_the_site(server, example, tmp_path, wrong):
    server.routes[ZIP] = GOOD
    report = check_fetched(
        example(), tmp_path / "raw", mirror=fill_mirror(tmp_path / "mirror", wrong)
    )
    assert report.source.startswith("127.0.0.1")
    assert report.tried[0].startswith("mirror")


# What vouches for files


@pytest.mark.parametrize(
    "other",
    [CRLF, DATA.replace(b",", b", "), DATA.replace(b"\n7,", b"\n7.0,"), DATA + b"\x1a"],
    ids=["line ends", "blanks", "digits", "end mark"],
)
def test_other_bytes_with_the_same_content_are_accepted(server, example, tmp_path, other):
    server.routes[ZIP] = zipped({"data.csv": other})
    report = check_fetched(example(), tmp_path / "raw", strict=True)
    assert report.tried[-1].endswith(": ok")


def test_other_values_with_the_same_counts_are_a_loud_warning_or_refused(server, example, tmp_path):
    server.routes[ZIP] = zipped({"data.csv": OTHER})
    check_refused(
        example(), tmp_path / "raw", "OTHER VALUES than the known ones", ", refused", strict=True
    )
    report = check_fetched(example(), tmp_path / "raw", known=False)
    assert "OTHER VALUES than the known ones" in report.warning
    server.routes[ZIP] = GOOD  # and asked for again
    check_fetched(example(), tmp_path / "raw")


def test_a_hash_of_the_packed_member_vouches_for_it(server, example, tmp_path):
    packed = gzip.compress(DATA)
    file = {
        "sha256": None,
        "sha256_packed": hashlib.sha256(packed).hexdigest(),
        "member": "data.csv.gz",
    }
    dataset = example(file=file, legacy=f"{server.url}/old/", content={})
    for number, routes in enumerate(
        [{ZIP: zipped({"data.csv.gz": packed})}, {"/old/data.csv.gz": packed}]
    ):
        server.routes = routes
        check_fetched(dataset, tmp_path / f"{number}/raw")


# Several places, several sets


def test_places_are_tried_in_order(server, example, tmp_path):
    dataset = example(legacy=f"{server.url}/old.zip", file={"copies": [f"{server.url}/copy.csv"]})
    answers = {ZIP: GOOD, "/old.zip": GOOD, "/copy.csv": DATA}
    for number, (path, answer) in enumerate(answers.items()):
        server.hits.clear()
        server.routes = {ZIP: HTML, "/old.zip": status(404), path: answer}
        report = check_fetched(dataset, tmp_path / f"{number}/raw")
        assert server.hits == list(answers)[: number + 1]
        assert len(report.tried) == number + 1
        assert report.source.partition(" ")[2] == ["", "(older address)", "(copy)"][number]


def test_each_file_comes_from_the_first_place_that_has_it(server, tmp_path):
    middle = DATA.index(b"\n", len(DATA) // 2) + 1
    files = [{"name": name, "member": name} for name in ("a.csv", "b.csv")]
    spec = entry(server, files=files, legacy=f"{server.url}/old/")
    dataset = registry_of(tmp_path, example=spec)["example"]
    server.routes |= {ZIP: zipped({"a.csv": DATA[:middle]}), "/old/b.csv": DATA[middle:]}
    host = server.url[7:]
    assert fetch(dataset, tmp_path / "raw").source == f"{host} and {host} (older address)"
    assert (tmp_path / "raw/b.csv").read_bytes() == DATA[middle:]
    assert server.hits.count(ZIP) == 1


def test_what_is_there_and_right_is_kept_and_what_is_damaged_is_replaced(server, example, tmp_path):
    server.routes[ZIP] = [GOOD, status(404)]
    check_fetched(example(), tmp_path / "raw")
    assert check_fetched(example(), tmp_path / "raw").tried == ["already there"]
    (tmp_path / "raw/data.csv").write_bytes(DATA[:50])
    check_fetched(example(), tmp_path / "raw")
    assert server.hits == [ZIP], "the download is still there"


# Processes

CHILD = """
import sys, resource
sys.dont_write_bytecode = True  # a module that is imported under the quota would leave half of its bytecode behind
from pumetrics_workflow.datasets import DataUnavailable, fetch, load_registry
if int(sys.argv[3]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
try:
    fetch(load_registry(sys.argv[1])[sys.argv[4]], sys.argv[2])
except DataUnavailable as error:
    sys.exit(f"unavailable: {error}")
"""


def start_child(folder, name="example", *, quota=0):
    command = [sys.executable, "-c", CHILD, folder / "registry.yaml", folder / "raw" / name]
    return subprocess.Popen([*command, str(quota), name], stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_sets_that_share_an_archive_fetch_it_once_also_at_the_same_time(server, tmp_path):
    registry_of(tmp_path, **{name: entry(server) for name in ("one", "two")})

    def slow(handler):
        time.sleep(0.5)
        send(GOOD)(handler)

    server.routes[ZIP] = slow
    children = [start_child(tmp_path, name) for name in ("one", "two", "one")]
    messages = [child.communicate(timeout=20)[1] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], messages
    assert server.hits == [ZIP]


def test_a_killed_fetch_leaves_nothing_that_is_read(server, example, tmp_path):
    dataset = example()
    raw = tmp_path / "raw/example"
    server.routes[ZIP] = [silent, GOOD]
    child = start_child(tmp_path)
    end = time.monotonic() + 10
    while not server.hits and time.monotonic() < end:
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate(timeout=10)
    assert {path.name for path in raw.iterdir()} <= {".lock", ".partial"}
    check_fetched(dataset, raw)


def test_a_full_disk_is_named_and_leaves_no_file(server, example, tmp_path):
    dataset = example()
    raw = tmp_path / "raw/example"
    server.routes[ZIP] = GOOD
    child = start_child(tmp_path, quota=100)
    _, message = child.communicate(timeout=20)
    assert child.returncode == 1
    assert "example: cannot write to" in message
    assert "free some space" in message
    assert [path.name for path in raw.iterdir()] == [".lock"]
    check_fetched(dataset, raw)
