"""A mistake in a file of a study is one line before any job runs: names, published numbers, captions, modules."""

import csv
import importlib
import re
import sys
import textwrap

import numpy as np
import pytest
from test_pipeline import CONFIG, CONFIG_SCHEMA, ROOT, STUDIES, STUDY_SCHEMA, changed

from pumetrics_workflow import plan
from pumetrics_workflow.claims import RULES
from pumetrics_workflow.config import ConfigError, check
from pumetrics_workflow.stages.estimate_priors import estimated
from pumetrics_workflow.studies import check_made
from pumetrics_workflow.verdicts import COMPARE, check_published, read_published


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("beta=7", "is impossible: beta must be at least 0 and at most 1"),
        ("bcar=1", "is impossible: 0 of 1000000000 positives would keep their label"),
        ("beta=nan", "is impossible: beta must be at least 0 and at most 1"),
        ("beta", "is impossible: beta needs one, as in beta=0.5"),
        ("supervised=0", "is impossible: supervised has no strength"),
        ("beta=x", ": could not convert"),
    ],
)
def test_an_impossible_labeling_is_an_error_and_no_small_data_set(tmp_path, name, said):
    path = changed(tmp_path, "ramola2019", {"labeling": {"names": [name]}})
    with pytest.raises(ConfigError, match=f"^mine.yaml: labeling.names: '{name}' ?{said}"):
        plan.load_study(path, "quick", STUDY_SCHEMA)


# A misspelled name in a study is one line before any job runs, with what is near.


MISTAKES = {
    "priors: unknown key 'metods'; did you mean 'methods'?": (
        "ramola2019",
        {"priors": {"metods": []}},
    ),
    "priors.methods: 'elkan_noto_e2' is no estimator; did you mean 'elkan_noto_e3'?": (
        "ramola2019",
        {"priors": {"methods": ["elkan_noto_e2"]}},
    ),
    "priors.clean: 'dedpul' is no estimator in priors.m": (
        "head_to_head",
        {"priors": {"clean": ["dedpul"]}},
    ),
    "models.pool.models.mlp.type: 'mpl' is no model": (
        "head_to_head",
        {"models": {"pool": {"models": {"mlp": {"type": "mpl"}}}}},
    ),
    "simulations.intervals.options.methods: 'interval_cal' is no method; did you mean": (
        "head_to_head",
        {"simulations": {"intervals": {"options": {"methods": {"interval_cal": []}}}}},
    ),
    "labeling.nested.a: 'betta' is no kind of labeling; did you mean 'beta'?": (
        "ramola2019",
        {"labeling": {"nested": {"a": ["betta"]}}},
    ),
    "simulations.intervals.options.labeling: unknown key 'row'; did you mean 'rows'?": (
        "head_to_head",
        {"simulations": {"intervals": {"options": {"labeling": {"row": 50}}}}},
    ),
    "simulations.all_sets.options.model: 'baged_mlp' is no model; did you mean 'bagged_mlp'?": (
        "jain2017",
        {"simulations": {"all_sets": {"options": {"model": {"type": "baged_mlp"}}}}},
    ),
    "models.pool: a pool takes no 'feature'": (
        "head_to_head",
        {"models": {"pool": {"feature": "standardized"}}},
    ),
    "models: again and one have the same options": (
        "jain2017",
        {"models": {"one": {"type": "kernel_svm"}, "again": {"type": "kernel_svm"}}},
    ),
}


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
    "id": "claim/x",
    "kind": "claim",
    "quantity": "Errors shrink",
    "published": "",
    "compare": "median",
    "table": "errors",
    "where": "beta < 1",
    "then": "error < 0 and ratio < @much",
    "needs": "",
    "source": "",
    "effect": "error: error.max()",
}
FLAWS = {
    "kind: 'clam' is no kind; did you mean 'claim'?": {"kind": "clam"},
    "compare: 'median' is no way to compare a number; allowed are within": {"kind": "number"},
    "table: there is no table 'erors'; did you mean 'errors'?": {"table": "erors"},
    "then is empty: it is the rule": {"then": ""},
    "then: 'error < ' cannot be read (invalid syntax)": {"then": "error < ", "compare": "every"},
    "then: 'error' must compare with a bound": {"then": "error"},
    "then: 'a > 0 and b < 1' must be one comparison": {
        "compare": "interval",
        "then": "a > 0 and b < 1",
    },
    "then: @muhc is unknown; did you mean 'much'?": {"then": "ratio < @muhc"},
    "effect: 'max(' cannot be read": {"effect": "error: max("},
    "published: 'much' must be a number as printed": {"published": "much"},
    "published: '' must be a number as printed": {"kind": "sign", "compare": "above"},
    "quantity is empty": {"quantity": " "},
    "needs is empty: what data does it need?": {"compare": "stand_in"},
    "where: no id matches 'figure9_.*'": {
        "compare": "every",
        "table": "published",
        "where": "figure9_.*",
        "then": "",
    },
    "where: '(' is no regular expression": {
        "compare": "every",
        "table": "published",
        "where": "(",
        "then": "",
    },
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
    number = {
        **PRINTED,
        "id": "number",
        "kind": "number",
        "compare": "within",
        "published": ".42",
        "table": "",
    }
    check_published(published(tmp_path, PRINTED, number), ["errors"])
    with pytest.raises(ConfigError) as caught:
        check_published(published(tmp_path, {**PRINTED, **FLAWS[said]}, number), ["errors"])
    assert str(caught.value).startswith(f"published/mine.csv: claim/x: {said}")
    assert "\n" not in str(caught.value)


CLASS = """
from pumetrics_workflow.studies import Study

class Mine(Study):
    def simulate(self, part, *, repeats, seed, data, n): ...
    def tables(self, results): ...
    def published(self, tables): ...
"""
UNFIT = {
    "studies/mine/study.py: Can't instantiate abstract class Mine": ("published", "publisched"),
    "studies/mine/study.py: there is no method 'simulate'": ("simulate", "run"),
    "mine.yaml: simulations.toss.options: simulate takes no 'n'; allowed are rows": (
        ", n)",
        ", rows)",
    ),
    "studies/mine/study.py: there must be one subclass of Study, not 0": ("(Study)", ""),
    "studies/mine/study.py: invalid syntax": ("class", "clasp"),
    "studies/mine/study.py: No module named": ("import Study", "import Study\nimport no_such"),
}


@pytest.mark.parametrize("said", UNFIT)
def test_a_class_that_does_not_fit_its_settings_is_found_before_anything_runs(
    tmp_path, said, monkeypatch, own_studies
):
    own_studies(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two texts of one size in one second
    study = plan.StudyPlan(name="mine", simulations={"toss": {"options": {"n": 9}}})
    (tmp_path / "mine").mkdir()
    for text in (CLASS, CLASS.replace(*UNFIT[said])):
        for name in ("mine.study", "mine"):
            sys.modules.pop(f"pumetrics_workflow.studies.{name}", None)
        (tmp_path / "mine/study.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        if text == CLASS:
            plan.check_class(study)
    with pytest.raises(ConfigError) as caught:
        plan.check_class(study)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_the_page_on_adding_has_a_row_of_every_kind_and_rule(tmp_path):
    page = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
    text = re.search(r"((?:^    .+,.+\n){10,})", page, flags=re.M)[1]
    path = tmp_path / "mine.csv"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    tables = ["bounds", "errors", "ranks", "shares", "tests"]
    check_published(path, tables)
    rows = read_published(path)
    assert set(rows["kind"]) == set(COMPARE)
    assert set(rows.loc[rows["kind"] == "claim", "compare"]) == set(RULES)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("error.max()", "error.max(),more", "more than the 11 fields of the first line"),
        (",effect", ",efect", "'efect' is no column; did you mean 'effect'?"),
        (",then", ",than", "without the columns then; needed are id, kind"),
    ],
)
def test_a_column_too_few_or_a_field_too_many_is_named(tmp_path, old, new, said):
    path = published(tmp_path, PRINTED)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ConfigError, match=re.escape(said)):
        check_published(path, ["errors"])


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_the_published_numbers_of_every_study_pass(path):
    tables = plan.load_captions(path.stem, ROOT)["tables"]
    check_published(ROOT / f"config/published/{path.stem}.csv", tables)


def test_a_misspelled_figure_is_an_error():
    with pytest.raises(
        ValueError, match=r"study\.py makes 'figrue2', which .*mine\.yaml does not list"
    ):
        check_made("mine", "figures", ["figure2"], ["figrue2"])
    with pytest.raises(
        ValueError, match=r"mine\.yaml lists 'figure2', which .*study\.py does not make"
    ):
        check_made("mine", "figures", ["figure2"], [])


def test_a_study_without_package_or_captions_or_with_an_unknown_set_is_named(tmp_path):
    def refused(name, changes, said):
        changed(tmp_path, "class_priors", changes, name)
        config = check({**CONFIG, "studies": [name]}, CONFIG_SCHEMA, "config")
        with pytest.raises(ConfigError, match=said):
            plan.Plan.load(config, folder=tmp_path, schema=STUDY_SCHEMA, registry={})

    without_sets = {"scales": {"quick": {"simulations": {"real": {"datasets": []}}}}}
    refused("mine", {}, r"mine\.yaml: simulations\.real\.datasets: 'breast_cancer' is no data set")
    refused("mine", without_sets, r"no captions config/captions/mine\.yaml")


def test_stand_ins_take_the_places_of_sets_in_all_simulations():
    path = ROOT / "config/studies/tabatabaei2020.yaml"
    scales = ("quick", "laptop", "paper")
    sets = [plan.load_study(path, scale, STUDY_SCHEMA).all_datasets() for scale in scales]
    assert sets[0] == ["iris_bundled", "breast_cancer"]
    assert sets[1] == sets[2] == ["iris", "heart_c", "heart_h", "heart_v"]


def test_a_misspelled_estimator_is_no_failed_estimate():
    s = np.repeat([0, 1], 50)
    with pytest.raises(ValueError, match="there is no estimator 'bee'; did you mean 'bbe'"):
        estimated(s, s + np.linspace(0, 1, 100), "bee", np.random.default_rng(0))
