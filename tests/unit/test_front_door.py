"""The package itself: the functions to begin with, imported when used, and the command as a module."""

import subprocess
import sys

import pytest

import pumetrics
from pumetrics.assessment import assess, compare_scores
from pumetrics.checks import plan_checks
from pumetrics.methods import estimate_score
from pumetrics.metrics import make_pu_scorer
from pumetrics.priors import estimate_priors


def test_the_front_door_opens_on_the_functions_of_the_rooms():
    functions = [assess, compare_scores, estimate_priors, estimate_score, make_pu_scorer, plan_checks]
    assert [getattr(pumetrics, function.__name__) for function in functions] == functions
    assert pumetrics.compare is compare_scores
    assert {function.__name__ for function in functions} | {"compare"} == set(pumetrics.__all__)
    assert set(pumetrics.__all__) <= set(dir(pumetrics))


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'asses'"):
        pumetrics.asses  # noqa: B018


def test_help_names_them():
    code = "import pumetrics; help(pumetrics)"
    text = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert all(f"`{name}`" in text for name in pumetrics.__all__)


def test_the_command_runs_as_a_module():
    command = [sys.executable, "-m", "pumetrics", "--version"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.strip() == f"pumetrics {pumetrics.__version__}"
