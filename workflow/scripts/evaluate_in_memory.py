"""Label, train, estimate priors and evaluate in memory; scores, which would fill a disk, are not kept."""

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.job import run
from pumetrics_workflow.stages import in_memory as stage
from pumetrics_workflow.stages.label import Data, Seeds
from pumetrics_workflow.tables import available, read_prepared


def evaluate_in_memory(
    prepared: str,
    answers: str,
    plan: dict,
    options: dict,
    repeats: list[int],
    seed: int,
    numbers: str,
    study: str,
    dataset: str,
    model: str,
) -> None:
    """Write the records and statistics of every labeling of a chunk of repeats; none if the data are not available."""
    rows = []
    if available(prepared):
        data = Data(read_prepared(prepared), Seeds(seed, numbers, dataset))
        rows = stage.evaluate_in_memory(data, model=model, options=options, repeats=repeats, **plan)
        rows = rows.assign(study=study, dataset=dataset)
    write_answers(rows, answers, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(evaluate_in_memory, snakemake)
