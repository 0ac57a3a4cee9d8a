"""Tables of the report as text; columns of numbers are aligned and sorted differently."""

from dataclasses import dataclass, replace

from pumetrics_workflow.report.picture import anchor
from pumetrics_workflow.verdicts import rule_in_words

__all__ = ["Table", "claims", "provenance_parts", "published_table", "shown"]


@dataclass(frozen=True)
class Table:
    """A table as it is shown.

    Attributes
    ----------
    columns : list of (str, bool)
        Heading, and whether the column holds numbers.
    rows : list of list of str
    ids : list of str, optional
        An id for each row, for links to it.
    """

    columns: list
    rows: list
    ids: list | None = None

    @property
    def dataset(self):
        """Position of the column of data sets, by which rows are filtered; None if there is none."""
        return next(
            (place for place, (name, _) in enumerate(self.columns) if name == "dataset"), None
        )


def shown(table):
    """Return a table as it is shown: numbers to four digits, nothing where a value is missing.

    Parameters
    ----------
    table : pandas.DataFrame
    """
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    numeric = [
        is_numeric_dtype(table[name]) and not is_bool_dtype(table[name]) for name in table.columns
    ]
    columns = [
        (str(name).replace("_", " "), number)
        for name, number in zip(table.columns, numeric, strict=True)
    ]
    return Table(
        columns, [[_text(value) for value in row] for row in table.itertuples(index=False)]
    )


def published_table(study, table):
    """Return published numbers as a table, in the order of the paper; columns without any value are left out.

    Parameters
    ----------
    study : str
    table : pandas.DataFrame
        As made by :func:`pumetrics_workflow.verdicts.compare_published`.
    """
    kept = table[["quantity", "verdict", "published", "reproduced"]].assign(
        interval=[_interval(row) for row in table.itertuples()],
        **{"holds if": [rule_in_words(row) for row in table.itertuples()], "found": _found(table)},
        source=table["source"],
        id=table["id"],
    )
    empty = [name for name in kept if kept[name].isna().all() or (kept[name] == "").all()]
    return replace(shown(kept.drop(columns=empty)), ids=[anchor(study, key) for key in table["id"]])


def claims(study, table):
    """Return claims for a table of five columns, in the order of the paper.

    Of each claim the sentence, what we found (``value``, ``interval``, ``measure``), what the paper says of it
    (``theirs``), in how many rows it holds (``rows``) and the verdict; with ``id`` and ``target``, the id of its row in
    the page, and where to read on (``rule``, ``found``, ``source``).

    Parameters
    ----------
    study : str
    table : pandas.DataFrame
        As made by :func:`pumetrics_workflow.verdicts.compare_published`.
    """
    return [
        {
            "id": row.id,
            "target": anchor(study, row.id),
            "claim": row.quantity,
            **_effect(row),
            "rows": _rows(row),
            "verdict": row.verdict,
            "rule": rule_in_words(row),
            "found": found,
            "source": row.source,
        }
        for row, found in zip(table.itertuples(), _found(table), strict=True)
    ]


def _rows(row):
    """In how many rows a claim holds, and what they are about if that is less."""
    things = _text(row.things)
    return f"{row.k:.0f} of {row.n:.0f}{f' ({things})' * bool(things)}" if row.k == row.k else ""


def _effect(row):
    """The effect of a claim here, with what it measures, and as the paper has it."""
    if row.reproduced != row.reproduced:
        value = f"{row.k:.0f} of {row.n:.0f}" if row.k == row.k else ""
        return {
            "value": value,
            "interval": "",
            "measure": "",
            "theirs": _text(row.theirs),
        }
    if row.compare == "share":
        form, measure = "{:.0%}".format, "of rows"
    else:
        label = _text(row.effect).partition(": ")[0]
        near = (
            f"{row.reproduced:.2g}" == f"{row.published:.2g}"
        )  # "0.35, below 0.35" would say nothing
        form, measure = (
            f"{{:.{2 + near}g}}".format,
            ", ".join(filter(None, [label, _text(row.part).replace("_", " ")])),
        )
    value, *ends = (
        form(number).replace("-", "−") for number in (row.reproduced, row.low, row.high)
    )
    theirs = _text(row.theirs) or (
        f"{row.compare} {row.published:g}" if row.published == row.published else ""
    )
    return {
        "value": value,
        "interval": " to ".join(ends) * (row.low == row.low),
        "measure": measure,
        "theirs": theirs,
    }


def _interval(row):
    return f"{_text(row.low)} to {_text(row.high)}" if row.low == row.low else ""


def _found(table):
    """Note and basis of each row, in sentences."""
    texts = table[["note", "basis"]].astype(object).fillna("")
    return [
        ". ".join(filter(None, [note, basis and f"From {basis}"]))
        for note, basis in texts.itertuples(index=False)
    ]


def provenance_parts(provenance):
    """Split provenance into facts, as text by name, and tables by name: its rules, if there are any."""
    import pandas as pd

    facts = {
        name.replace("_", " "): _flat(value)
        for name, value in provenance.items()
        if name != "rules"
    }
    rules = [{"name": name, **sums} for name, sums in provenance.get("rules", {}).items()]
    return facts, {"rules": shown(pd.DataFrame(rules))} if rules else {}


def _flat(value):
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_flat(entry)}" for key, entry in value.items())
    return str(value)


def _text(value):
    """Return a value as text: whole numbers whole, others to four digits, None and NaN as nothing."""
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ == "bool":  # numpy's own
        return "yes" if value else "no"
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    if 1e-7 < abs(value) < 1e-4:
        return f"{value:.9f}".rstrip("0")
    return f"{value:.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
