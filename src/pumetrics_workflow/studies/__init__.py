"""Studies: what only one of them knows is a subclass of :class:`Study`, in ``studies/<study>/study.py``, or in modules.

A longer study has the modules of :data:`MODULES` in place of that class.

What a study shows is listed in ``config/captions/<study>.yaml``, and what a paper prints in
``config/published/<study>.csv``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from pumetrics_workflow.config import nearest

__all__ = [
    "MODULES",
    "STEPS",
    "Results",
    "Study",
    "Tables",
    "check_made",
    "derived",
    "files_of",
    "load",
    "module_path",
    "read_tables",
    "write_tables",
]


MODULES = {
    "simulate": "simulation",
    "tables": "tables",
    "published": "tables",
    "derived": "tables",
    "figures": "figures",
}
"""Module of each step of a study that has no class."""
STEPS = tuple(MODULES)
"""Methods of a study. A rule depends on those that it calls, and on what they import, and on no other."""


class Study(ABC):
    """What only one study knows.

    Methods import what they need: a plan of all studies imports none of it, and a change of what one method uses reruns
    only the rules that call this method.
    """

    @abstractmethod
    def tables(self, results):
        """Return the tables by file name, as queries on :class:`Results`."""

    @abstractmethod
    def published(self, tables):
        """Return ours by the ids of ``config/published``.

        Each is a value, a pair (value, note) or a :class:`pumetrics_workflow.intervals.Answer`; claims with a rule on a
        table need none.
        """

    def derived(self, tables, published):
        """Return tables that follow from others, so that a changed rule can be applied to kept tables."""
        return {}

    def simulate(
        self,
        part,
        *,
        repeats,
        seed,
        data,
        **options,
    ):
        """Return the records and statistics of a part without training, in one table."""
        raise NotImplementedError(f"{type(self).__name__} has no method simulate")

    def figures(self):
        """Return for each figure a function of the tables that its caption names, as read back from CSV."""
        return {}


class _StudyOfModules(Study):
    """A study whose methods are functions of modules of its package.

    These are ``simulate`` of simulation, ``tables``, ``reproduced`` and perhaps ``derived`` of tables, and all public
    functions of figures.
    """

    def __init__(self, package):
        self.package = package

    def _of(self, step):
        return import_module(f"{self.package}.{MODULES[step]}")

    def simulate(self, part, **given):
        return self._of("simulate").simulate(part, **given)

    def tables(self, results):
        return self._of("tables").tables(results)

    def published(self, tables):
        return self._of("published").reproduced(tables)

    def derived(self, tables, published):
        derive = getattr(self._of("derived"), "derived", super().derived)
        return derive(tables, published)

    def figures(self):
        module = self._of("figures")
        return {name: getattr(module, name) for name in module.__all__}


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


def load(study):
    """Return the :class:`Study` of a name.

    Raises
    ------
    ImportError
        If there is none.
    TypeError
        If its class lacks a method.
    """
    package = f"pumetrics_workflow.studies.{study}"
    if not find_spec(f"{package}.study"):
        if not find_spec(f"{package}.tables"):
            raise ImportError("there is neither this file nor tables.py")
        return _StudyOfModules(package)
    module = import_module(f"{package}.study")
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    kinds = [each for each in classes if issubclass(each, Study) and each is not Study]
    if len(kinds) != 1:
        raise TypeError(f"there must be one subclass of Study, not {len(kinds)}")
    return kinds[0]()


def files_of(study, methods=STEPS, *, folder=Path(__file__).parent):
    """Return the files of some methods of a study, for the hash of the code that a stage depends on."""
    own = Path(folder, study, "study.py")
    if own.is_file():
        return [own]
    paths = {own.with_name(f"{MODULES[name]}.py") for name in methods}
    return sorted(path for path in paths if path.is_file())


def derived(study, tables, published):
    """Return a study's tables with those that follow from others and from the published numbers.

    Parameters
    ----------
    study : str
    tables : dict of DataFrame
    published : pandas.DataFrame
        As :func:`pumetrics_workflow.verdicts.read_published` returns it.
    """
    return Tables({**tables, **load(study).derived(tables, published)})


def check_made(study, kind, listed, made):
    """Raise ValueError where a study makes other figures or tables than its captions list.

    Parameters
    ----------
    study : str
    kind : {"figures", "tables"}
        The method that makes them.
    listed, made : iterable of str
    """
    listed = list(listed)
    made = list(made)
    where = f"config/captions/{study}.yaml"
    files = files_of(study, [kind]) or [Path("study.py")]
    method = f"{kind} of studies/{study}/{files[0].name}"
    if extra := [name for name in made if name not in listed]:
        raise ValueError(
            f"{method} makes {extra[0]!r}, which {where} does not list{nearest(extra[0], listed)}"
        )
    if lacking := [name for name in listed if name not in made]:
        raise ValueError(
            f"{where} lists {lacking[0]!r}, which {method} does not make{nearest(lacking[0], made)}"
        )
