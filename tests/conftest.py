"""One thread, as in the workflow's jobs, and the same cases in every run, so that a run tells the same everywhere.

`HYPOTHESIS_PROFILE=search pytest` draws new cases each time, and more: what to do after a change of mathematics.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"  # before numpy is imported: small matrices and a busy machine make more threads slower

import sys

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(autouse=True)
def _figures_closed():
    """Leave no figure open, so that a test does not see those of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
