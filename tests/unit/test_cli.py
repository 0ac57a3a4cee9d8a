"""The command line answers, explains itself, and refuses in one line."""

import re
from pathlib import Path

import pytest
from commands import answered, refused, run
from typer.main import get_command
from typer.testing import CliRunner

from pumetrics import __version__
from pumetrics.cli import app

REGISTRY = Path(__file__).parents[2] / "config/datasets.yaml"
DATASETS = ["datasets", "--registry", REGISTRY]


def test_data_sets_are_listed_and_explained():
    shown = answered(run(*DATASETS))
    assert "pima" in shown
    assert "estate" in shown
    assert "8,124" in answered(run(*DATASETS, "show", "mushroom"))


def test_fetch_without_any_source_says_what_was_tried(tmp_path):
    mirror = ["--mirror", tmp_path / "mirror"]
    said = run(*DATASETS, *mirror, "fetch", "pima", "--offline", "--folder", tmp_path / "raw")
    assert said.exit_code == 1
    assert "pima" in said.output


@pytest.mark.parametrize("command", ["datasets", "evaluate", "compare-models", "audit", "compare"])
def test_a_mistake_is_one_line_and_exit_status_2(command):
    refused(run(command, "--nonsense"), "No such option: --nonsense", f"; see pumetrics {command} --help")
    refused(run(*DATASETS, "show", "pina"), "did you mean 'pima'")
    refused(run("datasets", "--registry", "nowhere.yaml"), "--registry")


@pytest.mark.parametrize(
    "command",
    ["", "datasets", "datasets show", "datasets fetch", "evaluate", "compare-models", "audit", "example", "schema"],
)
def test_every_command_has_help(command):
    shown = answered(run(*command.split(), "--help"))
    assert not command or f"Example: pumetrics {command.partition(' ')[0]}" in shown
    assert command not in ("evaluate", "compare-models") or "Exit status: 0 on success;" in " ".join(shown.split())


def test_help_shows_three_examples_that_name_options_there_are():
    examples = [line.strip() for line in answered(run("--help")).splitlines() if line.strip().startswith("pumetrics ")]
    assert len(examples) == 3
    for example in examples:
        command, *options = example.split()[1:]
        shown = answered(run(command, "--help"))
        assert all(option in shown for option in options if option.startswith("--"))


def test_the_version_is_that_of_the_package():
    assert answered(run("--version")).strip() == f"pumetrics {__version__}"


GROUPS = ["Data", "Labels", "What to report", "Threshold", "Output", "Checked rows", "Advanced"]


@pytest.mark.parametrize("command", ["evaluate", "compare-models"])
def test_the_help_has_every_option_in_a_group(command):
    options = [each for each in get_command(app).commands[command].params if each.param_type_name == "option"]
    assert list(dict.fromkeys(each.rich_help_panel for each in options)) == GROUPS
    text = CliRunner(env={"COLUMNS": "80"}).invoke(app, [command, "--help"]).output
    assert re.findall("╭─ (.*?) ─", text) == ["Arguments", "Options", *GROUPS]
    assert all(each.opts[0] in text for each in options), "a name is cut"


def test_the_commands_about_the_papers_are_a_group():
    panels = {name: each.rich_help_panel for name, each in get_command(app).commands.items()}
    workflow = {"compare", "datasets", "debug", "new-study", "reference"}
    assert {name for name, panel in panels.items() if panel == "The papers"} == workflow
