"""Assessments by group: each equals the assessment of its rows alone."""

import numpy as np
import pandas as pd
import pytest

from pumetrics.assessment import assess, assess_by

QUICK = {"n_bootstrap": 12, "method": "elkan_noto_e3", "random_state": 0, "metrics": ["roc_auc", "f1"]}


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 1, 0], [120, 130, 350])
    s, group = np.repeat([1, 0], [120, 480]), rng.choice(["b", "a", "c"], 600, p=[0.5, 0.4, 0.1])
    return s, rng.normal(2.0 * y), group


@pytest.mark.parametrize("options", [{"alpha": 0.25}, {}, {"rho": 0.5}])
def test_a_group_is_assessed_as_if_it_were_alone(options, sample):
    s, score, group = sample
    rows = {"sample_weight": np.random.default_rng(1).random(600), "cluster": np.arange(600) // 2}
    found = assess_by(s, score, group, **QUICK, **options, **rows)
    assert [each.group for each in found] == ["a", "b", "c"]
    for each in found:
        chosen = group == each.group
        part = {name: values[chosen] for name, values in rows.items()}
        wanted = assess(s[chosen], score[chosen], **QUICK, **options, **part)
        assert found[each.group].scores == wanted.scores
        assert found[each.group].alpha == wanted.alpha
        assert found[each.group].warnings == wanted.warnings


def test_groups_with_other_alphas_get_their_own():
    rng = np.random.default_rng(0)
    hidden = {"poor": 0.1, "rich": 0.5}
    parts = []
    for name, alpha in hidden.items():
        y = np.repeat([1, 0], [300 + int(alpha * 1500), 1500 - int(alpha * 1500)])
        parts.append(pd.DataFrame({"s": np.arange(1800) < 300, "score": rng.normal(3.0 * y), "group": name}))
    table = pd.concat(parts, ignore_index=True)
    by_group = assess_by(table.s, table.score, table.group, n_bootstrap=0)
    assert by_group["poor"].alpha == pytest.approx(0.1, abs=0.07)
    assert by_group["rich"].alpha == pytest.approx(0.5, abs=0.1)


def test_the_table_has_one_row_per_group_and_says_what_is_missing(sample):
    s, score, group = sample
    group = np.where((np.arange(600) < 3) | (np.arange(600) > 590), "tiny", group.astype(object))
    group[100], group[300:303] = None, "unlabeled only"
    frame = assess_by(s, score, group, alpha=0.25, **QUICK).to_frame()
    assert list(frame.index) == ["a", "b", "c", "tiny", "unlabeled only", "no value"]
    assert frame["n_labeled"].sum() == 120
    assert frame.loc["tiny", ["roc_auc_lower", "roc_auc_upper"]].isna().all()
    assert np.isnan(frame.loc["tiny", "roc_auc"])
    assert "there is no interval: it needs at least 10 labeled" in frame.loc["tiny", "warnings"]
    assert frame.loc["unlabeled only", "warnings"] == "no labeled example"
    assert np.isnan(frame.loc["no value", "roc_auc"])
    assert (frame.loc["a", "f1_lower"] <= frame.loc["a", "f1"]) & (frame.loc["a", "f1"] <= frame.loc["a", "f1_upper"])


def test_a_group_that_fails_says_why_and_the_others_stand(sample):
    s, score, group = sample
    found = assess_by(s, np.where(group == "c", 1.0, score), group, alpha=0.25, **QUICK)
    reasons = {each.group: each.reason for each in found}
    assert reasons["a"] == reasons["b"] == ""
    assert reasons["c"].startswith("y_score is 1 for every example: constant scores")
    with pytest.raises(KeyError, match="group 'c' is not assessed: y_score is 1"):
        found["c"]
    with pytest.raises(KeyError, match="there is no group 'd': the groups are a, b, c"):
        found["d"]


def test_names_of_any_kind_are_sorted(sample):
    s, score, _ = sample
    numbers = np.arange(600) % 11
    assert [each.group for each in assess_by(s, score, numbers, alpha=0.25, **QUICK)] == list(range(11))
    mixed = np.array([1, "x"], dtype=object)[numbers % 2]
    assert [each.group for each in assess_by(s, score, mixed, alpha=0.25, **QUICK)] == [1, "x"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": np.arange(600)}, "groups holds 600 different values, more than 200"),
        ({"groups": np.zeros(599)}, "lengths differ: s has 600, y_score has 600, groups has 599"),
        ({"groups": np.zeros((600, 2))}, "groups must be one-dimensional"),
        ({"confidence": 95}, "no group can be assessed: a: confidence must lie in"),
        ({"sample_weight": np.ones(3)}, "lengths differ: .*sample_weight has 3"),
    ],
)
def test_bad_groups_are_named(change, message, sample):
    s, score, group = sample
    with pytest.raises(ValueError, match=message):
        assess_by(s, score, **{"groups": group, "alpha": 0.25, **QUICK, **change})
