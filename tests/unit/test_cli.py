"""The command line answers, explains itself, and refuses in one line."""

import re
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from pumetrics import __version__
from pumetrics.cli import app

REGISTRY = str(Path(__file__).parents[2] / "config/datasets.yaml")
run = CliRunner(env={"COLUMNS": "200"}).invoke


def test_the_list_names_every_data_set():
    said = run(app, ["datasets", "--registry", REGISTRY])
    assert said.exit_code == 0, said.output
    assert "pima" in said.output
    assert "estate" in said.output


def test_a_data_set_is_explained():
    said = run(app, ["datasets", "--registry", REGISTRY, "show", "mushroom"])
    assert said.exit_code == 0, said.output
    assert "8,124" in said.output


def test_fetch_without_any_source_says_what_was_tried(tmp_path):
    mirror, folder = str(tmp_path / "mirror"), str(tmp_path / "raw")
    arguments = [
        "datasets",
        "--registry",
        REGISTRY,
        "--mirror",
        mirror,
        "fetch",
        "pima",
        "--offline",
        "--folder",
        folder,
    ]
    said = run(app, arguments)
    assert said.exit_code == 1
    assert "pima" in said.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["datasets", "--registry", REGISTRY, "show", "pina"], "did you mean 'pima'"),
        (["datasets", "--registry", "nowhere.yaml"], "--registry"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(arguments, told):
    said = run(app, arguments)
    assert said.exit_code == 2
    assert told in said.output
    assert len(said.output.strip().splitlines()) == 1


@pytest.mark.parametrize("command", [[], ["datasets"], ["datasets", "show"], ["datasets", "fetch"]])
def test_every_command_has_help(command):
    said = run(app, [*command, "--help"])
    assert said.exit_code == 0
    assert not command or "Example:" in said.output


def test_the_version_is_that_of_the_package():
    said = run(app, ["--version"])
    assert (said.exit_code, said.output.strip()) == (0, f"pumetrics {__version__}")


@pytest.mark.parametrize("command", ["evaluate", "compare-models"])
def test_the_help_says_what_the_exit_status_means(command):
    assert "Exit status: 0 on success;" in " ".join(run(app, [command, "--help"]).output.split())


GROUPS = ["Data", "Labels", "What to report", "Threshold", "Output", "Checked rows", "Advanced"]


@pytest.mark.parametrize("command", ["evaluate", "compare-models"])
def test_the_help_has_every_option_in_a_group(command):
    options = [each for each in get_command(app).commands[command].params if each.param_type_name == "option"]
    assert list(dict.fromkeys(each.rich_help_panel for each in options)) == GROUPS
    text = run(app, [command, "--help"], env={"COLUMNS": "80"}).output
    assert re.findall("╭─ (.*?) ─", text) == ["Arguments", "Options", *GROUPS]
    assert all(each.opts[0] in text for each in options), "a name is cut"


def test_the_commands_about_the_papers_are_a_group():
    panels = {name: each.rich_help_panel for name, each in get_command(app).commands.items()}
    workflow = {"compare", "datasets", "debug", "new-study", "reference"}
    assert {name for name, panel in panels.items() if panel == "The papers"} == workflow


@pytest.mark.parametrize("command", ["datasets", "evaluate", "compare-models", "compare"])
def test_a_wrong_option_is_one_line_and_exit_status_2(command):
    said = run(app, [command, "--nonsense"])
    assert said.exit_code == 2
    (line,) = said.stderr.splitlines()
    assert line.startswith("No such option: --nonsense")
    assert line.endswith(f"; see pumetrics {command} --help")
