"""Figures and tables of a study with their captions, as ``config/captions/<study>.yaml`` lists them for all others."""

from pathlib import Path

from pumetrics_workflow.config import ConfigError, check, load_yaml, nearest

__all__ = ["check_made", "load_captions"]


def load_captions(study, home):
    """Read what a study shows.

    Parameters
    ----------
    study : str
    home : path-like
        Folder with ``config`` and ``workflow``.

    Returns
    -------
    dict
        ``figures``: by name ``caption``, ``from`` (names of the tables that its function takes; without a row in the
        first one it is not drawn) and, if the paper has it, ``in_paper``; ``tables``: captions by name, None of those
        that the report does not show.

    Raises
    ------
    ConfigError
        One line per mistake.
    """
    where = f"captions/{study}.yaml"
    schema = load_yaml(Path(home, "workflow/schemas/study.schema.yaml"))["$defs"]["captions"]
    content = check(load_yaml(Path(home, "config", where)), schema, where)
    figures = {name: {"from": [name], **figure} for name, figure in content["figures"].items()}
    wrong = [
        f"{where}: figures.{name}.from: there is no table {table!r}{nearest(table, list(content['tables']))}"
        for name, figure in figures.items()
        for table in figure["from"]
        if table not in content["tables"]
    ]
    if wrong:
        raise ConfigError("\n".join(wrong))
    return {**content, "figures": figures}


def check_made(study, kind, listed, made):
    """Raise ValueError where a study makes other figures or tables than its captions list.

    Parameters
    ----------
    study : str
    kind : {"figures", "tables"}
        The module that makes them.
    listed, made : iterable of str
    """
    listed, made = list(listed), list(made)
    where, module = f"config/captions/{study}.yaml", f"studies/{study}/{kind}.py"
    if extra := [name for name in made if name not in listed]:
        raise ValueError(f"{module} makes {extra[0]!r}, which {where} does not list{nearest(extra[0], listed)}")
    if lacking := [name for name in listed if name not in made]:
        raise ValueError(f"{where} lists {lacking[0]!r}, which {module} does not make{nearest(lacking[0], made)}")
