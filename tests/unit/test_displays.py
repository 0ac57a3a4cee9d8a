"""Displays draw what the curve functions compute, take what scikit-learn's take, and shade what the bounds say."""

import doctest

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from pumetrics import displays, metrics
from pumetrics.bounds import roc_bounds
from pumetrics.displays import PUPrecisionRecallDisplay, PURocCurveDisplay

mpl.use("Agg")
BOTH = pytest.mark.parametrize("display", [PURocCurveDisplay, PUPrecisionRecallDisplay])


@pytest.fixture(autouse=True)
def closed_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(100, bool), rng.random(500) < 0.3]
    return np.repeat([1, 0], [100, 500]), rng.normal(2.0 * y)


def test_the_roc_display_draws_the_corrected_curve(sample):
    drawn = PURocCurveDisplay.from_predictions(*sample, alpha=0.3, name="model")
    fpr, tpr, _ = metrics.pu_roc_curve(*sample, alpha=0.3)
    np.testing.assert_array_equal(drawn.line_.get_xdata(), fpr)
    np.testing.assert_array_equal(drawn.line_.get_ydata(), tpr)
    assert drawn.area == pytest.approx(metrics.pu_roc_auc_score(*sample, alpha=0.3))
    assert drawn.uncorrected[2] == pytest.approx(metrics.pu_roc_auc_score(*sample, alpha=0))
    assert drawn.bounds[3] == roc_bounds(*sample, alpha=0.3).auc
    shown = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert shown[2] == f"model, corrected ({drawn.area:.3f})"
    assert drawn.ax_.get_xlabel() == "False positive rate"
    assert drawn.figure_ is drawn.ax_.figure


def test_the_precision_recall_display_draws_the_corrected_curve(sample):
    drawn = PUPrecisionRecallDisplay.from_predictions(*sample, alpha=0.3)
    precision, recall, _ = metrics.pu_precision_recall_curve(*sample, alpha=0.3)
    np.testing.assert_array_equal(drawn.line_.get_xdata(), recall[::-1])
    np.testing.assert_array_equal(drawn.line_.get_ydata(), precision[::-1])
    assert drawn.area == pytest.approx(metrics.pu_average_precision_score(*sample, alpha=0.3))
    low, high = drawn.bounds[3]
    assert low < drawn.area < high


@BOTH
def test_the_shaded_region_grows_with_a_range_of_alpha(display, sample):
    one, wide = (display.from_predictions(*sample, alpha=0.3, alpha_range=ends) for ends in (None, (0.2, 0.4)))
    assert (wide.bounds[1] <= one.bounds[1] + 1e-9).all()
    assert (wide.bounds[2] >= one.bounds[2] - 1e-9).all()
    assert (one.bounds[1] <= one.bounds[2]).all()
    assert wide.area == one.area


@BOTH
def test_lists_and_pandas_do_as_well_as_arrays(display, sample):
    s, score = sample
    expected = display.from_predictions(s, score, alpha=0.3).area
    assert display.from_predictions(s.tolist(), score.tolist(), alpha=0.3).area == expected
    index = np.arange(len(s))[::-1]
    assert display.from_predictions(pd.Series(s, index), pd.Series(score, index), alpha=0.3).area == expected


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
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    drawn = display.from_predictions(*sample, alpha=0.3, bounds=False, ax=ax)
    assert drawn.ax_ is ax
    assert drawn.bounds is None
    assert not ax.collections
    assert display.from_predictions(*sample, alpha=0.3, beta=0.9).bounds is None  # bounds take labels at their word
    assert drawn.plot().ax_ is not ax


@BOTH
def test_no_hidden_positives_is_no_error(display, sample):
    display.from_predictions(*sample, alpha=0.0)


@BOTH
def test_bad_input_is_named(display, sample):
    with pytest.raises(ValueError, match="alpha must be smaller than beta"):
        display.from_predictions(*sample, alpha=1.0)
    with pytest.raises(ValueError, match="lengths differ"):
        display.from_predictions([1, 0], [0.1, 0.2, 0.3], alpha=0.1)


def test_a_long_curve_is_thinned_but_keeps_its_shape():
    x = np.sort(np.random.default_rng(0).random(100_000))
    x[0], x[-1] = 0, 1
    few_x, few_y = displays._thinned(x, np.sqrt(x))
    assert len(few_x) <= displays._MOST_POINTS + 2
    assert (few_x[0], few_x[-1], few_y[0], few_y[-1]) == (0, 1, 0, 1)
    assert np.trapezoid(few_y, few_x) == pytest.approx(2 / 3, abs=1e-4)


def test_examples_in_docstrings_are_true():
    found = doctest.testmod(displays)
    assert found.attempted > 0
    assert found.failed == 0
