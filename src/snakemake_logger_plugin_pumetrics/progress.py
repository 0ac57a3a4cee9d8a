"""Progress of a run and the time left, from the jobs that are done."""

import time
from collections import Counter, defaultdict

__all__ = ["Progress", "clock"]


class Progress:
    """Jobs done and to do, by rule.

    Parameters
    ----------
    to_do : Counter, optional
        Number of jobs of each rule.
    """

    def __init__(self, to_do=None):
        self.to_do, self.failed = Counter(to_do or {}), Counter()
        self.total, self.done = sum(self.to_do.values()), 0
        self._seconds = defaultdict(list)
        self._start = time.monotonic()

    def finish(self, rule, seconds):
        """Count a job of `rule` that took `seconds`."""
        self.done += 1
        self.to_do[rule] -= 1
        self._seconds[rule].append(seconds)

    def fail(self, rule):
        """Count a job of `rule` that failed: it is no longer to do."""
        self.failed[rule] += 1
        self.to_do[rule] -= 1

    def retry(self, rule):
        """Count a failed job of `rule` that is tried once more."""
        self.failed[rule] -= 1
        self.to_do[rule] += 1

    def remaining(self, elapsed, running=()):
        """Seconds that are left, or None before there is anything to go by.

        Each job to do is taken to last as long as those of its rule did on average. Where none of its rule is done, as
        long as all jobs did, or twice as long as one of its rule has been running, if that is more. As many jobs run at
        a time as did so far.

        Parameters
        ----------
        elapsed : float
            Seconds since the run began.
        running : iterable of (rule, seconds)
            Jobs under way and for how long: that much of them is done.
        """
        every = [seconds for taken in self._seconds.values() for seconds in taken]
        if not every or not elapsed:
            return None
        running = list(running)
        expected = {rule: self._expected(rule, every, running) for rule in self.to_do}
        work = sum(count * expected[rule] for rule, count in self.to_do.items() if count > 0)
        work -= sum(min(seconds, expected.get(rule, 0.0)) for rule, seconds in running)
        at_a_time = max(1.0, (sum(every) + sum(seconds for _, seconds in running)) / elapsed)
        return max(0.0, work) / at_a_time

    def _expected(self, rule, every, running):
        """Seconds that a job of `rule` is taken to last."""
        if taken := self._seconds.get(rule):
            return sum(taken) / len(taken)
        return max([sum(every) / len(every), *(2 * seconds for other, seconds in running if other == rule)])

    def line(self, running=()):
        """Return the progress, for example ``[ 3/20 jobs, 0:12, about 1:05 left]``."""
        elapsed = time.monotonic() - self._start
        left = self.remaining(elapsed, running)
        ahead = f", about {clock(left)} left" if left is not None and self.done < self.total else ""
        width = len(str(self.total))
        return f"[{self.done:>{width}}/{self.total} jobs, {clock(elapsed)}{ahead}]"


def clock(seconds):
    """Write seconds as minutes and seconds, or as hours.

    Examples
    --------
    >>> clock(65), clock(3725)
    ('1:05', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
