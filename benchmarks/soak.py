"""Keeps killing a study's run and taking it up again, and compares its tables with those of an undisturbed run.

    python benchmarks/soak.py --minutes 30 --study ramola2019 --scale laptop --mirror ../data --folder /large/disk

Kills are `kill -9` at random moments: of one job, of Snakemake alone (whose jobs then go on next to those of the next
run), or of everything at once. Each time a disturbed run is done, all its tables and records are compared with the
undisturbed ones, and it starts again from nothing until the time is over. Exit status: 0 all were equal, 1 one was
not.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from pumetrics_workflow.compare import compare_runs

ROOT = Path(__file__).parents[1]
# Seconds from the start of a run, or a kill, to the next kill.
PAUSE = {"quick": (2, 15), "laptop": (5, 90), "paper": (5, 600)}


def snakemake(options, folder, *arguments):
    """Command line of a run of the study in a folder."""
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
        "--directory",
        str(folder),
    ]
    config = [
        f"scale={options.scale}",
        *([f"mirror={options.mirror.resolve()}"] if options.mirror else []),
    ]
    return [*command, options.study, "--cores", str(options.cores), *arguments, "--config", *config]


def start(command, log):
    """Start a run in a session of its own; what it says is added to `log`."""
    with log.open("ab") as stream:
        return subprocess.Popen(command, stdout=stream, stderr=stream, start_new_session=True)


def kill(process, kind):
    """Kill what `kind` names; say whether there was anything to kill."""
    if kind == "everything":
        os.killpg(process.pid, signal.SIGKILL)
    elif kind == "Snakemake":
        os.kill(process.pid, signal.SIGKILL)
    else:
        children = psutil.Process(process.pid).children(recursive=True)
        if not children:
            return False
        random.choice(children).kill()
    return True


def disturbed(options, folder, log, end, kills):
    """Run the study in `folder` with kills until `end`, then to its end; return whether it got there."""
    failures = 0
    while failures < 3:
        if any(folder.glob(".snakemake/locks/*")):
            subprocess.run(snakemake(options, folder, "--unlock"), capture_output=True, check=False)
        process = start(snakemake(options, folder), log)
        quiet = time.monotonic() >= end
        struck = False
        while process.poll() is None and not quiet:
            try:
                process.wait(random.uniform(*PAUSE[options.scale]))
            except subprocess.TimeoutExpired:
                kind = random.choice(["a job", "Snakemake", "everything"])
                try:
                    hit = kill(process, kind)
                except (ProcessLookupError, psutil.NoSuchProcess):
                    continue  # it ended in that moment
                kills[kind] += hit
                struck |= hit
            quiet = time.monotonic() >= end
        if process.wait() == 0:
            return True
        failures = 0 if struck else failures + 1
    return False


def main():
    """Parse the command line, do as it says, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--study", default="ramola2019")
    parser.add_argument("--scale", choices=list(PAUSE), default="quick")
    parser.add_argument("--mirror", type=Path, help="folder with raw data files")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    folder = Path(tempfile.gettempdir(), "pumetrics-soak")
    parser.add_argument(
        "--folder",
        type=Path,
        default=folder,
        help="made by the program, and removed if all went well",
    )
    options = parser.parse_args()
    random.seed(options.seed)
    print(f"seed {options.seed}", flush=True)
    shutil.rmtree(options.folder, ignore_errors=True)
    calm, folder, log = (
        options.folder.resolve() / name for name in ("undisturbed", "disturbed", "log.txt")
    )
    calm.mkdir(parents=True)
    begin = time.monotonic()
    if start(snakemake(options, calm), log).wait() != 0:
        print(f"the undisturbed run failed: {log}")
        return 1
    print(f"undisturbed: {time.monotonic() - begin:.0f} s", flush=True)
    end = time.monotonic() + 60 * options.minutes
    kills = Counter()
    rounds = 0
    while time.monotonic() < end:
        folder.mkdir()
        done = disturbed(options, folder, log, end, kills)
        results = f"results/{options.scale}/{options.study}"
        found = compare_runs(calm / results, folder / results) if done else None
        rounds += 1
        told = ", ".join(f"{count} of {kind}" for kind, count in sorted(kills.items())) or "none"
        print(
            f"round {rounds}, kills so far: {told}: {'equal' if found and found.equal else 'NOT EQUAL'}",
            flush=True,
        )
        if not found or not found.equal:
            print("\n".join(found.lines()) if found else f"it did not end well three times: {log}")
            return 1
        shutil.rmtree(folder)
    shutil.rmtree(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
