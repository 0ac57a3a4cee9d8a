"""Table to samples: labels, scores and other columns of a file, with errors of one line."""

import re
from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple
from unicodedata import normalize

import numpy as np

from pumetrics.reading._files import NO_LISTS, columns_of, read_columns
from pumetrics.reading._sources import source_of
from pumetrics.reading._text import line_of
from pumetrics.reading._weka import is_weka, weka_table
from pumetrics.unscored import Unscored, UnscoredError, check_unscored
from pumetrics.validation import LARGEST, LARGEST_EXACT, SMALLEST, VerifiedError, check_distinct

__all__ = ["Scored", "read_models", "read_scores"]

MOST_ROWS = 20_000_000

_UNKNOWN = 2  # a value that means neither labeled nor unlabeled
_UNLABELED = ("", "0", "-1", "false", "nan")
_SEPARATED = r"\W*\d[\d.]*([,'_\s][\d.]+)+\W*"
_THOUSANDS = r"\s*[-+]?[1-9]\d{0,2}[.,]\d{3}\s*"
_NO_THOUSANDS = "write numbers without thousands separators, and a point before decimals"
_LONGEST = 60  # characters of a value in a message


class Scored(NamedTuple):
    """Labels and scores of the rows of a file."""

    s: np.ndarray
    """1 labeled, 0 unlabeled, int8 of shape (n,)."""
    score: np.ndarray
    """Higher means more positive, of shape (n,), float64 or, as in the file, float32; -inf ranks lowest."""
    rows: np.ndarray
    """Positions of the rows in the file, from 0, int64 of shape (n,)."""
    n_rows: int
    """Number of rows of the file."""
    ids: np.ndarray | None = None
    """Values of the column of ids, str of shape (n,); None if no column was given."""
    unscored: Unscored | None = None
    """The rows without a score and what is done with them; None if there are none."""
    left_out: "Scored | None" = None
    """Labels and names of the rows that were left out, without scores; None if there are none."""
    options: Mapping = MappingProxyType({})
    """Weights and clusters of the rows, by argument of :func:`pumetrics.assessment.assess`."""

    @property
    def n_used(self):
        """Number of rows used."""
        return len(self.s)

    @property
    def names(self):
        """Ids of the rows, or their numbers in the file; the first row below the header is 0."""
        return self.rows.astype(str) if self.ids is None else self.ids

    def take(self, chosen):
        """Some of the rows, in the order given."""
        return self._replace(
            s=self.s[chosen],
            score=self.score[chosen],
            rows=self.rows[chosen],
            ids=None if self.ids is None else self.ids[chosen],
            options={name: values[chosen] for name, values in self.options.items()},
        )


class Column(NamedTuple):
    """A column of a file."""

    source: object
    name: str
    values: object

    def __str__(self):
        return f"column {self.name!r} of {self.source}"

    def line(self, row):
        """Where a row is in the file."""
        return line_of(self.source, row)

    def written(self):
        """Values as the text that a text file has."""
        if self.source.has_types:
            return self.values.astype(str)
        return read_columns(self.source, [self.name], as_text=[self.name])[self.name].fillna("")

    def refuse(self, bad, wanted, remedy, values=None):
        """Raise ValueError on the first of the rows that are bad, if any."""
        rows = np.flatnonzero(bad)
        if not rows.size:
            return
        values = self.values.array if values is None else values
        value = shown(values[rows[0]])
        raise ValueError(
            f"{self} must hold {wanted}, got {value} in {self.line(rows[0])} ({rows.size} such rows): "
            f"{remedy.replace('{0}', value)}"
        )

    def numbers(self, wanted, remedy="correct or remove it"):
        """As float64, missing values as NaN; ValueError on text."""
        import pandas as pd

        column = self.values
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(column.cat.categories.dtype)
        if pd.api.types.is_numeric_dtype(column.dtype):  # true and false as well
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if column.dtype.kind == "f" and not self.source.has_types:
                self._check_thousands(values)
            return values

        numbers = np.full(len(column), np.nan)
        if pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype):
            # integers that pandas cannot convert
            huge = column.astype(str).str.fullmatch(r"-?\d{309,}").to_numpy(bool)
            numbers = pd.to_numeric(column.mask(huge, "inf"), errors="coerce").to_numpy(np.float64)
        wrong = np.isnan(numbers) & column.notna().to_numpy()
        first = str(column[wrong].iloc[0]) if wrong.any() else ""
        if first.startswith("["):
            remedy = NO_LISTS
        elif re.fullmatch(_SEPARATED, first):
            remedy = _NO_THOUSANDS
        self.refuse(wrong, wanted, remedy)
        return numbers

    def _check_thousands(self, values):
        """Refuse 1.234 or 1,234 next to 950: the mark may separate thousands or decimals."""
        there = ~np.isnan(values)
        with np.errstate(over="ignore"):
            is_longer = (values * 1000).round() / 1000 != values
        if is_longer[there].any() or not (abs(values) > 1).any():
            return
        written = self.written()
        marked = written.str.contains("[.,]").to_numpy(bool) & there
        some_are_marked = marked.any() and (there & ~marked).any()
        if some_are_marked and written[marked].str.fullmatch(_THOUSANDS).all():
            first = written[marked].iloc[0].strip().replace(",", ".")
            remedy = f"{_NO_THOUSANDS} ({first.replace('.', '')} or {first}0)"
            self.refuse(marked, "numbers", remedy, written.array)


def shown(value):
    """A value in a message: no value, a number in full, a text shortened."""
    if not isinstance(value, str) and str(value) in ("None", "nan", "<NA>"):
        return "no value"
    if isinstance(value, (float, np.floating)):
        return repr(float(value)).removesuffix(".0")
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def _labels(column, positive, unlabeled, verified, there):
    """Labels of a column: 1 labeled, 0 unlabeled, -1 negative if they are of verified rows, int8.

    Rows that are not `there` may have any label.
    """
    if positive is None:
        return _labels_as_numbers(column, verified, there)
    import pandas as pd

    codes, values = pd.factorize(column.values.astype(object), use_na_sentinel=True)
    keys = [_key(value) for value in values]
    meaning = dict.fromkeys([*_UNLABELED, *map(_key, unlabeled)], 0) | {_key(positive): 1}
    words = {key: value for key, value in zip(keys, values, strict=True) if key not in meaning}
    if verified and len(words) == 1:
        meaning |= dict.fromkeys(words, -1)
    missing = 0  # at code -1
    s = np.array([*(meaning.get(key, _UNKNOWN) for key in keys), missing], dtype=np.int8)[codes]
    s[~there & (s == _UNKNOWN)] = 0

    remedy = "if it means unlabeled, give --unlabeled {0}"
    if not (s == 1).any():
        for key, value in zip(keys, values, strict=True):
            if key.lower() == _key(positive).lower():
                remedy = f"did you mean --positive {shown(value)}?"
    wanted = f"{positive!r} for labeled and blank, 0, -1, false or NaN for unlabeled"
    if verified and len(words) > 1:
        found = ", ".join(map(shown, words.values()))
        wanted = f"verdicts in two words, {positive!r} and one for negative (it has {found}; case matters)"
        remedy = "write them alike"
    try:
        column.refuse(s == _UNKNOWN, wanted, remedy)
    except ValueError as error:
        if len(words) == 1 and (s == 1).any():  # pass and fail
            raise VerifiedError(str(error), every=False) from None
        raise
    return s


def _labels_as_numbers(column, verified, there):
    wanted = "1 for labeled and 0 for unlabeled"
    remedy = "give the value that means labeled with --positive"
    s = column.numbers(wanted, remedy)
    s = np.where(there | np.isin(s, (0, 1)), s, 0)
    column.refuse(~np.isin(s, (-1, 0, 1)), wanted, f"{remedy}; blank then means unlabeled", s)
    negative = s == -1
    if negative.any() and not verified:
        every = not (s == 0).any()
        what = " and no 0" if every else ", a verified negative"
        raise VerifiedError(
            f"{column} holds -1 in {column.line(np.argmax(negative))}{what} ({np.count_nonzero(negative)} such rows), "
            "but labels are 1 or 0",
            every=every,
        )
    return s.astype(np.int8)


def _key(value):
    """A value for comparison: 1, 1.0 and "1" are one, as are False and "false"."""
    text = normalize("NFC", str(value).strip())
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return text if "_" in text or abs(number) >= LARGEST_EXACT else f"{number:.17g}"


def _scores(column):
    """Scores of a column, float64, missing ones as NaN; ValueError on infinity, unless it is negative."""
    values = column.numbers("numbers")
    column.refuse(np.isposinf(values), "numbers below infinity", "correct it", values)
    large = np.isfinite(values) & (abs(values) >= LARGEST_EXACT)
    if large.any():
        written = column.written()
        whole = written.str.fullmatch(r"[-+]?\d+").to_numpy(bool) & large
        check_distinct(written[whole].map(int).to_numpy(object), values[whole], str(column))
    return values


def _check_scores(score, values, label, whole, kept, positive):
    """Raise ValueError on labels of one kind only unless `label` is None, and on equal or extreme scores."""
    s = whole.s
    if label is not None:
        for kind, name in ((1, "labeled"), (0, "unlabeled")):
            if not (s[kept] == kind).any():
                raise ValueError(_without(label, kind, name, positive, s))
    is_counted = kept & (whole.options.get("sample_weight", np.ones(len(s))) > 0)
    values = np.where(is_counted if is_counted.any() else kept, values, np.nan)
    lowest = np.nanargmin(values)
    highest = np.nanargmax(values)
    if values[lowest] == values[highest]:
        raise ValueError(
            f"{score} holds {values[lowest]:g} in every row: constant scores contain no information "
            "about a model; give the column of scores with --score"
        )
    values = np.where(np.isneginf(values), np.nan, values)
    row = max(np.nanargmin(values), highest, key=lambda place: abs(values[place]))
    if not SMALLEST <= abs(values[row]) <= LARGEST:
        raise ValueError(
            f"{score} must have its largest absolute value between {SMALLEST:g} and {LARGEST:g}, got "
            f"{values[row]:g} in {score.line(row)}: rescale the scores"
        )


def _without(label, kind, name, positive, s):
    """Why labels of one kind are not enough."""
    value = kind
    hint = ""
    if positive is not None:
        value = repr(positive) if kind else "a value that means unlabeled"
        values = ", ".join(shown(each) for each in label.values.dropna().unique()[:5])
        hint = f"; it contains {values or 'blanks only'}"
    among = " among the rows with a score" if (s == kind).any() else ""
    return f"{label} does not contain {value}{among}: there must be {name} examples{hint}"


def read_scores(
    path, *, score="score", label="s", positive=None, unlabeled=(), id=None, unscored=None
):
    """Read a column of scores and one of observed labels from a file.

    Names of text files end in .csv, .tsv or .txt, optionally followed by .gz, .bz2, .xz, .zip or .zst. Fields are
    separated by commas, semicolons, tabs or vertical bars; decimal commas are allowed unless commas separate fields.
    The encoding is UTF-8, UTF-16 or Latin-1. Files in .parquet, .feather and, before Python 3.14, .zst need the extra
    ``pumetrics[parquet]``.

    Parameters
    ----------
    path : path-like
    score, label : str
        Names of the columns. Labels are 1, 0 or true, false, unless `positive` defines them. A score of -inf ranks
        below all others.
    positive : str, optional
        The value that marks labeled examples, such as "fraud". Blank, 0, -1, false and NaN then mean unlabeled.
    unlabeled : sequence of str
        Further values that mean unlabeled, such as "legitimate"; only with `positive`.
    id : str, optional
        Name of a column of row names; each value may occur once.
    unscored : {"lowest", "skip"}, optional
        What to do with rows without a score: rank them below all others, tied, because the model did not list them
        (their score is then -inf), or leave them out. By default such rows are refused.

    Returns
    -------
    Scored

    Raises
    ------
    ValueError
        If the file cannot be read, lacks a column, has no rows or too many, or contains anything other than scores
        and the labels above: one line that gives the position.
    MissingExtraError
        If the file needs pyarrow, which is not installed.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("score,class\\n0.9,fraud\\n0.2,\\n,\\n0.4,0\\n")
    ...     file.flush()
    ...     scored = read_scores(file.name, label="class", positive="fraud", unscored="lowest")
    >>> scored.s, scored.score
    (array([1, 0, 0, 0], dtype=int8), array([ 0.9,  0.2, -inf,  0.4]))
    """
    options = {"label": label, "positive": positive, "unlabeled": unlabeled, "id": id}
    (scored,) = read_models(path, [score], **options, unscored=unscored)
    return scored


def read_models(
    path,
    scores,
    *,
    label="s",
    positive=None,
    unlabeled=(),
    id=None,
    unscored=None,
    weight=None,
    cluster=None,
    checked=False,
    verified=False,
):
    """Read several columns of scores, one for each model, and one column of observed labels from a file.

    Parameters
    ----------
    path : path-like
    scores : list of str
        Names of the columns of scores.
    label, positive, unlabeled, id, unscored
        See :func:`read_scores`. All models keep the same rows: rows are left out if they lack one of the scores.
    weight, cluster : str, optional
        Names of the columns of weights and of clusters.
    checked : bool, default=False
        Whether rows are checked: then no row has to be labeled, and a file without a column s has no labels.
    verified : bool, default=False
        Whether labels are verdicts: 1 positive, -1 negative, 0 not verified.

    Returns
    -------
    list of Scored
        One for each column of scores, of the same rows.

    Raises
    ------
    ValueError, MissingExtraError
        As :func:`read_scores`, or if a weight is no number of at least 0, or a cluster has no value.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("old,new,s\\n0.9,3,1\\n0.2,,0\\n0.4,1,0\\n")
    ...     file.flush()
    ...     models = read_models(file.name, ["old", "new"], unscored="skip")
    >>> [scored.score for scored in models]
    [array([0.9, 0.4]), array([3., 1.])]
    """
    if positive is None and unlabeled:
        raise ValueError("values that mean unlabeled need --positive, the value that means labeled")
    if positive is not None and not str(positive).strip():
        raise ValueError(
            "--positive is blank, and blank means unlabeled: give the value that means labeled"
        )
    source = source_of(path)
    _check_distinct_columns(scores, weight=weight, cluster=cluster, label=label, id=id)
    if checked and label == "s" and "s" not in columns_of(source, [*scores]):
        label = None
    texts = [name for name in (id, cluster) if name]
    if label and positive is not None:
        texts.append(label)
    if checked and positive is not None and label and _are_numbers(source, label, positive):
        positive = None  # it is the positive word of verdicts
        texts.remove(label)
    named = [*scores, *(name for name in (label, weight) if name), *texts]
    if is_weka(source):
        others = [name for name in named if name not in (*scores, label)]
        as_text = [name for name in texts if name in others]
        table, negative = weka_table(source, [*scores], label, positive, others, as_text)
        positive = positive.partition(":")[2] or positive
        unlabeled = [*unlabeled, *negative]
    else:
        table = read_columns(source, named, as_text=texts)
    if not len(table):
        raise ValueError(f"{source} has no rows")
    if len(table) > MOST_ROWS:
        raise ValueError(
            f"{source} has {len(table)} rows, more than the limit of {MOST_ROWS}: use a random "
            "sample of the rows"
        )

    parts = {name: Column(source, name, table[name]) for name in table}
    check_unscored(unscored)
    there = np.ones(len(table), dtype=bool)
    if unscored != "lowest":  # other rows are left out, or the file is refused
        there = table[[*scores]].notna().any(axis=1).to_numpy()
    positive = None if positive is None else str(positive)
    s = np.zeros(len(table), dtype=np.int8)
    if label:
        s = _labels(parts[label], positive, [*map(str, unlabeled)], verified, there)
    options = {}
    if weight:
        wanted = "weights of at least 0"
        values = parts[weight].numbers(wanted)
        is_weight = (values >= 0) & np.isfinite(values)
        parts[weight].refuse(there & ~is_weight, wanted, "correct or remove them", values)
        options["sample_weight"] = values
    if cluster:
        wanted = "a value in every row (--cluster)"
        parts[cluster].refuse(there & _blank(parts[cluster]), wanted, "fill it, or remove them")
        options["cluster"] = np.asarray(parts[cluster].values)
    ids = _ids(parts[id], there) if id else None

    whole = Scored(s, s, np.arange(len(s)), len(s), ids, options=options)
    labels = None if checked else parts[label]
    return _models(parts, scores, labels, whole, positive, unscored)


def _are_numbers(source, label, positive):
    """Whether labels are 1 and 0 as they are, and none is the positive value that is named."""
    values = read_columns(source, [label], as_text=[label])[label].astype(object)
    keys = {_key(value) for value in values.dropna().unique()}
    return keys <= {"0", "1", "-1", "true", "false"} and _key(positive) not in keys


def _check_distinct_columns(scores, **others):
    """Raise ValueError on a column with two meanings; the rows of an id may be a cluster."""
    named = [*others.items(), *(("score", name) for name in scores)]
    for (first, name), (second, other) in combinations(named, 2):
        may_be_one = {first, second} in ({"score"}, {"cluster", "id"})
        if name is not None and name == other and not may_be_one:
            raise ValueError(f"--{first} {name} and --{second} {name} must name different columns")


def _models(parts, scores, label, whole, positive, unscored):
    """The scores of each model, of the same rows."""
    values = {name: _scores(parts[name]) for name in scores}
    kept = np.ones(len(whole.s), dtype=bool)
    settled = {}
    for name, score in values.items():
        missing = np.isnan(score)
        if not missing.any():
            settled[name] = None
            continue
        settled[name] = Unscored.of_rows(whole.s, missing, unscored)
        if missing.all():
            raise ValueError(f"{parts[name]} is empty: give the column of scores with --score")
        if unscored is None:
            where = line_of(parts[name].source, np.argmax(missing))
            raise UnscoredError(f"{parts[name]} has no value in {settled[name]}, first in {where}")
        if unscored == "lowest":
            values[name] = np.where(missing, -np.inf, score)
        else:
            kept &= ~missing

    if not kept.all():
        left_out = Unscored.of_rows(whole.s, ~kept, unscored)
        settled = dict.fromkeys(scores, left_out)
    models = []
    for name in scores:
        _check_scores(parts[name], values[name], label, whole, kept, positive)
        score = values[name]
        if parts[name].values.dtype in (np.float32, np.float16):
            score = score.astype(parts[name].values.dtype)  # as a threshold has to meet them
        model = whole._replace(score=score, unscored=settled[name])
        if not kept.all():
            left_out = whole.take(np.flatnonzero(~kept))
            model = model.take(np.flatnonzero(kept))._replace(left_out=left_out)
        models.append(model)
    return models


def _blank(column):
    """Whether rows hold nothing but blanks, as in a text file."""
    return (column.values.isna() | (column.values.astype(str).str.strip() == "")).to_numpy()


def _ids(column, there):
    import pandas as pd

    ids = column.values
    column.refuse(
        there & _blank(column), "a value in every row", "fill it, or give another column with --id"
    )
    if pd.api.types.is_float_dtype(ids.dtype):  # skipped rows may have none
        known = ids.dropna()
        if ((known % 1 == 0) & (known.abs() < LARGEST_EXACT)).all():
            ids = ids.astype("Int64")
    ids = ids.astype(str).str.strip().str.normalize("NFC")
    repeated = np.flatnonzero(there & ids.duplicated().to_numpy())
    if repeated.size:
        value = ids.iloc[repeated[0]]
        raise ValueError(
            f"{column} holds {value!r} in {column.line(np.argmax(ids == value))} and in {column.line(repeated[0])} "
            f"({repeated.size} such rows): each example may occur once; remove the copies"
        )
    return ids.to_numpy(dtype=object)
