"""`pumetrics reference`: a run that is kept is equal to its reference, and whatever changes afterwards is named."""

import json
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest
from commands import answered, refused, run

from pumetrics_workflow.code import git
from pumetrics_workflow.reference import LARGEST, LEFT_OUT, check, keep, verify
from pumetrics_workflow.studies import derived, read_tables

ROOT = Path(__file__).parents[2]
STUDIES = sorted(path.stem for path in (ROOT / "config/studies").glob("*.yaml"))
TRACKED = sorted((ROOT / "results/reference").glob("*/"))
JAIN = "dataset,method,auc\npima,direct,0.5\nwine,indirect,0.75\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def finish(results, *studies, **facts):
    """Write the provenance of studies, as the job does that writes their tables."""
    for study in studies:
        write(
            results / study / "provenance.json",
            json.dumps({"scale": "quick", "commit": "ab", **facts}),
        )


@pytest.fixture
def folders(tmp_path):
    """Return the results of a finished run of two studies, and the folder of the reference."""
    results = tmp_path / "results/quick"
    write(results / "jain2017/tables/medians.csv", JAIN)
    write(results / "jain2017/tables/errors.csv", "repeat,error\n0,0.1\n")
    write(results / "jain2017/answers/pima.csv", "no table of a study")
    write(results / "head_to_head/tables/seconds.csv", "what,seconds\nall,1.5\n")
    write(results / "head_to_head/tables/errors.csv", "method,error\ndirect,0.1\n")
    write(results / "head_to_head/tables/curves.csv", "x\n" + "1\n" * LARGEST["quick"])
    finish(results, "head_to_head", "jain2017")
    return results, tmp_path / "results/reference/quick"


def content(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lines(folders):
    outcome = check(*folders)
    return outcome.equal, "\n".join(outcome.lines())


def test_what_is_kept_is_equal_and_keeping_again_changes_nothing(folders):
    keep(*folders)
    first = content(folders[1])
    equal, words = lines(folders)
    assert equal, words
    assert "4 tables are byte-identical" in words, "two by their bytes, two by their checksum alone"
    keep(*folders)
    assert content(folders[1]) == first


def test_seconds_repeats_and_bulk_are_left_out_with_the_reason(folders):
    jain, head = reversed(keep(*folders))
    assert (
        jain == "jain2017: 1 tables kept; left out: jain2017/tables/errors.csv (one row per repeat)"
    )
    assert "seconds.csv (wall-clock seconds)" in head
    assert "curves.csv (more than 500 kB)" in head
    kept = {path.relative_to(folders[1]).as_posix() for path in folders[1].rglob("*.csv")}
    assert kept == {"jain2017/tables/medians.csv", "head_to_head/tables/errors.csv"}
    write(folders[0] / "head_to_head/tables/seconds.csv", "what,seconds\nall,2.5\n")
    assert "different bytes" not in lines(folders)[1], "seconds always differ"
    write(folders[0] / "jain2017/tables/errors.csv", "repeat,error\n0,0.2\n")
    equal, words = lines(folders)
    assert equal
    assert (
        "different bytes, but the reference has no values (one row per repeat): jain2017/tables/errors.csv"
        in words
    )


@pytest.mark.parametrize(
    ("change", "equal", "words"),
    [
        (("0.75", "0.7500000001"), True, "1 equal in value"),
        (
            ("0.75", "0.7501"),
            False,
            "auc: 1 of 2 rows, by 0.0001 at most (row 1: 0.75 against 0.7501)",
        ),
        (("wine,indirect,0.75\n", ""), False, "2 rows against 1"),
    ],
)
def test_a_difference_is_named_with_its_size_and_place(folders, change, equal, words):
    keep(*folders)
    write(folders[0] / "jain2017/tables/medians.csv", JAIN.replace(*change))
    outcome = lines(folders)
    assert outcome[0] is equal
    assert words in outcome[1]
    assert equal or "different: jain2017/tables/medians.csv" in outcome[1]


@pytest.mark.parametrize(
    ("facts", "value", "equal"),
    [
        ({"processor": "A"}, "0.7500000001", False),
        ({"processor": "B"}, "0.7500000001", True),
        ({"processor": "B"}, "0.750006", False),
        ({"processor": "A", "numpy": "2.5.0"}, "0.750006", True),
    ],
    ids=["bytes here", "values elsewhere", "sixth digit", "sixth digit of other packages"],
)
def test_as_equal_as_the_processor_and_the_packages_are(folders, facts, value, equal):
    finish(folders[0], "head_to_head", "jain2017", processor="A", numpy="2.4.6")
    keep(*folders)
    write(folders[0] / "jain2017/tables/medians.csv", JAIN.replace("0.75", value))
    finish(folders[0], "head_to_head", "jain2017", **{"numpy": "2.4.6", **facts})
    outcome = lines(folders)
    assert outcome[0] is equal, outcome[1]


def test_damage_to_the_reference_is_named(folders):
    reference = folders[1]
    keep(*folders)
    manifest = json.loads((reference / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"]["jain2017/tables/medians.csv"] = "0" * 64
    manifest["files"]["jain2017/tables/gone.csv"] = "0" * 64
    del manifest["files"]["head_to_head/tables/errors.csv"]
    write(reference / "manifest.json", json.dumps(manifest))
    write(reference / "provenance.json", "[]")
    assert verify(reference) == [
        "head_to_head/tables/errors.csv is not in manifest.json",
        "jain2017/tables/gone.csv is in manifest.json but not in the folder",
        "jain2017/tables/medians.csv does not have the checksum given in manifest.json",
        "provenance.json does not have the checksum given in manifest.json",
    ]
    equal, words = lines(folders)
    assert not equal
    assert "damaged reference: jain2017/tables/medians.csv does not have the checksum" in words


def test_a_run_of_one_study_replaces_that_study_alone(folders, tmp_path):
    reference = folders[1]
    keep(*folders)
    again = tmp_path / "again/quick"
    write(again / "jain2017/tables/means.csv", JAIN)
    write(again / "rider2013/tables/areas.csv", JAIN)
    finish(again, "jain2017", commit="cd")
    assert keep(again, reference) == ["jain2017: 1 tables kept", "rider2013: unfinished, not kept"]
    assert [path.name for path in reference.glob("jain2017/tables/*")] == ["means.csv"]
    runs = json.loads((reference / "provenance.json").read_text(encoding="utf-8"))
    assert [(run["kept"], run["commit"]) for run in runs] == [
        (["head_to_head"], "ab"),
        (["jain2017"], "cd"),
    ]
    assert verify(reference) == []
    equal, words = lines((again, reference))
    assert equal
    assert "study not compared because only one side has it: head_to_head" in words
    assert "study not compared because only one side has it: rider2013" in words
    keep(*folders)
    assert len(json.loads((reference / "provenance.json").read_text(encoding="utf-8"))) == 1


def test_unfinished_runs_and_other_scales_are_refused(folders, tmp_path):
    results, reference = folders
    with pytest.raises(ValueError, match=r"manifest\.json cannot be read"):
        check(*folders)
    keep(*folders)
    with pytest.raises(ValueError, match="holds no study of"):
        check(tmp_path / "elsewhere", reference)
    finish(results, "jain2017", scale="paper")
    with pytest.raises(ValueError, match="different scales: paper, quick"):
        keep(*folders)
    for study in ("jain2017", "head_to_head"):
        (results / study / "provenance.json").unlink()
    with pytest.raises(ValueError, match="no study is finished"):
        keep(*folders)


def test_only_committed_sources_and_studies_of_the_checkout_are_kept(folders, tmp_path):
    results, reference = folders
    write(tmp_path / "config/studies/jain2017.yaml", "")
    assert keep(*folders)[0] == "head_to_head: without config/studies/head_to_head.yaml, not kept"
    assert not (reference / "head_to_head").exists()
    shutil.rmtree(tmp_path / "config")
    finish(results, "head_to_head", "jain2017", uncommitted_changes=True)
    before = content(reference)
    again = "snakemake jain2017 --cores all --config scale=quick --forceall"
    refused(run("reference", "keep", results, "--study", "jain2017"), again)
    assert content(reference) == before
    finish(results, "head_to_head", "jain2017")
    assert keep(*folders, study="jain2017") == keep(*folders)[1:]


def test_the_commands_find_the_reference_beside_the_results(folders):
    results, reference = folders
    answered(run("reference", "keep", results))
    assert (reference / "manifest.json").is_file()
    answered(run("reference", "check", results))
    (results / "jain2017/tables/medians.csv").unlink()
    assert run("reference", "check", results).exit_code == 1
    shutil.rmtree(reference)
    refused(run("reference", "check", results))


def test_the_quick_reference_has_every_study():
    studies = {path.parent.name for path in (ROOT / "results/reference/quick").glob("*/tables")}
    assert studies == set(STUDIES), "run those that it lacks, then `make reference STUDY=...`"


@pytest.mark.parametrize("folder", TRACKED, ids=lambda folder: folder.name)
def test_the_tracked_reference_is_what_its_manifest_says_and_small(folder):
    assert verify(folder) == []
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert not [
        name for name in manifest["files"] if any(fnmatch(name, pattern) for pattern in LEFT_OUT)
    ]
    runs = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert all(
        run["scale"] == folder.name and run["commit"] and not run["uncommitted_changes"]
        for run in runs
    )
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert size < (2.5e6 if folder.name == "quick" else 10e6)


def unmade(reference):
    """Tables that the code at the commits in their provenance has no name for; unknown commits say nothing.

    Tables that follow from others are made again by the present code whenever verdicts are.
    """
    found = []
    for run_ in json.loads((reference / "provenance.json").read_text(encoding="utf-8")):
        for study in run_["kept"]:
            folder = f"src/pumetrics_workflow/studies/{study}"
            commits = run_["commit"].split(", ")
            words = git(ROOT, "grep", "-ohE", r'"\w+"', *commits, "--", folder, f"{folder}.py")
            if words is None:
                continue
            tables = read_tables(reference / study / "tables")
            again = derived(study, tables, tables["published"])
            same = {name for name in tables if again.get(name) is tables[name]}
            unknown = same - {"published"} - {*re.findall(r"\w+", words.decode())}
            found += [f"{study}/{name}" for name in sorted(unknown)]
            found += underived(run_, study, {*tables} - same, folder)
    return found


def underived(run_, study, names, folder):
    """Tables that follow from others and that the code at the commit of the verdicts has no name for."""
    again = run_.get("rejudged", {}).get(study)
    commits = again.split()[:1] if again else run_["commit"].split(", ")
    words = git(ROOT, "grep", "-ohE", r'"\w+"', *commits, "--", folder, f"{folder}.py")
    if words is None:
        return []
    unknown = names - {"published"} - {*re.findall(r"\w+", words.decode())}
    return [f"{study}/{name} (derived)" for name in sorted(unknown)]


@pytest.mark.slow
@pytest.mark.parametrize("folder", TRACKED, ids=lambda folder: folder.name)
def test_every_tracked_table_is_made_by_the_code_that_its_provenance_names(folder):
    assert unmade(folder) == []


@pytest.mark.slow
def test_a_table_that_no_code_names_is_found(tmp_path):
    shutil.copytree(ROOT / "results/reference/quick", tmp_path, dirs_exist_ok=True)
    tables = tmp_path / "class_priors/tables"
    shutil.copy(tables / "bars.csv", tables / "by_hand.csv")
    runs = json.loads((tmp_path / "provenance.json").read_text(encoding="utf-8"))
    (commit,) = [made["commit"] for made in runs if made["kept"] == ["class_priors"]]
    has_history = git(ROOT, "cat-file", "-e", commit) is not None
    assert unmade(tmp_path) == ["class_priors/by_hand"] * has_history
