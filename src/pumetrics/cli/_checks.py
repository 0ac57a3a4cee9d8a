"""Options of the commands that cannot be, said in the words of the command line before anything is computed."""

import math
import os

from pumetrics._validation import check_fraction

__all__ = ["check_options", "check_output"]


def check_options(
    *, alpha, beta, rho, noisy, confidence, bootstrap, seed, threshold, uncertainty, selection="1", least_bootstrap=0
):
    """Raise ValueError on values out of range and on options that contradict each other.

    Parameters
    ----------
    alpha : str or None
        As typed.
    beta, rho, noisy, confidence, bootstrap, seed, threshold, uncertainty, selection
        As typed, converted.
    least_bootstrap : int
        Fewest resamples that the command takes.
    """
    if alpha is not None and rho is not None:
        raise ValueError(
            f"--alpha {alpha} and --rho {rho:g} contradict: rho={rho:g} gives alpha; leave one of them out"
        )
    if uncertainty is not None and (alpha is not None or rho is not None):
        known = f"--alpha {alpha}" if alpha is not None else f"--rho {rho:g}"
        raise ValueError(
            f"--uncertainty {uncertainty} and {known} contradict: it says what intervals account for where alpha is "
            "estimated; leave one of them out, or give a range such as --alpha 0.1,0.3"
        )
    if noisy:
        given = {"--alpha": alpha, "--rho": rho, "--beta": None if beta == 1 else beta}
        for option, value in given.items():
            if value is not None:
                raise ValueError(
                    f"--noisy and {option} {value} contradict: --noisy estimates alpha and beta; leave one of them out"
                )
    if noisy or beta < 1:
        noise = "--noisy" if noisy else f"--beta {beta:g}"
        if selection != "1":
            raise ValueError(
                f"--selection {selection} and {noise} contradict: with label noise the labeled examples do not show "
                "which positives were selected; leave one of them out"
            )
        if not noisy and alpha is None and rho is None and uncertainty in ("calibrated", "guaranteed"):
            raise ValueError(
                f"--uncertainty {uncertainty} and {noise} contradict: these ranges are known for clean labels, and for "
                "label noise that is estimated (--noisy); give --uncertainty sampling, which leaves out the error of "
                "the estimated alpha, or --alpha"
            )
    if not 0 < confidence < 1:
        meant = confidence / 100 if 1 < confidence < 100 else 0.95
        raise ValueError(f"--confidence must lie in (0, 1), got {confidence:g}; {meant:g} stands for {100 * meant:g} %")
    if bootstrap < least_bootstrap:
        none = ", or 0 for no intervals" if least_bootstrap == 0 else ""
        raise ValueError(f"--bootstrap must be a whole number, at least 1{none}, got {bootstrap}; 200 are usual")
    check_fraction(beta, "--beta")
    if seed < 0:
        raise ValueError(f"--seed must be a whole number of at least 0, got {seed}")
    if threshold is not None and not math.isfinite(threshold):
        raise ValueError(f"--threshold must be a finite number, got {threshold}")


_SUFFIXES = {"--output": (".csv",), "--report": (".html", ".htm"), "--thresholds": (".csv", ".csv.gz")}


def check_output(option, path, inputs):
    """Raise ValueError unless a file of that name can be written there and is none of the inputs.

    Parameters
    ----------
    option : {"--output", "--report", "--thresholds"}
    path : pathlib.Path
    inputs : sequence of pathlib.Path
    """
    if str(path) == "-":
        raise ValueError(f"{option} - cannot be written: standard output holds the table; name a file")
    for source in inputs:
        if path.exists() and source.exists() and os.path.samefile(path, source):
            raise ValueError(f"{option} {path} would overwrite the input {source}: name another file")
    if path.is_dir():
        raise ValueError(f"{option} {path} is a folder: name a file in it")
    folder = path.parent
    if not folder.is_dir():
        raise ValueError(f"{option} {path} cannot be written: there is no folder {folder}; make it, or name another")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{option} {path} cannot be written: permission denied; name another file")
    if path.suffix and not path.name.lower().endswith(_SUFFIXES[option]):
        kind = _SUFFIXES[option][0]
        raise ValueError(
            f"{option} {path} cannot be written as {path.suffix}: it is a {kind} file; name it {path.stem}{kind}"
        )
