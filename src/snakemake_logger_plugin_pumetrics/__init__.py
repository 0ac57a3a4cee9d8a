"""Progress for Snakemake runs of the project: what is done, what remains, and how long it will take."""
