"""OpenML, the last of the sources. The only module that touches the `openml` client and its settings."""

import os
from pathlib import Path

from pumetrics.datasets.errors import SourceFailed

__all__ = ["download_openml"]


def download_openml(number, path, *, cache, server=None, retries=3):
    """Fetch a data set of OpenML and write it as one Parquet file.

    Parameters
    ----------
    number : int
        Number of the data set at OpenML.
    path : path
        Parquet file to write; nominal columns stay nominal.
    cache : path
        Folder for the client's own files.
    server : str, optional
        Address of another server that speaks OpenML's API.
    retries : int
        Further tries of the client.

    Raises
    ------
    SourceFailed
        With the reason in one line.
    """
    # ARFF carries the checksum the server states; without this the client waits on a Parquet address first.
    os.environ["OPENML_SKIP_PARQUET"] = "true"
    import openml

    before = openml.config.server
    openml.config.set_root_cache_directory(Path(cache))
    openml.config.set_retry_policy("human", retries)
    if server:
        openml.config.server = server
    try:
        dataset = openml.datasets.get_dataset(
            number, download_data=True, download_qualities=False, download_features_meta_data=True
        )
        frame, *_ = dataset.get_data()
        frame.to_parquet(path)
    except Exception as error:  # the client raises whatever its parsers and sockets raise
        raise SourceFailed(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}") from error
    finally:
        openml.config.server = before
