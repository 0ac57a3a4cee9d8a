"""Verdicts on published numbers: derived intervals, claims by their rules, and nothing that somebody typed."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pumetrics_workflow.claims import overall
from pumetrics_workflow.intervals import (
    Answer,
    median_over_sets,
    prediction,
    prediction_of_median,
    share_of_clusters,
)
from pumetrics_workflow.linked import WORDS
from pumetrics_workflow.plan import link_to, papers
from pumetrics_workflow.studies import load, read_tables
from pumetrics_workflow.verdicts import (
    COLUMNS,
    VERDICTS,
    compare_published,
    read_published,
    sensitivity,
    unit_of_print,
)

ROOT = Path(__file__).parents[2]
STUDIES = sorted(path.stem for path in (ROOT / "config/studies").glob("*.yaml"))
PAPERS = sorted(papers(ROOT))
REFERENCES = sorted((ROOT / "results/reference").glob("*/*/tables/published.csv"))
QUICK = [path for path in REFERENCES if path.parts[-4] == "quick"]


def judged(tmp_path, line, answer=None, tables=None):
    """Return the one row that a line of a file of published numbers becomes."""
    path = tmp_path / "study.csv"
    path.write_text(f"{','.join(COLUMNS)}\n{line}\n", encoding="utf-8")
    found = {} if answer is None else {"a": answer}
    return compare_published(read_published(path), found, tables).iloc[0]


@given(st.integers(0, 9999), st.integers(0, 4), st.floats(-0.499, 0.499))
def test_a_number_holds_exactly_where_it_would_be_printed_so(digits, decimals, part):
    text = f"{digits / 10**decimals:.{decimals}f}"
    unit = unit_of_print(text)
    assert f"{float(text) + part * unit:.{decimals}f}" == text or float(text) + part * unit < 0
    assert unit == pytest.approx(10.0**-decimals)


@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        ("75.5", 75.449, "does not hold"),
        ("75.5", 75.451, "holds"),
        (".420", 0.4206, "does not hold"),
        (".42", 0.4206, "holds"),
        ("12/15", 0.8 + 1e-13, "holds"),
        ("12/15", 0.8001, "does not hold"),
    ],
)
def test_a_number_is_compared_by_half_a_unit_of_print(printed, value, verdict, tmp_path):
    for kind in ("number", "control"):
        assert judged(tmp_path, f"a,{kind},q,{printed},within,,,,,s", value)["verdict"] == verdict


@pytest.mark.slow
def test_a_replication_lies_in_its_prediction_interval_as_often_as_promised():
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(size=(4000, 20)), rng.normal(size=(4000, 5)).mean(axis=1)
    ends = [prediction(part.mean(), part.std(ddof=1), 20, 5) for part in ours]
    assert np.mean(
        [low <= value <= high for (low, high), value in zip(ends, theirs, strict=True)]
    ) == pytest.approx(0.95, abs=0.012)
    ours, theirs = rng.normal(size=(2000, 400)), np.median(rng.normal(size=(2000, 100)), axis=1)
    deciles = np.quantile(ours, [0.5, 0.1, 0.9], axis=1).T
    ends = [prediction_of_median(*row, 400, 100) for row in deciles]
    inside = np.mean(
        [low <= value <= high for (low, high), value in zip(ends, theirs, strict=True)]
    )
    assert inside == pytest.approx(0.95, abs=0.02)


@pytest.mark.slow
def test_the_interval_of_a_median_is_free_of_any_law():
    samples = np.random.default_rng(1).exponential(size=(4000, 11))
    answers = [median_over_sets(part) for part in samples]
    inside = np.mean([answer.low <= np.log(2) <= answer.high for answer in answers])
    assert inside == pytest.approx(0.988, abs=0.008)
    assert np.isnan(median_over_sets([1, 2, 3, 4, 5]).low), "of five values none has 95 %"


@pytest.mark.parametrize(
    ("line", "answer", "verdict"),
    [
        ("drawn,q,.344,within", Answer(0.63, low=0.35, high=0.9), "does not hold"),
        ("drawn,q,.344,within", Answer(0.63, low=0.3443, high=0.9), "holds"),
        ("drawn,q,.344,within", Answer(0.344), "inconclusive"),
        ("drawn,q,.344,within", None, "not tested"),
        ("sign,q,0,above", Answer(1, low=0.1, high=2), "holds"),
        ("sign,q,0,above", Answer(1, low=-0.1, high=2), "inconclusive"),
        ("sign,q,0,above", Answer(-1, low=-2, high=-0.1), "opposite"),
        ("sign,q,0,below", Answer(-1, low=-2, high=-0.1), "holds"),
        ("sign,q,0,below", Answer(-1), "inconclusive"),
        ("sign,q,1,side", 1, "holds"),
        ("sign,q,1,side", -1, "opposite"),
        ("sign,q,1,side", 0, "inconclusive"),
        ("sign,q,0,side", 0, "inconclusive"),
        ("sign,q,0,side", -1, "does not hold"),
    ],
)
def test_draws_and_signs(line, answer, verdict, tmp_path):
    assert judged(tmp_path, f"a,{line},,,,,s", answer)["verdict"] == verdict


def test_claims_are_what_their_rule_finds_in_the_rows(tmp_path):
    table = pd.DataFrame({"dataset": list("xyz"), "error": [-1.0, -2.0, 0.5]})
    for compare, then, verdict, note in (
        ("every", "error < 1", "holds", "in all 3 rows"),
        ("every", "error < 0", "partly", "in 2 of 3 rows, not z"),
        ("some", "error < 0", "holds", "in 2 of 3 rows, not z"),
        ("some", "error > 1", "does not hold", "in none of 3 rows"),
        ("choice", "error < 0", "inconclusive", "in 2 of 3 rows, not z"),
        ("every", "error > 1", "does not hold", "in none of 3 rows"),
        ("share", "error < 0", "inconclusive", "in 2 of 3 rows, not z"),
        ("median", "error < 1", "inconclusive", "-1; too few sets for an interval; in all 3 rows"),
    ):
        row = judged(tmp_path, f"a,claim,q,,{compare},t,,{then},,s", tables={"t": table})
        assert (row["verdict"], row["note"]) == (verdict, note)
    for needs, verdict in (("other data", "not testable here"), ("", "not tested")):
        for tables in ({}, {"t": table.head(0)}):
            row = judged(tmp_path, f"a,claim,q,,every,t,,error < 1,{needs},s", tables=tables)
            assert (row["verdict"], row["note"]) == (verdict, needs or "no such rows in this run")
    row = judged(tmp_path, "a,claim,q,,stand_in,t,,error < 0,other data,s", tables={"t": table})
    assert (row["verdict"], row["k"], row["n"]) == ("not testable here", 2, 3)
    assert row["note"] == "needs other data; a stand-in shows it in 2 of 3 rows, not z"


def sets(errors, **columns):
    return pd.DataFrame(
        {"dataset": [f"set{number}" for number in range(len(errors))], "error": errors, **columns}
    )


@settings(max_examples=15)
@given(st.lists(st.floats(0.01, 0.3), min_size=6, max_size=30))
def test_much_smaller_is_a_median_of_at_most_a_third_and_no_single_set_decides(ratios):
    line = "a,claim,q,,median,t,,error < @much,,s"
    with TemporaryDirectory() as folder:
        tables = {"t": sets([*ratios, *([9.0] * (len(ratios) // 12))])}
        assert judged(Path(folder), line, tables=tables)["verdict"] == "holds"
        larger = judged(Path(folder), line, tables={"t": sets([1 - ratio for ratio in ratios])})
        assert (larger["verdict"], larger["k"], larger["n"]) == ("opposite", 0, len(ratios))


def test_each_metric_has_a_verdict_of_its_own_and_the_weakest_is_shown(tmp_path):
    both = pd.concat([sets([0.1] * 12, metric="f1"), sets([0.9] * 12, metric="mcc")])
    row = judged(tmp_path, "a,claim,q,,median,t,,error < @much,,s", tables={"t": both})
    assert (row["verdict"], row["k"], row["n"], row["reproduced"]) == ("partly", 1, 2, 0.9)


@pytest.mark.parametrize("part", ["mechanism", "definition"])
def test_what_a_claim_says_of_two_mechanisms_or_definitions_must_be_so_of_each(part, tmp_path):
    one, other = sets([-3.0] * 12, **{part: "bar"}), sets([0.0] * 12, **{part: "bnar"})
    row = judged(
        tmp_path, "a,claim,q,,median,t,,error < 0,,s", tables={"t": pd.concat([one, other])}
    )
    assert (row["verdict"], row["k"], row["n"]) == ("inconclusive", 1, 2)
    worse = sets([3.0] * 12, **{part: "bnar"})
    tables = {"t": pd.concat([one, worse])}
    row = judged(tmp_path, "a,claim,q,,median,t,,error < 0,,s", tables=tables)
    assert (row["verdict"], row["k"], row["n"]) == ("partly", 1, 2)


def test_a_part_that_is_open_is_no_failure(tmp_path):
    """Lack of power: parts that hold and parts that are open make an open claim, never a partly false one."""
    assert overall(["holds", "inconclusive"]) == "inconclusive"
    assert overall(["holds"] * 9 + ["opposite"]) == "mostly"
    line = "a,claim,q,,every,t,,gap >= 0,,s,,,,p > @level"
    columns = f"{','.join(COLUMNS)},effect,theirs,clusters,open\n"
    path = tmp_path / "study.csv"
    path.write_text(columns + line, encoding="utf-8")
    for p_value, verdict in ((0.8, "inconclusive"), (0.01, "partly")):
        table = pd.DataFrame({"gap": [1, -1], "p": [0.01, p_value]})
        found = compare_published(read_published(path), {}, {"t": table}).iloc[0]
        assert (found["verdict"], found["k"], found["n"]) == (verdict, 1, 2)


def test_a_third_of_tied_sets_hides_no_shift_from_a_signed_rank_test(tmp_path):
    """Rider's naive Bayes under BNAR: 13 sets down, 2 up, 12 without a change, and a median of 0."""
    rows = sets([-1.0] * 13 + [0.5] * 2 + [0.0] * 12)
    line = "a,claim,q,,{},t,,error < 0,,s"
    verdicts = [
        judged(tmp_path, line.format(rule), tables={"t": rows})["verdict"]
        for rule in ("median", "tested")
    ]
    assert verdicts == ["inconclusive", "holds"]
    row = judged(tmp_path, "a,claim,q,,tested,t,,error > 0,,s", tables={"t": rows})
    assert row["verdict"] == "opposite"


@pytest.mark.parametrize(
    ("p_values", "verdict"),
    [([0.2, 0.9], "inconclusive"), ([0.03, 0.9], "inconclusive"), ([0.02, 0.9], "does not hold")],
)
def test_a_hypothesis_of_no_difference_never_holds(p_values, verdict, tmp_path):
    table = pd.DataFrame({"metric": ["a", "b"], "p": p_values})
    assert judged(tmp_path, "a,claim,q,,alike,t,,p,,s", tables={"t": table})["verdict"] == verdict


@pytest.mark.slow
def test_intervals_of_a_family_have_their_confidence_together(tmp_path):
    """Of 24 exact replications all lie inside 95 of 100 times, where each in its own interval does 29 of 100 times."""
    rng, lines = np.random.default_rng(3), [",".join(COLUMNS), "c,claim,q,,every,published,n.*,,,s"]
    lines += [f"n{number},drawn,q,{number}.000001,within,,,,,s" for number in range(24)]
    found, inside = {f"n{number}": Answer(0, low=-1.96, high=1.96) for number in range(24)}, []
    (tmp_path / "study.csv").write_text("\n".join(lines), encoding="utf-8")
    published = read_published(tmp_path / "study.csv")
    for values in rng.normal(size=(60, 24)):
        drawn = published.assign(published=[published["published"][0], *values])
        inside.append(compare_published(drawn, found)["verdict"].iloc[0] == "holds")
    assert np.mean(inside) > 0.85


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=5))
def test_a_claim_on_rows_is_never_better_than_its_rows(verdicts):
    told = [verdict for verdict in verdicts if verdict not in ("not tested", "not testable here")]
    assert (overall(verdicts) == "holds") == (set(told) == {"holds"})
    assert overall(verdicts) == overall(verdicts[::-1])


@pytest.mark.parametrize("name", STUDIES)
def test_no_tolerance_is_typed(name):
    """A rule has only 0, 1 and names, as ``@much`` and ``@printed``; no column of tolerances: test_contracts.py."""
    claims = read_published(ROOT / f"config/published/{name}.csv").query("kind == 'claim'")
    assert numbers_of(" ".join(claims["then"])) <= {"0", "1"}
    rules = claims.loc[claims["table"] != "published", "where"]
    assert numbers_of(" ".join(rules)) <= {"0", "1"}


def numbers_of(text):
    """Numbers in a rule; not those in names, in quotes or after a name."""
    return set(re.findall(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)", re.sub(r"'[^']*'", "", text)))


def test_the_pattern_sees_every_number():
    assert numbers_of("p < .02 and a1 > 0.1 or `b` == 1.96 and c == '2a'") == {".02", "0.1", "1.96"}


@pytest.mark.slow
@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: "-".join(path.parts[-4:-2]))
def test_every_kept_interval_is_that_of_its_rule(path):
    """The tracked verdicts are those of the rules and tables that are tracked beside them."""
    name = path.parts[-3]
    kept, tables = pd.read_csv(path, keep_default_na=True), read_tables(path.parent)
    published = read_published(ROOT / f"config/published/{name}.csv")
    is_exact = (kept["kind"] == "number") | (
        (kept["kind"] == "control") & kept["basis"].isna()
    )  # not simulated
    exact = kept[is_exact & kept["reproduced"].notna()]
    assert exact["high"].to_numpy() - exact["low"].to_numpy() == pytest.approx(
        exact["unit"].to_numpy(), abs=1e-9
    )
    again = compare_published(published, load(name).published(tables), tables)
    assert again["verdict"].tolist() == kept["verdict"].tolist()
    for column in ("reproduced", "low", "high"):
        np.testing.assert_allclose(
            again[column].astype(float), kept[column].astype(float), rtol=1e-6, atol=1e-8
        )


def test_each_verdict_has_a_word_of_cito_and_of_forrt():
    assert set(WORDS) == set(VERDICTS)


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: "-".join(path.parts[-4:-2]))
def test_claims_are_exported_once_each_with_their_verdict(path):
    name, exported = path.parts[-3], path.with_suffix(".jsonld")
    assert exported.exists() == (name in PAPERS)
    if name not in PAPERS:
        return
    document, claims = (
        json.loads(exported.read_text(encoding="utf-8")),
        pd.read_csv(path).query("kind == 'claim'"),
    )
    paper = link_to(papers(ROOT)[name]["paper"])
    assert [node["@id"] for node in document["@graph"]] == [f"#{key}" for key in claims["id"]]
    for node, verdict in zip(document["@graph"], claims["verdict"], strict=True):
        relation, outcome = WORDS[verdict]
        assert node["@type"] == "schema:ClaimReview"
        assert node[relation] == node["schema:itemReviewed"] == {"@id": paper}
        assert node["forrt:hasValidationStatus"] == {"@id": outcome}
        prefixes = {key.partition(":")[0] for key in node if not key.startswith("@")}
        assert prefixes <= document["@context"].keys()


def test_the_choices_decide_what_they_are_said_to_decide(tmp_path):
    """A ratio of 0.4, 17 of 20 rows, and a share of 0.55 with a narrow interval change; clear ones do not."""
    claims = [
        "a,claim,q,,median,t,,error < @much,,s",
        "b,claim,q,,every,u,,x > 0,,s",
        "c,claim,q,,share,v,,x > 0,,s",
        "d,claim,q,,median,w,,error < @much,,s",
        "e,claim,q,,every,p,,x < @visible,,s",
    ]
    (tmp_path / "study.csv").write_text("\n".join([",".join(COLUMNS), *claims]), encoding="utf-8")
    tables = {
        "t": sets([0.4] * 12),
        "u": pd.DataFrame({"x": [1] * 17 + [-1] * 3}),
        "v": pd.DataFrame({"x": [1] * 550 + [-1] * 450}),
        "w": sets([0.01] * 12),
        "p": pd.DataFrame({"x": [0.004]}),
    }
    found = sensitivity(read_published(tmp_path / "study.csv"), {}, tables)
    assert found == {"much": ["a"], "mostly": ["b"], "half": ["c"], "visible": ["e"]}


@given(st.lists(st.integers(1, 9), min_size=2, max_size=12), st.integers(2, 9))
def test_rows_of_a_cluster_count_as_fewer(satisfied, size):
    """Clusters of equal rows: their shares decide, and more rows in each make no interval narrower."""
    counts = np.array([(min(k, size), size) for k in satisfied])
    one, many = share_of_clusters(counts), share_of_clusters(10 * counts)
    assert one.value == pytest.approx(np.mean(counts[:, 0] / size))
    assert (one.low, one.high) == pytest.approx((many.low, many.high))
    assert one.low - 1e-12 <= one.value <= one.high + 1e-12


def test_two_clusters_that_agree_prove_no_more_than_two_rows():
    found = share_of_clusters([(2, 3)] * 2)
    assert found.low < 1 / 2 < found.high


def test_an_interval_that_the_table_holds_lies_on_a_side_of_the_bound(tmp_path):
    for low, high, verdict in (
        (0.6, 0.9, "holds"),
        (0.1, 0.3, "opposite"),
        (0.4, 0.6, "inconclusive"),
    ):
        table = pd.DataFrame({"share": [0.5], "low": [low], "high": [high]})
        row = judged(tmp_path, "a,claim,q,,interval,t,,share > @half,,s", tables={"t": table})
        assert (row["verdict"], row["reproduced"], row["low"], row["high"]) == (
            verdict,
            0.5,
            low,
            high,
        )


def test_a_rule_that_a_kept_table_is_too_old_for_waits_for_a_run(tmp_path):
    row = judged(tmp_path, "a,claim,q,,every,t,,new_column < 1,,s", tables={"t": sets([0.1])})
    assert row["verdict"] == "not tested"
    assert row["note"].startswith("waits for the next run")


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.parts[-3])
def test_no_rule_waits_for_a_run_at_quick_scale(path):
    """Tables at quick scale are those of the present code: a column that they lack is a mistake in a rule."""
    assert not pd.read_csv(path)["note"].fillna("").str.startswith("waits").any()


@given(st.integers(2, 400), st.floats(0.1, 5), st.integers(1, 400))
def test_prediction_intervals_shrink_with_both_sizes_and_scale_with_the_spread(
    ours, spread, theirs
):
    low, high = prediction(1.0, spread, ours, theirs)
    assert low + high == pytest.approx(2)
    assert prediction(1.0, spread, ours + 1, theirs)[1] < high
    assert prediction(1.0, spread, ours, theirs + 1)[1] < high
    assert prediction(1.0, 2 * spread, ours, theirs)[1] - 1 == pytest.approx(2 * (high - 1))
