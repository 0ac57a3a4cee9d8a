"""Apply the rules and published numbers of ``config/published`` to tables, those of a run or those that are kept.

``python -m pumetrics_workflow.rejudge results/reference/paper`` renews, in each study, the tables that follow from
others and the table of published numbers, as rule ``summarize`` does, and the manifest.
"""

import hashlib
import json
import sys
from pathlib import Path

from pumetrics_workflow.studies import derived, load, read_tables
from pumetrics_workflow.verdicts import compare_published, read_published

__all__ = ["judge", "rejudge", "write_tables"]


def write_tables(made, folder):
    """Write tables as CSV into a folder, which is made."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        table.to_csv(Path(folder, f"{name}.csv"), index=False, float_format="%.10g", lineterminator="\n")


def judge(study, folder, published):
    """Write the tables of a study that follow from others, and the verdicts, next to the tables that they follow from.

    Parameters
    ----------
    study : str
    folder : path-like
        With the tables as CSV: verdicts use the same numbers that a page shows.
    published : pandas.DataFrame
        The published numbers.
    """
    kept = read_tables(folder)
    made = derived(study, kept, published)
    made["published"] = compare_published(published, load(study, "tables").reproduced(made), made)
    write_tables({key: table for key, table in made.items() if table is not kept.get(key)}, folder)


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
        judge(name, folder, read_published(Path(home, f"config/published/{name}.csv")))
    path = reference / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    files = [file for file in sorted(reference.rglob("*")) if file.is_file() and file != path]
    sums = {file.relative_to(reference).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    text = json.dumps({**manifest, "files": sums}, indent=1, sort_keys=True) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for scale in sys.argv[1:]:
        if not Path(scale, "manifest.json").exists():
            sys.exit(
                f"{scale}: there is no manifest.json; give the reference tables of a scale: results/reference/paper"
            )
        rejudge(scale)
