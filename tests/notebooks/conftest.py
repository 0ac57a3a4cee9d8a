"""The results that notebooks read."""

import pytest
from quick_results import quick_results


@pytest.fixture(scope="session")
def results():
    """Return the folder of a finished quick run."""
    return quick_results()
