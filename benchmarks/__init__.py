"""Benchmarks that compare the library with its alternatives; `python -m benchmarks` runs them all."""

import os

# One thread each, set before numpy is imported: two busy processes with two BLAS threads run ten times slower.
for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
