"""README and docs: examples run and print what they say, templates do what the contracts ask, links lead somewhere."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import test_contracts as contracts
import test_methods
import test_metrics_registry
import yaml

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.datasets import load_registry
from pumetrics_workflow.studies import Results, compare_published, load
from pumetrics_workflow.tables import read

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "config/README.md", ROOT / "results/README.md"]
)
MODULES = sorted(
    path for package in ("pumetrics", "pumetrics_workflow") for path in (ROOT / "src" / package).rglob("*.py")
)
ADDING = (ROOT / "docs/adding.md").read_text(encoding="utf-8")


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_the_examples_of_a_page_print_what_they_say(path):
    # Fences end an example: doctest would take them for output.
    text = re.sub(r"^\s*```.*$", "", path.read_text(encoding="utf-8"), flags=re.M)
    examples = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    said = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(examples, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("path", [path for path in MODULES if ">>> " in path.read_text(encoding="utf-8")], ids=named)
def test_the_examples_of_a_module_print_what_they_say(path):
    names = path.relative_to(ROOT / "src").with_suffix("").parts
    module = importlib.import_module(".".join(names).removesuffix(".__init__"))
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed


def slug(heading):
    """Anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_relative_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (path.parent / file) if file else path
        assert place.exists(), f"{path.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), flags=re.M)
            assert anchor in map(slug, headings), f"{path.name} links to {target}; headings: {headings}"


def test_every_paper_is_cited():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    papers = {(entry["authors"][0]["family-names"].lower(), entry["year"]) for entry in cited["references"]}
    studies = [re.fullmatch(r"([a-z]+)(\d{4})", path.stem) for path in contracts.STUDIES]
    assert {(found[1], int(found[2])) for found in studies if found} <= papers
    from pumetrics import __version__

    assert cited["version"] == __version__


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_files_that_a_page_names_exist(path):
    made_by_runs = (
        "results/",
        "resources/",
        "config/studies/coin2026",
        "config/published/coin2026",
        "src/pumetrics_workflow/studies/coin2026",
    )
    for name in re.findall(
        r"`((?:src|docs|config|workflow|tests|notebooks|benchmarks|profiles)/[\w./-]+)`",
        path.read_text(encoding="utf-8"),
    ):
        if not name.startswith(made_by_runs):
            assert (ROOT / name).exists(), f"{path.name} names {name}"


def blocks(section, language):
    """Code blocks of a section of docs/adding.md as (file name or "", text)."""
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", ADDING, flags=re.M | re.S).group(1)
    return re.findall(rf"(?:^`([\w./]+)`[^\n]*:\n\n)?^```{language}\n(.*?)^```", text, flags=re.M | re.S)


@pytest.fixture(scope="module")
def templates():
    """What the templates of a labeling, model, prior, metric and method define."""
    space = {"__name__": "adding"}
    for section in ("A labeling", "A model", "A prior", "A metric", "A correction method"):
        for _, text in blocks(section, "python"):
            exec(text, space)
    return space


def test_the_template_of_a_data_set_is_read(tmp_path):
    ((name, text),) = blocks("A data set", "yaml")
    frame = pd.DataFrame({"age": range(40), "sex": ["f", "m"] * 20, "outcome": ["ill"] * 15 + ["well"] * 25})
    frame.to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / name).write_text(text, encoding="utf-8")
    entry = load_registry(tmp_path / name)["my_patients"]
    assert (entry.rows, entry.positives) == (40, 15)


def test_the_template_of_a_labeling_keeps_the_contract(templates, monkeypatch):
    import test_labelings as labelings

    monkeypatch.setitem(labelings.LABELINGS, templates["kind"], templates["scheme"])
    labelings.check_labeling(templates["kind"], 0.5)


def test_the_template_of_a_model_keeps_the_contract(templates, monkeypatch):
    import test_models_registry as models

    monkeypatch.setitem(models.MODELS, "template", templates["model"])
    models.check_model("template", templates["model_options"])


def test_the_template_of_a_metric_keeps_the_contract(templates):
    test_metrics_registry.check_entry(templates["metric"])


def test_the_template_of_a_correction_method_keeps_the_contract(templates):
    test_methods.check_method(templates["method"])


def test_the_template_of_a_prior_keeps_the_contract(templates, monkeypatch):
    import test_priors_contract as priors

    monkeypatch.setitem(priors.METHODS, "template", type(priors.METHODS["bbe"])(templates["prior"]))
    priors.test_documented("template")
    priors.test_more_positives_give_more("template")
    for noisy in (False, True):
        priors.test_range_and_determinism("template", noisy)
    priors.test_tiny_and_odd_samples_still_answer("template")


def test_the_template_of_a_study_keeps_the_contract(tmp_path, monkeypatch):
    files = dict(blocks("A study", "(?:python|yaml)?"))
    assert len(files) == 6
    for name, text in files.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    import pumetrics_workflow.studies

    package = tmp_path / "src/pumetrics_workflow/studies"
    monkeypatch.setattr(pumetrics_workflow.studies, "__path__", [*pumetrics_workflow.studies.__path__, str(package)])
    published = tmp_path / "config/published/coin2026.csv"
    contracts.check_study(tmp_path / "config/studies/coin2026.yaml", published)

    simulate = load("coin2026", "simulation").simulate
    options = yaml.safe_load((tmp_path / "config/studies/coin2026.yaml").read_text())["simulations"]["toss"]["options"]
    table = simulate("toss", repeats=list(range(20)), seed=1, data={}, **options).assign(study="coin2026")
    part = simulate("toss", repeats=[3, 4], seed=1, data={}, **options)
    pd.testing.assert_series_equal(part["value"], table["value"][3:5], check_index=False)
    paths = {door: tmp_path / f"{door}.parquet" for door in ("records", "statistics")}
    write_answers(table, *paths.values())
    results = Results(*(read(door, path) for door, path in paths.items()), None, {}, pd.read_csv(published))
    made = load("coin2026", "tables").tables(results)
    compared = compare_published(results.published, load("coin2026", "tables").reproduced(made))
    assert list(compared["verdict"]) == ["holds"]
    assert set(load("coin2026", "figures").figures(made)) <= set(load("coin2026").CAPTIONS) | {"heads"}


def test_the_documentation_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(ROOT / "docs"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "mathematics.html").is_file()
