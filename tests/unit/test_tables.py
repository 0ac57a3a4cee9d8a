"""Tables keep their promises: one schema, known names, sorted rows, whole files, checksums, provenance."""

import pandas as pd
import pytest

from pumetrics_workflow import answers, tables

PRIORS = pd.DataFrame(
    {"labeling": ["beta=0.9", "beta=0.9", "beta=1"], "repeat": [1, 0, 0], "alpha": [0.1, 0.2, None]}
)
PRIORS = PRIORS.assign(
    dataset="pima", model="mlp", method="alphamax", beta=1.0, alpha_true=0.15, beta_true=1.0
)
PRIORS = PRIORS.assign(seconds=0.01, status=["ok", "ok", "failed: no scores"])
SAMPLE = {"study": "some", "dataset": "pima", "model": "mlp", "labeling": "beta=1", "repeat": 0}
RECORD = {
    **SAMPLE,
    "metric": "roc_auc",
    "method": "direct",
    "prior": "true",
    "truth_kind": "same_scores",
    "estimate": 0.7,
    "truth": 0.8,
}
STATISTIC = {**SAMPLE, "statistic": "regret", "value": 0.1}
PREPARED = pd.DataFrame(
    {
        "size": pd.Series([1.5, None], dtype="float32"),
        "hue": pd.Categorical(["red", "blue"]),
        "y": pd.Series([1, 0], dtype="int8"),
    }
)


@pytest.mark.parametrize("kind", tables.SCHEMAS)
def test_an_empty_table_comes_back_with_every_column(kind, tmp_path):
    tables.write(kind, tables.empty(kind), tmp_path / "t.parquet")
    assert list(tables.read(kind, tmp_path / "t.parquet")) == list(tables.SCHEMAS[kind])


def test_equal_content_is_equal_bytes_whatever_the_order_of_rows(tmp_path):
    tables.write("priors", PRIORS, tmp_path / "a.parquet", seed=1)
    tables.write("priors", PRIORS.iloc[::-1], tmp_path / "b.parquet", seed=1)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_chunks_read_together_do_not_depend_on_their_order(tmp_path):
    for name, rows in (("a", slice(0, 1)), ("b", slice(1, 3))):
        tables.write("priors", PRIORS.iloc[rows], tmp_path / f"{name}.parquet")
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pd.testing.assert_frame_equal(
        tables.read_all("priors", paths), tables.read_all("priors", paths[::-1])
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"color": 1}, "unknown columns color"),
        ({"status": None}, "column status has 3 missing values"),
        ({"labeling": "beta=1", "repeat": 0}, "priors: two rows for .*'labeling': 'beta=1'"),
        ("model", "missing columns model"),
    ],
)
def test_a_table_that_breaks_the_schema_is_refused(change, message, tmp_path):
    table = PRIORS.drop(columns=change) if isinstance(change, str) else PRIORS.assign(**change)
    with pytest.raises(ValueError, match=message):
        tables.write("priors", table, tmp_path / "t.parquet")
    assert not list(tmp_path.iterdir()), "a refused table must leave nothing behind"


def test_a_damaged_file_is_named_with_what_to_do(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 half a file")
    for reader in (
        lambda path: tables.read("priors", path),
        tables.read_metadata,
        tables.available,
    ):
        with pytest.raises(ValueError, match=r"t\.parquet is damaged.*delete it"):
            reader(tmp_path / "t.parquet")


@pytest.mark.slow
def test_damaged_bytes_are_never_read_as_other_numbers(tmp_path):
    """Change every third byte of a table in turn: it is refused, or says what it said, whichever byte it is."""
    path = tmp_path / "t.parquet"
    tables.write("priors", PRIORS, path)
    content, whole = path.read_bytes(), tables.read("priors", path)
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refused = 0
    for place in range(4, footer, 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            table = tables.read("priors", path)
        except ValueError:
            refused += 1
        else:
            pd.testing.assert_frame_equal(table, whole)
    assert refused > 0.5 * footer / 3


def test_records_and_statistics_of_a_job_share_a_file(tmp_path):
    answers.write_answers([RECORD, STATISTIC], tmp_path / "t.parquet", seed=1)
    assert tables.read_metadata(tmp_path / "t.parquet")["kind"] == "answers"
    records, statistics = (
        tables.read(kind, tmp_path / "t.parquet") for kind in ("records", "statistics")
    )
    pd.testing.assert_frame_equal(records, tables.read_all("records", [tmp_path / "t.parquet"]))
    assert {name: str(dtype) for name, dtype in records.dtypes.items()} == tables.SCHEMAS["records"]
    assert records[["metric", "estimate"]].to_numpy().tolist() == [["roc_auc", 0.7]]
    assert statistics[["metric", "method", "prior", "statistic", "value"]].to_numpy().tolist() == [
        ["none", "none", "none", "regret", 0.1]
    ]
    assert records["threshold"].isna().all()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**STATISTIC, "truth": 1.0}, "statistics: .* column truth"),
        ({**RECORD, "at": 1.0}, "records: .* column at"),
    ],
)
def test_a_row_with_values_of_both_kinds_is_refused(row, message):
    with pytest.raises(ValueError, match=message):
        answers.split_answers([row])


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (
            "records",
            {"metric": "roc_auk"},
            "records: metric 'roc_auk' is not in any registry; did you mean 'roc_auc'",
        ),
        ("records", {"metric": "none"}, "records: metric 'none' is not in any registry"),
        ("records", {"method": "count"}, "records: method 'count' is not in any registry"),
        (
            "records",
            {"method": "direct:hull"},
            "records: method 'direct:hull' is not in any registry",
        ),
        ("records", {"prior": "0.25"}, "records: prior '0.25' is not in any registry"),
        (
            "records",
            {"truth_kind": "exakt"},
            "records: truth_kind 'exakt' is not in any registry; did you mean 'exact'",
        ),
        ("statistics", {"metric": "x1"}, "statistics: metric 'x1' is not in any registry"),
        ("statistics", {"method": "line"}, "statistics: method 'line' is not in any registry"),
        ("statistics", {"prior": "c=1"}, "statistics: prior 'c=1' is not in any registry"),
    ],
)
def test_a_name_that_no_registry_has_is_refused(kind, change, message, tmp_path):
    row = {"records": RECORD, "statistics": STATISTIC}[kind]
    with pytest.raises(ValueError, match=message):
        answers.write_answers([{**row, **change}], tmp_path / "t.parquet")


def test_prepared_data_come_back_as_they_are_with_their_card(tmp_path):
    paths = tmp_path / "pima.parquet", tmp_path / "pima.json"
    tables.write_prepared(PREPARED, {"name": "pima", "rows": 2}, *paths)
    assert tables.available(paths[0])
    pd.testing.assert_frame_equal(tables.read_prepared(paths[0]), PREPARED)
    assert tables.read_card(paths[1]) == {"available": True, "name": "pima", "rows": 2}


def test_data_that_are_not_available_have_no_row_and_a_reason(tmp_path):
    paths = tmp_path / "gone.parquet", tmp_path / "gone.json"
    tables.write_prepared(None, {"name": "gone", "reason": "no mirror has it"}, *paths)
    assert not tables.available(paths[0])
    assert len(tables.read_prepared(paths[0])) == 0
    assert tables.read_card(paths[1]) == {
        "available": False,
        "name": "gone",
        "reason": "no mirror has it",
    }
    with pytest.raises(ValueError, match="must give the reason"):
        tables.write_prepared(None, {"name": "gone"}, *paths)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (PREPARED[["y", "size"]], "last column of prepared data must be y"),
        (PREPARED.assign(y=[1.0, 0.0]), "last column of prepared data must be y, int8"),
        (PREPARED.assign(y=pd.Series([1, -1], dtype="int8")), "0 and 1"),
        (
            PREPARED.assign(size=[1.0, 2.0]),
            "feature size is float64; prepared features are float32 or category",
        ),
        (PREPARED.assign(hue=["red", "blue"]), "feature hue is"),
    ],
)
def test_prepared_data_of_another_form_are_refused(frame, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        tables.write_prepared(
            frame, {"name": "pima"}, tmp_path / "pima.parquet", tmp_path / "pima.json"
        )
    assert not list(tmp_path.iterdir())
