"""The answers of evaluate and compare-models: those of the library, for one model or several, shown, gated, as JSON."""

import gzip
import hashlib
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import COMPARE, QUICK, answered, as_json, refused, run, scores
from typer.main import get_command

from pumetrics import __version__, metrics
from pumetrics.assessment import assess, compare_scores, metrics_for
from pumetrics.cli import app
from pumetrics.cli.output import json_text

pytestmark = pytest.mark.usefixtures("sketched")
BOTH = ["--score", "score", "--score", "other"]
SEVERAL = [*BOTH, "--score", "gaps"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Three models of 400 rows: one worse, one as the first with gaps; weights, users of two rows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = scores(100, 300)
    table["other"] = table["score"] + rng.normal(scale=2, size=400)
    table["gaps"] = table["score"].mask(np.arange(400) % 10 == 3)
    table["w"], table["user"] = rng.integers(1, 4, 400) / 2, rng.permutation(400) // 2
    table["id"] = [f"{number:03d}" for number in range(400)]
    table.to_csv("rows.csv", index=False)
    return table


def test_the_table_shows_every_metric_uncorrected_and_corrected(table):
    shown = answered(run("evaluate", "rows.csv", "--alpha", 0.25, "--bootstrap", 20))
    for priors in ({"alpha": 0.0}, {"alpha": 0.25}):
        assert f"{metrics.pu_roc_auc_score(table.s, table.score, **priors):.3f}" in shown
        assert f"{metrics.max_score('f1', table.s, table.score, **priors)[0]:.3f}" in shown
    for name in ("AUC", "AUC-PR", "best accuracy", "best bal. acc.", "best F1", "best MCC", "SCAR"):
        assert name in shown


# Options of a command, and arguments of the function; texts that are names of columns are replaced by these.
ROWS = [
    ("--weight w", {"sample_weight": "w"}),
    ("--cluster user", {"cluster": "user"}),
    ("--threshold 1 --confidence .8", {"threshold": 1.0, "confidence": 0.8}),
    ("--population unlabeled --at 50 --at 1%", {"population": "unlabeled", "at": [50, "1%"]}),
]
ONE = [
    (
        "--alpha .2,.3 --metric f1 --metric roc_auc",
        {"alpha": (0.2, 0.3), "metrics": ["f1", "roc_auc"]},
    ),
    ("--metric precision_at_k --at 5%", {"metrics": ["precision_at_5%"]}),
    ("--rho .5", {"rho": 0.5}),
    ("--uncertainty guaranteed", {"uncertainty": "guaranteed"}),
    ("--priors elkan_noto_e3 --noisy", {"method": "elkan_noto_e3", "noisy": True}),
    ("--alpha .2 --beta .9", {"alpha": 0.2, "beta": 0.9}),
    *((f"--alpha 20% {options}", {"alpha": 0.2} | arguments) for options, arguments in ROWS),
]
TWO = [
    (
        "--alpha .1,.3 --metric f1 --metric roc_auc",
        {"alpha": (0.1, 0.3), "metrics": ["f1", "roc_auc"]},
    ),
    *((f"--alpha .2 {options}", {"alpha": 0.2} | arguments) for options, arguments in ROWS),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "options", "arguments"),
    [*(("evaluate", *each) for each in ONE), *(("compare-models", *each) for each in TWO)],
)
def test_a_command_says_what_the_library_says(command, options, arguments, table):
    arguments = {"n_bootstrap": 12, "random_state": 0} | {
        name: table[value] if isinstance(value, str) and value in table else value
        for name, value in arguments.items()
    }
    if command == "evaluate":
        wanted, models = assess(table.s, table.score, **arguments), []
    else:
        at = arguments.pop("at", ())
        arguments["metrics"] = metrics_for(
            arguments.get("metrics"), threshold=arguments.get("threshold"), at=at
        )
        wanted, models = compare_scores(table.s, table.score, table.other, **arguments), BOTH
    wanted = json.loads(json_text([wanted.as_dict()]))
    found = as_json(command, "rows.csv", *models, *options.split(), "--bootstrap", 12)
    assert {name: found[name] for name in wanted} == wanted


def test_an_answer_fits_a_terminal_of_80_columns(table):
    one = [
        "evaluate",
        "rows.csv",
        *COMPARE,
        "--at",
        100,
        "--at",
        "1%",
        "--threshold",
        1,
        "--explain",
    ]
    design = ["--weight", "w", "--cluster", "user"]
    for command in (one, ["compare-models", "rows.csv", *BOTH, *COMPARE, *design, "--explain"]):
        shown = answered(run(*command, columns=80))
        assert (
            max(len(line) for line in shown.splitlines() if not line.startswith("pumetrics ")) <= 80
        )
        assert "identifi..." not in shown
    assert (
        "Rows are weighted. Intervals resample 200 clusters of rows, not single rows."
        in " ".join(shown.split())
    )


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("evaluate", ["--alpha", 0.2, "--report", "r.html"]),
        ("evaluate", ["--positive", "1", "--fail-under", "f1=0", "--threshold", 0.5]),
        ("compare-models", [*BOTH, "--alpha", ".1,.3", "--metric", "f1"]),
    ],
)
def test_json_says_what_it_rests_on(command, options, table):
    found = as_json(command, "rows.csv", *options, "--bootstrap", 12)
    for file in found["files"]:
        assert file["sha256"] == hashlib.sha256(Path(file["name"]).read_bytes()).hexdigest()
    assert (found["version"], found["settings"]["bootstrap"]) == (__version__, 12)


# Several models


@pytest.mark.slow
def test_each_model_of_a_file_is_evaluated_as_if_alone(table):
    asked = ["evaluate", "rows.csv", *QUICK, "--unscored", "lowest"]
    together = as_json(*asked, *SEVERAL)
    assert list(together) == ["models"]
    alone = [[*asked, "--score", name] for name in SEVERAL[1::2]]
    assert together["models"] == [as_json(*each) for each in alone]
    parts = [f"Model {each[-1]}\n{answered(run(*each))}" for each in alone]
    assert answered(run(*asked, *SEVERAL)) == "\n".join(parts)


def test_the_first_column_of_a_file_is_compared_with_each_of_the_others(table):
    lowest = [*COMPARE, "--unscored", "lowest"]
    together = as_json("compare-models", "rows.csv", *SEVERAL, *lowest)["comparisons"]
    for name, found in zip(["other", "gaps"], together, strict=True):
        columns = ["--score", "score", "--score", name]
        assert found == as_json("compare-models", "rows.csv", *columns, *lowest)
        assert found == as_json("compare-models", "rows.csv", "rows.csv", *columns, *lowest)
        assert found["models"] == ["rows.csv, column score", f"rows.csv, column {name}"]
    assert together[0]["metrics"]["roc_auc"]["difference"]["estimate"] > 0
    assert together[1]["n_labeled"] + together[1]["n_unlabeled"] == 400
    shown = answered(run("compare-models", "rows.csv", *SEVERAL, *lowest))
    assert shown.count("comparisons with the first model") == 2


def test_rows_without_a_score_are_skipped_with_their_weights_and_counted(table):
    missing = table.gaps.isna()
    asked = ["evaluate", "rows.csv", "--score", "gaps", "--weight", "w", *COMPARE]
    found = as_json(*asked, "--unscored", "skip")
    n_labeled = table.s[missing].sum()
    assert found["unscored"] == {"rows": 40, "labeled": n_labeled, "of": 400, "treated": "skip"}
    assert (found["files"][0]["rows"], found["files"][0]["rows_used"]) == (400, 360)
    kept = table[~missing]
    options = {"alpha": 0.2, "metrics": ["roc_auc"], "n_bootstrap": 0}
    wanted = assess(kept.s, kept.gaps, sample_weight=kept.w, **options)
    assert found["scores"][0]["corrected"] == pytest.approx(wanted.scores[0].corrected)


JOINED = ["compare-models", "rows.csv", "second.csv", *COMPARE]


def test_files_are_joined_by_id_or_by_position(table):
    shuffled = table.sample(frac=1, random_state=1)
    shuffled.to_csv("second.csv", index=False)
    by_id = as_json(*JOINED, "--id", "id")
    assert by_id["metrics"]["roc_auc"]["difference"]["estimate"] == 0
    table.to_csv("second.csv", index=False)
    assert by_id["metrics"] == as_json(*JOINED)["metrics"]
    shuffled[:250].to_csv("second.csv", index=False)
    refused(run(*JOINED, "--id", "id"), "150 of 400 rows", "150 in rows.csv and 0 in second.csv")
    found = as_json(*JOINED, "--id", "id", "--unscored", "skip")["unscored"]
    assert [(each["rows"], each["of"]) for each in found] == [(150, 400)] * 2


@pytest.mark.parametrize(
    ("options", "columns", "parts"),
    [
        ("", lambda t: t[:250], ["rows.csv has 400 rows and second.csv has 250", "--id"]),
        ("", lambda t: t.assign(s=t.s[::-1].array), ["different labels in line"]),
        ("--id id", lambda t: t.assign(s=t.s[::-1].array), ["different labels in line", ", id '"]),
        ("", lambda t: t.assign(id=t.id[::-1].array), ["column 'id' differs in line 2", "--id id"]),
        ("--id id", lambda t: t.assign(id=t.id + "x"), ["no id in common", "x'"]),
    ],
)
def test_files_that_do_not_fit_together_are_refused(options, columns, parts, table):
    columns(table).to_csv("second.csv", index=False)
    refused(run(*JOINED, *options.split()), *parts)


def test_a_page_on_weighted_rows_shows_their_numbers_and_no_curve_of_others(table):
    table.assign(other=-table.score).to_csv("rows.csv", index=False)
    found = as_json(
        "compare-models", "rows.csv", *BOTH, *COMPARE, "--weight", "w", "--report", "x.html"
    )
    page = Path("x.html").read_text(encoding="utf-8")
    for each in found["metrics"].values():
        assert f"{each['difference']['lower']:+.3f} to {each['difference']['upper']:+.3f}" in page
    assert "Curves are left out" in page
    assert "data:image" not in page


# Gates


def test_a_gate_fails_with_status_1_and_passes_with_0(table):
    options = ["evaluate", "rows.csv", "--alpha", 0.2, "--metric", "roc_auc", "--bootstrap", 50]
    (score,) = as_json(*options)["scores"]
    (least, most), value = score["interval"], score["corrected"]
    between = (least + value) / 2
    answered(run(*options, "--fail-under", f"roc_auc={between}"))
    answered(run(*options, "--at", 100, "--fail-under", "recall_at_100=0.02"))
    answered(run(*options, "--fail-under", f"roc_auc={least}", "--lower"))
    for limit, lower, words in (
        (between, ["--lower"], "roc_auc: the lower end of the 95% interval is"),
        (value + 1e-3, [], f"roc_auc: the corrected score is {value:.4g}, below"),
        (0.999, [], f"roc_auc: its whole interval, up to {most:.4g}, is below 0.999"),
    ):
        result = run(*options, "--fail-under", f"roc_auc={limit}", *lower, "--json")
        assert (result.exit_code, words in result.stderr) == (1, True)
        assert [f"--fail-under: {line}" for line in json.loads(result.stdout)["failed"]] == [
            result.stderr.strip()
        ]


def test_a_gate_names_the_model_that_falls_short(table):
    models = as_json("evaluate", "rows.csv", *BOTH, *QUICK)["models"]
    good, poor = (each["scores"][0]["corrected"] for each in models)
    gate = [*SEVERAL, *QUICK, "--unscored", "skip", "--fail-under", f"roc_auc={(good + poor) / 2}"]
    result = run("evaluate", "rows.csv", *gate)
    assert result.exit_code == 1
    assert result.stderr.startswith("--fail-under: model other: roc_auc: the corrected score is ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("lower", [[], ["--lower"]])
@pytest.mark.parametrize(
    ("alpha", "way"),
    [
        ("--alpha .2", "label more rows"),
        ("--alpha .05,.9", "give a narrower --alpha"),
        ("", "give --alpha, or"),
    ],
)
def test_a_gate_on_what_is_not_identified_does_not_pass_and_the_remedy_applies(
    alpha, way, lower, table
):
    pd.concat([table[table.s == 1][:5], table[table.s == 0]]).to_csv("few.csv", index=False)
    gate = [*COMPARE[:4], *alpha.split(), "--fail-under", "roc_auc=.1", *lower, "--json"]
    result = run("evaluate", "few.csv", *gate)
    assert result.exit_code == 3, result.output
    assert "roc_auc is undecided: these scores do not identify it" in result.stderr
    assert way in result.stderr
    assert ("give --alpha" in result.stderr) == (not alpha)
    (score,) = json.loads(result.stdout)["scores"]
    assert (score["identified"], score["corrected"]) == (False, None)


def test_a_gate_passes_where_all_of_an_interval_is_above_it(table):
    asked = ["evaluate", "rows.csv", "--threshold", 1, "--metric", "precision", "--json"]
    found = run(*asked, "--fail-under", "precision=0.01")
    assert found.exit_code == 0
    (score,) = json.loads(found.stdout)["scores"]
    assert not score["identified"]
    assert score["interval"][0] > 0.01


# Standard input


def as_bytes(table, kind):
    buffer = io.BytesIO()
    if kind in ("parquet", "feather"):
        {"parquet": table.to_parquet, "feather": table.to_feather}[kind](buffer)
        return buffer.getvalue()
    text = table.to_csv(index=False, sep="\t" if kind == "tab" else ",").encode()
    return gzip.compress(text) if kind == "gzip" else text


@pytest.mark.parametrize("kind", ["comma", "tab", "gzip", "parquet", "feather"])
def test_standard_input_gives_the_numbers_of_the_file_and_is_forgotten(
    kind, table, tmp_path, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = as_json("evaluate", "-", *QUICK, given=as_bytes(table, kind))
    expected = as_json("evaluate", "rows.csv", *QUICK)
    assert found["scores"] == expected["scores"]
    assert found["files"][0]["name"] == "standard input"
    assert kind != "comma" or found["files"][0]["sha256"] == expected["files"][0]["sha256"]
    assert not list(tmp_path.glob("pumetrics-*"))


@pytest.mark.parametrize("paths", [["-"], ["-", "-"], ["rows.csv", "-"], ["-", "rows.csv"]])
def test_standard_input_is_one_of_two_files_or_both(paths, table):
    found = as_json("compare-models", *paths, *BOTH, *COMPARE, given=as_bytes(table, "comma"))
    assert f"pumetrics audit {' '.join(dict.fromkeys(paths))} --score" in found["next_step"]
    assert found["metrics"] == as_json("compare-models", "rows.csv", *BOTH, *COMPARE)["metrics"]


def test_files_may_have_a_column_of_one_name_and_a_page_names_no_folder(table):
    Path("private").mkdir()
    table.to_csv("private/one.csv", index=False)
    table.assign(score=table["other"]).to_csv("private/two.csv", index=False)
    files, named = ["private/one.csv", "private/two.csv"], ["--score", "score", "--score", "score"]
    expected = as_json("compare-models", *files, *COMPARE)["metrics"]
    assert (
        as_json("compare-models", *files, *named, *COMPARE, "--report", "page.html")["metrics"]
        == expected
    )
    assert "private" not in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "standard input cannot be read: it is empty"),
        (b"\x89PNG\r\n", "standard input cannot be read: it is not text but a PNG"),
        (b"score,s\n1,1\nx,0\n", "of standard input must hold numbers, got 'x' in line 3"),
        (b"score\n1\n", "standard input has no column 's'"),
    ],
)
def test_what_is_wrong_with_standard_input_is_said_of_it(content, message):
    refused(run("evaluate", "-", given=content), message)


# Help, data sets, and mistakes


DATASETS = ["datasets", "--registry", Path(__file__).parents[2] / "config/datasets.yaml"]


def test_data_sets_are_listed_explained_and_fetched(tmp_path):
    shown = answered(run(*DATASETS, "list"))
    assert "pima" in shown
    assert "estate" in shown
    assert "8,124" in answered(run(*DATASETS, "show", "mushroom"))
    mirror = ["--mirror", tmp_path / "mirror"]
    said = run(*DATASETS, *mirror, "fetch", "pima", "--offline", "--folder", tmp_path / "raw")
    assert said.exit_code == 1, "without any source"
    assert "pima" in said.output
    refused(run(*DATASETS, "show", "pina"), "did you mean 'pima'")
    refused(run("datasets", "--registry", "nowhere.yaml", "list"), "nowhere.yaml does not exist")


COMMANDS = [name for name in get_command(app).commands if name not in ("reference", "new-study")]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["", *COMMANDS, "datasets show", "datasets fetch"])
def test_every_command_has_help_and_a_mistake_is_one_line(command):
    shown = answered(run(*command.split(), "--help"))
    assert (
        not command
        or command == "compare"
        or f"Example: pumetrics {command.partition(' ')[0]}" in shown
    )
    assert command not in (
        "evaluate",
        "compare-models",
    ) or "Exit status: 0 on success;" in " ".join(shown.split())
    see = f"; see pumetrics {command} --help".replace("  ", " ")
    refused(run(*command.split(), "--nonsense"), "No such option: --nonsense", see)


GROUPS = ["Data", "Labels", "What to report", "Output", "Checked rows", "Advanced"]


@pytest.mark.parametrize("command", ["evaluate", "compare-models"])
def test_the_help_has_every_option_in_a_group(command):
    options = [
        each
        for each in get_command(app).commands[command].params
        if each.param_type_name == "option"
    ]
    assert list(dict.fromkeys(each.rich_help_panel for each in options)) == GROUPS
    text = answered(run(command, "--help", columns=80))
    assert re.findall("╭─ (.*?) ─", text) == ["Arguments", "Options", *GROUPS]
    assert all(each.opts[0] in text for each in options), "a name is cut"


@pytest.mark.slow
def test_shares_may_be_percentages(table):
    asked = ["evaluate", "rows.csv", "--metric", "roc_auc", "--bootstrap", 12]
    for text, number in (("40%", 0.4), ("95 %", 0.95)):
        for options in (["--rho", 0.5, "--beta"], ["--alpha", 0.1, "--confidence"], ["--rho"]):
            given = [as_json(*asked, *options, value) for value in (text, number)]
            assert given[0] == given[1]
    refused(run(*asked, "--rho", "many"), "--rho must be a share such as 0.3 or 30%, got 'many'")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda k: f"{k}", lambda k: f"{k:04d}"),
        (lambda k: f"{k}", lambda k: f"{k}.0"),
        (lambda k: f"{k}" + 12 * "0", lambda k: f"{k}.0E+12"),
    ],
    ids=["leading zeros", "decimals", "exponents"],
)
def test_ids_of_which_zeros_were_lost_are_refused_not_joined_in_part(first, second, table):
    rows = range(900, 1300)
    for name, form in (("first.csv", first), ("second.csv", second)):
        table.assign(id=[form(k) for k in rows]).to_csv(name, index=False)
    asked = ["first.csv", "second.csv", "--id", "id", *COMPARE]
    for options in ([], ["--unscored", "lowest"], ["--unscored", "skip"]):
        refused(
            run("compare-models", *asked, *options),
            "written differently",
            first(900),
            second(900),
            "zeros",
        )
    verdicts = pd.DataFrame({"id": [second(k) for k in rows][:50], "verdict": 1})
    verdicts.to_csv("verdicts.csv", index=False)
    checks = ["--id", "id", "--checks", "verdicts.csv", "--checked", "random"]
    refused(run("evaluate", "first.csv", *checks), "drops or adds zeros")


def test_scores_that_are_constant_where_rows_have_a_weight_are_named_by_their_column(table):
    table.assign(score=np.where(table.index < 300, 1.0, 2.0), w=table.index < 300).to_csv(
        "rows.csv"
    )
    refused(
        run("evaluate", "rows.csv", "--weight", "w", *QUICK),
        "column 'score' of rows.csv holds 1 in",
    )
