"""The size of the code, what one command passes, and how often it sorts its scores: none of these grows unnoticed."""

import ast
import inspect
import json
import re
import sys
import tokenize
import tomllib
from pathlib import Path

import numpy as np
import pytest
import yaml
from packaging.specifiers import SpecifierSet
from typer.main import get_command

from pumetrics import counts
from pumetrics.assessment import assess
from pumetrics.cli import app
from pumetrics.inference import sample

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
FOLDERS = {
    "pumetrics": SRC / "pumetrics",
    "pumetrics_workflow": SRC / "pumetrics_workflow",
    "docs": ROOT / "docs",
    ".ci": ROOT / ".ci",
}
# Syntax nodes, and nodes to a line of code. A change that raises a number says in its message what it buys.
MOST_NODES = {"pumetrics": 81_000, "pumetrics_workflow": 105_730, "docs": 9_405, ".ci": 450}
MOST_NODES_A_LINE = {"pumetrics": 6.31, "pumetrics_workflow": 6.32, "docs": 6.78, ".ci": 8.0}
MOST_HABITS = {"two things assigned": 15, "nested conditions": 0, "conditions in a list": 0}
EMPTY = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}


def code_lines(path):
    """Lines of a file without blanks, comments and docstrings."""
    code = set()
    begins = True  # a string that begins a statement is a docstring
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in EMPTY:
                begins = begins or token.type == tokenize.NEWLINE
            elif not (begins and token.type == tokenize.STRING):
                code |= set(range(token.start[0], token.end[0] + 1))
                begins = False
    return len(code)


def nodes_of(path):
    """Nodes of a file's syntax tree without contexts and names of imports."""
    uncounted = (ast.Load, ast.Store, ast.Del, ast.alias)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if not isinstance(node, uncounted)]


def habit_of(node):
    """The habit that a node shows, of those that put two ideas into one statement; None if it shows none."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        return "two things assigned" if isinstance(node.value, ast.Tuple) else None
    if isinstance(node, ast.IfExp):
        inner = [each for each in ast.walk(node) if isinstance(each, ast.IfExp)]
        return "nested conditions" if len(inner) > 1 else None
    if isinstance(node, ast.Starred):
        return "conditions in a list" if isinstance(node.value, ast.IfExp) else None
    return None


@pytest.mark.parametrize("name", FOLDERS)
def test_the_syntax_does_not_grow_unnoticed(name):
    files = [path for path in FOLDERS[name].rglob("*.py") if "_build" not in path.parts]
    nodes = sum(len(nodes_of(path)) for path in files)
    lines = sum(code_lines(path) for path in files)
    assert nodes <= MOST_NODES[name], (
        f"{name} has {nodes} nodes: make it smaller, or say what it buys"
    )
    assert nodes / lines <= MOST_NODES_A_LINE[name], (
        f"{name} is packed: {nodes / lines:.2f} nodes a line"
    )


def test_a_statement_holds_one_idea():
    habits = [habit_of(node) for path in SRC.rglob("*.py") for node in nodes_of(path)]
    found = {habit: habits.count(habit) for habit in MOST_HABITS}
    assert {habit for habit in found if found[habit] > MOST_HABITS[habit]} == set(), found


def test_private_functions_take_at_most_seven_arguments():
    """Of the library; a Labels and an Ask say what is known and wanted."""
    many = []
    for path in (SRC / "pumetrics").rglob("*.py"):
        for node in nodes_of(path):
            if not isinstance(node, ast.FunctionDef) or not re.match("_(?!_)", node.name):
                continue
            given = [each for each in ast.walk(node.args) if isinstance(each, ast.arg)]
            if len([each for each in given if each.arg != "self"]) > 7:
                many.append(f"{path.name}: {node.name}")
    assert not many


# By one `pumetrics evaluate` of a file; more than a third of the functions estimate alpha, or compute bounds and rates.
PASSED = {"functions": 314, "files": 46, "calls deep": 17}


@pytest.mark.slow
def test_a_command_passes_no_more_than_it_did(tmp_path, capsys):
    """Functions of the library that one command meets: what a reader of it has to know."""
    y = np.repeat([1, 1, 0], [200, 400, 2400])
    s = np.repeat([1, 0], [200, 2800])
    score = np.random.default_rng(0).normal(2.0 * y)
    file = tmp_path / "scores.csv"
    ours = str(SRC / "pumetrics/")
    np.savetxt(file, np.column_stack([s, score]), delimiter=",", header="s,score", comments="")
    functions = set()
    depth = [0, 0]

    def traced(frame, event, _):
        code = frame.f_code
        ours_is_met = code.co_filename.startswith(ours) and not code.co_name.startswith("<")
        if ours_is_met and event in ("call", "return"):
            functions.add((code.co_filename, code.co_qualname))
            depth[0] += 1 if event == "call" else -1
            depth[1] = max(depth)

    sys.setprofile(traced)
    try:
        app(["evaluate", str(file), "--label", "s", "--bootstrap", "20"], standalone_mode=False)
    finally:
        sys.setprofile(None)
    assert "AUC" in capsys.readouterr().out
    files = {file for file, _ in functions}
    passed = {"functions": len(functions), "files": len(files), "calls deep": depth[1]}
    assert {what for what in PASSED if passed[what] > PASSED[what]} == set(), f"it passes {passed}"


OPTIONS = {"evaluate": 27, "compare-models": 25, "audit": 15, "example": 0}


@pytest.mark.parametrize("command", OPTIONS)
def test_a_command_takes_no_more_options_than_it_did(command):
    kinds = [each.param_type_name for each in get_command(app).commands[command].params]
    assert kinds.count("option") <= OPTIONS[command], (
        "a new option replaces one, or says what it buys"
    )


def test_an_assessment_sorts_its_scores_once(monkeypatch):
    """Estimators of alpha sort what they see of the sample; everything else starts from one ranking."""
    callers = []
    real = counts.rank_scores

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


# The project's own files agree with each other.


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def _bounds(requirements):
    return dict(re.match(r"([\w.\[\]-]+)(.*)", line).groups() for line in requirements)


# All that `make` installs: the library, its extras, the workflow and the tools, without the references between extras.
EXTRAS = ("fast", "parquet", "plots", "workflow", "dev")
WANTED = list(PROJECT["dependencies"])
for extra in EXTRAS:
    lines = PROJECT["optional-dependencies"][extra]
    WANTED += [line for line in lines if not line.startswith("pumetrics[")]


def test_version_and_date_agree():
    import pumetrics

    assert PROJECT["dynamic"] == ["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    described = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    version, date = re.search(r"^## (\S+) \((\S+)\)$", CHANGES, flags=re.M).groups()
    assert {version, citation["version"], described["version"]} == {pumetrics.__version__}
    assert date == str(citation.get("date-released", "unreleased"))


def test_the_jobs_use_the_oldest_and_the_newest_python():
    text = (ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")
    allowed = [line.split()[-1] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    matrix = yaml.safe_load(text)["jobs"]["unit"]["strategy"]["matrix"]
    assert matrix["python"] == [allowed[0], allowed[-1]]


def test_environment_yml_installs_what_pyproject_lists():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    python, pip, *large, rest = listed
    assert (python, pip, rest) == (
        f"python{PROJECT['requires-python']}",
        "pip",
        {"pip": ["-e .[dev]"]},
    )
    assert _bounds(large).items() <= _bounds(WANTED).items()


def test_the_lock_pins_one_version_of_every_dependency_with_hashes():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)==([\w.]+)", lock, flags=re.M)
    pinned = dict(pins)
    assert len(pins) == len(pinned)
    assert lock.count("--hash=sha256:") >= len(pinned)
    for name, bound in _bounds(WANTED).items():
        assert SpecifierSet(bound).contains(pinned[name]), f"{name}: run `make lock`"


def test_the_required_packages_are_dependencies():
    required = {"snakemake", "numpy", "pandas", "scikit-learn", "openml", "seaborn", "pytest"}
    assert required <= set(_bounds(WANTED))
