"""What the base installation holds and answers; run by .ci/library in an environment without extras."""

from importlib.util import find_spec

import numpy as np

EXTRAS = ("matplotlib", "numba", "openml", "pyarrow", "seaborn", "snakemake", "torch")


def check_what_came():
    """No extra may come with the base installation."""
    there = [name for name in EXTRAS if find_spec(name)]
    assert not there, f"pip install . brought {', '.join(there)}"


def check_answers():
    """Each part of the library answers on a sample whose truth is known."""
    from sklearn.metrics import roc_auc_score

    from pumetrics.assessment import assess
    from pumetrics.bounds import contingency_bounds, metric_bounds, rank_cdf_band
    from pumetrics.inference import corrected_intervals, inversions
    from pumetrics.label_frequency import estimated_f1_score, lee_liu_score
    from pumetrics.labeling import scar
    from pumetrics.methods import available_methods, estimate_score
    from pumetrics.metrics import max_score, pu_roc_auc_score
    from pumetrics.priors import available_priors, estimate_priors
    from pumetrics.recovery import recover_auc
    from pumetrics_workflow.models.ensemble import BaggedMLPClassifier

    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.4).astype(int)
    score = rng.normal(2.0 * y)
    s = scar(y, label_frequency=0.5, random_state=0)
    alpha = (y[s == 0] == 1).mean()
    truth = (score[y == 1][:, None] > score[y == 0]).mean()
    auc = pu_roc_auc_score(s, score, alpha=alpha)
    assert abs(auc - truth) < 0.02, (auc, truth)
    assert abs(recover_auc(roc_auc_score(s, score), alpha=alpha) - truth) < 0.02
    for method in available_methods("roc_auc"):
        given = None if method in ("interval_calibrated", "interval_guaranteed") else alpha
        answer = estimate_score("roc_auc", s, score, method=method, alpha=given, random_state=0)
        assert 0.5 < answer.estimate <= 1, (method, answer)
    assert abs(assess(s, score, metrics=["roc_auc"]).scores[0].corrected - truth) < 0.1
    assert max_score("f1", s, score, alpha=alpha)[0] > 0.7
    for method in available_priors():
        estimate = estimate_priors(
            score[s == 1], score[s == 0], method=method, random_state=0
        ).alpha
        assert abs(estimate - alpha) < 0.25, (method, estimate, alpha)
    (interval,) = corrected_intervals(
        ["roc_auc"], s, score, alpha=alpha, n_bootstrap=50, random_state=0
    ).values()
    assert interval.lower < truth < interval.upper
    few = np.arange(300)
    low, high = metric_bounds(s[few], score[few], metric="f1", alpha=0.2)
    assert np.nanmax(low) <= np.nanmax(high)
    assert rank_cdf_band(s[few], score[few], alpha=0.2) is not None
    assert contingency_bounds(s[few], score[few], alpha=0.2) is not None
    predicted = (score > 1).astype(int)
    assert 0.6 < estimated_f1_score(s, predicted, rho=0.5) < 1
    assert lee_liu_score(s, predicted) > 1
    assert inversions(rng.random(500), rng.random(500)) > 0
    model = BaggedMLPClassifier(5, engine="numpy", random_state=0).fit(score[:, None], s)
    assert model.oob_decision_function_.shape == s.shape


if __name__ == "__main__":
    check_what_came()
    check_answers()
