"""Every figure of the papers' studies for docs/figures.md, drawn from the tracked tables.

Pictures and the text around them go to ``docs/_generated``. A paper is drawn again if its tables or its code changed.
"""

import hashlib
import json
import os
import re
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from article.reference import ROOT
from pumetrics_workflow.code import Sources
from pumetrics_workflow.studies import module_path
from pumetrics_workflow.studies.drawing import draw

__all__ = ["draw_every", "page", "write"]

_REFERENCE = ROOT / "results/reference"


def draw_every(held, folder):
    """Write ``<study>/<figure>.svg`` for each paper, several papers at once.

    Parameters
    ----------
    held : dict of article.reference.Held
    folder : path-like
    """
    sources = Sources()
    stamps = {name: _stamp(entry, sources) for name, entry in held.items()}
    folders = {name: Path(folder, name) for name in held}
    stale = [name for name in held if _read(folders[name] / "stamp") != stamps[name]]
    if not stale:
        return
    with ProcessPoolExecutor(max_workers=min(len(stale), os.cpu_count() or 1)) as pool:
        tables = [_REFERENCE / held[name].scale / name / "tables" for name in stale]
        list(
            pool.map(
                _draw,
                [held[name].study for name in stale],
                tables,
                [folders[name] for name in stale],
            )
        )
    for name in stale:
        for figure in held[name].study.captions["figures"].keys() - _with_rows(held[name]).keys():
            (
                folders[name] / f"{figure}.svg"
            ).unlink()  # says that there are no rows, and is not on the page
        (folders[name] / "stamp").write_text(stamps[name], encoding="utf-8")


def page(held):
    """Return the sections of the page, one for each paper: the figures that it has, then those that it does not have.

    Parameters
    ----------
    held : dict of article.reference.Held
    """
    return "\n".join(line for entry in held.values() for line in _section(entry))


def _section(entry):
    captions = entry.study.captions["figures"]
    yield f"## {entry.study.title}\n\nFrom the tables at {entry.scale} scale.\n"
    names = sorted(_with_rows(entry), key=lambda name: "in_paper" not in captions[name])
    for before, name in zip([None, *names], names, strict=False):
        number = captions[name].get("in_paper")
        if number:
            yield f"### {number}\n"
        elif before is None or "in_paper" in captions[before]:
            yield "### Beyond the paper\n"
        caption = re.sub(r"([*_$\[\]])", r"\\\1", captions[name]["caption"]) + _lack(
            entry, captions[name]["from"]
        )
        picture = f"/_generated/figures/{entry.name}/{name}.svg"
        described = f"{entry.study.title}, {number or name}"
        yield f":::{{figure}} {picture}\n:alt: {described}\n\n{caption}\n:::\n"


def _with_rows(entry):
    """Figures of a study whose first table has rows."""
    return {
        name: each
        for name, each in entry.study.captions["figures"].items()
        if len(entry.tables[each["from"][0]])
    }


def _lack(entry, behind):
    """What a figure is drawn without, since its table is not tracked."""
    left_out = json.loads(_read(_REFERENCE / entry.scale / "manifest.json"))["left_out"]
    whys = {
        table: left_out.get(f"{entry.name}/tables/{table}.csv", {}).get("why") for table in behind
    }
    return "".join(
        f" Drawn without `{table}.csv`, which is not tracked: {why}."
        for table, why in whys.items()
        if why
    )


def _stamp(entry, sources):
    """Hash of what the figures of a paper are made of: tables, code, and the letters of this machine's matplotlib."""
    import matplotlib

    files = json.loads(_read(_REFERENCE / entry.scale / "manifest.json"))["files"]
    tables = {path: sha256 for path, sha256 in files.items() if path.startswith(f"{entry.name}/")}
    code = sources.code_hash(ROOT / "workflow/scripts/draw.py", module_path(entry.name, "figures"))
    captions = entry.study.captions["figures"]
    return hashlib.sha256(
        json.dumps([tables, captions, code, matplotlib.__version__]).encode()
    ).hexdigest()


def _draw(study, tables, folder):
    shutil.rmtree(folder, ignore_errors=True)
    draw(study.name, study.captions["figures"], tables, folder, ["svg"])


def _read(path):
    return path.read_text(encoding="utf-8") if path.is_file() else None


def write(held, folder):
    """Draw every figure below a folder, and write the text around them if it has changed."""
    draw_every(held, folder / "figures")
    content = page(held)
    if _read(folder / "figures.txt") != content:
        (folder / "figures.txt").write_text(content, encoding="utf-8")
