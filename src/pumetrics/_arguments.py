"""Errors that know which argument is refused, and the table of arguments that contradict each other."""

from numbers import Real

__all__ = ["GOALS", "ArgumentError", "ContradictionError", "check_together"]


class ArgumentError(ValueError):
    """An argument that is refused, and why; a command names the option that sets it."""

    def __init__(self, argument, text):
        super().__init__(argument, text)
        self.argument, self.text = argument, text

    def __str__(self):
        return self.named()

    def named(self, options=None):
        """The message, with the argument as `options` calls it."""
        return f"{(options or {}).get(self.argument, self.argument)} {self.text}"


class ContradictionError(ArgumentError):
    """Arguments, pairs of a name and a value, that exclude each other."""

    def named(self, options=None):
        """The message, with the arguments as `options` calls them."""
        return f"{' and '.join(_shown(*pair, options) for pair in self.argument)} contradict: {self.text}"


def _shown(name, value, options):
    if not isinstance(value, str | Real | list | tuple):
        value = True  # there
    if options is None:
        return name if value is True else f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"
    value = f"{value:g}" if isinstance(value, float) else value
    return options.get(name, name) if value is True else f"{options.get(name, name)} {value}"


GOALS = ("cost_fp", "cost_fn", "min_precision", "min_recall")
"""What a threshold can be chosen for."""

_DEFAULTS = {"beta": 1, "selection": 1, "population": "all"}

_OMIT = "omit one of them"
_ESTIMATED = {"alpha", "rho", "noisy"}  # without any of these, alpha alone is estimated
_CONTRADICTIONS = (
    (("alpha",), ("rho",), f"rho determines alpha; {_OMIT}"),
    (("noisy",), ("alpha", "rho", "beta"), f"noisy estimates alpha and beta; {_OMIT}"),
    (
        ("uncertainty",), ("alpha", "rho"),
        f"it applies only when alpha is estimated; {_OMIT}, or give a range of alpha such as 0.1,0.3",
    ),
    (
        ("uncertainty",), ("beta",),
        "these ranges exist for clean labels and for estimated label noise; use uncertainty sampling, which ignores "
        "the error of the estimated alpha, estimate beta too (noisy), or give alpha",
        lambda found: found["uncertainty"] != "sampling" and not _ESTIMATED & found.keys(),
    ),
    (
        ("uncertainty",), ("sample_weight", "cluster", "propensity"),
        "the guaranteed range rests on an exact test that counts independent rows; use calibrated, or give alpha",
        lambda found: found["uncertainty"] == "guaranteed" and not {"alpha", "rho"} & found.keys(),
    ),
    (("selection",), ("propensity",), f"both describe which positives were labeled; {_OMIT}"),
    (
        ("selection",), ("noisy", "beta"),
        f"with label noise the labeled examples do not show which positives were selected; {_OMIT}",
    ),
    (("propensity",), ("noisy", "beta"), f"with label noise the labeled examples do not represent positives; {_OMIT}"),
    (
        ("propensity", "selection"), ("population",),
        "the labeled examples are weighted to represent all positives, not the unlabeled ones; use population all",
    ),
    (GOALS[:2], GOALS[2:], "choose a threshold by costs, by precision or by recall"),
    (GOALS[2:3], GOALS[3:], "choose a threshold by costs, by precision or by recall"),
    (("threshold",), GOALS, f"a goal chooses the threshold; {_OMIT}"),
    (("fold",), (*GOALS, "thresholds"), f"scores of different folds have no common threshold; {_OMIT}"),
    (
        ("selection", "propensity"), GOALS,
        f"a threshold is chosen under random labels; {_OMIT}, or give the threshold",
    ),
    (("propensity",), ("thresholds",), f"the table of thresholds assumes that labels are random; {_OMIT}"),
    (
        ("checks",), (*GOALS, "thresholds"),
        f"goals and tables of thresholds assume that labels are random, and checked rows do not; {_OMIT} and give "
        "the threshold",
    ),
    (("checks",), ("sample_weight", "fold", "propensity"), f"checked rows all have the same weight; {_OMIT}"),
)  # fmt: skip
"""Arguments each of which contradicts each of some others, why, and of which values if not of all."""


def _silent(name, value):
    """Whether a value says nothing: None, False, or the default."""
    if value is None or value is False:
        return True
    if name not in _DEFAULTS:
        return False
    return all(each == _DEFAULTS[name] for each in (value if isinstance(value, list | tuple) else [value]))


def check_together(**arguments):
    """Raise :class:`ContradictionError` if two of the arguments that are given exclude each other."""
    found = {name: value for name, value in arguments.items() if not _silent(name, value)}
    for firsts, seconds, why, *holds in _CONTRADICTIONS:
        first, second = (next((name for name in names if name in found), None) for names in (firsts, seconds))
        if first and second and all(each(found) for each in holds):
            raise ContradictionError([(first, found[first]), (second, found[second])], why)
