"""Checks of arguments; errors name the value, its position and what is allowed."""

from numbers import Real

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.extras import require

__all__ = [
    "LARGEST",
    "LARGEST_EXACT",
    "SMALLEST",
    "VerifiedError",
    "as_array",
    "check_alphas",
    "check_choice",
    "check_count",
    "check_distinct",
    "check_fraction",
    "check_labels",
    "check_magnitude",
    "check_observed",
    "check_priors",
    "check_random_state",
    "check_range",
    "check_same_index",
    "check_same_length",
    "check_sample",
    "check_scores",
    "check_threshold",
    "raveled",
]

# of scores: squares and sums of them stay numbers
SMALLEST = 1e-100
LARGEST = 1e100
LARGEST_EXACT = 2**53  # up to which every whole number is a float64
_ROUNDING = 1e-9  # a rate that was itself computed may lie this far outside its range


def as_array(values, name="values"):
    """An array of a list, of a column of NumPy, pandas, polars or Arrow, or of any column with Arrow's interface.

    The last, which has no ``__array__``, goes through pyarrow, if that is installed. A masked array is refused.
    """
    _check_unmasked(values, name)
    if not hasattr(values, "__array__"):
        for interface, kind in (
            ("__arrow_c_array__", "array"),
            ("__arrow_c_stream__", "chunked_array"),
        ):
            if hasattr(values, interface):
                pyarrow = require(
                    "pyarrow", extra="parquet", purpose=f"A column of type {type(values).__name__}"
                )
                return np.asarray(getattr(pyarrow, kind)(values))
    return np.asarray(values)


def check_fraction(value, name, *, inclusive=True):
    """Return `value` as float, or raise ValueError unless it lies in [0, 1] (in (0, 1) if not `inclusive`)."""
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(name, f"must be a number, got {value!r}") from None
    except OverflowError:
        raise ArgumentError(name, "must lie between 0 and 1, got a number beyond 1e308") from None
    inside = 0 <= number <= 1 if inclusive else 0 < number < 1
    if not inside:  # also catches NaN
        meant = f"; {number / 100:g} means {number:g}%" if 2 <= number < 100 else ""
        raise ArgumentError(
            name, f"must lie in {'[0, 1]' if inclusive else '(0, 1)'}, got {number}{meant}"
        )
    return number


def check_choice(value, name, choices):
    """Raise ValueError unless `value` is one of the names that are allowed."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def check_priors(alpha, beta=1.0):
    """Return (alpha, beta) as floats, or raise ValueError unless 0 <= alpha < beta <= 1."""
    alpha = check_fraction(alpha, "alpha")
    beta = check_fraction(beta, "beta")
    if alpha >= beta:
        raise ArgumentError(
            "alpha",
            f"must be smaller than beta, got alpha={alpha} and beta={beta}: the share of positives must be "
            "larger among labeled than among unlabeled examples",
        )
    return alpha, beta


def check_alphas(alpha, name="alpha"):
    """Return alpha as a list: one value, or the two ends of an interval in ascending order; or raise ValueError."""
    if np.ndim(alpha) == 0:
        return [check_fraction(alpha, name)]
    ends = [check_fraction(end, name) for end in np.ravel(alpha)]
    if len(ends) != 2 or ends[0] > ends[1]:
        raise ArgumentError(name, f"must be a number or an interval (lowest, highest), got {alpha}")
    return ends if ends[0] < ends[1] else ends[:1]


def check_range(value, name, low, high):
    """Return `value` as a float64 array of its shape, or raise ValueError unless all of it lies in [low, high]."""
    _check_unmasked(value, name)
    try:
        if np.asarray(value).dtype.kind in "US":
            raise TypeError
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(name, f"must hold numbers only, got {value!r}") from None
    except OverflowError:
        raise ArgumentError(
            name, f"must lie in [{low:g}, {high:g}], got a number beyond 1e308"
        ) from None
    outside = ~((array >= low - _ROUNDING) & (array <= high + _ROUNDING))  # also catches NaN
    if outside.any():
        where = f" at position {np.flatnonzero(outside)[0]}" if array.ndim else ""
        raise ArgumentError(
            name, f"must lie in [{low:g}, {high:g}], got {array[outside].flat[0]}{where}"
        )
    return array


def raveled(array, name):
    """An array, of one column its values, with the warning that scikit-learn gives."""
    if array.ndim != 2 or array.shape[1] != 1:
        return array
    import warnings

    from sklearn.exceptions import DataConversionWarning

    shapes = f"A column-vector {name} was passed when a 1d array was expected: its values are used, as by .ravel()"
    warnings.warn(shapes, DataConversionWarning, stacklevel=4)
    return array[:, 0]


def _column(values, name):
    """Return `values` as an array with one dimension and at least one value, or raise ValueError."""
    array = raveled(as_array(values, name), name)
    if array.ndim != 1:
        raise ArgumentError(name, f"must be one-dimensional, got shape {array.shape}")
    if not array.size:
        raise ArgumentError(name, "is empty: at least one example is needed")
    return array


def check_scores(scores, name="y_score"):
    """Return `scores` as a 1-D float64 array, or raise ValueError.

    That is if it is empty, not 1-D, or holds NaN, positive infinity, or different numbers that double precision makes
    one. Negative infinity is the score of a row that a model did not list: it ranks below all others.
    """
    given = _column(scores, name)
    if given.dtype.kind in "cmM":
        raise ArgumentError(name, f"must hold real numbers only, got {given.dtype} values")
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(name, f"must hold numbers only, got {given.dtype} values") from None
    except OverflowError:
        raise ArgumentError(
            name, "must be finite, got a number beyond 1e308: rescale the scores"
        ) from None

    bad = ~(array < np.inf)
    if bad.any():
        where = f"{array[bad][0]} at position {np.flatnonzero(bad)[0]} ({bad.sum()} such values)"
        remedy = "correct or remove them"
        if np.isnan(array[bad]).all() and name not in ("sample_weight", "threshold"):
            remedy = (
                "rows that a model did not score or list rank below all others with -np.inf in the place of NaN; "
                "without these rows, the result is about the scored rows only"
            )
        raise ArgumentError(name, f"must be finite, got {where}: {remedy}")
    check_distinct(given, array, name)
    return array


def check_distinct(given, array, name):
    """Raise ValueError if whole numbers that differ are equal as float64."""
    may_hold_whole_numbers = given.dtype.kind in "iuO" and array.size
    if not may_hold_whole_numbers or np.abs(array).max() < LARGEST_EXACT:
        return
    merged = np.unique(given).size - np.unique(array).size
    if merged:
        raise ArgumentError(
            name,
            f"holds whole numbers beyond 2^53, of which {merged} would become equal to a neighbor: subtract a "
            "constant, or give their ranks",
        )


def check_labels(labels, name="s", *, allowed=(0, 1), need=(0, 1)):
    """Return `labels` as a 1-D int8 array, or raise ValueError on a label not `allowed` or one of `need` missing."""
    array = _column(labels, name)
    if array.dtype.kind in "cmM":
        raise ArgumentError(name, f"must hold only {_listed(allowed)}, got {array.dtype} values")
    if array.dtype.kind in "USO":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            bad = next(each for each in array.tolist() if not _is_number(each))
            raise ArgumentError(
                name, f"must hold only {_listed(allowed)}, got values such as {bad!r}"
            ) from None
    bad = ~np.isin(array, allowed)
    if bad.any():
        raise ArgumentError(
            name,
            f"must hold only {_listed(allowed)}, got {array[bad][0]} at position {np.flatnonzero(bad)[0]}"
            f"{_if_signed(array, name)}",
        )
    array = array.astype(np.int8)
    missing = [value for value in need if not (array == value).any()]
    if missing:
        raise ArgumentError(
            name,
            f"holds no {_listed(missing)}: both classes {_listed(need)} are needed{_if_signed(array, name)}",
        )
    return array


def _if_signed(array, name):
    """What to do if all values are 1 and -1, as the labels and predictions of many packages."""
    if not np.isin(array, (1, -1)).all() or not (array == -1).any():
        return ""
    meaning = "unlabeled" if name == "s" else "negative"
    return f"; if -1 means {meaning}, give {name} == 1"


class VerifiedError(ValueError):
    """Rows that are labeled -1, verified negatives or unlabeled; a command says how to give them."""

    def __init__(self, text, *, every):
        super().__init__(text)
        self.every = every
        """Whether all rows are labeled 1 or -1, as where -1 means unlabeled."""


def check_observed(s, need=(0, 1)):
    """Return `s` as a 1-D int8 array of 0 and 1; say what to do about labeled negatives."""
    array = raveled(as_array(s, "s"), "s")
    if array.ndim == 1 and array.dtype.kind in "if" and (array == -1).any():
        where = f"s holds -1 at position {np.argmax(array == -1)}"
        counted = f"({np.count_nonzero(array == -1)} such rows)"
        if np.isin(array, (1, -1)).all():
            raise VerifiedError(
                f"{where} {counted} and no 0, but labels are 1 or 0: if -1 means unlabeled, give s == 1. If every row "
                "was verified, give the verdicts as a table: assess(None, y_score, checks=pd.DataFrame({'row': "
                "range(len(s)), 'verdict': (s == 1).astype(int)}), plan='random')",
                every=True,
            )
        raise VerifiedError(
            f"{where}, a verified negative {counted}, but labels are 1 or 0. If a random part of the rows was "
            "verified, and 1 is a verdict too: "
            "assess(None, y_score, checks=s, plan='random'); if all of the first k by score were: assess(s == 1, "
            "y_score, checks=np.minimum(s, 0), plan='top')",
            every=False,
        )
    return check_labels(array, "s", need=need)


def check_sample(s, *scores, need=(0, 1)):
    """Return labels and the scores of one model or two as arrays, or raise ValueError unless they fit together."""
    names = ("y_score",) if len(scores) == 1 else ("first_score", "second_score")
    named = dict(zip(names, scores, strict=True))
    check_same_index(s=s, **named)
    s = check_observed(s, need)
    named = {name: check_scores(each, name) for name, each in named.items()}
    check_same_length(s=s, **named)
    return s, *named.values()


def _is_number(value):
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def check_count(value, name, *, least=1, most=None):
    """Return `value` as int, or raise ValueError unless it is a whole number from `least` to `most`."""
    if not isinstance(value, Real) or value < least or value % 1 != 0:
        raise ArgumentError(name, f"must be a whole number, at least {least}, got {value!r}")
    if most is not None and value > most:
        raise ArgumentError(name, f"must be at most {most}, got a larger number")
    return int(value)


def check_same_length(**arrays):
    """Raise ValueError, naming both, unless all `arrays` have one length."""
    for name, array in arrays.items():
        if getattr(array, "ndim", 1) == 0:
            raise ArgumentError(name, f"must hold a value for every example, got {array.item()!r}")
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            "lengths differ: " + ", ".join(f"{name} has {n}" for name, n in lengths.items())
        )


def check_same_index(**columns):
    """Raise ValueError, naming both, if pandas objects name their rows differently: positions would pair other rows."""
    indexed = {name: column for name, column in columns.items() if hasattr(column, "iloc")}
    first, *others = indexed or [None]
    for other in others:
        index = indexed[first].index
        if len(index) == len(indexed[other]) and not index.equals(indexed[other].index):
            raise ValueError(
                f"{first} and {other} have different indexes: align them ({other}.loc[{first}.index]), or "
                "pass .to_numpy() if their rows correspond by position"
            )


def check_random_state(random_state):
    """Return a numpy Generator of a seed, a SeedSequence, a Generator, a RandomState or None, or raise ValueError."""
    # whose own bits cannot be split into streams
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**32, size=4, dtype=np.uint32)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ArgumentError(
            "random_state",
            f"must be None, a whole number of at least 0 or a numpy.random.Generator or RandomState, got "
            f"{random_state!r}",
        ) from None


def check_magnitude(scores):
    """Position of a score too large to compute with, or of the largest where all are too small; None if all is well."""
    sizes = np.abs(scores)
    sizes[np.isneginf(scores)] = 0.0  # of rows that a model did not list
    position = int(np.argmax(sizes))
    size = float(sizes[position])
    return None if size == 0 or SMALLEST <= size <= LARGEST else position


def _check_unmasked(values, name):
    """Raise ValueError on a masked array, whose hidden values would count."""
    if np.ma.isMaskedArray(values):
        hidden = np.ma.count_masked(values)
        raise ArgumentError(
            name,
            f"is a masked array ({hidden} values masked): leave masked rows out of all arguments",
        )


def _listed(values):
    return ", ".join(str(value) for value in values)


def check_threshold(threshold, *scores):
    """Return `threshold` as a float or None, or raise ValueError.

    Scores of less than double precision meet it as they would in their own: 0.7 is no larger than ``float32(0.7)``.
    """
    if threshold is None:
        return None
    try:
        number = float(threshold)
    except (TypeError, ValueError):
        raise ArgumentError("threshold", f"must be a number, got {threshold!r}") from None
    except OverflowError:
        raise ArgumentError("threshold", "must be a number up to 1e308") from None
    if np.isnan(number):
        raise ArgumentError("threshold", "must be a number, got nan")
    kinds = {as_array(each).dtype for each in scores}
    coarse = [kind for kind in kinds if kind.kind == "f" and np.abs(number) <= np.finfo(kind).max]
    return min([number, *(float(kind.type(number)) for kind in coarse)])
