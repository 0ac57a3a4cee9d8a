"""What the report says of one study."""

import base64
import csv
import json
import re
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from pumetrics_workflow.claims import UNTESTED
from pumetrics_workflow.config import parse_yaml
from pumetrics_workflow.report.picture import anchor
from pumetrics_workflow.report.tables import claims, published_table, shown
from pumetrics_workflow.studies import load, read_tables
from pumetrics_workflow.verdicts import (
    DIFFERING,
    UNCOUNTED,
    VERDICTS,
    in_words,
    sensitivity,
)

__all__ = [
    "Statement",
    "StudySection",
    "Tracked",
    "history",
    "statement",
    "status",
    "tracked_verdicts",
]

_TEXTS = ("where", "then", "table", "needs", "effect", "clusters", "open")
_LONG = 400  # rows; a longer table is not shown
_OPEN = (*UNTESTED, "inconclusive")
_NAMED = 3  # data sets that are lacking
_EMBEDDED = 1_500_000  # bytes; a larger file is named, not carried by the page


class StudySection:
    """What the report says of one study.

    Parameters
    ----------
    study : pumetrics_workflow.plan.StudyPlan
    folder : path-like
        The study's results: ``tables`` and ``figures``.
    cards : dict
        The card of each data set, by name.
    figures : dict, optional
        Figures as SVG, by name, if they are not in the folder.
    left_out : dict, optional
        Tables that a reference does not hold, with the reason.
    outdated : str, optional
        Why the figures cannot be drawn, if the tables were kept by code that made other columns.
    state : pumetrics_workflow.staleness.State, optional
        Whether the tables of a reference are up to date.
    tracked : Tracked, optional
        The verdicts at paper scale, next to which those of a smaller run are shown.
    """

    def __init__(
        self,
        study,
        folder,
        cards,
        *,
        figures=None,
        left_out=None,
        outdated=None,
        state=None,
        tracked=None,
    ):
        self.study = study
        self.cards = cards
        self.outdated = outdated
        self.state = state
        self.tracked = tracked
        self._folder = Path(folder, "tables")
        self.tables = read_tables(self._folder)
        self._left_out = left_out or {}
        if figures is None:
            figures = {
                path.stem: path.read_bytes()
                for path in sorted(Path(folder, "figures").glob("*.svg"))
            }
        self._figures = {
            name: content
            for name, content in figures.items()
            if len(self.tables[self._behind(name)[0]])
        }

    @property
    def judged(self):
        """Published numbers and claims without controls and findings of our own, which are never counted."""
        table = self.tables["published"]
        return table[~table["kind"].isin(UNCOUNTED)]

    @property
    def compared(self):
        """Published numbers and signs that were also computed here."""
        table = self.judged
        return table[(table["kind"] != "claim") & table["reproduced"].notna()]

    @cached_property
    def claims(self):
        """The claims in the order of the paper: see :func:`claims`; with the status of those that differ.

        And with the verdict that is ``tracked``, "" without one.
        """
        name, table = self.study.name, self.tables["published"]
        tracked = self.tracked.verdicts if self.tracked else {}
        return [
            {
                **claim,
                "status": status(self.study, claim["id"])["status"]
                if claim["verdict"] in DIFFERING
                else "",
                "tracked": tracked.get(claim["id"], ""),
            }
            for claim in claims(name, table[table["kind"] == "claim"])
        ]

    @property
    def found(self):
        """What the study found; "" if a smaller run leaves open a claim that is decided at paper scale."""
        missed = [
            claim
            for claim in self.claims
            if claim["verdict"] in _OPEN and claim["tracked"] not in _OPEN
        ]
        return (
            ""
            if self.study.scale != "paper" and missed
            else (self.study.finding or {}).get("found", "")
        )

    def sets(self, left_out=()):
        """Return how many data sets were used, of how many, and which by a subset, in words; "" without any.

        Those that the plan took out of the study are in ``left_out``, as (study, data set, reason). A paper whose data
        are no list of sets has them in words in its file.
        """
        if self.study.paper and self.study.paper.get("data"):
            return self.study.paper["data"]
        gone = [dataset for study, dataset, _ in left_out if study == self.study.name]
        named = [*self.study.datasets, *gone] or self.study.all_datasets()
        used = [name for name in named if self.cards.get(name, {}).get("available")]
        parts = [name.removesuffix("_subset") for name in used if name.endswith("_subset")]
        lacking = [name for name in named if name not in used]
        said = f"{len(used)} of {len(named)} data sets"
        if 0 < len(lacking) <= _NAMED:
            said += f", without {' and '.join(lacking)}"
        return (said + f", {' and '.join(parts)} by a subset" * bool(parts)) if used else ""

    @property
    def counts(self):
        """How many claims hold ("none" if none does), and how many have each other verdict, in pairs with a text.

        Of a smaller run these are the verdicts at paper scale.
        """
        found = (
            list(self.tracked.verdicts.values())
            if self.tracked
            else [claim["verdict"] for claim in self.claims]
        )
        others = [verdict for verdict in VERDICTS[1:] if verdict in found]
        return [
            (
                "holds" if "holds" in found else "none",
                f"{found.count('holds')} of {len(found)} hold",
            ),
            *(
                (verdict, f"{found.count(verdict)} {in_words(verdict, found.count(verdict))}")
                for verdict in others
            ),
        ]

    @property
    def verdicts_here(self):
        """How many claims have each verdict in this run, in words."""
        found = [claim["verdict"] for claim in self.claims]
        counts = [(verdict, found.count(verdict)) for verdict in VERDICTS if verdict in found]
        return ", ".join(f"{count} {in_words(verdict, count)}" for verdict, count in counts)

    @cached_property
    def sensitivity(self):
        """Claims with another verdict at other values of each choice, by its name."""
        published = self.tables["published"]
        published = published.assign(
            **{name: published[name].astype(object).fillna("") for name in _TEXTS}
        )
        return sensitivity(published, load(self.study.name).published(self.tables), self.tables)

    @cached_property
    def statements(self):
        """What does not replicate, or not for the reason given: see :func:`statement`."""
        return [
            statement(self.study.name, each, self.tables)
            for each in (self.study.finding or {}).get("but", [])
        ]

    @property
    def in_short(self):
        """What the study found, and what does not replicate, as a sentence without its period."""
        but = [each.text for each in self.statements if each.state == "holds"]
        found = self.study.finding["found"]
        return f"{found}; but {'; '.join(but)}" if but else found

    @property
    def available(self):
        """Cards of the data sets that were used."""
        return [card for card in self.cards.values() if card["available"]]

    @cached_property
    def differing(self):
        """All that differs: id, kind, quantity, verdict, note, source, and the status with its table and reason."""
        table = self.tables["published"]
        rows = table[table["verdict"].isin(DIFFERING) & (table["kind"] != "own")]
        found = [
            {**row, **status(self.study, row["id"])}
            for row in rows.astype(object).fillna("").to_dict("records")
        ]
        return [{**row, "target": self._target(row["shown_by"])} for row in found]

    def _target(self, table):
        """Id of a table or figure of the page; None if it is not shown."""
        tables = {name: f"{self.study.name}-{name}-table" for name, *_ in self.shown_tables}
        return {**tables, **{name: f"{self.study.name}-{name}" for name in self._figures}}.get(
            table
        )

    @cached_property
    def figures(self):
        """Figures in the order of the captions: name, caption, data URI, size, tables behind it, and those left out."""
        return [
            {
                "name": name,
                "caption": figure["caption"],
                "tables": [table for table in self._behind(name) if table in self.tables],
                "without": [
                    (table, why)
                    for table, why in self._left_out.items()
                    if table in self._behind(name)
                ],
                **_embedded(self._figures[name]),
            }
            for name, figure in self.study.captions["figures"].items()
            if name in self._figures
        ]

    @property
    def undrawn(self):
        """Figures whose first table has no row, as (name, why)."""
        first = {
            name: self._behind(name)[0]
            for name in self.study.captions["figures"]
            if name not in self._figures
        }
        whys = {
            table: f"the reference does not hold its table {table} ({why})"
            for table, why in self._left_out.items()
        }
        return [
            (name, whys.get(table, f"its table {table} has no rows"))
            for name, table in first.items()
            if not len(self.tables[table])
        ]

    @cached_property
    def shown_tables(self):
        """Tables as (name, caption, table or None if it is too long), published numbers apart."""
        return [
            (name, caption, shown(self.tables[name]) if len(self.tables[name]) <= _LONG else None)
            for name, caption in self.study.captions["tables"].items()
            if caption and len(self.tables[name]) and name != "published"
        ]

    @cached_property
    def published(self):
        """Rows with a verdict other than claims as (name, heading, table, verdicts); what is not counted is apart."""
        table = self.tables["published"]
        groups = {
            "numbers": ("Numbers and signs", ["number", "drawn", "sign"]),
            "own": ("Findings of this project, which are never counted", ["own"]),
            "controls": ("Controls, which are never counted", ["control"]),
        }
        return [
            (name, heading, published_table(self.study.name, part), {*part["verdict"]})
            for name, (heading, kinds) in groups.items()
            if len(part := table[table["kind"].isin(kinds)])
        ]

    def csv(self, table):
        """Return a table's CSV file as a data URI, or None if it is too large for the page."""
        content = (self._folder / f"{table}.csv").read_text(encoding="utf-8")
        return (
            "data:text/csv;charset=utf-8," + quote(content, safe=" ,.-:;/()=+")
            if len(content) < _EMBEDDED
            else None
        )

    def _behind(self, figure):
        """Names of the tables that a figure is drawn from."""
        return self.study.captions["figures"][figure]["from"]


class Tracked(NamedTuple):
    """Verdicts on the claims of a study, by id, in tracked tables; and the commit that computed these."""

    verdicts: dict
    commit: str


def tracked_verdicts(folder, study):
    """Return the :class:`Tracked` verdicts on a study; None if there are none.

    Parameters
    ----------
    folder : path-like
        Reference of one scale, such as ``results/reference/paper``.
    study : str
    """
    path = Path(folder, study, "tables/published.csv")
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", newline="") as rows:
        verdicts = {
            row["id"]: row["verdict"] for row in csv.DictReader(rows) if row["kind"] == "claim"
        }
    runs = json.loads(Path(folder, "provenance.json").read_text(encoding="utf-8"))
    commits = next(run["commit"] for run in runs if study in run["kept"]).split(", ")
    return Tracked(verdicts, ", ".join(commit[:9] for commit in commits))


class Statement(NamedTuple):
    """A sentence written by hand; whether all rows that it is about bear it out ("holds"), some do not ("refuted"), or
    there are none ("untested"); and the id of the row or table it rests on."""

    text: str
    state: str
    target: str | None = None


def statement(study, entry, tables):
    """Return a sentence written by hand, checked against the rows of a table.

    Parameters
    ----------
    study : str
    entry : dict
        With ``text``, ``where``, ``then`` and perhaps ``table`` (published).
    tables : dict of DataFrame
    """
    table = entry.get("table", "published")
    rows = tables[table]
    rows = rows.query(entry["where"], engine="python") if len(rows) else rows
    if not len(rows) or (table == "published" and rows["verdict"].isin(UNTESTED).all()):
        return Statement(entry["text"], "untested")
    state = "holds" if len(rows.query(entry["then"], engine="python")) == len(rows) else "refuted"
    return Statement(
        entry["text"],
        state,
        anchor(study, rows["id"].iloc[0]) if table == "published" else f"{study}-{table}-table",
    )


def status(study, key):
    """Return ``status`` (explained, partly, unexplained), ``shown_by`` (a table) and ``why`` of what differs."""
    for entry in study.differences:
        if re.fullmatch(entry["ids"], key):
            return {
                "status": entry["status"],
                "shown_by": entry["table"],
                "why": entry["why"].strip(),
            }
    return {"status": "unexplained", "shown_by": "", "why": ""}


@cache
def history():
    """Return every change of a published value, kind, rule or tolerance, as ``history.yaml`` has it."""
    return parse_yaml((Path(__file__).parent / "history.yaml").read_text(encoding="utf-8"))


def _embedded(content):
    """Return an SVG as a data URI, with its size in pixels."""
    points = {
        side: re.search(rf'<svg[^>]*?\b{side}="([\d.]+)pt"'.encode(), content)
        for side in ("width", "height")
    }
    image = "data:image/svg+xml;base64," + base64.b64encode(_smaller(content)).decode()
    return {
        "image": image,
        **{side: round(float(found[1]) * 4 / 3) for side, found in points.items()},
    }


def _smaller(svg):
    """Return an SVG without metadata, line ends, and digits of paths below a hundredth of a point."""
    svg = re.sub(rb"<metadata>.*?</metadata>\s*", b"", svg, flags=re.S)
    svg = re.sub(rb'\bd="[^"]*"', lambda path: re.sub(rb"(\.\d\d)\d+", rb"\1", path[0]), svg)
    return re.sub(rb"\s+", b" ", svg)
