"""Checks of the command line options that run before any computation."""

import math
import os

from pumetrics._validation import check_fraction

__all__ = ["check_columns", "check_goal_options", "check_options", "check_output"]


def check_options(
    *, alpha, beta, rho, noisy, confidence, bootstrap, seed, threshold, uncertainty, selection="1", least_bootstrap=0
):
    """Raise ValueError on values out of range and on options that contradict each other.

    Parameters
    ----------
    alpha : str or None
        Text from the command line.
    beta, rho, noisy, confidence, bootstrap, seed, threshold, uncertainty, selection
        Values from the command line, converted.
    least_bootstrap : int
        Smallest number of resamples that the command accepts.
    """
    if alpha is not None and rho is not None:
        raise ValueError(
            f"--alpha {alpha} and --rho {rho:g} contradict: rho={rho:g} determines alpha; omit one of them"
        )
    if uncertainty is not None and (alpha is not None or rho is not None):
        known = f"--alpha {alpha}" if alpha is not None else f"--rho {rho:g}"
        raise ValueError(
            f"--uncertainty {uncertainty} and {known} contradict: it applies only when alpha is estimated; omit one "
            "of them, or give a range such as --alpha 0.1,0.3"
        )
    if noisy:
        given = {"--alpha": alpha, "--rho": rho, "--beta": None if beta == 1 else beta}
        for option, value in given.items():
            if value is not None:
                raise ValueError(
                    f"--noisy and {option} {value} contradict: --noisy estimates alpha and beta; omit one of them"
                )
    if noisy or beta < 1:
        noise = "--noisy" if noisy else f"--beta {beta:g}"
        if selection != "1":
            raise ValueError(
                f"--selection {selection} and {noise} contradict: with label noise the labeled examples do not show "
                "which positives were selected; omit one of them"
            )
        if not noisy and alpha is None and rho is None and uncertainty in ("calibrated", "guaranteed"):
            raise ValueError(
                f"--uncertainty {uncertainty} and {noise} contradict: these ranges exist for clean labels and for "
                "estimated label noise (--noisy); use --uncertainty sampling, which ignores the error of the "
                "estimated alpha, or give --alpha"
            )
    if not 0 < confidence < 1:
        meant = confidence / 100 if 1 < confidence < 100 else 0.95
        raise ValueError(f"--confidence must lie in (0, 1), got {confidence:g}; {meant:g} means {100 * meant:g}%")
    if bootstrap < least_bootstrap:
        none = ", or 0 for no intervals" if least_bootstrap == 0 else ""
        raise ValueError(f"--bootstrap must be a whole number, at least 1{none}, got {bootstrap}; 200 is common")
    check_fraction(beta, "--beta")
    if seed < 0:
        raise ValueError(f"--seed must be a whole number of at least 0, got {seed}")
    if threshold is not None and not math.isfinite(threshold):
        raise ValueError(f"--threshold must be a finite number, got {threshold}")


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


def check_goal_options(threshold, goal):
    """Return the threshold, or NaN if a goal chooses it, so that metrics at a threshold are listed.

    Parameters
    ----------
    threshold : float or None
    goal : dict
        Values from the command line, see :func:`pumetrics.thresholds.check_goal`.

    Raises
    ------
    ValueError
        If the options contradict each other or are out of range.
    """
    from pumetrics.thresholds import check_goal

    try:
        given = check_goal(**goal)
    except ValueError as error:
        text = str(error)
        for name in goal:
            text = text.replace(name, _option(name))
        raise ValueError(text) from None
    if given and threshold is not None:
        options = " and ".join(map(_option, given))
        raise ValueError(f"--threshold {threshold:g} and {options} contradict: omit one of them")
    return float("nan") if given else threshold


def _option(name):
    return f"--{name.replace('_', '-')}"


def check_columns(
    scores,
    label,
    *,
    weight=None,
    cluster=None,
    fold=None,
    propensity=None,
    by=None,
    thresholds=None,
):
    """Raise ValueError if columns conflict with the options that name them.

    Parameters
    ----------
    scores : list of str
        Columns of scores.
    label : str
    weight, cluster, fold, propensity : str or None
    by : list of str or None
    thresholds : path-like or None
        File for the table of thresholds.
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
    if propensity is not None and thresholds is not None:
        raise ValueError(
            f"--thresholds and --propensity {propensity} contradict: the table assumes that labels are random; omit "
            "one of them"
        )
