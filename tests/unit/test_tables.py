"""The doors keep their promises: one schema, sorted rows, whole files, provenance."""

import pandas as pd
import pytest

from pumetrics_workflow import records

PRIORS = pd.DataFrame(
    {
        "labeling": ["beta=0.9", "beta=0.9", "beta=1"],
        "repeat": [1, 0, 0],
        "method": "alphamax",
        "alpha": [0.1, 0.2, None],
        "beta": 1.0,
        "alpha_true": 0.15,
        "beta_true": 1.0,
        "seconds": 0.01,
        "status": ["ok", "ok", "failed: no scores"],
    }
)


@pytest.mark.parametrize("door", records.DOORS)
def test_an_empty_table_comes_back_with_every_column(door, tmp_path):
    records.write(door, records.empty(door), tmp_path / "t.parquet")
    assert list(records.read(door, tmp_path / "t.parquet")) == list(records.DOORS[door])


def test_equal_content_is_equal_bytes_whatever_the_order_of_rows(tmp_path):
    records.write("priors", PRIORS, tmp_path / "a.parquet", seed=1)
    records.write("priors", PRIORS.iloc[::-1], tmp_path / "b.parquet", seed=1)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_chunks_read_together_do_not_depend_on_their_order(tmp_path):
    for name, rows in (("a", slice(0, 1)), ("b", slice(1, 3))):
        records.write("priors", PRIORS.iloc[rows], tmp_path / f"{name}.parquet")
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pd.testing.assert_frame_equal(records.read_all("priors", paths), records.read_all("priors", paths[::-1]))


def test_a_failed_estimate_is_a_row_with_its_reason(tmp_path):
    records.write("priors", PRIORS, tmp_path / "t.parquet")
    failed = records.read("priors", tmp_path / "t.parquet").query("alpha.isna()")
    assert failed["status"].tolist() == ["failed: no scores"]


def test_provenance_is_kept(tmp_path):
    records.write("priors", PRIORS, tmp_path / "t.parquet", seed=7, dataset="pima")
    facts = records.read_metadata(tmp_path / "t.parquet")
    assert (facts["seed"], facts["dataset"], facts["door"]) == (7, "pima", "priors")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"colour": 1}, "unknown columns colour"),
        ({"status": None}, "column status has 3 missing values"),
    ],
)
def test_a_table_that_breaks_the_schema_is_refused(change, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        records.write("priors", PRIORS.assign(**change), tmp_path / "t.parquet")
    assert not list(tmp_path.iterdir()), "a refused table must leave nothing behind"


def test_a_missing_column_is_named(tmp_path):
    with pytest.raises(ValueError, match="missing columns method"):
        records.write("priors", PRIORS.drop(columns="method"), tmp_path / "t.parquet")


def test_a_damaged_file_is_named_with_what_to_do(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 half a file")
    with pytest.raises(ValueError, match=r"t\.parquet is damaged.*delete it"):
        records.read("priors", tmp_path / "t.parquet")


def test_a_table_of_another_door_is_refused(tmp_path):
    records.write("priors", PRIORS, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="not a table of scores"):
        records.read("scores", tmp_path / "t.parquet")
