"""Displays draw what the curve functions compute, take what scikit-learn's take, and shade what the bounds say."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from samples import gaussian
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from pumetrics import metrics
from pumetrics.bounds import roc_bounds, score_bounds
from pumetrics.counts import count_scores
from pumetrics.displays import (
    PUAlphaDisplay,
    PUPrecisionRecallDisplay,
    PURocDisplay,
    PUThresholdDisplay,
)
from pumetrics.displays._base import MODEL_COLORS, MOST_POINTS, thinned

mpl.use("Agg")
CURVES = (PURocDisplay, PUPrecisionRecallDisplay)
BOTH = pytest.mark.parametrize("display", CURVES)
ALL = (*CURVES, PUThresholdDisplay, PUAlphaDisplay)


def legend(drawn):
    return [text.get_text() for text in drawn.ax_.get_legend().get_texts()]


def inside(drawn):
    """Share of the curve, but for its ends, within its band."""
    x, lower, upper = drawn.interval
    curve = np.interp(x, drawn.x, drawn.y)
    return np.mean(((lower - 0.02 <= curve) & (curve <= upper + 0.02))[(x > 0.1) & (x < 0.9)])


@pytest.fixture(scope="module")
def sample():
    return gaussian(0, 100, 500)[:2]


def test_the_roc_display_draws_the_corrected_curve_with_its_bounds(sample):
    drawn = PURocDisplay.from_predictions(*sample, alpha=0.3, name="model")
    fpr, tpr, _ = metrics.pu_roc_curve(*sample, alpha=0.3)
    np.testing.assert_array_equal(drawn.line_.get_xydata(), np.transpose([fpr, tpr]))
    assert drawn.area == pytest.approx(metrics.pu_roc_auc_score(*sample, alpha=0.3))
    assert drawn.uncorrected[2] == pytest.approx(metrics.pu_roc_auc_score(*sample, alpha=0))
    assert drawn.bounds[3] == roc_bounds(*sample, alpha=0.3).auc
    assert f"model, corrected ({drawn.area:.3f})" in legend(drawn)
    assert drawn.ax_.get_xlabel() == "False positive rate"
    assert drawn.figure_ is drawn.ax_.figure


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_precision_recall_display_draws_the_corrected_curve_with_its_bounds(population, sample):
    options = {"alpha": 0.3, "population": population}
    drawn = PUPrecisionRecallDisplay.from_predictions(*sample, n_bootstrap=20, **options)
    precision, recall, _ = metrics.pu_precision_recall_curve(*sample, **options)
    np.testing.assert_array_equal(drawn.line_.get_xydata(), np.transpose([recall, precision])[::-1])
    assert drawn.area == pytest.approx(metrics.pu_average_precision_score(*sample, **options))
    name = "average_precision"
    assert drawn.bounds[3] == pytest.approx(score_bounds([name], *sample, **options)[name])
    assert drawn.chance[0] == pytest.approx((100 + 0.3 * 500) / 600 if population == "all" else 0.3)
    assert population in drawn.ax_.get_ylabel()
    assert inside(drawn) > 0.95


def test_without_a_hidden_positive_precision_among_the_unlabeled_has_no_bounds(sample):
    for alpha, ends in (
        (0.0, None),
        (0.0019, None),
        (0.0019, (0.001, 0.0019)),
    ):  # of 500 unlabeled: less than one
        options = {"alpha": alpha, "alpha_range": ends, "population": "unlabeled"}
        assert PUPrecisionRecallDisplay.from_predictions(*sample, **options).bounds is None


@BOTH
def test_the_shaded_region_grows_with_a_range_of_alpha(display, sample):
    one, wide = (
        display.from_predictions(*sample, alpha=0.3, alpha_range=ends)
        for ends in (None, np.array([0.2, 0.4]))
    )
    assert (wide.bounds[1] <= one.bounds[1] + 1e-9).all()
    assert (wide.bounds[2] >= one.bounds[2] - 1e-9).all()
    assert (one.bounds[1] <= one.bounds[2]).all()
    assert wide.area == one.area


@BOTH
@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC()])
def test_a_fitted_model_is_drawn_by_its_scores(display, model, sample):
    s, score = sample
    fitted = model.fit(score[:, None], s)
    drawn = display.from_estimator(fitted, score[:, None], s, alpha=0.3)
    assert drawn.area == pytest.approx(display.from_predictions(s, score, alpha=0.3).area)
    assert drawn.name == type(model).__name__


@BOTH
def test_it_draws_where_it_is_told_and_shades_on_request(display, sample):
    _, ax = plt.subplots()
    drawn = display.from_predictions(*sample, alpha=0.3, bounds=False, ax=ax)
    assert drawn.ax_ is ax
    assert drawn.bounds is None
    assert not ax.collections
    assert (
        display.from_predictions(*sample, alpha=0.3, beta=0.9).bounds is None
    )  # bounds take labels at their word
    assert drawn.plot().ax_ is not ax


def test_a_long_curve_is_thinned_but_keeps_its_shape():
    x = np.sort(np.random.default_rng(0).random(100_000))
    x[0], x[-1] = 0, 1
    few_x, few_y = thinned(x, np.sqrt(x))
    assert len(few_x) <= MOST_POINTS + 2
    assert (few_x[0], few_x[-1], few_y[0], few_y[-1]) == (0, 1, 0, 1)
    assert np.trapezoid(few_y, few_x) == pytest.approx(2 / 3, abs=1e-4)


@pytest.fixture(scope="module")
def known():
    """A sample with its true class: a quarter of the unlabeled is positive."""
    return gaussian(2, 1000, 4000, alpha=0.25)


def test_the_sweep_is_near_precision_recall_and_f1_of_the_true_class(known):
    s, score, y = known
    drawn = PUThresholdDisplay.from_predictions(s, score, alpha=0.25, n_bootstrap=50)
    for threshold in (0.0, 1.0, 2.0):
        flagged = score >= threshold
        hits = (flagged & (y == 1)).sum()
        truth = {
            "precision": hits / flagged.sum(),
            "recall": hits / y.sum(),
            "f1": 2 * hits / (flagged.sum() + y.sum()),
        }
        for name, value in truth.items():
            at = np.searchsorted(-drawn.thresholds, -threshold, side="right") - 1
            assert drawn.values[name][at] == pytest.approx(value, abs=0.06), (
                f"{name} at {threshold}"
            )
    best, threshold = metrics.max_score("f1", s, score, alpha=0.25)
    assert drawn.threshold == threshold
    assert drawn.values["f1"].max() == pytest.approx(best)
    marks = [line.get_xdata()[0] for line in drawn.ax_.lines if line.get_linestyle() == ":"]
    assert marks == [threshold]


def test_precision_and_f1_of_the_unlabeled_are_swept_where_these_are_meant(known):
    options = {"alpha": 0.25, "population": "unlabeled"}
    drawn = PUThresholdDisplay.from_predictions(*known[:2], **options, n_bootstrap=10)
    flagged = (known[1] >= drawn.threshold).astype(int)
    at = list(drawn.thresholds).index(drawn.threshold)
    assert drawn.values["precision"][at] == pytest.approx(
        metrics.pu_precision_score(known[0], flagged, **options)
    )
    precision, recall, f1 = (drawn.values[name][at] for name in ("precision", "recall", "f1"))
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert f1 == drawn.values["f1"].max()
    thresholds, lower, upper = drawn.intervals["precision"]
    inside = np.interp(-thresholds, -drawn.thresholds, drawn.values["precision"])
    assert np.mean((lower - 0.02 <= inside) & (inside <= upper + 0.02)) > 0.95


def test_a_metric_above_1_lies_within_the_axes(sample):
    drawn = PUAlphaDisplay.from_predictions(*sample, alpha=0.3, metrics=["lift_at_10"])
    assert 1 < drawn.values["lift_at_10"].max() < drawn.ax_.get_ylim()[1]


def test_metrics_are_drawn_against_alpha_with_its_range_and_bound(sample):
    drawn = PUAlphaDisplay.from_predictions(
        *sample, alpha=0.3, alpha_interval=(0.2, 0.35), metrics=["roc_auc", "f1"]
    )
    at = int(np.argmin(np.abs(drawn.alphas - 0.3)))
    alpha = float(drawn.alphas[at])
    assert drawn.values["roc_auc"][at] == pytest.approx(
        metrics.pu_roc_auc_score(*sample, alpha=alpha)
    )
    assert drawn.values["f1"][at] == pytest.approx(metrics.max_score("f1", *sample, alpha=alpha)[0])
    assert drawn.alphas[0] == 0
    assert drawn.alphas[-1] > max(drawn.alpha_bound, 0.35)
    shown = " ".join(legend(drawn))
    for words in (
        "alpha 0.200 to 0.350",
        "alpha used: 0.300",
        f"alpha at most {drawn.alpha_bound:.3f}",
        "best F1",
    ):
        assert words in shown
    for population in ("all", "unlabeled"):
        about = {"metrics": ["average_precision"], "population": population}
        drawn = PUAlphaDisplay.from_predictions(*sample, alpha=0.3, **about)
        truth = metrics.pu_average_precision_score(
            *sample, alpha=float(drawn.alphas[20]), population=population
        )
        assert drawn.values["average_precision"][20] == pytest.approx(truth), population
    one = PUAlphaDisplay.from_predictions(
        *sample, alpha=0.3, metrics=["f1"], threshold=0.5, beta=0.9
    )
    assert one.alpha_bound is None
    assert legend(one)[0] == "F1"


@BOTH
def test_bands_hold_the_curve_and_shrink_with_the_sample(display, known):
    s, score, _ = known
    widths = []
    for rows in (slice(None), slice(None, None, 10)):
        drawn = display.from_predictions(s[rows], score[rows], alpha=0.25, n_bootstrap=60)
        x, lower, upper = drawn.interval
        assert (lower <= upper).all()
        assert inside(drawn) > 0.95
        widths.append(np.mean((upper - lower)[(x > 0.1) & (x < 0.9)]))
    assert widths[0] < 0.6 * widths[1]


@BOTH
def test_a_range_of_alpha_widens_the_band(display, sample):
    one, wide = (
        display.from_predictions(*sample, alpha=0.3, alpha_range=ends, n_bootstrap=30)
        for ends in (None, (0.1, 0.4))
    )
    assert (wide.interval[2] - wide.interval[1]).mean() >= (
        one.interval[2] - one.interval[1]
    ).mean()
    again = display.from_predictions(*sample, alpha=0.3, n_bootstrap=30)
    np.testing.assert_array_equal(one.interval[1], again.interval[1])


@BOTH
def test_models_in_the_same_axes_get_a_color_and_a_line_style_each(display, sample):
    s, score = sample
    first = display.from_predictions(s, score, alpha=0.3, name="first")
    second = display.from_predictions(s, -score, alpha=0.3, name="second", ax=first.ax_)
    assert [first.line_.get_color(), second.line_.get_color()] == list(MODEL_COLORS[:2])
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    third = display.from_predictions(s, score, alpha=0.3, color="#123456", ax=first.ax_)
    assert third.line_.get_color() == "#123456"
    labels = legend(third)
    assert labels.count("random ranking") == 1
    assert [label.split(",")[0] for label in labels if ", corrected" in label] == [
        "first",
        "second",
    ]


class Trio:
    def predict_proba(self, X):
        return np.full((len(X), 3), 1 / 3)


@pytest.mark.parametrize("display", ALL)
def test_what_cannot_be_drawn_is_refused_in_one_line(display, sample):
    s, score = sample
    X = score[:, None]
    for estimator, words in (
        (
            LinearRegression().fit(X, s),
            "LinearRegression has no .* use a classifier.* from_predictions",
        ),
        (LogisticRegression, "is a class: pass a fitted classifier"),
        (Trio(), "use a classifier of two classes"),
        (LogisticRegression(), "not fitted"),
        (
            LogisticRegression().fit(X, np.where(s, "fraud", "unknown")),
            "'unknown' comes last.* fit it to 1 .labeled. and 0",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            display.from_estimator(estimator, X, s, alpha=0.3)
    with pytest.raises(ValueError, match="lengths differ"):
        display.from_predictions(s[:-1], score, alpha=0.3)
    with pytest.raises(ValueError, match="alpha"):
        display.from_predictions(s, score, alpha=1.0)
    with pytest.raises(ValueError, match="n_bootstrap"):
        display.from_predictions(s, score, alpha=0.3, n_bootstrap=-1)
    if display is PUAlphaDisplay:
        with pytest.raises(ValueError, match="metric must be one of"):
            display.from_predictions(s, score, metrics=["gini"])


def test_a_sweep_marks_the_threshold_that_is_given(sample):
    drawn = PUThresholdDisplay.from_predictions(*sample, alpha=0.3, threshold=1.5, name="model")
    assert drawn.threshold == 1.5
    assert drawn.ax_.get_title() == "model"
    assert count_scores(*sample).thresholds[1] >= drawn.thresholds[0]
    outside = PUThresholdDisplay.from_predictions(*sample, alpha=0.3, threshold=50.0)
    assert outside.ax_.get_xlim()[1] > 50


@pytest.mark.parametrize("wrapped", [False, True])
def test_outlier_detectors_whose_scores_are_high_for_inliers_are_refused(wrapped):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    s = np.repeat([1, 0], [20, 80])
    detector = IsolationForest(n_estimators=5, random_state=0)
    fitted = (make_pipeline(StandardScaler(), detector) if wrapped else detector).fit(X)
    for display in (PURocDisplay, PUPrecisionRecallDisplay, PUThresholdDisplay, PUAlphaDisplay):
        with pytest.raises(
            ValueError, match=r"outlier detectors score inliers higher.*from_predictions"
        ):
            display.from_estimator(fitted, X, s, alpha=0.1)
