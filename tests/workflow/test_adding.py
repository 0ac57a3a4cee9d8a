"""docs/adding.md, followed to the letter: all recipes in one copy of the repository, then a tiny run of the studies."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/adding.md"

# What the recipes extend: two studies that train, at a scale of seconds.
TINY = {
    "head_to_head": {
        "labeling": {"names": ["beta=1"], "rows": 300, "n_folds": 3, "least_labeled": 10},
        "models": {"logistic": {"type": "logistic_regression", "C": 1.0}},
        "priors": {
            "reference": "logistic",
            "methods": ["elkan_noto_e3"],
            "clean": [],
            "own": [],
            "noisy": True,
        },
        "sample": {"kind": "largest", "n_unlabeled": [200], "labeled_ratio": 0.2},
    },
    "ramola2019": {
        "models": {
            "logistic": {
                "type": "logistic_regression",
                "folds": {"n_folds": 3, "stratified_by": "s"},
            }
        },
        "datasets": ["gaussians"],
    },
}


def shrink(copy):
    """Make the quick scale of the two studies tiny."""
    path = copy / "config/studies/head_to_head.yaml"
    study, tiny = yaml.safe_load(path.read_text(encoding="utf-8")), TINY["head_to_head"]
    study["labeling"] = {
        **tiny["labeling"],
        "sample": tiny["sample"],
        "nested": {"sampled": ["beta"], "whole": []},
    }
    study["models"] = {"pool": {**study["models"]["pool"], "models": tiny["models"]}}
    study["priors"], study["simulations"] = tiny["priors"], {}
    study["scales"] = {scale: {"core_minutes": 0.1} for scale in study["scales"]}
    study["scales"]["quick"] |= {"datasets": [], "models": {"pool": {"folds": {"n_folds": 3}}}}
    path.write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
    path = copy / "config/studies/ramola2019.yaml"
    study, tiny = yaml.safe_load(path.read_text(encoding="utf-8")), TINY["ramola2019"]
    study["models"], study["priors"]["methods"] = tiny["models"], ["alphamax"]
    quick = {
        "datasets": tiny["datasets"],
        "core_minutes": 0.1,
        "labeling": {"sample": {"n_unlabeled": [500]}},
    }
    study["scales"] = dict.fromkeys(study["scales"], quick)
    path.write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")


def steps():
    """Every block of the page with the verb, the place and the file that the text before it names."""
    text = PAGE.read_text(encoding="utf-8")
    before = 0
    for block in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        prose = " ".join(text[before : block.start()].split())
        before = block.end()
        if block[1] == "sh":
            yield "run", None, None, block[2]
            continue
        orders = re.findall(
            r"(Create|Append to|Merge into|Add to|Insert before)((?: `[^`]+` in)?) `([^`]+)`(?:[;:])",
            prose,
        )
        assert len(orders) == 1, f"one instruction per block, got {orders} in: {prose}"
        verb, place, file = orders[0]
        yield verb, place.removesuffix(" in").strip(" `"), file, block[2]


def follow(verb, place, file, text, copy):
    """Change a file of the copy as an instruction says."""
    path = copy / file
    if verb == "Create":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    old = path.read_text(encoding="utf-8")
    if verb == "Append to":
        new = f"{old}\n\n{text}"
    elif verb == "Merge into":
        new = yaml.safe_dump(merged(yaml.safe_load(old), yaml.safe_load(text)), sort_keys=False)
    elif verb == "Add to":
        (name,) = re.findall(rf"^{place} = {{$.*?(^}})", old, flags=re.M | re.S)
        end = re.search(rf"^{place} = {{$.*?^(?=}})", old, flags=re.M | re.S).end()
        assert name
        new = old[:end] + text + old[end:]
    else:
        lines = re.findall(rf"^ *{re.escape(place)}.*$", old, flags=re.M)
        assert len(lines) == 1, f"{file}: {place!r} stands there {len(lines)} times"
        gap = "\n\n" if text.startswith("def ") else ""
        new = old.replace(f"\n{lines[0]}", f"\n{text}{gap}{lines[0]}")
    assert new != old
    path.write_text(new, encoding="utf-8")


def merged(base, changes):
    """Return `base` with `changes` added: mappings level by level, lists made longer."""
    if isinstance(base, dict) and isinstance(changes, dict):
        return {**base, **{key: merged(base.get(key), value) for key, value in changes.items()}}
    return [*base, *changes] if isinstance(base, list) and isinstance(changes, list) else changes


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of the repository in which every instruction was followed and every command succeeded."""
    copy = tmp_path_factory.mktemp("adding") / "project"
    copy.mkdir()
    for name in ("src", "workflow", "config", "profiles", "tests"):
        shutil.copytree(ROOT / name, copy / name)  # with what numba has compiled
    (copy / "docs").mkdir()
    for name in ("Snakefile", "pyproject.toml", "docs/generated.py"):
        shutil.copy2(ROOT / name, copy / name)
    shrink(copy)
    rng = np.random.default_rng(0)
    ill = np.arange(600) % 3 == 0
    patients = pd.DataFrame(
        rng.normal(size=(600, 3)) + ill[:, None], columns=["age", "pulse", "weight"]
    )
    patients.assign(outcome=np.where(ill, "ill", "well")).to_csv(copy / "patients.csv", index=False)
    config = yaml.safe_load((copy / "config/config.yaml").read_text(encoding="utf-8"))
    (copy / "config/config.yaml").write_text(
        yaml.safe_dump({**config, "studies": ["head_to_head", "ramola2019"]}), encoding="utf-8"
    )
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(copy / "src"),
        "COLUMNS": "200",
    }

    def run(command):
        done = subprocess.run(
            ["bash", "-euc", command],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}{done.stderr[-6000:]}"
        return done.stdout

    tests = []
    for verb, place, file, text in steps():
        if verb != "run":
            follow(verb, place, file, text, copy)
        elif text.startswith("pytest "):
            tests.append(text.strip().removeprefix("pytest ").split(" -k "))
        else:
            run(text)
    files = dict.fromkeys(file for names, _ in tests for file in names.split())
    said = run(
        f"pytest -rp {' '.join(files)} -k '{' or '.join(word for _, word in tests)}'"
    )  # in one process
    passed = re.findall(r"^PASSED (\S+\.py)::(.*)", said, flags=re.M)
    for names, word in tests:
        assert any(file in names.split() and word in test for file, test in passed), (
            f"{names} -k {word} tests nothing"
        )
    return copy


@pytest.fixture(scope="module")
def table(copy):
    return lambda study, name: pd.read_csv(copy / f"results/quick/{study}/tables/{name}.csv")


@pytest.mark.parametrize(
    ("study", "name", "column", "value"),
    [
        ("head_to_head", "errors", "labeling", "fixed=0.5"),
        ("ramola2019", "errors", "model", "discriminant"),
        ("head_to_head", "errors", "prior", "tail_ratio"),
        ("head_to_head", "errors", "metric", "youden"),
        ("head_to_head", "decision", "need", "max_youden"),
        ("ramola2019", "each_set", "measure", "youden"),
        ("head_to_head", "errors", "method", "scaled"),
        ("coin2026", "published", "verdict", "holds"),
    ],
)
def test_what_was_added_stands_in_the_tables(study, name, column, value, table):
    rows = table(study, name)
    assert (rows[column] == value).any(), (
        f"{study}/{name}: {column} holds {sorted(map(str, rows[column].unique()))}"
    )


@pytest.mark.parametrize("name", ["my_patients", "shells_small"])
def test_an_added_data_set_is_evaluated(name, copy):
    assert any(
        name in path.as_posix()
        for path in (copy / "results/quick").rglob("*head_to_head*/**/*.parquet")
    ), name


def test_an_added_metric_and_method_have_numbers(table):
    errors = table("head_to_head", "errors").set_index(["metric", "method", "prior"])
    for key in (
        ("youden", "direct", "true"),
        ("max_youden", "bounds_hypergeometric", "true"),
        ("roc_auc", "scaled", "true"),
    ):
        assert errors.loc[[key], "absolute_error"].between(0, 0.5).all(), key


@pytest.mark.parametrize(
    "path",
    [
        "head_to_head/figures/prior_errors",
        "head_to_head/figures/error_by_labeling",
        "coin2026/figures/heads",
    ],
)
def test_what_was_added_is_drawn_and_shown(path, copy):
    study, _, name = path.split("/")
    results = copy / "results/quick"
    assert list((results / study / "figures").glob(f"{name}.*"))
    assert name in (results / study / "report.html").read_text(encoding="utf-8")
