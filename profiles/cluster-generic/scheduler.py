"""Submit, query and cancel a job on SGE, PBS or LSF, whichever has its commands on the path."""

import os
import re
import shutil
import subprocess
import time
import uuid
from pathlib import Path

FOLDER = Path(".snakemake/cluster")  # scripts, output and exit status of jobs, where Snakemake runs
PATIENCE = 10  # seconds until a file must appear on a shared file system


class SGE:
    """Sun/Univa/Open Grid Engine."""

    alive, listed, cancel = ["qstat"], ["qstat", "-j"], ["qdel"]
    number = "JOB_ID"

    @staticmethod
    def submit(name, threads, mem_mb, minutes, account, queue):
        """Command that hands in a job and prints its number."""
        slots = ["-pe", "smp", str(threads)] if threads > 1 else []
        limits = f"h_vmem={-(-mem_mb // threads)}M,h_rt={60 * minutes}"  # memory counts per slot
        return ["qsub", "-terse", "-V", "-N", name, "-j", "y", "-o", f"{FOLDER}/$JOB_ID.out", "-cwd", "-l", limits,
                *slots, *_option("-P", account), *_option("-q", queue)]  # fmt: skip


class PBS:
    """PBS Professional and OpenPBS."""

    alive, listed, cancel = ["qstat"], ["qstat"], ["qdel"]
    number = "PBS_JOBID"

    @staticmethod
    def submit(name, threads, mem_mb, minutes, account, queue):
        """Command that hands in a job and prints its number."""
        return ["qsub", "-V", "-N", name[:15], "-j", "oe", "-o", f"{FOLDER}/", "-l",
                f"select=1:ncpus={threads}:mem={mem_mb}mb", "-l", f"walltime={minutes // 60:02d}:{minutes % 60:02d}:00",
                *_option("-A", account), *_option("-q", queue)]  # fmt: skip


class LSF:
    """IBM Spectrum LSF."""

    alive, listed, cancel = ["lsid"], ["bjobs", "-noheader", "-o", "stat"], ["bkill"]
    number = "LSB_JOBID"

    @staticmethod
    def submit(name, threads, mem_mb, minutes, account, queue):
        """Command that hands in a job and prints its number."""
        return ["bsub", "-J", name, "-n", str(threads), "-R", f"span[hosts=1] rusage[mem={mem_mb}MB]", "-M",
                f"{mem_mb}MB", "-W", str(minutes), "-o", f"{FOLDER}/%J.out",
                *_option("-P", account), *_option("-q", queue)]  # fmt: skip


def here():
    """Return the scheduler of this machine."""
    if shutil.which("bsub"):
        return LSF
    if shutil.which("qsub"):
        return SGE if "SGE_ROOT" in os.environ else PBS
    raise SystemExit("neither qsub (SGE, PBS) nor bsub (LSF) is on the path: run Snakemake on the cluster's login node")


def submit(scheduler, jobscript, properties):
    """Submit Snakemake's job script and return the job's number.

    The script is wrapped so that the job leaves its exit status in a file: schedulers forget jobs that have ended.
    """
    resources = properties["resources"]
    FOLDER.mkdir(parents=True, exist_ok=True)
    wrapper = FOLDER / f"{Path(jobscript).stem}.{uuid.uuid4().hex}.sh"
    wrapper.write_text(
        f"#!/bin/sh\ncd '{Path.cwd()}'\nsh '{jobscript}'\nstatus=$?\n"
        f'echo $status >"{FOLDER}/${scheduler.number}.part"\n'
        f'mv "{FOLDER}/${scheduler.number}.part" "{FOLDER}/${scheduler.number}.exit"\nexit $status\n',
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    command = scheduler.submit(
        properties["rule"], properties["threads"], resources["mem_mb"], resources["runtime"],
        resources.get("account"), resources.get("queue"),
    )  # fmt: skip
    done = subprocess.run([*command, str(wrapper.resolve())], capture_output=True, text=True, check=False)
    number = re.search(r"<(\d+)>" if scheduler is LSF else r"^(\S+)", done.stdout)
    if done.returncode or not number:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return number.group(1)


def status(scheduler, number):
    """Return the state of a job in Snakemake's words: success, failed or running."""
    left = _left_behind(number)
    if left or _answers(scheduler.listed, number) or not _answers(scheduler.alive):
        return left or "running"
    # The job is not listed and left no status: it was killed for its memory, its time or by hand, or its file is late.
    time.sleep(PATIENCE)
    return _left_behind(number) or "failed"


def _left_behind(number):
    """Return the exit state that a job wrote, or None."""
    path = FOLDER / f"{number}.exit"
    if not path.exists():
        return None
    return "success" if path.read_text(encoding="utf-8").strip() == "0" else "failed"


def _answers(command, *more):
    """Return whether a scheduler's command succeeds and the job has not ended."""
    done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
    return done.returncode == 0 and not re.search(r"\b(DONE|EXIT)\b", done.stdout)


def _option(flag, value):
    return [flag, str(value)] if value else []
