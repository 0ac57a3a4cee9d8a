"""The article on the replication: every number is part of a claim, and what it says is what the tables say."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results/reference"
PAGES = ("replication", "replication_details", "cluster", "datasets", "reproduce")
SCALES = sorted(path.parent.name for path in REFERENCE.glob("*/manifest.json"))
sys.path.insert(0, str(ROOT / "docs"))

from article import _age, _stale, substitutions
from article.costs import costs, jobs, studies_table
from article.facts import NONE, accuracy_sign, derived, facts, svm_readings
from article.figures import draw, picture_of_ratios
from article.pieces import (
    agreement_table,
    claims_table,
    differences_table,
    findings,
    findings_list,
    lessons,
    overview,
    unwritten,
)
from article.reference import PAPERS, held_studies, largest_run

from pumetrics_workflow.staleness import State
from pumetrics_workflow.studies import Tables
from pumetrics_workflow.studies.rider2013 import tables as rider
from pumetrics_workflow.studies.rider2013.verdicts import agreement, cells, sign_of_tables
from pumetrics_workflow.verdicts import compare_published, read_published


@pytest.fixture(scope="module")
def largest():
    return held_studies()


@pytest.fixture(params=SCALES)
def held(request, tmp_path):
    """Return the papers that one scale alone holds, from links to these and to the quick tables of the others."""
    kept = [
        name
        for name in PAPERS
        if (REFERENCE / request.param / name / "tables/published.csv").is_file()
    ]
    for name in PAPERS:
        place = tmp_path / (request.param if name in kept else "quick")
        place.mkdir(exist_ok=True)
        for part in (name, "provenance.json"):
            if not (place / part).is_symlink():
                (place / part).symlink_to(REFERENCE / place.name / part)
    return {name: entry for name, entry in held_studies(tmp_path).items() if name in kept}


def test_no_finding_is_refuted_by_the_kept_tables(held):
    for name, entry in held.items():
        refuted = [finding.text for finding, _ in findings(entry) if finding.state == "refuted"]
        assert refuted == [], f"{name} at {entry.scale} scale: change docs/article/findings.yaml"


def test_reasons_have_all_their_numbers(held):
    for entry in held.values():
        for finding, reason in findings(entry):
            assert finding.state != "holds" or NONE not in reason.replace(" – ", ""), reason


def test_each_paper_is_reported_at_its_largest_scale_with_all_its_claims(largest):
    order = ["quick", "laptop", "paper"]
    for name, entry in largest.items():
        scales = [
            scale
            for scale in order
            if (REFERENCE / scale / name / "tables/published.csv").is_file()
        ]
        assert entry.scale == scales[-1]
        published = pd.read_csv(REFERENCE / entry.scale / name / "tables/published.csv")
        assert claims_table(entry).count("\n") == 1 + (published["kind"] == "claim").sum()
        line = next(
            line
            for line in overview(largest).splitlines()
            if line.startswith(f"- **{PAPERS[name]}**")
        )
        first, *others = map(int, re.findall(r'"chip [^>]*>(\d+)', line))
        assert (
            first + sum(others)
            == (published["kind"] == "claim").sum()
            == int(re.search(r">\d+ of (\d+)", line)[1])
        )


def test_papers_are_those_of_kind_paper_and_nothing_is_summed_over_them(largest):
    kinds = {
        path.stem: yaml.safe_load(path.read_text())
        for path in (ROOT / "config/studies").glob("*.yaml")
    }
    assert set(PAPERS) == {name for name, study in kinds.items() if study.get("kind") == "paper"}
    assert len(overview(largest).splitlines()) == len(PAPERS)


def test_the_costs_are_those_of_the_tracked_runs_of_every_study():
    *rows, total = [line.strip("| ").split(" | ") for line in costs().splitlines()[2:]]
    studies = [
        yaml.safe_load(path.read_text())
        for path in sorted((ROOT / "config/studies").glob("*.yaml"))
    ]
    assert [row[0] for row in rows] == [study["title"] for study in studies]
    runs = [largest_run(path.stem)[1] for path in (ROOT / "config/studies").glob("*.yaml")]
    rules = [rule for run in runs for rule in run["rules"].values()]
    assert total[2] == f"{sum(rule['cpu_seconds'] for rule in rules) / 3600:.3g}"
    assert (
        total[3]
        == str(sum(rule["jobs"] for rule in rules))
        == str(sum(int(row[3]) for row in rows))
    )
    submitted = [
        rule["jobs"]
        for run in runs
        for name, rule in run["rules"].items()
        if name not in ("fetch", "prepare")
    ]
    assert sum(int(line.split(" | ")[2]) for line in jobs().splitlines()[2:]) == sum(submitted)


def test_the_table_of_studies_has_a_row_for_each_with_its_command_and_times():
    rows = studies_table().splitlines()[2:]
    studies = {
        path.stem: yaml.safe_load(path.read_text())
        for path in (ROOT / "config/studies").glob("*.yaml")
    }
    assert len(rows) == len(studies)
    for name, study in studies.items():
        (row,) = (row for row in rows if f"`snakemake {name} --cores 2`" in row)
        assert row.startswith(f"| **{study['title']}**<br>{study['claim'].strip()} |")
        assert f"| {round(60 * study['scales']['quick']['core_minutes'])} s |" in row


def test_no_page_of_the_article_types_a_number_of_papers_or_claims():
    for name in (
        "docs/replication.md",
        "docs/cluster.md",
        "docs/index.md",
        "docs/reproduce.md",
        "docs/figures.md",
    ):
        text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert not re.search(
            r"\b(five|six) papers|\b[Aa] sixth paper|ten to twelve|to be assigned", text, re.I
        ), name


def test_all_that_differs_is_in_one_table_with_a_status(largest):
    table = differences_table(largest)
    for entry in largest.values():
        for row in entry.section.differing:
            assert row["compare"] == "side" or row["quantity"].replace("*", "\\*") in table
    assert all(
        re.search(r"\*\*(explained|partly|unexplained)\*\*", line)
        for line in table.splitlines()[2:]
    )


def test_agreement_stands_beside_a_trivial_answer_and_kappa(largest):
    """The numbers of a referee who counted by hand."""
    rows = {
        line.split(" | ")[0].strip("| "): line
        for line in agreement_table(largest["rider2013"]).splitlines()
    }
    assert rows["same verdict as printed"].endswith("| 123 | 89 |")
    assert rows['same verdict if the answer is always "neither"'].endswith("| 111 | 110 |")
    assert rows["of these, significant here with the same sign"].endswith("| 19 | 0 |")
    assert rows["of these, significant here with the opposite sign"].endswith("| 0 | 15 |")


def test_every_piece_that_the_article_asks_for_is_made(largest):
    text = "".join((ROOT / f"docs/{page}.md").read_text(encoding="utf-8") for page in PAGES)
    made = substitutions(largest)
    asked = set(re.findall(r"\{\{ (\w+) \}\}", text))
    assert asked
    assert asked <= set(made)
    assert all(isinstance(piece, str) and piece for name, piece in made.items() if name in asked)
    assert all(
        each[:9] in made["commits"]
        for entry in largest.values()
        for each in entry.run["commit"].split(", ")
    )


def test_what_git_does_not_know_is_said_to_be_unknown(largest, monkeypatch):
    known = State("jain2017", "abc", changed=("a.py",), moved=())
    assert (
        _age(State("x", "abc"))
        == "whether the code behind these numbers has changed since is unknown"
    )
    assert _age(replace(known, moved=None)).endswith(
        "current code; whether any moved at quick scale is unknown"
    )
    assert _age(known).endswith("current code; none moved at quick scale")
    for state, said in (
        (known, "no number moved at quick scale"),
        (replace(known, moved=("t",)), "some numbers of Jain 2017 moved at quick scale"),
        (State("jain2017", "abc"), "whether numbers of Jain 2017 moved at quick scale is unknown"),
    ):
        monkeypatch.setattr("article.states", lambda *_, state=state, **__: {"jain2017": state})
        assert _stale({"jain2017": largest["jain2017"]}) == said


def test_the_picture_is_drawn_and_each_paper_has_a_figure_of_its_study(largest, tmp_path):
    draw(largest, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["published.svg", "ratios.svg"]
    article = (ROOT / "docs/replication.md").read_text(encoding="utf-8")
    text = unwritten(article, largest)
    shown = dict(re.findall(r"_generated/figures/(\w+)/(\w+)\.svg", text))
    assert shown.keys() == set(PAPERS)
    assert all(
        figure in largest[paper].study.captions["figures"] for paper, figure in shown.items()
    )
    assert "of other papers" not in text
    assert not picture_of_ratios([]).axes, "without claims about size an empty one"


def test_a_paper_without_a_section_gets_one_of_its_figure_and_findings(largest):
    article = (ROOT / "docs/replication.md").read_text(encoding="utf-8")
    section = re.search(r"### Ramola 2019\n(.*?)(?=^### )", article, flags=re.M | re.S)[1]
    text = unwritten(article.replace(section, ""), largest)
    assert text.count("### Ramola 2019") == 2
    made = text.rpartition("### Ramola 2019")[2].partition("## What made it difficult")[0]
    for part in (findings_list(largest["ramola2019"]), "ramola2019/figure1.svg"):
        assert part in made
    assert "**Ramola 2019.** Accuracy, balanced accuracy" in text


def changed(entry, tables):
    """The same study with other tables."""
    section = SimpleNamespace(tables=Tables({**entry.tables, **tables}), study=entry.study)
    return replace(entry, section=section)


def test_a_finding_that_the_tables_refute_is_said_to_be_refuted_without_its_reason(largest):
    published = largest["claesen2015"].tables["published"]
    turned = published.assign(verdict="holds")
    entry = changed(largest["claesen2015"], {"published": turned})
    text = findings_list(entry)
    assert "*These tables do not confirm:* **The change of order in Figure 4" in text
    assert "one increasing map" in findings_list(largest["claesen2015"])
    assert "one increasing map" not in text
    assert "clipping" in lessons({"claesen2015": largest["claesen2015"]})
    assert "clipping" not in lessons({"claesen2015": entry})


def test_no_tables_are_an_error(tmp_path):
    with pytest.raises(ValueError, match="holds no tables of claesen2015"):
        held_studies(tmp_path)


def test_a_number_is_what_its_query_and_expression_say_and_a_dash_without_rows():
    tables = Tables(
        {
            "t": pd.DataFrame(
                {"name": ["a", "b", "b"], "0.1": [1.0, 2.0, 4.0], "mean": [-0.5, np.nan, 3]}
            )
        }
    )
    numbers = {
        "first": ["t", "name == 'b'", "`0.1`", ".1f"],
        "median": ["t", "name == 'b'", "`0.1`.median()", ".1f"],
        "turned": ["t", "mean < 0", "-100 * mean", ",.0f"],
        "missing": ["t", "`0.1` == 2", "mean", ".1f"],
        "no_rows": ["t", "name == 'c'", "mean", ".1f"],
        "no_table": ["u", "name == 'b'", "mean", ".1f"],
    }
    expected = {
        "first": "2.0",
        "median": "3.0",
        "turned": "50",
        "missing": NONE,
        "no_rows": NONE,
        "no_table": NONE,
    }
    assert facts(numbers, tables) == expected


def test_the_sign_of_accuracy_is_told_apart_by_alpha():
    errors = {"a": -0.02, "b": 0.1, "c": 0.3}
    by_dataset = pd.DataFrame(
        [
            {
                "dataset": name,
                "measure": measure,
                "beta": 1.0,
                "method": "PU",
                "error_median": error * sign,
            }
            for name, error in errors.items()
            for measure, sign in (("accuracy", 1), ("f1", -1))
        ]
    )
    priors = pd.DataFrame(
        {"dataset": list("abc"), "beta_nominal": 1.0, "alpha_true": [0.01, 0.2, 0.4]}
    )
    assert accuracy_sign(by_dataset, priors).iloc[0].to_dict() == {
        "too_low_up_to": 0.01,
        "too_high_from": 0.2,
    }
    assert not len(accuracy_sign(pd.DataFrame(), priors))


@pytest.fixture(scope="module")
def enough_sets(largest):
    """Rider's study as if it had thirty data sets: copies of those of the quick run, disturbed."""
    areas = pd.read_csv(REFERENCE / "quick/rider2013/tables/areas.csv")
    copies = pd.concat(
        [areas.assign(dataset=areas["dataset"] + str(copy)) for copy in range(6)], ignore_index=True
    )
    copies["bias"] += np.random.default_rng(7).normal(0, 0.02, len(copies))
    published = read_published(ROOT / "config/published/rider2013.csv")
    ours = cells(copies)
    tables = {
        "areas": copies,
        "cells": ours,
        "case_study": pd.read_csv(REFERENCE / "quick/rider2013/tables/case_study.csv"),
        "agreement": agreement(ours, published),
        "sign_of_table2b": sign_of_tables(ours, published),
    }
    tables |= rider.derived(tables, published)
    tables["published"] = compare_published(published, rider.reproduced(tables), tables)
    return changed(largest["rider2013"], tables)


def test_rider_is_reported_once_it_has_enough_sets(enough_sets):
    states = {finding.text: finding.state for finding, _ in findings(enough_sets)}
    assert len(states) == 3
    assert "untested" not in states.values()
    distances = svm_readings(enough_sets.tables["cells"], enough_sets.tables["published"])
    assert set(distances["reading"]) == {"0/1", "decision value", "logistic"}
    first = distances[(distances["table"] == "2a") & (distances["reading"] == "0/1")][
        "distance"
    ].item()
    both = enough_sets.tables["cells"].query(
        "table == '2a' and svm == 'svm_class' and classifier == 'svm'"
    )
    printed = enough_sets.tables["published"].set_index("id")["p_value"]
    keys = both.assign(
        key=[f"2a/{row.mechanism}/svm/{row.fraction:g}" for row in both.itertuples()]
    )
    keys = keys[keys["fraction"] > 0]
    assert first == pytest.approx(
        np.mean([abs(row.p_over - printed[row.key]) for row in keys.itertuples()])
    )
    assert len(derived("rider2013", enough_sets.tables)["svm_distances"]) == 6
