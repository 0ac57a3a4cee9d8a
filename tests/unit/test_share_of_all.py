"""The share of positives among all rows, which most packages call pi, in the place of alpha."""

import json

import numpy as np
import pytest

from pumetrics.assessment import assess, compare_scores
from pumetrics.cli import app
from pumetrics.inference import corrected_intervals
from pumetrics.label_frequency import alpha_from_pi
from pumetrics.methods import estimate_score

RNG = np.random.default_rng(0)
S = np.repeat([1, 0], [200, 800])
SCORE = RNG.normal(np.repeat([1.5, 1.5, 0.0], [200, 300, 500]))
METRICS = ["roc_auc", "average_precision"]


def scores_of(result):
    return [(each.metric, each.corrected, each.interval) for each in result.scores]


@pytest.mark.parametrize(("pi", "alpha"), [(0.5, 0.375), ((0.4, 0.5), (0.25, 0.375))])
def test_a_share_of_all_rows_is_the_alpha_that_it_means(pi, alpha):
    options = {"metrics": METRICS, "n_bootstrap": 20}
    ours = assess(S, SCORE, alpha=alpha, **options)
    theirs = assess(S, SCORE, pi=pi, **options)
    assert scores_of(theirs) == scores_of(ours)
    assert theirs.source.startswith("from pi = ")

    other = SCORE + RNG.normal(size=S.size)
    ours = compare_scores(S, SCORE, other, alpha=alpha, **options).first
    assert scores_of(compare_scores(S, SCORE, other, pi=pi, **options).first) == scores_of(ours)

    options |= {"random_state": 0}
    ours = corrected_intervals(s=S, y_score=SCORE, alpha=alpha, **options)
    theirs = corrected_intervals(s=S, y_score=SCORE, pi=pi, **options)
    assert (theirs, theirs.priors) == (ours, ours.priors)


@pytest.mark.parametrize("method", ["direct", "bounds_dkw", "f1_from_rho", "interval_sampling"])
def test_methods_take_any_of_the_three_shares(method):
    options = {"method": method, "threshold": 0.8, "random_state": 0}
    ours = estimate_score("f1", S, SCORE, alpha=0.375, **options)
    theirs = estimate_score("f1", S, SCORE, pi=0.5, **options)
    assert theirs == ours._replace(prior="pi")
    by_rho = estimate_score("f1", S, SCORE, rho=0.4, **options)
    assert by_rho.estimate == pytest.approx(ours.estimate)
    assert by_rho.prior == "rho"


def test_an_impossible_alpha_that_is_the_share_of_all_rows_is_named():
    s = np.repeat([1, 0], [500, 1000])
    score = RNG.normal(np.repeat([3.0, 3.0, 0.0], [500, 100, 900]))
    options = {"metrics": METRICS, "n_bootstrap": 0}
    (first, *_) = assess(s, score, alpha=0.4, **options).warnings
    assert "if 0.4 is the share among all rows, alpha is 0.1: give pi=0.4" in first
    assert assess(s, score, pi=0.4, **options).alpha == pytest.approx(0.1)


def test_it_is_the_share_of_a_labeling():
    y = RNG.random(500) < 0.4
    s = y & (RNG.random(500) < 0.5)
    alpha = alpha_from_pi(y.mean(), s.sum(), (~s).sum())
    assert alpha == pytest.approx(y[~s].mean())


@pytest.mark.parametrize(
    "given",
    [{"alpha": 0.3}, {"rho": 0.4}, {"noisy": True}, {"uncertainty": "guaranteed"}],
    ids=str,
)
def test_it_excludes_other_shares(given):
    with pytest.raises(ValueError, match="contradict"):
        assess(S, SCORE, pi=0.5, **given)


@pytest.mark.parametrize("pi", [0.1, 1.2, -0.1, np.nan, (0.5, 0.4), (0.3, 0.4, 0.5), "0.5"])
def test_a_share_that_no_alpha_gives_is_refused(pi):
    with pytest.raises(ValueError, match=r"^pi must"):
        assess(S, SCORE, pi=pi)


def test_the_command_takes_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savetxt("a.csv", np.column_stack([S, SCORE]), delimiter=",", header="s,score", comments="")
    found = []
    for alpha in ("pi=50%", "0.375"):
        command = ["evaluate", "a.csv", "--alpha", alpha, "--metric", "roc_auc", "--json"]
        app([*command, "--bootstrap", "0"], standalone_mode=False)
        answer = json.loads(capsys.readouterr().out)
        found.append((answer["alpha"], answer["scores"]))
    assert found[0] == found[1]
