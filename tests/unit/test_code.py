"""The hash of the code behind a stage: everything that a stage can execute or read counts, comments do not."""

import re
from pathlib import Path

import pytest

from pumetrics_workflow.code import Sources
from pumetrics_workflow.studies import files_of

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
OURS = Sources()

# What no stage executes, because it computes nothing that a study uses. Everything else must be behind a stage.
UNREACHED = {
    "pumetrics/__main__.py": "the command line of the library",
    "pumetrics/assessment": "a page about a user's scores",
    "pumetrics/cautions.py": "the warnings of an assessment",
    "pumetrics/reading": "score files of users",
    "pumetrics/cli": "the command line of the library",
    "pumetrics/checks/files.py": "files of checks of users",
    "pumetrics/displays": "pictures for users",
    "pumetrics/examples.py": "simulated files to try the library with",
    "pumetrics/inference/answers.py": "the numbers of an assessment",
    "pumetrics_workflow/cli": "the command line of the workflow",
    "pumetrics_workflow/code.py": "the hash of the code behind a stage",
    "pumetrics_workflow/compare.py": "the comparison of two finished runs",
    "pumetrics_workflow/datasets/copies.py": "the comparison of a copy of a data set with the known one",
    "pumetrics_workflow/datasets/copies.yaml": "copies that are known to differ",
    "pumetrics_workflow/report/from_reference.py": "the report of tables that are kept",
    "pumetrics_workflow/reference.py": "the tables that are kept of finished runs",
    "pumetrics_workflow/staleness.py": "whether kept tables are up to date",
    "pumetrics_workflow/template": "what `pumetrics new-study` copies",
}


def stages():
    """What each rule hashes: (rule, script, methods of a study)."""
    found = []
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        text = path.read_text(encoding="utf-8")
        for rule, body in re.findall(
            r"^ *rule ?(\w*):\n(.*?)(?=^ *rule\b|\Z)", text, flags=re.M | re.S
        ):
            if rule == "figures_of_reference":  # names files of other rules
                continue
            script = re.search(r'"\.\./scripts/(\w+)\.py"', body)
            hashed = re.search(r"code=code_of\(([^)]*)\)", body)
            rule = rule or re.search(r'f"(\w+)', body).group(1)
            assert script, f"rule {rule} has no script"
            assert hashed, f"rule {rule} does not hash its code"
            name, *methods = re.findall(r'"(\w+)"', hashed.group(1))
            assert name == script.group(1), (
                f"rule {rule} hashes {name}.py and runs {script.group(1)}.py"
            )
            found.append((rule, name, methods))
    return found


def behind(script, methods=()):
    """Files behind a script with the methods of all studies that it calls."""
    starts = [ROOT / f"workflow/scripts/{script}.py"]
    if methods:
        folders = (SRC / "pumetrics_workflow/studies").glob("*/tables.py")
        starts += (path for each in folders for path in files_of(each.parent.name, methods))
    found = OURS.behind(*starts, methods=tuple(methods))
    return {path.relative_to(SRC).as_posix() for path in found}


@pytest.fixture(scope="module")
def reached():
    """Files of ours behind any stage."""
    return set().union(*(behind(script, methods) for _, script, methods in stages()))


def is_unreached(name):
    return any(name == listed or name.startswith(f"{listed}/") for listed in UNREACHED)


@pytest.mark.slow
def test_every_computing_module_and_data_file_is_behind_a_stage(reached):
    ours = {path.relative_to(SRC).as_posix() for path in OURS.files}
    assert len(ours) > 100
    missing = sorted(name for name in ours - reached if not is_unreached(name))
    assert not missing, (
        f"editing these reruns nothing; a stage must reach them, or UNREACHED say what they are: {missing}"
    )


# Modules that import by a name made at run time: packages that load on demand, whose modules ours import by their own
# names; modules of studies, which rules hash as further starts; and the packages of others.
DYNAMIC = {
    "pumetrics/__init__.py",
    "pumetrics/extras.py",
    "pumetrics_workflow/models/__init__.py",
    "pumetrics_workflow/studies/__init__.py",
}


def test_what_our_modules_import_can_be_read_off_their_imports():
    texts = {path: path.read_bytes() for path in OURS.files if path.suffix == ".py"}
    dynamic = {
        path.relative_to(SRC).as_posix() for path, text in texts.items() if b"import_module" in text
    }
    assert dynamic <= DYNAMIC, f"a stage may miss what these import: {sorted(dynamic - DYNAMIC)}"
    assert not [path for path, text in texts.items() if b"\nfrom ." in text], (
        "import by whole names"
    )


# On a small package

PACKAGE = {
    "ours/__init__.py": "",
    "ours/inner.py": "x = 1\n",
    "ours/outer.py": "def late():\n    from ours.inner import x\n    return x\n",
    "ours/apart.py": "y = 2\n",
    "ours/pages/__init__.py": "AROUND = 1\n",
    "ours/pages/other.py": "PAGE = 'page.html'",
    "ours/pages/page.html": "{% include 'page.css' %}",
    "ours/pages/page.css": "a {}",
    "ours/pages/rows.csv": "1",
}


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
        ("from ours.pages import AROUND", {"__init__.py"}),
        ("from ours.pages.other import *", {"__init__.py", "other.py", "page.html", "page.css"}),
        ("page = folder / 'pages/page.html'", {"page.html", "page.css"}),
        ("'''Explains ours.inner.'''", set()),
        ("import numpy, json", set()),
    ],
)
def test_what_a_script_refers_to(write, tmp_path, text, expected):
    files = Sources(tmp_path, ["ours"]).behind(write(text))
    assert {path.name for path in files} == expected


@pytest.mark.parametrize("memory", [None, "kept/code.json"])
def test_the_hash_follows_code_and_data_and_ignores_comments_and_what_is_apart(
    write, tmp_path, memory
):
    script = write("import ours.outer\nPAGE = 'page.html'\n")

    def hashed():
        sources = Sources(tmp_path, ["ours"], memory and tmp_path / memory)
        found = sources.code_hash(script)
        sources.save()
        return found

    first = hashed()
    (tmp_path / "ours/inner.py").write_text('"""Explained."""\nx = 1  # one\n')
    (tmp_path / "ours/apart.py").write_text("y = 3\n")
    assert hashed() == first, "a comment must rerun nothing"
    (tmp_path / "ours/inner.py").write_text("x = 2\n")
    second = hashed()
    assert second != first, "a change two imports away must rerun"
    (tmp_path / "ours/pages/page.css").write_text("b {}")
    third = hashed()
    assert third != second, "so must a change of what a template includes"
    script.write_text("import ours.pages.other")
    assert hashed() != third


@pytest.mark.parametrize("content", ["", "[]", "[1]", "not JSON"])
def test_a_memory_saves_reading_code_and_a_damaged_one_costs_nothing(
    write, tmp_path, monkeypatch, content
):
    script, memory = write("import ours.outer"), tmp_path / "code.json"
    first = Sources(tmp_path, ["ours"], memory)
    expected = first.code_hash(script)
    memory.write_text(content)
    assert Sources(tmp_path, ["ours"], memory).code_hash(script) == expected
    first.save()
    monkeypatch.setattr("ast.parse", None)
    assert Sources(tmp_path, ["ours"], memory).code_hash(script) == expected
    Sources(tmp_path, ["ours"], memory / "below a file").save()


def test_of_a_study_only_the_methods_count_that_a_rule_calls(write, tmp_path):
    """A changed figure draws again and simulates nothing."""
    study = tmp_path / "ours/study.py"
    text = "class Mine:\n def figures(self):\n  import ours.apart\n def simulate(self):\n  import ours.inner\n"
    study.write_text(text)
    found = {path.name for path in Sources(tmp_path, ["ours"]).behind(study, methods=("simulate",))}
    assert found == {"__init__.py", "study.py", "inner.py"}

    def hashes():
        sources = Sources(tmp_path, ["ours"])
        return [sources.code_hash(study, methods=(name,)) for name in ("simulate", "figures")]

    simulate, figures = hashes()
    study.write_text(text.replace("ours.apart", "ours.outer"))
    assert [hashes()[0] == simulate, hashes()[1] == figures] == [True, False]
