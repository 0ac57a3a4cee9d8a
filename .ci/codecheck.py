"""The lists of ``codecheck.yml``: tables of the reference that a check should reproduce, with their commands; papers.

Specification: CODECHECK configuration file 1.0, https://codecheck.org.uk/spec/config/1.0/. `make reference` renews it.
"""

import json
import re
from fnmatch import fnmatch
from pathlib import Path

from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import link_to, papers

__all__ = ["TABLES", "manifest", "renew"]

# What the papers print, what the decision table and the ranking of estimators say, and how both compare; the other
# tables of the reference are steps on the way.
TABLES = ("published", "figure*", "table*", "decision", "methods")


def manifest(home):
    """Return the entries of the manifest, each a dict with ``file`` and ``comment``, in a fixed order.

    `home` is the folder of a clone. Raises ConfigError if the file of a study is missing.
    """
    home = Path(home)
    entries = []
    for path in sorted((home / "results/reference").glob("*/manifest.json"), reverse=True):
        scale = path.parent.name
        for name in sorted(json.loads(path.read_text(encoding="utf-8"))["files"]):
            study, table = name.split("/")[0], Path(name).stem
            if name.endswith(".csv") and any(fnmatch(table, pattern) for pattern in TABLES):
                title = load_yaml(home / f"config/studies/{study}.yaml")["title"]
                comment = (
                    f"{title}: {_words(table)}; snakemake {study} --cores 2 --config scale={scale}"
                )
                entries.append({"file": f"results/reference/{scale}/{name}", "comment": comment})
    return entries


def renew(home):
    """Replace the manifest and the papers in ``codecheck.yml``, leave the rest, and return the number of files."""
    path = Path(home) / "codecheck.yml"
    entries = manifest(home)
    lines = [f'  - file: {entry["file"]}\n    comment: "{entry["comment"]}"\n' for entry in entries]
    links = [f"  - {link_to(content['paper'])}\n" for content in papers(home).values()]
    text = path.read_text(encoding="utf-8")
    for key, block in (("manifest", lines), ("pumetrics_reproduces", links)):
        text, count = re.subn(
            rf"^{key}:\n(?:[ ]+.*\n)*", f"{key}:\n{''.join(block)}", text, flags=re.M
        )
        if count != 1:
            raise ValueError(f"{path} needs one line that says `{key}:`, it has {count}")
    path.write_text(text, encoding="utf-8", newline="\n")
    return len(entries)


def _words(table):
    """Say what a table is: ``figure2_bounds`` is Figure 2 (bounds)."""
    if table == "published":
        return "published and reproduced numbers"
    paper = re.fullmatch(r"(figure|table)(\d+[a-z]?)_?(.*)", table)
    if not paper:
        return table
    kind, number, part = paper.groups()
    part = part.replace("_", " ")
    return f"{kind.title()} {number}" + (f" ({part})" if part else "")


if __name__ == "__main__":
    print(f"codecheck.yml: {renew(Path.cwd())} files")
