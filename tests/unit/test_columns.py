"""Columns of other libraries: the same functions give the same numbers, and say what is wrong with a column."""

import sys

import pandas as pd
import pytest
from samples import gaussian

from pumetrics.assessment import assess, compare_scores
from pumetrics.inference import corrected_interval
from pumetrics.methods import estimate_score
from pumetrics.metrics import max_score, pu_f1_score, pu_roc_auc_score
from pumetrics.priors import alpha_interval

S, SCORE, _ = gaussian(0, 60, 240, alpha=0.25)

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


def only(interface, values):
    """A column that knows one interface, such as that of NumPy, and nothing else."""

    def known(self, *arguments, **options):
        return getattr(values, interface)(*arguments, **options)

    return type("Column", (), {"__len__": lambda self: len(values), interface: known})()


def nullable(values, kinds=("Int64", "Float64")):
    return pd.Series(values, dtype=kinds[values.dtype.kind != "i"])


def arrow(values):
    return pytest.importorskip("pyarrow").array(values)


def chunks(values):
    return pytest.importorskip("pyarrow").chunked_array([values[:100], values[100:]])


def polars(values):
    return pytest.importorskip("polars").DataFrame({"x": values})["x"]


COLUMNS = {
    "list": list,
    "pandas": pd.Series,
    "nullable": nullable,
    "pandas with arrow": lambda values: nullable(values, ("int64[pyarrow]", "double[pyarrow]")),
    "arrow": arrow,
    "chunks": chunks,
    "polars": polars,
    "an array": lambda values: only("__array__", values),
    "an arrow array": lambda values: only("__arrow_c_array__", arrow(values)),
    "an arrow stream": lambda values: only("__arrow_c_stream__", chunks(values)),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_other_libraries_give_the_same_numbers(kind):
    for name, function in FUNCTIONS.items():
        assert function(COLUMNS[kind](S), COLUMNS[kind](SCORE)) == function(S, SCORE), name


@pytest.mark.parametrize("column", [lambda values: pd.Series(values, dtype="Float64"), arrow, chunks, polars])
def test_missing_values_are_named_by_position(column):
    with pytest.raises(ValueError, match="y_score must be finite, got nan at position 7"):
        pu_roc_auc_score(S, column([*SCORE[:7], None, *SCORE[8:]]), alpha=0.2)


def test_a_column_that_needs_pyarrow_says_so(monkeypatch):
    column = COLUMNS["an arrow array"](SCORE)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="A column of type Column needs pyarrow, which is not installed"):
        pu_roc_auc_score(S, column, alpha=0.2)
