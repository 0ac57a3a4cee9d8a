"""Pages that docs/generated.py writes: up to date, complete as they lie in the repository, and true to the tables."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results/reference"
sys.path.insert(0, str(ROOT / "docs"))

import generated
import papers_in_words

from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import papers
from pumetrics_workflow.report.section import statement
from pumetrics_workflow.studies import Tables, read_tables
from pumetrics_workflow.studies.rider2013 import SVM_READINGS

RENEW = "run `python docs/generated.py`"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "results/README.md"]
FINDINGS = load_yaml(ROOT / "docs/findings.yaml")
PAPERS = list(papers(ROOT))
KEPT = [path.parts[-3:-1] for path in REFERENCE.glob("*/*/tables") if path.parts[-2] in PAPERS]


@pytest.fixture(scope="module")
def article():
    return (ROOT / "docs/replication.md").read_text(encoding="utf-8")


def test_every_block_is_up_to_date_and_every_mark_has_an_end():
    for path, text in generated.renewed().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.relative_to(ROOT)}: {RENEW}"
        marks = re.findall(r"<!-- (\w+)", text)
        assert marks[1::2] == ["end"] * (len(marks) // 2), path
        assert "end" not in marks[::2], path


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_needs_nothing_that_is_not_in_the_repository(path):
    text = re.sub(r"^```sh?$.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert "{{" not in text
    assert not re.findall(r"^(?:```|:::)\{.*|\{[\w:]+\}`.*", text, flags=re.M), (
        "read by Sphinx alone"
    )


def test_every_picture_is_small_and_names_what_it_is_drawn_from():
    wanted = generated.pictures()
    drawn = [*ROOT.glob("results/pictures/*"), *ROOT.glob("docs/gallery/*.png")]
    assert {path.relative_to(ROOT).as_posix() for path in drawn} == set(wanted), RENEW
    for name, (_, stamp) in wanted.items():
        content = (ROOT / name).read_bytes()
        assert stamp.encode() in content, f"{name} is out of date; {RENEW}"
        assert len(content) < 100_000, f"{name}: thirty such pictures are 1 MB"


@pytest.mark.parametrize(("scale", "name"), KEPT)
def test_no_finding_is_refuted_and_reasons_have_all_their_numbers(scale, name):
    tables = papers_in_words.derived(name, read_tables(REFERENCE / scale / name / "tables"))
    for entry in FINDINGS.get(name, []):
        found = statement(name, entry, tables)
        assert found.state != "refuted", f"{found.text}: change docs/findings.yaml"
        if found.state == "holds" and scale == "paper":
            for source, *rest in entry.get("numbers", {}).values():
                assert papers_in_words.fact(tables[source], *rest) != papers_in_words.NONE, rest


def test_a_finding_that_the_tables_refute_is_without_its_reason(monkeypatch):
    section = papers_in_words.section("claesen2015")
    assert "one increasing map" in papers_in_words.findings("claesen2015")
    turned = section.tables["published"].assign(verdict="holds")
    monkeypatch.setattr(section, "tables", Tables({**section.tables, "published": turned}))
    text = papers_in_words.findings("claesen2015")
    assert "*These tables do not confirm:* **The change of order in Figure 4" in text
    assert "one increasing map" not in text
    assert "clipping" not in papers_in_words.lessons()


@pytest.mark.parametrize("name", PAPERS)
def test_the_article_and_the_page_of_results_have_each_paper_with_all_its_claims(name, article):
    scales = ["quick", "laptop", "paper"]
    kept = [scale for scale in scales if (REFERENCE / scale / name / "tables").is_dir()]
    published = pd.read_csv(REFERENCE / kept[-1] / name / "tables/published.csv")
    claims = published.loc[published["kind"] == "claim", "verdict"]
    assert papers_in_words.section(name).study.scale == kept[-1]
    assert papers_in_words.claims_of(name).count("\n") == 1 + len(claims)
    assert f"{(claims == 'holds').sum()} of {len(claims)} hold" in papers_in_words.verdicts(name)
    assert f"<!-- findings {name} -->" in article
    assert f"results/pictures/{name}_" in article
    assert papers_in_words.claims_of(name) in (ROOT / "results/README.md").read_text(
        encoding="utf-8"
    )


def test_the_costs_are_those_of_the_tracked_runs_of_every_study():
    *rows, total = [line.strip("| ").split(" | ") for line in generated.costs().splitlines()[2:]]
    studies = sorted((ROOT / "config/studies").glob("*.yaml"))
    assert [row[0] for row in rows] == [load_yaml(path)["title"] for path in studies]
    runs = [papers_in_words.run_of(path.stem)[1]["rules"] for path in studies]
    rules = [(name, rule) for run in runs for name, rule in run.items()]
    seconds = sum(rule["cpu_seconds"] for _, rule in rules)
    assert total[2] == f"{seconds / 3600:.3g}"
    assert int(total[3]) == sum(rule["jobs"] for _, rule in rules) == sum(int(r[3]) for r in rows)
    submitted = sum(rule["jobs"] for name, rule in rules if name not in ("fetch", "prepare"))
    lines = generated.jobs().splitlines()[2:]
    assert sum(int(line.split(" | ")[2]) for line in lines) == submitted


def test_all_that_differs_is_in_one_table_with_a_status():
    text = papers_in_words.differences()
    for section in papers_in_words.sections().values():
        for row in section.differing:
            assert row["compare"] == "side" or papers_in_words.plain(row["quantity"]) in text
    status = re.compile(r"\*\*(explained|partly|unexplained)\*\*")
    assert all(status.search(line) for line in text.splitlines()[2:])


def test_agreement_stands_next_to_a_trivial_answer():
    """The numbers of a referee who counted by hand."""
    rows = [line.strip("| ").split(" | ") for line in papers_in_words.agreement().splitlines()]
    counts = {row[0]: row[1:] for row in rows}
    assert counts["same verdict as printed"] == ["123", "89"]
    assert counts['same verdict if the answer is always "neither"'] == ["111", "110"]
    assert counts["of these, significant here with the same sign"] == ["19", "0"]
    assert counts["of these, significant here with the opposite sign"] == ["0", "15"]


@pytest.mark.parametrize(
    ("where", "expression", "form", "expected"),
    [
        ("name == 'b'", "`0.1`", ".1f", "2.0"),
        ("name == 'b'", "`0.1`.median()", ".1f", "3.0"),
        ("mean < 0", "-100 * mean", ",.0f", "50"),
        ("`0.1` == 2", "mean", ".1f", papers_in_words.NONE),
        ("name == 'c'", "mean", ".1f", papers_in_words.NONE),
    ],
)
def test_a_number_is_what_its_query_and_expression_say(where, expression, form, expected):
    rows = pd.DataFrame({"name": ["a", "b", "b"], "0.1": [1.0, 2, 4], "mean": [-0.5, np.nan, 3]})
    assert papers_in_words.fact(rows, where, expression, form) == expected
    assert papers_in_words.fact(pd.DataFrame(), where, expression, form) == papers_in_words.NONE


def test_the_sign_of_accuracy_is_told_apart_by_alpha():
    by_dataset = pd.DataFrame({"dataset": list("abc"), "error_median": [-0.02, 0.1, 0.3]})
    by_dataset = by_dataset.assign(beta=1.0, method="PU", measure="accuracy")
    others = by_dataset.assign(measure="f1", error_median=-by_dataset["error_median"])
    priors = pd.DataFrame({"dataset": list("abc"), "alpha_true": [0.01, 0.2, 0.4]})
    found = papers_in_words.accuracy_sign(
        pd.concat([by_dataset, others]), priors.assign(beta_nominal=1)
    )
    assert found.to_numpy().tolist() == [[0.01, 0.2]]


def test_the_distance_of_the_svm_is_a_mean_over_its_cells():
    tables = read_tables(REFERENCE / "paper/rider2013/tables")
    printed = tables["published"].set_index("id")["p_value"]
    cells = tables["cells"].query("classifier == 'svm' and fraction > 0")
    found = papers_in_words.svm_distances(tables["cells"], tables["published"])
    found = found.set_index(["table", "reading"])["distance"]
    for (table, svm), part in cells.groupby(["table", "svm"]):
        keys = [f"{table}/{row.mechanism}/svm/{row.fraction:g}" for row in part.itertuples()]
        distance = np.abs(part["p_over"].to_numpy() - printed[keys].to_numpy()).mean()
        assert found[table, SVM_READINGS[svm]] == pytest.approx(distance)


def test_what_catalogs_read_follows_from_the_studies(monkeypatch):
    """A paper more is cited, listed and linked everywhere."""
    studies = papers(ROOT)
    names = [{"family-names": "Roe", "given-names": "R."}, {"family-names": "Doe"}]
    paper = {**studies["jain2017"]["paper"], "authors": names, "year": 2026, "doi": "10.1000/roe"}
    del paper["url"]
    added = {**studies["jain2017"], "paper": {**paper, "shows": "something new"}}
    monkeypatch.setattr(generated, "papers", lambda _: {**studies, "roe2026": added})
    link = "https://doi.org/10.1000/roe"
    row = f"| [Roe and Doe 2026]({link}) | something new | no tracked tables |"
    assert generated.readme().splitlines()[-1] == row
    assert "doi: 10.1000/roe" in generated.references()
    assert "shows" not in generated.references()
    assert generated.codecheck().endswith(f"- {link}")
    assert json.loads(generated.codemeta("{}"))["referencePublication"][-1]["url"] == link
