"""A copy of a data set from elsewhere is compared with the known one, and known deviations are named."""

import numpy as np
import pandas as pd
import pytest
from commands import answered, run
from test_datasets import IN_MIRROR, MIRROR, REGISTRY

from pumetrics_workflow.datasets import fetch, prepare
from pumetrics_workflow.datasets.copies import compare_copy, facts_of_copy, known_copies

IRIS, _ = prepare(REGISTRY["iris_bundled"])


def check(path, name="iris_bundled", *options):
    return run("datasets", *options, "check", name, path, "--target", "class")


def copy_of(frame, path):
    """Write a table as CSV or ARFF; its classes have other names than those of the registry."""
    table = frame.rename(columns={"y": "class"}).replace({"class": {1: "yes", 0: "no"}})
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
        return path
    attributes = [f"@attribute '{name}' numeric" for name in table.columns[:-1]]
    head = ["@relation r", *attributes, "@attribute class {no,yes}", "@data"]
    path.write_text("\n".join([*head, table.to_csv(index=False, header=False)]))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_an_equal_copy_has_no_difference_and_a_changed_one_says_where(ending, tmp_path):
    path = copy_of(IRIS, tmp_path / f"iris.{ending}")
    assert "iris_bundled: rows, features" in answered(check(path))

    wrong = IRIS[:-1].copy()
    wrong.iloc[:, 2] *= 10
    found = check(copy_of(wrong, path))
    assert found.exit_code == 1
    assert [line.split()[:4] for line in found.stdout.splitlines() if " to " in line] == [
        ["range", "of", "feature", "3"]
    ]
    assert "149" in found.stdout
    assert "This is" not in found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in known_copies() if name != "bupa"])
def test_a_copy_is_recognized_by_its_facts_alone(name, tmp_path):
    entry = known_copies()[name]
    facts = entry["facts"]
    largest = facts.get("largest", {})
    columns = {f"A{place}": np.zeros(facts["rows"]) for place in range(1, facts["features"] + 1)}
    table = pd.DataFrame(columns)
    table["class"] = np.repeat(np.arange(len(facts["classes"])), facts["classes"])
    for place, value in largest.items():
        table.loc[0, f"A{place}"] = value
    table.to_csv(tmp_path / "copy.csv", index=False)
    copy = facts_of_copy(tmp_path / "copy.csv", target="class")
    for dataset in entry["of"]:
        differences, recognized = compare_copy(REGISTRY[dataset], copy)
        assert recognized == [name]
        assert differences or name == "sonar", "which differs in its ranges alone"

    others = [dataset for dataset in REGISTRY.values() if dataset.name not in entry["of"]]
    assert not any(compare_copy(each, copy)[1] for each in others)


def test_a_set_without_its_files_is_compared_by_its_counts(tmp_path):
    path = copy_of(IRIS, tmp_path / "mine.csv")
    command = ["datasets", "check", "pima", path, "--target", "class", "--offline"]
    found = run(*command, "--folder", tmp_path)
    assert found.exit_code == 1
    assert "ranges are not compared" in found.stderr
    assert "768" in found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({"pima", "sonar", "spambase"} & {*IN_MIRROR}))
def test_the_original_is_an_equal_copy_of_itself(name, tmp_path):
    frame, _ = prepare(REGISTRY[name], fetch(REGISTRY[name], tmp_path, mirror=MIRROR, offline=True))
    copy = facts_of_copy(copy_of(frame, tmp_path / "copy.csv"), target="class")
    assert compare_copy(REGISTRY[name], copy, frame) == ([], [])
