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


def test_what_is_pickled_comes_back(tmp_path):
    content = {"a": {"b": np.array([True, False, True]), "n": None}, "c": (1.5, "x"), "d": [1, -2], 3: True}
    read = read_pickled(written(tmp_path, pickle.dumps(content, protocol=0)))
    np.testing.assert_array_equal(read["a"].pop("b"), content["a"].pop("b"))
    assert read == content


def test_a_pickle_of_python_2_is_read(tmp_path):
    assert read_pickled(written(tmp_path, OF_PYTHON_2))["labels"].tolist() == [True, False]


class Runs:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_nothing_that_a_pickle_names_is_run(tmp_path):
    with pytest.raises(ValueError, match=r"it names \w+ open, which is not read from a file"):
        read_pickled(written(tmp_path, pickle.dumps(Runs(tmp_path / "harm"), protocol=0)))
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "pickle exhausted"),
        (b"score,y\n1,0\n", "damaged"),
        (OF_PYTHON_2[:80], "pickle exhausted|newline"),
        (b"(t(tb.", "damaged"),
        (b"0.", "it holds POP, which is not read"),
        (pickle.dumps({}, protocol=4), "it holds PROTO, which is not read"),
        (pickle.dumps(np.array([1.5]), protocol=0), "an array of something other than truth values"),
        (pickle.dumps(np.array([{}, "text"]), protocol=0), "an array of something other than truth values"),
    ],
)
def test_other_files_are_refused(tmp_path, content, words):
    with pytest.raises(ValueError, match=words):
        read_pickled(written(tmp_path, content))


def test_an_entry_is_a_table_of_scores_and_labels(tmp_path):
    content = {"one": {"labels": np.array([True, False]), "decision_values": (0.5, -1.0)}}
    files = (SimpleNamespace(name="data.pkl"),)
    alternative = SimpleNamespace(files=files, parser="pickled", options={"table": "one"})
    path = written(tmp_path, pickle.dumps(content, protocol=0))
    table = parse(alternative, {"data.pkl": path}, target="y")
    assert table.to_dict("list") == {"score": [0.5, -1.0], "y": ["1", "0"]}
    for other in (content | {"one": [1]}, {"two": content["one"]}, [content]):
        written(tmp_path, pickle.dumps(other, protocol=0))
        with pytest.raises(ValueError, match=r"data\.pkl: cannot be read as pickled \(no table 'one'\)"):
            parse(alternative, {"data.pkl": path}, target="y")
