"""What the Snakemake workflow needs beside the mathematics: config, plan, jobs, provenance, report."""
