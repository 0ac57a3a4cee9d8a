"""Files that catalogs and archives read: codecheck.yml, CITATION.cff, the workflow catalog, Dockerfile."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pumetrics_workflow.plan import link_to, papers

ROOT = Path(__file__).parents[2]
CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PAPERS = [link_to(entry) for entry in CITED["references"]]
STUDIED = {name: link_to(content["paper"]) for name, content in papers(ROOT).items()}


def test_every_paper_is_cited_with_doi_and_pages():
    missing = [name for name, doi in STUDIED.items() if doi not in PAPERS]
    assert not missing, (
        f"CITATION.cff: `references` lacks the DOIs (or, without one, URLs) of {', '.join(missing)}"
    )
    assert len(PAPERS) == len(set(PAPERS)) == len(STUDIED)
    for entry in CITED["references"]:
        assert re.fullmatch(r"10\.\d{4,}/\S+", entry.get("doi", "10.0000/none")), entry["title"]
        assert all({"family-names", "given-names"} <= set(author) for author in entry["authors"])
        pages = 0 < entry.get("start", 0) < entry.get("end", 0)
        assert pages or "arXiv" in entry.get("doi", "") or "number" in entry, (
            f"{entry['title']}: no start and end"
        )


def test_codecheck_names_tables_that_exist_with_their_commands():
    text = (ROOT / "codecheck.yml").read_text(encoding="utf-8")
    check = yaml.safe_load(text)
    assert text.startswith("---\n")
    assert check["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    for entry in check["manifest"]:
        assert (ROOT / entry["file"]).stat().st_size, entry["file"]
        _, _, scale, study, *_ = entry["file"].split("/")
        assert entry["comment"].endswith(f"; snakemake {study} --cores 2 --config scale={scale}")
    with_published = {
        entry["file"].split("/")[3] for entry in check["manifest"] if "published" in entry["file"]
    }
    assert with_published <= {path.stem for path in (ROOT / "config/studies").glob("*.yaml")}


@pytest.mark.parametrize(
    ("fails", "status", "says"),
    [
        ("info", 0, "not built: neither docker nor podman works here"),
        ("pull", 0, "not built: docker cannot reach the base image python:"),
        ("build", 1, ""),
        ("nothing", 0, "container built with docker"),
    ],
)
def test_a_build_that_fails_is_a_failure_and_a_missing_tool_is_said(tmp_path, fails, status, says):
    for tool in ("docker", "podman"):
        path = tmp_path / tool
        path.write_text(f'#!/bin/sh\n[ "$1" != {fails} ]\n')
        path.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [ROOT / ".ci/container"], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == status, done.stderr
    assert says in done.stdout


@pytest.mark.slow
def test_the_comment_on_a_pull_request_says_what_it_changes_in_the_tables(tmp_path):
    for scale in ("quick", "laptop"):
        table = Path(f"results/reference/{scale}/ramola2019/tables/each_set.csv")
        for side in ("base", "head"):
            (tmp_path / side / table).parent.mkdir(parents=True)
            shutil.copy(ROOT / table, tmp_path / side / table)
    table = tmp_path / "head/results/reference/quick/ramola2019/tables/each_set.csv"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace(",0.", ",1.", 1), encoding="utf-8")
    folders = [tmp_path / side / "results/reference" for side in ("base", "head")]
    said = subprocess.run(
        [ROOT / ".ci/tables", *folders], capture_output=True, text=True, check=True
    ).stdout
    quick, laptop, paper = re.split(r"\*\*\w+\*\*", said)[1:]
    assert "different: ramola2019/tables/each_set.csv" in quick
    assert "1 of" in quick
    assert "1 tables are byte-identical, 0 equal in value, 0 differ" in laptop
    assert "does not exist" in paper


@pytest.mark.slow
def test_what_the_jobs_of_github_run_is_in_a_clone(tmp_path):
    """Of `make` only the plan, as other tests run its targets; nothing that needs a token or the network."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, clone], check=True)
    (clone / ".venv").symlink_to(sys.prefix)
    (clone / "base").symlink_to(".")
    workflows = [
        yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in ROOT.glob(".github/workflows/*.yml")
    ]
    steps = [step for each in workflows for job in each["jobs"].values() for step in job["steps"]]
    commands = {step["run"] for step in steps if "run" in step}
    apart = {line for line in commands if re.search(r"\bgh |datasets fetch|\.ci/audit", line)}
    assert len(apart) == 3
    for command in commands - apart:
        subprocess.run(
            ["bash", "-euo", "pipefail", "-c", re.sub(r"^make", "make --dry-run", command)],
            cwd=clone,
            env={**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")},
            check=True,
            capture_output=True,
        )
    assert "Tracked tables" in (clone / "tables.md").read_text(encoding="utf-8")
