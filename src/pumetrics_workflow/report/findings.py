"""What the report says of a study in a sentence: written by hand, and said only where the tables bear it out."""

from dataclasses import dataclass

from pumetrics_workflow.report.picture import anchor
from pumetrics_workflow.verdicts import UNTESTED

__all__ = ["Statement", "statements"]


@dataclass(frozen=True)
class Statement:
    """A statement on a study, and what its tables say of it.

    Attributes
    ----------
    text : str
    state : {"holds", "refuted", "untested"}
        Whether every row that it is about bears it out, some row does not, or there is no such row.
    target : str or None
        Id of the row or table it rests on.
    """

    text: str
    state: str
    target: str | None


def statements(study, tables):
    """Return the statements in a study's ``finding``, each checked against the rows of a table.

    Parameters
    ----------
    study : pumetrics_workflow.plan.Study
    tables : dict of DataFrame
    """
    finding = getattr(study, "finding", None) or {}
    return [_judged(entry, study.name, tables) for entry in finding.get("but", [])]


def _judged(entry, name, tables):
    table = entry.get("table", "published")
    rows = tables[table]
    rows = rows.query(entry["where"], engine="python") if len(rows) else rows
    if not len(rows):
        return Statement(entry["text"], "untested", None)
    if table == "published" and rows["verdict"].isin(UNTESTED).all():
        return Statement(entry["text"], "untested", None)
    state = "holds" if len(rows.query(entry["then"], engine="python")) == len(rows) else "refuted"
    target = anchor(name, rows["id"].iloc[0]) if table == "published" else f"{name}-{table}-table"
    return Statement(entry["text"], state, target)
