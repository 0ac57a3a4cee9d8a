"""The report of a run: one self-contained HTML page."""

import base64
import re
from pathlib import Path

import pumetrics
from pumetrics_workflow.report.tables import VERDICTS, provenance_parts, published_table, shown

__all__ = ["StudySection", "render"]

_LONG = 400  # rows; a longer table is named, not shown
_STYLE = Path(pumetrics.__file__).parent / "assessment" / "report.css"  # one style for all pages


class StudySection:
    """The section of the report on one study.

    Parameters
    ----------
    study : pumetrics_workflow.plan.Study
    captions : dict
        A sentence for each figure and table, in the order in which they are shown.
    folder : path-like
        The study's results: ``tables`` and ``figures``.
    cards : dict
        The card of each data set, by name.
    """

    def __init__(self, study, captions, folder, cards):
        import pandas as pd

        self.study, self.captions, self.cards = study, captions, cards
        self.tables = {path.stem: pd.read_csv(path) for path in sorted(Path(folder, "tables").glob("*.csv"))}
        self._figures = {path.stem: path for path in sorted(Path(folder, "figures").glob("*.svg"))}

    @property
    def counts(self):
        """Number of published numbers by verdict."""
        counts = self.tables["published"]["verdict"].value_counts()
        return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}

    @property
    def verdict(self):
        """The study in a word, from the share of comparable numbers that hold."""
        holds, differs = self.counts["holds"], self.counts["differs"]
        if not holds + differs:
            return "nothing to compare at this scale"
        if not differs:
            return "reproduced"
        return "mostly reproduced" if holds >= 4 * differs else "partly reproduced"

    @property
    def missing(self):
        """Cards of the data sets that are not available."""
        return [card for card in self.cards.values() if not card["available"]]

    @property
    def available(self):
        """Cards of the data sets that were used."""
        return [card for card in self.cards.values() if card["available"]]

    @property
    def deviations(self):
        """Where the study departs from its paper, as (what, why)."""
        return [(entry["what"], entry["why"]) for entry in _deviations().get(self.study.name, [])]

    @property
    def differing(self):
        """Published numbers that are not reproduced, as (quantity, published, reproduced, note, source)."""
        table = self.tables["published"]
        columns = ["quantity", "published", "reproduced", "note", "source"]
        return shown(table.loc[table["verdict"] == "differs", columns]).rows

    @property
    def figures(self):
        """Figures in the order of the captions: name, caption, data URI, width and height."""
        return [
            {"name": name, "caption": caption, **_embedded(self._figures[name])}
            for name, caption in self.captions.items()
            if name in self._figures
        ]

    @property
    def shown_tables(self):
        """Tables as (name, caption, table or None if it is too long), published numbers apart."""
        return [
            (name, caption, shown(self.tables[name]) if len(self.tables[name]) <= _LONG else None)
            for name, caption in self.captions.items()
            if name in self.tables and len(self.tables[name]) and name not in self._figures and name != "published"
        ]

    @property
    def published(self):
        """Published and reproduced numbers."""
        return published_table(self.tables["published"])


def render(sections, provenance, left_out):
    """Return the report as HTML.

    Parameters
    ----------
    sections : list of StudySection
    provenance : dict
        See :func:`pumetrics_workflow.provenance.provenance`.
    left_out : list of (study, data set, reason)
        What the plan left out before anything ran.
    """
    from jinja2 import Environment, FileSystemLoader

    folders = [Path(__file__).parent, _STYLE.parent]
    environment = Environment(loader=FileSystemLoader(folders), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    totals = {verdict: sum(section.counts[verdict] for section in sections) for verdict in VERDICTS}
    template = environment.get_template("report.html.j2")
    facts, tables = provenance_parts(provenance)
    cards = {name: card for section in sections for name, card in section.cards.items()}
    return template.render(
        sections=sections,
        provenance=provenance,
        facts=facts,
        fact_tables=tables,
        left_out=left_out,
        totals=totals,
        unavailable=[card for _, card in sorted(cards.items()) if not card["available"]],
        altered=[card for _, card in sorted(cards.items()) if card["available"] and card.get("warning")],
    )


def _deviations():
    import yaml

    return yaml.safe_load((Path(__file__).parent / "deviations.yaml").read_text(encoding="utf-8"))


def _embedded(path):
    """Return an SVG as a data URI, with its size in pixels."""
    content = path.read_bytes()
    width, height = (
        float(re.search(rb'<svg[^>]*?\b%s="([\d.]+)pt"' % side, content, flags=re.S).group(1))
        for side in (b"width", b"height")
    )
    return {
        "image": "data:image/svg+xml;base64," + base64.b64encode(_smaller(content)).decode(),
        "width": round(width * 4 / 3),
        "height": round(height * 4 / 3),
    }


def _smaller(svg):
    """Return an SVG without metadata, line ends, and digits of paths below a hundredth of a point."""
    svg = re.sub(rb"<metadata>.*?</metadata>\s*", b"", svg, flags=re.S)
    svg = re.sub(rb'\bd="[^"]*"', lambda path: re.sub(rb"(\.\d\d)\d+", rb"\1", path[0]), svg)
    return re.sub(rb"\s+", b" ", svg)
