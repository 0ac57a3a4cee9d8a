"""Rows without a score, such as those that a ranker did not list: lowest, left out, or refused, by every function."""

import numpy as np
import pandas as pd
import pytest
from commands import answered, as_json, fill_in, refused, run, text_of, words_of

from pumetrics.assessment import assess, compare_scores
from pumetrics.checks import plan_checks
from pumetrics.inference import corrected_intervals
from pumetrics.metrics import pu_roc_auc_score

ALPHA = 0.13
ASKED = ["--alpha", ALPHA, "--bootstrap", 0]


class Lists:
    """Two rankers that write the top of their ranking only, the second is better, and the truth."""

    def __init__(self, seed=0, n=2000, lengths=(300, 500)):
        rng = np.random.default_rng(seed)
        self.y = (rng.random(n) < 0.2).astype(int)
        self.s = self.y * (rng.random(n) < 0.4)
        self.whole = [rng.normal(size=n) + shift * self.y for shift in (0.8, 1.5)]
        self.scores = []
        for score, length in zip(self.whole, lengths, strict=True):
            self.scores.append(np.where(score >= np.sort(score)[-length], score, np.nan))
        self.lowest = [np.where(np.isnan(each), -1e9, each) for each in self.scores]

    def write(self):
        """One file with both, and a file for each with the rows of its list."""
        table = pd.DataFrame({"id": np.arange(len(self.s)), "s": self.s})
        table["old"], table["new"] = self.scores
        table.to_csv("lists.csv", index=False)
        for name in ("old", "new"):
            table[table[name].notna()].to_csv(f"{name}.csv", index=False)


@pytest.fixture
def lists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Lists()
    made.write()
    return made


def scores_of(found):
    return {each["metric"]: each["corrected"] for each in found["scores"]}


EVALUATE = ["evaluate", "lists.csv", "--score", "new", *ASKED]


def test_such_rows_are_refused_with_both_ways_as_commands(lists):
    missing = np.isnan(lists.scores[1])
    labeled = int(lists.s[missing].sum())
    counted = f"1,500 of 2,000 rows ({labeled} labeled, {1500 - labeled:,} unlabeled)"
    for command in (EVALUATE, ["audit", "lists.csv", "--score", "new", "--threshold", 1]):
        typed = " ".join(map(str, ["pumetrics", *command]))
        ways = [f"{typed} --unscored {way}" for way in ("lowest", "skip")]
        refused(run(*command), counted, *ways)
        for way in ways:
            answered(run(*way.split()[1:]))
    refused(run("compare-models", "lists.csv", "--score", "old", "--score", "new"), "--unscored")
    refused(
        run(
            "compare-models", "old.csv", "new.csv", "--score", "old", "--score", "new", "--id", "id"
        ),
        "--unscored lowest",
    )
    with pytest.raises(ValueError, match=r"\(\d+ labeled.* unscored='lowest' .* unscored='skip'"):
        assess(lists.s, lists.scores[1], alpha=ALPHA)
    with pytest.raises(ValueError, match=r"second_score is NaN .* unscored='skip'"):
        compare_scores(lists.s, lists.whole[0], lists.scores[1], alpha=ALPHA)
    with pytest.raises(ValueError, match=r"rank below all others with -np\.inf"):
        pu_roc_auc_score(lists.s, lists.scores[1], alpha=ALPHA)


def test_rows_that_a_model_did_not_list_rank_below_all_others(lists):
    s, score = lists.s, lists.scores[1]
    asked = ["--threshold", 1.5, "--at", 1000, "--at", 400, "--unscored", "lowest"]
    found = as_json(*EVALUATE, *asked)
    scores = scores_of(found)
    flagged = score >= 1.5
    positives = s.sum() + ALPHA * (s == 0).sum()
    found_positives = s[flagged].mean() * flagged.sum() / s.sum() * positives
    assert scores["recall"] == pytest.approx(s[flagged].sum() / s.sum())
    assert scores["f1"] == pytest.approx(2 * found_positives / (flagged.sum() + positives))
    listed = s[~np.isnan(score)].sum() / s.sum()
    assert scores["recall_at_1000"] == pytest.approx(listed + (1 - listed) / 3)  # 500 of 1,500
    assert scores["recall_at_400"] == pytest.approx(
        s[score >= np.sort(lists.whole[1])[-400]].sum() / s.sum()
    )

    metrics = {
        "metrics": None,
        "threshold": 1.5,
        "at": (1000, 400),
        "n_bootstrap": 0,
        "alpha": ALPHA,
    }
    for values, options in (
        (lists.lowest[1], {}),
        (score, {"unscored": "lowest"}),
        (np.where(np.isnan(score), -np.inf, score), {}),
        (pd.Series(score, dtype="Float64"), {"unscored": "lowest"}),
    ):
        same = assess(s, values, **metrics, **options)
        assert scores == pytest.approx({each.metric: each.corrected for each in same.scores})
    assert (found["n_labeled"], found["n_unlabeled"]) == (s.sum(), (s == 0).sum())
    assert same.unscored._asdict() == found["unscored"]
    assert found["unscored"] == {
        "rows": 1500,
        "labeled": int(s[np.isnan(score)].sum()),
        "of": 2000,
        "treated": "lowest",
    }


@pytest.mark.slow
def test_where_such_rows_are_left_out_every_form_says_so(lists):
    s, score = lists.s, lists.scores[1]
    listed = ~np.isnan(score)
    asked = [*EVALUATE, "--threshold", 1.5, "--unscored", "skip"]
    found = as_json(*asked)
    wanted = assess(s[listed], score[listed], alpha=ALPHA, threshold=1.5, n_bootstrap=0)
    same = assess(s, score, alpha=ALPHA, threshold=1.5, n_bootstrap=0, unscored="skip")
    assert scores_of(found) == {each.metric: each.corrected for each in wanted.scores}
    assert same.scores == wanted.scores
    assert found["unscored"]["treated"] == same.unscored.treated == "skip"
    shown = answered(run(*asked, "--report", "page.html"))
    for text in (shown, text_of("page.html"), same._repr_html_()):
        assert "Scored rows only: without the 1,500 of 2,000 rows" in words_of(text)


def test_labels_as_text_are_counted_alike(lists):
    told = [
        assess(labels, lists.scores[0], alpha=ALPHA, n_bootstrap=0, unscored="lowest").unscored
        for labels in (lists.s, lists.s.astype(str), lists.s.astype(bool))
    ]
    assert told[0].labeled == np.isnan(lists.scores[0])[lists.s == 1].sum()
    assert told[0] == told[1] == told[2]


def test_minus_infinity_is_the_lowest_score(lists):
    table = pd.read_csv("lists.csv").assign(new=lists.lowest[1])
    table.replace(-1e9, -np.inf).to_csv("infinite.csv", index=False)
    asked = ["--score", "new", *ASKED, "--threshold", 1.5]
    found = as_json("evaluate", "infinite.csv", *asked)
    assert scores_of(found) == scores_of(
        as_json(*EVALUATE, "--threshold", 1.5, "--unscored", "lowest")
    )
    assert found["unscored"] is None
    infinite = np.where(np.isnan(lists.scores[1]), -np.inf, lists.scores[1])
    areas = [pu_roc_auc_score(lists.s, each, alpha=ALPHA) for each in (infinite, lists.lowest[1])]
    assert areas[0] == areas[1]
    given = corrected_intervals(["roc_auc"], lists.s, infinite, n_bootstrap=20)
    assert given.priors.alpha_interval[0] < ALPHA < given.priors.alpha_interval[1]


def test_checks_reach_the_rows_that_were_not_listed(lists):
    y, s, score = lists.y, lists.s, lists.scores[1]
    asked = ["lists.csv", "--score", "new", "--id", "id", "--unscored", "lowest"]
    answered(
        run(
            "audit",
            *asked,
            "--for",
            "recall",
            "--threshold",
            1.5,
            "--budget",
            150,
            "-o",
            "checks.csv",
        )
    )
    table = fill_in("checks.csv", pd.Series(y, index=map(str, range(len(y)))))
    unlisted = np.isnan(score)
    assert unlisted[table["id"].astype(int)].sum() >= 20
    found = as_json("evaluate", *asked, "--checks", "checks.csv", *ASKED)["checked"]["recall"]
    assert found["lower"] < y[score >= 1.5].sum() / y.sum() < found["upper"]

    everything = plan_checks(
        s,
        np.where(unlisted, -np.inf, score),
        budget=int((s == 0).sum()),
        metric="recall",
        threshold=1.5,
    )
    known = assess(
        s,
        score,
        unscored="lowest",
        checks=everything.filled(y[everything.rows]),
        n_bootstrap=0,
        at=1000,
    )
    (recall, top) = (known.checked[name] for name in ("recall", "recall_at_1000"))
    assert recall.lower == recall.upper == pytest.approx(y[score >= 1.5].sum() / y.sum())
    expected = (y[~unlisted].sum() + y[unlisted].sum() / 3) / y.sum()
    assert top.lower == top.upper == pytest.approx(expected)


def test_a_verdict_on_a_row_without_a_score_counts_or_is_named(lists):
    rng = np.random.default_rng(1)
    rows = rng.choice(np.flatnonzero(lists.s == 0), 300, replace=False)
    pd.DataFrame({"id": rows, "verdict": lists.y[rows]}).to_csv("verdicts.csv", index=False)
    asked = ["evaluate", "lists.csv", "--score", "new", "--id", "id", *ASKED, "--threshold", 1.5]
    asked += ["--checks", "verdicts.csv", "--checked", "random"]
    refused(
        run(*asked, "--unscored", "skip"),
        "which has no score in lists.csv",
        "verdicts on them count with --unscored lowest",
    )
    found = as_json(*asked, "--unscored", "lowest")["checked"]["recall"]
    assert found["n_checked"] == 300
    assert found["lower"] < lists.y[lists.scores[1] >= 1.5].sum() / lists.y.sum() < found["upper"]


def test_several_models_of_an_answer_are_about_the_same_rows(lists):
    both = ["--score", "old", "--score", "new"]
    models = as_json("evaluate", "lists.csv", *both, *ASKED, "--unscored", "skip")["models"]
    compared = as_json(
        "compare-models",
        "lists.csv",
        *both,
        "--alpha",
        ALPHA,
        "--bootstrap",
        10,
        "--unscored",
        "skip",
    )
    alone = {each["metric"]: each["corrected"] for each in models[0]["scores"]}
    assert alone["roc_auc"] == pytest.approx(compared["metrics"]["roc_auc"]["first"]["estimate"])
    listed = ~np.isnan(lists.scores).any(axis=0)
    assert [each["n_labeled"] for each in models] == [lists.s[listed].sum()] * 2
    lowest = as_json("evaluate", "lists.csv", *both, *ASKED, "--unscored", "lowest")["models"]
    assert [each["n_labeled"] for each in lowest] == [lists.s.sum()] * 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("metric", ["roc_auc", "recall_at_k"])
def test_of_two_lists_the_better_one_wins_or_none(seed, metric, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lists = Lists(seed)
    lists.write()
    asked = [
        "--score",
        "old",
        "--score",
        "new",
        "--alpha",
        ALPHA,
        "--metric",
        metric,
        "--unscored",
        "lowest",
        "--bootstrap",
        50,
    ]
    if metric == "recall_at_k":
        asked[6:8] = ["--metric", "recall_at_k", "--at", 400]
    found = as_json("compare-models", "lists.csv", *asked)
    assert found["winner"] in ("second", None)
    assert [each["rows"] for each in found["unscored"]] == [1700, 1500]
    of_files = as_json("compare-models", "old.csv", "new.csv", *asked, "--id", "id")
    n_listed = (~np.isnan(lists.scores)).any(axis=0).sum()
    assert of_files["n_labeled"] + of_files["n_unlabeled"] == n_listed
    assert of_files["winner"] in ("second", None)
    name = next(iter(found["metrics"]))
    same = compare_scores(
        lists.s, *lists.scores, alpha=ALPHA, metrics=[name], unscored="lowest", n_bootstrap=50
    )
    assert same.differences[name].estimate == pytest.approx(
        found["metrics"][name]["difference"]["estimate"]
    )
