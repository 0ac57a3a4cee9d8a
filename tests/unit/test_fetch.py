"""Fetching against a local server that fails in every way sites fail: the right file, or a clear error and no file."""

import gzip
import hashlib
import http.server
import io
import json
import socket
import struct
import threading
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from pumetrics_workflow.datasets import DataUnavailable, fetch, fetch_all, load_registry, prepare

DATA = b"".join(b"%d,%d,%s\n" % (i, i * i % 7, b"yes" if i % 3 == 0 else b"no") for i in range(60))
SHA256 = hashlib.sha256(DATA).hexdigest()
HTML = b"<!DOCTYPE html><html><body>Service unavailable</body></html>"


class Server(http.server.ThreadingHTTPServer):
    """Serves `routes`: a path gives bytes, or a list of things to do on each request in turn (the last one stays)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.routes, self.hits, self.lock = {}, [], threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def handle_error(self, request, client_address):
        """Stay silent: lost connections are what the tests are about."""


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server, path = self.server, self.path.split("?")[0]
        with server.lock:
            server.hits.append(path)
            answer = server.routes.get(path, status(404))
            if isinstance(answer, list):
                answer = answer.pop(0) if len(answer) > 1 else answer[0]
        (send(answer) if isinstance(answer, bytes) else answer)(self)

    do_HEAD = do_GET

    def log_message(self, *_):
        """Say nothing."""


def send(body, *, claimed=None, **headers):
    def act(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body) if claimed is None else claimed))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(body)

    return act


def status(code):
    return lambda handler: handler.send_error(code)


def redirect(path):
    def act(handler):
        handler.send_response(302)
        handler.send_header("Location", path)
        handler.end_headers()

    return act


def reset_halfway(handler):
    """Send half the body, then a TCP reset."""
    send(DATA[: len(DATA) // 2], claimed=len(DATA))(handler)
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def silent(handler):
    time.sleep(3)


def drip(handler):
    """A byte now and then, for ever: every read is in time, the download never ends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b"x" * 70_000)
        time.sleep(0.05)


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return stream.getvalue()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Retries without their pauses."""
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda seconds: None))


def entry(server, **changes):
    """Entry of a data set whose official site is the local server."""
    file = {"name": "data.csv", "sha256": SHA256, "member": "data.csv"}
    file = {key: value for key, value in {**file, **changes.pop("file", {})}.items() if value is not None}
    return {
        "title": "Example",
        "kind": "download",
        "rows": 60,
        "features": 2,
        "positives": 20,
        "url": f"{server.url}/static/public/1/example.zip",
        "files": [file],
        "parser": "delimited",
        "options": {"names": ["a", "b", "class"]},
        "target": "class",
        "positive": {"classes": ["yes"]},
        **changes,
    }


def registry_of(folder, **entries):
    path = folder / "registry.yaml"
    path.write_text(json.dumps(entries))
    return load_registry(path)


@pytest.fixture
def example(server, tmp_path):
    """Data set `example`: one CSV inside a zip at the local server."""
    return lambda **changes: registry_of(tmp_path, example=entry(server, **changes))["example"]


ZIP = "/static/public/1/example.zip"
GOOD = zipped(**{"folder/data.csv": DATA})


def check_fetched(dataset, folder, **options):
    """The right file is there, prepares as the registry says, and nothing else is left."""
    report = fetch(dataset, folder, **options)
    assert (folder / "data.csv").read_bytes() == DATA
    assert {path.name for path in folder.iterdir()} <= {"data.csv", "fetched.json", ".lock"}
    frame, card = prepare(dataset, report)
    assert (len(frame), card["positives"], card["source"]) == (60, 20, report.source)
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


@pytest.mark.parametrize(
    "answers",
    [
        [GOOD],
        [status(503), GOOD],
        [status(503), status(429), GOOD],
        [redirect("/elsewhere.zip")],
        [send(GOOD[:100], claimed=len(GOOD)), GOOD],
        [reset_halfway, GOOD],
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
        (send(GOOD[:100], claimed=len(GOOD)), "the connection was lost halfway"),
        (reset_halfway, "the connection was lost"),
        (HTML, "looks like a web page"),
        (GOOD[:-30], "neither a zip nor a tar archive"),
        (zipped(other=b"1"), "holds no member 'data.csv' (it holds other)"),
        (zipped(**{"data.csv": b"1,2,yes\n"}), "data.csv is not the known file"),
        (zipped(**{"data.csv": HTML}), "it looks like a web page"),
        (zipped(**{"data.csv": DATA, "../../evil": b"1"}), "unsafe path '../../evil'"),
        (zipped(**{"/etc/evil": b"1"}), "unsafe path '/etc/evil'"),
        (zipped(**{"data.csv": b"0" * 3_000_000}), "unpacks to 3,000,000 bytes, more than the 1,000,000 allowed"),
        (redirect(ZIP), "too many redirects"),
    ],
)
def test_a_fault_that_stays_is_named_and_leaves_no_file(server, example, tmp_path, answer, reason):
    server.routes[ZIP] = answer
    check_refused(example(), tmp_path / "raw", "127.0.0.1", reason, "MIRROR/example/", retries=1, limit=1_000_000)
    assert not (tmp_path.parent / "evil").exists()


def test_a_client_error_is_not_tried_again(server, example, tmp_path):
    check_refused(example(), tmp_path / "raw", "status 404")
    assert server.hits == [ZIP]


def test_wrong_bytes_of_a_plain_file_are_refused(server, example, tmp_path):
    dataset = example(file={"member": None, "url": f"{server.url}/data.csv"})
    for body, reason in ((DATA[:-1], "not the known file"), (HTML, "looks like a web page")):
        server.routes["/data.csv"] = body
        check_refused(dataset, tmp_path / "raw", reason)
    server.routes["/data.csv"] = DATA
    check_fetched(dataset, tmp_path / "raw")


def test_a_slow_server_is_given_up(server, example, tmp_path):
    server.routes[ZIP] = silent
    started = time.monotonic()
    check_refused(example(), tmp_path / "raw", "no answer in time", timeout=0.2, retries=1)
    server.routes[ZIP] = drip
    check_refused(example(), tmp_path / "raw", "not done after 0.3 s", deadline=0.3)
    server.routes[ZIP] = drip
    check_refused(example(), tmp_path / "raw", "sends more than the 100,000 bytes allowed", limit=100_000)
    assert time.monotonic() - started < 5


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
    check_refused(example(), tmp_path / "raw", "no connection", "try again where the network allows", retries=1)


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
    check_fetched(dataset, tmp_path / "raw")


def test_files_that_differ_in_bytes_only_are_accepted_where_the_entry_says_so(server, example, tmp_path):
    crlf = DATA.replace(b"\n", b"\r\n")
    server.routes[ZIP] = zipped(**{"data.csv": crlf})
    check_refused(example(), tmp_path / "raw", "not the known file")
    fetch(example(file={"same_bytes": False}), tmp_path / "raw")
    assert (tmp_path / "raw" / "data.csv").read_bytes() == crlf


def test_one_set_that_fails_does_not_stop_the_others(server, tmp_path):
    server.routes[ZIP] = GOOD
    lost = entry(server, url=f"{server.url}/lost.zip")
    registry = registry_of(tmp_path, first=lost, second=entry(server), third=lost)
    outcomes = {dataset.name: outcome for dataset, outcome in fetch_all(registry.values(), tmp_path / "raw")}
    assert [isinstance(outcomes[name], DataUnavailable) for name in ("first", "second", "third")] == [True, False, True]


def test_a_folder_that_cannot_be_made_is_named(server, example, tmp_path):
    Path(tmp_path / "file").write_text("in the way")
    with pytest.raises(DataUnavailable, match="example: cannot write to"):
        fetch(example(), tmp_path / "file" / "raw")


def test_the_error_survives_the_way_between_processes():
    import pickle

    error = pickle.loads(pickle.dumps(DataUnavailable("example", "example: no", ["mirror: no"])))
    assert (error.name, str(error), error.tried) == ("example", "example: no", ("mirror: no",))
