"""The size of the code, and how often an assessment sorts its scores: neither grows unnoticed."""

import ast
import inspect
import tokenize
from pathlib import Path

import numpy as np
import pytest

from pumetrics import counts
from pumetrics.assessment import assess
from pumetrics.inference import sample

SRC = Path(__file__).parents[2] / "src"
# Lines that hold code. A change that raises one of these numbers says in its message what it buys.
LARGEST = {"pumetrics": 13_780, "pumetrics_workflow": 8_560}
EMPTY = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
    tokenize.ENCODING,
}  # fmt: skip


def code_lines(path):
    """Lines of a file without blanks, comments and docstrings."""
    code, begins = set(), True  # a string that begins a statement is a docstring
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in EMPTY:
                begins = begins or token.type == tokenize.NEWLINE
            elif not (begins and token.type == tokenize.STRING):
                code |= set(range(token.start[0], token.end[0] + 1))
                begins = False
    return len(code)


@pytest.mark.parametrize("package", LARGEST)
def test_a_package_does_not_grow_unnoticed(package):
    lines = sum(map(code_lines, (SRC / package).rglob("*.py")))
    assert lines <= LARGEST[package], f"{package} has {lines} lines of code: make it smaller, or say what it buys"


MOST_ARGUMENTS = {"_next_steps": 8}  # of the command


def test_private_functions_take_at_most_seven_arguments():
    """Of the library without its compiled kernels; a Labels and an Ask say what is known and wanted."""
    many = []
    for path in (SRC / "pumetrics").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path.parent.name != "models" else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_") and node.name != "__init__":
                given = node.args
                names = [each.arg for each in (*given.args, *given.kwonlyargs, given.vararg, given.kwarg) if each]
                if len([name for name in names if name != "self"]) > MOST_ARGUMENTS.get(node.name, 7):
                    many.append(f"{path.name}: {node.name}({', '.join(names)})")
    assert not many


def test_an_assessment_sorts_its_scores_once(monkeypatch):
    """Estimators of alpha sort what they see of the sample; everything else starts from one ranking."""
    callers, real = [], counts.rank_scores

    def ranked(y_score, **options):
        callers.append([Path(frame.filename).parent.name for frame in inspect.stack()])
        return real(y_score, **options)

    monkeypatch.setattr(counts, "rank_scores", ranked)
    monkeypatch.setattr(sample, "rank_scores", ranked)
    s = np.repeat([1, 0], [100, 400])
    score = np.random.default_rng(0).normal(np.repeat([2.0, 2.0, 0.0], [100, 100, 300]))
    for known in ({"alpha": 0.25}, {}):
        callers.clear()
        assert assess(s, score, n_bootstrap=20, **known).n_resamples == 20
        assert sum("priors" not in folders for folders in callers) == 1
