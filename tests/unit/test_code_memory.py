"""Hashes of code kept between processes: the same as computed, and never those of other files."""

import pytest

from pumetrics_workflow import code_memory
from pumetrics_workflow.code import Sources, code_hash
from pumetrics_workflow.code_memory import CodeMemory


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A package of two modules, a script that imports one, and the calls of ``code_hash``."""
    package = tmp_path / "ours"
    package.mkdir()
    for name, text in {"__init__": "", "used": "a = 1", "other": "b = 1"}.items():
        (package / f"{name}.py").write_text(text)
    script = tmp_path / "script.py"
    script.write_text("import ours.used")
    calls = []

    def computed(*starts):
        calls.append(starts)
        sources = Sources(tmp_path, ["ours"])
        return sources.hash(sources.behind(*starts))

    def opened():  # as a new process would
        monkeypatch.setattr(code_memory, "_SOURCES", Sources(tmp_path, ["ours"]))
        return CodeMemory(tmp_path / "memory" / "code.json")

    monkeypatch.setattr(code_memory, "code_hash", computed)
    return opened, script, calls


def test_a_second_process_computes_nothing(project):
    opened, script, calls = project
    first = opened()
    expected = first.code_hash(script)
    first.save()
    assert opened().code_hash(script) == expected
    assert len(calls) == 1


@pytest.mark.parametrize("edited", ["ours/used.py", "script.py"])
def test_an_edit_is_computed_anew(project, edited):
    opened, script, calls = project
    memory = opened()
    before = memory.code_hash(script)
    memory.save()
    (script.parent / edited).write_text("import ours.other\nc = 2")
    assert opened().code_hash(script) != before
    assert len(calls) == 2


@pytest.mark.parametrize("content", ["", "[]", '{"packages": 1}', "not JSON"])
def test_a_damaged_memory_is_computed_anew(project, content):
    opened, script, calls = project
    memory = opened()
    expected = memory.code_hash(script)
    memory.save()
    next((script.parent / "memory").iterdir()).write_text(content)
    assert opened().code_hash(script) == expected
    assert len(calls) == 2


def test_a_folder_that_cannot_be_made_loses_nothing(project):
    opened, script, _ = project
    (script.parent / "memory").write_text("a file")
    memory = opened()
    memory.code_hash(script)
    memory.save()


def test_ours_is_the_hash_of_the_code(tmp_path):
    script = code_memory.__file__
    assert CodeMemory(tmp_path / "code.json").code_hash(script) == code_hash(script)
