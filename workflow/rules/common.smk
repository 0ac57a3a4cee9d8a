import atexit
import sys
import time
from pathlib import Path

from snakemake.logging import logger

if any(character.isspace() for character in sys.executable):
    sys.exit(
        f"{sys.executable}: Snakemake cannot run jobs by a Python whose path has a space: rename or move the folder, "
        "delete .venv and set it up again"
    )
try:
    from pumetrics_workflow.code import Sources, git_state
    from pumetrics_workflow.job import set_environment
except ModuleNotFoundError as error:
    sys.exit(
        f"The environment of this Snakemake, {sys.prefix}, has no {error.name}. In the folder of the clone, type: "
        "make .venv/ready && . .venv/bin/activate"
    )

# Not `workflow.basedir`: where another workflow uses this one as a module, that is the folder of the other.
HOME = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
if not HOME.is_dir():
    sys.exit(f"{HOME}: pumetrics runs from a clone only, see docs/reuse.md")
set_environment(HOME, git_state())  # before numpy is imported anywhere

# Lines that say nothing of a run's progress, two of them for each job. No value of `quiet` leaves them out.
CHATTER = (
    "Select jobs to execute...",
    "Execute ",
    "Workflow defines that rule ",
    "Singularity containers: ignored",
)
logger.addFilter(lambda record: not str(record.msg).startswith(CHATTER))

from pumetrics_workflow.config import check, load_yaml, nearest
from pumetrics_workflow.datasets import load_registry
from pumetrics_workflow.plan import Plan, chunk_repeats, link_to
from pumetrics_workflow.studies import files_of

CODE = Sources(memory=".snakemake/pumetrics/code.json")
atexit.register(CODE.save)  # after a dry-run too, which reads all files for a second

try:
    config = check(
        config, load_yaml(HOME / "workflow/schemas/config.schema.yaml"), "config"
    )
    REGISTRIES = [  # relative in a run's own folder, so that moving it as a whole computes nothing again
        str(HOME / "config/datasets.yaml").removeprefix(f"{Path.cwd()}/"),
        *filter(None, [config["registry"]]),
    ]
    REGISTRY = load_registry(*REGISTRIES)
    OWN = load_yaml(config["registry"]) if config["registry"] else {}
    PLAN = Plan.load(
        config,
        folder=HOME / "config/studies",
        schema=load_yaml(HOME / "workflow/schemas/study.schema.yaml"),
        registry=REGISTRY,
    )
except ValueError as error:
    sys.exit(str(error))

SCALE, STARTED = config["scale"], time.time_ns()
AVAILABLE = [name for name in REGISTRY if REGISTRY[name].kind != "unavailable"]


# The image of the Dockerfile, for the record. Jobs run in the environment of Snakemake: this file imports the project.
container: "docker-daemon:pumetrics:latest"


wildcard_constraints:
    study="|".join(PLAN.studies),
    dataset="|".join(REGISTRY),
    chunk=r"\d+-\d+",


def studies_that(keep_scores):
    """Pattern of the studies that write their scores down, or of those that evaluate them in memory."""
    names = [
        name for name, study in PLAN.studies.items() if study.keep_scores == keep_scores
    ]
    return "|".join(names) or "(?!)"


def stage(kind, rest):
    """Path of a table of one kind, for example `stage("scores", "{dataset}/{model}/{chunk}.parquet")`."""
    return f"results/{SCALE}/{{study}}/{kind}/{rest}"


def logfile(*parts):
    """Path of a job's log, which begins with its rule and mirrors the path of its output."""
    return f"logs/{SCALE}/{{study}}/{Path(*parts)}.log"


def code_of(script, *methods):
    """Param that is the hash of the code behind a script, so that editing the library reruns what depends on it.

    `methods` are those of the class of the study that the script calls.
    """
    start = HOME / "workflow/scripts" / f"{script}.py"
    if not methods:
        return lambda wildcards: CODE.code_hash(start)
    return lambda wildcards: CODE.code_hash(
        start, *files_of(wildcards.study, methods), methods=methods
    )


def of_study(attribute):
    """Param that is an attribute of the job's study."""
    return lambda wildcards: getattr(PLAN.studies[wildcards.study], attribute)


def captions_of(wildcards):
    """Param that holds the captions of the figures of the job's study."""
    return PLAN.studies[wildcards.study].captions["figures"]


def evaluated_in_memory(wildcards):
    """Param that says what of a study is evaluated in memory."""
    study = PLAN.studies[wildcards.study]
    return {
        key: getattr(study, key)
        for key in ("labeling", "priors", "metrics", "evaluation")
    }


def repeats(wildcards):
    """Param that lists the repeats of a job's chunk."""
    return list(chunk_repeats(wildcards.chunk))


def more(amount):
    """Resource for a cluster: an amount with a margin above what was measured, and as much again for each retry."""
    return lambda wildcards, attempt: amount * attempt


def by_input(least, per_mb):
    """Memory in MB for a cluster: so much for each MB that is read, at least `least`, and as much again for each retry."""
    return lambda wildcards, input, attempt: attempt * max(
        least, int(per_mb * input.size_mb)
    )


def entry_of(wildcards):
    """Registry entry as text: what changes it changes the data."""
    return str(REGISTRY[wildcards.dataset])


def reported(wildcards):
    """Names of the studies that a report is about: one, or all."""
    return [wildcards.study] if "study" in wildcards.keys() else list(PLAN.studies)


def settings_of_reported(wildcards):
    """Param that holds the studies of a report as plain values."""
    return {name: vars(PLAN.studies[name]) for name in reported(wildcards)}


def left_out_of_reported(wildcards):
    """Param that lists what a report's studies do without, with the reasons."""
    names = reported(wildcards)
    return [list(entry) for entry in PLAN.left_out if entry[0] in names]
