"""A web server on 127.0.0.1 that fails in every way sites fail, for the tests of downloads."""

import hashlib
import http.server
import importlib
import io
import json
import socket
import struct
import tarfile
import threading
import time
import zipfile
from types import SimpleNamespace

from pumetrics_workflow.datasets import load_registry

DATA = b"".join(b"%d,%d,%s\n" % (i, i * i % 7, b"yes" if i % 3 == 0 else b"no") for i in range(60))
SHA256 = hashlib.sha256(DATA).hexdigest()
HTML = b"<!DOCTYPE html><html><body>Service unavailable</body></html>"
ZIP = "/static/public/1/example.zip"


def impatient(monkeypatch, *, timeout=5.0):
    """Let downloads wait no longer than `timeout` seconds, and not at all between tries."""
    monkeypatch.setattr(
        importlib.import_module("pumetrics_workflow.datasets.fetch"), "TIMEOUT", timeout
    )
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda _: None))


class Server(http.server.ThreadingHTTPServer):
    """Serves `routes`: a path gives bytes, or a list of things to do on each request in turn (the last one stays)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.routes = {}
        self.hits = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """Stay silent: lost connections are what the tests are about."""


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        path = self.path.split("?")[0]
        with server.lock:
            server.hits.append(path)
            answer = server.routes.get(path, status(404))
            if isinstance(answer, list):
                answer = answer.pop(0) if len(answer) > 1 else answer[0]
        (send(answer) if isinstance(answer, bytes) else answer)(self)

    do_HEAD = do_GET

    def log_message(self, *_):
        """Say nothing."""


def send(body, *, code=200, claimed=None, **headers):
    def act(handler):
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(body) if claimed is None else claimed))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), str(value))
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(body)

    return act


def status(code, body=b"", **headers):
    """Refuse with a status, and a page or headers if given."""
    if body or headers:
        return send(body, code=code, **headers)
    return lambda handler: handler.send_error(code)


def redirect(path):
    return status(302, Location=path)


def reset(handler):
    """End the connection as a broken network does."""
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def half(body):
    """Send half the body, then a TCP reset."""

    def act(handler):
        send(body[: len(body) // 2], claimed=len(body))(handler)
        reset(handler)

    return act


def silent(handler):
    time.sleep(3)


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    """Return a zip archive of a dictionary of members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return stream.getvalue()


def tarred(members, mode="w:gz"):
    """Return a tar archive of a dictionary of members."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as file:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
    return stream.getvalue()


GOOD = zipped({"folder/data.csv": DATA})


def entry(server, **changes):
    """Entry of a data set whose official site is the local server."""
    file = {"name": "data.csv", "sha256": SHA256, "member": "data.csv"}
    file = {
        key: value
        for key, value in {**file, **changes.pop("file", {})}.items()
        if value is not None
    }
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
