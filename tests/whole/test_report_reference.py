"""The report of the reference: drawn from tracked tables alone, complete, and true to them."""

import html
import json
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from commands import refused, run

from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_study
from pumetrics_workflow.reference import LEFT_OUT
from pumetrics_workflow.report import (
    _MEANINGS,
    StudySection,
    _facts_in_short,
    render_overview,
    render_study,
)
from pumetrics_workflow.report.from_reference import _shortened, largest_scale
from pumetrics_workflow.report.picture import anchor, as_svg, panels, ratios
from pumetrics_workflow.report.section import statement
from pumetrics_workflow.staleness import State
from pumetrics_workflow.studies import Tables, read_tables
from pumetrics_workflow.studies.drawing import drawn
from pumetrics_workflow.verdicts import VERDICTS, read_published

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results/reference"
SCALES = sorted(path.parent.name for path in REFERENCE.glob("*/manifest.json"))
STUDIES = sorted(path.stem for path in (ROOT / "config/studies").glob("*.yaml"))
SCHEMA = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")


def test_each_verdict_has_a_meaning():
    assert tuple(_MEANINGS) == VERDICTS


def study(name, scale="quick"):
    return load_study(ROOT / f"config/studies/{name}.yaml", scale, SCHEMA)


def section(rows, name="s", finding=None, scale="paper", **tables):
    """Return a section on made-up rows (id, published, compare, reproduced, verdict)."""
    columns = ["id", "published", "compare", "reproduced", "verdict"]
    made = StudySection.__new__(StudySection)
    made.tracked = None
    about = {
        "name": name,
        "title": name,
        "citation": "A paper",
        "finding": finding,
        "differences": (),
        "kind": "paper",
        "paper": {},
    }
    made.study = SimpleNamespace(**about, scale=scale)
    table = pd.DataFrame(rows, columns=columns).assign(
        kind="number", quantity="q", source="Table 1", note=""
    )
    made.tables = Tables(published=table, **tables)
    return made


@pytest.mark.parametrize("name", STUDIES)
def test_the_reference_has_every_table_that_captions_list(name):
    tables = read_tables(REFERENCE / "quick" / name / "tables")
    left_out = [table for table in study(name).captions["tables"] if table not in tables]
    assert all(
        any(fnmatch(f"{name}/tables/{table}.csv", key) for key in LEFT_OUT) for table in left_out
    )
    assert set(tables) <= set(study(name).captions["tables"])


@pytest.mark.parametrize("name", ["claesen2015", "ramola2019", "tabatabaei2020"])
def test_printed_numbers_stand_in_the_axes_of_the_figure(name):
    """Where config/published has points of a figure, the figure shows them at their values."""
    import matplotlib.pyplot as plt

    from pumetrics_workflow.plotting import use_style

    use_style()
    tables = read_tables(REFERENCE / "quick" / name / "tables")
    figures = drawn(name, study(name).captions["figures"], tables)
    published = tables["published"].set_index("id")["published"]
    expected = {
        "claesen2015": {"figure4": published[published.index.str.match(r"figure4_model\d_")]},
        "ramola2019": {"figure1": published[published.index.str.match(r"figure1_.*(true|pu)$")]},
        "tabatabaei2020": {
            "figure4": published[published.index.str.match(r"figure4[ab]_")],
            "figure5": published[published.index.str.match(r"figure5_iris_mean_")],
        },
    }[name]
    for figure, numbers in expected.items():
        lines = [
            line
            for axis in figures[figure].axes
            for line in axis.lines
            if line.get_color() == "#AA3377"
        ]
        heights = sorted(float(y) for line in lines for y in line.get_ydata())
        assert heights == pytest.approx(sorted(numbers))
    plt.close("all")


@pytest.fixture(scope="module")
def page(reference_page):
    """The report of the reference at quick scale."""
    return reference_page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def study_pages(reference_page):
    """The pages of its studies, by name."""
    pages = sorted((reference_page.parent / reference_page.stem).glob("*.html"))
    return {path.stem: path.read_text(encoding="utf-8") for path in pages}


def test_the_pages_are_complete_and_true_to_the_reference(page, study_pages):
    kept = {path.parents[1].name for path in (REFERENCE / "quick").glob("*/tables/published.csv")}
    assert set(study_pages) == kept
    tables = {
        name: pd.read_csv(REFERENCE / "quick" / name / "tables/published.csv") for name in kept
    }
    rows = pd.concat(tables.values())
    compared = rows[~rows["kind"].isin(["claim", "own", "control"]) & rows["reproduced"].notna()]
    assert len(
        re.findall(r'<a href="reference/\w+.html#', page.partition('class="picture"')[2])
    ) == len(compared)
    assert not re.search(r"\d+ of \d+ (comparable )?numbers", page), "no share of cells"
    for name, table in tables.items():
        claims = table.loc[table["kind"] == "claim", "quantity"]
        for shown in (html.unescape(page), html.unescape(study_pages[name])):
            assert [text for text in claims if text not in shown] == []
        assert "not drawn: the reference was kept by code" not in study_pages[name], (
            "make reference"
        )
    run = json.loads((REFERENCE / "quick/provenance.json").read_text(encoding="utf-8"))[0]
    assert run["commit"][:9] in page
    assert len(page.encode()) < 300_000
    for text in (page, *study_pages.values()):
        assert str(ROOT) not in text
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    for name, target in re.findall(r'href="[^/"]+/(\w+)\.html(?:#([^"]+))?"', page):
        assert not target or f'id="{target}"' in study_pages[name], target


def test_the_page_of_a_study_has_the_provenance_of_its_run_alone(study_pages):
    runs = json.loads((REFERENCE / "quick/provenance.json").read_text(encoding="utf-8"))
    for name, text in study_pages.items():
        (run,) = (run for run in runs if name in run["kept"])
        commits = ", ".join(each[:9] for each in run["commit"].split(", "))
        assert f"finished {run['finished']}, commit {commits}." in text
        assert f"computed by commit {commits}" in text
        assert not [study for study in STUDIES if study != name and f"summarize_{study}<" in text]
        assert "in <code>results/reference/quick</code> holds them for each run too" in text


def test_no_table_of_numbers_has_an_empty_column(study_pages):
    for name, text in study_pages.items():
        for table in re.findall(
            rf'id="{name}-(?:numbers|controls)">\s*<table.*?</table>', text, flags=re.DOTALL
        ):
            rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split("<tr")[2:]]
            assert all(any(column) for column in zip(*rows, strict=True)), name


def test_the_command_takes_the_largest_scale_and_names_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert (
        largest_scale(REFERENCE)
        == [name for name in ("quick", "laptop", "paper") if name in SCALES][-1]
    )
    damaged = tmp_path / "results/reference"
    shutil.copytree(REFERENCE / "quick", damaged / "quick")
    table = damaged / "quick/jain2017/tables/medians.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("0.", "1.", 1), encoding="utf-8")
    for arguments, words in (
        ([tmp_path / "none"], "holds no reference; restore it with git"),
        ([damaged, "--scale", "paper"], "holds no scale 'paper'; the largest it holds is 'quick'"),
        (
            [damaged],
            "jain2017/tables/medians.csv does not have the checksum given in manifest.json",
        ),
        ([damaged, "--output", tmp_path / "report"], "give a name that ends in .html"),
    ):
        refused(run("reference", "report", *arguments), words)


def drawn_axes(rows):
    """The axis of each panel that is not empty."""
    import matplotlib.pyplot as plt

    axes = []
    for draw in panels([section(rows)], "{}.html"):
        axes.append(plt.subplots()[1])
        draw(axes[-1])
    return axes


def places(axis):
    """Where the points of an axis are, with the links that they have."""
    found = {}
    for dots in axis.collections:
        places = zip(dots.get_urls(), dots.get_offsets(), strict=True)
        found |= {url: tuple(place) for url, place in places}
    return found


def test_every_compared_number_is_one_point_that_leads_to_its_row():
    rows = [
        ("a", 0.5, "within", 0.5, "holds"),
        ("b", 0.5, "within", 0.9, "does not hold"),
        ("c", 1, "side", -1, "opposite"),
        ("d", 1, "side", 1, "holds"),
        ("e", 0, "below", -3.0, "holds"),
        ("f", 0, "above", 2.0, "inconclusive"),
        ("g", 7, "within", float("nan"), "not testable here"),
    ]
    links = {key: f"s.html#{anchor('s', key)}" for key in "abcdef"}
    numbers, signs, bounds = map(places, drawn_axes(rows))
    assert numbers == {links["a"]: (0.5, 0.5), links["b"]: (0.5, 0.9)}
    assert signs == {links["c"]: (1, -1), links["d"]: (1, 1)}
    assert {link: y for link, (_, y) in bounds.items()} == {links["e"]: -3, links["f"]: 2}
    (draw, *_) = panels([section(rows)], "{}.html")
    assert as_svg(draw).count(f'<a href="{links["b"]}"') == 1
    assert not panels([section(rows)], least=3)


def test_points_of_equal_signs_do_not_cover_each_other():
    rows = [(f"n{number}", 0, "side", 0, "inconclusive") for number in range(250)]
    (axis,) = drawn_axes(rows)
    points = np.array(list(places(axis).values()))
    assert abs(points).max() < 0.5, "in the cell of their answer"
    apart = abs(points[:, None] - points).max(axis=2) + np.eye(250)
    assert apart.min() > 0.04


@pytest.mark.parametrize(
    ("scale", "name"), [path.parts[-3:-1] for path in sorted(REFERENCE.glob("*/*/tables"))]
)
def test_what_is_said_of_a_study_is_borne_out_by_its_tables(name, scale):
    """The sentences written by hand rest on rows of the reference: none of them is refuted."""
    folder = REFERENCE / scale / name / "tables"
    written, tables = (study(name).finding or {}).get("but", []), read_tables(folder)
    said = [statement(name, each, tables) for each in written]
    assert [each.text for each in said if each.state == "refuted"] == []


@pytest.mark.parametrize("name", STUDIES)
def test_what_is_said_names_rows_that_exist(name):
    """A query on published numbers selects at least one of config/published."""
    published = read_published(ROOT / f"config/published/{name}.csv").assign(
        verdict="holds", reproduced=0.0
    )
    finding = study(name).finding
    assert finding["found"]
    assert not finding["found"].endswith(".")
    for entry in finding.get("but", []):
        if entry.get("table", "published") == "published":
            assert len(published.query(entry["where"], engine="python")), entry["where"]


@pytest.mark.parametrize(
    ("verdict", "state"),
    [("does not hold", "holds"), ("holds", "refuted"), ("not testable here", "untested")],
)
def test_a_sentence_is_said_only_where_the_verdicts_bear_it_out(verdict, state):
    entry = {
        "text": "the signs are reversed",
        "where": "id == 'a'",
        "then": "verdict == 'does not hold'",
    }
    value = float("nan") if verdict == "not testable here" else 1.0
    made = section([("a", 1, "within", value, verdict)])
    found = statement("s", entry, made.tables)
    assert found.state == state
    absent = statement("s", entry, Tables())
    assert absent.state == "untested"


def test_a_table_that_a_reference_leaves_out_is_named_where_its_figure_would_be(tmp_path):
    (tmp_path / "tables").mkdir()
    columns = "id,kind,quantity,published,compare,source,reproduced,low,high,verdict,note,basis\n"
    (tmp_path / "tables/published.csv").write_text(columns)
    entry = SimpleNamespace(
        name="s",
        title="S",
        claim="c",
        citation="t",
        repeats=1,
        datasets=[],
        finding=None,
        scale="quick",
    )
    entry.captions = {
        "figures": {"figure1": {"caption": "A figure.", "from": ["points"]}},
        "tables": {"points": None},
    }
    made = StudySection(entry, tmp_path, {}, figures={}, left_out={"points": "one row per repeat"})
    facts = {"scale": "quick", "seed": 1, "finished": "now", "commit": ""}
    page = render_study(made, facts, [])
    assert "finished now, commit unknown." in page
    assert (
        "Figure1 is not drawn: the reference does not hold its table points (one row per repeat)."
        in page
    )
    page = render_study(StudySection(entry, tmp_path, {}), facts, [])
    assert "Figure1 is not drawn: its table points has no rows." in page


@pytest.mark.parametrize(("scale", "files"), [("quick", "s/a.svg"), ("paper", "s/a.svg, .pdf")])
def test_a_figure_names_the_files_that_a_run_of_its_scale_writes(scale, files):
    made = section([], scale=scale)
    made.__dict__ |= {
        "figures": [
            {
                "name": "a",
                "caption": "c",
                "tables": [],
                "without": [],
                "image": "",
                "width": 1,
                "height": 1,
            }
        ],
        "cards": {},
        "claims": [],
    }
    made.study.captions, made.study.claim, made.study.deviations = (
        {"figures": {}, "tables": {}},
        "c",
        [],
    )
    made.study.datasets, made._left_out, made._figures, made.outdated, made.state = (
        [],
        {},
        {},
        None,
        None,
    )
    page = render_study(made, {"scale": scale, "seed": 1, "finished": "now"}, [])
    assert f"; files: {files.replace('s/', 'figures/')}</span>" in page


def test_data_sets_that_the_plan_left_out_are_counted_as_in_a_reference():
    made = section([])
    made.study.datasets, made.cards = ("a",), {"a": {"name": "a", "available": True}}
    left_out = [("s", "gone", "not available"), ("other", "far", "too small")]
    assert (made.sets(), made.sets(left_out)) == (
        "1 of 1 data sets",
        "1 of 2 data sets, without gone",
    )
    facts = {"scale": "paper", "finished": "now", "commit": "c"}
    assert _facts_in_short([made], facts, left_out)[1] == "1 of 2 data sets"


def test_an_overview_of_a_reference_that_lacks_nothing_says_which_code_computed_it():
    made = section([])
    made.study.datasets, made.claims, made.statements, made.cards = (), [], [], {}
    made.state = State("s", "abc")
    facts = {
        "scale": "paper",
        "seed": 1,
        "finished": "now",
        "commit": "abc",
        "reference": "reference/paper",
    }
    page = render_overview([made], facts, [])
    assert "Which code computed it" in page
    assert "computed by commit abc; whether" in page
    assert "What this reference lacks" not in page


def test_a_report_says_which_studies_had_fewer_repeats_than_planned():
    studies = [study(name, "paper") for name in ("rider2013", "class_priors", "jain2017")]
    runs = [{"kept": ["rider2013", "class_priors"], "max_repeats": 25}, {"kept": ["jain2017"]}]
    assert list(_shortened(studies, runs)) == [
        ("rider2013", "25 of 100"),
        ("class_priors", "25 of 100 of coverage"),
    ]


def test_a_report_of_whole_studies_says_nothing_of_fewer_repeats(page, study_pages):
    assert "ewer repeats than" not in "".join([page, *study_pages.values()])


def test_the_first_screen_counts_claims_and_has_a_table_of_them_for_each_paper(page, study_pages):
    """A claim, its effect ours and theirs, in how many rows it holds, and its verdicts as chips, on both pages.

    What is counted are the tracked verdicts at paper scale, which each claim shows next to those of the smaller run.
    """
    runs = json.loads((REFERENCE / "paper/provenance.json").read_text(encoding="utf-8"))
    for name in STUDIES:
        here, at_paper = (
            pd.read_csv(REFERENCE / f"{scale}/{name}/tables/published.csv")
            .query("kind == 'claim'")
            .set_index("id")
            for scale in ("quick", "paper")
        )
        said = f"{(at_paper['verdict'] == 'holds').sum()} of {len(at_paper)} hold"
        mark = "none" if said.startswith("0 ") else "holds"  # no check mark where nothing holds
        (run,) = (run for run in runs if name in run["kept"])
        commit = ", ".join(each[:9] for each in run["commit"].split(", "))
        assert f'href="reference/{name}.html"' in page
        assert not len(here) or f'<span class="chip is-{mark}">{said}</span>' in page
        for text in (page, study_pages[name]):
            rows = re.search(rf'id="{name}-claims">.*?</table>', text, flags=re.DOTALL)
            for label, table in (
                ("this run", here),
                ("at paper scale", at_paper.reindex(here.index)),
            ):
                cell = rf'<td data-label="{label}"><span class="chip is-[\w-]+">([\w ]+)</span>'
                assert (re.findall(cell, rows[0]) if rows else []) == table["verdict"].tolist()
            heads = re.findall(r"<th[^>]*>([^<]+)", rows[0]) if rows else []
            assert not rows or heads[:3] == ["claim", "ours", "in the paper"]
            assert not rows or heads[-2:] == ["this run", "at paper scale"]
            assert not rows or f'title="commit {commit}"' in rows[0]


def test_a_trial_says_so_first_and_what_to_type(page, study_pages):
    for text, target in [(page, ""), *((study_pages[name], f"{name} ") for name in STUDIES)]:
        header = html.unescape(
            re.sub("<[^>]+>", "", text.partition("<header>")[2].partition("</header>")[0])
        )
        line = f"Trial run on small data; the papers' data: snakemake {target}--cores 8 --config scale=laptop"
        assert header.strip().startswith(line)
        assert not re.search(r"\b0 of \d+ hold", text), "counted are verdicts at paper scale"


@pytest.mark.parametrize(
    ("scale", "here", "tracked", "shown"),
    [
        ("quick", "holds", "holds", True),
        ("quick", "does not hold", "holds", True),  # tested; the verdict says how it came out
        ("quick", "not tested", "holds", False),
        ("quick", "inconclusive", "partly", False),
        ("quick", "inconclusive", "inconclusive", True),
        ("quick", "not tested", None, False),
        ("laptop", "not tested", "holds", False),
        ("paper", "not tested", None, True),
    ],
)
def test_a_finding_is_shown_only_by_a_run_that_tests_what_paper_scale_tests(
    scale, here, tracked, shown
):
    claim = {"id": "claim/a", "verdict": here, "tracked": tracked or ""}
    made = section([], finding={"found": "It holds"}, scale=scale)
    made.claims = [claim]
    assert made.found == ("It holds" if shown else "")


def test_what_a_run_did_not_test_is_no_finding_of_it(study_pages):
    for name, text in study_pages.items():
        tables = read_tables(REFERENCE / "quick" / name / "tables")
        for entry in (study(name).finding or {}).get("but", []):
            said = statement(name, entry, tables)
            assert (said.text[1:] in html.unescape(text)) == (said.state != "untested"), said.text


def test_a_claim_shows_its_effect_and_what_the_paper_says_of_it():
    row = {
        "id": "claim/a",
        "kind": "claim",
        "quantity": "Q",
        "published": np.nan,
        "compare": "median",
        "table": "t",
        "where": "",
        "then": "ratio < @much",
        "effect": "corrected over uncorrected error",
        "theirs": "excellent",
        "reproduced": 0.0872,
        "low": 0.0112,
        "high": 0.165,
        "verdict": "partly",
        "k": 2,
        "n": 3,
        "note": "N",
        "basis": "",
        "source": 'Section 6: "excellent performance"',
        "unit": np.nan,
        "part": "",
        "things": "",
        "by": "size",
        "reason": "R",
    }
    made = section([])
    made.tables = Tables(published=pd.DataFrame([row]))
    (claim,) = made.claims
    shown = ("value", "interval", "measure", "theirs", "rows", "reason", "status")
    assert [claim[key] for key in shown] == [
        "0.087",
        "0.011 to 0.17",
        "corrected over uncorrected error",
        '"excellent performance" (Section 6)',
        "2 of 3, by size",
        "R",
        "unexplained",
    ]
    assert made.counts == [("none", "0 of 1 hold"), ("partly", "1 partly")]
    (axis,) = ratios([made]).axes
    bar, *points = axis.collections
    assert [path.vertices[:, 0].tolist() for path in bar.get_paths()] == [[0.0112, 0.165]]
    assert [place[0] for dots in points for place in dots.get_offsets()] == [0.0872]
    assert axis.lines[0].get_xdata()[0] == pytest.approx(1 / 3)
    share = {**row, "compare": "share", "reproduced": 0.68}
    made = section([])
    made.tables = Tables(published=pd.DataFrame([share]))
    assert made.claims[0]["value"] == "68%"
    assert ratios([made]) is None
    made = section([])
    made.tables = Tables(published=pd.DataFrame([{**row, "reproduced": np.nan}]))
    assert made.claims[0]["value"] == "2 of 3", (
        "without an effect of one metric the rows are counted"
    )
    made = section([])
    bound = {**row, "compare": "below", "published": 0.35, "source": "S", "reproduced": 0.347}
    made.tables = Tables(published=pd.DataFrame([bound]))
    shown = [made.claims[0][key] for key in ("value", "theirs")]
    assert shown == ["0.347", "below 0.35"], "a value that rounds to its bound has one digit more"


def test_a_claim_whose_paper_says_nothing_of_its_size_has_nothing_there():
    """The column ``theirs`` is optional; a claim of an own study is in no picture of papers."""
    row = {
        "id": "claim/a",
        "kind": "claim",
        "quantity": "Q",
        "published": np.nan,
        "compare": "share",
        "table": "t",
        "where": "",
        "then": "ratio < 1",
        "effect": np.nan,
        "theirs": np.nan,
        "reproduced": 0.68,
        "low": 0.5,
        "high": 0.8,
        "verdict": "holds",
        "k": 2,
        "n": 3,
        "note": "",
        "basis": "",
        "source": "S",
        "unit": np.nan,
        "part": "",
        "things": "",
        "by": "share",
        "reason": "",
    }
    made = section([], name="my_study")
    made.tables = Tables(published=pd.DataFrame([row]))
    assert [made.claims[0][key] for key in ("value", "theirs")] == ["68%", ""]
    made = section([], name="roe2026")
    made.tables = Tables(
        published=pd.DataFrame([{**row, "compare": "median", "then": "ratio < @much"}])
    )
    (axis,) = ratios([made]).axes
    assert [label.get_text() for label in axis.get_yticklabels()] == ["Roe 2026"]
    made.study.kind = "own"
    assert ratios([made]) is None
