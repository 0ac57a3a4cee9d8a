"""What is said before and after a fetch: the check of all sets, reports of fetches, the end of a run, its report."""

import json
import pickle
from pathlib import Path
from types import SimpleNamespace

import yaml
from commands import answered, run
from serving import GOOD, ZIP, entry, registry_of

from pumetrics_workflow.cli.datasets import check_rows
from pumetrics_workflow.datasets import DataUnavailable, FetchReport, fetch, load_registry, prepare
from pumetrics_workflow.datasets.fetch import Request, next_request, read_report, skipped, write_report
from pumetrics_workflow.report import StudySection, render_overview

REGISTRY = Path(__file__).parents[2] / "config/datasets.yaml"
SETTINGS = {"mirror": None, "offline": False, "strict": False}


# Before


def test_every_set_is_in_the_check_with_source_and_licence():
    registry = load_registry(REGISTRY)
    rows = {row["name"]: row for row in check_rows(registry)}
    assert list(rows) == list(registry)
    for name, row in rows.items():
        assert (row["would come from"] == "nowhere") == (registry[name].kind == "unavailable")
        assert row["checked by"]
        assert row["licence"] or registry[name].kind != "download"
    assert rows["iris"]["would come from"] == "UCI, OpenML"
    assert rows["pima"]["would come from"] == "a copy, OpenML"
    assert rows["claesen_sensit_scores"]["would come from"] == "raw.githubusercontent.com, a copy"
    assert rows["hapt"]["checked by"] == "counts"


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


def test_the_check_says_what_is_here_and_what_vouched_for_it(server, tmp_path):
    server.routes[ZIP] = GOOD
    registry = registry_of(tmp_path, example=entry(server))
    (before,) = check_rows(registry, folder=tmp_path / "raw")
    fetch(registry["example"], tmp_path / "raw/example")
    (after,) = check_rows(registry, folder=tmp_path / "raw")
    assert (before["here"], after["here"]) == ("no", f"known bytes, from {server.url[7:]}")
    assert after["checked by"] == "hash, counts"


def test_the_command_checks_without_a_connection(server, tmp_path):
    registry_of(tmp_path, example=entry(server))
    command = ["datasets", "--registry", tmp_path / "registry.yaml", "--folder", tmp_path, "--check"]
    assert "hash, counts" in " ".join(answered(run(*command)).split())
    assert not server.hits


def test_a_set_that_fails_is_named_and_the_others_are_fetched(server, tmp_path):
    server.routes[ZIP] = GOOD
    registry_of(tmp_path, lost=entry(server, url=f"{server.url}/lost.zip"), there=entry(server))
    command = ["datasets", "--registry", tmp_path / "registry.yaml", "fetch", "--folder", tmp_path / "raw"]
    told = run(*command, "lost", "there")
    assert told.exit_code == 1
    assert "lost: no source gave its files" in told.output
    assert "there: from 127.0.0.1" in told.output
    assert (tmp_path / "raw/there/data.csv").exists()


# After

GONE = DataUnavailable("mine: no source gave its files (UCI: status 503)")
ALTERED = FetchReport({}, "UCI", [], "different", "The files from UCI hold OTHER VALUES.")


def asked(folder, outcome, settings=SETTINGS):
    """Let a fetch answer its request; return that and the next request."""
    path = folder / "resources/raw/mine.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    request = next_request(path, settings)
    write_report(path, request, outcome)
    return request, next_request(path, settings)


def test_what_could_not_be_had_is_asked_for_again_until_it_is_there(tmp_path):
    first, second = asked(tmp_path, GONE)
    assert (first["tries"], second["tries"]) == (1, 2)
    assert asked(tmp_path, GONE)[0] == second
    third, after = asked(tmp_path, FetchReport({}, "UCI"))
    assert third["tries"] == 3
    assert after == third, "an answer that does is not asked for again"
    path = tmp_path / "resources/raw/mine.json"
    assert next_request(path, {**SETTINGS, "mirror": "elsewhere", "strict": True}) == third


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
    assert skipped(["mine"], folder=tmp_path) == ["WARNING: mine: The files from UCI hold OTHER VALUES."]
    asked(tmp_path, FetchReport({}, "UCI"))
    assert skipped(["mine"], folder=tmp_path) == []


def test_the_cache_sees_of_a_request_whether_the_known_data_are_there_and_nothing_else(tmp_path, monkeypatch):
    here, there = {"mirror": "here", "tries": 1}, {"mirror": "there", "tries": 2}
    known = [Request(content, {"available": True, "trust": "same"}) for content in (here, there)]
    assert json.dumps(known[0]) == json.dumps(known[1])
    assert repr(known[0]) == repr(here) != repr(known[1]), "Snakemake compares these to run the rule again"
    assert pickle.loads(pickle.dumps(known[1])).content == there
    for report in ({}, {"available": False}, {"available": True, "trust": "different"}):
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
        "odd": {**prepare(load_registry(REGISTRY)["iris_bundled"])[1], "available": True, "warning": ALTERED.warning},
    }
    study = SimpleNamespace(
        name="s",
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
    job = yaml.safe_load((REGISTRY.parents[1] / ".github/workflows/weekly.yml").read_text(encoding="utf-8"))
    schedule = job[True]["schedule"][0]["cron"].split()  # YAML reads the key "on" as true
    assert schedule[2:4] == ["*", "*"]
    assert schedule[4].isdigit(), "on one day of the week"
    commands = [step.get("run", "") for part in job["jobs"].values() for step in part["steps"]]
    names = answered(run("datasets", "--registry", REGISTRY, "names", "--downloads")).split()
    assert names == load_registry(REGISTRY).of_kind("download")
    assert any("datasets names --downloads" in command and "fetch --strict" in command for command in commands)
