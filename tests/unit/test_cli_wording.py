"""Messages of the library name the option, not the argument of a function."""

import copy
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics import _arguments
from pumetrics.cli import app
from pumetrics.cli._options import FLAGS

runner = CliRunner(env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(60, bool), rng.random(240) < 0.25]
    table = pd.DataFrame({"first": rng.normal(2.0 * y), "second": rng.normal(y), "s": np.repeat([1, 0], [60, 240])})
    path = tmp_path_factory.mktemp("files") / "scores.csv"
    table.to_csv(path, index=False)
    return str(path)


SAID = {
    "--alpha 1.5": "--alpha must lie in [0, 1], got 1.5",
    "--alpha .9 --beta .5": "--alpha must be smaller than beta, got alpha=0.9 and beta=0.5",
    "--alpha .3,.1": "--alpha must be a number or an interval",
    "--beta 0": "--beta must be larger than 0",
    "--rho 0": "--rho must exceed 0.2, got 0.0",
    "--priors foo": "--priors must name an estimator, got 'foo'",
    "--bootstrap 2000000000": "--bootstrap must be at most 1000000",
    "--uncertainty sampling --alpha .2": "--uncertainty sampling and --alpha .2 contradict",
    "--uncertainty guaranteed --rho .5": "--uncertainty guaranteed and --rho 0.5 contradict",
}
ONLY = {
    "evaluate": {"--selection 0": "--selection must be larger than 0, got 0.0"},
    "compare-models": {"--bootstrap 0": "--bootstrap must be a whole number, at least 1, got 0"},
}


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [(command, *pair) for command in ONLY for pair in {**SAID, **ONLY[command]}.items()],
)
def test_a_message_names_the_option(command, options, message, path):
    files = (
        [path, "--score", "first"] if command == "evaluate" else [path, path, "--score", "first", "--score", "second"]
    )
    bootstrap = [] if "--bootstrap" in options else ["--bootstrap", "12"]
    result = runner.invoke(app, [command, *files, *options.split(), *bootstrap])
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stderr.startswith(message)
    for python in ("n_bootstrap", "random_state", "=True", "=False", "method"):
        assert python not in result.stderr


@pytest.mark.parametrize(("firsts", "seconds", "why"), [row[:3] for row in _arguments._CONTRADICTIONS])
def test_each_contradiction_is_refused_in_the_words_of_python_and_of_the_commands(firsts, seconds, why):
    for pair in itertools.product(firsts, seconds):
        values = {name: VALUES.get(name, True) for name in pair}
        with pytest.raises(_arguments.ContradictionError) as refused:
            _arguments.check_together(**values)
        assert why in str(refused.value)
        assert str(refused.value).startswith(" and ".join(SHOWN.get(name, name) for name in pair))
        first, second = (f"--{FLAGS[name].strip('-')}" for name in pair)
        assert re.match(rf"{first}( \S+)? and {second}( \S+)? contradict: ", refused.value.named(FLAGS))


VALUES = {"alpha": 0.2, "beta": 0.9, "selection": 2.0, "population": "unlabeled", "uncertainty": "guaranteed"}
SHOWN = {
    "alpha": "alpha=0.2",
    "beta": "beta=0.9",
    "selection": "selection=2.0",
    "uncertainty": "uncertainty='guaranteed'",
    "population": "population='unlabeled'",
}


def test_what_says_nothing_contradicts_nothing():
    """None, False and defaults."""
    silent = {name: None for row in _arguments._CONTRADICTIONS for names in row[:2] for name in names}
    _arguments.check_together(**silent | {"noisy": False, "beta": 1.0, "selection": [1, 1.0], "population": "all"})


def test_an_error_of_an_argument_survives_a_copy_and_names_what_is_no_option_as_it_is():
    error = copy.copy(_arguments.ArgumentError("y_score", "is empty"))
    assert (str(error), error.named(FLAGS)) == ("y_score is empty", "y_score is empty")
