"""Pickles of scores: read without running what they name."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from pumetrics_workflow.datasets.parse import parse
from pumetrics_workflow.datasets.pickled import read_pickled

OF_PYTHON_2 = (  # as Python 2 and numpy 1 wrote an array of two truth values
    b"(dp0\nS'labels'\np1\ncnumpy.core.multiarray\n_reconstruct\np2\n(cnumpy\nndarray\np3\n(I0\ntp4\nS'b'\np5\ntp6\nRp7\n"
    b"(I1\n(I2\ntp8\ncnumpy\ndtype\np9\n(S'b1'\np10\nI0\nI1\ntp11\nRp12\n(I3\nS'|'\np13\nNNNI-1\nI-1\nI0\ntp14\nbI00\n"
    b"S'\\x01\\x00'\np15\ntp16\nbs."
)


def written(tmp_path, content):
    path = tmp_path / "data.pkl"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("protocol", range(5))
def test_what_is_pickled_comes_back(tmp_path, dtype, protocol):
    values = np.array([[0, 1, 1], [1, 0, 0]]).astype(dtype)
    content = read_pickled(written(tmp_path, pickle.dumps({"a": {"b": values}, "c": (1.5, "x")}, protocol)))
    assert content["c"] == (1.5, "x")
    np.testing.assert_array_equal(content["a"]["b"], values)
    assert content["a"]["b"].dtype == dtype


def test_a_pickle_of_python_2_is_read(tmp_path):
    assert read_pickled(written(tmp_path, OF_PYTHON_2))["labels"].tolist() == [True, False]


class Runs:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_nothing_that_a_pickle_names_is_run(tmp_path):
    with pytest.raises(ValueError, match=r"it names (io|_io)\.open, which is not read from a file"):
        read_pickled(written(tmp_path, pickle.dumps(Runs(tmp_path / "harm"))))
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize("content", [b"", b"score,y\n1,0\n", OF_PYTHON_2[:80], pickle.dumps(np.array([{}, "text"]))])
def test_other_files_are_refused(tmp_path, content):
    with pytest.raises(ValueError, match=r"^(it|an array) (is|names)"):
        read_pickled(written(tmp_path, content))


def test_an_entry_is_a_table_of_scores_and_labels(tmp_path):
    content = {"one": {"labels": np.array([True, False]), "decision_values": (0.5, -1.0)}}
    files = (SimpleNamespace(name="data.pkl"),)
    alternative = SimpleNamespace(files=files, parser="pickled", options={"table": "one"})
    path = written(tmp_path, pickle.dumps(content, protocol=0))
    table = parse(alternative, {"data.pkl": path}, target="y")
    assert table.to_dict("list") == {"score": [0.5, -1.0], "y": ["1", "0"]}
    alternative.options = {"table": "two"}
    with pytest.raises(ValueError, match=r"data\.pkl: cannot be read as pickled"):
        parse(alternative, {"data.pkl": path}, target="y")
