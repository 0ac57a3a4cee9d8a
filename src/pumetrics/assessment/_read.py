"""Table to samples: labels, scores and other columns of a file, read whole or in batches, with errors of one line.

Both ways take each part of the file through the same steps: :func:`_labels` and :func:`_scores` refuse a wrong value
where it is, and a :class:`_Seen` what only all rows show. Rows that are read become arrays, batches become counts.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pumetrics._validation import LARGEST, SMALLEST, check_distinct, of_unknown_origin
from pumetrics.assessment._by import MOST_BY
from pumetrics.assessment._files import Column, line_of, parts_of, read_batches, read_columns, rows_in, shown, source_of
from pumetrics.assessment._stream import area_error, count_batches
from pumetrics.assessment._warnings import Caution
from pumetrics.counts import Counts
from pumetrics.inference.request import check_threshold

__all__ = ["Scored", "count_file", "read_models", "read_or_count", "read_scores"]

MOST_ROWS = 20_000_000  # nine gigabytes of memory, measured on ten million
STREAMED_FROM = 3_000_000
"""Rows from which a file is streamed: in memory, a million rows take about a gigabyte."""

_UNLABELED = ("", "0", "-1", "false", "nan")
_NO_COLUMNS = MappingProxyType({})


class Scored(NamedTuple):
    """Labels and scores of a file without the rows that have no score."""

    s: np.ndarray | None
    """1 labeled, 0 unlabeled, -1 labeled negative, int8 of shape (n,); None if the file was read in batches."""
    score: np.ndarray | Counts
    """Higher means more positive, of shape (n,), float64 or, as in the file, float32; counts if the file was read in
    batches."""
    rows: np.ndarray | None
    """Positions of the rows in the file, from 0, int64 of shape (n,); None if the file was read in batches."""
    n_rows: int
    """Number of rows of the file."""
    ids: np.ndarray | None = None
    """Values of the column of ids, str of shape (n,); None if no column was given."""
    notes: tuple = ()
    """Notes on rows that were left out, and on what is exact in counts."""
    options: Mapping = _NO_COLUMNS
    """Weights, clusters, folds and propensities of the rows, by argument of :func:`pumetrics.assessment.assess`."""
    by: Mapping = _NO_COLUMNS
    """Groups of the rows, by name of their column."""
    exact: bool = True
    """Whether every distinct score is a threshold."""

    @property
    def n_used(self):
        """Number of rows used."""
        return self.score.n if self.s is None else len(self.s)

    def take(self, chosen):
        """Some of the rows, in the order given."""
        arrays = {name: getattr(self, name) for name in ("s", "score", "rows", "ids")}
        some = {name: values if values is None else values[chosen] for name, values in arrays.items()}
        for name in ("options", "by"):
            some[name] = {each: values[chosen] for each, values in getattr(self, name).items()}
        return self._replace(**some)

    @property
    def counts(self):
        """Labeled and unlabeled examples at or above each threshold; None if the file was not read in batches."""
        return self.score if self.s is None else None

    @property
    def area_error(self):
        """Most that grouping of scores can change the area under the uncorrected ROC curve; 0 if exact."""
        return 0.0 if self.exact else area_error(self.score)


def _labels(column, positive, unlabeled, negative):
    """Labels of a part of a column: 1 labeled, 0 unlabeled, -1 labeled negative, int8."""
    import pandas as pd

    if positive is None:
        wanted, remedy = "1 for labeled and 0 for unlabeled", "give the value that means labeled with --positive"
        s = column.numbers(wanted, remedy)
        column.refuse(~np.isin(s, (-1, 0, 1)), wanted, f"{remedy}; blank then means unlabeled", s)
        return s.astype(np.int8)
    codes, values = pd.factorize(column.values.astype(object), use_na_sentinel=True)
    against = {*map(_key, negative)}
    meaning = dict.fromkeys({*_UNLABELED, *map(_key, unlabeled)} - against, 0)
    meaning |= dict.fromkeys(against, -1) | {_key(positive): 1}
    s = np.array([*(meaning.get(_key(value), 2) for value in values), 0], dtype=np.int8)[codes]  # -1 if missing
    wanted = f"{positive!r} for labeled and blank, 0, -1, false or NaN for unlabeled"
    remedy = "if it means unlabeled, give --unlabeled {0}; if it means labeled negative: --negative {0}"
    column.refuse(s == 2, wanted, remedy)
    return s


def _key(value):
    """A value for comparison: 1, 1.0 and "1" are one, as are False and "false"."""
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        return f"{float(text):.17g}"
    except ValueError:
        return text


def _scores(column):
    """Scores of a part of a column, float64, missing ones as NaN; ValueError on infinity."""
    values = column.numbers("numbers")
    column.refuse(np.isinf(values), "finite numbers", "remove or impute them", values)
    if column.values.dtype.kind in "iu":
        there = column.values.notna().to_numpy()
        whole = column.values[there].to_numpy(dtype=column.values.dtype.name.lower())
        check_distinct(whole, values[there], str(column))
    return values


class _Seen:
    """What only all rows show, gathered part by part: kinds of labels, missing scores, and the range of scores."""

    def __init__(self):
        self.kinds, self.scored = np.zeros((2, 3), dtype=np.int64)  # rows by label -1, 0, 1: all, and with a score
        self.first = {}  # row without a score, row with label -1
        self.ends = []  # lowest and highest score of each part, and their rows
        self.label = self.score = None  # first part

    def add(self, label, s, score):
        """Scores of a part, with its labels."""
        self.label, self.score = self.label or label, self.score or score
        values = _scores(score)
        there = ~np.isnan(values)
        kinds = [s == value for value in (-1, 0, 1)]
        self.kinds += [np.count_nonzero(kind) for kind in kinds]
        self.scored += [np.count_nonzero(kind & there) for kind in kinds]
        for name, found in (("missing", ~there), ("negative", s == -1)):
            if found.any():
                self.first.setdefault(name, score.start + int(np.argmax(found)))
        if there.any():
            find = (np.argmin, np.argmax) if there.all() else (np.nanargmin, np.nanargmax)
            places = [int(place(values)) for place in find]
            self.ends += [(float(values[place]), score.start + place) for place in places]
        return values

    def check(self, source, positive):
        """Raise ValueError on no rows, no scores, labels of one kind only, and equal or extreme scores."""
        if self.score is None:
            raise ValueError(f"{source} has no rows")
        if not self.ends:
            raise ValueError(f"{self.score} is empty: give the column of scores with --score")
        if not self.scored[2]:
            raise ValueError(self._without(2, "labeled", 1 if positive is None else repr(positive), positive))
        if not self.scored[1]:
            value = "0" if positive is None else "a value that means unlabeled"
            raise ValueError(self._without(1, "unlabeled", value, positive))
        (lowest, _), (highest, _) = min(self.ends), max(self.ends)
        if lowest == highest:
            raise ValueError(
                f"{self.score} holds {lowest:g} in every row: constant scores contain no information about a model; "
                "give the column of scores with --score"
            )
        largest, row = max(self.ends, key=lambda end: abs(end[0]))
        if not SMALLEST <= abs(largest) <= LARGEST:
            raise ValueError(
                f"{self.score} must have its largest absolute value between {SMALLEST:g} and {LARGEST:g}, got "
                f"{largest:g} in {line_of(source, row)}: rescale the scores"
            )

    def _without(self, place, kind, value, positive):
        """Why labels of one kind are not enough."""
        among, hint = " among the rows with a score" if self.kinds[place] else "", ""
        if positive is not None:
            values = ", ".join(shown(each) for each in self.label.values.dropna().unique()[:5])
            hint = f"; it contains {values or 'blanks only'}"
        elif kind == "unlabeled" and self.kinds[0]:
            line = line_of(self.label.source, self.first["negative"])
            hint = f"; -1, as in {line}, means labeled negative (if it means unlabeled: --positive 1)"
        return f"{self.label} does not contain {value}{among}: there must be {kind} examples{hint}"

    def notes(self):
        """A line on rows that have no score, if there are any."""
        missing = self.kinds - self.scored
        if missing.any():
            source, column = self.score.source, self.score.name
            sizes = {"missing": missing.sum(), "rows": self.kinds.sum(), "labeled": missing[2]}
            yield Caution(
                "skipped", file=str(source), column=column, where=line_of(source, self.first["missing"]), **sizes
            )


def read_scores(path, *, score="score", label="s", positive=None, unlabeled=(), negative=(), id=None):
    """Read a column of scores and one of observed labels from a file.

    Names of text files end in .csv, .tsv or .txt, optionally followed by .gz, .bz2, .xz, .zip or .zst. Fields are
    separated by commas, semicolons, tabs or vertical bars; decimal commas are allowed unless commas separate fields.
    The encoding is UTF-8, UTF-16 or Latin-1. Files in .parquet, .feather and, before Python 3.14, .zst need the extra
    ``pumetrics[parquet]``.

    Parameters
    ----------
    path : path-like
    score, label : str
        Names of the columns. Labels are 1, 0, -1 or true, false, unless `positive` defines them. Rows without a score
        are left out, with a note.
    positive : str, optional
        The value that marks labeled examples, such as "fraud". Blank, 0, -1, false and NaN then mean unlabeled.
    unlabeled : sequence of str
        Further values that mean unlabeled, such as "legitimate"; only with `positive`.
    negative : sequence of str
        Values that mean labeled negative, such as "checked"; only with `positive`.
    id : str, optional
        Name of a column of row names; each value may occur once.

    Returns
    -------
    Scored

    Raises
    ------
    ValueError
        If the file cannot be read, lacks a column, has no rows or too many, or contains anything other than finite
        scores and the labels above: one line that gives the position.
    MissingExtraError
        If the file needs pyarrow, which is not installed.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("score,class\\n0.9,fraud\\n0.2,\\n,\\n0.4,0\\n")
    ...     file.flush()
    ...     scored = read_scores(file.name, label="class", positive="fraud")
    >>> scored.s, scored.score
    (array([1, 0, 0], dtype=int8), array([0.9, 0.2, 0.4]))
    """
    return read_models(path, [score], label=label, positive=positive, unlabeled=unlabeled, negative=negative, id=id)[0]


def read_models(path, scores, *, label="s", positive=None, unlabeled=(), negative=(), id=None, columns=_NO_COLUMNS):
    """Read several columns of scores, one for each model, and one column of observed labels from a file.

    Parameters
    ----------
    path : path-like
    scores : list of str
        Names of the columns of scores.
    label, positive, unlabeled, negative, id
        See :func:`read_scores`.
    columns : dict
        Names of the columns of weights, clusters, folds and propensities ("weight", "cluster", "fold", "propensity"),
        and a list of those of groups ("by"), where there are any.

    Returns
    -------
    list of Scored
        One for each column of scores, without the rows that lack that score.

    Raises
    ------
    ValueError, MissingExtraError
        As :func:`read_scores`, or if a weight is no number of at least 0, the propensity of a labeled row no number
        above 0, or a cluster or fold has no value.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("old,new,s\\n0.9,3,1\\n0.2,,0\\n0.4,1,0\\n")
    ...     file.flush()
    ...     models = read_models(file.name, ["old", "new"])
    >>> [scored.score for scored in models]
    [array([0.9, 0.2, 0.4]), array([3., 1.])]
    """
    source, kinds = source_of(path), _kinds(positive, unlabeled, negative)
    _check_distinct_columns(scores, label, id)
    numbers = [columns.get("weight"), columns.get("propensity")]
    texts = [id, columns.get("cluster"), columns.get("fold"), *(columns.get("by") or [])]
    numbers, texts = ([name for name in names if name] for names in (numbers, texts))
    table = read_columns(source, [*scores, label, *numbers, *texts], as_text=texts)
    if not len(table):
        raise ValueError(f"{source} has no rows")
    if len(table) > MOST_ROWS:
        raise ValueError(
            f"{source} has {len(table)} rows, more than the limit of {MOST_ROWS}: use a random sample of the rows, or "
            "a Parquet file, which is read in batches"
        )
    parts = {name: Column(source, name, table[name]) for name in table}
    s = _labels(parts[label], *kinds)
    ids = _ids(parts[id]) if id else None
    labeled = (s == 1) & np.any([parts[score].values.notna() for score in scores], axis=0)
    options = _options(parts, labeled, **{name: each for name, each in columns.items() if name != "by"})
    groups = {name: _groups(parts[name]) for name in columns.get("by") or []}
    whole = Scored(s, s, np.arange(len(s)), len(s), ids, options=options, by=groups)
    return [_scored(parts[score], parts[label], whole, kinds[0]) for score in scores]


def _options(parts, labeled, *, weight=None, cluster=None, fold=None, propensity=None):
    """Weights, clusters, folds and propensities of all rows, by argument of assess."""
    options = {}
    if weight:
        values = options["sample_weight"] = parts[weight].numbers(kind := "weights of at least 0")
        parts[weight].refuse(~(values >= 0) | np.isinf(values), kind, "correct or remove them", values)
    for option, name in (("cluster", cluster), ("fold", fold)):
        if name:
            values = parts[name].values
            parts[name].refuse(values.isna(), f"a value in every row (--{option})", "fill it, or remove them")
            options[option] = np.asarray(values)
    if propensity:
        values = options["propensity"] = parts[propensity].numbers("propensities above 0")
        wanted, remedy = "propensities above 0 in labeled rows", "an example with propensity 0 cannot be labeled"
        parts[propensity].refuse(labeled & (~(values > 0) | np.isinf(values)), wanted, remedy, values)
    return options


def _groups(column):
    """Groups of the rows as text; ValueError on too many."""
    if (n_values := column.values.nunique()) > MOST_BY:
        raise ValueError(
            f"--by {column.name}: the column holds {n_values:,} different values in {column.source}, more than "
            f"{MOST_BY}: use a column with fewer values, or merge the rare ones"
        )
    return column.values.astype(object).where(column.values.notna(), "no value").astype(str).to_numpy()


def _kinds(positive, unlabeled, negative):
    """Values that mean labeled, unlabeled and labeled negative as text."""
    if positive is None and (unlabeled or negative):
        raise ValueError("values that mean unlabeled or negative need --positive, the value that means labeled")
    return None if positive is None else str(positive), [*map(str, unlabeled)], [*map(str, negative)]


def _check_distinct_columns(scores, label, id=None):
    for score in scores:
        if len({score, label, id}) < 3:
            named = f"--score {score}, --label {label}" + (f" and --id {id}" if id else "")
            raise ValueError(f"{named} must name different columns")


def _scored(score, label, whole, positive):
    """One model's scores with what is known of the rows that have one."""
    seen = _Seen()
    values = seen.add(label, whole.s, score)
    seen.check(score.source, positive)
    if score.values.dtype == np.float32:
        values = values.astype(np.float32)  # as a threshold has to meet them
    return whole._replace(score=values, notes=tuple(seen.notes())).take(np.flatnonzero(~np.isnan(values)))


def _ids(column):
    import pandas as pd

    missing, ids = column.values.isna().to_numpy(), column.values
    column.refuse(missing, "a value in every row", "fill it, or give another column with --id")
    whole = pd.api.types.is_float_dtype(ids.dtype) and (ids % 1 == 0).all()
    ids = (ids.astype("int64") if whole else ids).astype(str)
    repeated = np.flatnonzero(ids.duplicated().to_numpy())
    if repeated.size:
        value = ids.iloc[repeated[0]]
        raise ValueError(
            f"{column} holds {value!r} in {column.line(np.argmax(ids == value))} and in {column.line(repeated[0])} "
            f"({repeated.size} such rows): each example may occur once; remove the copies"
        )
    return ids.to_numpy(dtype=object)


def count_file(
    path, *, score="score", label="s", positive=None, unlabeled=(), negative=(), threshold=None, ignore_negatives=False
):
    """Count labeled and unlabeled examples of a Parquet or Arrow file at or above each threshold, in constant memory.

    With up to a million distinct scores, each of them is a threshold, and the counts equal those of ``count_scores`` on
    all rows. With more, about 32,000 scores that are spread evenly over both samples are thresholds: every count is
    still exact, but scores between two thresholds are not distinguished. ``exact`` says which case applies, and
    ``area_error`` by how much the area under the uncorrected ROC curve can change.

    Parameters
    ----------
    path : path-like or list of path-like
        A .parquet, .feather or .arrow file, a folder of .parquet files, or several of these.
    score, label, positive, unlabeled, negative
        See :func:`pumetrics.assessment.read_scores`.
    threshold : float, optional
        Threshold of predictions, which is always kept.
    ignore_negatives : bool, default=False
        Whether to ignore labeled negatives, with a note.

    Returns
    -------
    Scored
        Its ``score`` contains the counts: use them in place of scores, ``assess(None, counted.score)``.

    Raises
    ------
    ValueError
        As :func:`pumetrics.assessment.read_scores`.
    MissingExtraError
        If pyarrow is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile(suffix=".parquet") as file:
    ...     pd.DataFrame({"score": [0.9, 0.5, None, 0.5], "s": [1, 1, 0, 0]}).to_parquet(file.name)
    ...     counted = count_file(file.name)
    >>> counted.score.thresholds, counted.score.labeled, counted.score.unlabeled
    (array([inf, 0.9, 0.5]), array([0, 1, 2]), array([0, 0, 1]))
    >>> counted.n_rows, counted.n_used, counted.exact
    (4, 3, True)
    """
    sources = [*map(source_of, path if isinstance(path, list) else [path])]
    kinds = _kinds(positive, unlabeled, negative)
    source = sources[0]._replace(name=", ".join(map(str, sources)))
    _check_distinct_columns([score], label)
    files = []
    for each in sources:
        files += (parts := parts_of(each))
        if not parts:
            raise ValueError(f"{each} must be a .parquet, .feather or .arrow file, or a folder of .parquet files")
    seen = _Seen()

    def batches():
        start, is_first = 0, seen.score is None
        for table in read_batches(files, [score, label]):
            columns = [Column(source, name, table[name], start) for name in (label, score)]
            s = _labels(columns[0], *kinds)
            values = seen.add(columns[0], s, columns[1]) if is_first else _scores(columns[1])
            start += len(s)
            there = ~np.isnan(values)
            yield values[there & (s == 1)], values[there & (s == 0)]
        seen.check(source, kinds[0])
        if seen.scored[0] and not ignore_negatives:
            value = "-1" if positive is None else "a --negative value"
            raise ValueError(of_unknown_origin(seen.scored[0], f"{seen.label} holds {value}"))

    first = next(read_batches(files, [score]), None)
    coarse = first is not None and first[score].dtype == np.float32
    if coarse:  # thresholds in the file's own precision, as a threshold has to meet them
        threshold = check_threshold(threshold, np.float32([]))
    counts, exact = count_batches(batches, threshold=threshold)
    if coarse:
        counts = counts._replace(thresholds=counts.thresholds.astype(np.float32))
    notes = [*seen.notes()]
    if seen.scored[0]:
        notes.append(Caution("negatives", n=seen.scored[0]))
    scored = Scored(None, counts, None, int(seen.kinds.sum()), exact=exact)
    return scored._replace(notes=(*notes, _note(source, scored)))


def _note(source, counted):
    """What is exact in counts of a stream, and what is not."""
    n = len(counted.score.thresholds) - 1
    if counted.exact:
        return Caution("counted", file=str(source), n=n)
    return Caution("thinned", file=str(source), n=n, error=counted.area_error)


def read_or_count(path, scores, *, threshold=None, row_by_row=False, ignore_negatives=False, **options):
    """Read columns of scores, or count them if there are too many rows.

    Parameters
    ----------
    path : path-like
    scores : list of str
        Names of the columns, one model each.
    threshold : float, optional
        Where predictions are made.
    row_by_row : bool
        Whether rows are needed, such as those that were checked. A file is then not streamed.
    ignore_negatives : bool
        See :func:`count_file`; a file that is read keeps them.
    **options
        As for :func:`pumetrics.assessment.read_models`; an `id` and `columns` need rows.

    Returns
    -------
    list of Scored

    Raises
    ------
    ValueError
        As :func:`pumetrics.assessment.read_models`, or if rows of a folder are needed.
    """
    source = source_of(path)
    is_folder = source.path.is_dir() and source.path != Path() and bool(parts_of(source))  # Path() is an empty name
    row_by_row = row_by_row or options.get("id") or any(options.get("columns", {}).values())
    if is_folder and row_by_row:
        raise ValueError(
            f"{source} is a folder, which is counted in batches without single rows: give one file, or omit --id, "
            "--weight, --by, --cluster and --fold"
        )
    if row_by_row or not (is_folder or _is_large(source)):
        return read_models(source, scores, **options)
    counted = {name: each for name, each in options.items() if name not in ("id", "columns")}
    counted |= {"threshold": threshold, "ignore_negatives": ignore_negatives}
    return [count_file(source, score=score, **counted) for score in scores]


def _is_large(source):
    """Whether a file is one to stream; the reader in memory says what is wrong with one that cannot be read."""
    if not source.is_columnar or not source.path.is_file():
        return False
    try:
        return rows_in([source]) >= STREAMED_FROM
    except ValueError:
        return False
