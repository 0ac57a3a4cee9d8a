"""Hypothesis draws the same cases in every run, so that a run tells the same everywhere.

`HYPOTHESIS_PROFILE=search pytest` draws new ones each time, and more of them: what to do after a change of mathematics.
"""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
