"""`python docs/results_page.py` writes the generated part of results/README.md, and its pictures, from tracked tables.

Each paper is shown at the largest scale that is tracked. A picture names the tables and the code that it is drawn from,
so that a test finds one that is out of date. `make reference` runs this as well.
"""

import hashlib
import io
import json
import re
from pathlib import Path

from article.figures import picture_of_ratios
from article.pieces import claims_table
from article.reference import PAPERS, ROOT, held_studies

from pumetrics.plotting import styled
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report.section import tracked_verdicts
from pumetrics_workflow.studies import load, module_path
from pumetrics_workflow.verdicts import counted

__all__ = ["main", "pictures", "written"]

START, END = "<!-- results -->", "<!-- end -->"
_REFERENCE = ROOT / "results/reference"
_DPI, _COLORS = 150, 128


def written(held):
    """Return the generated part: claims by paper, a figure of each, and what is tracked at which scale.

    Parameters
    ----------
    held : dict of article.reference.Held
    """
    sections = [_section(entry) for entry in held.values()]
    ratios = "![Ratios that are at most a third if the claim of a paper holds](pictures/ratios.png)"
    about = (
        'Claims that a ratio (of two errors or, where a paper says "increase", of inversions to those of a random '
        "order), or a difference of relative errors, is at most a third (dashed). Dot: holds. Cross: mostly, "
        "partly or not. Circle: inconclusive."
    )
    return (
        "\n\n".join(
            [_counts(), ratios, about, *sections, "## What is tracked at which scale", _tracked()]
        )
        + "\n"
    )


def pictures(held):
    """Return a function that draws each picture, with the hash of what it is drawn from, by name."""
    made = {
        name: (lambda entry=entry: _drawn(entry), _stamp([entry], _figure(entry)))
        for name, entry in held.items()
    }
    sections = [entry.section for entry in held.values()]
    return {**made, "ratios": (lambda: picture_of_ratios(sections), _stamp(held.values()))}


def _counts():
    """What became of the claims of each study."""
    rows = ["| study | claims | scale | commit |", "|---|---|---|---|"]
    for name, title in _studies().items():
        scale = [scale for scale in SCALES if (_REFERENCE / scale / name).is_dir()][-1]
        tracked = tracked_verdicts(_REFERENCE / scale, name)
        claims = counted(tracked.verdicts.values()) if tracked.verdicts else "none"
        title = (
            f"[{title}](#{title.lower().replace(' ', '-')})"
            if name in PAPERS
            else f"{title} (of this project)"
        )
        rows.append(f"| {title} | {claims} | {scale} | {tracked.commit} |")
    return "\n".join(rows)


def _section(entry):
    """The claims of a paper, with what was found and a figure."""
    found = entry.study.finding["found"]
    if but := [said.text for said in entry.section.statements if said.state == "holds"]:
        found = f"{found}; but {'; also, '.join(but)}"
    figure = _figure(entry)
    about = entry.study.captions["figures"][figure]
    data = f"reference/{entry.scale}/{entry.name}/tables/{about['from'][0]}.csv"
    return "\n\n".join(
        [
            f"## {entry.title}",
            f"{entry.study.citation.strip()}",
            f"{found}.",
            re.sub(r"</?span[^>]*>", "", claims_table(entry)),
            f"Rules and sources: [`config/published/{entry.name}.csv`](../config/published/{entry.name}.csv).",
            f"![{entry.title}: {about.get('in_paper', figure.replace('_', ' '))}](pictures/{entry.name}.png)",
            f"{about['caption'].strip()} Data: [`{Path(data).name}`]({data}).",
        ]
    )


def _figure(entry):
    """The name of the figure of a paper that the article shows, or else of its first; its table has rows."""
    captions = entry.study.captions["figures"]
    article = (ROOT / "docs/replication.md").read_text(encoding="utf-8")
    shown = re.findall(rf"_generated/figures/{entry.name}/(\w+)\.svg", article)
    return next(
        name for name in [*shown, *captions] if len(entry.tables[captions[name]["from"][0]])
    )


def _drawn(entry):
    name = _figure(entry)
    tables = [entry.tables[table] for table in entry.study.captions["figures"][name]["from"]]
    return load(entry.name).figures()[name](*tables)


def _tracked():
    """How many tables of each study are tracked at each scale, and the commit that computed them."""
    rows = [f"| study | {' | '.join(SCALES)} |", "|---" * (len(SCALES) + 1) + "|"]
    for name, title in _studies().items():
        cells = []
        for scale in SCALES:
            tables = len(list((_REFERENCE / scale / name / "tables").glob("*.csv")))
            cells.append(
                f"{tables} tables, {tracked_verdicts(_REFERENCE / scale, name).commit}"
                if tables
                else "–"
            )
        rows.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _studies():
    """Titles of all studies with tracked tables, the papers first, by name."""
    known = load_yaml(ROOT / "config/config.yaml")["studies"]
    others = [name for name in known if name not in PAPERS and list(_REFERENCE.glob(f"*/{name}"))]
    return PAPERS | {
        name: load_yaml(ROOT / f"config/studies/{name}.yaml")["title"] for name in others
    }


def _stamp(entries, *figure):
    """Hash of the tables of some papers, their figures' code and the name of the figure."""
    parts = [figure]
    for entry in entries:
        files = json.loads(
            (_REFERENCE / entry.scale / "manifest.json").read_text(encoding="utf-8")
        )["files"]
        parts.append(
            {path: sha256 for path, sha256 in files.items() if path.startswith(f"{entry.name}/")}
        )
        parts.append(module_path(entry.name, "figures").read_text(encoding="utf-8"))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _save(figure, path, stamp):
    """Write a figure as a PNG of few colors, a third of the size, which names its sources."""
    from PIL import Image, PngImagePlugin

    content, about = io.BytesIO(), PngImagePlugin.PngInfo()
    figure.savefig(content, format="png", dpi=_DPI)
    about.add_text("Source", stamp)
    picture = Image.open(content).convert("RGB").quantize(_COLORS, Image.Quantize.MAXCOVERAGE)
    picture.save(path, optimize=True, pnginfo=about)


def main(page=ROOT / "results/README.md"):
    """Renew the part between the marks, and the pictures that are out of date."""
    import matplotlib.pyplot as plt

    held = held_studies()
    before, mark, rest = page.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not (mark and end):
        raise ValueError(f"{page}: the lines {START} and {END} must both be there")
    page.write_text(
        f"{before}{mark}\n\n{written(held)}\n{end}{after}", encoding="utf-8", newline="\n"
    )
    folder = page.parent / "pictures"
    folder.mkdir(exist_ok=True)
    wanted = pictures(held)
    for path in folder.glob("*.png"):
        if path.stem not in wanted:
            path.unlink()
    for name, (draw, stamp) in wanted.items():
        path = folder / f"{name}.png"
        if not path.is_file() or stamp.encode() not in path.read_bytes():
            with styled():
                _save(draw(), path, stamp)
                plt.close("all")


if __name__ == "__main__":
    main()
