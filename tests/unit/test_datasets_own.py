"""Own data sets: read as score files are, and what is no feature or class is named."""

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import answered, run

N = 160
LAB = np.where(np.arange(N) < 60, "ill", "well")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def table(**columns):
    m = np.random.default_rng(0).normal(size=N).round(3)
    return pd.DataFrame({"m": m, **columns, "outcome": columns.get("outcome", LAB)})


def shown(path, *, positive="[ill]", extra=""):
    """Standard output of `datasets show`, and the lines of its refusal."""
    entry = f"own:\n  title: T\n  kind: download\n  path: {path}\n  target: outcome\n"
    entry += f"  positive: {{classes: {positive}}}\n"
    Path("own.yaml").write_text(entry + extra, encoding="utf-8")
    result = run("datasets", "--registry", "own.yaml", "show", "own")
    return result, result.stderr.strip().splitlines()


def latin(frame, path):
    frame.rename(columns={"m": "Größe"}).to_csv(path, index=False, encoding="latin-1")


WRITERS = {
    "own.csv": lambda frame, path: frame.to_csv(path, index=False),
    "semicolons.csv": lambda frame, path: frame.to_csv(path, index=False, sep=";"),
    "commas.csv": lambda frame, path: frame.to_csv(path, index=False, sep=";", decimal=","),
    "tabs.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "latin.csv": latin,
    "packed.csv.gz": lambda frame, path: Path(path).write_bytes(
        gzip.compress(frame.to_csv(index=False).encode())
    ),
    "own.parquet": lambda frame, path: frame.to_parquet(path),
}


@pytest.mark.parametrize("path", WRITERS)
def test_files_are_read_as_those_of_scores(path):
    WRITERS[path](table(town=np.where(np.arange(N) % 3, "NA", "Oslo")), path)
    text = answered(shown(path)[0])
    assert "60 (37.5%)" in text
    assert "town" in text.split("nominal columns")[1]
    assert re.search(r"\brows +160\b", text)
    assert re.search(r"\bfeatures +2\b", text)


CASES = np.where(np.arange(N) % 3 == 0, np.char.capitalize(LAB.astype(str)), LAB)
PATIENTS = [f"P{k:04d}" for k in range(N)]
SECONDS = 1_700_000_000 + np.arange(N)
BAD = {
    "a name in every row": ({"patient": PATIENTS}, "column 'patient' has 160 levels in 160 rows"),
    "dates": ({"day": pd.date_range("2020", periods=N).astype(str)}, "column 'day' has 160 levels"),
    "seconds": (
        {"at": SECONDS},
        f"160 become {len(np.unique(SECONDS.astype(np.float32)))} with the seven digits",
    ),
    "case": ({"outcome": CASES}, "'ill' and 'Ill' differ by case only"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_feature_or_class_is_named(name):
    columns, part = BAD[name]
    table(**columns).to_csv("own.csv", index=False)
    result, (line,) = shown("own.csv")
    assert result.exit_code == 2
    assert part in line


def test_such_columns_are_kept_where_they_are_listed_or_dropped():
    table(**BAD["dates"][0], **BAD["seconds"][0]).to_csv("own.csv", index=False)
    assert len(shown("own.csv")[1]) == 2
    answered(shown("own.csv", extra="  drop: [at]\n  options: {nominal: [day]}\n")[0])
    answered(shown("own.csv", extra="  drop: [at, day]\n")[0])


def test_a_saved_index_and_a_name_that_occurs_twice_are_refused():
    table().to_csv("own.csv")
    assert "'Unnamed: 0' is the index" in shown("own.csv")[1][0]
    answered(shown("own.csv", extra="  drop: ['Unnamed: 0']\n")[0])
    twice = table(k=1.0)
    twice.columns = ["m", "m", "outcome"]
    twice.to_csv("own.csv", index=False)
    assert "2 columns named 'm'" in shown("own.csv", extra="  drop: [m]\n")[1][0]


def test_words_and_numbers_that_yaml_reads_otherwise_are_to_be_quoted():
    table(outcome=np.where(LAB == "ill", "NO", "010")).to_csv("own.csv", index=False)
    for positive in ("[NO, yes]", "[on]"):
        _, lines = shown("own.csv", positive=positive)
        assert len(lines) == positive.count(",") + 1
        assert all("in quotes: 'NO'" in line for line in lines)
    assert "YAML reads 010 as 8" in shown("own.csv", positive="[010]")[1][0]
    assert "60 (37.5%)" in answered(shown("own.csv", positive="['NO']")[0])
    assert "100 (62.5%)" in answered(shown("own.csv", positive="['010']")[0])
