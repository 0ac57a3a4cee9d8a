"""The workflow as a user runs it: targets, errors, progress, the same tables from any cores and chunks, resuming."""

import json
import os
import re
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pandas as pd
import pytest
from running import TABLES

from pumetrics_workflow import tables


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["laptop", "paper"])
def test_a_dry_run_of_every_scale_lists_jobs_and_not_a_thousand(run, scale):
    said = run("--dry-run", "--quiet", "rules", config=[f"scale={scale}"])
    assert 0 < int(re.search(r"^total\s+(\d+)", said, flags=re.M).group(1)) < 1000, said[-2000:]
    assert re.search(rf"^Scale {scale}:\n  \w+ .*; about .* on one core", said, flags=re.M), said
    assert re.search(r"^  all +about .* on one core, as planned$", said, flags=re.M), said


def own_lines(said):
    """Lines without those that Snakemake prints at every start."""
    always = ("Using workflow specific profile ", "Config file ")
    return [line for line in said.splitlines() if line and not line.startswith(always)]


def test_a_mistake_in_the_config_is_one_line(run):
    said = run("--dry-run", config=["studies=[ramola]"], expect=1)
    assert "there is no study 'ramola'; did you mean 'ramola2019'?" in said
    assert "Traceback" not in said
    assert len(own_lines(said)) == 1, said


def test_a_run_says_what_it_does_and_how_far_it_is(finished):
    assert re.search(r"ramola2019 .* repeats; about .* on one core", finished.output)
    page = finished.folder / "results/quick/ramola2019/report.html"
    assert finished.output.rstrip().endswith(f"report: {page}"), "the last line"
    assert "Select jobs" not in finished.output
    assert re.search(r"^Job \d+: Training bagged_mlp on mine", finished.output, flags=re.M)
    assert re.search(r"^\d+ of \d+ steps \(\d+%\) done", finished.output, flags=re.M)


def test_a_misspelled_target_names_the_nearest(run):
    assert "there is no target 'ramola'; did you mean 'ramola2019'?" in run("ramola", expect=1)


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        (
            "elsewhere",
            "has no pumetrics_workflow. In the folder of the clone, type: make .venv/ready",
        ),
        ("with a space", "Snakemake cannot run jobs by a Python whose path has a space"),
    ],
)
def test_a_snakemake_that_cannot_run_the_project_says_so_in_one_line(run, tmp_path, folder, said):
    # an environment that has Snakemake, by a link to the packages of this one, and not the project
    environment = tmp_path / folder
    venv.create(environment, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    installed = Path(sysconfig.get_path("purelib"))
    for path in installed.iterdir():
        if "pumetrics" not in path.name:
            (packages / path.name).symlink_to(path)
    command = [environment / "bin/python", "-m", "snakemake", "--cores", "1", "--dry-run"]
    plain = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=run.project, env=plain, check=False
    )
    assert done.returncode
    (line,) = own_lines(done.stderr)
    assert said in line


def test_a_second_run_has_nothing_to_do(finished):
    assert "Nothing to be done" in finished("ramola2019")


@pytest.mark.slow
def test_the_tables_are_the_same_bytes_from_one_core_and_other_chunks(finished, run):
    run(TABLES, cores=1, config=["repeats_per_job=1"])
    ours, theirs = run.tables("ramola2019"), finished.tables("ramola2019")
    assert ours.keys() == theirs.keys()
    assert len(ours) > 5
    differing = [name for name in ours if ours[name] != theirs[name]]
    assert not differing, f"other bytes in {differing}"


def test_figure_1_comes_out_to_the_digit(finished):
    table = pd.read_csv(finished.folder / "results/quick/ramola2019/tables/published.csv")
    exact = table[table["id"].str.startswith("figure1")]
    assert len(exact) == 16
    assert (exact["verdict"] == "holds").all(), exact[exact["verdict"] != "holds"]


def test_every_kind_keeps_its_schema_and_its_provenance(finished):
    for kind in tables.SCHEMAS:
        place = "answers" if kind in ("records", "statistics") else kind
        paths = sorted(finished.folder.glob(f"results/quick/ramola2019/{place}/**/*.parquet"))
        assert paths, kind
        for path in paths:
            simulated = (
                "simulated" in path.parts or kind == "statistics"
            )  # has records, statistics or both
            assert len(tables.read(kind, path)) or simulated, path
            facts = tables.read_metadata(path)
            assert facts["kind"] == place
            assert re.fullmatch("[0-9a-f]{12}", facts["made_by"]["behind"])
    facts = json.loads((finished.folder / "results/quick/ramola2019/provenance.json").read_text())
    assert facts["data"]
    assert facts["seed"]
    jobs = {
        "prepare": 2,
        "label": 2,
        "train": 2,
        "estimate_priors": 2,
        "evaluate": 2,
        "simulate": 1,
    }
    assert {rule: sums["jobs"] for rule, sums in facts["rules"].items()} == {**jobs, "summarize": 1}
    assert all(rule["wall_seconds"] > 0 for rule in facts["rules"].values()), facts["rules"]
    assert all(rule["cpu_seconds"] > 0 for rule in facts["rules"].values()), facts["rules"]
    page = (finished.folder / "results/quick/ramola2019/report.html").read_text(encoding="utf-8")
    assert "cpu seconds" in page


@pytest.mark.slow
def test_results_copied_to_another_folder_are_used_and_say_there_what_made_them(finished, run):
    for name in ("results", "resources"):
        shutil.copytree(finished.folder / name, run.folder / name)
    place = "results/quick/ramola2019/provenance.json"
    facts = run.folder / place
    before = json.loads(facts.read_text())["rules"]
    said = run.without(facts, run.path("answers"))(place)
    assert "Training" not in said
    after = json.loads(facts.read_text())["rules"]
    assert {rule for rule in before if before[rule] != after[rule]} <= {"evaluate", "summarize"}
