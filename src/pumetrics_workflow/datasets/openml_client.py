"""OpenML, the last of the sources. The only module that touches the `openml` client and its settings.

The files come through our own downloads, which are patient, go on where they stopped and are checked; the client then
reads them from its cache, without network. It works in a process of its own: its settings are global, and it writes a
settings file into the home folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from pumetrics_workflow.datasets.errors import SourceFailed

__all__ = ["download_openml", "openml_description_url"]

_SERVER = "https://www.openml.org/api/v1/xml"
_SECONDS = 600.0  # for reading files that are here; the largest takes one
_TRIES = 3  # downloads of a file whose checksum is wrong


def openml_description_url(number, server=""):
    """Address at which a server describes a data set."""
    return f"{(server or _SERVER).rstrip('/')}/data/{number}"


def download_openml(number, path, *, downloads, cache, server="", seconds=_SECONDS):
    """Fetch a data set of OpenML and write it as one Parquet file.

    ARFF comes first, as the server states its checksum; Parquet is for sets whose ARFF is unavailable.

    Parameters
    ----------
    number : int
        Number of the data set at OpenML.
    path : path
        Parquet file to write; nominal columns stay nominal, the target is a column like the others.
    downloads : Downloads
        Fetches addresses.
    cache : path
        Folder for the client's own files and settings.
    server : str, optional
        Address of another server that speaks OpenML's API.
    seconds : float
        Longest time for reading the files.

    Raises
    ------
    SourceFailed
        With the reason in one line.
    """
    cache = Path(cache).resolve()
    cache.mkdir(parents=True, exist_ok=True)
    url = openml_description_url(number, server)
    description = downloads.get(url)
    try:
        facts = _description(description)
        shutil.copyfile(description, cache / "description.xml")
    finally:
        downloads.forget(url)  # it may change at any time
    failures = []
    for name, get in (("dataset.arff", _arff), (f"dataset_{number}.pq", _parquet)):
        try:
            shutil.copyfile(get(downloads, facts), cache / name)
            _read(number, path, cache, name, server or _SERVER, seconds)
            return
        except SourceFailed as error:
            failures.append(str(error))
        finally:
            downloads.forget(facts.get("url", ""), facts.get("parquet_url", ""))
    raise SourceFailed("; ".join(dict.fromkeys(failures)))


def _description(path):
    """Description of a data set by a server: addresses of its files and a checksum."""
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except ElementTree.ParseError:
        raise SourceFailed("the server's description is no XML, it may be a web page") from None
    facts = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in root}
    if root.tag.rpartition("}")[2] == "error":
        raise SourceFailed(f"the server says: {facts.get('message', 'error')}")
    if not {"id", "name"} <= set(facts):
        raise SourceFailed("the server's description is none of a data set")
    return facts


def _arff(downloads, facts):
    url, checksum = facts.get("url", ""), facts.get("md5_checksum", "").lower()
    if not url:
        raise SourceFailed("no ARFF file is named")
    for _ in range(_TRIES):
        path = downloads.get(url)
        if not checksum or hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest() == checksum:
            return path
        downloads.forget(url)
    raise SourceFailed(f"its ARFF file has another checksum than the server states, {_TRIES} times")


def _parquet(downloads, facts):
    url = facts.get("parquet_url", "")
    if not url:
        raise SourceFailed("no Parquet file is named")
    path = downloads.get(url)
    if path.read_bytes()[:4] != b"PAR1":
        raise SourceFailed("its Parquet file is none, it may be a web page")
    return path


def _read(number, path, cache, name, server, seconds):
    """Let the client turn a file into Parquet."""
    command = [sys.executable, "-m", __name__, str(number), str(path), str(cache), name, server]
    environment = {**os.environ, "OPENML_CACHE_DIR": str(cache), "XDG_CONFIG_HOME": str(cache)}
    environment["OPENML_SKIP_PARQUET"] = str(name.endswith(".arff")).lower()
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment, check=False)
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"its files could not be read in {seconds:g} s") from error
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if line.strip()]
        raise SourceFailed(lines[-1][:300] if lines else f"the client ended with status {run.returncode}")


def _main(number, path, cache, name, server):
    import openml

    openml.config.set_root_cache_directory(cache)
    openml.config.set_retry_policy("human", 1)
    openml.config.server = server
    folder = Path(openml.config.get_cache_directory(), "datasets", number)
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("description.xml", name):
        shutil.copyfile(Path(cache, file), folder / file)
    try:
        dataset = openml.datasets.get_dataset(int(number), download_data=True, download_qualities=False)
        frame, *_ = dataset.get_data()
        frame.to_parquet(path)
    except Exception as error:  # the client raises whatever its parsers and sockets raise
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    _main(*sys.argv[1:])
