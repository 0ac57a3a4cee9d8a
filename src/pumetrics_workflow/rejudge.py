"""Apply the rules and published numbers of ``config/published`` to tables, those of a run or those that are kept.

``python -m pumetrics_workflow.rejudge results/reference/paper`` renews, in each study, the tables that follow from
others and the table of published numbers, as rule ``summarize`` does, and the manifest. The provenance of a study whose
tables change names the commit under ``rejudged``, next to the one that computed it.
"""

import hashlib
import json
import sys
from pathlib import Path

from pumetrics_workflow.code import git_state
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
    changed, state = [], git_state(home)
    for folder in sorted(reference.glob("*/tables")):
        name, before = folder.parent.name, _sums(folder)
        judge(name, folder, read_published(Path(home, f"config/published/{name}.csv")))
        changed += [name] * (before != _sums(folder))
    commit = (
        f"{state.get('commit', 'unknown')[:9]}{' with uncommitted changes' * state.get('uncommitted_changes', False)}"
    )
    runs = json.loads((reference / "provenance.json").read_text(encoding="utf-8"))
    for run in runs:
        again = run.get("rejudged", {}) | {name: commit for name in changed if name in run["kept"]}
        run |= {"rejudged": again} if again else {}
    _write(reference / "provenance.json", runs)
    path = reference / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    _write(path, {**manifest, "files": {name: sha for name, sha in _sums(reference).items() if name != path.name}})


def _sums(folder):
    """Checksums of all files of a folder."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _write(path, content):
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for scale in sys.argv[1:]:
        if not Path(scale, "manifest.json").exists():
            sys.exit(
                f"{scale}: there is no manifest.json; give the reference tables of a scale: results/reference/paper"
            )
        rejudge(scale)
