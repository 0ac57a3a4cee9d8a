"""Runs of a copy of the project whose quick scale is tiny; one that nothing disturbs serves all tests."""

import shutil
from pathlib import Path

import pytest
import yaml
from running import Run, write_mine

ROOT = Path(__file__).parents[2]

# The quick Ramola study, smaller still: a generated data set, and one from a file, whose changes can be watched.
TINY = {
    "datasets": ["gaussians", "mine"],
    "repeats": 2,
    "repeats_per_job": 2,
    "core_minutes": 0.5,
    "models": {"bagged_mlp": {"n_estimators": 4}},
    "labeling": {"sample": {"n_unlabeled": [600]}},
    "simulations": {
        "exchanged": {
            "datasets": ["gaussians"],
            "repeats": 1,
            "options": {"sample": {"n_unlabeled": [600]}, "model": {"n_estimators": 3}},
        }
    },
}
MINE = {
    "title": "Mine",
    "kind": "download",
    "path": "mine.csv",
    "target": "outcome",
    "positive": {"classes": ["ill"]},
}


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """Return a copy of the project whose quick Ramola study is tiny."""
    copy = tmp_path_factory.mktemp("project")
    for name in ("src", "workflow", "config", "profiles"):
        shutil.copytree(
            ROOT / name, copy / name
        )  # with what numba has compiled, which takes longer than all jobs
    shutil.copy2(ROOT / "Snakefile", copy)
    study = copy / "config/studies/ramola2019.yaml"
    content = yaml.safe_load(study.read_text(encoding="utf-8"))
    content["scales"]["quick"] = TINY
    study.write_text(yaml.safe_dump(content), encoding="utf-8")
    write_mine(copy / "mine.csv", shift=1.0)
    (copy / "mine.yaml").write_text(yaml.safe_dump({"mine": MINE}), encoding="utf-8")
    config = copy / "config/config.yaml"
    text = config.read_text(encoding="utf-8")
    assert "registry: null" in text
    config.write_text(
        text.replace("registry: null", f"registry: {copy / 'mine.yaml'}"), encoding="utf-8"
    )
    return copy


@pytest.fixture
def run(tmp_path, project):
    """Return a run in a new folder."""
    return Run(tmp_path, project)


@pytest.fixture(scope="session")
def finished(tmp_path_factory, project):
    """Return a run whose tiny Ramola study is done; leave it as it is."""
    done = Run(tmp_path_factory.mktemp("finished"), project)
    done.output = done("ramola2019", cores=2)
    return done


@pytest.fixture
def fork(finished, tmp_path, project):
    """Return a copy of the finished run that may be damaged."""
    shutil.copytree(finished.folder, tmp_path / "fork", symlinks=True)
    return Run(tmp_path / "fork", project)
