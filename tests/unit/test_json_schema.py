"""What --json writes is what src/pumetrics/cli/schema.json says: every field of it, and no other."""

import copy

import numpy as np
import pandas as pd
import pytest
from commands import SCHEMA, VALIDATOR, answered, as_json, run, scores
from jsonschema import Draft202012Validator

TWO = "--score score --score other"
MAPS = ("checked", "metrics")  # by metric: any of them may be missing


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A file with three models, weights, and users of two rows; rows to check for one model and for two."""
    monkeypatch.chdir(tmp_path)
    table = scores()
    rng = np.random.default_rng(0)
    for name in ("other", "third"):
        table[name] = table["score"] + rng.normal(size=len(table))
    table["weight"] = rng.integers(1, 4, len(table))
    table["user"] = np.arange(len(table)) // 2
    table.to_csv("rows.csv", index=False)
    for name, columns in {"one": "", "two": TWO}.items():
        answered(run("audit", "rows.csv", *columns.split(), "--budget", 20, "-o", f"{name}.csv"))
        plan = pd.read_csv(f"{name}.csv")
        plan.assign(verdict=plan["row"] % 2).to_csv(f"{name}.csv", index=False)


def objects(found, name=""):
    """Objects within an answer, of those with the same fields the first, and whether all of its fields are needed."""
    kinds = {}
    ahead = [(name, found)]
    while ahead:
        name, part = ahead.pop()
        if isinstance(part, dict):
            kinds.setdefault(tuple(part), (part, name not in MAPS or "metric" in part))
            ahead.extend(part.items())
        elif isinstance(part, list):
            ahead.extend((name, each) for each in part)
    return list(kinds.values())


def shape(part):
    """Names and kinds of all that a part of an answer holds, without its values."""
    if isinstance(part, dict):
        return tuple((name, shape(value)) for name, value in part.items())
    if isinstance(part, list):
        return frozenset(shape(value) for value in part)
    return type(part).__name__


def without_repeats(part):
    """Return a part of an answer of which lists of objects hold one of each shape."""
    if isinstance(part, dict):
        return {name: without_repeats(value) for name, value in part.items()}
    if isinstance(part, list) and part and isinstance(part[0], dict):
        return list({shape(value): without_repeats(value) for value in part}.values())
    return part


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("evaluate", "--alpha 0.2"),
        (
            "evaluate",
            "--weight weight --cluster user --threshold 1 --at 10 --at 5% --fail-under f1=0",
        ),
        ("evaluate", "--noisy --population unlabeled"),
        ("evaluate", "--checks one.csv"),
        ("evaluate", f"{TWO} --uncertainty guaranteed"),
        ("compare-models", f"{TWO} --alpha 0.1,0.3 --metric f1 --metric roc_auc"),
        ("compare-models", f"{TWO} --cluster user --at 10"),
        ("compare-models", f"{TWO} --checks two.csv"),
        ("compare-models", f"{TWO} --score third --rho 0.5"),
    ],
)
def test_an_answer_has_every_field_of_the_schema_and_no_other(command, options, rows):
    answer = as_json(command, "rows.csv", *options.split(), "--bootstrap", 10)
    found = without_repeats(answer)
    assert VALIDATOR.is_valid(found), "without repeats"
    for number, (part, fixed) in enumerate(objects(found)):
        changed = copy.deepcopy(found)
        same = objects(changed)[number][0]
        same["another"] = 0
        assert not VALIDATOR.is_valid(changed), f"a field may be added to {sorted(part)}"
        del same["another"]
        for name in part if fixed else ():
            value = same.pop(name)
            assert not VALIDATOR.is_valid(changed), f"{name} may be missing from {sorted(part)}"
            same[name] = value


def test_the_schema_is_valid():
    Draft202012Validator.check_schema(SCHEMA)
