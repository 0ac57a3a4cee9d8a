"""Notebooks show the results of a run that is named, and are committed without output.

The documentation runs every notebook with the reference, in a kernel of its own: tests/whole/test_docs.py.
"""

from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import SVG
from IPython.utils.capture import capture_output

from pumetrics_workflow.plan import papers

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PAPERS = [path.stem for path in NOTEBOOKS if path.stem[3:] in papers(ROOT)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_committed_without_output(path):
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code), "clear the output"


@pytest.mark.parametrize("name", ["00_tour", *PAPERS, "06_head_to_head"])
def test_it_shows_the_figures_of_a_run(name, monkeypatch, results):
    monkeypatch.setenv("PUMETRICS_RESULTS", str(results))
    monkeypatch.chdir(FOLDER)
    monkeypatch.syspath_prepend(str(FOLDER))
    shell, shown = InteractiveShell(), []
    with capture_output() as captured:
        for cell in nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells:
            if cell.cell_type == "code":
                outcome = shell.run_cell(cell.source)
                outcome.raise_error()
                shown += [outcome.result] * isinstance(outcome.result, SVG)
    assert len(shown) >= 2
    assert not captured.stderr


@pytest.mark.parametrize("name", ["07_own_scores", "08_model_selection", "09_checked_sample"])
def test_the_notebooks_for_own_work_use_the_library_alone(name):
    assert "pumetrics_workflow" not in (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")


@pytest.fixture
def reading(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import reading

    return reading


def test_a_run_that_is_named_is_read_instead_of_the_reference(reading, monkeypatch, tmp_path):
    monkeypatch.setenv("PUMETRICS_RESULTS", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="holds no results"):
        reading.results_folder("jain2017")
    (tmp_path / "jain2017").mkdir()
    (tmp_path / "jain2017/provenance.json").write_text('{"scale": "laptop"}')
    assert reading.results_folder("jain2017") == tmp_path
    assert reading.provenance("jain2017")["scale"] == "laptop"


def test_each_study_is_read_at_the_largest_scale_that_holds_it(reading, monkeypatch, tmp_path):
    monkeypatch.delenv("PUMETRICS_RESULTS", raising=False)
    monkeypatch.setattr(reading, "_RESULTS", tmp_path)
    for place in ("quick/jain2017", "quick/rider2013", "paper/jain2017"):
        (tmp_path / "reference" / place / "tables").mkdir(parents=True)
    assert reading.results_folder("jain2017").name == "paper"
    assert reading.results_folder("rider2013").name == "quick"
