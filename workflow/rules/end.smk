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


@atexit.register
def say_what_snakemake_does_not():
    """Print the plan of a dry-run, which has no `onstart`, and for a misspelled target the nearest study or rule."""
    if workflow.dryrun and workflow.dag:
        say_plan()
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


onerror:
    for line in killed(unfinished_logs(), STARTED / 1e9):
        print(line, file=sys.stderr)
    end_of_run(workflow.dag.jobs)
