"""`pumetrics new-study` writes a study that fits the contract, and refuses in one line."""

import shutil
from pathlib import Path

import pytest
import yaml
from commands import answered, refused, run
from test_contracts import check_study

from pumetrics_workflow import studies
from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_study, papers
from pumetrics_workflow.studies import write_tables
from pumetrics_workflow.studies.drawing import draw
from pumetrics_workflow.verdicts import read_published, write_verdicts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    (tmp_path / "src/pumetrics_workflow/studies").mkdir(parents=True)
    return tmp_path


def new(clone, *arguments):
    return run("new-study", *arguments, "--home", clone)


@pytest.mark.parametrize(("name", "kind"), [("nobody2000", "paper"), ("mine", "own")])
def test_the_template_is_a_study(clone, tmp_path, own_studies, name, kind):
    said = answered(new(clone, name, "--kind", kind))
    assert (
        yaml.safe_load((clone / "config/config.yaml").read_text(encoding="utf-8"))["studies"][-1]
        == name
    )
    assert (list(papers(clone))[-1] == name) is (kind == "paper")
    assert [path.name for path in (clone / "notebooks").glob("*")] == [f"00_{name}.ipynb"] * (
        kind == "paper"
    )
    for line in said.splitlines():
        if line.startswith("written: "):
            path = clone / line.removeprefix("written: ")
            text = path.read_text(encoding="utf-8")
            assert "TO WRITE" in text
            path.write_text(text.replace("TO WRITE", "written"), encoding="utf-8")
    own_studies(clone / "src/pumetrics_workflow/studies")
    path, printed = clone / f"config/studies/{name}.yaml", clone / f"config/published/{name}.csv"
    check_study(path, printed)
    study = load_study(path, "quick", load_yaml(clone / "workflow/schemas/study.schema.yaml"))
    assert study.kind == kind
    ((part, entry),) = study.simulations.items()
    rows = studies.load(name).simulate(part, repeats=range(2), seed=1, data={}, **entry["options"])
    records, statistics = split_answers(rows)
    results = studies.Results(records, statistics, None, {})
    write_tables(studies.load(name).tables(results), tmp_path / "tables")
    write_verdicts(name, tmp_path / "tables", read_published(printed))
    draw(name, study.captions["figures"], tmp_path / "tables", tmp_path / "figures", ["svg"])
    assert (tmp_path / "figures/example.svg").stat().st_size > 10_000, "drawn"


@pytest.mark.parametrize(
    "name", ["calibrate", "measure_pool", "queries", "all", "figures", "train", "report_all"]
)
def test_a_name_that_the_workflow_has_is_refused(clone, name):
    shutil.copy(ROOT / "Snakefile", clone)
    shutil.copy(
        ROOT / "src/pumetrics_workflow/studies/queries.py", clone / "src/pumetrics_workflow/studies"
    )
    kind = (
        "a module of all studies"
        if name == "queries"
        else "a name that the rules of the workflow use"
    )
    refused(new(clone, name, "--kind", "own"), f"{name!r} is {kind}: choose another name")
    assert not (clone / f"config/studies/{name}.yaml").exists()


def test_outside_of_a_clone_nothing_is_written(tmp_path):
    refused(new(tmp_path, "nobody2000"), "not a clone of the project")
    assert not list(tmp_path.iterdir())
