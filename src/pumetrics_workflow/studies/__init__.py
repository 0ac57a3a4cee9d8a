"""One package per study, with only what no other study needs: tables, figures, simulation.

A study is a package ``pumetrics_workflow.studies.<study>`` of up to three modules, so that a change of one redoes only
what depends on it. ``config/captions/<study>.yaml`` lists the figures and tables that they make.

- ``tables``: ``tables(results) -> dict of DataFrame``, queries on records and statistics, by file name; and
  ``reproduced(tables)``, a dict that holds for ids of ``config/published/<study>.csv`` a value, a pair (value, note) or
  a :class:`pumetrics_workflow.intervals.Answer`; and, if it has tables that follow from others,
  ``derived(tables, published)``, so that a changed rule can be applied to kept tables;
- ``figures``: for each figure a function of its name, from tables as read back from CSV, and nothing else;
- ``simulation``: ``simulate(part, *, repeats, seed, data, **options)``, records and statistics in one table, for parts
  without training.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pumetrics_workflow.config import nearest

__all__ = [
    "Results",
    "Tables",
    "check_made",
    "derived",
    "load",
    "module_path",
    "read_tables",
    "write_tables",
]


@dataclass(frozen=True)
class Results:
    """Input of the tables of a study.

    Attributes
    ----------
    records, statistics, priors : pandas.DataFrame
        All rows of these tables, sorted.
    cards : dict
        The card of each data set, by name.
    published : pandas.DataFrame
        The numbers the paper prints, as in ``config/published``.
    """

    records: object
    statistics: object
    priors: object
    cards: dict
    published: object = None


class Tables(dict):
    """Tables by name; one that is not there is empty, so that its figures are left out.

    Examples
    --------
    >>> len(Tables()["errors"])
    0
    """

    def __missing__(self, name):
        import pandas as pd

        return pd.DataFrame()


def read_tables(folder):
    """Return the CSV files of a folder as :class:`Tables`."""
    import pandas as pd

    return Tables({path.stem: pd.read_csv(path) for path in sorted(Path(folder).glob("*.csv"))})


def write_tables(made, folder):
    """Write tables as CSV into a folder, which is made."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        table.to_csv(
            Path(folder, f"{name}.csv"), index=False, float_format="%.10g", lineterminator="\n"
        )


def load(study, module=None):
    """Return a study's package, or one of its modules."""
    return import_module(".".join(filter(None, ["pumetrics_workflow.studies", study, module])))


def module_path(study, module):
    """Return the file of a study's module, for the hash of the code that a stage depends on."""
    return Path(__file__).parent / study / f"{module}.py"


def derived(study, tables, published):
    """Return a study's tables with those that follow from others and from the published numbers.

    Parameters
    ----------
    study : str
    tables : dict of DataFrame
    published : pandas.DataFrame
        As :func:`pumetrics_workflow.verdicts.read_published` returns it.
    """
    make = getattr(load(study, "tables"), "derived", None)
    return Tables({**tables, **(make(tables, published) if make else {})})


def check_made(study, kind, listed, made):
    """Raise ValueError where a study makes other figures or tables than its captions list.

    Parameters
    ----------
    study : str
    kind : {"figures", "tables"}
        The module that makes them.
    listed, made : iterable of str
    """
    listed = list(listed)
    made = list(made)
    where = f"config/captions/{study}.yaml"
    module = f"studies/{study}/{kind}.py"
    if extra := [name for name in made if name not in listed]:
        raise ValueError(
            f"{module} makes {extra[0]!r}, which {where} does not list{nearest(extra[0], listed)}"
        )
    if lacking := [name for name in listed if name not in made]:
        raise ValueError(
            f"{where} lists {lacking[0]!r}, which {module} does not make{nearest(lacking[0], made)}"
        )
