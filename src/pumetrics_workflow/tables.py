"""Schemas of all tables that pass between stages, and reading and writing them.

A table is a Parquet file with fixed columns and dtypes, sorted rows, and what made it in the file's metadata. It is
written under a temporary name and renamed, so a file that exists is whole; its pages carry checksums, so a damaged file
is an error and never other numbers. Records and statistics of a job share a file.
"""

import json
import os
import tempfile
from pathlib import Path

from pumetrics_workflow.provenance import made_by

__all__ = [
    "KEYS",
    "SCHEMAS",
    "available",
    "complete",
    "empty",
    "read",
    "read_all",
    "read_card",
    "read_metadata",
    "read_prepared",
    "write",
    "write_checked",
    "write_prepared",
]

_ANSWER = {
    "study": "str",
    "dataset": "str",
    "model": "str",
    "labeling": "str",
    "repeat": "int32",
}
_ANSWER |= {"metric": "str", "method": "str", "prior": "str"}

SCHEMAS = {
    # one row: an example in a labeling; `row` is its position in the prepared data
    "labelings": {
        "labeling": "str",
        "repeat": "int32",
        "row": "int32",
        "s": "int8",
        "y": "int8",
    },
    # one row: an example scored out of sample; a higher score is more positive
    "scores": {
        "labeling": "str",
        "repeat": "int32",
        "row": "int32",
        "s": "int8",
        "y": "int8",
        "score": "float64",
    },
    # one row: an estimate of the two priors by one method, next to the true ones
    "priors": {
        "dataset": "str",
        "model": "str",
        "labeling": "str",
        "repeat": "int32",
        "method": "str",
        "alpha": "float64",
        "beta": "float64",
        "alpha_true": "float64",
        "beta_true": "float64",
        "seconds": "float64",
        "status": "str",
    },
    # one row: one method's answer to one metric on one sample; `threshold` is a threshold of the score
    "records": {
        **_ANSWER,
        "truth_kind": "str",
        "estimate": "float64",
        "truth": "float64",
        "lower": "float64",
        "upper": "float64",
        "threshold": "float64",
    },
    # one row: any other number, such as a regret, a coverage, seconds, or the point of a curve at `at`
    "statistics": {
        **_ANSWER,
        "statistic": "str",
        "at": "float64",
        "value": "float64",
    },
}

_TOGETHER = {**SCHEMAS["records"], **SCHEMAS["statistics"]}  # columns of a file of answers

# Rows are written in this order, so that equal content is equal bytes whatever made it.
KEYS = {
    "labelings": ["labeling", "repeat", "row"],
    "scores": ["labeling", "repeat", "row"],
    "priors": ["dataset", "model", "labeling", "repeat", "method"],
    "records": [*_ANSWER, "truth_kind", "threshold"],
    "statistics": [*_ANSWER, "statistic", "at", "value"],
}

# A step of a curve has two values at one place; all other keys are unique.
_REPEATING = {"statistics"}
_MAY_MISS = {"lower", "upper", "threshold", "truth", "estimate", "alpha", "beta", "at", "value"}
_MAY_BE_LEFT_OUT = {"statistics": dict.fromkeys(("metric", "method", "prior"), "none")}


def empty(kind):
    """Return a table of `kind` without rows: what a stage writes for a data set that is not available."""
    import pandas as pd

    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in SCHEMAS[kind].items()})


def write(kind, table, path, **provenance):
    """Check `table` against the schema of `kind`, sort it, and write it whole or not at all.

    Parameters
    ----------
    kind : {"labelings", "scores", "priors", "records", "statistics"}
    table : pandas.DataFrame
        Numbers that may be missing (estimates, bounds, a threshold) may be left out and become NaN; so may the metric,
        method and prior of a statistic, which become "none".
    path : path-like
        Where the Parquet file goes; its folder is made.
    **provenance : str or number
        Seed, study and the like, kept in the file's metadata with :func:`pumetrics_workflow.provenance.made_by`.

    Raises
    ------
    ValueError
        If a column is missing or unknown, a required value is missing, or two rows have the same key.
    """
    write_checked({kind: table}, path, {"kind": kind, **provenance})


def write_checked(tables, path, facts):
    """Write tables by kind into one file, as :func:`write` does; a file of answers holds records and statistics.

    Parameters
    ----------
    tables : dict of str to pandas.DataFrame
    path : path-like
    facts : dict
        What the file's metadata say.
    """
    import pyarrow as pa

    parts = [
        pa.Table.from_pandas(_conform(kind, table), preserve_index=False).replace_schema_metadata()
        for kind, table in tables.items()
    ]
    _write_whole(pa.concat_tables(parts, promote_options="default"), path, facts)


def complete(kind, table):
    """Return `table` with the columns of `kind` that may be left out: numbers as NaN, names as "none"."""
    missing = dict.fromkeys((name for name in SCHEMAS[kind] if name in _MAY_MISS), float("nan"))
    names = _MAY_BE_LEFT_OUT.get(kind, {})
    defaults = {
        name: value for name, value in {**missing, **names}.items() if name not in table.columns
    }
    return table.assign(**defaults).fillna(names)


def read(kind, path):
    """Read one table of `kind`; records and statistics from a file that holds both.

    Raises
    ------
    ValueError
        If the file is damaged or has another schema; the message says which file to delete.
    """
    return _read_kind(kind, path).to_pandas().astype(SCHEMAS[kind])


def read_all(kind, paths):
    """Read many tables of `kind` as one, in the order of the schema's keys whatever the order of `paths`.

    Text is kept as codes until the rows are in order, which takes a third of the memory.
    """
    import pandas as pd
    import pyarrow as pa

    schema = SCHEMAS[kind]
    text = [name for name, dtype in schema.items() if dtype == "str"]
    tables = [
        table
        for table in (_read_kind(kind, path, read_dictionary=text) for path in paths)
        if len(table)
    ]
    if not tables:
        return empty(kind)
    coded = pa.concat_tables(tables).unify_dictionaries().to_pandas(ignore_metadata=True)
    del tables
    for name in text:
        coded[name] = coded[name].cat.reorder_categories(sorted(coded[name].cat.categories))
    coded = coded.sort_values(KEYS[kind], kind="stable", ignore_index=True)
    return pd.DataFrame(
        {name: coded.pop(name).astype(dtype) for name, dtype in schema.items()}, copy=False
    )


def read_metadata(path):
    """Return the provenance that :func:`write` put into a table's metadata, as a dict.

    Raises
    ------
    ValueError
        If the file is damaged or was not written by this module.
    """
    import pyarrow.parquet as pq

    metadata = _undamaged(path, pq.read_schema).metadata or {}
    if b"pumetrics" not in metadata:
        raise ValueError(
            f"{path} was not written by this workflow: delete it and rerun to rebuild it"
        )
    return json.loads(metadata[b"pumetrics"])


def write_prepared(frame, card, path, card_path):
    """Write the prepared data of a data set and their card.

    Parameters
    ----------
    frame : pandas.DataFrame or None
        Features (float32 or category) and, last, ``y`` (int8, 0 and 1); None if the data are not available.
    card : dict
        What the data are: name, source, hashes, counts; or ``name`` and ``reason`` of data that are not available.
    path, card_path : path-like
        Where the Parquet and the JSON file go.

    Raises
    ------
    ValueError
        If the table is not of this form, or the card of data that are not available gives no reason.
    """
    import pandas as pd
    import pyarrow as pa

    if frame is None and not card.get("reason"):
        raise ValueError(
            f"{path}: the card of unavailable data must give the reason under 'reason'"
        )
    if frame is not None:
        _check_prepared(frame, path)
    facts = {"kind": "prepared", "available": frame is not None}
    table = pd.DataFrame({"y": pd.Series(dtype="int8")}) if frame is None else frame
    _write_whole(pa.Table.from_pandas(table, preserve_index=False), path, facts)
    text = json.dumps({"available": frame is not None, **card}, indent=1)
    Path(card_path).write_text(text, encoding="utf-8")


def read_prepared(path):
    """Read prepared data: features and ``y``, no row if the data set is not available.

    Raises
    ------
    ValueError
        If the file is damaged or does not hold prepared data.
    """
    available(path)
    return _undamaged(path, _read_table).to_pandas()


def available(path):
    """Whether a data set is available, by its prepared data.

    Raises
    ------
    ValueError
        If the file is damaged or does not hold prepared data.
    """
    facts = read_metadata(path)
    if facts["kind"] != "prepared":
        raise ValueError(f"{path} holds {facts['kind']}, not prepared data")
    return facts["available"]


def read_card(path):
    """Read the card of a data set: a dict whose ``available`` is true, or false with a ``reason``."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def _check_prepared(frame, path):
    """Raise ValueError unless `frame` is what :func:`write_prepared` describes."""
    names = list(frame.columns)
    if (
        not names
        or names[-1] != "y"
        or str(frame["y"].dtype) != "int8"
        or not frame["y"].isin([0, 1]).all()
    ):
        raise ValueError(
            f"{path}: the last column of prepared data must be y, int8, 0 and 1; columns are {names}"
        )
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: two features of prepared data have the same name: {names}")
    for name in names[:-1]:
        dtype = str(frame[name].dtype)
        if dtype not in ("float32", "category"):
            raise ValueError(
                f"{path}: feature {name} is {dtype}; prepared features are float32 or category"
            )


def _write_whole(arrow, path, facts):
    """Write a table with its provenance under a temporary name, then rename it."""
    import pyarrow.parquet as pq

    from pumetrics import __version__

    text = json.dumps({"version": __version__, **facts, **made_by()}, sort_keys=True)
    metadata = {**(arrow.schema.metadata or {}), b"pumetrics": text.encode()}
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        table = arrow.replace_schema_metadata(metadata)
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _read_kind(kind, path, **options):
    """Read a table of `kind` as Arrow's; raises as :func:`read` does."""
    table = _undamaged(path, _read_table, **options)
    if table.column_names == list(_TOGETHER):
        import pyarrow.compute as pc

        is_statistic = pc.is_valid(table["statistic"])
        table = table.filter(
            is_statistic if kind == "statistics" else pc.invert(is_statistic)
        ).select(SCHEMAS[kind])
    if table.column_names != list(SCHEMAS[kind]):
        raise ValueError(
            f"{path} is not a table of {kind}: its columns are {', '.join(table.column_names)}"
        )
    return table


def _read_table(path, **options):
    import pyarrow.parquet as pq

    return pq.read_table(path, partitioning=None, page_checksum_verification=True, **options)


def _undamaged(path, reader, **options):
    """Return what `reader` makes of a file; a ValueError that says what to do if the file is damaged."""
    import pyarrow as pa

    try:
        return reader(path, **options)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowInvalid) as error:
        raise ValueError(
            f"{path} is damaged ({error}): delete it and rerun to rebuild it"
        ) from None


def _conform(kind, table):
    """Return `table` with the columns, dtypes and order of `kind`."""
    schema = SCHEMAS[kind]
    unknown = [name for name in table.columns if name not in schema]
    if unknown:
        way_out = "what else names a row can be part of labeling or statistic"
        raise ValueError(
            f"{kind}: unknown columns {', '.join(unknown)}; allowed are {', '.join(schema)}; {way_out}"
        )
    table = complete(kind, table)
    missing = [name for name in schema if name not in table.columns]
    if missing:
        raise ValueError(f"{kind}: missing columns {', '.join(missing)}")
    for name in schema:
        if name not in _MAY_MISS and table[name].isna().any():
            raise ValueError(f"{kind}: column {name} has {table[name].isna().sum()} missing values")
    table = table.reindex(columns=list(schema)).astype(schema)
    table = table.sort_values(KEYS[kind], kind="stable", ignore_index=True)
    if kind not in _REPEATING and table.duplicated(KEYS[kind]).any():
        row = table.loc[table.duplicated(KEYS[kind]), KEYS[kind]].iloc[0].to_dict()
        raise ValueError(f"{kind}: two rows for {row}")
    return table
