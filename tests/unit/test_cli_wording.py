"""Messages of the library name the option, not the argument of a function."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics.cli import app
from pumetrics.cli._errors import in_options

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


@pytest.mark.parametrize("message", ["alpha_scores.csv has no rows", "there is no file beta", "column 'rho' of x.csv"])
def test_files_and_columns_keep_their_names(message):
    assert in_options(message) == message
