import os
import subprocess
import sys

import pytest

ESTIMATE = """
import time, numpy as np
from pumetrics.priors import estimate_priors
rng = np.random.default_rng(0)
samples = rng.normal(1, size=300), rng.normal(np.repeat([1, -1], [300, 900]))
estimate_priors(*samples, method="{0}", random_state=0)
others = time.process_time() - time.thread_time()
estimate_priors(*samples, method="{0}", random_state=0)
print(time.process_time() - time.thread_time() - others)
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["consensus", "pearson"])
def test_estimators_use_one_thread(method):
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-c", ESTIMATE.format(method)]
    others = float(subprocess.check_output(command, env=environment, text=True))
    assert others < 0.005


def test_limit_ends_with_the_last_caller():
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    from pumetrics.threads import one_blas_thread

    libraries = ThreadpoolController().select(user_api="blas")

    def numbers():
        return {each["num_threads"] for each in libraries.info()}

    with libraries.limit(limits=2):
        before = numbers()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        inside = numbers()
        second.__exit__(None, None, None)
        assert numbers() == before == {2}
        assert inside == {1}
