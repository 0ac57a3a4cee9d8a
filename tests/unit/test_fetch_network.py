"""One download over a bad network: each fault is tried again or ends in one line that names it."""

import errno
import http.server
import ssl
import subprocess
import threading
import time
from dataclasses import replace
from email.utils import formatdate

import pytest
from serving import HTML, QUICK, Server, half, redirect, reset, resumable, send, status

from pumetrics_workflow.datasets import download as module
from pumetrics_workflow.datasets.download import Patience, download, probe
from pumetrics_workflow.datasets.downloads import Downloads
from pumetrics_workflow.datasets.errors import SourceFailed

BODY = bytes(range(256)) * 2000


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def pauses(monkeypatch):
    """Pauses between tries, which do not happen."""
    seconds = []
    monkeypatch.setattr(module, "_sleep", seconds.append)
    return seconds


def fetched(server, folder, *, patience=QUICK, **options):
    download(f"{server.url}/file", folder / "file", patience=patience, **options)
    assert [path.name for path in folder.iterdir()] == ["file"]
    return (folder / "file").read_bytes()


def refused(server, folder, *, patience=QUICK, **options):
    with pytest.raises(SourceFailed) as caught:
        download(f"{server.url}/file", folder / "file", patience=patience, **options)
    assert not (folder / "file").exists()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_download_goes_on_where_it_was_cut_off(server, tmp_path):
    server.routes["/file"] = resumable(BODY, lost_after=100_000)
    assert fetched(server, tmp_path) == BODY
    starts = [asked.get("Range") for asked in server.asked]
    assert starts == [None, *(f"bytes={start}-" for start in range(100_000, len(BODY), 100_000))]


def test_progress_starts_the_count_of_failures_anew(server, tmp_path):
    server.routes["/file"] = resumable(BODY, lost_after=70_000)
    assert fetched(server, tmp_path, patience=replace(QUICK, retries=1)) == BODY
    assert len(server.hits) == 8


def test_tries_that_bring_almost_nothing_come_to_an_end(server, tmp_path):
    server.routes["/file"] = resumable(BODY, lost_after=10)
    assert refused(server, tmp_path) == "the connection was lost at 40 bytes after 4 tries"


def test_a_file_that_changed_meanwhile_is_not_joined_with_its_old_half(server, tmp_path):
    new = BODY[::-1]
    server.routes["/file"] = [resumable(BODY, lost_after=100_000), resumable(new, etag='"2"')]
    assert fetched(server, tmp_path) == new


def test_a_server_without_resumption_starts_anew(server, tmp_path):
    server.routes["/file"] = [half(BODY), half(BODY), send(BODY)]
    assert fetched(server, tmp_path) == BODY
    assert all("Range" not in asked for asked in server.asked)


@pytest.mark.parametrize(
    "answer", [status(416), status(206, b"x" * 9, Content_Range="bytes 3-11/12"), send(BODY, ETag='"1"')]
)
def test_a_server_that_resumes_wrongly_starts_anew(server, tmp_path, answer):
    server.routes["/file"] = [resumable(BODY, lost_after=100_000), answer, send(BODY)]
    assert fetched(server, tmp_path) == BODY


@pytest.mark.parametrize("code", [408, 425, 429, 500, 502, 503, 504])
def test_a_state_that_passes_is_waited_for(server, tmp_path, pauses, code):
    server.routes["/file"] = [status(code, HTML), status(code, HTML), send(BODY)]
    assert fetched(server, tmp_path) == BODY
    assert len(pauses) == 2


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 501])
def test_a_state_that_stays_is_not_tried_again(server, tmp_path, code):
    server.routes["/file"] = status(code, HTML)
    assert refused(server, tmp_path).startswith(f"status {code}")
    assert len(server.hits) == 1


def test_pauses_grow_over_minutes_and_differ(server, tmp_path, pauses):
    server.routes["/file"] = status(503)
    assert refused(server, tmp_path, patience=Patience()) == "status 503 Service Unavailable after 7 tries"
    least = [2, 4, 8, 16, 32, 64]
    assert all(low <= pause <= 1.25 * low for pause, low in zip(pauses, least, strict=True))
    assert sum(pauses) > 120
    assert len({pause / low for pause, low in zip(pauses, least, strict=True)}) > 1, "without jitter all come at once"


def test_a_server_that_asks_for_time_gets_it(server, tmp_path, pauses):
    dated = formatdate(time.time() + 60, usegmt=True)
    server.routes["/file"] = [status(503, Retry_After=30), status(429, Retry_After=dated), send(BODY)]
    assert fetched(server, tmp_path) == BODY
    assert pauses[0] == 30
    assert 50 < pauses[1] <= 60


def test_a_server_that_asks_for_hours_is_left_at_once(server, tmp_path, pauses):
    server.routes["/file"] = status(503, Retry_After=7200)
    assert "which asks to come back in 7200 s after 1 try" in refused(server, tmp_path)
    assert not pauses


def test_a_wrong_length_is_named(server, tmp_path):
    server.routes["/file"] = send(b"short", claimed=80)
    assert refused(server, tmp_path) == "the connection was lost at 5 bytes after 4 tries"


def test_a_redirect_loop_ends_at_once(server, tmp_path):
    server.routes["/file"] = redirect("/file")
    assert refused(server, tmp_path) == "too many redirects"


def test_a_slow_drip_is_measured_by_its_progress(server, tmp_path):
    def dripping(pieces, size):
        def act(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(pieces * size))
            handler.end_headers()
            for _ in range(pieces):
                handler.wfile.write(b"x" * size)
                time.sleep(0.02)

        return act

    strict = replace(QUICK, stall=0.1, least=1000, retries=0)
    server.routes["/file"] = dripping(30, 5)
    assert refused(server, tmp_path, patience=strict) == "sends less than 1,000 bytes in 0.1 s after 1 try"
    (tmp_path / "slow").mkdir()
    server.routes["/file"] = dripping(30, 1000)  # takes six times the deadline, and moves
    assert len(fetched(server, tmp_path / "slow", patience=strict)) == 30_000


def test_a_server_that_is_not_there_is_given_up_soon(server, tmp_path, pauses):
    server.shutdown()
    server.server_close()
    assert refused(server, tmp_path, patience=Patience()) == "no connection after 3 tries"
    assert sum(pauses) < 10


def test_a_reset_connection_is_tried_again(server, tmp_path):
    server.routes["/file"] = [reset, reset, send(BODY)]
    assert fetched(server, tmp_path) == BODY


def test_a_full_disk_is_an_error_of_the_disk_and_leaves_its_room(server, tmp_path, monkeypatch):
    def full(self, raw, stream, size, total):
        stream.write(b"some")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module._Transfer, "_copy", full)
    server.routes["/file"] = BODY
    with pytest.raises(OSError, match="No space left"):
        download(f"{server.url}/file", tmp_path / "file", patience=QUICK)
    assert not (tmp_path / "file.part").exists()


def test_progress_is_told_in_bytes(server, tmp_path):
    server.routes["/file"] = resumable(BODY, lost_after=300_000)
    seen = []
    fetched(server, tmp_path, progress=lambda *facts: seen.append(facts))
    assert seen[-1] == (f"{server.url}/file", len(BODY), len(BODY))
    sizes = [size for _, size, _ in seen]
    assert sizes == sorted(sizes)


def test_a_proxy_is_used_as_the_usual_variables_say(server, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.routes["http://data.example/file"] = BODY
    download("http://data.example/file", tmp_path / "file", patience=QUICK)
    assert (tmp_path / "file").read_bytes() == BODY
    monkeypatch.setenv("no_proxy", "data.example")
    with pytest.raises(SourceFailed, match="no connection"):
        download("http://data.example/other", tmp_path / "other", patience=QUICK)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Certificates for 127.0.0.1 from an authority of our own: one that holds, one that has expired."""
    folder = tmp_path_factory.mktemp("certificates")
    try:
        for name, since, until in (("good", "20200101", "21000101"), ("old", "20200101", "20210101")):
            command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            command += ["-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", "/CN=127.0.0.1", "-addext"]
            command += ["subjectAltName=IP:127.0.0.1"]
            subprocess.run(command, cwd=folder, capture_output=True, check=True)
            resign = ["openssl", "x509", "-in", f"{name}.pem", "-signkey", f"{name}.key", "-out", f"{name}.pem"]
            dates = ["-not_before", f"{since}000000Z", "-not_after", f"{until}000000Z"]
            done = subprocess.run([*resign, *dates], cwd=folder, capture_output=True, check=False)
            if name == "old" and done.returncode:  # an openssl older than 3.4 knows no dates, but days that are gone
                subprocess.run([*resign, "-days", "-1"], cwd=folder, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no certificates without openssl: {error}")
    return folder


@pytest.fixture
def secure(authority):
    """Start a server with one of the certificates."""
    servers = []

    def start(name):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority / f"{name}.pem", authority / f"{name}.key")

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                send(BODY)(self)

            def log_message(self, *_):
                """Say nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        servers.append(server)
        return f"https://127.0.0.1:{server.server_address[1]}/file"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_a_private_authority_is_trusted_where_a_usual_variable_names_it(
    secure, authority, tmp_path, monkeypatch, variable
):
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    url = secure("good")
    with pytest.raises(SourceFailed, match=r"no trusted connection \(self[- ]signed certificate\)$"):
        download(url, tmp_path / "file", patience=QUICK)
    monkeypatch.setenv(variable, str(authority / "good.pem"))
    download(url, tmp_path / "file", patience=QUICK)
    assert (tmp_path / "file").read_bytes() == BODY


def test_an_expired_certificate_is_named_and_not_tried_again(secure, authority, tmp_path, monkeypatch, pauses):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority / "old.pem"))
    with pytest.raises(SourceFailed, match=r"^no trusted connection \(certificate has expired\)$"):
        download(secure("old"), tmp_path / "file")
    assert not pauses


# Several files from one server


def test_a_server_that_was_given_up_is_not_waited_for_again_and_again(server, tmp_path, pauses):
    server.routes.update({"/a": status(503), "/b": status(503), "/c": [status(503), BODY], "/d": [status(503)] * 3})
    downloads = Downloads(tmp_path, Patience())
    for name, tries in (("a", 7), ("b", 2)):
        with pytest.raises(SourceFailed, match=f"after {tries} tries"):
            downloads.get(f"{server.url}/{name}")
    assert downloads.get(f"{server.url}/c").read_bytes() == BODY
    with pytest.raises(SourceFailed, match="after 7 tries"):
        downloads.get(f"{server.url}/d")


def test_what_is_there_is_not_downloaded_again(server, tmp_path):
    server.routes["/a"] = BODY
    downloads = Downloads(tmp_path, QUICK)
    assert downloads.get(f"{server.url}/a") == downloads.get(f"{server.url}/a")
    assert server.hits == ["/a"]
    downloads.forget(f"{server.url}/a")
    downloads.get(f"{server.url}/a")
    assert server.hits == ["/a", "/a"]


def test_the_head_alone_says_whether_a_file_is_there(server):
    server.routes.update({"/a": BODY, "/b": status(404), "/c": [status(405), send(BODY)]})
    assert probe(f"{server.url}/a") == len(BODY)
    assert server.asked[0]["method"] == "HEAD"
    with pytest.raises(SourceFailed, match="status 404"):
        probe(f"{server.url}/b")
    assert probe(f"{server.url}/c") == len(BODY), "a server that knows no HEAD is asked by GET"
