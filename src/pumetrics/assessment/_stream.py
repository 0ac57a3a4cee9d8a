"""Count the scores of Parquet and Arrow files of any size in batches, without loading them into memory.

Batches pass twice. The first time their distinct scores are counted, and some of either sample are set aside, at
regular intervals. If the distinct scores are too many to keep, those set aside give the thresholds, and the second
time the examples at or above each are counted. So every count is exact; only the order of examples between two
thresholds is lost.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pumetrics._extras import require
from pumetrics._validation import LARGEST, SMALLEST, of_unknown_origin
from pumetrics.assessment._files import Source, check_names, readable, source_of
from pumetrics.assessment._read import (
    Scored,
    check_spread,
    finite_scores,
    marked,
    plain_labels,
    read_models,
    skipped_note,
)
from pumetrics.counts import Counts
from pumetrics.inference.request import check_threshold

__all__ = ["Tally", "count_batches", "count_file", "read_or_count"]

MOST_DISTINCT = 1 << 20
"""Distinct scores that are all kept."""

_THRESHOLDS = 1 << 14  # from each sample, if not all are kept
_SET_ASIDE = 1 << 19  # scores of each sample, at most


class Streamed(NamedTuple):
    """Counts of a stream of examples, and how fine they are."""

    counts: Counts
    """Labeled and unlabeled examples at or above each threshold."""
    exact: bool
    """Whether every distinct score is a threshold."""
    area_error: float
    """Most that grouping can change the area under the uncorrected ROC curve; 0 if exact."""


def count_batches(batches, *, threshold=None, most_distinct=MOST_DISTINCT, n_thresholds=_THRESHOLDS):
    """Count labeled and unlabeled examples of a stream at or above each of its scores, or of well-spread ones.

    Parameters
    ----------
    batches : callable
        Without arguments; each call returns an iterator over the same batches, pairs of labeled and unlabeled
        scores, each a float64 array of finite numbers. It is called once or twice.
    threshold : float, optional
        Threshold of predictions, which is always kept.
    most_distinct : int
        Number of distinct scores up to which every score is a threshold.
    n_thresholds : int
        Number of thresholds from the quantiles of each sample otherwise.

    Returns
    -------
    Streamed

    Raises
    ------
    ValueError
        If there are no labeled or no unlabeled examples.

    Notes
    -----
    The area between two neighboring thresholds is at most half of the rectangle that they span, so grouping moves the
    area by at most half the sum of the products of the labeled and unlabeled shares of the groups. With evenly
    spread thresholds that is about 1 / (2 n_thresholds).

    Examples
    --------
    >>> parts = [(np.array([0.9]), np.array([0.5, 0.1])), (np.array([0.5]), np.array([0.1]))]
    >>> streamed = count_batches(lambda: iter(parts))
    >>> streamed.counts.thresholds, streamed.counts.labeled, streamed.counts.unlabeled, streamed.exact
    (array([inf, 0.9, 0.5, 0.1]), array([0, 1, 2, 2]), array([0, 0, 1, 3]), True)
    """
    distinct, aside = _Distinct(most_distinct), (_Aside(), _Aside())
    for scores in batches():
        distinct.add(scores)
        for kept, part in zip(aside, scores, strict=True):
            kept.add(part)
    distinct.merge()
    for kept, kind in zip(aside, ("labeled", "unlabeled"), strict=True):
        if not kept.n_seen:
            raise ValueError(f"there are no {kind} examples")
    if distinct.values is not None:
        return Streamed(_counts(distinct.values, distinct.sizes), True, 0.0)
    grid = _spread(aside, threshold, n_thresholds)
    above = np.zeros((2, len(grid)), dtype=np.int64)
    for scores in batches():
        for row, part in zip(above, scores, strict=True):
            row += len(part) - np.searchsorted(np.sort(part), grid)
    counts = Counts(np.append(np.inf, grid[::-1]), *np.concatenate([[[0], [0]], above[:, ::-1]], axis=1))
    return Streamed(counts, False, area_error(counts))


def area_error(counts):
    """Largest error of the area under the uncorrected ROC curve because examples between two thresholds are tied."""
    return float(np.sum(np.diff(counts.tpr_pu) * np.diff(counts.fpr_pu)) / 2)


class _Distinct:
    """Distinct scores, ascending, and how often each occurs in either sample; None once there are too many."""

    def __init__(self, most):
        self.values, self.sizes = np.zeros(0), np.zeros((2, 0), dtype=np.int64)
        self._most, self._waiting = most, []

    def add(self, scores):
        """Take the scores of a batch."""
        if self.values is None:
            return
        values, places = np.unique(np.concatenate(scores), return_inverse=True)
        parts = places[: len(scores[0])], places[len(scores[0]) :]
        self._waiting.append((values, np.array([np.bincount(part, minlength=len(values)) for part in parts])))
        if sum(len(each) for each, _ in self._waiting) > self._most:
            self.merge()

    def merge(self):
        """Join what waits with what is there."""
        if self.values is None:
            return
        values = np.concatenate([self.values, *(each for each, _ in self._waiting)])
        sizes = np.concatenate([self.sizes, *(each for _, each in self._waiting)], axis=1)
        self._waiting = []
        self.values, places = np.unique(values, return_inverse=True)
        self.sizes = np.zeros((2, len(self.values)), dtype=np.int64)
        np.add.at(self.sizes, (slice(None), places), sizes)
        if len(self.values) > self._most:
            self.values = self.sizes = None


class _Aside:
    """Every so many scores of a stream, from the first, so that a limited number is kept however many come."""

    def __init__(self):
        self.n_seen, self.lowest, self.highest = 0, np.inf, -np.inf
        self._kept, self._step = [], 1

    def add(self, scores):
        """Take the next scores."""
        if not len(scores):
            return
        self.lowest, self.highest = min(self.lowest, scores.min()), max(self.highest, scores.max())
        self._kept.append(scores[-self.n_seen % self._step :: self._step].copy())
        self.n_seen += len(scores)
        while sum(map(len, self._kept)) > _SET_ASIDE:
            self._kept = [np.concatenate(self._kept)[::2].copy()]
            self._step *= 2

    def quantiles(self, n):
        """At most n evenly spaced scores of those kept."""
        scores = np.sort(np.concatenate(self._kept))
        if len(scores) <= n:
            return scores
        return scores[((np.arange(n) + 0.5) * len(scores) / n).astype(np.int64)]


def _spread(aside, threshold, n_thresholds):
    """Thresholds, ascending: quantiles of both samples, the ends of all scores, and one to keep."""
    lowest, highest = min(kept.lowest for kept in aside), max(kept.highest for kept in aside)
    extra = [] if threshold is None or not lowest <= threshold <= highest else [threshold]
    return np.unique(np.concatenate([*(kept.quantiles(n_thresholds) for kept in aside), [lowest, highest], extra]))


def _counts(values, sizes):
    """Counts of distinct scores, given in ascending order."""
    above = np.cumsum(sizes[:, ::-1], axis=1)
    labeled, unlabeled = np.concatenate([np.zeros((2, 1), dtype=np.int64), above], axis=1)
    return Counts(np.append(np.inf, values[::-1]), labeled, unlabeled)


STREAMED_FROM = 3_000_000
"""Rows from which a file is streamed: in memory, a million rows take about a gigabyte."""

_BATCH = 1 << 18


class Tally(NamedTuple):
    """Counts of a file, and what they were made of."""

    streamed: Streamed
    n_rows: int
    """Rows of the file."""
    n_used: int
    """Rows with a score and a label of 1 or 0."""
    notes: tuple
    """Lines on rows that were left out, and on what is exact."""

    @property
    def counts(self):
        """Labeled and unlabeled examples at or above each threshold."""
        return self.streamed.counts


def count_file(
    path, *, score="score", label="s", positive=None, unlabeled=(), negative=(), threshold=None, ignore_negatives=False
):
    """Count labeled and unlabeled examples of a Parquet or Arrow file at or above each threshold, in constant memory.

    With up to a million distinct scores, each of them is a threshold, and the counts equal those of ``count_scores`` on
    all rows. With more, about 32,000 scores that are spread evenly over both samples are thresholds: every count is
    still exact, but scores between two thresholds are not distinguished. ``streamed.exact`` says which case applies,
    and ``streamed.area_error`` by how much the area under the uncorrected ROC curve can change.

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
    Tally
        Use its ``counts`` in place of scores: ``assess(None, tally.counts)``.

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
    ...     tally = count_file(file.name)
    >>> tally.counts.thresholds, tally.counts.labeled, tally.counts.unlabeled
    (array([inf, 0.9, 0.5]), array([0, 1, 2]), array([0, 0, 1]))
    >>> tally.n_rows, tally.n_used, tally.streamed.exact
    (4, 3, True)
    """
    sources = [source_of(each) for each in (path if isinstance(path, list) else [path])]
    source = sources[0] if len(sources) == 1 else Source(sources[0].path, ", ".join(map(str, sources)))
    if score == label:
        raise ValueError(f"--score {score}, --label {label} must name different columns")
    if positive is None and (unlabeled or negative):
        raise ValueError("values that mean unlabeled or negative need --positive, the value that means labeled")
    files = [file for each in sources for file in _files(each)]
    for each in sources:
        if not _files(each):
            raise ValueError(f"{each} must be a .parquet, .feather or .arrow file, or a folder of .parquet files")
    kinds = None if positive is None else str(positive), [*map(str, unlabeled)], [*map(str, negative)]
    reader = _Reader(source, files, score, label, kinds, ignore_negatives)
    first = next(_tables(source, files, [score]), None)
    if first is None or first[score].dtype != np.float32:
        streamed = count_batches(reader.batches, threshold=threshold)
    else:  # thresholds in the file's own precision, as a threshold has to meet them
        kept = None if threshold is None else check_threshold(threshold, np.float32([]))
        streamed = count_batches(reader.batches, threshold=kept)
        counts = streamed.counts
        streamed = streamed._replace(counts=counts._replace(thresholds=counts.thresholds.astype(np.float32)))
    return Tally(streamed, reader.n_rows, streamed.counts.n, (*reader.notes(), _note(source, streamed)))


def read_or_count(path, scores, *, threshold=None, id=None, row_by_row=False, ignore_negatives=False, **options):
    """Read columns of scores, or count them if there are too many rows.

    Parameters
    ----------
    path : path-like
    scores : list of str
        Names of the columns, one model each.
    threshold : float, optional
        Where predictions are made.
    id : str, optional
        A column that names the rows, which is checked row by row.
    row_by_row : bool
        Whether rows are needed for another reason, such as their weights. A file is then not streamed.
    ignore_negatives : bool
        See :func:`count_file`; a file that is read keeps them.
    **options
        As for :func:`pumetrics.assessment.read_models`.

    Returns
    -------
    list of Scored

    Raises
    ------
    ValueError
        As :func:`pumetrics.assessment.read_models`, or if rows of a folder are needed.
    """
    source = source_of(path)
    rows_needed = row_by_row or id is not None
    if rows_needed and source.path.is_dir() and _files(source):
        raise ValueError(
            f"{source} is a folder, which is counted in batches without single rows: give one file, or omit --id, "
            "--weight, --by, --cluster and --fold"
        )
    if rows_needed or not _is_large(source):
        return read_models(source, scores, id=id, **options)
    options |= {"threshold": threshold, "ignore_negatives": ignore_negatives}
    tallies = [count_file(source, score=score, **options) for score in scores]
    return [Scored(None, tally.counts, None, tally.n_rows, None, tally.notes) for tally in tallies]


def _is_large(source):
    """Whether a file is one to stream; the reader in memory says what is wrong with one that cannot be read."""
    if source.path.is_dir():
        return source.path != Path() and bool(_files(source))  # an empty name is that of the folder one is in
    if not source.is_columnar or not source.path.is_file():
        return False
    try:
        return rows_of(source) >= STREAMED_FROM
    except ValueError:
        return False


def rows_of(path):
    """Rows of a Parquet or Arrow file or of a folder of Parquet files; None of any other file."""
    source = source_of(path)
    files = _files(source)
    if not files:
        return None
    require("pyarrow", extra="parquet", purpose=f"reading {source}")
    if files[0].kind == ".parquet":
        from pyarrow import parquet

        return sum(readable(each, parquet.read_metadata, each.path).num_rows for each in files)
    from pyarrow import dataset

    return readable(source, lambda: dataset.dataset(source.path, format="feather").count_rows())


def _note(source, streamed):
    """What is exact in counts of a stream, and what is not."""
    n = len(streamed.counts.thresholds) - 1
    if streamed.exact:
        return f"{source} was read in batches; each of its {n:,} distinct scores is counted, so results are exact"
    return (
        f"{source} was read in batches; examples are counted exactly at {n:,} thresholds, spread evenly over labeled "
        "and unlabeled examples. All other thresholds together would change the uncorrected AUC by at most "
        f"{streamed.area_error:.1g}"
    )


def _files(source):
    """Files to stream, in order of their names; none if it is text."""
    if source.path.is_dir():
        parts = sorted(path for path in source.path.iterdir() if path.suffix.lower() == ".parquet" and path.is_file())
        return [Source(path, str(path)) for path in parts]
    return [source] if source.is_columnar else []


class _Reader:
    """Batches of labeled and unlabeled scores, and what was seen on the first pass over them."""

    def __init__(self, source, files, score, label, kinds, ignore_negatives):
        self.source, self.score, self.label = source, score, label
        self.kinds, self.ignore_negatives = kinds, ignore_negatives
        self.files = files
        self.n_rows = 0
        self._first = True
        self._n_missing, self._n_missing_labeled, self._first_missing = 0, 0, None
        self._n_of = {1: 0, 0: 0, -1: 0}  # rows with a score, by label
        self._ends, self._largest = [np.inf, -np.inf], (-1.0, None)

    def batches(self):
        """Pairs of labeled and unlabeled scores, in the order of the rows."""
        start = 0
        for table in _tables(self.source, self.files, [self.score, self.label]):
            scores = finite_scores(self.source, self.score, table[self.score], start=start)
            if self.kinds[0] is None:
                s = plain_labels(self.source, self.label, table[self.label], start=start)
            else:
                s = marked(self.source, self.label, table[self.label], *self.kinds, start=start)
            there = ~np.isnan(scores)
            if self._first:
                self._look(scores, s, there, start)
            start += len(s)
            yield scores[there & (s == 1)], scores[there & (s == 0)]
        if self._first:
            self.n_rows, self._first = start, False
            self._check()

    def _look(self, scores, s, there, start):
        missing = np.flatnonzero(~there)
        if missing.size:
            self._n_missing += missing.size
            self._n_missing_labeled += np.count_nonzero(s[missing] == 1)
            self._first_missing = start + missing[0] if self._first_missing is None else self._first_missing
        for value in self._n_of:
            self._n_of[value] += np.count_nonzero(there & (s == value))
        if missing.size == len(scores):
            return
        sizes = np.abs(scores)
        place = int(np.nanargmax(sizes))
        self._largest = max(self._largest, (float(sizes[place]), start + place), key=lambda pair: pair[0])
        self._ends = [min(self._ends[0], np.nanmin(scores)), max(self._ends[1], np.nanmax(scores))]

    def _check(self):
        """Raise ValueError on what only all rows show: no rows, no scores, equal or extreme ones, or one kind only."""
        if not self.n_rows:
            raise ValueError(f"{self.source} has no rows")
        size, row = self._largest
        ends = np.array([end for end in self._ends if np.isfinite(end)])
        check_spread(self.source, self.score, ends, None if size == 0 or SMALLEST <= size <= LARGEST else row)
        for value, kind in ((1, "labeled"), (0, "unlabeled")):
            if not self._n_of[value]:
                raise ValueError(
                    f"column {self.label!r} of {self.source} has no {kind} examples among the rows with a score: at "
                    "least one is needed"
                )
        if self._n_of[-1] and not self.ignore_negatives:
            value = "-1" if self.kinds[0] is None else "a --negative value"
            where = f"column {self.label!r} of {self.source} holds {value}"
            raise ValueError(of_unknown_origin(self._n_of[-1], where))

    def notes(self):
        """Lines on rows that were left out."""
        if self._n_missing:
            facts = (self._n_missing, self.n_rows, self._n_missing_labeled, self._first_missing)
            yield skipped_note(self.source, self.score, *facts)
        if self._n_of[-1]:
            yield (
                f"{self._n_of[-1]} labeled negatives (-1) are ignored: corrections compare labeled with unlabeled "
                "examples"
            )


def _tables(source, files, names):
    """Batches of two columns as pandas tables."""
    require("pyarrow", extra="parquet", purpose=f"reading {source}")
    for file in files:
        if file.kind == ".parquet":
            from pyarrow import parquet

            with readable(file, parquet.ParquetFile, file.path, buffer_size=1 << 20) as opened:
                check_names(file, opened.schema_arrow.names, names)
                yield from _safely(file, opened.iter_batches(batch_size=_BATCH, columns=names))
        else:
            from pyarrow import dataset

            opened = readable(file, dataset.dataset, file.path, format="feather")
            check_names(file, opened.schema.names, names)
            yield from _safely(file, opened.to_batches(columns=names, batch_size=_BATCH, batch_readahead=2))


def _safely(file, batches):
    """Batches as tables; what makes a file unreadable half-way becomes one line."""
    iterator = iter(batches)
    while (batch := readable(file, next, iterator, None)) is not None:
        if batch.num_rows:
            yield batch.to_pandas()
