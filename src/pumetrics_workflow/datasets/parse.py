"""Parsers: raw files to a table whose nominal, ordinal and missing values are kept as such."""

import io
import pickle
from pathlib import Path

import numpy as np

__all__ = ["PARSERS", "parse", "typed"]


def parse(alternative, paths, *, target):
    """Read the raw files of one alternative of a data set.

    Parameters
    ----------
    alternative : Alternative
        Files, parser and its options.
    paths : mapping of str to path
        Where each file of the alternative lies, by name.
    target : str
        Column that holds the class; kept as text, or as a number where all its values are numbers.

    Returns
    -------
    pandas.DataFrame
        Numeric columns as float64 with NaN for missing values, nominal and ordinal ones as category.

    Raises
    ------
    ValueError
        If a file cannot be read as described or holds no rows, naming the file.
    """
    options = dict(alternative.options)
    files = [Path(paths[file.name]) for file in alternative.files]
    try:
        frame = PARSERS[alternative.parser](files, options, target)
    except (ValueError, KeyError, IndexError, OSError, NotImplementedError) as error:
        named = ", ".join(file.name for file in files[:3])
        raise ValueError(f"{named}: cannot be read as {alternative.parser} ({_one_line(error)})") from error
    if not len(frame):
        raise ValueError(f"{files[0].name}: holds no rows")
    if target not in frame:
        raise ValueError(f"{files[0].name}: no column {target!r}, the columns are {_listed(frame.columns)}")
    return frame


def _delimited(files, options, target):
    """Text with a separator: commas, semicolons, or any white space; several files are put below each other."""
    import pandas as pd

    nominal = _nominal_columns(options)
    named = [*options.get("ordinal", {})] if nominal == "auto" else nominal
    text = None if nominal == "all" else dict.fromkeys([*named, target], str)
    whitespace = options.get("sep") == "whitespace"
    frames = [
        pd.read_csv(
            _without_end_mark(file),
            sep=r"\s+" if whitespace else options.get("sep", ","),
            header=0 if options.get("header") else None,
            names=None if options.get("header") else options.get("names"),
            skiprows=options.get("skip", 0),
            skipinitialspace=not whitespace,
            index_col=False,
            keep_default_na=False,
            na_values=["", *options.get("missing", ["?"])],
            dtype=str if text is None else text,
            quotechar='"',
        )
        for file in files
    ]
    frame = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    frame.columns = [str(name).strip() for name in frame.columns]
    if options.get("header") and options.get("names"):
        frame = frame[options["names"]]
    return typed(frame, options, target)


def _without_end_mark(file):
    """File to read, without the control byte that editors of old systems put at the end."""
    content = file.read_bytes() if file.suffix not in (".gz", ".bz2", ".xz", ".zip", ".zst") else b""
    return io.BytesIO(content.rstrip(b"\x1a\0")) if content.endswith((b"\x1a", b"\0")) else file


def _nominal_columns(options):
    """Names of the nominal and ordinal columns, "all", or "auto"."""
    nominal = options.get("nominal", [])
    return nominal if isinstance(nominal, str) else [*nominal, *options.get("ordinal", {})]


def typed(frame, options, target):
    """Give each column of a table its type, as the options of a parser say.

    Parameters
    ----------
    frame : pandas.DataFrame
        Text or numbers.
    options : mapping
        ``nominal`` (names, "all" or "auto"), ``ordinal`` and ``levels`` of a parser.
    target : str
        Column of the class, kept as text.

    Returns
    -------
    pandas.DataFrame
        The same table.

    Raises
    ------
    ValueError
        If a column holds text where numbers are expected, or a level that is not documented, naming it.
    """
    import pandas as pd

    nominal, ordinal, levels = _nominal_columns(options), options.get("ordinal", {}), options.get("levels", {})
    named = frame.columns if nominal == "all" else [] if nominal == "auto" else nominal
    for name in frame.columns:
        if name == target:
            frame[name] = _text(frame[name])
        elif name in ordinal:
            frame[name] = _categories(frame[name], name, ordinal[name], ordered=True)
        elif name in named:
            frame[name] = _categories(frame[name], name, levels.get(name))
        elif not pd.api.types.is_numeric_dtype(frame[name]) and str(frame[name].dtype) != "category":
            frame[name] = (_categories if nominal == "auto" else _numbers)(frame[name], name)
    return frame


def _text(column):
    """Text without blanks and quotes around it; ``1.0`` and ``1`` are one value."""
    import pandas as pd

    values = column.astype("object")
    known = [value for value in values.unique() if not pd.isna(value)]
    stripped = {value: value.strip(" '\"") if isinstance(value, str) else value for value in known}
    numbers = pd.to_numeric(pd.Series(list(stripped.values()), dtype="object"), errors="coerce")
    if (numbers % 1 == 0).all():
        stripped = {value: f"{number:.0f}" for value, number in zip(stripped, numbers, strict=True)}
    return values.map({value: str(text) for value, text in stripped.items()}).astype("object")


def _categories(column, name, levels=None, *, ordered=False):
    import pandas as pd

    values = _text(column)
    levels = sorted(values.dropna().unique()) if levels is None else list(levels)
    strange = sorted(set(values.dropna()) - set(levels))
    if strange:
        raise ValueError(f"column {name!r} holds {strange[0]!r}, its levels are {_listed(levels)}")
    return pd.Series(pd.Categorical(values, categories=levels, ordered=ordered), index=column.index)


def _numbers(column, name):
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    bad = numbers.isna() & column.notna()
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"column {name!r} holds {column.iloc[row]!r} in row {row}, where a number is expected")
    return numbers


def _labeled_matrix(files, options, target):
    """Features in one file and labels, row by row, in another."""
    import pandas as pd

    by_name = {file.name: file for file in files}
    frames = []
    for features, labels in options["pairs"]:
        read = {"header": None, "sep": r"\s+" if options.get("sep") == "whitespace" else options.get("sep", ",")}
        frame = pd.read_csv(by_name[features], **read)
        frame.columns = options.get("names") or [f"x{number}" for number in range(1, frame.shape[1] + 1)]
        column = pd.read_csv(by_name[labels], **read, dtype=str)[0]
        if len(column) != len(frame):
            raise ValueError(f"{features} has {len(frame)} rows, {labels} has {len(column)}")
        frames.append(frame.assign(**{target: column}))
    return typed(pd.concat(frames, ignore_index=True), options, target)


def _libsvm(files, options, target):
    """Sparse rows ``class index:value ...``; absent values are zero."""
    import pandas as pd
    from sklearn.datasets import load_svmlight_files

    parts = load_svmlight_files([str(file) for file in files], n_features=options["columns"])
    values = np.vstack([part.toarray() for part in parts[::2]])
    frame = pd.DataFrame(values, columns=options.get("names") or [f"x{i}" for i in range(1, values.shape[1] + 1)])
    frame[target] = np.concatenate(parts[1::2])
    return typed(frame, options, target)


def _sequences(files, options, target):
    """Sequences of letters, one nominal feature per position, in file after file."""
    import pandas as pd

    frame = _delimited(files, {**options, "nominal": "all"}, target)
    sequences = frame.pop(options["sequence"]).astype(str)
    wrong = np.flatnonzero(sequences.str.len() != options["length"])
    if wrong.size:
        raise ValueError(
            f"row {wrong[0]} holds {len(sequences.iloc[wrong[0]])} letters, {options['length']} are expected"
        )
    letters = np.array([list(sequence) for sequence in sequences])
    alphabet = options.get("alphabet")
    positions = {
        f"position{number + 1}": _categories(pd.Series(letters[:, number]), f"position {number + 1}", alphabet)
        for number in range(options["length"])
    }
    return pd.concat([pd.DataFrame(positions), frame], axis=1)


def _arff(files, options, target):
    """WEKA's format: nominal attributes keep their declared levels, ``?`` is missing."""
    import pandas as pd
    from scipy.io import arff

    frames = []
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as stream:
            data, meta = arff.loadarff(stream)
        frame = pd.DataFrame(data)
        for name in meta.names():
            kind, levels = meta[name]
            if kind == "nominal":
                column = frame[name].str.decode("utf-8").replace("?", np.nan)
                levels = [level.strip(" '\"") for level in levels]
                frame[name] = _text(column) if name == target else _categories(column, name, levels)
        frames.append(frame)
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


def _xls(files, options, target):
    """A sheet of an old Excel workbook, with column names in its first row unless `names` gives them.

    Read by xlrd itself, as pandas is about to drop it.
    """
    import pandas as pd
    import xlrd

    try:
        sheet = xlrd.open_workbook(str(files[0])).sheet_by_index(options.get("sheet", 0))
    except xlrd.XLRDError as error:
        raise ValueError(str(error)) from error
    rows = [sheet.row_values(number) for number in range(sheet.nrows)]
    names = options.get("names") or [str(name).strip() for name in rows[0]]
    frame = pd.DataFrame(rows[1:], columns=names).replace("", np.nan)
    return typed(frame, options, target)


def _parquet(files, options, target):
    """Parquet: its own types are kept, text becomes nominal."""
    import pandas as pd

    return typed(pd.read_parquet(files[0]), {"nominal": "auto"}, target)


class _Unpickler(pickle.Unpickler):
    """Reads dictionaries, sequences, text, numbers and plain arrays; nothing else that a pickle names is run."""

    def find_class(self, module, name):
        """What an array is made by; anything else is refused."""
        module = module.replace("numpy._core", "numpy.core")
        if (module, name) == ("_codecs", "encode"):
            return lambda text, _: text.encode("latin1")
        if (module, name) == ("numpy.core.multiarray", "_reconstruct"):
            return lambda _, shape, kind: np.ndarray(shape, kind)
        if (module, name) in (("numpy", "ndarray"), ("numpy", "dtype")):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"it names {module}.{name}, which is not read from a file")


def _pickled(files, options, target):
    """One entry of a pickled dictionary: a score and a label of every row."""
    import pandas as pd

    try:
        with open(files[0], "rb") as stream:
            tables = _Unpickler(stream, encoding="latin1").load()
    except Exception as error:  # a damaged or hostile pickle leads to whatever error
        raise ValueError(_one_line(error) or "it is no pickle") from error
    table = tables.get(options["table"]) if isinstance(tables, dict) else None
    if not isinstance(table, dict):
        raise ValueError(f"no table {options['table']!r}")
    frame = pd.DataFrame({"score": table["decision_values"], target: table["labels"]})
    return typed(frame.astype({target: int}), options, target)


def _one_line(error):
    return " ".join(str(error).split())


def _listed(values, most=12):
    values = [str(value) for value in values]
    return ", ".join(values[:most]) + (", ..." if len(values) > most else "")


PARSERS = {
    "arff": _arff,
    "delimited": _delimited,
    "labeled_matrix": _labeled_matrix,
    "libsvm": _libsvm,
    "parquet": _parquet,
    "pickled": _pickled,
    "sequences": _sequences,
    "xls": _xls,
}
