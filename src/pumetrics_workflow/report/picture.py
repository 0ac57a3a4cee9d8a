"""The picture of all published against reproduced numbers: three panels of points, each with a link to its row."""

import math
from dataclasses import dataclass

from pumetrics_workflow.verdicts import DIFFERING

__all__ = ["Panel", "Point", "anchor", "mark", "panels"]

_LINEAR = 0.01  # below it the axis is linear, so that 0 has a place
_TICKS = (-1, -0.1, 0, 0.1, 1, 10, 100)
_SIGNS = {-1: "too low", 0: "neither", 1: "too high"}
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 12, 24, 40  # margins in pixels


@dataclass(frozen=True)
class Point:
    """A published number: place in pixels, how its verdict is drawn, its study and row, and its label."""

    x: float
    y: float
    radius: float
    verdict: str
    study: str
    target: str
    label: str


@dataclass(frozen=True)
class Panel:
    """A panel: size in pixels, ticks as (pixel, text), lines as (x1, y1, x2, y2), axis labels, and points."""

    title: str
    width: int
    height: int
    x_label: str
    y_label: str
    x_ticks: list
    y_ticks: list
    lines: list
    points: list

    @property
    def frame(self):
        """Left, right, bottom and top of the frame in pixels."""
        return _box(self.width, self.height)

    @property
    def staggered(self):
        """Whether the names below the panel are too wide for one line."""
        return sum(len(text) for _, text in self.x_ticks) > 36


def anchor(study, key):
    """Return the id of a published number's row in the page.

    Examples
    --------
    >>> anchor("rider2013", "2a/bcar/c45/0.1")
    'rider2013-row-2a-bcar-c45-0_1'
    """
    return f"{study}-row-" + key.replace("/", "-").replace(".", "_")


def panels(sections):
    """Return the panels that are not empty: numbers, cells with a side, and signs with a bound.

    Parameters
    ----------
    sections : list of StudySection
    """
    rows = [(section, row) for section in sections for row in section.compared.itertuples()]
    signs = [pair for pair in rows if pair[1].compare == "side"]
    bounds = [pair for pair in rows if pair[1].compare in ("above", "below")]
    numbers = [pair for pair in rows if pair[1].compare == "within"]
    made = [(_numbers, numbers), (_signs, signs), (_bounds, bounds)]
    return [make(chosen) for make, chosen in made if chosen]


def mark(verdict):
    """Return how a verdict is drawn: "holds", "differs" or "open" (neither).

    Examples
    --------
    >>> mark("opposite"), mark("undetermined")
    ('differs', 'open')
    """
    return "holds" if verdict == "holds" else "differs" if verdict in DIFFERING else "open"


def _bent(value):
    """Logarithmic above _LINEAR, linear around 0, odd."""
    return math.copysign(math.log10(1 + abs(value) / _LINEAR), value)


class _Axis:
    """From values to pixels, bent; the ticks are those of the decades that it spans."""

    def __init__(self, values, first, last):
        low, high = min(map(_bent, values)), max(map(_bent, values))
        room = max(0.05 * (high - low), 0.15)
        self.low, self.high, self.first, self.last = low - room, high + room, first, last

    def __call__(self, value):
        return self.at(_bent(value))

    def at(self, bent):
        return self.first + (bent - self.low) / (self.high - self.low) * (self.last - self.first)

    def ticks(self):
        return [(self(tick), f"{tick:g}".replace("-", "−")) for tick in _TICKS if self.low <= _bent(tick) <= self.high]


def _label(section, row):
    note = f": published {row.published:g}, reproduced {row.reproduced:.4g}, {row.verdict}"
    if row.compare in ("above", "below"):
        note = f": must lie {row.compare} {row.published:g}, reproduced {row.reproduced:.4g}, {row.verdict}"
    return f"{section.study.title}, {row.quantity}{note}"


def _point(section, row, x, y, radius):
    name = section.study.name
    return Point(round(x, 1), round(y, 1), radius, mark(row.verdict), name, anchor(name, row.id), _label(section, row))


def _box(width, height):
    """Left, right, bottom and top of the frame."""
    return _LEFT, width - _RIGHT, height - _BOTTOM, _TOP


def _numbers(chosen):
    width, height = 420, 330
    left, right, bottom, top = _box(width, height)
    values = [value for _, row in chosen for value in (row.published, row.reproduced)]
    x, y = _Axis(values, left, right), _Axis(values, bottom, top)
    points = [_point(section, row, x(row.published), y(row.reproduced), 4) for section, row in chosen]
    line = (x.at(x.low), y.at(y.low), x.at(x.high), y.at(y.high))
    return Panel(
        f"{len(chosen)} printed numbers", width, height, "published", "reproduced", x.ticks(), y.ticks(), [line], points
    )


def _signs(chosen):
    """A cell for each pair of answers, filled row by row: equal answers lie on the diagonal."""
    width, height = 420, 330
    left, right, bottom, top = _box(width, height)
    wide, high = (right - left) / 3, (bottom - top) / 3
    cells = {}
    for section, row in chosen:
        cells.setdefault((int(row.published), int(row.reproduced)), []).append((section, row))
    points = []
    for (published, reproduced), members in cells.items():
        middle = left + (published + 1.5) * wide, bottom - (reproduced + 1.5) * high
        columns = max(1, math.ceil(math.sqrt(len(members) * wide / high)))
        step = min(9.0, 0.9 * wide / columns, 0.9 * high / math.ceil(len(members) / columns))
        lines = math.ceil(len(members) / columns)
        for number, (section, row) in enumerate(members):
            x = middle[0] + (number % columns - (columns - 1) / 2) * step
            y = middle[1] + (number // columns - (lines - 1) / 2) * step
            points.append(_point(section, row, x, y, round(min(4.0, 0.45 * step), 2)))
    ticks = [(left + (sign + 1.5) * wide, text) for sign, text in _SIGNS.items()]
    heights = [(bottom - (sign + 1.5) * high, text) for sign, text in _SIGNS.items()]
    line = (left, bottom, right, top)
    title = f"{len(chosen)} cells: is the metric too low or too high?"
    return Panel(title, width, height, "published", "reproduced", ticks, heights, [line], points)


def _bounds(chosen):
    """A column for each study; the line is the bound that the paper's words imply."""
    width, height = 420, 330
    left, right, bottom, top = _box(width, height)
    names = list(dict.fromkeys(section.study.name for section, _ in chosen))
    y = _Axis([0, *(row.reproduced - row.published for _, row in chosen)], bottom, top)
    column = (right - left) / len(names)
    points = []
    for number, name in enumerate(names):
        members = sorted((pair for pair in chosen if pair[0].study.name == name), key=lambda pair: pair[1].reproduced)
        step = min(9.0, 0.85 * column / len(members))
        for place, (section, row) in enumerate(members):
            x = left + (number + 0.5) * column + (place - (len(members) - 1) / 2) * step
            points.append(_point(section, row, x, y(row.reproduced - row.published), 4))
    ticks = [(left + (number + 0.5) * column, name.rstrip("0123456789")) for number, name in enumerate(names)]
    title = f"{len(chosen)} signs: above or below a bound?"
    line = (left, y(0), right, y(0))
    return Panel(title, width, height, "", "reproduced minus bound", ticks, y.ticks(), [line], points)
