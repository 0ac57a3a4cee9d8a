# What a run says at its end of the data that it had to do without.

from pumetrics_workflow.datasets.reports import skipped


def end_of_run(jobs):
    """Say which data the jobs of a run had to do without; with `strict` that makes the run a failure."""
    names = {job.wildcards.dataset for job in jobs if job.rule.name == "fetch"}
    lines = skipped(names)
    for line in lines:
        print(line, file=sys.stderr)
    if lines:
        print(
            f"data sets that this run lacks or found altered: {len(lines)}",
            file=sys.stderr,
        )
    return bool(lines) and config["strict"]


onsuccess:
    if end_of_run(workflow.dag.jobs):
        raise WorkflowError("strict: a run without all of its data is a failure")


onerror:
    end_of_run(workflow.dag.jobs)
