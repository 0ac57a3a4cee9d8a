"""The registry, sets of one's own, positive rules, encoding, generated sets, tables."""

import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from pumetrics_workflow.cli.datasets import available_from, dataset_details, dataset_rows
from pumetrics_workflow.datasets import encode, encoded_names, fetch, load_registry, prepare
from pumetrics_workflow.datasets.generators import GENERATORS, generate
from pumetrics_workflow.datasets.parse import PARSERS
from pumetrics_workflow.datasets.prepare import content_hash
from pumetrics_workflow.plan import papers_of_sets

ROOT = Path(__file__).parents[2]
REGISTRY = load_registry(ROOT / "config" / "datasets.yaml")
MIRROR = os.environ.get(
    "PUMETRICS_MIRROR"
)  # a folder of raw files: then every set in it is checked as well
IN_MIRROR = [
    name for name, dataset in REGISTRY.items() if "mirror" in available_from(dataset, mirror=MIRROR)
]

WITHOUT_FILES = REGISTRY.of_kind("embedded", "generated")


# ---------------------------------------------------------------- the registry


@pytest.mark.parametrize("name", REGISTRY)
def test_an_entry_is_whole(name):
    dataset = REGISTRY[name]
    assert dataset.kind == "unavailable" or 0 < dataset.positives < dataset.rows
    assert not dataset.stand_in or dataset.stand_in in REGISTRY
    assert bool(dataset.unavailable) == (dataset.kind == "unavailable")
    if dataset.kind == "download":
        assert dataset.license
        assert dataset.citation
        assert dataset.positive["because"], "a positive rule must say why"
        for alternative in dataset.variants():
            assert alternative.parser in PARSERS
            assert all(file.sha256 or file.url for file in alternative.files), (
                "no hash and no official place"
            )
            assert all(file.member or not file.url.endswith(".zip") for file in alternative.files)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*WITHOUT_FILES, *IN_MIRROR])
def test_a_set_is_what_its_entry_says(name, tmp_path):
    dataset = REGISTRY[name]
    frame, card = prepare(
        dataset, fetch(dataset, tmp_path, mirror=MIRROR, offline=True).paths or None
    )
    assert (card["rows"], card["features"], card["positives"]) == (
        dataset.rows,
        dataset.features,
        dataset.positives,
    )
    assert card["missing"] == dataset.missing == frame.isna().to_numpy().sum()
    assert card["encoded"] == encode(frame.head(9)).shape[1] == len(encoded_names(frame))
    assert not dataset.encoded or card["encoded"] == dataset.encoded
    assert content_hash(frame) == dataset.content.get("hash", content_hash(frame))
    assert list(frame.columns)[-1] == "y"
    assert set(map(str, frame.dtypes)) <= {"float32", "category", "int8"}
    assert np.isfinite(encode(frame.head(50))).all()


def write(folder, text, name="registry.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def entry_text(**changes):
    entry = {
        "title": "T",
        "kind": "download",
        "rows": 4,
        "features": 1,
        "positives": 2,
        "parser": "delimited",
        "files": [{"name": "t.csv", "url": "https://example.org/t.csv"}],
        "target": "c",
        "positive": {"classes": ["a"]},
    }
    return yaml.safe_dump({"mine": {**entry, **changes}})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"positve": {}}, "mine: unknown key 'positve'; did you mean 'positive'"),
        ({"files": [{"name": "t.csv", "sha256": "abc"}]}, "mine.files.0.sha256: "),
        ({"options": {"seperator": ";"}}, "mine.options: unknown key 'seperator'"),
        ({"positive": {"above": "average"}}, "mine.positive.above: "),
    ],
)
def test_a_wrong_entry_is_one_line_that_names_it(tmp_path, changes, words):
    with pytest.raises(ValueError, match=rf"^.*registry\.yaml: {words}") as caught:
        load_registry(write(tmp_path, entry_text(**changes)))
    assert "\n" not in str(caught.value)


def test_an_unknown_set_is_told_its_nearest_name():
    with pytest.raises(ValueError, match="unknown data set 'mushrom'; did you mean 'mushroom'"):
        REGISTRY["mushrom"]


# ---------------------------------------------------------------- a set of one's own


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_own_file_becomes_a_set_by_one_entry(tmp_path, ending):
    table = pd.DataFrame(
        {
            "size": [1.5, None, 3.0, 4.0],
            "hue": ["red", "blue", "red", None],
            "outcome": ["ill", "well", "ill", "well"],
        }
    )
    table.to_csv(tmp_path / "own.csv", index=False) if ending == "csv" else table.to_parquet(
        tmp_path / "own.parquet"
    )
    text = f"own: {{title: Own, kind: download, path: own.{ending}, target: outcome, positive: {{classes: [ill]}}}}"
    dataset = load_registry(ROOT / "config/datasets.yaml", write(tmp_path, text))["own"]
    assert (dataset.rows, dataset.features, dataset.positives, dataset.missing) == (4, 2, 2, 2)
    frame, card = prepare(dataset, fetch(dataset, tmp_path / "raw", offline=True))
    assert card["nominal_features"] == ["hue"]
    np.testing.assert_array_equal(encode(frame), [[1.5, 0, 1], [3, 1, 0], [3, 0, 1], [4, 0, 0]])
    assert available_from(dataset) == ["own file"]


def test_an_own_file_that_is_not_there_is_named(tmp_path):
    text = "own: {title: Own, kind: download, path: own.csv, target: c, positive: {classes: [a]}}"
    with pytest.raises(ValueError, match=r"own\.path: .*own\.csv does not exist"):
        load_registry(write(tmp_path, text))
    (tmp_path / "own.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"own: .*no column 'c', the columns are a, b"):
        load_registry(tmp_path / "registry.yaml")


def own(folder, content, *, sep=",", **changes):
    """The data set `own` of a text file with the class in column `outcome`, and the path of the file."""
    path = write(folder, content, "own.csv")
    entry = {
        "title": "Own",
        "kind": "download",
        "path": "own.csv",
        "target": "outcome",
        "options": {"sep": sep},
    }
    entry |= {"positive": {"classes": ["ill"]}, **changes}
    return load_registry(write(folder, yaml.safe_dump({"own": entry})))["own"], path


ROWS = [
    ("a", "hue", "outcome"),
    ("1.5", "red", "ill"),
    ("2", "blue", "well"),
    ("0.5", "red", "ill"),
    ("4", "", "well"),
]


def text_of(rows, sep=","):
    return "\n".join(map(sep.join, rows)) + "\n"


def with_values(*values, column=0, sep=","):
    """The rows with other values in a column, in the text of a file."""
    rows = [list(row) for row in ROWS]
    for row, value in zip(rows[1:], values, strict=True):
        row[column] = value
    return text_of(rows, sep)


@pytest.mark.parametrize("mark", ["", "NaN", "None", ".", "-", "?", "#N/A", " NA "])
def test_a_mark_of_a_missing_value_leaves_a_column_numeric(tmp_path, mark):
    dataset, path = own(tmp_path, with_values("1.5", mark, "0.5", mark))
    frame, card = prepare(dataset, {"own.csv": path})
    assert (card["nominal_features"], card["missing"], dataset.missing) == (["hue"], 3, 3)
    np.testing.assert_array_equal(frame["a"], np.float32([1.5, np.nan, 0.5, np.nan]))


def test_marks_are_values_in_a_column_of_text(tmp_path):
    dataset, path = own(tmp_path, with_values("NA", "None", "null", "red", column=1))
    _, card = prepare(dataset, {path.name: path})
    assert (card["nominal_features"], card["missing"]) == (["hue"], 0)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("1,5", "2", "0,5", "4"), "'1,5' (1), '0,5' (1)"),
        (("1", "2", "3", "missing"), "'missing' (1)"),
    ],
)
def test_a_column_of_numbers_that_would_become_nominal_is_refused_with_its_values(
    tmp_path, values, said
):
    with pytest.raises(ValueError, match=r"own: .*column 'a' is mostly numbers") as caught:
        own(tmp_path, with_values(*values, sep=";"), sep=";")
    assert said in str(caught.value)
    assert "options.missing" in str(caught.value)


@pytest.mark.parametrize("nominal", ["auto", ["hue"]])
def test_a_point_that_may_separate_thousands_is_refused(tmp_path, nominal):
    options = {"options": {"nominal": nominal}}
    with pytest.raises(
        ValueError, match=r"column 'a' holds '1\.234' and '950': if the point separates thousands"
    ):
        own(tmp_path, with_values("1.234", "950", "3.294", "17"), **options)
    for values in (("0.234", "1", "0.294", "0"), ("1.234", "2.500", "3.294", "1.000")):
        dataset, path = own(tmp_path, with_values(*values), **options)
        frame, _ = prepare(dataset, {"own.csv": path})
        np.testing.assert_array_equal(frame["a"], np.float32(values))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (text_of(ROWS).replace("red,ill", '"red,ill', 1), "the quote in line 2 is open"),
        (
            text_of([*ROWS[:2], ("3", '"blue', "well"), *ROWS[2:4], ("5", 'x"', "ill")]),
            "the quote in line 3 is open",
        ),
        (text_of([*ROWS, ("5", "red")]), "line 6 has fewer fields than the 3 columns"),
        (text_of([ROWS[0][1:], *ROWS[1:]]), "its rows have more fields than the header"),
        (text_of([*ROWS, ("5", "red", "ill", "more")]), "Expected 3 fields in line 6, saw 4"),
        (text_of([*ROWS, ("1e39", "red", "ill")]), "column 'a' holds 1e+39"),
    ],
)
def test_rows_that_would_be_read_wrong_are_refused_with_their_line(tmp_path, content, said):
    with pytest.raises(ValueError, match=r"registry\.yaml: own: ") as caught:
        own(tmp_path, content)
    assert said in str(caught.value), caught.value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"positive": {"classes": ["sick"]}},
            "no row of class 'sick': 'outcome' holds 'ill' (2), 'well' (2)",
        ),
        ({"positive": {"classes": ["Ill"]}}, "did you mean 'ill'?"),
        ({"positive": {"classes": ["ill"], "against": ["wel"]}}, "no row of class 'wel'"),
        (
            {"positive": {"above": 1}},
            "the target 'outcome' holds 'ill' (2), 'well' (2), the rule needs numbers",
        ),
        (
            {"positives": 3, "missing": 0},
            "own.csv has 2 positives, expected 3; 1 missing, expected 0",
        ),
    ],
)
def test_what_an_own_file_does_not_hold_is_named_with_what_it_holds(tmp_path, changes, said):
    with pytest.raises(ValueError, match="own: ") as caught:
        own(tmp_path, text_of(ROWS), **changes)
    assert said in str(caught.value), caught.value


@pytest.mark.parametrize("mark", ["NA", "null"])
def test_a_class_that_may_mark_a_missing_one_is_not_taken_for_negative(tmp_path, mark):
    content = with_values("ill", "well", "ill", mark, column=2)
    with pytest.raises(ValueError, match=rf"the target 'outcome' holds '{mark}' \(1\)"):
        own(tmp_path, content)
    left_out, _ = own(tmp_path, content, options={"missing": [mark]})
    assert (left_out.rows, left_out.positives) == (3, 2)
    negative, _ = own(tmp_path, content, positive={"classes": ["ill"], "against": ["well", mark]})
    assert (negative.rows, negative.positives) == (4, 2)


def test_an_own_file_without_a_hash_is_not_called_a_known_one(tmp_path):
    dataset, path = own(tmp_path, text_of(ROWS))
    report = fetch(dataset, tmp_path / "raw", strict=True)
    assert (report.known, report.warning) == (False, "")
    assert prepare(dataset, report)[1]["known"] is False
    stated, _ = own(tmp_path, text_of(ROWS), sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    assert fetch(stated, tmp_path / "hashed", strict=True).known


def test_a_raw_file_that_was_altered_since_it_was_fetched_is_refused(tmp_path):
    dataset, _ = own(tmp_path, text_of(ROWS))
    report = fetch(dataset, tmp_path / "raw")
    before = prepare(dataset, report)[1]["sha256"]
    report.paths["own.csv"].write_text(text_of(ROWS).replace("0.5", "0.6"))
    with pytest.raises(
        ValueError,
        match=r"own: .*raw/own\.csv was altered since it was fetched; delete .*raw and .*",
    ):
        prepare(dataset, report)
    assert prepare(dataset, fetch(dataset, tmp_path / "raw"))[1]["sha256"] == before, (
        "and fetched again"
    )


# ---------------------------------------------------------------- positives, encoding, generated sets


@pytest.mark.parametrize(
    ("rule", "y"),
    [
        ({"classes": ["3", "1"]}, [1, 0, 1, 0]),
        ({"classes": [3]}, [0, 0, 1, 0]),
        ({"classes": ["3"], "against": ["1"]}, [0, 1]),
        ({"above": "mean"}, [0, 0, 1, 1]),
        ({"above": "median"}, [0, 0, 1, 1]),
        ({"above": 2}, [0, 0, 1, 1]),
        ({"at_least": 2}, [0, 1, 1, 1]),
        ({"below": 2}, [1, 0, 0, 0]),
    ],
)
def test_positive_rules(tmp_path, rule, y):
    (tmp_path / "t.csv").write_text("x,c\n5,1\n6,2\n7,3\n8,4\n9,\n")
    entry = {"title": "T", "kind": "download", "path": "t.csv", "target": "c", "positive": rule}
    dataset = load_registry(write(tmp_path, yaml.safe_dump({"t": entry})))["t"]
    frame, _ = prepare(dataset, {"t.csv": tmp_path / "t.csv"})
    assert frame["y"].tolist() == y, "a row without a class must be left out"


def test_generated_sets_depend_on_name_and_seed_alone():
    first = generate("gaussians", {"size": 200})
    again = generate("gaussians", {"size": 200})
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(generate("gaussians_rare", {"size": 200}))
    assert not first.equals(generate("gaussians", {"size": 200}, seed=1))
    with pytest.raises(ValueError, match="no generator for 'moons'"):
        generate("moons")


@pytest.mark.parametrize("name", GENERATORS)
def test_a_generator_gives_exact_numbers(name):
    frame = generate(name, {"size": 400, "dimension": 6, "share": 0.3})
    assert frame.shape == (400, 7)
    assert frame["y"].sum() == 120
    assert frame["y"].head(120).sum() < 120, "the rows must be in random order"


# ---------------------------------------------------------------- tables


def test_tables_show_every_set():
    rows = dataset_rows(REGISTRY, papers=papers_of_sets(ROOT))
    by_name = {row["name"]: row for row in rows}
    assert list(by_name) == list(REGISTRY)
    assert by_name["mushroom"]["positives"] == "48.2%"
    assert by_name["mushroom"]["papers"] == "jain2017 ramola2019"
    places = [by_name[name]["available from"] for name in ("mushroom", "parkinsons", "estate")]
    assert places == ["UCI, OpenML", "UCI", ""], "an unverified number at OpenML is no source"
    for name, entry in REGISTRY.items():
        details = {row[""]: row[name] for row in dataset_details(entry)}
        assert details["title"] == entry.title


@pytest.mark.parametrize(("name", "error"), [("twonorm", 0.023), ("threenorm", 0.105)])
def test_the_best_rule_errs_on_breimans_sets_as_often_as_he_prints(name, error):
    """Breiman (1996), "Bias, variance, and arcing classifiers", appendix."""
    size = 100_000
    a = 2 / np.sqrt(20)
    frame = generate(name, {"size": size})
    x = frame.drop(columns="y").to_numpy()
    alternating = np.where(np.arange(20) % 2 == 0, a, -a)
    if name == "twonorm":
        positive = x.sum(axis=1) > 0
    else:
        positive = np.logaddexp(a * x.sum(axis=1), -a * x.sum(axis=1)) - np.log(2) > x @ alternating
    assert np.mean(positive != frame["y"]) == pytest.approx(
        error, abs=0.0005 + 4 * np.sqrt(error / size)
    )
