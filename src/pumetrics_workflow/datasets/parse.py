"""Parsers: raw files to a table whose nominal, ordinal and missing values are kept as such."""

import csv
import io
import pickle
import re
import warnings
from pathlib import Path

import numpy as np

from pumetrics_workflow.datasets.arff import read_arff

__all__ = ["MARKS", "OWN_OPTIONS", "PARSERS", "counts", "is_score_file", "parse", "typed"]

OWN_OPTIONS = {"nominal", "ordinal", "levels", "missing"}
"""Options of the parser of own files, whose format is found."""

# What people write for a missing number. In a column of text these are values: NA may be Namibia.
MARKS = {"na", "n/a", "#n/a", "<na>", "nan", "nil", "null", "none", ".", "-", "--", "?"}
# What readers raise for a file that is not what it should be.
_UNREADABLE = (ValueError, LookupError, TypeError, OverflowError, OSError, NotImplementedError)
_NUMBER_LIKE = r"[-+]?[\d.,' ]*\d[\d.,' ]*(?:e[-+]?\d+)?\s*[%€$£]?"


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
    except _UNREADABLE as error:
        named = ", ".join(file.name for file in files[:3])
        raise ValueError(
            f"{named}: cannot be read as {alternative.parser} ({_one_line(error)})"
        ) from error
    if not len(frame):
        raise ValueError(f"{files[0].name}: holds no rows")
    if target not in frame:
        raise ValueError(
            f"{files[0].name}: no column {target!r}, the columns are {_listed(frame.columns)}"
        )
    return frame


def _delimited(files, options, target):
    """Text with a separator: commas, semicolons, or any white space; several files are put below each other."""
    import pandas as pd

    nominal = _nominal_columns(options)
    all_text = isinstance(nominal, str) or options.get("as_text")
    header = options.get("header")
    names = options.get("names")
    separator = _separator(options)
    read = {
        "sep": separator,
        "header": 0 if header else None,
        "names": None if header else names,
        "skiprows": options.get("skip", 0),
        "skipinitialspace": separator != r"\s+",
        "index_col": False,
        "keep_default_na": False,
        "na_values": ["", *options.get("missing", ["?"])],
        "dtype": str if all_text else dict.fromkeys([*nominal, target], str),
    }

    frame = pd.concat([_read_rows(file, read) for file in files], ignore_index=True)
    frame.columns = [str(name).strip() for name in frame.columns]
    if header and names:
        frame = frame[names]
    return typed(frame, options, target)


def _separator(options):
    """The separator as pandas takes it."""
    sep = options.get("sep", ",")
    return r"\s+" if sep == "whitespace" else sep


def _read_rows(file, options):
    """Rows of a text file, one for each line, without the control byte that editors of old systems put at the end.

    A file whose lines have other numbers of fields than the header, or quotation marks over several lines, is refused.
    """
    import pandas as pd

    content = file.read_bytes().rstrip(b"\x1a\0")
    blank = b" \r\n" if options["sep"] == "\t" else None
    lines = {}
    for number, line in enumerate(content.splitlines(), 1):  # at line feeds and carriage returns
        if number > options["skiprows"] and line.strip(blank):
            lines[number] = line

    odd = [number for number, line in lines.items() if line.count(b'"') % 2]
    open_quote = f"the quote in line {odd[0] if odd else None} is open"

    try:
        with warnings.catch_warnings():
            # More fields in the rows than names.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(io.BytesIO(content), **options)
    except pd.errors.ParserWarning:
        raise ValueError("its rows have more fields than the header") from None
    except pd.errors.ParserError as error:
        raise ValueError(open_quote if "EOF inside string" in str(error) else error) from None

    if len(frame) + (options["header"] is not None) != len(lines):
        raise ValueError(f"its {len(lines)} lines give {len(frame)} rows: {open_quote}")
    if options["sep"] != r"\s+":
        text = (line.decode(errors="replace") for line in lines.values())
        fields = csv.reader(text, delimiter=options["sep"])
        for number, line in zip(lines, fields, strict=True):
            if len(line) < frame.shape[1]:
                raise ValueError(
                    f"line {number} has fewer fields than the {frame.shape[1]} columns"
                )
    return frame


def _nominal_columns(options):
    """Names of the nominal and ordinal columns, "all", or "auto"."""
    nominal = options.get("nominal", [])
    return nominal if isinstance(nominal, str) else [*nominal, *options.get("ordinal", {})]


def typed(frame, options, target):
    """Give each column of a table its type, as the options of a parser say.

    By "auto", a column of text is numeric if all its values are numbers but for marks of missing ones (:data:`MARKS`).

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
        If a column holds text where numbers are expected, a level that is not documented or, by "auto", mostly what
        looks like numbers and can be read as such or not; naming it.
    """
    nominal = _nominal_columns(options)
    ordinal = options.get("ordinal", {})
    levels = options.get("levels", {})
    named = {"all": frame.columns, "auto": []}.get(str(nominal), nominal)
    read_text = _numbers_or_categories if nominal == "auto" else _numbers
    for name in frame.columns:
        if name == target:
            frame[name] = _text(frame[name])
        elif name in ordinal:
            frame[name] = _categories(frame[name], name, ordinal[name], ordered=True)
        elif name in named:
            frame[name] = _categories(frame[name], name, levels.get(name))
        elif frame[name].dtype.kind not in "biuf" and str(frame[name].dtype) != "category":
            frame[name] = read_text(frame[name], name)
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


def _numbers_or_categories(column, name):
    """A column of text as numbers or levels; refused if it is mostly numbers and the rest would make it nominal."""
    import pandas as pd

    text = _text(column)
    numbers = pd.to_numeric(text, errors="coerce")
    words = text[text.notna() & numbers.isna() & ~text.str.lower().isin(MARKS)]
    if not len(words) and (numbers.notna().any() or not text.notna().any()):
        _check_thousands(text[numbers.notna()], name)
        return numbers

    like = words.str.fullmatch(_NUMBER_LIKE, case=False)
    if like.sum() + numbers.notna().sum() <= len(words) - like.sum():
        return _categories(column, name)
    raise ValueError(
        f"column {name!r} is mostly numbers, but holds {counts(words, 5)}: write numbers as 1234.5, list marks of "
        f"missing values in options.missing or, if these are levels, all nominal columns in options.nominal"
    )


def _check_thousands(text, name):
    """Refuse numbers as 1.234 next to 950, which may be 1234: one to three digits, and three after each point."""
    has_point = text.str.contains(".", regex=False)
    marked = text[has_point]
    if has_point.all() or not has_point.any():
        return
    if marked.str.fullmatch(r"[-+]?[1-9]\d{0,2}(\.\d{3})+").all():
        first = marked.iloc[0]
        raise ValueError(
            f"column {name!r} holds {first!r} and {text[~has_point].iloc[0]!r}: if the point separates thousands, "
            f"write {first.replace('.', '')}, else {first}0"
        )


def counts(values, most=12):
    """Return values with the number of their rows, the most frequent first, in words."""
    sizes = values.value_counts()
    named = ", ".join(f"{value!r} ({size})" for value, size in sizes.head(most).items())
    return named + (f" and {len(sizes) - most} more" if len(sizes) > most else "")


def _numbers(column, name):
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    bad = numbers.isna() & column.notna()
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"column {name!r} holds {column.iloc[row]!r} in row {row}, where a number is expected"
        )
    _check_thousands(column[numbers.notna()].astype(str), name)
    return numbers


def _labeled_matrix(files, options, target):
    """Features in one file and labels, row by row, in another."""
    import pandas as pd

    by_name = {file.name: file for file in files}
    read = {"header": None, "sep": _separator(options)}
    frames = []
    for features, labels in options["pairs"]:
        frame = pd.read_csv(by_name[features], **read)
        frame.columns = _names(options, frame.shape[1])
        column = pd.read_csv(by_name[labels], **read, dtype=str)[0]
        if len(column) != len(frame):
            raise ValueError(f"{features} has {len(frame)} rows, {labels} has {len(column)}")
        frames.append(frame.assign(**{target: column}))
    return typed(pd.concat(frames, ignore_index=True), options, target)


def _names(options, n_columns):
    """Names of the columns: those of the options, or numbered ones."""
    return options.get("names") or [f"x{number}" for number in range(1, n_columns + 1)]


def _libsvm(files, options, target):
    """Sparse rows ``class index:value ...``; absent values are zero."""
    import pandas as pd
    from sklearn.datasets import load_svmlight_files

    parts = load_svmlight_files([str(file) for file in files], n_features=options["columns"])
    values = np.vstack([part.toarray() for part in parts[::2]])
    frame = pd.DataFrame(values, columns=_names(options, values.shape[1]))
    frame[target] = np.concatenate(parts[1::2])
    return typed(frame, options, target)


def _sequences(files, options, target):
    """Sequences of letters, one nominal feature per position, in file after file."""
    import pandas as pd

    frame = _delimited(files, {**options, "nominal": "all"}, target)
    sequences = frame.pop(options["sequence"]).astype(str)
    length = options["length"]
    for row, sequence in enumerate(sequences):
        if len(sequence) != length:
            raise ValueError(f"row {row} holds {len(sequence)} letters, {length} are expected")

    positions = {}
    for number in range(length):
        name = f"position{number + 1}"
        positions[name] = _categories(sequences.str[number], name, options.get("alphabet"))
    return pd.concat([pd.DataFrame(positions), frame], axis=1)


def _arff(files, options, target):
    """WEKA's format: nominal attributes keep their declared levels, ``?`` is missing, dates are days since 1970."""
    import pandas as pd

    frames = []
    for file in files:
        attributes, rows = read_arff(file)
        frame = pd.DataFrame(rows, columns=list(attributes), dtype="object")
        for name, kind in attributes.items():
            if kind == "date":
                dates = pd.to_datetime(frame[name], format="ISO8601")
                frame[name] = (dates - pd.Timestamp(0)) / pd.Timedelta(days=1)
            elif kind == "numeric":
                frame[name] = _numbers(frame[name], name).astype("float64")
            elif name == target:
                frame[name] = _text(frame[name])
            else:
                frame[name] = _categories(frame[name], name, kind)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _xls(files, options, target):
    """The first sheet of an old Excel workbook, with column names in its first row unless `names` gives them.

    Read by xlrd itself, as pandas is about to drop it.
    """
    import pandas as pd
    import xlrd

    try:
        sheet = xlrd.open_workbook(str(files[0])).sheet_by_index(0)
    except xlrd.XLRDError as error:
        raise ValueError(str(error)) from error
    header, *rows = sheet.get_rows()
    names = options.get("names") or [str(cell.value).strip() for cell in header]
    values = [[cell.value for cell in row] for row in rows]
    frame = pd.DataFrame(values, columns=names).replace("", np.nan)
    return typed(frame, options, target)


def is_score_file(path):
    """Whether the reader of score files knows a file of this name."""
    from pumetrics.reading import is_readable

    return is_readable(path)


def _own(files, options, target):
    """A file of any format, compression, encoding, delimiter and decimal mark in which scores can be."""
    import pandas as pd

    from pumetrics.reading import columns_of, read_columns

    (file,) = files
    columns = columns_of(file, [target])
    for name in columns:
        if columns.count(name) > 1:
            raise ValueError(f"it has {columns.count(name)} columns named {name!r}: keep one")

    text = read_columns(file, columns, as_text=columns)
    if target not in columns:
        return text
    numbers = read_columns(file, columns)
    marks = ["", *options.get("missing", ["?"])]
    frame = text.mask(text.isin(marks))
    nominal = _nominal_columns(options)
    for name in columns:
        is_number = pd.api.types.is_numeric_dtype(numbers[name])
        if is_number and name != target and name not in nominal and nominal != "all":
            written = text[name].dropna().astype(str).str.replace(",", ".", regex=False)
            _check_thousands(written, name)
            frame[name] = numbers[name].astype(np.float64)
    classes = frame[target]
    frame = typed(frame.rename(columns={"": "Unnamed: 0"}), {"nominal": "auto", **options}, target)
    has_zeros = classes.astype(str).str.fullmatch(r"\s*0\d+\s*")
    if has_zeros.any():  # 010 is not 10
        frame[target] = classes.str.strip()
    return frame


def _parquet(files, options, target):
    """Parquet: its own types are kept, text becomes nominal."""
    import pandas as pd

    return typed(pd.read_parquet(files[0]), {"nominal": "auto"}, target)


class _Kind:
    """What a pickle says of the type of an array: no dtype is made of it before it is known to be one of numbers."""

    def __init__(self, code, *_):
        self.code = code
        self.order = "|"

    def __setstate__(self, state):
        self.order = state[1]

    def dtype(self):
        is_number = re.fullmatch(r"b1|[iuf][1248]", str(self.code))
        if not is_number or self.order not in ("<", ">", "|", "="):
            raise ValueError(
                f"it holds an array of {self.code!r}, and only numbers are read from a pickle"
            )
        return np.dtype(self.order + self.code)


class _Array:
    """What a pickle says of an array. No array of numpy takes its state from a file: that may forge pointers."""

    state = None

    def __setstate__(self, state):
        self.state = state

    def values(self):
        """A copy of its numbers."""
        _, shape, kind, by_column, data = self.state
        data = data.encode("latin1") if isinstance(data, str) else bytes(data)
        order = "F" if by_column else "C"
        return np.frombuffer(data, kind.dtype()).reshape(shape, order=order).copy()


class _Unpickler(pickle.Unpickler):
    """Reads dictionaries, sequences, text, numbers and arrays of numbers; nothing else that a pickle names is run."""

    def find_class(self, module, name):
        """What an array is described by; anything else is refused."""
        described = {
            "_codecs.encode": lambda text, _: text.encode("latin1"),
            "numpy.core.multiarray._reconstruct": lambda *_: _Array(),
            "numpy.ndarray": "numpy.ndarray",  # an argument of the one above
            "numpy.dtype": _Kind,
        }
        full = f"{module}.{name}".replace("numpy._core", "numpy.core")
        if full not in described:
            raise pickle.UnpicklingError(f"it names {full}, which is not read from a file")
        return described[full]


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

    columns = {"score": table["decision_values"], target: table["labels"]}
    for name, column in columns.items():
        if isinstance(column, _Array):
            columns[name] = column.values()
    frame = pd.DataFrame(columns)
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
    "own": _own,
    "parquet": _parquet,
    "pickled": _pickled,
    "sequences": _sequences,
    "xls": _xls,
}
