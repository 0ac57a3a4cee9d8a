"""Notebooks are tracked with what they show of the reference, and show the results of a run that is named."""

import importlib
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import Image
from IPython.utils.capture import capture_output

from pumetrics_workflow.plan import papers

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"

RENEW = "run `make notebooks`"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PAPERS = [path.stem for path in NOTEBOOKS if path.stem[3:] in papers(ROOT)]


@pytest.fixture
def shared(monkeypatch):
    """Return a function that imports a module of the notebooks."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def seen(book):
    """Cells with what they print, tables included; pictures, whose fonts are those of the machine, by their kinds."""
    cells = []
    for cell in book.cells:
        outputs = []
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            texts = {kind: text for kind, text in data.items() if not kind.startswith("image/")}
            outputs.append((output.output_type, output.get("text"), sorted(data), texts))
        cells.append((cell.source, outputs))
    return cells


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_outputs_are_small_and_say_nothing_of_the_run(path):
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert sum(bool(cell.outputs) for cell in code) >= 3, RENEW
    assert not any(cell.execution_count or cell.metadata for cell in code), RENEW
    kinds = {output.get("name") or output.output_type for cell in code for output in cell.outputs}
    assert kinds <= {"stdout", "execute_result", "display_data"}
    assert path.stat().st_size < 500_000


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_shows_what_its_code_makes_of_the_reference(path, shared, monkeypatch):
    monkeypatch.setenv("PUMETRICS_RESULTS", "")
    made = shared("renew").executed(path)
    assert seen(made) == seen(nbformat.read(path, as_version=4)), RENEW


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
                shown += [outcome.result] * isinstance(outcome.result, Image)
    assert len(shown) >= 2
    assert not captured.stderr


@pytest.mark.parametrize("name", ["07_own_scores", "08_model_selection", "09_checked_sample"])
def test_the_notebooks_for_own_work_use_the_library_alone(name):
    assert "pumetrics_workflow" not in (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")


@pytest.fixture
def reading(shared):
    return shared("reading")


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
