"""The contract on imports: they point down, private names stay in their package, and a light import stays light."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import pumetrics
from pumetrics.assessment import assess, compare_scores
from pumetrics.checks import plan_checks
from pumetrics.methods import estimate_score
from pumetrics.metrics import make_pu_scorer
from pumetrics.priors import estimate_priors

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
PACKAGES = ("pumetrics", "pumetrics_workflow")

# Parts of the library from the bottom up: each may import those of the lines above its own, never its neighbors.
LAYERS = (
    ("arguments", "cautions", "equality", "extras", "writing"),
    ("compiled", "threads"),
    ("validation",),
    ("weights", "tops", "unscored"),
    ("reading", "plotting", "counts", "rates"),
    ("recovery", "labeling"),
    ("curves",),
    ("priors", "label_frequency"),
    ("metrics",),
    ("bounds",),
    ("checks",),
    ("inference",),
    ("methods", "displays", "examples"),
    ("assessment",),
    ("cli",),
    ("__main__",),
)
HEAVY = {
    *("jinja2", "matplotlib", "numba", "openml", "pandas", "pyarrow", "rich", "scipy"),
    *("seaborn", "sklearn", "snakemake", "typer"),
}
LAYER_OF = {part: layer for layer, parts in enumerate(LAYERS) for part in parts}


def modules():
    """Every module of both packages by its dotted name."""
    for package in PACKAGES:
        for path in sorted((SRC / package).rglob("*.py")):
            parts = path.relative_to(SRC).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(modules())


def imports(name):
    """Modules of ours that a module imports wherever in it, and the names it takes from them."""
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (
                (alias.name, None) for alias in node.names if alias.name.split(".")[0] in PACKAGES
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            assert not node.level, f"{name}: imports are absolute"
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield (submodule, None) if submodule in MODULES else (node.module, alias.name)


@cache
def all_imports():
    """Module that imports, module that is imported, and the name taken from it or None."""
    return [(name, target, taken) for name in MODULES for target, taken in imports(name)]


def part(name):
    return name.split(".")[1] if "." in name else None


def test_every_part_of_the_library_has_its_layer():
    parts = {part(name) for name in MODULES if name.startswith("pumetrics.")}
    assert not parts - LAYER_OF.keys(), "say in LAYERS which parts these may import"


def test_the_library_never_imports_the_workflow():
    upwards = [
        pair
        for pair in all_imports()
        if pair[0].split(".")[0] == "pumetrics" and pair[1].startswith(PACKAGES[1])
    ]
    assert not upwards


def test_imports_of_the_library_point_down():
    upwards = [
        f"{name} imports {target}"
        for name, target, _ in all_imports()
        if name.startswith("pumetrics.") and target.startswith("pumetrics.")
        if part(name) != part(target) and LAYER_OF[part(target)] >= LAYER_OF[part(name)]
    ]
    assert not upwards


def owner(target, taken):
    """The package within which something private may be used; None for what is public."""
    parts = [*target.split("."), *([taken] if taken else [])]
    private = next((place for place, part in enumerate(parts) if part.startswith("_")), None)
    if private is None or parts[private].startswith("__"):
        return None
    holder = ".".join(parts[:private])
    return holder if MODULES[holder].name == "__init__.py" else holder.rpartition(".")[0]


def test_private_names_stay_within_their_package():
    trespassing = []
    for name, target, taken in all_imports():
        home = owner(target, taken)
        if home and not f"{name}.".startswith(f"{home}."):
            trespassing.append(f"{name} imports {target}" + (f".{taken}" if taken else ""))
    assert not trespassing


def taken_from_the_packages(path):
    """Module and name of each `from module import name` in a file, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem
)
def test_what_the_benchmarks_import_exists(path):
    """They run for half an hour on an idle machine, so nothing else would notice a name that has moved."""
    for module, name in taken_from_the_packages(path):
        found = hasattr(importlib.import_module(module), name) or f"{module}.{name}" in MODULES
        assert found, f"{path.name} imports {name} from {module}, which has no such name"


@pytest.mark.parametrize(
    "statement", ["import pumetrics", "from pumetrics import metrics, recovery"]
)
def test_a_light_import_is_light_and_quick(statement):
    """CPU time, as a busy machine says nothing about imports."""
    code = f"""
import sys, time
start = time.process_time()
{statement}
print(time.process_time() - start, *({HEAVY} & sys.modules.keys()))
"""

    def seconds():
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        took, *heavy = done.stdout.split()
        assert not heavy
        return float(took)

    assert any(seconds() < 0.3 for _ in range(5))


def imported_by(code, *arguments, flags=()):
    """Packages that a piece of code leaves imported, by their dotted names, and what else Python says."""
    command = [sys.executable, *flags, "-c", f"import sys\n{code}\nprint(*sys.modules)", *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return set(done.stdout.splitlines()[-1].split()), done.stderr


def test_what_assesses_is_imported_without_compiler_tables_and_pictures():
    found, _ = imported_by("import pumetrics.assessment")
    assert not found & {*HEAVY - {"scipy"}, "scipy.stats", "scipy.optimize"}


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    """What an evaluation in the terminal imports, and how Python found it."""
    file = tmp_path_factory.mktemp("evaluation") / "scores.csv"
    rows = [f"{int(i % 4 == 0)},{(i * 37 % 101) + 30 * (i % 4 == 0)}" for i in range(400)]
    file.write_text("\n".join(["s,score", *rows]))
    code = "from pumetrics.cli import app\ntry:\n    app(['evaluate', sys.argv[1]])\nexcept SystemExit:\n    pass"
    return imported_by(code, str(file), flags=["-v"])


@pytest.mark.slow
def test_no_command_compiles_a_module_of_ours(evaluation):
    """The install compiles every module once; each process would pay for what it forgets."""
    compiled = re.findall(rf"^# code object from ({SRC}.*\.py)$", evaluation[1], flags=re.M)
    # What was edited since has bytecode too, of its former content.
    forgotten = [
        path for path in compiled if not Path(importlib.util.cache_from_source(path)).is_file()
    ]
    assert not forgotten, "compile them in the rule `.venv/ready` of the Makefile"


def test_an_evaluation_in_the_terminal_imports_neither_statistics_nor_learners_nor_pictures(
    evaluation,
):
    found, _ = evaluation
    assert "pandas" in found
    assert not found & {
        "jinja2",
        "matplotlib",
        "pumetrics.displays",
        "scipy.stats",
        "seaborn",
        "sklearn",
    }


# The package itself: the functions to begin with, imported when used, and the command as a module.


def test_the_package_has_the_functions_of_its_parts():
    functions = [
        assess,
        compare_scores,
        estimate_priors,
        estimate_score,
        make_pu_scorer,
        plan_checks,
    ]
    assert [getattr(pumetrics, function.__name__) for function in functions] == functions
    assert pumetrics.compare is compare_scores
    assert {function.__name__ for function in functions} | {"compare"} == set(pumetrics.__all__)
    assert set(pumetrics.__all__) <= set(dir(pumetrics))
    assert not hasattr(pumetrics, "asses")


def test_the_command_runs_as_a_module():
    command = [sys.executable, "-m", "pumetrics", "--version"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.strip() == f"pumetrics {pumetrics.__version__}"
