"""One module per paper: only what no other paper needs, its tables, its figures, its own simulation.

A study module has

- ``tables(results) -> dict of DataFrame``: queries on records, by file name;
- ``figures(tables) -> dict of Figure``: drawn from those tables (as read back from CSV) and nothing else;
- ``reproduced(tables) -> dict``: for each id of ``config/published/<study>.csv`` a value, or a pair (value, note);
- ``CAPTIONS``: a sentence for each table and figure, in the order the report shows them;
- ``simulate(part, *, repeats, seed, data, **options) -> DataFrame`` of records, if the study has simulated parts.
"""

from dataclasses import dataclass
from importlib import import_module

__all__ = ["Results", "compare_published", "load", "study_module_path"]


@dataclass(frozen=True)
class Results:
    """What a study's tables are made of.

    Attributes
    ----------
    records, priors : pandas.DataFrame
        All records, and all priors with the columns ``dataset`` and ``model`` added; sorted.
    cards : dict
        The card of each data set, by name.
    """

    records: object
    priors: object
    cards: dict


def load(name):
    """Return the module of a study."""
    return import_module(f"pumetrics.studies.{name}")


def study_module_path(name):
    """Return the file of a study's module, for the hash of the code it depends on."""
    from pathlib import Path

    return Path(__file__).parent / f"{name}.py"


def compare_published(published, reproduced):
    """Set published numbers beside reproduced ones, with a verdict each.

    Parameters
    ----------
    published : pandas.DataFrame
        Columns ``id``, ``quantity``, ``published``, ``compare`` (within, below or above), ``tolerance``, ``source``.
    reproduced : dict
        By id a number, or a pair of a number and a note that explains it.

    Returns
    -------
    pandas.DataFrame
        The same rows with ``reproduced``, ``verdict`` (holds, differs, not available here) and ``note``.

    Raises
    ------
    ValueError
        If `reproduced` has an id that is not among the published ones.
    """
    unknown = sorted(set(reproduced) - set(published["id"]))
    if unknown:
        raise ValueError(f"reproduced numbers without a published one: {', '.join(unknown)}")
    pairs = [reproduced.get(key, (float("nan"), "not part of this run")) for key in published["id"]]
    pairs = [pair if isinstance(pair, tuple) else (pair, "") for pair in pairs]
    values, notes = zip(*pairs, strict=True) if pairs else ((), ())
    rows = zip(published["published"], published["compare"], published["tolerance"], values, strict=True)
    verdicts = [_verdict(*row) for row in rows]
    return published.assign(reproduced=values, verdict=verdicts, note=notes)


def _verdict(published, compare, tolerance, value):
    if value != value:
        return "not available here"
    holds = {
        "within": abs(value - published) <= tolerance,
        "below": value < published + tolerance,
        "above": value > published - tolerance,
    }
    return "holds" if holds[compare] else "differs"
