"""Where tests find the results of a quick run: those that are there, else those of a run of their own, made once."""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


@functools.cache
def quick_results():
    """Return the folder of a finished quick run.

    It is the one that PUMETRICS_RESULTS names, else results/quick of the checkout, else that of a run of all studies
    in a temporary folder (three minutes on one core).
    """
    named = os.environ.get("PUMETRICS_RESULTS")
    for folder in filter(None, [named, ROOT / "results/quick"]):
        if Path(folder, "report.html").is_file():
            return Path(folder).resolve()
    assert not named, (
        f"PUMETRICS_RESULTS={named} holds no report.html: name the results/quick of a finished run"
    )
    place = tempfile.mkdtemp(prefix="pumetrics-quick-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
        "--directory",
        place,
    ]
    done = subprocess.run(
        [*command, "--cores", "2", "--config", "scale=quick"], capture_output=True, text=True
    )
    assert done.returncode == 0, f"the quick run failed:\n{(done.stdout + done.stderr)[-6000:]}"
    return Path(place, "results/quick")
