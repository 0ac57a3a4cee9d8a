"""Columns of other libraries: the same functions give the same numbers, and say what is wrong with a column."""

import numpy as np
import pandas as pd
import pytest

from pumetrics.assessment import assess, compare_scores
from pumetrics.inference import corrected_interval
from pumetrics.methods import estimate_score
from pumetrics.metrics import max_score, pu_f1_score, pu_roc_auc_score
from pumetrics.priors import alpha_interval

RNG = np.random.default_rng(0)
Y = np.r_[np.ones(60, bool), RNG.random(240) < 0.25]
SCORE, S = RNG.normal(2.0 * Y), np.repeat([1, 0], [60, 240])

FUNCTIONS = {
    "assess": lambda s, score: assess(s, score, alpha=0.2, n_bootstrap=0).scores,
    "compare_scores": lambda s, score: compare_scores(s, score, score, alpha=0.2, n_bootstrap=12).as_dict(),
    "corrected_interval": lambda s, score: corrected_interval(
        "f1", s, score, alpha=0.2, n_bootstrap=12, random_state=0
    ),
    "estimate_score": lambda s, score: estimate_score("roc_auc", s, score, alpha=0.2),
    "alpha_interval": alpha_interval,
    "pu_roc_auc_score": lambda s, score: pu_roc_auc_score(s, score, alpha=0.2),
    "max_score": lambda s, score: max_score("f1", s, score, alpha=0.2),
    "pu_f1_score": lambda s, _: pu_f1_score(s, s, alpha=0.2),
}


class WithArray:
    """A column that knows NumPy's interface and nothing else, as those of polars do."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)

    def __len__(self):
        return len(self.values)


class WithArrow:
    """A column that knows Arrow's interface and nothing else."""

    def __init__(self, values):
        self.values = pytest.importorskip("pyarrow").array(values)

    def __arrow_c_array__(self, requested_schema=None):
        return self.values.__arrow_c_array__(requested_schema)

    def __len__(self):
        return len(self.values)


class WithArrowStream:
    """The same in several chunks."""

    def __init__(self, values):
        self.values = pytest.importorskip("pyarrow").chunked_array([values[:100], values[100:]])

    def __arrow_c_stream__(self, requested_schema=None):
        return self.values.__arrow_c_stream__(requested_schema)

    def __len__(self):
        return len(self.values)


def arrow(values):
    return pytest.importorskip("pyarrow").array(values)


def arrow_column(values):
    return pytest.importorskip("pyarrow").table({"x": values})["x"]


def polars(values):
    return pytest.importorskip("polars").DataFrame({"x": values})["x"]


def nullable(values):
    return pd.Series(values, dtype="Int64" if values.dtype.kind == "i" else "Float64")


def backed_by_arrow(values):
    pytest.importorskip("pyarrow")
    return pd.Series(values, dtype="int64[pyarrow]" if values.dtype.kind == "i" else "double[pyarrow]")


COLUMNS = [
    list,
    pd.Series,
    nullable,
    backed_by_arrow,
    arrow,
    arrow_column,
    polars,
    WithArray,
    WithArrow,
    WithArrowStream,
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.__name__)
def test_columns_of_other_libraries_give_the_same_numbers(column):
    for name, function in FUNCTIONS.items():
        assert function(column(S), column(SCORE)) == function(S, SCORE), name


@pytest.mark.parametrize("column", [nullable, arrow, arrow_column, polars], ids=lambda column: column.__name__)
def test_missing_values_are_named_by_position(column):
    with pytest.raises(ValueError, match="y_score must be finite, got nan at position 7"):
        pu_roc_auc_score(S, _gap(column), alpha=0.2)


def _gap(column):
    values = list(SCORE)
    values[7] = None
    return pd.Series(values, dtype="Float64") if column is nullable else column(values)


def test_a_column_that_needs_pyarrow_says_so(monkeypatch):
    import sys

    column = WithArrow(SCORE)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="A column of type WithArrow needs pyarrow, which is not installed"):
        pu_roc_auc_score(S, column, alpha=0.2)
