"""Checks of the command line options that run before any computation."""

import os

__all__ = ["check_columns", "check_output"]


_SUFFIXES = {"--output": (".csv",), "--report": (".html", ".htm"), "--thresholds": (".csv", ".csv.gz")}


def check_output(option, path, inputs):
    """Raise ValueError unless the file can be written and is not one of the inputs.

    Parameters
    ----------
    option : {"--output", "--report", "--thresholds"}
    path : pathlib.Path
    inputs : sequence of pathlib.Path
    """
    if str(path) == "-":
        raise ValueError(f"{option} - cannot be written: standard output is used for the table; give a file name")
    for source in inputs:
        if path.exists() and source.exists() and os.path.samefile(path, source):
            raise ValueError(f"{option} {path} would overwrite the input {source}: choose another file name")
    if path.is_dir():
        raise ValueError(f"{option} {path} is a folder: give the name of a file in it")
    folder = path.parent
    if not folder.is_dir():
        raise ValueError(
            f"{option} {path} cannot be written: folder {folder} does not exist; create it or choose another"
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{option} {path} cannot be written: permission denied; choose another file")
    if path.suffix and not path.name.lower().endswith(_SUFFIXES[option]):
        kind = _SUFFIXES[option][0]
        raise ValueError(
            f"{option} {path} cannot be written as {path.suffix}: it is a {kind} file; name it {path.stem}{kind}"
        )


def check_columns(
    scores,
    label,
    *,
    weight=None,
    cluster=None,
    fold=None,
    propensity=None,
    by=None,
):
    """Raise ValueError if columns conflict with the options that name them.

    Parameters
    ----------
    scores : list of str
        Columns of scores.
    label : str
    weight, cluster, fold, propensity : str or None
    by : list of str or None
    """
    given = [("--weight", weight), ("--cluster", cluster), ("--fold", fold), ("--propensity", propensity)]
    given += [("--by", name) for name in by or []]
    taken = {label: "--label", **dict.fromkeys(scores, "--score")}
    for option, name in given:
        if name in taken:
            raise ValueError(f"{option} {name} and {taken[name]} {name} must name different columns")
    if weight is not None and weight in (cluster, fold):
        raise ValueError(
            f"--weight {weight} and {'--cluster' if weight == cluster else '--fold'} must name different columns"
        )
    if propensity is not None and propensity in (weight, cluster, fold):
        raise ValueError(f"--propensity {propensity} must name a column that no other option names")
