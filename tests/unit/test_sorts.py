"""Ties keep their order numpy sorts with AVX2 or AVX-512 where it can; these break ties otherwise."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
# Where the order of ties changes no number: rows of tied scores are counted as one group, or keys are continuous draws.
FREE = {
    "pumetrics/checks/region.py",
    "pumetrics/counts.py",
    "pumetrics/inference/merging.py",
    "pumetrics_workflow/ranking.py",
    "pumetrics_workflow/studies/claesen2015/claims.py",
    "pumetrics_workflow/studies/tabatabaei2020/draws.py",
    # ranks of a permutation, which has no ties
    "pumetrics_workflow/studies/queries.py",
}


def unstable(path):
    """Lines that sort rows by one key without saying that ties keep their order."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in ("argsort", "sort_values"):
            continue
        key = node.args[0] if node.args else ast.Constant("")
        several = node.func.attr == "sort_values" and not isinstance(key, ast.Constant)
        if not several and "kind" not in {each.arg for each in node.keywords}:
            yield node.func.attr, node.lineno


@pytest.mark.parametrize("path", sorted(SRC.rglob("*.py")), ids=lambda path: path.stem)
def test_sorting_by_one_key_keeps_the_order_of_ties(path):
    is_free = path.relative_to(SRC).as_posix() in FREE
    found = [line for name, line in unstable(path) if not (is_free and name == "argsort")]
    assert not found, f"{path}: lines {found} need kind='stable' or a second key"
