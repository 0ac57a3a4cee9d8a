"""A misspelled name in a study is one line before any job runs, with what is near."""

import numpy as np
import pytest
import yaml
from test_pipeline import CONFIG, CONFIG_SCHEMA, ROOT, STUDY_SCHEMA

from pumetrics_workflow import plan
from pumetrics_workflow.config import ConfigError, check, merge
from pumetrics_workflow.plan import load_captions
from pumetrics_workflow.stages.estimate_priors import estimated
from pumetrics_workflow.studies import check_made


def written(folder, study, changes, name=None):
    """Path of a study file with some changes."""
    content = yaml.safe_load((ROOT / f"config/studies/{study}.yaml").read_text(encoding="utf-8"))
    path = folder / f"{name or study}.yaml"
    path.write_text(yaml.safe_dump(merge(content, changes)), encoding="utf-8")
    return path


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
    "labeling.names: unknown kind of labeling 'bteta'": ("ramola2019", {"labeling": {"names": ["bteta=1"]}}),
}  # fmt: skip


@pytest.mark.parametrize("said", MISTAKES)
def test_an_unknown_name_in_a_study_file_is_one_line(said, tmp_path):
    study, changes = MISTAKES[said]
    with pytest.raises(ConfigError) as caught:
        plan.load_study(written(tmp_path, study, changes), "paper", STUDY_SCHEMA)
    assert str(caught.value).startswith(f"{study}.yaml: {said}")
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
        load_captions("mine", tmp_path)
    said = "captions/mine.yaml: figures.figure2.from: there is no table 'medains'; did you mean 'medians'?"
    assert str(caught.value) == said


def test_a_misspelled_figure_is_an_error():
    with pytest.raises(ValueError, match=r"figures\.py makes 'figrue2', which .*mine\.yaml does not list"):
        check_made("mine", "figures", ["figure2"], ["figrue2"])
    with pytest.raises(ValueError, match=r"mine\.yaml lists 'figure2', which .*figures\.py does not make"):
        check_made("mine", "figures", ["figure2"], [])


def test_a_study_without_package_or_captions_or_with_an_unknown_set_is_named(tmp_path):
    def refused(name, changes, said):
        written(tmp_path, "class_priors", changes, name)
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
