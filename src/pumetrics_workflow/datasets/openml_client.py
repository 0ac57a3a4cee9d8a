"""OpenML, the last of the sources. The only module that touches the `openml` client and its settings.

The client works in a process of its own: its settings are global, it has no time-out, and it writes a settings file
into the home folder. There all of it is bounded by one deadline and one folder.
"""

import os
import subprocess
import sys
from pathlib import Path

from pumetrics_workflow.datasets.errors import SourceFailed

__all__ = ["download_openml"]


def download_openml(number, path, *, cache, server=None, deadline=900.0, retries=3):
    """Fetch a data set of OpenML and write it as one Parquet file.

    Parameters
    ----------
    number : int
        Number of the data set at OpenML.
    path : path
        Parquet file to write; nominal columns stay nominal, the target is a column like the others.
    cache : path
        Folder for the client's own files and settings.
    server : str, optional
        Address of another server that speaks OpenML's API.
    deadline : float
        Longest time for all of it, in seconds.
    retries : int
        Tries of the client for each request.

    Raises
    ------
    SourceFailed
        With the reason in one line.
    """
    cache = Path(cache).resolve()
    cache.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", __name__, str(number), str(path), str(cache), server or "", str(retries)]
    environment = {**os.environ, "OPENML_CACHE_DIR": str(cache), "XDG_CONFIG_HOME": str(cache)}
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=deadline, env=environment, check=False)
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"not done after {deadline:g} s") from error
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if line.strip()]
        raise SourceFailed(lines[-1][:300] if lines else f"the client ended with status {run.returncode}")


def _main(number, path, cache, server, retries):
    import openml

    openml.config.set_root_cache_directory(cache)
    openml.config.set_retry_policy("human", max(1, int(retries)))
    if server:
        openml.config.server = server
    failure = None
    # ARFF first: it carries a checksum of the server. Newer sets may exist as Parquet alone.
    for skip_parquet in ("true", "false"):
        os.environ["OPENML_SKIP_PARQUET"] = skip_parquet
        try:
            frame, *_ = openml.datasets.get_dataset(
                int(number), download_data=True, download_qualities=False
            ).get_data()
            frame.to_parquet(path)
            return
        except Exception as error:  # the client raises whatever its parsers and sockets raise
            failure = failure or error
    sys.exit(f"{type(failure).__name__}: {' '.join(str(failure).split())}")


if __name__ == "__main__":
    _main(*sys.argv[1:])
