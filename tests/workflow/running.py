"""What the tests of the workflow share: a run in a folder of its own, its jobs, and waiting for what they do."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

TABLES = "results/quick/ramola2019/tables/published.csv"
PATIENCE = 600  # seconds; a busy machine may need twenty times as long as a free one


class Run:
    """A folder in which the project's workflow runs, from a copy of the project."""

    def __init__(self, folder, project):
        self.folder, self.project = Path(folder), project
        self.environment = {**os.environ, "COLUMNS": "200", "PYTHONPATH": str(project / "src")}

    def command(self, *arguments, cores=2, config=()):
        """Return the command line of a Snakemake run in this folder."""
        settings = ["--config", *config] if config else []
        snakemake = [
            sys.executable,
            "-m",
            "snakemake",
            "--snakefile",
            str(self.project / "Snakefile"),
        ]
        return [
            *snakemake,
            "--directory",
            str(self.folder),
            "--cores",
            str(cores),
            *arguments,
            *settings,
        ]

    def __call__(self, *arguments, expect=0, inside=(), **options):
        """Run Snakemake, by a command that `inside` names if any, and return what it printed."""
        command = [*inside, *self.command(*arguments, **options)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=self.environment, check=False
        )
        output = done.stdout + done.stderr
        assert done.returncode == expect, (
            f"exit status {done.returncode} instead of {expect}:\n{output[-6000:]}"
        )
        return output

    def start(self, *arguments, **options):
        """Start Snakemake in a process group of its own; what it prints goes to a file beside the folder."""
        output = self.folder.with_suffix(".output")
        with output.open("w") as stream:
            process = subprocess.Popen(
                self.command(*arguments, **options),
                stdout=stream,
                stderr=stream,
                env=self.environment,
                start_new_session=True,
                preexec_fn=lambda: signal.signal(
                    signal.SIGINT, signal.SIG_DFL
                ),  # ignored where tests run behind a "&"
            )
        process.output = output
        return process

    def pumetrics(self, *arguments):
        """Run the command line of the project in this folder."""
        command = [
            sys.executable,
            "-c",
            "from pumetrics.cli import app; app()",
            *map(str, arguments),
        ]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=self.environment,
            cwd=self.folder,
            check=False,
        )

    def tables(self, study="ramola2019", scale="quick"):
        """Return the bytes of every CSV table of a study, by name."""
        return {
            path.name: path.read_bytes()
            for path in sorted(self.folder.glob(f"results/{scale}/{study}/tables/*.csv"))
        }

    def path(self, kind, dataset="mine", chunk="000-001"):
        """Path of a table of the tiny study."""
        model = "" if kind == "labelings" else "bagged_mlp"
        return (
            self.folder / "results/quick/ramola2019" / kind / dataset / model / f"{chunk}.parquet"
        )

    def without(self, *paths):
        """Delete files and folders of this run, and return it."""
        for path in (self.folder / path for path in paths):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return self


def wait_for(condition, process, seconds=PATIENCE):
    """Wait until a condition gives something while a process runs, and return that."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert process.poll() is None, f"the run ended before:\n{process.output.read_text()}"
        assert time.monotonic() < end, (
            f"it did not happen in {seconds} s:\n{process.output.read_text()}"
        )
        time.sleep(0.002)
    return found


def jobs_of(process, script):
    """Processes below a Snakemake that run the given script's jobs."""
    import psutil

    time.sleep(0.03)  # to look at all processes without a pause takes half a core from the run
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            command = child.cmdline()
        except psutil.Error:
            continue
        if any(word.endswith(f".{script}.py") for word in command) and "python" in command[0]:
            found.append(child)
    return found


def kill_group(process):
    """Kill Snakemake and its jobs, as a power loss would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def write_mine(path, *, shift):
    """Write a data set of 1,500 rows whose classes are `shift` apart."""
    rng = np.random.default_rng(1)
    ill = np.arange(1500) % 2 == 0
    frame = pd.DataFrame(
        rng.normal(size=(1500, 3)).round(4) + shift * ill[:, None], columns=["a", "b", "c"]
    )
    frame.assign(outcome=np.where(ill, "ill", "well")).to_csv(path, index=False)
