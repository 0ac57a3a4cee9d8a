"""Where a result comes from: versions, seed, hashes, machines, and the time that each rule took."""

import hashlib
import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version

from pumetrics_workflow.journal import read_runs

__all__ = ["provenance"]

_PACKAGES = ("snakemake", "numpy", "scipy", "pandas", "scikit-learn", "numba", "pyarrow", "seaborn", "matplotlib")


def provenance(config, cards, *, code, folder="."):
    """Return what one needs to know to make the results again.

    Parameters
    ----------
    config : dict
        The checked config of the run.
    cards : dict
        The card of each data set, by name.
    code : str
        Hash of the library.
    folder : path
        Where Snakemake works and keeps its journals.

    Returns
    -------
    dict
        ``rules`` holds, for each rule, the number of jobs whose results are in use, their wall and CPU time and the
        most memory that one of them took; ``runs`` the runs of Snakemake that did them. Tables never depend on
        these: what varies between runs stands here and nowhere else.
    """
    from pumetrics import __version__

    settings = json.dumps(config, sort_keys=True)
    return {
        "scale": config["scale"],
        "seed": config["seed"],
        "studies": ", ".join(config["studies"]),
        "config": settings,
        "config_sha256": hashlib.sha256(settings.encode()).hexdigest(),
        "code": code,
        "pumetrics": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
        "host": platform.node(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "data": {name: card.get("sha256") or card["source"] for name, card in cards.items() if card["available"]},
        "finished": _said(datetime.now(UTC)),
        **_work(config["scale"], cards, folder),
    }


def _work(scale, cards, folder):
    """Runs and rules behind what lies in the results of a scale, as far as the journals know them."""
    runs = read_runs(folder)
    latest = {}  # a file that was made more than once comes from the last time
    for number, run in enumerate(runs):
        for job in run.of_state("done"):
            if job.outputs and _belongs(job.outputs[0], scale, cards):
                latest[job.outputs[0]] = number, job
    jobs = [job for _, job in latest.values()]
    used = sorted({number for number, _ in latest.values()})
    told = {
        "rules": {
            rule: _sums([job for job in jobs if job.rule == rule]) for rule in sorted({job.rule for job in jobs})
        },
        "runs": [_run_facts(runs[number], sum(by == number for by, _ in latest.values())) for number in used],
    }
    return {name: facts for name, facts in told.items() if facts}


def _belongs(output, scale, cards):
    """Whether a file is a result at this scale, or is about one of its data sets."""
    place, *_, name = output.split("/")
    return output.startswith(f"results/{scale}/") or (place == "resources" and name.rsplit(".", 1)[0] in cards)


def _sums(jobs):
    return {
        "jobs": len(jobs),
        "wall_seconds": round(sum(job.seconds for job in jobs), 1),
        "cpu_seconds": round(sum(job.cpu or 0.0 for job in jobs), 1),
        "most_mb": max(round(job.memory or 0.0) for job in jobs),
    }


def _run_facts(run, jobs):
    started = _said(datetime.fromtimestamp(run.start, UTC))
    return {
        "started": started,
        "host": run.host,
        "cores": run.cores,
        "jobs_in_use": jobs,
        "command": " ".join(["snakemake", *run.command]),
    }


def _said(moment):
    return moment.strftime("%Y-%m-%d %H:%M UTC")
