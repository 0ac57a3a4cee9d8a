"""Measure ours and a peer in turn, in one process on one thread, and hold the result against a bar."""

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Options", "Point", "Row", "cpu_medians", "peak_memory", "ratio_row", "sgemm_peak"]


@dataclass(frozen=True)
class Options:
    """What the command line asks for.

    Attributes
    ----------
    repeats : int
        Timings per candidate, at least 5 for a result to be quoted; the median counts.
    curves : bool
        Also measure how cost grows, for the figure.
    log : callable
        Called with a line of progress.
    """

    repeats: int = 5
    curves: bool = True
    log: Callable[[str], None] = print


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    area, case : str
        What is measured ("trainer") and on what ("big 11,000 x 54, equal epochs").
    ours, peer : str
        Names of the two candidates; `peer` is empty for a share or a size.
    ours_seconds, peer_seconds : float or None
        Median CPU seconds.
    value : float
        What is held against the bar: ratio of peer to ours, share in percent, or megabytes.
    unit : str
        "x", "%" or "MB".
    bar : float or None
        None if the number is only reported.
    at_most : bool
        True if `value` must not exceed the bar (memory); else it must reach it.
    note : str
        What a reader must know to interpret the number; why a bar is missed.
    """

    area: str
    case: str
    ours: str
    value: float
    unit: str = "x"
    peer: str = ""
    ours_seconds: float | None = None
    peer_seconds: float | None = None
    bar: float | None = None
    at_most: bool = False
    note: str = ""

    @property
    def met(self):
        """Whether the bar is met; None without one."""
        if self.bar is None:
            return None
        return self.value <= self.bar if self.at_most else self.value >= self.bar


@dataclass(frozen=True)
class Point:
    """One point of the figure: CPU seconds of `series` at `x` in the panel `panel` (axis label `x_label`)."""

    panel: str
    x_label: str
    x: float
    series: str
    seconds: float


def cpu_medians(candidates, *, repeats, warm_up=True):
    """Median CPU seconds of each candidate, run in turn so that a noisy minute hits all of them alike.

    Parameters
    ----------
    candidates : dict of str to callable
        Called without arguments. What they compute is thrown away: check it in a test.
    repeats : int
    warm_up : bool
        Run each once first, untimed (imports, compilation, caches).

    Returns
    -------
    dict of str to float
        Median CPU seconds of this thread's process, not wall time: a busy machine does not change them much.
    """
    times = {name: [] for name in candidates}
    if warm_up:
        for candidate in candidates.values():
            candidate()
    for _ in range(repeats):
        for name, candidate in candidates.items():
            gc.collect()
            start = time.process_time()
            candidate()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def ratio_row(area, case, *, ours, peer, repeats, scale=1, bar=None, note=""):
    """Row of `peer` against `ours`, each a (name, callable) pair; a peer that does a part counts `scale` times."""
    seconds = cpu_medians({"ours": ours[1], "peer": peer[1]}, repeats=repeats)
    peer_seconds = scale * seconds["peer"]
    return Row(
        area=area,
        case=case,
        ours=ours[0],
        peer=peer[0],
        ours_seconds=seconds["ours"],
        peer_seconds=peer_seconds,
        value=peer_seconds / seconds["ours"],
        bar=bar,
        note=note,
    )


def sgemm_peak(*, repeats, size=2048):
    """Flop per second of one thread in numpy's single precision product of two size x size matrices."""
    import numpy as np

    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    out = np.empty_like(a)
    seconds = cpu_medians({"sgemm": lambda: np.matmul(a, b, out=out)}, repeats=repeats)["sgemm"]
    return 2 * size**3 / seconds


def peak_memory(function):
    """Megabytes (1e6 bytes) that `function` holds at its peak above what was there before; numpy arrays count."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        function()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (peak - before) / 1e6
