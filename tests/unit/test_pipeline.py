"""Config, plan, job arguments: the workflow's helpers without Snakemake."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from pumetrics_workflow import job, plan
from pumetrics_workflow.config import ConfigError, check, load_yaml, merge

ROOT = Path(__file__).parents[2]
CONFIG_SCHEMA = load_yaml(ROOT / "workflow/schemas/config.schema.yaml")
STUDY_SCHEMA = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
CONFIG = load_yaml(ROOT / "config/config.yaml")
STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sede": 1}, "config: unknown key 'sede'; did you mean 'seed'?"),
        (
            {"scale": "big"},
            "config: scale: 'big' is not allowed; choose one of quick, laptop, paper",
        ),
        ({"seed": "x"}, "config: seed: expected integer, got 'x'"),
        ({"seed": 1e3}, "config: seed: expected integer, got 1000.0"),
        ({"offline": 3}, "config: offline: expected boolean, got 3"),
        ({"seed": -1}, "config: seed: -1 is less than the minimum of 0"),
    ],
)
def test_a_mistake_in_the_config_is_one_line(change, said):
    with pytest.raises(ConfigError) as caught:
        check({**CONFIG, **change}, CONFIG_SCHEMA, "config")
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("key", "said", "meant"),
    [("offline", "true", True), ("offline", "False", False), ("mirror", "null", None)],
)
def test_a_command_line_says_true_false_and_null_as_people_do(key, said, meant):
    checked = check({"studies": ["ramola2019"], key: said}, CONFIG_SCHEMA, "config")
    assert checked[key] is meant
    assert checked["scale"] == "quick", "a default"


def test_a_broken_yaml_file_names_its_line(tmp_path):
    (tmp_path / "c.yaml").write_text("a: 1\nb: [1,\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"c\.yaml, line 3"):
        load_yaml(tmp_path / "c.yaml")


def test_merging_replaces_values_and_keeps_what_is_not_named():
    base = {"a": {"b": 1, "c": [1, 2]}, "d": 3}
    assert merge(base, {"a": {"c": [9]}}) == {"a": {"b": 1, "c": [9]}, "d": 3}
    assert base["a"]["c"] == [1, 2], "the base must not change"


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
@pytest.mark.parametrize("scale", ["quick", "laptop", "paper"])
def test_every_study_loads_at_every_scale(path, scale):
    study = plan.load_study(path, scale, STUDY_SCHEMA)
    assert study.datasets or study.simulations
    for dataset in study.datasets:
        covered = [repeat for name in study.chunks(dataset) for repeat in plan.chunk_repeats(name)]
        assert covered == list(range(study.repeats)), dataset


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_the_quick_scale_needs_no_download(path):
    from pumetrics_workflow.datasets import load_registry

    registry = load_registry(ROOT / "config/datasets.yaml")
    study = plan.load_study(path, "quick", STUDY_SCHEMA)
    needed = {
        *study.datasets,
        *(name for entry in study.simulations.values() for name in entry["datasets"]),
    }
    assert needed <= set(registry.of_kind("embedded", "generated"))


def test_a_data_set_that_is_too_small_is_named_before_anything_runs():
    entry = SimpleNamespace(kind="embedded", rows=120, positives=60, unavailable="")
    study = plan.load_study(ROOT / "config/studies/ramola2019.yaml", "quick", STUDY_SCHEMA)
    registry = dict.fromkeys(study.all_datasets(), entry)
    config = check({**CONFIG, "studies": ["ramola2019"]}, CONFIG_SCHEMA, "config")
    planned = plan.Plan.load(
        config, folder=ROOT / "config/studies", schema=STUDY_SCHEMA, registry=registry
    )
    assert not planned.studies["ramola2019"].datasets
    assert f"left out: {study.datasets[0]} in ramola2019" in planned.describe(["ramola2019"])


def changed(folder, study, changes, name="mine"):
    """Path of a file like that of a study, with some changes."""
    content = load_yaml(ROOT / f"config/studies/{study}.yaml")
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(merge(content, changes)), encoding="utf-8")
    return folder / f"{name}.yaml"


def test_a_data_set_may_have_chunks_of_its_own(tmp_path):
    quick = {"repeats": 4, "repeats_per_job": 4, "repeats_per_job_of": {"gaussians": 2}}
    path = changed(tmp_path, "ramola2019", {"scales": {"quick": quick}})
    study = plan.load_study(path, "quick", STUDY_SCHEMA)
    assert study.chunks("gaussians") == ["000-001", "002-003"]
    assert study.chunks("digits_even") == ["000-003"]
    assert plan.load_study(path, "quick", STUDY_SCHEMA, repeats_per_job=3).chunks("gaussians") == [
        "000-002",
        "003-003",
    ]
    changed(tmp_path, "ramola2019", {"scales": {"quick": {"repeats_per_job_of": {"gausians": 2}}}})
    config = check({**CONFIG, "studies": ["mine"]}, CONFIG_SCHEMA, "config")
    with pytest.raises(
        ConfigError,
        match=r"mine\.yaml: repeats_per_job_of: 'gausians' .*; did you mean 'gaussians'\?",
    ):
        plan.Plan.load(config, folder=tmp_path, schema=STUDY_SCHEMA, registry={})


def test_a_small_study_simulates_in_one_job_what_a_large_one_does_in_pieces():
    path = ROOT / "config/studies/claesen2015.yaml"
    small, large, pieces = (
        plan.load_study(path, scale, STUDY_SCHEMA, repeats_per_job=per_job)
        for scale, per_job in (("quick", None), ("paper", None), ("quick", 1000))
    )
    (pairs,) = small.simulated_jobs().values()
    assert list(small.simulated_jobs()) == ["all"]
    assert list(dict(pairs)) == list(small.simulations)
    assert pieces.simulated_jobs() == {f"{part}/{chunk}": [(part, chunk)] for part, chunk in pairs}
    assert len(large.simulated_jobs()) > len(large.simulations), (
        "parts with many repeats have several"
    )
    assert all(len(job) == 1 for job in large.simulated_jobs().values())


def test_a_part_whose_repeats_per_job_the_scale_states_has_jobs_of_its_own(tmp_path):
    quick = {
        "scales": {"quick": {"simulations": {"figure2": {"repeats": 4, "repeats_per_job": 2}}}}
    }
    jobs = plan.load_study(
        changed(tmp_path, "claesen2015", quick), "quick", STUDY_SCHEMA
    ).simulated_jobs()
    assert list(jobs) == ["all", "figure2/000-001", "figure2/002-003"]
    assert "figure2" not in dict(jobs["all"])


def test_no_more_repeats_than_asked_and_the_same_first_ones():
    path = ROOT / "config/studies/rider2013.yaml"
    every, some = (
        plan.load_study(path, "paper", STUDY_SCHEMA, max_repeats=most) for most in (None, 25)
    )
    assert every.chunks("pima") == ["000-024", "025-049", "050-074", "075-099"]
    assert some.chunks("pima") == every.chunks("pima")[:1]
    assert "case_study/000-019" in {*some.simulated_jobs()} & {*every.simulated_jobs()}
    assert some.core_minutes == every.core_minutes * (25 + 20) / (100 + 20)
    assert plan.load_study(path, "quick", STUDY_SCHEMA, max_repeats=25).repeats == 2


class Outputs(list):
    """The outputs of a job, which Snakemake gives by position and by name."""

    def items(self):
        return [("figures", self[0])]


@pytest.fixture
def drawing(tmp_path):
    log = [str(tmp_path / "job.log")]
    return SimpleNamespace(
        input={},
        output=Outputs(["results/quick/x/figures/figure1.svg"]),
        params={},
        wildcards={},
        log=log,
        rule="draw",
    )


def test_a_job_gets_each_argument_by_its_name(drawing):
    seen = {}
    drawing.input, drawing.params, drawing.wildcards = (
        {"scores": "in"},
        {"seed": 3},
        {"dataset": "pima"},
    )

    def work(scores, figures, seed, dataset):
        seen.update(scores=scores, figures=figures, seed=seed, dataset=dataset)

    job.run(work, drawing)
    assert seen == {"scores": "in", "figures": drawing.output[0], "seed": 3, "dataset": "pima"}
    with pytest.raises(
        TypeError, match="rule draw has no input or output or params or wildcards named 'page'"
    ):
        job.arguments(lambda seed, page: None, drawing)


def test_a_job_that_fails_says_so_in_one_line_and_logs_the_rest(drawing, capsys):
    drawing.wildcards = {"dataset": "pima"}

    def work():
        raise ValueError("alpha must be smaller than beta")

    with pytest.raises(SystemExit):
        job.run(work, drawing)
    said = f"draw (dataset pima): ValueError: alpha must be smaller than beta\n  full log: {drawing.log[0]}\n"
    assert capsys.readouterr().err == said
    assert "Traceback" in Path(drawing.log[0]).read_text()


@pytest.mark.parametrize(
    ("how", "said"),
    [("SIGSEGV", "Segmentation fault in a compiled library"), ("SIGKILL", "no reason known")],
)
def test_a_job_that_a_signal_ends_is_named_with_its_log(drawing, tmp_path, how, said):
    code = f"""
import os, signal
from types import SimpleNamespace
from pumetrics_workflow import job
given = SimpleNamespace(input={{}}, output={{}}, params={{}}, wildcards={{}}, log=[{drawing.log[0]!r}], rule="draw")
job.run(lambda: os.kill(os.getpid(), signal.{how}), given)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path)
    assert done.returncode == -getattr(signal, how)
    (line,) = job.killed([drawing.log[0], tmp_path / "none.log"], since=0)
    assert line.startswith(f"{drawing.log[0]}: the job was killed ({said}")
    assert not job.killed(drawing.log, since=time.time() + 1), "of an earlier run"
    job.run(lambda: None, drawing)
    assert not job.killed(drawing.log, since=0)


@pytest.mark.parametrize(
    ("machine", "flags", "expected"),
    [
        ("x86_64", "avx2 bmi1 bmi2 f16c fma movbe avx512f", "Haswell"),
        ("x86_64", "avx sse4_2", None),
        ("aarch64", "avx2 bmi1 bmi2 f16c fma movbe", None),
    ],
)
def test_jobs_use_the_kernels_of_one_processor_where_the_machine_can(
    machine, flags, expected, tmp_path, monkeypatch
):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"flags : {flags}\n")
    monkeypatch.setattr(job.platform, "machine", lambda: machine)
    monkeypatch.setattr(job, "_stands_in", partial(job._stands_in, cpuinfo))
    monkeypatch.setattr(job.os, "environ", environment := {})
    monkeypatch.setattr(job, "_wider_vectors", lambda: ["X86_V4"])
    job.set_environment(tmp_path)
    assert environment.get("OPENBLAS_CORETYPE") == expected
    assert environment.get("NPY_DISABLE_CPU_FEATURES") == (expected and "X86_V4")
    monkeypatch.setattr(job.os, "environ", own := {"PUMETRICS_PROCESSOR": "host"})
    job.set_environment(tmp_path)
    assert "OPENBLAS_CORETYPE" not in own


def test_jobs_inherit_one_thread_and_the_sources_of_their_snakefile(tmp_path, monkeypatch):
    monkeypatch.setattr(job.os, "environ", environment := {"PYTHONPATH": "mine"})
    job.set_environment(tmp_path)
    assert environment["OMP_NUM_THREADS"] == "1"
    assert environment["PYTHONPATH"] == "mine", (
        "installed elsewhere: the folder has the packages of that environment"
    )
    for _ in range(2):
        job.set_environment(ROOT)
    assert environment["PYTHONPATH"].split(job.os.pathsep) == [str(ROOT / "src"), "mine"]


@pytest.mark.skipif(
    not job._stands_in(), reason="needs x86-64 with AVX2, of which numpy has several kinds of code"
)
def test_numpy_computes_and_sorts_alike_in_jobs_on_every_processor(tmp_path, monkeypatch):
    monkeypatch.setattr(job.os, "environ", environment := {"PATH": os.environ["PATH"]})
    job.set_environment(tmp_path)
    code = (
        "import hashlib, numpy as np; x = np.random.default_rng(0).gamma(1, size=9999);"
        "made = [np.exp(x), np.log(x), np.argsort(x.round(2))];"
        "print(hashlib.sha256(b''.join(part.tobytes() for part in made)).hexdigest())"
    )
    older = environment | {
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Haswell",
    }
    here, there = (
        subprocess.run(
            [sys.executable, "-c", code], env=env, check=True, capture_output=True
        ).stdout
        for env in (environment, older)
    )
    assert here == there
