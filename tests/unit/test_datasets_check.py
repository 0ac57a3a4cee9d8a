"""What is said before and after a fetch: places of the registry, reports of fetches, the end of a run, its report."""

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import yaml
from commands import run
from serving import GOOD, ZIP, entry, registry_of

from pumetrics_workflow.datasets import DataUnavailable, FetchReport, load_registry, prepare
from pumetrics_workflow.datasets.fetch import (
    Request,
    next_request,
    read_report,
    skipped,
    write_report,
)
from pumetrics_workflow.report import StudySection, render_overview

REGISTRY = Path(__file__).parents[2] / "config/datasets.yaml"
SETTINGS = {"mirror": None, "offline": False, "strict": False}


# Before


def test_a_verified_number_at_openml_has_what_its_copy_is_checked_with():
    for dataset in load_registry(REGISTRY).values():
        if dataset.openml.get("verified"):
            assert "levels" in dataset.content, dataset.name
            assert dataset.content.get("classes") or "classes" not in dataset.positive, dataset.name


def test_numbers_that_cannot_pass_are_gone():
    registry = load_registry(REGISTRY)
    assert not any(registry[name].openml for name in ("landsat", "thyroid", "heart_c"))
    assert registry["horse_colic"].openml["id"] == 27


def test_every_download_but_withdrawn_ones_has_more_than_one_place():
    single = {
        dataset.name
        for dataset in load_registry(REGISTRY).values()
        if dataset.kind == "download"
        if len(dataset.locations()) + bool(dataset.openml.get("verified")) < 2
    }
    assert single == {"covertype_subset", "splice_1000", "svmguide1"}


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
    path, elsewhere = tmp_path / "resources/raw/mine.json", {**SETTINGS, "mirror": "elsewhere"}
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
    again = next_request(tmp_path / "resources/raw/mine.json", {**SETTINGS, "strict": True})
    assert again == {**SETTINGS, "strict": True, "tries": 2}


def test_a_damaged_report_is_no_report(tmp_path):
    (tmp_path / "mine.json").write_text('{"available": fal')
    assert read_report(tmp_path / "mine.json") == {}
    assert next_request(tmp_path / "mine.json", SETTINGS)["tries"] == 1


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
    here, there = {"mirror": "here", "tries": 1}, {"mirror": "there", "tries": 2}
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


def test_the_report_names_what_is_missing_and_what_is_altered(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/published.csv").write_text(
        "id,kind,quantity,published,compare,source,reproduced,low,high,verdict,note,basis\n"
    )
    cards = {
        "gone": {"name": "gone", "available": False, "reason": str(GONE)},
        "odd": {
            **prepare(load_registry(REGISTRY)["iris_bundled"])[1],
            "available": True,
            "warning": ALTERED.warning,
        },
    }
    study = SimpleNamespace(
        name="s",
        kind="paper",
        title="S",
        claim="c",
        citation="t",
        repeats=1,
        datasets=["gone", "odd"],
        captions={"figures": {}, "tables": {}},
    )
    section = StudySection(study, tmp_path, cards)
    overview = render_overview([section], {"scale": "quick", "seed": 1, "finished": "now"}, [])
    assert "What this run lacks" in overview
    assert "<b>gone</b> is not available" in overview
    assert "status 503" in overview
    assert "has other values than the known ones" in overview
    assert "hold OTHER VALUES" in overview


def test_the_weekly_job_runs_commands_that_exist():
    job = yaml.safe_load(
        (REGISTRY.parents[1] / ".github/workflows/weekly.yml").read_text(encoding="utf-8")
    )
    schedule = job[True]["schedule"][0]["cron"].split()  # YAML reads the key "on" as true
    assert schedule[2:4] == ["*", "*"]
    assert schedule[4].isdigit(), "on one day of the week"
    commands = [step.get("run", "") for part in job["jobs"].values() for step in part["steps"]]
    (fetching,) = [command for command in commands if "datasets fetch" in command]
    assert "--strict" in fetching
    listing = re.search(r'-c "(.*)"\)', fetching).group(1)
    parts = [
        subprocess.check_output(
            [sys.executable, "-c", listing.replace("$part", part)], cwd=REGISTRY.parents[1]
        )
        for part in "012"
    ]
    assert sorted(b" ".join(parts).decode().split()) == sorted(
        load_registry(REGISTRY).of_kind("download")
    )
