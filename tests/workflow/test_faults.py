"""Faults of the machine and of people: each is named, stops only what needs it, and leaves the same tables in the end.

Every fault is a real one: kills, limits that the system enforces, permissions, damaged files, two runs at once.
"""

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess

import pytest
from running import PATIENCE, TABLES, jobs_of, kill_group, wait_for, write_mine

TRAIN_LOG = "logs/quick/ramola2019/train/mine/bagged_mlp/000-001.log"


@pytest.fixture
def halfway(fork):
    """Return a run that must train on one data set, and has something else to do that does not need it."""
    mine = [fork.path(kind) for kind in ("scores", "priors", "answers")]
    return fork.without(*mine, fork.path("priors", "gaussians"), TABLES, "logs")


# Faults of one job


def killed(job):
    job.kill()


def crashed(job):
    job.send_signal(signal.SIGSEGV)


def out_of_time(job):
    resource.prlimit(job.pid, resource.RLIMIT_CPU, (1, 1))


def out_of_memory(job):
    limit = job.memory_info().vms + (1 << 20)
    resource.prlimit(job.pid, resource.RLIMIT_AS, (limit, limit))


def test_a_job_that_is_ended_is_named_and_the_rest_goes_on(halfway, finished):
    for fault in (killed, crashed, out_of_time, out_of_memory):
        process = halfway.start(TABLES, "--retries", "0")
        wait_for((halfway.folder / TRAIN_LOG).is_file, process)
        fault(jobs_of(process, "train")[0])
        assert process.wait(PATIENCE) == 1, process.output.read_text()
        output = process.output.read_text()
        assert re.search(
            rf"^Error in rule train:\n(?: .*\n)*    log: {TRAIN_LOG}", output, flags=re.M
        ), (fault, output)
        named = f"{TRAIN_LOG}: the job was killed" in output
        assert named or fault is out_of_memory, output  # that may end in a MemoryError as well
        assert ("Segmentation fault" in output) is (fault is crashed), output
        assert halfway.path("priors", "gaussians").is_file(), (
            f"what does not need the failed job was not done:\n{output}"
        )
        halfway.without(halfway.path("priors", "gaussians"), TRAIN_LOG)
    halfway(TABLES)
    assert_same(halfway, finished)


# Faults of the whole run


def test_after_a_kill_of_snakemake_alone_the_lock_is_removed_and_the_run_resumed(halfway, finished):
    process = halfway.start(TABLES)
    job = wait_for(lambda: jobs_of(process, "train"), process)[0]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert job.is_running(), "the job goes on alone, beside the one that the next run starts"
    assert "--unlock" in halfway(TABLES, expect=1)
    halfway("--unlock")
    halfway(TABLES)
    assert_same(halfway, finished)


def test_an_interrupted_run_is_resumed_by_the_same_command(halfway, finished):
    for how in (signal.SIGINT, signal.SIGTERM):
        process = halfway.start(TABLES)
        wait_for(lambda process=process: jobs_of(process, "train"), process)
        if how == signal.SIGINT:
            os.killpg(process.pid, how)  # Ctrl-C reaches the jobs as well
        else:
            process.send_signal(how)
        assert process.wait(PATIENCE) != 0
    halfway(TABLES)
    assert_same(halfway, finished)


def test_a_kill_of_everything_while_it_writes(halfway, finished):
    tables = (halfway.folder / TABLES).parent
    halfway.without(tables)  # else those of the finished run are there at once
    for writing in (halfway.path("scores").parent, tables):
        process = halfway.start(TABLES)
        wait_for(lambda folder=writing: folder.is_dir() and any(folder.iterdir()), process)
        kill_group(process)
        halfway("--unlock")
    halfway(TABLES)
    assert_same(halfway, finished)


def test_a_second_run_in_the_same_folder_is_refused_and_does_no_harm(halfway, finished):
    first = halfway.start(TABLES)
    wait_for(lambda: jobs_of(first, "train"), first)
    # A Snakemake that looks at files just when the other one deletes them ends with that, before it sees the lock.
    first.send_signal(signal.SIGSTOP)
    try:
        output = halfway(TABLES, expect=1)
    finally:
        first.send_signal(signal.SIGCONT)
    assert "lock" in output
    assert "Traceback" not in output
    assert first.wait(PATIENCE) == 0, first.output.read_text()
    assert_same(halfway, finished)


# Disks


def full_disk(folder):
    """Command that gives what it runs a folder with almost no space, in a mount that ends with it."""
    mount = 'mount -t tmpfs -o size=8k none "$0" && exec "$@"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(folder)]
    folder.mkdir(parents=True, exist_ok=True)
    if (
        shutil.which("unshare")
        and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    ):
        return command, "No space left on device"
    return ["prlimit", "--fsize=24000"], "File too large"


def test_a_full_disk_is_named_and_what_was_cut_off_is_made_anew(halfway, finished):
    inside, reason = full_disk(halfway.path("scores").parent)
    output = halfway(TABLES, "--retries", "0", inside=inside, expect=1)
    assert re.search(rf"^train \(.*dataset mine.*: OSError: .*{reason}", output, flags=re.M), output
    assert "Error in rule train:" in output
    assert not halfway.path("scores").exists()
    assert halfway.path("priors", "gaussians").is_file()
    halfway(TABLES)
    assert_same(halfway, finished)


def test_a_results_folder_that_cannot_be_written_is_named(fork, finished):
    fork.without(fork.path("priors", "gaussians"), TABLES)
    # root may write everywhere, unless it gives that right away
    inside = (
        ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    )
    folders = [path for path in fork.folder.glob("results/**/") if path.is_dir()]
    for path in folders:
        path.chmod(0o555)
    try:
        output = fork(TABLES, inside=inside, expect=1)
    finally:
        for path in folders:
            path.chmod(0o755)
    assert "Permission denied: " in output, output
    assert "results/quick/ramola2019" in output
    fork("--unlock")
    fork(TABLES)
    assert_same(fork, finished)


# Damaged tables


def cut(content):
    return content[: len(content) // 2]


def overwritten(content):
    return content[:200] + bytes(400) + content[600:]


def test_damaged_tables_are_named_and_the_next_run_makes_them_anew(fork, finished):
    scores, prepared = (
        fork.path("scores", "gaussians"),
        fork.folder / "resources/prepared/mine.parquet",
    )
    for path, damage in ((scores, cut), (prepared, overwritten)):
        times = path.stat().st_atime, path.stat().st_mtime
        path.write_bytes(damage(path.read_bytes()))
        os.utime(path, times)  # bits that rot leave no trace in the time
    fork.without(
        fork.path("answers", "gaussians"), *map(fork.path, ("scores", "priors", "answers")), TABLES
    )
    output = fork(TABLES, "--retries", "0", expect=1)
    for path, reader in ((scores, "evaluate"), (prepared, "train")):
        name = path.relative_to(fork.folder)
        assert re.search(
            rf"^{reader} \(.*\): {name} is damaged .*: set aside", output, flags=re.M
        ), output
    fork(TABLES)
    assert_same(fork, finished)


# Changes: exactly what depends on them is done again

STUDY = "config/studies/ramola2019.yaml"
END = ["Drawing the figures", "Writing results/quick/ramola2019/report.html", "Writing the tables"]


def appended(text):
    return lambda path: path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def replaced(old, new):
    def change(path):
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


KERNEL = "src/pumetrics_workflow/models/rprop.py"  # imported by name; the one used here takes long to compile
AFTER_TRAINING = ["Estimating priors gaussians mine", "Correcting gaussians mine", *END]

CHANGES = {
    "a prior estimator": (
        "src/pumetrics/priors/alphamax.py",
        appended("\n_NEW = 1\n"),
        # Simulations check the priors they name against the registry, which imports every estimator.
        ["Simulating", *AFTER_TRAINING],
    ),
    "the metrics of a study": (STUDY, replaced("- mcc\n", ""), ["Correcting gaussians mine", *END]),
    "the model of a study": (
        STUDY,
        replaced("n_estimators: 4", "n_estimators: 5"),
        ["Training gaussians mine", *AFTER_TRAINING],
    ),
    "a data file": (
        "mine.csv",
        lambda path: write_mine(path, shift=1.5),
        [
            *(
                f"{what} mine"
                for what in ("Fetching", "Preparing", "Labeling", "Training", "Estimating priors")
            ),
            "Correcting mine",
            *END,
        ],
    ),
    "a published number": ("config/published/ramola2019.csv", appended("# a word more\n"), END),
    "a caption": (
        "config/captions/ramola2019.yaml",
        replaced("Figure 1 of the paper, exact", "Figure 1, exact"),
        END[:2],
    ),
    "how a figure is drawn": (
        "src/pumetrics_workflow/studies/ramola2019/figures.py",
        appended("\n_NEW = 1\n"),
        END[:2],
    ),
}


@contextlib.contextmanager
def changed(path, change):
    """Change a file of the project, and put it back at the end."""
    content, times = path.read_bytes(), (path.stat().st_atime, path.stat().st_mtime)
    try:
        change(path)
        yield
    finally:
        path.write_bytes(content)
        os.utime(path, times)


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_redoes_what_depends_on_it_and_nothing_else(finished, what):
    name, change, expected = CHANGES[what]
    # A comment in a module changes nothing; if it did, priors would be estimated again.
    module = finished.project / "src/pumetrics/priors/alphamax.py"
    comment = (
        contextlib.nullcontext()
        if name.endswith(".py")
        else changed(module, appended("\n# a word more\n"))
    )
    with comment, changed(finished.project / name, change):
        output = finished("ramola2019", "--dry-run")
    assert planned(output) == sorted(expected), output


def test_training_is_done_again_with_an_edited_kernel_and_gives_the_same_tables(fork, finished):
    before = {name: fork.path("scores", name).stat().st_mtime_ns for name in ("gaussians", "mine")}
    labelings = fork.path("labelings").stat().st_mtime_ns
    with changed(fork.project / KERNEL, appended("\n_NEW = 1\n")):
        said = fork(TABLES)
        # Simulations of exchanged classes train as well.
        assert planned(said) == sorted(
            ["Training gaussians mine", "Simulating", *AFTER_TRAINING[:2], END[2]]
        ), said
        assert "Nothing to be done" in fork(TABLES, "--dry-run")
    assert all(fork.path("scores", name).stat().st_mtime_ns > before[name] for name in before)
    assert fork.path("labelings").stat().st_mtime_ns == labelings, "labels do not depend on it"
    assert_same(fork, finished)


def planned(output):
    """Jobs that a dry-run lists: what each kind does, and to which data sets."""
    jobs = {}
    for message in re.findall(r"^Job \d+: (.+)$", output, flags=re.M):
        kind = re.match(
            r"Writing results\S+|Writing the tables|Drawing the figures|Estimating priors|\w+",
            message,
        )
        names = re.findall(r"\b(gaussians|mine)\b", message)
        jobs.setdefault(kind.group(), []).extend(names)
    return sorted(" ".join([kind, *sorted(names)]) for kind, names in jobs.items())


def assert_same(run, finished):
    ours, theirs = run.tables(), finished.tables()
    assert ours.keys() == theirs.keys()
    assert not [name for name in ours if ours[name] != theirs[name]]
