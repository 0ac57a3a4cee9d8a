"""Provenance of results: versions, seed, hashes, the state of the sources, machines, and the time of each rule."""

import hashlib
import json
import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from pumetrics_workflow.code import git_state, source_hash
from pumetrics_workflow.job import cpu_seconds
from pumetrics_workflow.journal import read_runs

__all__ = ["PACKAGES", "provenance"]

PACKAGES = ("snakemake", "numpy", "scipy", "pandas", "scikit-learn", "numba", "pyarrow", "seaborn", "matplotlib")


def provenance(config, cards, *, folder="."):
    """Return what is needed to reproduce the results.

    Parameters
    ----------
    config : dict
        The checked config of the run; ``studies`` are those that the results are about.
    cards : dict
        The card of each data set, by name.
    folder : path
        Where Snakemake works and keeps journals and logs.

    Returns
    -------
    dict
        ``code`` is the hash of all sources. ``commit`` and ``uncommitted_changes`` are their state in git when the runs
        that did the jobs began; without a journal, their state now. ``rules`` holds, for
        each rule, the number of its jobs, their wall and CPU time and the most memory of one of them, as Snakemake
        measured them (every half second at first, later every half minute); ``runs`` the runs of Snakemake that did
        the jobs. Tables never depend on these: what varies between runs is here and nowhere else.
    """
    from pumetrics import __version__

    settings, runs = json.dumps(config, sort_keys=True), _runs(config, cards, folder)
    return {
        "scale": config["scale"],
        "seed": config["seed"],
        "studies": ", ".join(config["studies"]),
        "config": settings,
        "config_sha256": hashlib.sha256(settings.encode()).hexdigest(),
        "code": source_hash(),
        **(_state_of(runs) or git_state()),
        "pumetrics": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "host": platform.node(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "processor": _processor(),
        "data": {name: card.get("sha256") or card["source"] for name, card in cards.items() if card["available"]},
        "finished": _minute(datetime.now(UTC)),
        **_if_any("rules", _rules(config, cards, Path(folder))),
        **_if_any("runs", runs),
    }


def _processor(description=Path("/proc/cpuinfo")):
    """Name of the processor, where the system gives one."""
    text = description.read_text(encoding="utf-8", errors="replace") if description.is_file() else ""
    named = re.search(r"^model name\s*: (.+)$", text, flags=re.M)
    return named[1] if named else platform.processor()


def _if_any(name, facts):
    return {name: facts} if facts else {}


def _rules(config, cards, folder):
    """Sums over the jobs of each rule, from the tables that Snakemake's `benchmark` directive left next to the logs."""
    logs = folder / "logs"
    jobs = {}
    for path in logs.joinpath(config["scale"]).glob("*/**/*.tsv"):
        _, study, rule, *_ = path.relative_to(logs).with_suffix("").parts  # scale, study, rule, ...
        if study in config["studies"]:
            jobs.setdefault(rule, []).append(path)
    for rule in ("fetch", "prepare"):
        paths = [path for path in logs.joinpath(rule).glob("*.tsv") if path.stem in cards]
        jobs |= _if_any(rule, paths)
    measured = {rule: list(filter(None, map(_measured, paths))) for rule, paths in sorted(jobs.items())}
    return {rule: _sums(rows) for rule, rows in measured.items() if rows}


def _measured(path):
    """Wall and CPU seconds and MB of a job, 0 for what was too short to measure; None if the file is cut off.

    The CPU time is what the job itself counted, and a fourth value says so; or what Snakemake had last sampled.
    """
    try:
        names, values = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
        row = dict(zip(names, values, strict=True))
        wall, sampled, memory = (
            float(row[name]) if row[name] not in ("NA", "-") else 0.0 for name in ("s", "cpu_time", "max_rss")
        )
    except (OSError, ValueError, KeyError):
        return None
    own = cpu_seconds(path.with_suffix(".log"))
    return wall, sampled if own is None else own, memory, own is not None


def _sums(jobs):
    wall, cpu, memory, counted = zip(*jobs, strict=True)
    return {
        "jobs": len(jobs),
        "wall_seconds": round(sum(wall), 1),
        "cpu_seconds": round(sum(cpu), 1),
        "cpu_sampled": not all(counted),
        "most_mb": round(max(memory)),
    }


def _runs(config, cards, folder):
    """The runs that made the results; a file that was made more than once comes from the last of them."""
    runs = read_runs(folder)
    latest = {
        job.outputs[0]: number
        for number, run in enumerate(runs)
        for job in run.of_state("done")
        if job.outputs and _belongs(job.outputs[0], config, cards) and Path(folder, job.outputs[0]).exists()
    }
    made_by = list(latest.values())
    return [_run_facts(runs[number], made_by.count(number)) for number in sorted(set(made_by))]


def _belongs(output, config, cards):
    """Whether a file is a result of the studies at this scale or about one of their data sets, and no report."""
    place, *inside, name = output.split("/")
    if place == "resources":
        return name.rsplit(".", 1)[0] in cards
    of_study = any(inside[:2] == [config["scale"], study] for study in config["studies"])
    return place == "results" and of_study and name != "report.html"


def _state_of(runs):
    """Commits of the runs, and whether any began with uncommitted changes; nothing if one does not know."""
    if not runs or not all("commit" in run for run in runs):
        return {}
    commits = ", ".join(dict.fromkeys(run["commit"] for run in runs))
    return {"commit": commits, "uncommitted_changes": any(run["uncommitted_changes"] for run in runs)}


def _run_facts(run, jobs):
    return {
        "started": _minute(datetime.fromtimestamp(run.start, UTC)),
        **{name: run.facts[name] for name in ("host", "cores", "commit", "uncommitted_changes") if name in run.facts},
        "jobs_in_use": jobs,
        "command": run.command,
    }


def _minute(moment):
    return moment.strftime("%Y-%m-%d %H:%M UTC")
