"""The five doors: the schema of every table that passes between stages, and reading and writing them.

A table is a Parquet file with fixed columns and dtypes, sorted rows, and its provenance in the file's metadata. It is
written under a temporary name and renamed, so a file that exists is whole.
"""

import json
import os
import tempfile
from pathlib import Path

__all__ = ["DOORS", "KEYS", "empty", "read", "read_all", "read_metadata", "write"]

DOORS = {
    # one row: an example in a labeling; `row` is its position in the prepared data
    "labelings": {"labeling": "str", "repeat": "int32", "row": "int32", "s": "int8", "y": "int8"},
    # one row: an example scored out of sample; a higher score is more positive
    "scores": {"labeling": "str", "repeat": "int32", "row": "int32", "s": "int8", "y": "int8", "score": "float64"},
    # one row: an estimate of the two priors by one method, beside the true ones
    "priors": {
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
    # one row: one method's answer to one metric
    "records": {
        "study": "str",
        "dataset": "str",
        "model": "str",
        "labeling": "str",
        "repeat": "int32",
        "metric": "str",
        "method": "str",
        "prior": "str",
        "truth_kind": "str",
        "estimate": "float64",
        "truth": "float64",
        "lower": "float64",
        "upper": "float64",
        "threshold": "float64",
    },
}

# Rows are written in this order, so that equal content is equal bytes whatever made it.
KEYS = {
    "labelings": ["labeling", "repeat", "row"],
    "scores": ["labeling", "repeat", "row"],
    "priors": ["labeling", "repeat", "method"],
    "records": [
        "study",
        "dataset",
        "model",
        "labeling",
        "repeat",
        "metric",
        "method",
        "prior",
        "truth_kind",
        "threshold",
    ],
}

_OPTIONAL = {"lower", "upper", "threshold", "truth", "estimate", "alpha", "beta"}


def empty(door):
    """Return a table of `door` without rows: what a stage writes for a data set that is not available."""
    import pandas as pd

    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in DOORS[door].items()})


def write(door, table, path, **provenance):
    """Check `table` against the schema of `door`, sort it, and write it whole or not at all.

    Parameters
    ----------
    door : {"labelings", "scores", "priors", "records"}
    table : pandas.DataFrame
        Columns left out of the records door that may be missing (bounds, threshold) are filled with NaN.
    path : path-like
        Where the Parquet file goes; its folder is made.
    **provenance : str or number
        Seed, scale, hashes and the like, kept in the file's metadata.

    Raises
    ------
    ValueError
        If a column is missing or unknown, or a required value is missing.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from pumetrics import __version__

    table = _conform(door, table)
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    facts = {"door": door, "version": __version__, **provenance}
    metadata = {**(arrow.schema.metadata or {}), b"pumetrics": json.dumps(facts, sort_keys=True).encode()}
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        pq.write_table(arrow.replace_schema_metadata(metadata), temporary, compression="zstd")
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def read(door, path):
    """Read one table of `door`.

    Raises
    ------
    ValueError
        If the file is damaged or is not a table of this door; the message says which file to delete.
    """
    return _read_arrow(door, path).to_pandas()


def read_all(door, paths):
    """Read many tables of `door` as one, in the order of the door's keys whatever the order of `paths`.

    Text is kept as codes until the rows are in order, which takes a third of the memory.
    """
    import pandas as pd
    import pyarrow as pa

    schema = DOORS[door]
    text = [name for name, dtype in schema.items() if dtype == "str"]
    tables = [table for table in (_read_arrow(door, path, read_dictionary=text) for path in paths) if len(table)]
    if not tables:
        return empty(door)
    coded = pa.concat_tables(tables).unify_dictionaries().to_pandas(ignore_metadata=True)
    del tables
    for name in text:
        coded[name] = coded[name].cat.reorder_categories(sorted(coded[name].cat.categories))
    coded = coded.sort_values(KEYS[door], kind="stable", ignore_index=True)
    return pd.DataFrame({name: coded.pop(name).astype(dtype) for name, dtype in schema.items()}, copy=False)


def _read_arrow(door, path, **options):
    """Read a table of `door` as Arrow's; raises as :func:`read` does."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, partitioning=None, **options)
    except (OSError, pa.ArrowInvalid) as error:
        raise ValueError(f"{path} is damaged ({error}): delete it and run again, it will be made anew") from None
    if table.column_names != list(DOORS[door]):
        raise ValueError(f"{path} is not a table of {door}: its columns are {', '.join(table.column_names)}")
    return table


def read_metadata(path):
    """Return the provenance that :func:`write` put into a table's metadata, as a dict."""
    import pyarrow.parquet as pq

    return json.loads(pq.read_schema(path).metadata[b"pumetrics"])


def _conform(door, table):
    """Return `table` with the columns, dtypes and order of `door`."""
    schema = DOORS[door]
    unknown = [name for name in table.columns if name not in schema]
    if unknown:
        raise ValueError(f"{door}: unknown columns {', '.join(unknown)}; allowed are {', '.join(schema)}")
    missing = [name for name in schema if name not in table.columns and name not in _OPTIONAL]
    if missing:
        raise ValueError(f"{door}: missing columns {', '.join(missing)}")
    table = table.reindex(columns=list(schema)).astype(schema)
    for name in schema:
        if name not in _OPTIONAL and table[name].isna().any():
            raise ValueError(f"{door}: column {name} has {table[name].isna().sum()} missing values")
    return table.sort_values(KEYS[door], kind="stable", ignore_index=True)
