"""The picture of a report: claims about size, and all published numbers against ours; each point leads to its row."""

import math
from dataclasses import dataclass

from pumetrics_workflow.claims import CHOICES
from pumetrics_workflow.verdicts import DIFFERING, is_about_size

__all__ = ["HEIGHT", "WIDTH", "Panel", "Point", "anchor", "mark", "panels", "ratios", "short"]

WIDTH, HEIGHT = 420, 330  # pixels
_LINEAR = 0.01  # below it the axis is linear, so that 0 has a place
_TICKS = (-1, -0.1, 0, 0.1, 1, 10, 100)
_SIGNS = {-1: "too low", 0: "neither", 1: "too high"}
_BOX = 70, WIDTH - 12, HEIGHT - 40, 24  # left, right, bottom and top of the frame
_NAMED = 190, *_BOX[1:]  # with room for names on the left


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
    """A panel: labels, ticks as (pixel, text), dashed lines and bars as (x1, y1, x2, y2), points, and its frame."""

    title: str
    x_label: str
    y_label: str
    x_ticks: list
    y_ticks: list
    lines: list
    points: list
    bars: tuple = ()
    frame: tuple = _BOX

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


def short(study):
    """Return first author and year of a paper by its name.

    Examples
    --------
    >>> short("jain2017")
    'Jain 2017'
    """
    return f"{study[:-4].capitalize()} {study[-4:]}"


def panels(sections):
    """Return the panels that are not empty: numbers, cells with a side, and signs with a bound.

    Parameters
    ----------
    sections : list of StudySection
    """
    rows = [(section, row) for section in sections for row in section.compared.itertuples()]
    kinds = {_numbers: ["within"], _signs: ["side"], _bounds: ["above", "below"]}
    chosen = {
        make: [pair for pair in rows if pair[1].compare in ways] for make, ways in kinds.items()
    }
    return [make(pairs) for make, pairs in chosen.items() if pairs]


def ratios(sections):
    """Return the panel of papers' claims about size: values, intervals and the bound of a third; None without any."""
    rows = [
        (section, row)
        for section in sections
        if section.study.kind == "paper"
        for row in section.judged.itertuples()
        if is_about_size(row) and row.reproduced > 0
    ]
    if not rows:
        return None
    left, right, bottom, top = _NAMED
    ends = [end for _, row in rows for end in (row.reproduced, row.low, row.high) if end == end]
    least, most = 10 ** math.floor(math.log10(max(min(ends), 1e-3))), max(1, *ends)

    def x(value):
        return round(
            left + math.log(max(value, least) / least) / math.log(most / least) * (right - left), 1
        )

    step = (bottom - top) / len(rows)
    heights = [round(top + (place + 0.5) * step, 1) for place in range(len(rows))]
    points = [
        _point(*pair, x(pair[1].reproduced), y, 5) for pair, y in zip(rows, heights, strict=True)
    ]
    bars = tuple(
        (x(row.low), y, x(row.high), y)
        for (_, row), y in zip(rows, heights, strict=True)
        if row.low <= row.high
    )
    names = [
        (y, short(section.study.name) + (f": {row.theirs}" if isinstance(row.theirs, str) else ""))
        for (section, row), y in zip(rows, heights, strict=True)
    ]
    ticks = [(x(tick), f"{tick:g}") for tick in (0.001, 0.01, 0.1, 1) if tick >= least]
    line = (x(CHOICES["much"]), top, x(CHOICES["much"]), bottom)
    title = "Claims about size"
    return Panel(
        title, "ratio or difference, 95% interval", "", ticks, names, [line], points, bars, _NAMED
    )


def mark(verdict):
    """Return how a verdict is drawn: "holds", "differs" or "open" (neither).

    Examples
    --------
    >>> mark("opposite"), mark("inconclusive")
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
        return [
            (self(tick), f"{tick:g}".replace("-", "−"))
            for tick in _TICKS
            if self.low <= _bent(tick) <= self.high
        ]


def _point(section, row, x, y, radius):
    name = section.study.name
    said = {
        "within": f"published {row.published:g}, reproduced {row.reproduced:.4g}",
        "side": f"published {row.published:g}, reproduced {row.reproduced:.4g}",
        "above": f"must lie above {row.published:g}, reproduced {row.reproduced:.4g}",
        "below": f"must lie below {row.published:g}, reproduced {row.reproduced:.4g}",
    }.get(row.compare, f"ratio {row.reproduced:.2g}")
    label = f"{section.study.title}, {row.quantity}: {said}, {row.verdict}"
    return Point(
        round(x, 1), round(y, 1), radius, mark(row.verdict), name, anchor(name, row.id), label
    )


def _numbers(chosen):
    left, right, bottom, top = _BOX
    values = [value for _, row in chosen for value in (row.published, row.reproduced)]
    x, y = _Axis(values, left, right), _Axis(values, bottom, top)
    points = [
        _point(section, row, x(row.published), y(row.reproduced), 4) for section, row in chosen
    ]
    line = (x.at(x.low), y.at(y.low), x.at(x.high), y.at(y.high))
    return Panel(
        f"{len(chosen)} printed numbers",
        "published",
        "reproduced",
        x.ticks(),
        y.ticks(),
        [line],
        points,
    )


def _signs(chosen):
    """A cell for each pair of answers, filled row by row: equal answers lie on the diagonal."""
    left, right, bottom, top = _BOX
    wide, high = (right - left) / 3, (bottom - top) / 3
    cells = {}
    for section, row in chosen:
        cells.setdefault((int(row.published), int(row.reproduced)), []).append((section, row))
    points = []
    for (published, reproduced), members in cells.items():
        middle = left + (published + 1.5) * wide, bottom - (reproduced + 1.5) * high
        columns = max(1, math.ceil(math.sqrt(len(members) * wide / high)))
        lines = math.ceil(len(members) / columns)
        step = min(9.0, 0.9 * wide / columns, 0.9 * high / lines)
        for number, (section, row) in enumerate(members):
            x = middle[0] + (number % columns - (columns - 1) / 2) * step
            y = middle[1] + (number // columns - (lines - 1) / 2) * step
            points.append(_point(section, row, x, y, round(min(4.0, 0.45 * step), 2)))
    ticks = [(left + (sign + 1.5) * wide, text) for sign, text in _SIGNS.items()]
    heights = [(bottom - (sign + 1.5) * high, text) for sign, text in _SIGNS.items()]
    title = f"{len(chosen)} cells: is the metric too low or too high?"
    return Panel(
        title, "published", "reproduced", ticks, heights, [(left, bottom, right, top)], points
    )


def _bounds(chosen):
    """A column for each study; the line is the bound that the paper's words imply."""
    left, right, bottom, top = _BOX
    names = list(dict.fromkeys(section.study.name for section, _ in chosen))
    y = _Axis([0, *(row.reproduced - row.published for _, row in chosen)], bottom, top)
    column = (right - left) / len(names)
    points = []
    for number, name in enumerate(names):
        members = sorted(
            (pair for pair in chosen if pair[0].study.name == name),
            key=lambda pair: pair[1].reproduced,
        )
        step = min(9.0, 0.85 * column / len(members))
        for place, (section, row) in enumerate(members):
            x = left + (number + 0.5) * column + (place - (len(members) - 1) / 2) * step
            points.append(_point(section, row, x, y(row.reproduced - row.published), 4))
    ticks = [
        (left + (number + 0.5) * column, name.rstrip("0123456789"))
        for number, name in enumerate(names)
    ]
    title, line = f"{len(chosen)} values against their bounds", (left, y(0), right, y(0))
    return Panel(title, "", "reproduced minus bound", ticks, y.ticks(), [line], points)
