# What a run reports at its end: data sets that were unavailable or altered.

from pumetrics_workflow.datasets.fetch import skipped


def end_of_run(jobs):
    """List the unavailable and altered data sets of a run; return whether `strict` makes that a failure."""
    names = {job.wildcards.dataset for job in jobs if job.rule.name == "fetch"}
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
    end_of_run(workflow.dag.jobs)
