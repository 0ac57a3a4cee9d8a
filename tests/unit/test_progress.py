"""The time left that the terminal shows."""

import pytest

from snakemake_logger_plugin_pumetrics import Progress, clock


def progress(counts, *jobs):
    """A run that began at time 0, of jobs (rule, start, end, whether it is done); without an end a job runs."""
    run = Progress(counts, start=0.0)
    for number, (rule, start, end, done) in enumerate(jobs):
        if end is None:
            run.running[number] = rule, rule, start
        elif done:
            run.taken[rule].append(end - start)
        else:
            run.failed[number] = rule
    return run


def test_the_time_left_counts_what_running_jobs_have_behind_them():
    twice = [("train", 0, 10, True), ("train", 10, 20, True)]
    # two jobs of 10 s are left, one at a time; one of them has 5 s behind it
    assert progress({"train": 4}, *twice, ("train", 20, None, False)).remaining(25) == pytest.approx(15)
    one_failed = progress({"train": 4}, *twice, ("train", 20, 20, False), ("train", 20, None, False))
    assert one_failed.remaining(25) == pytest.approx(5)
    assert progress({"train": 4}).remaining(25) is None
    # 2 training jobs of 10 s and a report as long as the average, two at a time
    both = progress({"train": 4, "report": 1}, ("train", 0, 10, True), ("train", 0, 10, True))
    assert both.remaining(10) == pytest.approx(15)


def test_a_kind_of_job_that_none_has_finished_is_estimated_by_how_long_one_is_under_way():
    run = progress({"fetch": 2, "train": 1}, ("fetch", 0, 1, True), ("fetch", 1, 2, True), ("train", 2, None, False))
    assert run.remaining(42) == pytest.approx(40)


def test_a_job_that_is_tried_again_is_not_failed():
    run = progress({"train": 1})
    for _ in range(2):
        run.begin(1, "train", "Training")
        run.end(1, failed=True)
    run.begin(1, "train", "Training")
    assert (run.failed, run.end(1)[0]) == ({}, "Training")


def test_seconds_are_written_as_on_a_clock():
    assert [clock(seconds) for seconds in (0, 59.6, 65, 3725)] == ["0:00", "1:00", "1:05", "1:02:05"]
