"""Make the data sets that need no file: generated, or bundled with a library."""

from pumetrics_workflow.datasets import load_registry, prepare
from pumetrics_workflow.job import run
from pumetrics_workflow.tables import write_prepared


def prepare_bundled(registries: list, entries: dict, seed: int, prepared: list, cards: list) -> None:
    """Write the prepared data and the card of each entry, in their order."""
    registry = load_registry(*registries)
    for name, path, card in zip(entries, prepared, cards, strict=True):
        frame, facts = prepare(registry[name], seed=seed)
        write_prepared(frame, facts, path, card)


if "snakemake" in globals():
    run(prepare_bundled, snakemake)
