"""The size of the code, what one command passes, and how often it sorts its scores: none of these grows unnoticed."""

import ast
import inspect
import sys
import tokenize
from pathlib import Path

import numpy as np
import pytest

from pumetrics import counts
from pumetrics.assessment import assess
from pumetrics.cli import app
from pumetrics.inference import sample

SRC = Path(__file__).parents[2] / "src"
# Lines that hold code. A change that raises one of these numbers says in its message what it buys.
LARGEST = {"pumetrics": 13_687, "pumetrics_workflow": 8_407}
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


# By one `pumetrics evaluate` of a file; more than a third of the functions estimate alpha, or compute bounds and rates.
PASSED = {"functions": 381, "files": 50, "calls deep": 21}


@pytest.mark.slow
def test_a_command_passes_no_more_than_it_did(tmp_path, capsys):
    """Functions of the library that one command meets: what a reader of it has to know."""
    y = np.repeat([1, 1, 0], [200, 400, 2400])
    s, score = np.repeat([1, 0], [200, 2800]), np.random.default_rng(0).normal(2.0 * y)
    file, ours = tmp_path / "scores.csv", str(SRC / "pumetrics/")
    np.savetxt(file, np.column_stack([s, score]), delimiter=",", header="s,score", comments="")
    functions, depth = set(), [0, 0]

    def traced(frame, event, _):
        code = frame.f_code
        if event in ("call", "return") and code.co_filename.startswith(ours) and not code.co_name.startswith("<"):
            functions.add((code.co_filename, code.co_qualname))
            depth[0] += 1 if event == "call" else -1
            depth[1] = max(depth)

    sys.setprofile(traced)
    try:
        app(["evaluate", str(file), "--label", "s", "--bootstrap", "20"], standalone_mode=False)
    finally:
        sys.setprofile(None)
    assert "AUC" in capsys.readouterr().out
    passed = dict(zip(PASSED, (len(functions), len({file for file, _ in functions}), depth[1]), strict=True))
    assert {what for what in PASSED if passed[what] > PASSED[what]} == set(), f"it passes {passed}"


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
