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
MOST_NODES = {"pumetrics": 72_700, "pumetrics_workflow": 102_100, "docs": 10_200, ".ci": 1_250}
MOST_NODES_A_LINE = {"pumetrics": 6.66, "pumetrics_workflow": 7.0, "docs": 6.5, ".ci": 7.2}
MOST_HABITS = {"two things assigned": 750, "nested conditions": 25, "conditions in a list": 12}
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
    code, begins = set(), True  # a string that begins a statement is a docstring
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
    files = sorted(FOLDERS[name].rglob("*.py"))
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
    """Of the library without its compiled kernels; a Labels and an Ask say what is known and wanted."""
    many = []
    for path in (SRC / "pumetrics").rglob("*.py"):
        for node in (
            ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if path.parent.name != "models"
            else ()
        ):
            if (
                isinstance(node, ast.FunctionDef)
                and node.name.startswith("_")
                and node.name != "__init__"
            ):
                given = node.args
                names = [
                    each.arg
                    for each in (*given.args, *given.kwonlyargs, given.vararg, given.kwarg)
                    if each
                ]
                if len([name for name in names if name != "self"]) > 7:
                    many.append(f"{path.name}: {node.name}({', '.join(names)})")
    assert not many


# By one `pumetrics evaluate` of a file; more than a third of the functions estimate alpha, or compute bounds and rates.
PASSED = {"functions": 268, "files": 35, "calls deep": 20}


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
        if (
            event in ("call", "return")
            and code.co_filename.startswith(ours)
            and not code.co_name.startswith("<")
        ):
            functions.add((code.co_filename, code.co_qualname))
            depth[0] += 1 if event == "call" else -1
            depth[1] = max(depth)

    sys.setprofile(traced)
    try:
        app(["evaluate", str(file), "--label", "s", "--bootstrap", "20"], standalone_mode=False)
    finally:
        sys.setprofile(None)
    assert "AUC" in capsys.readouterr().out
    passed = dict(
        zip(PASSED, (len(functions), len({file for file, _ in functions}), depth[1]), strict=True)
    )
    assert {what for what in PASSED if passed[what] > PASSED[what]} == set(), f"it passes {passed}"


OPTIONS = {"evaluate": 26, "compare-models": 24, "audit": 14, "example": 0}


@pytest.mark.parametrize("command", OPTIONS)
def test_a_command_takes_no_more_options_than_it_did(command):
    options = [
        each
        for each in get_command(app).commands[command].params
        if each.param_type_name == "option"
    ]
    assert len(options) <= OPTIONS[command], "a new option replaces one, or says what it buys"


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


# The project's own files agree with each other.


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def _bounds(requirements):
    return dict(re.match(r"([\w.\[\]-]+)(.*)", line).groups() for line in requirements)


# All that `make` installs: the library, its extras, the workflow and the tools, without the references between extras.
WANTED = [
    line
    for group in (
        PROJECT["dependencies"],
        *(
            PROJECT["optional-dependencies"][name]
            for name in ("fast", "parquet", "plots", "workflow", "dev")
        ),
    )
    for line in group
    if not line.startswith("pumetrics[")
]


def test_version_and_date_agree():
    import pumetrics

    assert PROJECT["dynamic"] == ["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    described = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    version, date = re.search(r"^## (\S+) - (\S+)$", CHANGES, flags=re.M).groups()
    assert {version, citation["version"], described["version"]} == {pumetrics.__version__}
    assert {date, described["dateModified"]} == {str(citation["date-released"])}


def test_changes_are_dated_sorted_and_short():
    versions = re.split(r"^## ", CHANGES, flags=re.M)[1:]
    dates = [re.match(r"\d+\.\d+\.\d+ - (\d{4}-\d{2}-\d{2})\n", text).group(1) for text in versions]
    assert dates == sorted(dates, reverse=True)
    for text in versions:
        assert len([line for line in text.splitlines() if line]) <= 25
        headings = re.findall(r"^### (.*)$", text, flags=re.M)
        assert headings == [
            name for name in ("Breaking", "Added", "Changed", "Fixed") if name in headings
        ]


def test_the_jobs_use_the_oldest_and_the_newest_python_and_targets_that_exist():
    path = ROOT / ".github/workflows/tests.yml"
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    allowed = [line.split()[-1] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    assert jobs["unit"]["strategy"]["matrix"]["python"] == [allowed[0], allowed[-1]]
    asked = {step["run"] for job in jobs.values() for step in job["steps"] if "run" in step}
    targets = re.findall(
        r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M
    )
    assert asked == {"make", "make check", "make docs", "make quality", "make test"}
    assert {call.split()[1] for call in asked - {"make"}} <= set(targets)


def test_environment_yml_installs_what_pyproject_lists():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    python, pip, *large, rest = listed
    assert (python, pip, rest) == (
        f"python{PROJECT['requires-python']}",
        "pip",
        {"pip": ["-e .[dev]"]},
    )
    assert _bounds(large).items() <= _bounds(WANTED).items()


def test_the_lock_pins_every_dependency_with_hashes():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, flags=re.M))
    wanted = _bounds(WANTED)
    assert set(wanted) <= set(pinned), "run `make lock`"
    for name, bound in wanted.items():
        least = re.search(r">=([\d.]+)", bound).group(1)
        assert _version(pinned[name]) >= _version(least), (
            f"{name} {pinned[name]} is below {least}: run `make lock`"
        )
    assert lock.count("--hash=sha256:") >= len(pinned)
    assert len(re.findall(r"^[\w.-]+==", lock, flags=re.M)) == len(pinned), (
        "one version of each package: with two, one half is run by nobody"
    )


def test_the_required_packages_are_dependencies():
    required = {"snakemake", "numpy", "pandas", "scikit-learn", "openml", "seaborn", "pytest"}
    assert required <= set(_bounds(WANTED))


def test_every_file_is_one_room():
    for path in (ROOT / "src").rglob("*.py"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 650, f"{path.relative_to(ROOT)} has {lines} lines: it is two rooms"


def test_the_snakefile_is_a_table_of_contents():
    assert len((ROOT / "Snakefile").read_text(encoding="utf-8").splitlines()) <= 70
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 150, path.name


def _version(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


COST = re.compile(r"\d[\d.,]*[- ]?(core-)?(h|hours?|min|minutes?|s|seconds?|MB|GB)\b")
# Of downloads, and the memory of one command, which no run of the studies measures.
LIMITS = (
    "byte arrives for 30 s",
    "a limit of 15 minutes",
    "needed 1.9 GB of memory",
    "and 1.5 GB with CSV",
)


def test_costs_are_typed_nowhere_but_on_the_page_that_generates_them():
    pages = {
        ROOT / "README.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "profiles").rglob("*.yaml"),
    }
    pages |= {path for kind in ("*.md", "*.yaml") for path in (ROOT / "config").rglob(kind)}
    pages |= set((ROOT / "workflow/rules").glob("*.smk"))
    for page in pages - {
        ROOT / "docs/cluster.md",
        ROOT / "docs/changelog.md",
        ROOT / "config/datasets.yaml",
    }:
        for line in page.read_text(encoding="utf-8").splitlines():
            typed = COST.search(line)
            known = not typed or any(limit in line for limit in LIMITS)
            assert known, (
                f"{page.relative_to(ROOT)} types {typed[0]!r}: link to docs/cluster.md#what-it-costs"
            )
