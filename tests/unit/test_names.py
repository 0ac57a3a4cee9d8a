"""A misspelled name in a study is one line before any job runs, with what is near."""

import numpy as np
import pytest
import yaml
from test_pipeline import CONFIG, CONFIG_SCHEMA, ROOT, STUDY_SCHEMA

from pumetrics.methods import METHODS
from pumetrics.priors import available_priors
from pumetrics_workflow import plan
from pumetrics_workflow.config import ConfigError, check, merge
from pumetrics_workflow.plan import estimators, load_captions
from pumetrics_workflow.stages.estimate_priors import estimated
from pumetrics_workflow.studies import check_made


@pytest.mark.parametrize(
    ("study", "change", "said"),
    [
        (
            "ramola2019",
            {"priors": {"methods": ["elkan_noto_e2"]}},
            "priors.methods: 'elkan_noto_e2' is no estimator; did you mean 'elkan_noto_e3'?",
        ),
        (
            "head_to_head",
            {"priors": {"clean": ["bee"]}},
            "priors.clean: 'bee' is no estimator in priors.methods; did you mean 'bbe'?",
        ),
        ("head_to_head", {"priors": {"clean": ["dedpul"]}}, "priors.clean: 'dedpul' is no estimator in priors.m"),
        (
            "head_to_head",
            {"priors": {"reference": "mpl"}},
            "priors.reference: 'mpl' is no model; did you mean 'mlp'?",
        ),
        ("jain2017", {"metrics": ["roc_acu"]}, "metrics: 'roc_acu' is no metric; did you mean 'roc_auc'?"),
        (
            "jain2017",
            {"models": {"bagged_mlp": {"type": "baged_mlp"}}},
            "models.bagged_mlp.type: 'baged_mlp' is no model; did you mean 'bagged_mlp'?",
        ),
        (
            "head_to_head",
            {"models": {"pool": {"models": {"mlp": {"type": "mpl"}}}}},
            "models.pool.models.mlp.type: 'mpl' is no model",
        ),
        (
            "class_priors",
            {"scales": {"paper": {"simulations": {"gaussians": {"options": {"methods": ["dedpull"]}}}}}},
            "simulations.gaussians.options.methods: 'dedpull' is no estimator; did you mean 'dedpul'?",
        ),
        (
            "head_to_head",
            {"simulations": {"intervals": {"options": {"methods": {"interval_calibratd": []}}}}},
            "simulations.intervals.options.methods: 'interval_calibratd' is no method; "
            "did you mean 'interval_calibrated'?",
        ),
    ],
)
def test_an_unknown_name_in_a_study_file_is_one_line(study, change, said, tmp_path):
    content = yaml.safe_load((ROOT / f"config/studies/{study}.yaml").read_text(encoding="utf-8"))
    path = tmp_path / f"{study}.yaml"
    path.write_text(yaml.safe_dump(merge(content, change)), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        plan.load_study(path, "paper", STUDY_SCHEMA)
    assert str(caught.value).startswith(f"{study}.yaml: {said}")
    assert "\n" not in str(caught.value)


def test_an_unknown_labeling_is_one_line(tmp_path):
    content = yaml.safe_load((ROOT / "config/studies/ramola2019.yaml").read_text(encoding="utf-8"))
    content["labeling"]["names"] = ["bteta=1"]
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^mine\.yaml: labeling\.names: unknown kind of labeling 'bteta'"):
        plan.load_study(tmp_path / "mine.yaml", "quick", STUDY_SCHEMA)


def test_estimators_are_those_of_the_registry():
    assert estimators() == available_priors()
    assert estimators("methods") == sorted(METHODS)


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


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            ["figrue2"],
            "studies/mine/figures.py makes 'figrue2', which config/captions/mine.yaml does not list",
        ),
        ([], "config/captions/mine.yaml lists 'figure2', which studies/mine/figures.py does not make"),
    ],
)
def test_a_misspelled_figure_is_an_error(made, said):
    with pytest.raises(ValueError, match=said):
        check_made("mine", "figures", ["figure2"], made)


def test_a_study_without_package_or_with_an_unknown_set_is_named(tmp_path):
    content = yaml.safe_load((ROOT / "config/studies/class_priors.yaml").read_text(encoding="utf-8"))
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    config = check({**CONFIG, "studies": ["mine"]}, CONFIG_SCHEMA, "config")
    with pytest.raises(ConfigError, match=r"mine\.yaml: there is no data set 'breast_cancer'"):
        plan.Plan.load(config, folder=tmp_path, schema=STUDY_SCHEMA, registry={})
    content["scales"]["quick"]["simulations"].pop("real")
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(ConfigError, match="no package src/pumetrics_workflow/studies/mine"):
        plan.Plan.load(config, folder=tmp_path, schema=STUDY_SCHEMA, registry={})
    (tmp_path / "mine.yaml").rename(tmp_path / "jain2017.yaml")
    config["studies"] = ["jain2017"]
    with pytest.raises(ConfigError, match=r"no captions config/captions/jain2017\.yaml"):
        plan.Plan.load(config, folder=tmp_path, schema=STUDY_SCHEMA, registry={})


def test_a_misspelled_estimator_is_no_failed_estimate():
    s = np.repeat([0, 1], 50)
    with pytest.raises(ValueError, match="there is no estimator 'bee'; did you mean 'bbe'"):
        estimated(s, s + np.linspace(0, 1, 100), "bee", np.random.default_rng(0))
