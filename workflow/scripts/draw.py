"""Draw the figures of a study from its tables."""

from pumetrics_workflow.job import run
from pumetrics_workflow.studies.drawing import draw

if "snakemake" in globals():
    run(draw, snakemake)
