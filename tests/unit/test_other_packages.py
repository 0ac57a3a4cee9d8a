"""Rows of the table of docs/alpha.md, tried with the packages themselves where they are installed."""

import numpy as np
import pytest

from pumetrics.label_frequency import alpha_from_pi, alpha_from_rho
from pumetrics.metrics import pu_precision_score

LABELED, HIDDEN, NEGATIVE = 400, 600, 1000
PI = 0.5
ALPHA = 0.375
S = np.repeat([1, 0], [LABELED, HIDDEN + NEGATIVE])
Y = np.repeat([1, 0], [LABELED + HIDDEN, NEGATIVE])
X = np.random.default_rng(0).normal(4.0 * Y[:, None], size=(2000, 2))


def test_pulearn_takes_and_gives_the_share_of_all_rows_but_for_auc():
    pulearn = pytest.importorskip("pulearn")
    for name in ("HistogramMatchPriorEstimator", "ScarEMPriorEstimator"):
        found = getattr(pulearn.priors, name)().fit(X, S).result_
        hidden = found.metadata["hidden_positive_fraction"]
        assert alpha_from_pi(found.pi, LABELED, HIDDEN + NEGATIVE) == pytest.approx(hidden), name

    theirs = pulearn.metrics.pu_precision_score(S, Y, pi=PI)
    assert theirs == pytest.approx(pu_precision_score(S, Y, alpha=ALPHA))
    assert theirs == pytest.approx(1)
    assert pulearn.metrics.pu_roc_auc_score(S, 1.0 * Y, pi=ALPHA) == pytest.approx(1)
    assert pulearn.metrics.pu_roc_auc_score(S, 1.0 * Y, pi=PI) > 1.1


def test_pu_toolbox_gives_the_share_of_the_unlabeled_or_of_all_rows():
    pu_toolbox = pytest.importorskip("pu_toolbox")
    for name in ("KernelMeanPriorEstimator", "ClassPriorEstimator"):
        found = getattr(pu_toolbox, name)().fit(X, S).class_prior_
        assert found == pytest.approx(ALPHA, abs=0.05), name

    model = pu_toolbox.ElkanNotoClassifier().fit(X, S)
    assert model.class_prior_ == pytest.approx(LABELED / S.size / model.propensity_)
    rho = model.propensity_
    assert alpha_from_rho(rho, LABELED, HIDDEN + NEGATIVE) == pytest.approx(
        alpha_from_pi(model.class_prior_, LABELED, HIDDEN + NEGATIVE)
    )
