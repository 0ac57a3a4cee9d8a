"""Config, plan, job arguments: the workflow's helpers without Snakemake."""

import ast
import csv
import os
import re
import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from pumetrics_workflow import job, plan
from pumetrics_workflow.config import ConfigError, check, load_yaml, merge
from pumetrics_workflow.stages.estimate_priors import estimated
from pumetrics_workflow.studies import check_made
from pumetrics_workflow.verdicts import BY_TABLE, KINDS, read_published

ROOT = Path(__file__).parents[2]
CONFIG_SCHEMA = load_yaml(ROOT / "workflow/schemas/config.schema.yaml")
STUDY_SCHEMA = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
CONFIG = load_yaml(ROOT / "config/config.yaml")
STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sede": 1}, "config: unknown key 'sede'; did you mean 'seed'?"),
        ({"scale": "big"}, "config: scale: 'big' is not allowed; choose one of quick, laptop, paper"),
        ({"seed": "x"}, "config: seed: expected integer, got 'x'"),
        ({"offline": 3}, "config: offline: expected boolean, got 3"),
        ({"seed": -1}, "config: seed: -1 is less than the minimum of 0"),
    ],
)
def test_a_mistake_in_the_config_is_one_line(change, said):
    with pytest.raises(ConfigError) as caught:
        check({**CONFIG, **change}, CONFIG_SCHEMA, "config")
    assert str(caught.value) == said


def test_every_key_of_the_schemas_is_described_and_the_config_explained():
    explained = (ROOT / "config/README.md").read_text(encoding="utf-8")
    for key, entry in CONFIG_SCHEMA["properties"].items():
        assert entry["description"], key
        assert f"`{key}`" in explained, f"config/README.md does not explain {key}"


@pytest.mark.parametrize(
    ("key", "said", "meant"), [("offline", "true", True), ("offline", "False", False), ("mirror", "null", None)]
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
    needed = {*study.datasets, *(name for entry in study.simulations.values() for name in entry["datasets"])}
    assert needed <= set(registry.of_kind("embedded", "generated"))


def test_a_data_set_that_is_too_small_is_named_before_anything_runs():
    entry = SimpleNamespace(kind="embedded", rows=120, positives=60, unavailable="")
    study = plan.load_study(ROOT / "config/studies/ramola2019.yaml", "quick", STUDY_SCHEMA)
    registry = dict.fromkeys(study.all_datasets(), entry)
    config = check({**CONFIG, "studies": ["ramola2019"]}, CONFIG_SCHEMA, "config")
    planned = plan.Plan.load(config, folder=ROOT / "config/studies", schema=STUDY_SCHEMA, registry=registry)
    assert not planned.studies["ramola2019"].datasets
    assert f"left out: {study.datasets[0]} in ramola2019" in planned.describe()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("beta=7", "'beta=7' is impossible: beta must be at least 0 and at most 1"),
        ("bcar=-0.1", "'bcar=-0.1' is impossible: bcar must be at least 0 and at most 1"),
        ("bcar=1", "'bcar=1' is impossible: 0 of 1000000000 positives would keep their label"),
        ("scar=0", "'scar=0' is impossible: about 0 of 1000000000 positives would be labeled"),
        ("beta=nan", "'beta=nan' is impossible: beta must be at least 0 and at most 1"),
        ("beta", "'beta' is impossible: beta needs one, as in beta=0.5"),
        ("sar_score=inf", "'sar_score=inf' is impossible: sar_score must be at least 0"),
        ("supervised=0", "'supervised=0' is impossible: supervised has no strength"),
        ("beta=x", "'beta=x': could not convert string to float"),
    ],
)
def test_an_impossible_labeling_is_an_error_and_no_small_data_set(tmp_path, name, said):
    path = changed(tmp_path, "ramola2019", {"labeling": {"names": [name]}})
    with pytest.raises(ConfigError) as caught:
        plan.load_study(path, "quick", STUDY_SCHEMA)
    assert str(caught.value).startswith(f"mine.yaml: labeling.names: {said}")


@pytest.mark.parametrize(
    ("study", "changes", "said"),
    [
        ("ramola2019", {"priors": {"metods": []}}, "priors: unknown key 'metods'; did you mean 'methods'?"),
        (
            "rider2013",
            {"models": {"pool": {"folds": {"n_fold": 3}}}},
            "folds: unknown key 'n_fold'; did you mean 'n_folds'?",
        ),
        (
            "head_to_head",
            {"models": {"pool": {"folds": {"stratified_by": "x"}}}},
            "folds.stratified_by: 'x' is not allowed",
        ),
        ("head_to_head", {"models": {"pool": {"features": "scaled"}}}, "models.pool.features: 'scaled' is not allowed"),
        (
            "head_to_head",
            {"models": {"pool": {"models": {"mlp": "mlp"}}}},
            "pool.models.mlp: expected object, got 'mlp'",
        ),
        ("jain2017", {"labeling": {"sample": {"kind": "caped"}}}, "labeling.sample.kind: 'caped' is not allowed"),
        ("jain2017", {"labeling": {"sample": {"n_unlabeled": [9]}}}, "labeling.sample: 'n_unlabeled' is not allowed"),
        (
            "ramola2019",
            {"labeling": {"sample": {"labeled_ratio": None}}},
            "sample.labeled_ratio: expected number, got None",
        ),
    ],
)
def test_a_wrong_key_or_value_of_priors_and_folds_is_named(tmp_path, study, changes, said):
    if study == "rider2013":
        name = next(iter(load_yaml(ROOT / "config/studies/rider2013.yaml")["models"]))
        changes = {"models": {name: changes["models"]["pool"]}}
    with pytest.raises(ConfigError) as caught:
        plan.load_study(changed(tmp_path, study, changes), "quick", STUDY_SCHEMA)
    assert said in str(caught.value)


def test_priors_may_list_methods_alone(tmp_path):
    content = load_yaml(ROOT / "config/studies/ramola2019.yaml")
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({**content, "priors": {"methods": ["bbe"]}}), encoding="utf-8")
    assert plan.load_study(tmp_path / "mine.yaml", "quick", STUDY_SCHEMA).priors == {"methods": ["bbe"], "noisy": True}


def test_an_unknown_study_names_the_nearest():
    config = check({**CONFIG, "studies": ["ramola2091"]}, CONFIG_SCHEMA, "config")
    with pytest.raises(ConfigError, match="did you mean 'ramola2019'"):
        plan.Plan.load(config, folder=ROOT / "config/studies", schema=STUDY_SCHEMA, registry={})


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
    assert plan.load_study(path, "quick", STUDY_SCHEMA, repeats_per_job=3).chunks("gaussians") == ["000-002", "003-003"]
    changed(tmp_path, "ramola2019", {"scales": {"quick": {"repeats_per_job_of": {"gausians": 2}}}})
    config = check({**CONFIG, "studies": ["mine"]}, CONFIG_SCHEMA, "config")
    with pytest.raises(ConfigError, match=r"mine\.yaml: repeats_per_job_of: 'gausians' .*; did you mean 'gaussians'\?"):
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
    assert len(large.simulated_jobs()) > len(large.simulations), "parts with many repeats have several"
    assert all(len(job) == 1 for job in large.simulated_jobs().values())


def test_a_part_whose_repeats_per_job_the_scale_states_has_jobs_of_its_own(tmp_path):
    quick = {"scales": {"quick": {"simulations": {"figure2": {"repeats": 4, "repeats_per_job": 2}}}}}
    jobs = plan.load_study(changed(tmp_path, "claesen2015", quick), "quick", STUDY_SCHEMA).simulated_jobs()
    assert list(jobs) == ["all", "figure2/000-001", "figure2/002-003"]
    assert "figure2" not in dict(jobs["all"])


def test_no_more_repeats_than_asked_and_the_same_first_ones():
    path = ROOT / "config/studies/rider2013.yaml"
    every, some = (plan.load_study(path, "paper", STUDY_SCHEMA, max_repeats=most) for most in (None, 25))
    assert every.chunks("pima") == ["000-024", "025-049", "050-074", "075-099"]
    assert some.chunks("pima") == every.chunks("pima")[:1]
    assert "case_study/000-019" in {*some.simulated_jobs()} & {*every.simulated_jobs()}
    assert some.core_minutes == every.core_minutes * (25 + 20) / (100 + 20)
    assert plan.load_study(path, "quick", STUDY_SCHEMA, max_repeats=25).repeats == 2


def test_the_planned_time_is_that_of_the_repeats_of_simulations_too():
    path, most = ROOT / "config/studies/class_priors.yaml", (None, 1)
    every, some = (plan.load_study(path, "paper", STUDY_SCHEMA, max_repeats=each) for each in most)
    repeats = sum(entry["repeats"] for entry in every.simulations.values())
    assert some.core_minutes == every.core_minutes * (1 + len(every.simulations)) / (1 + repeats)


def test_the_plan_counts_one_as_one():
    path = ROOT / "config/studies/ramola2019.yaml"
    study = plan.load_study(path, "quick", STUDY_SCHEMA, max_repeats=1)
    assert "3 data sets, 1 repeat; about" in plan.Plan("quick", {"ramola2019": study}).describe()


def test_a_renamed_study_keeps_its_random_numbers(tmp_path):
    for seed, expected in (({}, "mine"), ({"seed": "jain2017"}, "jain2017")):
        assert plan.load_study(changed(tmp_path, "jain2017", seed), "quick", STUDY_SCHEMA).seed == expected


# A misspelled name in a study is one line before any job runs, with what is near.


def simulations(part, methods):
    return {"simulations": {part: {"options": {"methods": methods}}}}


POOL = {"pool": {"models": {"mlp": {"type": "mpl"}}}}
MISTAKES = {
    "priors.methods: 'elkan_noto_e2' is no estimator; did you mean 'elkan_noto_e3'?":
        ("ramola2019", {"priors": {"methods": ["elkan_noto_e2"]}}),
    "priors.clean: 'bee' is no estimator in priors.methods; did you mean 'bbe'?":
        ("head_to_head", {"priors": {"clean": ["bee"]}}),
    "priors.clean: 'dedpul' is no estimator in priors.m": ("head_to_head", {"priors": {"clean": ["dedpul"]}}),
    "priors.reference: 'mpl' is no model; did you mean 'mlp'?": ("head_to_head", {"priors": {"reference": "mpl"}}),
    "metrics: 'roc_acu' is no metric; did you mean 'roc_auc'?": ("jain2017", {"metrics": ["roc_acu"]}),
    "models.bagged_mlp.type: 'baged_mlp' is no model; did you mean 'bagged_mlp'?":
        ("jain2017", {"models": {"bagged_mlp": {"type": "baged_mlp"}}}),
    "models.pool.models.mlp.type: 'mpl' is no model": ("head_to_head", {"models": POOL}),
    "simulations.gaussians.options.methods: 'dedpull' is no estimator; did you mean 'dedpul'?":
        ("class_priors", {"scales": {"paper": simulations("gaussians", ["dedpull"])}}),
    "simulations.intervals.options.methods: 'interval_cal' is no method; did you mean 'interval_calibrated'?":
        ("head_to_head", simulations("intervals", {"interval_cal": []})),
    "labeling.names: 'bteta=1': unknown kind of labeling 'bteta'": ("ramola2019", {"labeling": {"names": ["bteta=1"]}}),
    "labeling.nested.a: 'betta' is no kind of labeling; did you mean 'beta'?":
        ("ramola2019", {"labeling": {"nested": {"a": ["betta"]}}}),
    "labeling.nested.a: expected array, got 'beta'":
        ("ramola2019", {"labeling": {"nested": {"a": "beta"}}}),
    "simulations.intervals.options.labeling: unknown key 'row'; did you mean 'rows'?":
        ("head_to_head", {"simulations": {"intervals": {"options": {"labeling": {"row": 50}}}}}),
    "simulations.all_sets.options.labeling.names: 'bteta=1': unknown kind of labeling 'bteta'":
        ("jain2017", {"simulations": {"all_sets": {"options": {"labeling": {"names": ["bteta=1"]}}}}}),
    "simulations.all_sets.options.model: 'baged_mlp' is no model; did you mean 'bagged_mlp'?":
        ("jain2017", {"simulations": {"all_sets": {"options": {"model": {"type": "baged_mlp"}}}}}),
    "models.pool: a pool takes no 'feature'": ("head_to_head", {"models": {"pool": {"feature": "standardized"}}}),
    "models: again and one have the same options":
        ("jain2017", {"models": {"one": {"type": "kernel_svm"}, "again": {"type": "kernel_svm"}}}),
}  # fmt: skip


@pytest.mark.parametrize("said", MISTAKES)
def test_an_unknown_name_in_a_study_file_is_one_line(said, tmp_path):
    study, changes = MISTAKES[said]
    with pytest.raises(ConfigError) as caught:
        plan.load_study(changed(tmp_path, study, changes), "paper", STUDY_SCHEMA)
    assert str(caught.value).startswith(f"mine.yaml: {said}")
    assert "\n" not in str(caught.value)


CAPTIONS = """
figures:
  figure2: { caption: The second., from: [medains] }
tables: { published: null, medians: null }
"""


def test_a_misspelled_table_behind_a_figure_is_named_before_a_job_runs(tmp_path):
    (tmp_path / "config/captions").mkdir(parents=True)
    (tmp_path / "config/captions/mine.yaml").write_text(CAPTIONS, encoding="utf-8")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    with pytest.raises(ConfigError) as caught:
        plan.load_captions("mine", tmp_path)
    said = "captions/mine.yaml: figures.figure2.from: there is no table 'medains'; did you mean 'medians'?"
    assert str(caught.value) == said


PRINTED = {
    "id": "claim/x", "kind": "claim", "quantity": "Errors shrink", "published": "", "compare": "median",
    "table": "errors", "where": "beta < 1", "then": "error < 0 and ratio < @much", "needs": "", "source": "",
    "effect": "error: error.max()",
}  # fmt: skip
FLAWS = {
    "kind: 'clam' is no kind; did you mean 'claim'?": {"kind": "clam"},
    "compare: 'mediam' is no way to compare a claim; did you mean 'median'?": {"compare": "mediam"},
    "compare: 'median' is no way to compare a number; allowed are within": {"kind": "number"},
    "table: there is no table 'erors'; did you mean 'errors'?": {"table": "erors"},
    "table: there is no table ''": {"table": ""},
    "then is empty: it is the rule": {"then": ""},
    "then: 'error < ' cannot be read (invalid syntax)": {"then": "error < ", "compare": "every"},
    "then: 'error' must compare with a bound": {"then": "error"},
    "then: 'a < 0 or b < c' must compare with a bound": {"then": "a < 0 or b < c"},
    "then: 'a > 0 and b < 1' must be one comparison": {"compare": "interval", "then": "a > 0 and b < 1"},
    "then: @muhc is unknown; did you mean 'much'?": {"then": "ratio < @muhc"},
    "where: 'beta < < 1' cannot be read": {"where": "beta < < 1"},
    "effect: 'max(' cannot be read": {"effect": "error: max("},
    "published: 'much' must be a number as printed": {"published": "much"},
    "published: '1/0' must be a number as printed": {"published": "1/0"},
    "published: '' must be a number as printed": {"kind": "sign", "compare": "above"},
    "quantity is empty": {"quantity": " "},
    "needs is empty: what data does it need?": {"compare": "stand_in"},
    "where: no id matches 'figure9_.*'": {"compare": "every", "table": "published", "where": "figure9_.*", "then": ""},
    "where: '(' is no regular expression": {"compare": "every", "table": "published", "where": "(", "then": ""},
}


def published(folder, *rows):
    """Path of a file of published numbers."""
    path = folder / "mine.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, PRINTED)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("said", FLAWS)
def test_a_wrong_published_number_or_claim_is_found_before_anything_is_computed(tmp_path, said):
    number = {**PRINTED, "id": "number", "kind": "number", "compare": "within", "published": ".42", "table": ""}
    plan.check_published(published(tmp_path, PRINTED, number), ["errors"])
    with pytest.raises(ConfigError) as caught:
        plan.check_published(published(tmp_path, {**PRINTED, **FLAWS[said]}, number), ["errors"])
    assert str(caught.value).startswith(f"published/mine.csv: claim/x: {said}")
    assert "\n" not in str(caught.value)


MODULES = {
    "tables": "def tables(results):\n    return {'errors': 1}\n\n\ndef reproduced(tables):\n    return {}\n",
    "figures": "def figure1(errors, published):\n    return 1\n",
    "simulation": "def simulate(part, *, repeats, seed, data, n):\n    return 1\n",
}
UNFIT = {
    "studies/mine/tables.py: there is no function 'reproduced'; did you mean 'reproducd'?":
        ("tables", "reproduced(", "reproducd("),
    "studies/mine/figures.py: there is no function 'figure1'; did you mean 'figure_1'?":
        ("figures", "figure1", "figure_1"),
    "studies/mine/figures.py: figure1 takes 1 arguments, and is given 2": ("figures", ", published", ""),
    "captions/mine.yaml: tables: no module of the study makes 'errors'": ("tables", "'errors'", "'erors'"),
    "mine.yaml: simulations.toss.options: simulate takes no 'n'; allowed are n_rows":
        ("simulation", "data, n)", "data, n_rows)"),
    "studies/mine/simulation.py: there is no function 'simulate'": ("simulation", "simulate", "run"),
}  # fmt: skip


@pytest.mark.parametrize("said", UNFIT)
def test_modules_that_do_not_fit_the_settings_of_their_study_are_found_before_anything_runs(tmp_path, said):
    figure = {"caption": "The first.", "from": ["errors", "published"]}
    captions = {"figures": {"figure1": figure}, "tables": {"published": None, "errors": None}}
    study = plan.Study(name="mine", captions=captions, simulations={"toss": {"options": {"n": 9}}})
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    plan.check_modules(study, tmp_path)
    name, old, new = UNFIT[said]
    (tmp_path / f"{name}.py").write_text(MODULES[name].replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        plan.check_modules(study, tmp_path)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_the_page_on_adding_has_a_row_of_every_kind_and_rule(tmp_path):
    page = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
    text = re.search(r"((?:^    .+,.+\n){10,})", page, flags=re.M)[1]
    path = tmp_path / "mine.csv"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    tables = ["bounds", "errors", "ranks", "shares", "tests"]
    plan.check_published(path, tables)
    rows = read_published(path)
    assert set(rows["kind"]) == set(KINDS)
    assert set(rows.loc[rows["kind"] == "claim", "compare"]) == BY_TABLE


def test_a_column_too_few_a_field_too_many_and_an_id_twice_are_named(tmp_path):
    path = published(tmp_path, PRINTED, PRINTED)
    with pytest.raises(ConfigError, match=r"^published/mine\.csv: claim/x: the id occurs twice$"):
        plan.check_published(path, ["errors"])
    path = published(tmp_path, PRINTED)
    path.write_text(path.read_text().rstrip() + ",one more\n")
    with pytest.raises(ConfigError, match=r"^published/mine\.csv: claim/x: more than the 11 fields of the first line$"):
        plan.check_published(path, ["errors"])
    path.write_text(path.read_text().rsplit(",", 1)[0].replace(",effect", ",efect"))
    with pytest.raises(ConfigError, match=r"^published/mine\.csv: 'efect' is no column; did you mean 'effect'\?$"):
        plan.check_published(path, ["errors"])
    path.write_text(path.read_text().replace(",then", ",than"))
    with pytest.raises(ConfigError, match=r"^published/mine\.csv: without the columns then; needed are id, kind"):
        plan.check_published(path, ["errors"])


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_the_published_numbers_of_every_study_are_checked_by_the_plan(path, tmp_path):
    lines = (ROOT / f"config/published/{path.stem}.csv").read_text(encoding="utf-8").splitlines()
    tables = plan.load_captions(path.stem, ROOT)["tables"]
    (tmp_path / "mine.csv").write_text("\n".join(lines), encoding="utf-8")
    plan.check_published(tmp_path / "mine.csv", tables)
    (tmp_path / "mine.csv").write_text(
        "\n".join([*lines, "more,claim,More,,every,no_such_table,,x > 0"]), encoding="utf-8"
    )
    with pytest.raises(ConfigError, match=r"^published/mine\.csv: more: table: there is no table 'no_such_table'"):
        plan.check_published(tmp_path / "mine.csv", tables)


def test_a_misspelled_figure_is_an_error():
    with pytest.raises(ValueError, match=r"figures\.py makes 'figrue2', which .*mine\.yaml does not list"):
        check_made("mine", "figures", ["figure2"], ["figrue2"])
    with pytest.raises(ValueError, match=r"mine\.yaml lists 'figure2', which .*figures\.py does not make"):
        check_made("mine", "figures", ["figure2"], [])


def test_a_study_without_package_or_captions_or_with_an_unknown_set_is_named(tmp_path):
    def refused(name, changes, said):
        changed(tmp_path, "class_priors", changes, name)
        config = check({**CONFIG, "studies": [name]}, CONFIG_SCHEMA, "config")
        with pytest.raises(ConfigError, match=said):
            plan.Plan.load(config, folder=tmp_path, schema=STUDY_SCHEMA, registry={})

    without_sets = {"scales": {"quick": {"simulations": {"real": {"datasets": []}}}}}
    refused("mine", {}, r"mine\.yaml: datasets: 'breast_cancer' is no data set")
    refused("mine", without_sets, "no package src/pumetrics_workflow/studies/mine")
    refused("jain2017", without_sets, r"no captions config/captions/jain2017\.yaml")


def test_a_misspelled_estimator_is_no_failed_estimate():
    s = np.repeat([0, 1], 50)
    with pytest.raises(ValueError, match="there is no estimator 'bee'; did you mean 'bbe'"):
        estimated(s, s + np.linspace(0, 1, 100), "bee", np.random.default_rng(0))


def test_scripts_are_functions_that_touch_snakemake_only_at_the_end():
    for path in (ROOT / "workflow/scripts").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                assert "snakemake" not in names, f"{path.name}: {node.name} uses the global snakemake"


class Outputs(list):
    """The outputs of a job, which Snakemake gives by position and by name."""

    def items(self):
        return [("figures", self[0])]


@pytest.fixture
def drawing(tmp_path):
    log = [str(tmp_path / "job.log")]
    return SimpleNamespace(
        input={}, output=Outputs(["results/quick/x/figures/figure1.svg"]), params={}, wildcards={}, log=log, rule="draw"
    )


def test_a_job_gets_each_argument_by_its_name(drawing):
    seen = {}
    drawing.input, drawing.params, drawing.wildcards = {"scores": "in"}, {"seed": 3}, {"dataset": "pima"}

    def work(scores, figures, seed, dataset):
        seen.update(scores=scores, figures=figures, seed=seed, dataset=dataset)

    job.run(work, drawing)
    assert seen == {"scores": "in", "figures": drawing.output[0], "seed": 3, "dataset": "pima"}
    with pytest.raises(TypeError, match="rule draw has no input or output or params or wildcards named 'page'"):
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
    ("machine", "flags", "expected"),
    [
        ("x86_64", "avx2 bmi1 bmi2 f16c fma movbe avx512f", "Haswell"),
        ("x86_64", "avx sse4_2", None),
        ("aarch64", "avx2 bmi1 bmi2 f16c fma movbe", None),
    ],
)
def test_jobs_use_the_kernels_of_one_processor_where_the_machine_can(machine, flags, expected, tmp_path, monkeypatch):
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
    assert environment["PYTHONPATH"] == "mine", "installed elsewhere: the folder has the packages of that environment"
    for _ in range(2):
        job.set_environment(ROOT)
    assert environment["PYTHONPATH"].split(job.os.pathsep) == [str(ROOT / "src"), "mine"]


@pytest.mark.skipif(not job._stands_in(), reason="needs x86-64 with AVX2, of which numpy has several kinds of code")
def test_numpy_computes_and_sorts_alike_in_jobs_on_every_processor(tmp_path, monkeypatch):
    monkeypatch.setattr(job.os, "environ", environment := {"PATH": os.environ["PATH"]})
    job.set_environment(tmp_path)
    code = (
        "import hashlib, numpy as np; x = np.random.default_rng(0).gamma(1, size=9999);"
        "made = [np.exp(x), np.log(x), np.argsort(x.round(2))];"
        "print(hashlib.sha256(b''.join(part.tobytes() for part in made)).hexdigest())"
    )
    older = environment | {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Haswell"}
    here, there = (
        subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True).stdout
        for env in (environment, older)
    )
    assert here == there
