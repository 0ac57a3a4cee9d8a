"""The commands as a terminal runs them, a file of scores, and what an answer and a refusal look like."""

import functools
import json
import sys
from importlib.resources import files
from pathlib import Path

import pandas as pd
from jsonschema import Draft202012Validator
from samples import gaussian
from typer import testing

from pumetrics.assessment import _pictures
from pumetrics.cli import app

SCHEMA = json.loads(files("pumetrics.cli").joinpath("schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
QUICK = ["--bootstrap", 0, "--metric", "roc_auc", "--alpha", 0.2]
COMPARE = ["--bootstrap", 12, *QUICK[2:]]

# The options of all commands are read once, and not for each command that a test runs.
testing._get_command = functools.cache(testing._get_command)


def run(*arguments, given=None, columns=200):
    """Run a command in a terminal of so many columns; `given` is standard input."""
    return testing.CliRunner(env={"COLUMNS": str(columns)}).invoke(
        app, [*map(str, arguments)], input=given
    )


def answered(result):
    """What a command that succeeds prints."""
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def refused(result, *parts):
    """A bad input is one line that can be printed, with some parts, and exit status 2."""
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    (line,) = result.stderr.strip().splitlines()
    assert line.isprintable()
    for part in parts:
        assert part in line


def as_json(command, *arguments, given=None):
    """The answer as JSON, which follows its schema."""
    found = json.loads(answered(run(command, *arguments, "--json", given=given)))
    VALIDATOR.validate(found)
    return found


def words_of(shown):
    """What a terminal shows, with its lines joined."""
    return " ".join(shown.split())


def text_of(name):
    """The text of a file that a command has written."""
    return Path(name).read_text(encoding="utf-8")


def without_next_step(shown):
    """The answer without its last command, which names the file and how it is read."""
    return shown.partition("Next:")[0]


def scores(n_labeled=60, n_unlabeled=240, digits=3):
    """Scores and labels of a file in no order."""
    sample = gaussian(0, n_labeled, n_unlabeled, alpha=0.25, digits=digits)
    table = pd.DataFrame({"score": sample.y_score, "s": sample.s})
    return table.sample(frac=1, random_state=0, ignore_index=True)


def fill_in(name, verdicts, *, n=None):
    """The table of a file of checks, in which the first n rows without a verdict get theirs: by id or number."""
    table = pd.read_csv(name, dtype=str, keep_default_na=False)
    blank = table.index[table["verdict"] == ""][:n]
    table.loc[blank, "verdict"] = table.iloc[blank, 0].map(verdicts).astype(str)
    table.to_csv(name, index=False)
    return table


def sketch(monkeypatch):
    """Leave the pictures of pages blank: to draw them takes most of the time of a page."""

    def blank(figure, title, alt, caption):
        sys.modules["matplotlib.pyplot"].close(figure)
        return _pictures.Picture(
            title, "data:image/svg+xml;base64,", alt, " ".join(caption.split())
        )

    monkeypatch.setattr(_pictures, "picture", blank)
