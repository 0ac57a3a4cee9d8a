"""`pumetrics new-study` writes the files of a study that runs, with placeholders for its author."""

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = ["new_study"]

_TEMPLATE = Path(__file__).parents[1] / "template"  # a study of a paper; tests run it
_CONFIG = {
    "study.yaml": "config/studies/{}.yaml",
    "printed.csv": "config/published/{}.csv",
    "captions.yaml": "config/captions/{}.yaml",
}


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
    written = []
    for path in filter(Path.is_file, sorted(_TEMPLATE.iterdir())):
        text = path.read_text(encoding="utf-8").replace('"template"', f'"{name}"')
        if kind == "own":
            text = re.sub(r"^.*# of a paper.*\n", "", text, flags=re.M).replace("kind: paper", "kind: own")
        place = _CONFIG.get(path.name, f"src/pumetrics_workflow/studies/{{}}/{path.name}")
        written.append(place.format(name))
        (home / written[-1]).parent.mkdir(parents=True, exist_ok=True)
        (home / written[-1]).write_text(text, encoding="utf-8")
    listed = _list(name, home / "config/config.yaml")
    for file in written:
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
