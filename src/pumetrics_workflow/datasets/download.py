"""One download: pooch's retries around a downloader that also ends what never ends."""

import time
from pathlib import Path

from pumetrics_workflow.datasets.errors import SourceFailed

__all__ = ["download"]

_PASSING = {408, 425, 429}  # status below 500 that may pass; the others will not


def download(url, path, *, timeout=30.0, deadline=900.0, retries=3, limit=1 << 30):
    """Fetch `url` into the file `path`, or raise SourceFailed and leave nothing.

    Parameters
    ----------
    url : str
        Address; redirects are followed.
    path : path
        File to write. It appears only when complete.
    timeout : float
        Longest wait for a connection or for the next bytes, in seconds.
    deadline : float
        Longest time for the whole of one try, in seconds: a server that drips never times out by itself.
    retries : int
        Further tries after a failure that may pass: a lost connection, a truncated body, a server error.
    limit : int
        Most bytes to accept.

    Raises
    ------
    SourceFailed
        With the reason in a few words.
    OSError
        If the disk is full or the folder cannot be written.
    """
    import pooch
    import requests

    path = Path(path)
    registry = pooch.create(
        path=path.parent, base_url="", registry={path.name: None}, urls={path.name: url}, retry_if_failed=retries
    )
    pooch.get_logger().setLevel("WARNING")
    downloader = _Downloader(timeout=timeout, deadline=deadline, limit=limit)
    try:
        registry.fetch(path.name, downloader=downloader)
    except requests.RequestException as error:
        raise SourceFailed(f"{_reason(error)} after {downloader.tries} tries") from error


class _Downloader:
    """What pooch calls for one try."""

    def __init__(self, *, timeout, deadline, limit):
        self.timeout, self.deadline, self.limit = timeout, deadline, limit
        self.tries = 0

    def __call__(self, url, output_file, pooch, check_only=False):
        """Stream `url` into `output_file`."""
        import requests

        self.tries += 1
        started = time.monotonic()
        with requests.get(url, stream=True, timeout=self.timeout, headers={"Accept-Encoding": "identity"}) as response:
            if 400 <= response.status_code < 500 and response.status_code not in _PASSING:
                raise SourceFailed(f"status {response.status_code} {response.reason}")
            response.raise_for_status()
            total = 0
            with open(output_file, "wb") as stream:
                for chunk in response.iter_content(1 << 16):
                    total += len(chunk)
                    if total > self.limit:
                        raise SourceFailed(f"sends more than the {self.limit:,} bytes allowed")
                    if time.monotonic() - started > self.deadline:
                        raise SourceFailed(f"not done after {self.deadline:g} s")
                    stream.write(chunk)


def _reason(error):
    """The failure in a few words, without addresses of objects and nested exceptions."""
    import requests

    if isinstance(error, requests.HTTPError):
        return f"status {error.response.status_code} {error.response.reason}"
    kinds = {
        requests.exceptions.ConnectTimeout: "no connection in time",
        requests.exceptions.ReadTimeout: "no answer in time",
        requests.exceptions.SSLError: "no trusted connection",
        requests.exceptions.ChunkedEncodingError: "the connection was lost halfway",
        requests.exceptions.TooManyRedirects: "too many redirects",
        requests.exceptions.ConnectionError: "no connection",
    }
    for kind, words in kinds.items():
        if isinstance(error, kind):
            return words
    return type(error).__name__
