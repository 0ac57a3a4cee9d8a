"""`pumetrics new-study` writes the files of a study that runs, with placeholders for its author."""

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = ["new_study"]

_STUDY = """\
title: "TO WRITE: {title}"
kind: {kind}
{doi}citation: "TO WRITE: authors, title, venue, pages and year in one line."
claim: "TO WRITE: the claim in a sentence."
{finding}simulations:
  example: {{ repeats: 20, options: {{ n: 100 }} }}
scales: # core_minutes: measured; docs lists them by study
  quick: {{ core_minutes: 0.1 }}
  laptop: {{ core_minutes: 0.1 }}
  paper: {{ core_minutes: 0.1 }}
"""
_PUBLISHED = """\
id,kind,quantity,published,compare,table,where,then,needs,source
claim/example,claim,"TO WRITE: a claim",,every,published,example,,,"TO WRITE: Section 1"
example,number,"TO WRITE: a number of the paper",0.5,within,,,,,"TO WRITE: Table 1"
"""
_INIT = '"""TO WRITE: authors (year): what the study is about."""\n'
_CAPTIONS = """\
figures:
  example:
{number}    caption: "TO WRITE: what the figure shows."
tables:
  published: Published compared with reproduced.
  example: null # the table behind the figure
"""
_SIMULATION = '''\
"""TO WRITE: what is simulated."""

import pandas as pd

from pumetrics_workflow.seeding import rng_for

__all__ = ["simulate"]


def simulate(part, *, repeats, seed, data, n):
    """Return one statistic per repeat; the seed depends on its name, so chunks do not change results."""
    values = [rng_for(seed, "{name}", part, repeat).random(n).mean() for repeat in repeats]
    fixed = {{"dataset": "generated", "model": "none", "labeling": f"n={{n}}", "statistic": "mean"}}
    return pd.DataFrame({{**fixed, "repeat": repeats, "value": values}})
'''
_TABLES = '''\
"""Tables: queries on records and statistics."""

__all__ = ["reproduced", "tables"]


def tables(results):
    """Return the tables by name."""
    return {"example": results.statistics[["repeat", "value"]]}


def reproduced(tables):
    """Return the reproduced numbers by the ids of the published ones."""
    return {"example": tables["example"]["value"].mean()}
'''
_FIGURES = '''\
"""Figures: a function for each one, of its name, from tables as read back from CSV."""

import matplotlib.pyplot as plt

from pumetrics.plotting import COLORS

__all__ = ["example"]


def example(table):
    """TO WRITE: what the figure shows."""
    figure, axis = plt.subplots(figsize=(3.4, 2.6))
    axis.plot(table["repeat"], table["value"], "o", color=COLORS["CR"])
    axis.set(xlabel="repeat", ylabel="TO WRITE")
    return figure
'''


def new_study(
    name: Annotated[
        str, typer.Argument(help="Name of the study; for a paper, first author and year, for example elkan2008.")
    ],
    kind: Annotated[
        Literal["paper", "own"], typer.Option(help="Whether the study replicates a paper or is your own.")
    ] = "paper",
    home: Annotated[Path, typer.Option(help="Folder of the clone.", show_default="here")] = Path("."),
):
    """Write the files of a new study: settings, published numbers, simulation, tables, figures, captions.

    The study runs immediately. TO WRITE marks the placeholders, and docs/adding.md lists what else a paper needs. Exit
    status: 0 written, 2 nothing written.

    Example: pumetrics new-study elkan2008 --kind paper
    """
    if reason := _refused(name, kind, home):
        typer.echo(reason, err=True)
        raise typer.Exit(2)
    title = f"{name[:-4].capitalize()} {name[-4:]}" if kind == "paper" else name
    doi = "doi: 10.0000/TO-WRITE # TO WRITE; without a DOI, url: https://...\n" if kind == "paper" else ""
    finding = 'finding: { found: "TO WRITE: what the paper found, without a full stop" }\n' if kind == "paper" else ""
    number = "    in_paper: Figure 1 # TO WRITE; without this line it is beyond the paper\n" * bool(doi)
    package = f"src/pumetrics_workflow/studies/{name}"
    files = {
        f"config/studies/{name}.yaml": _STUDY.format(title=title, kind=kind, doi=doi, finding=finding),
        f"config/published/{name}.csv": _PUBLISHED,
        f"config/captions/{name}.yaml": _CAPTIONS.format(number=number),
        f"{package}/__init__.py": _INIT,
        f"{package}/simulation.py": _SIMULATION.format(name=name),
        f"{package}/tables.py": _TABLES,
        f"{package}/figures.py": _FIGURES,
    }
    for file, text in files.items():
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text(text, encoding="utf-8")
    listed = _list(name, home / "config/config.yaml")
    for file in files:
        typer.echo(f"written: {file}")
    typer.echo(f"{listed} `studies` of config/config.yaml; try it: snakemake {name} --cores 2")
    if kind == "paper":
        typer.echo("for what else a paper needs, see docs/adding.md, section 'A paper: before the pull request'")


def _list(name, config):
    """Add a study to those that are run, written as [a, b] or one a line; say whether that was done."""
    text = config.read_text(encoding="utf-8")
    for pattern, end in ((r"^studies: \[[^\]]+(?=\])", f", {name}"), (r"^studies:\n(?:- .*\n)+", f"- {name}\n")):
        text, count = re.subn(pattern, lambda listed, end=end: listed[0] + end, text, flags=re.M)
        if count:
            config.write_text(text, encoding="utf-8")
            return "added to"
    return f"add {name} by hand to"


def _refused(name, kind, home):
    """Why a study cannot be written, in one line; None if it can."""
    from pumetrics_workflow.config import load_yaml

    if not (home / "config/studies").is_dir() or not (home / "src/pumetrics_workflow/studies").is_dir():
        return f"{home}: not a clone of the project; change to its folder, or give it with --home"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        return f"{name!r} cannot be the name of a Python package: use lowercase letters, digits and _"
    if kind == "paper" and not re.fullmatch(r"[a-z]+[0-9]{4}", name):
        return f"{name!r}: name a paper by its first author and year, for example elkan2008"
    there = [*home.glob(f"config/studies/{name}.yaml"), *home.glob(f"src/pumetrics_workflow/studies/{name}")]
    if there or name in load_yaml(home / "config/config.yaml").get("studies", ()):
        return f"study {name!r} already exists"
    return None
