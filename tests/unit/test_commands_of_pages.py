"""The commands that README and docs show run as they stand, on small files of the kind that they name."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics.cli import app
from pumetrics.examples import fraud_cases, write_fraud_cases

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(
    r"^(?: {4}|\$ )?((?:zcat \S+ \| )?pumetrics (?:evaluate|compare-models|audit|priors|schema) .*)$", flags=re.M
)
INLINE = re.compile(r"`(pumetrics (?:evaluate|compare-models|schema) \S+\.csv[^`]*)`")
COMMANDS = sorted(
    {
        command.split("  #")[0].strip()
        for page in PAGES
        for pattern in (COMMAND, INLINE)
        for command in pattern.findall(page.read_text(encoding="utf-8"))
    }
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the files that the commands name."""
    folder = tmp_path_factory.mktemp("files")
    cases = fraud_cases(4000)
    cases.drop(columns="fraud").to_csv(folder / "fraud.csv", index=False)
    labels = (cases["outcome"] == "fraud").astype(int)
    scored = pd.DataFrame({"score": cases["rules"] / 100, "s": labels, "customer": np.arange(len(cases))})
    scored["household"] = scored["customer"] // 2
    for name in ("scores.csv", "scores.csv.gz", "a.csv"):
        scored.to_csv(folder / name, index=False)
    scored.assign(score=cases["new_model"])[::-1].to_csv(folder / "b.csv", index=False)
    scored.rename(columns={"score": "svm"}).assign(forest=cases["new_model"]).to_csv(folder / "all.csv", index=False)
    cases.rename(columns={"new_model": "score"}).to_csv(folder / "cases.csv", index=False)
    named = ["--score", "new_model", "--label", "outcome", "--positive", "fraud", "--id", "case"]
    verdicts = cases.set_index("case")["fraud"]
    for name, more in {"checks.csv": [], "pair.csv": ["--score", "rules"]}.items():
        done = CliRunner().invoke(app, ["audit", str(folder / "fraud.csv"), *named, *more, "-o", str(folder / name)])
        assert done.exit_code == 0, done.output
        table = pd.read_csv(folder / name)
        table.assign(verdict=table["case"].map(verdicts)).to_csv(folder / name, index=False)
    top = cases[cases["outcome"] != "fraud"].nlargest(50, "new_model")["case"]
    pd.DataFrame({"case": top, "verdict": top.map(verdicts)}).to_csv(folder / "top.csv", index=False)
    return folder


def test_the_readme_shows_commands():
    assert len(COMMANDS) >= 8, COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_it_runs(command, files, monkeypatch):
    monkeypatch.chdir(files)
    source, _, called = command.rpartition(" | ")
    arguments = shlex.split(called)[1:]
    if arguments[0] == "audit":  # each draws anew
        arguments[-1] = f"{COMMANDS.index(command)}-{arguments[-1]}"
    if arguments[0] not in ("schema", "audit") and "--bootstrap" not in arguments:
        arguments += ["--bootstrap", "10"]
    if "a.csv" in arguments and "--id" not in arguments:  # b.csv has the same rows in another order
        arguments += ["--id", "customer"]
    given = pd.read_csv(files / source.split()[1]).to_csv(index=False) if source else None
    done = CliRunner().invoke(app, arguments, input=given)
    gate = "--fail-under" in arguments
    assert done.exit_code in ((0, 1) if gate else (0,)), f"{command}\n{done.output}"
    for option, name in pairwise(arguments):
        assert option != "--report" or (files / name).is_file(), command


def test_the_readme_shows_rows_of_the_file_and_what_the_command_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = PAGES[0].read_text(encoding="utf-8")
    (call,) = (command for command in COMMAND.findall(readme) if "evaluate fraud.csv" in command)
    write_fraud_cases(Path())
    lines = Path("fraud.csv").read_text(encoding="utf-8").splitlines()
    shown = re.search(r"^ {4}(case,.*\n(?: {4}C\d+,.*\n){5})", readme, flags=re.M)[1]
    assert {line.strip() for line in shown.splitlines()} <= set(lines)
    said = CliRunner(env={"COLUMNS": "80"}).invoke(app, shlex.split(call)[1:]).output
    expected = re.search(r"```text\n(.*?)```", readme, flags=re.S)[1]
    assert [line.rstrip() for line in said.splitlines()] == expected.splitlines()


def test_the_page_on_checked_rows_shows_what_its_commands_print(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "checked_sample.md").read_text(encoding="utf-8")
    write_fraud_cases(Path())
    commands = [
        command for command in COMMAND.findall(text) if "--budget 100" in command or "--checks checks" in command
    ]
    shown = re.findall(r"```text\n(.*?)```", text, flags=re.S)
    for command, table in zip(commands, shown, strict=True):
        said = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*shlex.split(command)[1:]]).output
        assert table in "\n".join(line.rstrip() for line in said.splitlines()) + "\n"
        if "audit" in command:
            checks = pd.read_csv("checks.csv")
            checks.assign(verdict=checks["case"].map(fraud_cases().set_index("case")["fraud"])).to_csv("checks.csv")
