"""What every labeling must do, over the whole registry; and what each kind says of itself (docs/adding.md)."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.labelings import (
    LABELINGS,
    SUPERVISED,
    Source,
    draw,
    kind_and_strength,
    shortage,
    situation,
)
from pumetrics_workflow.sample_sizes import CappedSample, LargestSample

FRAME = generate(
    "gaussians_contract", {"size": 900, "dimension": 4, "share": 0.4, "nominal_features": 1}
)
STRENGTHS = {
    SUPERVISED: None,
    "beta": 0.9,
    "sar_score": 4.0,
    "sar_feature": 4.0,
}  # the others take a share
SAMPLE = LargestSample(n_unlabeled=(300,), labeled_ratio=0.2, betas=(0.9,))
CAPPED = CappedSample(labeled_large=1000, labeled_small=100, unlabeled_at_most=10_000)


def named(kind, strength):
    return kind if strength is None else f"{kind}={strength:g}"


def source(**options):
    return Source(FRAME, feature="x1", n_folds=3, **{"sample": SAMPLE, **options})


def check_labeling(kind, strength):
    """Hold one entry of the registry to what every labeling must do."""
    name = named(kind, strength)
    assert kind_and_strength(name) == (kind, strength)
    assert situation(name)
    assert not shortage([name], 10**5, 10**5, sample=SAMPLE)
    assert shortage([name], 1, 1, sample=SAMPLE), (
        "a set with one positive must be refused, with the reason"
    )
    first, again = (draw(source(), name, 7) for _ in range(2))
    assert len(first.rows) == len(first.s)
    assert (np.diff(first.rows) > 0).all(), "a row is drawn twice, or rows are not in order"
    assert 0 <= first.rows[0] <= first.rows[-1] < len(FRAME)
    assert set(np.unique(first.s)) in ({0, 1}, {-1, 0, 1}), f"{name}: labels {np.unique(first.s)}"
    np.testing.assert_array_equal(first.rows, again.rows, "the same seed must draw the same")
    np.testing.assert_array_equal(first.s, again.s, "the same seed must draw the same")
    assert (first.removed == "x1") == LABELINGS[kind].hides_feature


@pytest.mark.parametrize("kind", LABELINGS)
def test_labeling(kind):
    check_labeling(kind, STRENGTHS.get(kind, 0.5))


@pytest.mark.parametrize("kind", ["scar", "bcar", "bar", "bnar", "sar_score", "sar_feature"])
def test_whole_sample_labelings_label_the_rows_they_are_given_and_positives_only(kind):
    rows = np.arange(1, 900, 2)
    drawn = draw(source(rows=rows), named(kind, STRENGTHS.get(kind, 0.6)), 0)
    y = FRAME["y"].to_numpy()[rows]
    np.testing.assert_array_equal(drawn.rows, rows)
    assert (drawn.s <= y).all(), "a negative was labeled"
    share = drawn.s.sum() / y.sum()
    expected = {"scar": 0.6, "sar_score": 0.5, "sar_feature": 0.5}.get(kind, 0.4)
    assert share == pytest.approx(expected, abs=0.1)


@settings(max_examples=30)
@given(
    kind=st.sampled_from(["bcar", "bar", "bnar"]),
    low=st.floats(0, 1),
    high=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_flips_are_nested(kind, low, high, seed):
    low, high = sorted((round(low, 4), round(high, 4)))
    few, many = (
        draw(source(), f"{kind}={strength}", seed, least_labeled=0).s for strength in (low, high)
    )
    assert (many <= few).all(), "an example hidden at a small share must be hidden at a larger one"


@settings(max_examples=20)
@given(beta=st.floats(0.7, 1), seed=st.integers(0, 99))
def test_sampled_labelings_have_the_stated_shares(beta, seed):
    beta = round(beta, 3)
    drawn = draw(source(sample=LargestSample((300,), 0.2, (beta,))), f"beta={beta:g}", seed)
    assert len(drawn.s) == 360
    assert FRAME["y"].to_numpy()[drawn.rows][drawn.s == 1].sum() == round(beta * 60)


def test_flips_are_the_same_with_and_without_the_feature():
    bar, bnar = (draw(source(), f"{kind}=0.6", 3) for kind in ("bar", "bnar"))
    np.testing.assert_array_equal(bar.s, bnar.s)
    assert (bar.removed, bnar.removed) == (None, "x1")


def test_labels_by_score_prefer_easy_positives():
    frame = generate("gaussians", {"size": 600, "dimension": 3, "share": 0.5})
    s = draw(Source(frame, n_folds=3), "sar_score=6", 0).s
    y = frame["y"].to_numpy()
    features = frame.drop(columns="y").to_numpy()
    direction = features[y == 1].mean(axis=0) - features[y == 0].mean(axis=0)
    score = features @ direction / np.linalg.norm(direction)
    assert score[s == 1].mean() > score[(y == 1) & (s == 0)].mean() + 0.3


def test_the_supervised_labeling_shows_true_labels_and_the_others_do_not():
    frame = pd.DataFrame({"x": 0.0, "y": np.repeat([1, 0], [400, 600])})
    whole = Source(frame, sample=CAPPED)
    rows, s, _ = draw(whole, SUPERVISED, 1)
    assert len(rows) == 1000
    np.testing.assert_array_equal(s, frame["y"].to_numpy()[rows])
    rows, s, _ = draw(whole, "beta=0.75", 1)
    assert s.sum() == 100
    assert frame["y"].to_numpy()[rows][s == 1].mean() == 0.75
    assert CAPPED.sizes(5_000, 20_000) == (1_000, 10_000)
    assert "90 positives" in shortage(["beta=1"], 90, 500, sample=CAPPED)["beta=1"]


def test_what_is_short_is_said_by_labeling():
    reasons = shortage(["bar=0.5", "bar=0.9"], 10, 90)
    assert reasons == {"bar=0.9": "1 of 10 positives would keep their label"}
    assert not shortage(["bar=0.9"], 20, 90)
    with pytest.raises(
        ValueError, match=r"bcar=0.99 leaves \d+ labeled examples, at least 10 are needed"
    ):
        draw(source(), "bcar=0.99", 0, least_labeled=10)


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="unknown kind of labeling 'mcar': choose one of"):
        situation("mcar=1")
