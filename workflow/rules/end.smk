# What a run says at its start, and a dry-run at its end: the time that its studies take. And what a run reports at its end: data
# sets that were unavailable or altered.

from pumetrics_workflow.datasets.reports import skipped
from pumetrics_workflow.job import killed


def say_plan():
    """Print the scale and the planned times of the studies whose tables a run makes."""
    jobs = workflow.dag.needrun_jobs(exclude_finished=False)
    if planned := {
        job.wildcards.study for job in jobs if job.rule.name.startswith("summarize_")
    }:
        print(PLAN.describe(planned), file=sys.stderr)


FOLDER = Path.cwd()  # of the run; at the exit it is that of the call
SUCCEEDED = []  # not empty after a run that did


def say_reports(jobs):
    """Print where the report of a run is: of all studies, or else of each."""
    pages_of = {
        name: [job.output.page for job in jobs if job.rule.name == name]
        for name in ("report_all", "report_study")
    }
    for page in pages_of["report_all"] or sorted(pages_of["report_study"]):
        print(f"report: {FOLDER / page}", file=sys.stderr)


@atexit.register
def say_what_snakemake_does_not():
    """Print last the plan of a dry-run or the report's path, and for a misspelled target the nearest study or rule."""
    if workflow.dryrun and workflow.dag:
        say_plan()
    elif workflow.dag is not None and not workflow.dryrun:
        nothing_to_do = not len(workflow.dag)
        if SUCCEEDED or nothing_to_do:
            say_reports(workflow.dag.jobs)
    names = [rule.name for rule in workflow.rules]
    for target in workflow.dag_settings.targets if workflow.dag_settings else ():
        if target.isidentifier() and target not in names:
            print(
                f"there is no target {target!r}{nearest(target, names)}",
                file=sys.stderr,
            )


def unfinished_logs():
    """Logs of the jobs that a run has left to do."""
    jobs = workflow.dag.needrun_jobs(exclude_finished=True)
    return [log for job in jobs for log in job.log]


def end_of_run(jobs):
    """List the unavailable and altered data sets of a run; return whether `strict` makes that a failure."""
    names = {
        job.wildcards.dataset
        for job in jobs
        if job.rule.name in ("fetch", "fetch_again")
    }
    lines = skipped(names)
    for line in lines:
        print(line, file=sys.stderr)
    if lines:
        print(
            f"data sets unavailable or altered in this run: {len(lines)}",
            file=sys.stderr,
        )
    return bool(lines) and config["strict"]


onsuccess:
    if end_of_run(workflow.dag.jobs):
        raise WorkflowError("strict: this run lacks some of its data")
    SUCCEEDED.append(True)


onerror:
    for line in killed(unfinished_logs(), STARTED / 1e9):
        print(line, file=sys.stderr)
    end_of_run(workflow.dag.jobs)
