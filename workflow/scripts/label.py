"""Draw the labelings of a data set for a chunk of repeats."""

import pandas as pd

from pumetrics.schemes import SCHEMES
from pumetrics_workflow.job import run
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.tables import available, empty, read_prepared, write


def label(prepared: str, labelings: str, scheme: dict, repeats: list[int], seed: int, study: str, dataset: str) -> None:
    """Write one row per example, labeling and repeat."""
    frame = read_prepared(prepared)
    options = {key: value for key, value in scheme.items() if key != "scheme"}
    chosen = SCHEMES[scheme["scheme"]]
    drawn = [
        (name, repeat, *chosen.draw(frame, name, rng_for(seed, study, dataset, name, repeat), **options))
        for name in chosen.names(**options)
        for repeat in repeats
        if available(prepared)
    ]
    y = frame["y"].to_numpy()
    tables = [
        pd.DataFrame({"labeling": name, "repeat": repeat, "row": rows, "s": s, "y": y[rows]})
        for name, repeat, rows, s in drawn
    ]
    table = pd.concat(tables) if tables else empty("labelings")
    write("labelings", table, labelings, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(label, snakemake)
