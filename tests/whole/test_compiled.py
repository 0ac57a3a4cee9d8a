"""Without numba every compiled path gives the same results by numpy, and nothing imports numba."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pumetrics.compiled import can_compile
from pumetrics_workflow.models.encoding import MixedTable
from pumetrics_workflow.models.ensemble import BaggedMLPClassifier
from pumetrics_workflow.models.neighbors import nearest_neighbors
from pumetrics_workflow.models.registry import out_of_sample_scores


def answers():
    """What every compiled path makes of small data."""
    from pumetrics.bounds.hypergeometric import positives_at_top
    from pumetrics.inference import inversions
    from pumetrics.inference.merging import count
    from pumetrics.priors import estimate_shares
    from pumetrics_workflow.models.c45 import c45
    from pumetrics_workflow.studies.claesen2015.rankings import band_coverage

    rng = np.random.default_rng(0)
    results = {"positives_at_top": np.stack(positives_at_top(30, 100, 0.95, True))}
    seen = np.arange(31) / 30
    everywhere, results["pointwise"] = band_coverage(
        30, 70, np.clip(seen - 0.2, 0, 1), np.clip(seen + 0.2, 0, 1)
    )
    results["coverage"] = np.array([everywhere])
    for n in (1, 2, 7, 64, 301):
        tied = rng.integers(0, max(n // 3, 2), (2, 4, n)).astype(float)
        results[f"inversions of {n}"] = count(tied[0], tied[1])
    results["inversions"] = np.array([inversions(rng.random(500), rng.random(500))])
    labeled = rng.normal(1, size=100)
    unlabeled = rng.normal(size=400)
    results["km"] = [
        estimate_shares(labeled, unlabeled, method=name)[0].value for name in ("km1", "km2")
    ]

    X = pd.DataFrame(
        {
            "a": rng.random(60),
            "b": rng.random(60).round(1),
            "c": rng.integers(0, 4, 60).astype(float),
        }
    )
    X["d"] = pd.Categorical(rng.choice(list("xyz"), 60))
    for name in X:
        X.loc[rng.random(60) < 0.1, name] = None
    y = rng.integers(0, 2, (3, 60), dtype=np.uint8)
    table = MixedTable(X)
    folds = np.arange(60) % 3
    removed = np.array([-1, 1, -1])
    results["c45"] = c45(table, y, folds, removed, np.random.default_rng(1))
    return results


@pytest.mark.skipif(not can_compile(), reason="numba is not installed, or is switched off")
def test_results_are_equal_with_and_without_numba(tmp_path):
    code = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["numba"] = None
import numpy as np
from test_compiled import answers
np.savez(sys.argv[2], **answers())
"""
    arguments = [os.path.dirname(__file__), str(tmp_path / "plain.npz")]
    subprocess.run([sys.executable, "-c", code, *arguments], check=True)
    with np.load(tmp_path / "plain.npz") as plain:
        for name, expected in answers().items():
            np.testing.assert_allclose(plain[name], expected, rtol=1e-12, err_msg=name)


LOOP = """
import sys, time
from pathlib import Path
from pumetrics.compiled import compiled

@compiled
def ascending(values):
    return sorted([value for value in values])

if __name__ == "__main__":
    import numpy as np
    Path(sys.argv[1]).touch()
    while not Path(sys.argv[2]).exists():
        time.sleep(0.001)
    ascending(np.arange(3.0))
    print(sum(ascending.stats.cache_misses.values()))
"""


@pytest.mark.skipif(
    not can_compile() or sys.platform == "win32", reason="nothing is compiled, or nothing locked"
)
def test_two_processes_compile_a_loop_once(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "loop.py")]
    ready = [str(tmp_path / name) for name in "ab"]
    both = [
        subprocess.Popen([*command, *names], stdout=subprocess.PIPE, text=True)
        for names in (ready, ready[::-1])
    ]
    assert sum(int(process.communicate()[0]) for process in both) == 1


def test_a_variable_switches_compilation_off():
    code = "from pumetrics.compiled import compiled; sys.exit(compiled(len) is not len or 'numba' in sys.modules)"
    subprocess.run(
        [sys.executable, "-c", f"import sys; {code}"],
        env={**os.environ, "PUMETRICS_COMPILE": "0"},
        check=True,
    )


@pytest.mark.parametrize(
    "score",
    [
        lambda X, y: BaggedMLPClassifier(2).fit(X, y),
        lambda X, y: out_of_sample_scores(X, y, np.arange(8) % 2, model="mlp"),
        lambda X, y: nearest_neighbors(
            MixedTable(X), y[None], np.arange(8) % 2, np.array([-1]), None
        ),
    ],
)
def test_what_is_only_compiled_says_what_to_install(monkeypatch, score):
    monkeypatch.setitem(sys.modules, "numba", None)
    X = pd.DataFrame({"x": np.arange(8.0)})
    y = np.arange(8) // 2 % 2
    with pytest.raises(
        ImportError, match=r"needs numba, which is not installed: pip install 'pumetrics\[fast\]'"
    ):
        score(X, y)
