"""Data sets that are kept before their study is finished: no table changes, and a run goes on from them."""

import numpy as np
import pandas as pd
import pytest
from commands import answered, refused, run

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.provenance import STATE, doing
from pumetrics_workflow.reference import keep, verify
from pumetrics_workflow.sets import finished, mean_answers
from pumetrics_workflow.studies.rider2013.tables import _areas, _with_parameters
from pumetrics_workflow.studies.rider2013.verdicts import aupr_cells
from pumetrics_workflow.tables import read_all

SETS = ("pima", "sonar")


def answers_of(dataset, repeats=7):
    """Records of random areas, one of them missing, and a statistic."""
    rng = np.random.default_rng([repeats, *map(ord, dataset)])
    rows = [
        {
            "study": "rider2013",
            "dataset": dataset,
            "model": model,
            "labeling": f"bar={share}",
            "repeat": repeat,
            "metric": metric,
            "method": method,
            "prior": "none",
            "truth_kind": "same_scores",
            "estimate": rng.random(),
            "truth": rng.random(),
        }
        for model in ("c45", "mlp", "naive_bayes", "nearest_neighbors", "svm_class")
        for share in (0.3, 0.6)
        for repeat in range(repeats)
        for metric in ("roc_auc", "average_precision")
        for method in ("uncorrected", "direct")
    ]
    rows[3]["estimate"] = np.nan
    place = {"study": "rider2013", "dataset": dataset, "model": "c45", "labeling": "bar=0.3"}
    return pd.DataFrame([*rows, {**place, "repeat": 0, "statistic": "commonest_value", "value": 2}])


@pytest.fixture
def run_of_two(tmp_path, monkeypatch):
    """The folder of a run that has averaged two data sets and found that a third is not available."""
    results = tmp_path / "results/paper"
    monkeypatch.setenv(STATE, '{"commit": "0123456789abcdef", "uncommitted_changes": false}')
    for dataset in (*SETS, "estate"):
        rows = answers_of(dataset)
        with doing("average", "ab", []):
            path = results / f"rider2013/means/{dataset}.parquet"
            write_answers(rows[: 0 if dataset == "estate" else None], path, study="rider2013")
    return results


def test_means_give_the_areas_and_the_cells_of_all_repeats_to_the_last_bit(tmp_path):
    paths = [tmp_path / f"{name}.parquet" for name in SETS]
    for path in paths:
        write_answers(answers_of(path.stem), path, study="rider2013")
    records = read_all("records", paths)
    statistics = read_all("statistics", paths)

    averaged = tmp_path / "averaged.parquet"
    write_answers(mean_answers(records, statistics), averaged, study="rider2013")
    means = read_all("records", [averaged])
    assert len(means) == len(records) / 7
    for of in (_areas, aupr_cells):
        pd.testing.assert_frame_equal(
            of(_with_parameters(means)), of(_with_parameters(records)), check_exact=True
        )
    pd.testing.assert_frame_equal(read_all("statistics", [averaged]), statistics)


def test_finished_sets_are_kept_and_a_run_elsewhere_goes_on_from_them(run_of_two, tmp_path):
    reference = tmp_path / "results/reference/paper"
    assert [path.stem for path in finished(run_of_two, "rider2013")] == [*SETS]
    (line,) = keep(run_of_two, reference)
    assert line == "rider2013: unfinished, not kept; data sets kept: 2 by 012345678"
    assert verify(reference) == []

    elsewhere = tmp_path / "other/paper"
    own = elsewhere / "rider2013/means/pima.parquet"
    write_answers(answers_of("pima", repeats=2), own, study="rider2013")
    before = own.read_bytes()
    said = answered(run("reference", "resume", elsewhere, reference))
    assert said.strip().endswith("means: 1 by 012345678")
    assert own.read_bytes() == before, "what the run has finished itself stays"
    copied = elsewhere / "rider2013/means/sonar.parquet"
    assert copied.read_bytes() == (run_of_two / "rider2013/means/sonar.parquet").read_bytes()


def test_sets_of_uncommitted_sources_are_not_kept(run_of_two, tmp_path, monkeypatch):
    monkeypatch.setenv(STATE, '{"commit": "01", "uncommitted_changes": true}')
    with doing("average", "ab", []):
        write_answers(answers_of("wine"), run_of_two / "rider2013/means/wine.parquet")
    with pytest.raises(ValueError, match=r"wine\.parquet: computed by sources with uncommitted"):
        keep(run_of_two, tmp_path / "reference")
    refused(run("reference", "resume", tmp_path, tmp_path), "no finished data set")
