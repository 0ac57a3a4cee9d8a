"""Apply the rules and published numbers of ``config/published`` to tables that are kept, without a run.

``python -m pumetrics_workflow.rejudge results/reference/paper`` renews, in each study, the tables that follow from
others and the table of published numbers, as rule ``summarize`` writes them, and the manifest.
"""

import hashlib
import json
import sys
from pathlib import Path

from pumetrics_workflow.studies import derived, load, read_tables
from pumetrics_workflow.verdicts import compare_published, read_published

__all__ = ["rejudge", "write_tables"]


def write_tables(made, folder):
    """Write tables as CSV into a folder, which is made."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        table.to_csv(Path(folder, f"{name}.csv"), index=False, float_format="%.10g", lineterminator="\n")


def rejudge(reference, home="."):
    """Renew the verdicts of a reference of one scale from its own tables.

    Parameters
    ----------
    reference : path-like
        A folder of one scale, such as ``results/reference/paper``.
    home : path-like
        Where the folder ``config`` is.
    """
    reference = Path(reference)
    for folder in sorted(reference.glob("*/tables")):
        name = folder.parent.name
        published = read_published(Path(home, f"config/published/{name}.csv"))
        kept = read_tables(folder)
        made = derived(name, kept, published)
        made["published"] = compare_published(published, load(name, "tables").reproduced(made), made)
        write_tables({key: table for key, table in made.items() if table is not kept.get(key)}, folder)
    path = reference / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    files = [file for file in sorted(reference.rglob("*")) if file.is_file() and file != path]
    sums = {file.relative_to(reference).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    text = json.dumps({**manifest, "files": sums}, indent=1, sort_keys=True) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for scale in sys.argv[1:]:
        rejudge(scale)
