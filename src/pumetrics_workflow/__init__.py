"""Support of the Snakemake workflow: config, plan, jobs, provenance, report."""
