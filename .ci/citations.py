"""What follows from the block `paper` of the studies: references in CITATION.cff, codemeta.json, and rows of README.md.

`python .ci/citations.py` renews all three, and so does `make reference`.
"""

import json
import re
from pathlib import Path

import yaml

from pumetrics_workflow.plan import link_to, papers
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report.section import tracked_verdicts
from pumetrics_workflow.verdicts import counted

__all__ = ["renew", "renewed"]

_OURS = ("shows", "sets")  # keys of the block that no citation has


def renewed(home):
    """Return the new text of each file, by its name.

    `home` is the folder of a clone. Raises ValueError if a file has no place for what is written.
    """
    studies = papers(home)
    places = {
        "CITATION.cff": (r"^references:\n(?:[ ].*\n)*", _references(studies)),
        "codemeta.json": (
            r'^  "referencePublication": \[\n(?:    .*\n)*  \]',
            _publications(studies),
        ),
        "README.md": (r"^(?:\| \[.*\n)+", _rows(studies, home)),
    }
    return {name: _replaced(Path(home, name), *place) for name, place in places.items()}


def renew(home):
    """Write them, and return the names of those that have changed."""
    texts = {Path(home, name): text for name, text in renewed(home).items()}
    changed = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    for path in changed:
        path.write_text(texts[path], encoding="utf-8", newline="\n")
    return [path.name for path in changed]


def _replaced(path, pattern, text):
    replaced, count = re.subn(pattern, lambda _: text, path.read_text(encoding="utf-8"), flags=re.M)
    if count != 1:
        raise ValueError(f"{path}: {pattern!r} must match once, it does {count} times")
    return replaced


def _references(studies):
    entries = [
        {key: value for key, value in each["paper"].items() if key not in _OURS}
        for each in studies.values()
    ]
    return (
        yaml.safe_dump(
            {"references": entries}, sort_keys=False, allow_unicode=True, width=120, indent=2
        )
        .replace("\n", "\n  ")
        .rstrip(" ")
    )


def _publications(studies):
    entries = [
        {"type": "ScholarlyArticle", "name": each["title"], "url": _address(each["paper"])}
        for each in studies.values()
    ]
    lines = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
    return f'  "referencePublication": [\n{lines}\n  ]'


def _rows(studies, home):
    """Rows of the table of papers, each with what became of the claims at the largest scale that is tracked."""
    rows = []
    for name, each in studies.items():
        scales = (
            tracked_verdicts(Path(home, "results/reference", scale), name) for scale in SCALES
        )
        tracked = list(filter(None, scales))
        title = f"{_authors(each['paper'])} {each['paper']['year']}"
        became = counted(tracked[-1].verdicts.values()) if tracked else "no tracked tables"
        rows.append(
            f"| [{title}]({_address(each['paper'])}) | {each['paper']['shows']} | {became} |\n"
        )
    return "".join(rows)


def _authors(paper):
    """Who wrote a paper, in short."""
    first, *others = (author["family-names"] for author in paper["authors"])
    return f"{first} et al." if len(others) > 1 else " and ".join([first, *others])


def _address(paper):
    """Where a paper can be read."""
    return paper.get("url") or link_to(paper)


if __name__ == "__main__":
    print(f"renewed: {', '.join(renew(Path.cwd())) or 'nothing'}")
