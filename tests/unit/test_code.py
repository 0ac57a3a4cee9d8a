"""The hash of the code behind a stage: everything that a stage can execute or read counts, comments do not."""

import re
from pathlib import Path

import pytest

from pumetrics_workflow.code import Sources, code_hash, files_behind, source_hash

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"

# What no stage executes, because it computes nothing that a study uses. Everything else must be behind a stage.
DOORS = {
    "pumetrics/assessment": "a page about a user's scores",
    "pumetrics/calibration.py": "probabilities for users",
    "pumetrics/cli": "the command line of the library",
    "pumetrics/displays": "pictures for users",
    "pumetrics/examples.py": "simulated files to try the library with",
    "pumetrics/priors/plots.py": "pictures for users",
    "pumetrics/thresholds.py": "thresholds for users",
    "pumetrics_workflow/cli": "the command line of the workflow",
    "pumetrics_workflow/code_memory.py": "when code is hashed anew, not what is computed",
    "pumetrics_workflow/codecheck.py": "what a check by others should make anew",
    "pumetrics_workflow/compare.py": "the comparison of two finished runs",
    "pumetrics_workflow/crate.py": "metadata for a deposit",
    "pumetrics_workflow/datasets/check.py": "what is known of data sets before a run",
    "pumetrics_workflow/datasets/table.py": "the table of data sets in the README",
    "pumetrics_workflow/report/from_reference.py": "the report of tables that are kept",
    "pumetrics_workflow/reference.py": "the tables that are kept of finished runs",
    "snakemake_logger_plugin_pumetrics": "what the terminal shows",
}


def stages():
    """The files each rule hashes: (rule, script, a module of a study or None)."""
    found = []
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        text = path.read_text(encoding="utf-8")
        for rule, body in re.findall(r"^rule (\w+):\n(.*?)(?=^(?:use )?rule |\Z)", text, flags=re.M | re.S):
            script = re.search(r'"\.\./scripts/(\w+)\.py"', body)
            hashed = re.search(r"code=code_of\(([^)]*)\)", body)
            assert script, f"rule {rule} has no script"
            assert hashed, f"rule {rule} does not hash its code"
            name, *modules = re.findall(r'"(\w+)"', hashed.group(1))
            assert name == script.group(1), f"rule {rule} hashes {name}.py and runs {script.group(1)}.py"
            found.append((rule, name, modules))
    return found


def behind(script, modules=()):
    """Files behind a script with the modules of all studies that it may load."""
    parts = [path for name in modules for path in (SRC / "pumetrics_workflow/studies").glob(f"*/{name}.py")]
    return {path.relative_to(SRC).as_posix() for path in files_behind(ROOT / f"workflow/scripts/{script}.py", *parts)}


@pytest.fixture(scope="module")
def reached():
    """Files of ours behind any stage."""
    return set().union(*(behind(script, modules) for _, script, modules in stages()))


def is_door(name):
    return any(name == door or name.startswith(f"{door}/") for door in DOORS)


def test_every_computing_module_and_data_file_is_behind_a_stage(reached):
    ours = {path.relative_to(SRC).as_posix() for path in Sources(SRC).files}
    assert len(ours) > 100
    missing = sorted(name for name in ours - reached if not is_door(name))
    assert not missing, f"editing these reruns nothing; a stage must reach them, or DOORS say what they are: {missing}"


def test_the_list_of_what_no_stage_executes_holds_nothing_else(reached):
    data = (".css", ".j2")  # the report of a run has the style of the page about a user's scores
    wrong = sorted(name for name in reached if is_door(name) and not name.endswith(data))
    assert not wrong, f"a stage executes these: {wrong}"
    gone = [name for name in DOORS if not (SRC / name).exists()]
    assert not gone, f"no such files: {gone}"


def test_kernels_that_are_imported_by_name_are_behind_training():
    kernels = {f"pumetrics/models/{path.name}" for path in (SRC / "pumetrics/models").glob("_rprop_*.py")}
    assert len(kernels) > 3
    assert kernels <= behind("train")


def test_a_schema_and_a_template_count_like_code():
    assert "pumetrics_workflow/datasets/schema.yaml" in behind("prepare")
    templates = {"report.html.j2", "report.js", "deviations.yaml", "report.css"}
    assert templates <= {Path(name).name for name in behind("report")}


# On a small package

PACKAGE = {
    "ours/__init__.py": "",
    "ours/inner.py": "x = 1\n",
    "ours/outer.py": "def late():\n    from ours.inner import x\n    return x\n",
    "ours/apart.py": "y = 2\n",
    "ours/engines/__init__.py": "AROUND = 1\n",
    "ours/engines/_fast.py": "import ours.engines.shared\n",
    "ours/engines/_slow.py": "",
    "ours/engines/shared.py": "",
    "ours/engines/other.py": "",
    "ours/engines/page.html": "{% include 'page.css' %}",
    "ours/engines/page.css": "a {}",
    "ours/carried/rows.csv": "1",
}
ENGINES = {"_fast.py", "_slow.py", "shared.py", "__init__.py"}


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a script beside the small package and returns its path."""
    for name, text in PACKAGE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def script(text):
        path = tmp_path / "script.py"
        path.write_text(text, encoding="utf-8")
        return path

    return script


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import ours.outer", {"__init__.py", "outer.py", "inner.py"}),
        ("def f():\n    from ours import outer", {"__init__.py", "outer.py", "inner.py"}),
        ("from ours.engines import AROUND", {"__init__.py"}),
        ("from ours.engines.other import *", {"__init__.py", "other.py"}),
        ("import_module('ours.engines._slow')", {"__init__.py", "_slow.py"}),
        ("import_module(f'ours.engines._{engine}')", ENGINES),
        ("import_module('ours.engines._' + engine)", ENGINES),
        ("import_module('ours.engines._{}'.format(engine))", ENGINES),
        ("import_module('ours.engines._%s' % engine)", ENGINES),
        ("REGISTRY = {'slow': 'ours.engines._slow:Engine'}", {"__init__.py", "_slow.py"}),
        ("REGISTRY = ['ours.engines.other.Engine']", {"__init__.py", "other.py"}),
        ("OURS = 'ours.engines'", {"__init__.py"}),
        ("page = folder / 'engines/page.html'", {"page.html", "page.css"}),
        ("folder = Path(__file__).with_name('carried')", {"rows.csv"}),
        ("'''Explains ours.inner.'''", set()),
        ("text = 'a word about ours.inner and more'", set()),
        ("import numpy, json", set()),
    ],
)
def test_what_a_script_refers_to(write, tmp_path, text, expected):
    files = Sources(tmp_path, ["ours"]).behind(write(text))
    assert {path.name for path in files} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from . import shared", "shared.py"),
        ("from .shared import x", "shared.py"),
        ("from ..inner import x", "inner.py"),
        ("import_module(f'._{name}', __package__)", "_slow.py"),
        ("import_module('..inner', __package__)", "inner.py"),
        ("import_module(f'{__package__}._{name}')", "_slow.py"),
        ("PAGES = folder.joinpath(f'{name}.html')", "page.html"),
    ],
)
def test_what_a_module_refers_to_beside_itself(write, tmp_path, text, expected):
    (tmp_path / "ours/engines/other.py").write_text(text, encoding="utf-8")
    files = Sources(tmp_path, ["ours"]).behind(write("import ours.engines.other"))
    assert expected in {path.name for path in files}
    assert "apart.py" not in {path.name for path in files}


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("from ours.late import Engine", True),
        ("import ours.late", True),
        ("from ours.late.light import x", False),
        ("from ours.late import light", False),
    ],
)
def test_what_a_package_loads_on_demand_counts_for_those_who_ask_for_it(write, tmp_path, text, loaded):
    package = tmp_path / "ours/late"
    package.mkdir()
    (package / "__init__.py").write_text("def __getattr__(name):\n    return import_module(f'ours.engines._{name}')\n")
    (package / "light.py").write_text("x = 1\n")
    names = {path.name for path in Sources(tmp_path, ["ours"]).behind(write(text))}
    assert ("_slow.py" in names) == loaded
    assert ("light.py" in names) != loaded


def test_the_hash_follows_code_and_data_and_ignores_comments_and_what_is_apart(write, tmp_path):
    script = write("import ours.outer\nPAGE = 'page.html'\n")

    def hashed():
        sources = Sources(tmp_path, ["ours"])
        return sources.hash(sources.behind(script))

    first = hashed()
    (tmp_path / "ours/inner.py").write_text('"""Explained."""\nx = 1  # one\n')
    (tmp_path / "ours/apart.py").write_text("y = 3\n")
    assert hashed() == first, "a comment must rerun nothing"
    (tmp_path / "ours/inner.py").write_text("x = 2\n")
    second = hashed()
    assert second != first, "a change two imports away must rerun"
    (tmp_path / "ours/engines/page.css").write_text("b {}")
    assert hashed() != second, "so must a change of what a template includes"


def test_the_hash_of_all_sources_covers_the_three_packages():
    assert re.fullmatch(r"[0-9a-f]{12}", source_hash())
    assert source_hash() != code_hash(ROOT / "workflow/scripts/train.py")
    packages = {path.relative_to(SRC).parts[0] for path in Sources(SRC).files}
    assert packages == {"pumetrics", "pumetrics_workflow", "snakemake_logger_plugin_pumetrics"}
