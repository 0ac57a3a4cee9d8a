"""Messages of the library in the words of the command line: arguments of functions become options."""

import re

__all__ = ["in_options"]

_OPTIONS = {
    **{name: f"--{name}" for name in ("alpha", "beta", "rho", "selection", "confidence", "threshold", "uncertainty")},
    "propensity": "--propensity",
    "selected_by": "--selected-by",
    "method": "--priors",
    "n_bootstrap": "--bootstrap",
    "random_state": "--seed",
    "sample_weight": "--weight",
    "clusters": "--cluster",
    "folds": "--fold",
}
_FIRST = re.compile(rf"^({'|'.join(_OPTIONS)})(?= must| is | holds|=)")


def in_options(message):
    """Return a message whose first word, where it is an argument of a function, is the option that sets it.

    Examples
    --------
    >>> in_options("n_bootstrap must be at most 1000000, got a larger number")
    '--bootstrap must be at most 1000000, got a larger number'
    >>> in_options("scores.csv has no rows")
    'scores.csv has no rows'
    """
    return _FIRST.sub(lambda found: _OPTIONS[found[1]], message)
