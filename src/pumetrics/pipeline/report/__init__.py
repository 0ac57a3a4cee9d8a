"""The report of a run: one self-contained HTML page."""

import base64
from pathlib import Path

import pandas as pd

__all__ = ["StudySection", "render"]

_LONG = 400  # rows; a longer table is named, not shown


class StudySection:
    """What the report says of one study.

    Parameters
    ----------
    study : pumetrics.pipeline.plan.Study
    captions : dict
        A sentence for each figure and table, in the order in which they are shown.
    folder : path-like
        The study's results: ``tables`` and ``figures``.
    cards : dict
        The card of each data set, by name.
    """

    def __init__(self, study, captions, folder, cards):
        self.study, self.captions, self.cards = study, captions, cards
        self.tables = {path.stem: pd.read_csv(path) for path in sorted(Path(folder, "tables").glob("*.csv"))}
        self._figures = {path.stem: path for path in sorted(Path(folder, "figures").glob("*.svg"))}

    @property
    def verdicts(self):
        """Number of published numbers by verdict."""
        counts = self.tables["published"]["verdict"].value_counts()
        return {verdict: int(counts.get(verdict, 0)) for verdict in ("holds", "differs", "not available here")}

    @property
    def missing(self):
        """Cards of the data sets that are not available."""
        return [card for card in self.cards.values() if not card["available"]]

    @property
    def figures(self):
        """Figures as (name, caption, data URI), in the order of the captions."""
        return [
            (name, self.captions[name], _embedded(self._figures[name]))
            for name in self.captions
            if name in self._figures
        ]

    @property
    def shown_tables(self):
        """Tables as (name, caption, HTML or None if it is too long), published numbers apart."""
        return [
            (name, caption, _html(self.tables[name]) if len(self.tables[name]) <= _LONG else None)
            for name, caption in self.captions.items()
            if name in self.tables and name not in self._figures and name != "published"
        ]

    @property
    def published(self):
        """Published numbers beside reproduced ones, as HTML."""
        table = self.tables["published"][
            ["quantity", "published", "compare", "reproduced", "verdict", "note", "source"]
        ]
        return _html(table)


def render(sections, provenance, left_out):
    """Return the report as HTML.

    Parameters
    ----------
    sections : list of StudySection
    provenance : dict
        See :func:`pumetrics.pipeline.provenance.provenance`.
    left_out : list of (study, data set, reason)
        What the plan left out before anything ran.
    """
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("pumetrics.pipeline", "report"), autoescape=True, trim_blocks=True)
    template = environment.get_template("report.html.j2")
    return template.render(sections=sections, provenance=provenance, left_out=left_out)


def _embedded(path):
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()


def _html(table):
    return table.to_html(
        index=False, border=0, classes="sortable", float_format=lambda value: f"{value:.4g}", na_rep=""
    )
