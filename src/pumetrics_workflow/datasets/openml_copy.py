"""OpenML, the last of the sources: its copy of a set as a Parquet file, and what the entry of the registry makes of it.

The client works in a process of its own: its settings are global, it writes a settings file into the home folder, and
it waits for a silent server for ever.
"""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import getproxies

from pumetrics_workflow.datasets.archives import SourceFailed

__all__ = ["download_openml", "openml_tables"]

SERVER = "https://www.openml.org/api/v1/xml"
SECONDS = 900.0


def download_openml(number, folder):
    """Fetch a data set of OpenML and write it as one Parquet file, with the target as a column like the others.

    ARFF comes first, as the server states its checksum; Parquet is for sets whose ARFF is unavailable.

    Parameters
    ----------
    number : int
        Number of the data set at OpenML.
    folder : path
        Where the file goes, and what the client keeps.

    Returns
    -------
    path
        The file. Nominal columns are nominal in it.

    Raises
    ------
    SourceFailed
        With the reason in one line.
    """
    if not getproxies():  # otherwise a proxy resolves names
        try:
            socket.getaddrinfo(urlparse(SERVER).hostname, None)
        except socket.gaierror as error:
            raise SourceFailed("no network, or no such host") from error

    path = Path(folder).resolve() / f"openml-{number}.parquet"
    command = [sys.executable, "-m", __name__, str(number), str(path), SERVER]
    environment = {
        **os.environ,
        "OPENML_CACHE_DIR": str(path.parent),
        "XDG_CONFIG_HOME": str(path.parent),
    }

    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"no answer in {SECONDS:g} s") from error
    if run.returncode:
        last = run.stderr.strip().splitlines()[-1:]
        raise SourceFailed(last[0][:300] if last else f"client ended with status {run.returncode}")
    return path


def _main(number, path, server):
    """Let the client download a set."""
    import openml

    openml.config.server = server
    openml.config.set_retry_policy("human", 3)
    failures = []
    for skip_parquet in ("true", "false"):
        os.environ["OPENML_SKIP_PARQUET"] = skip_parquet
        try:
            frame, *_ = openml.datasets.get_dataset(int(number), download_data=True).get_data()
            return frame.to_parquet(path)
        except Exception as error:  # the client raises whatever its parsers and sockets raise
            failures.append(f"{type(error).__name__}: {' '.join(str(error).split())}"[:140])
    sys.exit("; ".join(dict.fromkeys(failures)))


def openml_tables(dataset, path):
    """Readings of the copy of a data set at OpenML, the closest to the entry of the registry first.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry with a copy at OpenML.
    path : path
        The Parquet file that :func:`download_openml` wrote.

    Yields
    ------
    frame : pandas.DataFrame
        Raw table with the target; first with names, types and levels of the entry, if they fit, then with OpenML's.
        Where the names agree and no hash tells the two readings apart, there is only the first.
    drop : list of str
        Columns to leave out.
    """
    import pandas as pd

    frame = pd.read_parquet(path)
    target = dataset.openml["target"]
    if target not in frame:
        raise ValueError(
            f"{dataset.name}: no column {target!r}, the columns are {', '.join(map(str, frame.columns))}"
        )
    # OpenML leaves out some by itself.
    drop = [name for name in dataset.openml.get("drop", ()) if name in frame]
    stored = frame.drop(columns=drop)
    described = _as_described(dataset, stored, target)
    if described is not None:
        yield described, []
        names = [list(map(_plain, table.drop(columns=target))) for table in (stored, described)]
        if "hash" not in dataset.content and names[0] == names[1]:
            return
    yield _as_stored(dataset, frame, target), drop


def _as_described(dataset, frame, target):
    """Table with the names, types and levels of the entry, or None if they do not fit."""
    from pumetrics_workflow.datasets.parse import typed

    names, options = _description(dataset)
    features = frame.drop(columns=target)
    if len(names) != features.shape[1] or target in names:
        return None
    nominal = features.select_dtypes("category")
    features = features.astype(dict.fromkeys(nominal, object))
    features.columns = names

    for name, levels in options.get("levels", {}).items():
        if "?" in levels and name in features:  # missing, but a level of its own in the entry
            features[name] = features[name].where(features[name].notna(), "?")
    try:
        return typed(features.assign(**{target: frame[target].astype(object)}), options, target)
    except ValueError:
        return None


def _description(dataset):
    """Names of the features of an entry, as far as it lists them, and the options that give them types."""
    options = dataset.options
    if dataset.parser == "sequences":
        names = [f"position{number + 1}" for number in range(options["length"])]
        levels = dict.fromkeys(names, options["alphabet"]) if "alphabet" in options else {}
        return names, {"nominal": "all", "levels": levels}
    if dataset.parser == "libsvm" and "names" not in options:
        return [f"x{number + 1}" for number in range(options["columns"])], {}
    left_out = {dataset.target, *dataset.drop}
    return [name for name in options.get("names", ()) if name not in left_out], options


def _as_stored(dataset, frame, target):
    """Table with OpenML's names and levels. The client calls all categories ordered; only the entry knows which are."""
    from pumetrics_workflow.datasets.parse import typed

    ordinal = {_plain(name): levels for name, levels in dataset.options.get("ordinal", {}).items()}
    frame = frame.rename(columns=str)
    ranked = {}
    for name in frame.columns.drop(target):
        column = frame[name]
        if str(column.dtype) == "category":
            levels = [str(level).strip(" '\"") for level in column.cat.categories]
            frame[name] = column.cat.rename_categories(levels).cat.as_unordered()
        elif column.dtype == bool:
            frame[name] = column.astype(object)
        if _plain(name) in ordinal:
            ranked[name] = ordinal[_plain(name)]
    return typed(frame, {"nominal": "auto", "ordinal": ranked}, target)


def _plain(name):
    """Name as both sides write it: in lower case, with underscores."""
    return re.sub(r"\W+", "_", str(name).lower()).strip("_")


if __name__ == "__main__":
    _main(*sys.argv[1:])
