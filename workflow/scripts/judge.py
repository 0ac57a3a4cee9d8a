"""Label, train and evaluate in memory, where the scores of a study would fill a disk; only records and statistics are kept."""

from pumetrics_workflow.job import run
from pumetrics_workflow.studies import load
from pumetrics_workflow.tables import available, read_prepared, write_answers


def judge(
    prepared: str,
    records_path: str,
    statistics_path: str,
    scheme: dict,
    options: dict,
    repeats: list[int],
    seed: int,
    study: str,
    dataset: str,
) -> None:
    """Write the records and statistics of every labeling of a chunk of repeats; none if the data are not available."""
    rows = []
    if available(prepared):
        module, frame = load(study, "in_memory"), read_prepared(prepared)
        rows = module.judge(frame, dataset=dataset, labeling=scheme, options=options, repeats=repeats, seed=seed)
        rows = rows.assign(study=study, dataset=dataset)
    write_answers(rows, records_path, statistics_path, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(judge, snakemake)
