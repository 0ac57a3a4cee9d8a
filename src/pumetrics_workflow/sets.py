"""Means over the repeats of one data set: small files, finished set by set, that all tables of a study follow from.

A study whose config has ``keep_means`` reads them in the place of its answers. So a run that outlasts a machine is kept
as far as it came, and goes on elsewhere: each file says in its metadata which jobs of which commit made it.
"""

import shutil
from collections import Counter
from pathlib import Path

from pumetrics_workflow.tables import KEYS, read_metadata

__all__ = ["commits_of", "finished", "in_words", "mean_answers", "resume"]

_SAMPLE = [name for name in KEYS["records"] if name not in ("repeat", "threshold")]


def mean_answers(records, statistics):
    """Return means of estimates and truths over repeats, as records of repeat 0, and all statistics, in one table.

    Parameters
    ----------
    records, statistics : pandas.DataFrame
        As :func:`pumetrics_workflow.tables.read_all` returns them.
    """
    import pandas as pd

    means = records.groupby(_SAMPLE, observed=True)[["estimate", "truth"]].mean().reset_index()
    return pd.concat([means.assign(repeat=0), statistics])


def finished(folder, study):
    """Return the files of the data sets of a study that are finished and have rows, in a run or a reference.

    Parameters
    ----------
    folder : path-like
        Of one scale, such as ``results/paper``.
    study : str

    Returns
    -------
    list of Path
    """
    import pyarrow.parquet as pq

    files = sorted(Path(folder, study, "means").glob("*.parquet"))
    return [path for path in files if pq.read_metadata(path).num_rows]


def commits_of(files):
    """Return how many files each commit made, with commas where jobs behind a file differ, and of what it was unclean.

    Parameters
    ----------
    files : iterable of path-like

    Returns
    -------
    counts : dict of str to int
    unclean : list of path-like
        Files that sources with uncommitted changes made.
    """
    counts = Counter()
    unclean = []
    for path in files:
        facts = read_metadata(path)
        jobs = [facts.get("made_by", {}), *facts.get("made_from", {}).values()]
        commits = dict.fromkeys(job.get("commit", "unknown")[:9] for job in jobs)
        counts[", ".join(commits)] += 1
        if any(job.get("uncommitted_changes") for job in jobs):
            unclean.append(path)
    return dict(counts), unclean


def resume(reference, results):
    """Put the data sets that a reference has finished into a run, which computes the rest; a line for each study.

    Data sets that the run has finished itself stay. Both are folders of one scale, such as ``results/reference/paper``
    and ``results/paper``.

    Raises
    ------
    ValueError
        If the reference holds no finished data set.
    """
    lines = []
    for study in sorted({path.parents[1].name for path in Path(reference).glob("*/means/*")}):
        files = finished(reference, study)
        own = {path.name for path in finished(results, study)}
        new = [path for path in files if path.name not in own]
        folder = Path(results, study, "means")
        folder.mkdir(parents=True, exist_ok=True)
        for path in new:
            shutil.copyfile(path, folder / path.name)
        lines.append(f"{study}: data sets put into {folder}: {in_words(new) or 'none is new'}")
    if not lines:
        raise ValueError(f"{reference} holds no finished data set of a study that is not finished")
    return lines


def in_words(files):
    """Say how many files are by which commits; "" of none."""
    counts, _ = commits_of(files)
    return ", ".join(f"{count} by {commits}" for commits, count in counts.items())
