"""One download: tried over minutes, resumed where the server allows it, given up once nothing arrives any more."""

import json
import os
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from pumetrics_workflow.datasets.errors import SourceFailed

__all__ = ["Patience", "download", "probe"]

_PASSING = {408, 425, 429}  # status below 500 that may pass; the others will not
_STAYING = {501, 505}  # status from 500 on that will not pass
_CHUNK = 1 << 16
_GAIN = 1 << 16  # bytes: a try that brings fewer counts as one that brought nothing
_MOST_TRIES = 100
_sleep = time.sleep


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server.

    The limits concern progress, not the whole: a download may take hours as long as bytes arrive.

    Attributes
    ----------
    timeout : float
        Longest wait for a connection, or for the next byte, in seconds.
    stall : float
        Within so many seconds at least `least` bytes must arrive.
    least : int
        See `stall`.
    retries : int
        Further tries in a row that may bring nothing. A try that brings bytes starts the count anew.
    unreachable : int
        The same for a server that cannot be reached at all.
    wait : float
        First pause between tries, in seconds; it doubles up to `longest`, with up to a quarter more at random.
    longest : float
        Longest pause, also if a server asks for one (Retry-After); a longer request is a refusal.
    """

    timeout: float = 30.0
    stall: float = 60.0
    least: int = 1 << 14
    retries: int = 6
    unreachable: int = 2
    wait: float = 2.0
    longest: float = 120.0


class _Passing(Exception):
    """A failure that may pass: a lost connection, a truncated body, a server error."""

    def __init__(self, message, *, after=0.0, unreachable=False):
        super().__init__(message)
        self.after, self.unreachable = after, unreachable


def download(url, path, *, patience=None, limit=1 << 30, progress=None):
    """Fetch `url` into the file `path`, or raise SourceFailed.

    What has arrived lies in ``<path>.part`` until it is complete. The next call goes on there if the server allows
    it and says that the file is still the same one (ETag or Last-Modified).

    Parameters
    ----------
    url : str
        Address; redirects are followed. The usual variables name proxies (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) and a
        private authority for certificates (REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, SSL_CERT_FILE).
    path : path
        File to write. It appears only when complete.
    patience : Patience, optional
        How long to wait.
    limit : int
        Most bytes to accept.
    progress : callable, optional
        Called with the address, the bytes so far and their number in all (None if unknown).

    Raises
    ------
    SourceFailed
        With the reason in a few words.
    OSError
        If the disk is full or the folder cannot be written.
    """
    import tenacity

    transfer = _Transfer(url, Path(path), patience or Patience(), limit, progress)
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(_Passing),
        stop=transfer.given_up,
        wait=transfer.pause,
        sleep=lambda seconds: _sleep(seconds),
        reraise=True,
    )
    try:
        retrying(transfer.attempt)
    except _Passing as error:
        raise SourceFailed(f"{error} after {transfer.tries} {'try' if transfer.tries == 1 else 'tries'}") from error
    except OSError:
        transfer.part.unlink(missing_ok=True)  # no room for all of it: a part of it only takes room from others
        raise


def probe(url, *, timeout=20.0):
    """Ask a server for the head of `url` alone.

    Returns
    -------
    size : int or None
        Length of the file in bytes, if the server says it.

    Raises
    ------
    SourceFailed
        If the address is unavailable now, with the reason in a few words.
    """
    import requests

    with _session() as session:
        try:
            with session.head(url, timeout=timeout, allow_redirects=True) as response:
                if response.status_code not in (405, 501):  # which say that the server knows no HEAD
                    return _size_of(response)
            with session.get(url, timeout=timeout, stream=True) as response:
                return _size_of(response)
        except requests.RequestException as error:
            raise SourceFailed(_reason(error)) from error


def _size_of(response):
    if response.status_code >= 400:
        raise SourceFailed(_status(response))
    size = response.headers.get("Content-Length", "")
    return int(size) if size.isdigit() else None


def _session():
    import requests

    session = requests.Session()
    session.headers["Accept-Encoding"] = "identity"
    session.verify = os.environ.get("SSL_CERT_FILE") or True  # requests itself knows the other two variables
    return session


class _Transfer:
    """The tries of one download."""

    def __init__(self, url, path, patience, limit, progress):
        self.url, self.path, self.patience, self.limit = url, path, patience, limit
        self.progress = progress or (lambda *_: None)
        self.part, self.facts = Path(f"{path}.part"), Path(f"{path}.part.json")
        self.tries = self._idle = self._best = 0

    def given_up(self, state):
        """Whether the last failure was one too many in a row."""
        error = state.outcome.exception()
        most = self.patience.unreachable if error.unreachable else self.patience.retries
        return self._idle > most or self.tries >= _MOST_TRIES or error.after > self.patience.longest

    def pause(self, state):
        """Seconds until the next try."""
        import random

        grown = min(self.patience.wait * 2 ** (self._idle - 1), self.patience.longest)
        return max(grown * random.uniform(1.0, 1.25), state.outcome.exception().after)

    def attempt(self):
        """Try once, and go on where the last try ended."""
        self.tries += 1
        try:
            self._attempt()
        except _Passing:
            size = self._size()
            self._idle = 1 if size >= self._best + _GAIN else self._idle + 1
            self._best = max(self._best, size)
            raise
        os.replace(self.part, self.path)
        self.facts.unlink(missing_ok=True)

    def _attempt(self):
        import requests
        import urllib3

        start, headers = self._resumption()
        try:
            with (
                _session() as session,
                session.get(self.url, stream=True, timeout=self.patience.timeout, headers=headers) as response,
            ):
                self._receive(response, start)
        except requests.TooManyRedirects as error:
            raise SourceFailed("too many redirects") from error
        except requests.exceptions.SSLError as error:
            if "certificate verify failed" in str(error):
                raise SourceFailed(_reason(error)) from error
            raise _Passing(_reason(error), unreachable=True) from error
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            if isinstance(error, ValueError):  # an address that is none
                raise SourceFailed(_reason(error)) from error
            reason = _reason(error)
            where = f" at {self._size():,} bytes" if reason == _LOST and self._size() else ""
            raise _Passing(reason + where, unreachable=reason in _UNREACHABLE) from error

    def _size(self):
        return self.part.stat().st_size if self.part.is_file() else 0

    def _resumption(self):
        """Bytes that are there already, and the headers that ask for the others."""
        try:
            validator = json.loads(self.facts.read_text(encoding="utf-8"))["validator"]
        except (OSError, ValueError, KeyError):
            validator = ""
        start = self._size() if validator else 0
        return start, {"Range": f"bytes={start}-", "If-Range": validator} if start else {}

    def _receive(self, response, start):
        """Write the body of a response behind the bytes that are there, or anew."""
        if response.status_code == 416 and start:
            self.part.unlink(missing_ok=True)
            raise _Passing("the server cannot go on where it stopped")
        if response.status_code >= 400:
            self._refuse(response)
        if response.status_code != 206 or not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            if response.status_code == 206:
                raise _Passing("the server sent another part than it was asked for")
            start = 0
        self._note(response)
        length = response.headers.get("Content-Length", "")
        plain = response.headers.get("Content-Encoding", "identity") == "identity"
        total = start + int(length) if length.isdigit() and plain else None
        with open(self.part, "ab" if start else "wb") as stream:
            size = self._copy(response.raw, stream, start, total)
        if total is not None and size < total:
            raise _Passing(f"{_LOST} at {size:,} bytes")

    def _refuse(self, response):
        status = response.status_code
        if status in _PASSING or (status >= 500 and status not in _STAYING):
            after = _retry_after(response)
            asks = f", which asks to come back in {after:.0f} s" if after > self.patience.longest else ""
            raise _Passing(_status(response) + asks, after=after)
        raise SourceFailed(_status(response))

    def _note(self, response):
        """Remember by what a server knows this version of the file."""
        validator = response.headers.get("ETag", "")
        if not validator or validator.startswith("W/"):
            validator = response.headers.get("Last-Modified", "")
        if response.headers.get("Content-Encoding", "identity") != "identity":
            validator = ""
        self.facts.write_text(json.dumps({"url": self.url, "validator": validator}), encoding="utf-8")

    def _copy(self, raw, stream, size, total):
        """Copy what arrives as it arrives; return the size of the whole file."""
        since, before = time.monotonic(), size
        while data := raw.read1(_CHUNK, decode_content=True):
            size += len(data)
            if size > self.limit:
                raise SourceFailed(f"sends more than the {self.limit:,} bytes allowed")
            stream.write(data)
            self.progress(self.url, size, total)
            if time.monotonic() - since > self.patience.stall:
                if size - before < self.patience.least:
                    raise _Passing(f"sends less than {self.patience.least:,} bytes in {self.patience.stall:g} s")
                since, before = time.monotonic(), size
        return size


def _retry_after(response):
    """Seconds that a server asks to wait, given as a number or as a date; 0 if it does not."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0


def _status(response):
    """Status in a few words; OpenML says in the body what it means."""
    words = f"status {response.status_code} {response.reason}".strip()
    if response.headers.get("Content-Type", "").partition(";")[0].endswith("xml") and response.request.method == "GET":
        message = re.search(r"<oml:message>([^<]{1,200})", response.raw.read(4096).decode("utf-8", "replace"))
        words += f" ({' '.join(message[1].split())})" if message else ""
    return words


_LOST = "the connection was lost"
_UNREACHABLE = ("no connection in time", "no connection", "no connection to the proxy")


def _reason(error):
    """The failure in a few words, without addresses of objects and nested exceptions."""
    import requests
    import urllib3

    text = str(error)
    if "certificate verify failed" in text:
        why = re.search(r"certificate verify failed: ([^('\"]+)", text)
        return f"no trusted connection ({' '.join(why[1].split()) if why else 'certificate'})"
    kinds = {
        (requests.exceptions.ConnectTimeout,): "no connection in time",
        (requests.exceptions.ReadTimeout, urllib3.exceptions.ReadTimeoutError): "no answer in time",
        (requests.exceptions.ProxyError,): "no connection to the proxy",
        (requests.exceptions.SSLError, urllib3.exceptions.SSLError): "no trusted connection",
        (requests.exceptions.ChunkedEncodingError, urllib3.exceptions.ProtocolError): _LOST,
        (requests.exceptions.TooManyRedirects,): "too many redirects",
    }
    for types, words in kinds.items():
        if isinstance(error, types):
            return words
    if isinstance(error, requests.exceptions.ConnectionError):
        lost = "Connection aborted" in text or "RemoteDisconnected" in text or "reset by peer" in text
        return _LOST if lost else "no connection"
    return " ".join(text.split())[:200] if isinstance(error, ValueError) else type(error).__name__
