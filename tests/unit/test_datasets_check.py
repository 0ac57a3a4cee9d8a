"""What is said before and after a fetch: places of the registry, reports of fetches, the end of a run, its report."""

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run
from serving import GOOD, ZIP, entry, registry_of

from pumetrics_workflow.datasets import DataUnavailable, FetchReport, load_registry
from pumetrics_workflow.datasets.reports import (
    Request,
    next_request,
    skipped,
    write_report,
)

REGISTRY = Path(__file__).parents[2] / "config/datasets.yaml"
SETTINGS = {"mirror": None, "offline": False, "strict": False}


# Before


def test_a_verified_number_at_openml_has_what_its_copy_is_checked_with():
    for dataset in load_registry(REGISTRY).values():
        if dataset.openml.get("verified"):
            assert "levels" in dataset.content, dataset.name
            assert dataset.content.get("classes") or "classes" not in dataset.positive, dataset.name


def test_a_set_that_fails_is_named_and_the_others_are_fetched(server, tmp_path):
    server.routes[ZIP] = GOOD
    registry_of(tmp_path, lost=entry(server, url=f"{server.url}/lost.zip"), there=entry(server))
    command = [
        "datasets",
        "--registry",
        tmp_path / "registry.yaml",
        "fetch",
        "--folder",
        tmp_path / "raw",
    ]
    told = run(*command, "lost", "there")
    assert told.exit_code == 1
    assert "lost: no source gave its files" in told.output
    assert "there: from 127.0.0.1" in told.output
    assert (tmp_path / "raw/there/data.csv").exists()


# After

GONE = DataUnavailable("mine: no source gave its files (UCI: status 503)")
ALTERED = FetchReport({}, "UCI", [], False, "The files from UCI hold OTHER VALUES.")


def asked(folder, outcome, settings=SETTINGS):
    """Let a fetch answer its request; return that and the next request."""
    path = folder / "resources/raw/mine.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    request = next_request(path, settings)
    write_report(path, request, outcome)
    return request, next_request(path, settings)


def test_what_could_not_be_had_is_another_request_with_other_settings_alone(tmp_path):
    first, second = asked(tmp_path, GONE)
    assert second == first, "the rule fetch_again tries it: nothing behind the data is repeated"
    path = tmp_path / "resources/raw/mine.json"
    elsewhere = {**SETTINGS, "mirror": "elsewhere"}
    assert Request.after(path, SETTINGS).failed
    assert not Request.after(path, elsewhere).failed
    third, after = asked(tmp_path, FetchReport({}, "UCI"), elsewhere)
    assert third == after == {**elsewhere, "tries": 2}
    assert not Request.after(path, elsewhere).failed
    assert next_request(path, {**SETTINGS, "strict": True}) == third, (
        "what is known is not asked for again"
    )


def test_other_values_are_asked_for_again_when_the_settings_change(tmp_path):
    request, after = asked(tmp_path, ALTERED)
    assert after == request
    path = tmp_path / "resources/raw/mine.json"
    again = next_request(path, {**SETTINGS, "strict": True})
    assert again == {**SETTINGS, "strict": True, "tries": 2}
    path.write_text('{"available": fal')
    assert next_request(path, SETTINGS)["tries"] == 1


def test_the_end_of_a_run_lists_what_it_had_to_do_without(tmp_path):
    assert skipped(["mine"], folder=tmp_path) == []
    asked(tmp_path, GONE)
    assert skipped(["mine"], folder=tmp_path) == [f"not available: {GONE}"]
    assert skipped(["other"], folder=tmp_path) == []
    asked(tmp_path, ALTERED)
    assert skipped(["mine"], folder=tmp_path) == [
        "WARNING: mine: The files from UCI hold OTHER VALUES."
    ]
    asked(tmp_path, FetchReport({}, "UCI"))
    assert skipped(["mine"], folder=tmp_path) == []


def test_the_cache_sees_of_a_request_whether_the_known_data_are_there_and_nothing_else(
    tmp_path, monkeypatch
):
    here = {"mirror": "here", "tries": 1}
    there = {"mirror": "there", "tries": 2}
    known = [Request(content, {"available": True, "warning": ""}) for content in (here, there)]
    assert json.dumps(known[0]) == json.dumps(known[1])
    assert repr(known[0]) == repr(here) != repr(known[1]), (
        "Snakemake compares these to run the rule again"
    )
    assert pickle.loads(pickle.dumps(known[1])).content == there
    for report in ({}, {"available": False}, {"available": True, "warning": ALTERED.warning}):
        missing = json.dumps(Request(here, report))
        assert missing != json.dumps(known[0])
        monkeypatch.chdir(tmp_path)
        assert missing != json.dumps(Request(here, report)), "of another folder"
        monkeypatch.undo()


@pytest.mark.slow
def test_the_weekly_job_fetches_every_set():
    """Its three parts together list the downloads of the registry."""
    text = (REGISTRY.parents[1] / ".github/workflows/weekly.yml").read_text(encoding="utf-8")
    listing = re.search(r'-c "(.*)"\)', text).group(1)
    parts = []
    for part in "012":
        command = [sys.executable, "-c", listing.replace("$part", part)]
        parts += subprocess.check_output(command, cwd=REGISTRY.parents[1], text=True).split()
    assert sorted(parts) == sorted(load_registry(REGISTRY).of_kind("download"))
