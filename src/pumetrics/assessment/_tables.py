"""Tables of numbers, each made once: terminal, page and notebook are formats of the same cells."""

from functools import partial
from math import isnan
from typing import NamedTuple

from pumetrics.assessment import _words

__all__ = [
    "Cell",
    "Column",
    "Table",
    "assessment_table",
    "checked_table",
    "compared_cells",
    "comparison_table",
    "named_rows",
    "score_cells",
]


class Cell(NamedTuple):
    """A text, and what is shown below it."""

    text: str = ""
    within: str = ""
    bold: bool = False
    key: str | None = None
    """Of the glossary, if it is one of its terms."""
    model: str | None = None
    """Whole name of the model that it names."""


class Column(NamedTuple):
    """The head of a column."""

    text: str
    key: str | None = None
    numeric: bool = True
    folds: bool = False
    """Whether it goes below the column before it where a terminal is narrow."""
    wraps: bool = False
    """Whether a terminal may break its lines between words."""
    model: str | None = None


class Table(NamedTuple):
    """Columns, and rows of cells; the first cell of a row is its name."""

    columns: list
    rows: list
    narrower: tuple = ()
    """Other forms, ever narrower: a terminal shows the first that fits its width, or else the last."""

    def __rich_console__(self, console, options):
        layouts = [(table, _widths(table, options.max_width)) for table in (self, *self.narrower)]
        fitting = (layout for layout in layouts if _total(layout[1]) <= options.max_width)
        yield _in_terminal(*next(fitting, layouts[-1]))

    def without(self, *names):
        """Return the table without these columns, and without those that are empty in all rows."""
        kept = [
            place
            for place, column in enumerate(self.columns)
            if column.text not in names and (not place or any(row[place].text for row in self.rows))
        ]
        columns, *rows = ([line[place] for place in kept] for line in (self.columns, *self.rows))
        return Table(columns, rows)

    def folded(self):
        """Return the table for a narrow terminal: columns that fold are below the column before them."""
        columns = list(self.columns)
        rows = [list(row) for row in self.rows]
        for place in reversed([place for place, column in enumerate(columns) if column.folds]):
            below = columns.pop(place).text
            columns[place - 1] = columns[place - 1]._replace(
                text=f"{columns[place - 1].text}\n{below}"
            )
            for row in rows:
                below = row.pop(place).text
                row[place - 1] = row[place - 1]._replace(within=below)
        return Table(
            [column._replace(wraps=not place) for place, column in enumerate(columns)], rows
        )


_COLUMNS = {
    "threshold": Column("threshold", folds=True),
    "corrected": Column("corrected", "corrected", wraps=True),
    "interval": Column("interval", "interval", folds=True),
    "uncorrected": Column("uncorrected", "uncorrected"),
    "assumes": Column("assumes", numeric=False),
}
SHARES = ("recall", "precision")
"""Numbers at a threshold that are shown in percent."""


def _estimate(value, form=_words.number, within="", *, known=True):
    """Cell of an estimate, in bold, or that it is not identified."""
    if value is None or not known:
        return Cell("not identified", within, key="identified")
    return Cell(form(value) or "–", within, bold=not isnan(value))


def score_cells(rows, names, *, between=" to ", confidence=None, shares=()):
    """Table of numbers.

    Parameters
    ----------
    rows : iterable of (Cell, Score)
        Names and numbers.
    names : list of str
        Columns behind the name; those without any entry are left out.
    between : str
        Of the ends of an interval.
    confidence : float, optional
        To be named in the head of the intervals.
    shares : tuple of str
        Terms that are shown in percent.
    """
    head = {name: _COLUMNS[name] for name in names}
    if confidence is not None:
        head["interval"] = head["interval"]._replace(text=f"{confidence:.0%} interval")
    cells = []
    for name, score in rows:
        form = _words.number
        interval = _words.span(score.interval, between)
        if name.key in shares:
            form = _words.percent
            interval = _words.percents(score.interval)
        threshold = "" if score.threshold is None else _words.shown(score.threshold)
        shown = {
            "threshold": Cell(threshold),
            "corrected": _estimate(score.corrected, form, known=score.identified),
            "interval": Cell(interval),
            "uncorrected": Cell(form(score.uncorrected)),
            "assumes": Cell(score.assumes),
        }
        cells.append([name, *(shown[column] for column in names)])
    return Table([Column("metric"), *head.values()], cells).without()


def named_rows(assessment, *, short=False):
    """Names, without the threshold, and numbers of all metrics."""
    for score in assessment.scores:
        name = _words.name_of(score.metric, assessment.threshold, short=short)
        yield Cell(name, key=_words.term_of(score.metric)), score


def assessment_table(assessment):
    """A table of an :class:`Assessment` for :mod:`rich`, one metric a row; in narrow terminals it stacks numbers."""
    columns = ["threshold", "uncorrected", "corrected", "interval"]
    table = score_cells(named_rows(assessment, short=True), columns, between="–")
    return table._replace(narrower=(table.folded(),))


def compared_cells(comparison, names=None, *, between=" to "):
    """Table of a comparison, one metric a row, with intervals below the numbers.

    Parameters
    ----------
    comparison : Comparison
    names : dict of str to dict, optional
        Text, and whole name, of the first and of the second model; by default they are called so.
    between : str
        Of the ends of an interval.
    """
    short = names is None
    names = names or {side: {"text": side} for side in ("first", "second")}
    threshold = comparison.first.threshold
    columns = [
        Column("metric", wraps=True),
        *(Column(**name, wraps=True) for name in names.values()),
        Column("difference"),
        Column("better", numeric=False),
        Column("flips at", numeric=False),
    ]
    rows = []
    for metric, order in comparison.orders.items():
        row = [Cell(_words.label(metric, threshold, short=short), key=_words.term_of(metric))]
        for part, (value, ends) in comparison.shown(metric).items():
            sign, to = ("+", " to ") if part == "difference" else ("", between)
            form = partial(_words.number, sign=sign)
            row.append(_estimate(value, form, _words.span(ends, to, sign)))
        better = Cell("shown only")
        if metric == comparison.headline:
            better = Cell(**names.get(comparison.scar_winner, {"text": "open"}))
        turns = "\n".join(f"{alpha:.3f}" for alpha in order.changes)
        rows.append([*row, better, Cell(turns or "never")])
    return Table(columns, rows)


def comparison_table(comparison):
    """A table of a :class:`Comparison` for :mod:`rich`, one metric a row, with intervals below the numbers."""
    table = compared_cells(comparison, between="–")
    narrow = table.without("flips at")
    wrapped = narrow._replace(columns=[each._replace(wraps=True) for each in narrow.columns])
    return table._replace(narrower=(narrow, wrapped))


def checked_table(assessment):
    """A table for :mod:`rich` of what checked rows say."""
    known = {each.metric: each.identified for each in assessment.scores}
    known["alpha"] = assessment.alpha_identified
    rows = []
    for metric, answer in assessment.checked.items():
        name = metric
        if metric not in ("alpha", "beta"):
            name = _words.label(metric, assessment.threshold, short=True)
        estimate = _estimate(answer.estimate, known=known.get(metric, True))
        rows.append([Cell(name), estimate, Cell(_words.span((answer.lower, answer.upper), "–"))])
    return Table([Column("checked rows", wraps=True), Column("estimate"), Column("interval")], rows)


def _total(widths):
    """Characters of a line: a blank at both edges, and two between columns."""
    return sum(widths) + 2 * len(widths) + 1


def _widths(table, most):
    """Characters of each column; where lines are too long, those that may wrap become narrower, names last."""
    from rich.cells import cell_len

    columns = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        texts = [column.text, *(cell.text for cell in cells), *(cell.within for cell in cells)]
        columns.append([line for text in texts for line in text.splitlines()])
    widths = [max(map(cell_len, lines)) for lines in columns]
    for place in sorted(range(len(widths)), key=lambda place: not place):
        if table.columns[place].wraps:
            least = max(cell_len(word) for line in columns[place] for word in line.split())
            widths[place] = max(least, widths[place] - max(0, _total(widths) - most))
    return widths


def _in_terminal(table, widths):
    """A table for :mod:`rich`."""
    from rich import box
    from rich.table import Table as Lines
    from rich.text import Text

    lines = Lines(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for place, (column, width) in enumerate(zip(table.columns, widths, strict=True)):
        justify = "left" if not place or not column.numeric else "right"
        lines.add_column(Text(column.text), justify=justify, width=width, overflow="fold")
    for row in table.rows:
        cells = []
        for cell in row:
            text = Text(cell.text, "bold" if cell.bold else "")
            cells.append(text.append(f"\n{cell.within}") if cell.within else text)
        lines.add_row(*cells)
    return lines
