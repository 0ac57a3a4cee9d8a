"""The project's own files agree with each other."""

import json
import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def _bounds(requirements):
    return dict(re.match(r"([\w.\[\]-]+)(.*)", line).groups() for line in requirements)


# All that `make` installs: the library, its extras, the workflow and the tools, without the references between extras.
WANTED = [
    line
    for group in (
        PROJECT["dependencies"],
        *(PROJECT["optional-dependencies"][name] for name in ("fast", "parquet", "plots", "workflow", "dev")),
    )
    for line in group
    if not line.startswith("pumetrics[")
]


def test_version_and_date_agree():
    import pumetrics

    assert PROJECT["dynamic"] == ["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    described = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    version, date = re.search(r"^## (\S+) - (\S+)$", CHANGES, flags=re.M).groups()
    assert {version, citation["version"], described["version"]} == {pumetrics.__version__}
    assert {date, described["dateModified"]} == {str(citation["date-released"])}


def test_changes_are_dated_sorted_and_short():
    versions = re.split(r"^## ", CHANGES, flags=re.M)[1:]
    dates = [re.match(r"\d+\.\d+\.\d+ - (\d{4}-\d{2}-\d{2})\n", text).group(1) for text in versions]
    assert dates == sorted(dates, reverse=True)
    for text in versions:
        assert len([line for line in text.splitlines() if line]) <= 25
        headings = re.findall(r"^### (.*)$", text, flags=re.M)
        assert headings == [name for name in ("Breaking", "Added", "Changed", "Fixed") if name in headings]


def test_the_jobs_use_the_oldest_and_the_newest_python_and_targets_that_exist():
    path = ROOT / ".github/workflows/tests.yml"
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    allowed = [line.split()[-1] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    assert jobs["unit"]["strategy"]["matrix"]["python"] == [allowed[0], allowed[-1]]
    asked = {step["run"] for job in jobs.values() for step in job["steps"] if "run" in step}
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M)
    assert asked == {"make", "make check", "make docs", "make quality", "make test"}
    assert {call.split()[1] for call in asked - {"make"}} <= set(targets)


def test_environment_yml_installs_what_pyproject_lists():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    python, pip, *large, rest = listed
    assert (python, pip, rest) == (f"python{PROJECT['requires-python']}", "pip", {"pip": ["-e .[dev]"]})
    assert _bounds(large).items() <= _bounds(WANTED).items()


def test_the_lock_pins_every_dependency_with_hashes():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, flags=re.M))
    wanted = _bounds(WANTED)
    assert set(wanted) <= set(pinned), "run `make lock`"
    for name, bound in wanted.items():
        least = re.search(r">=([\d.]+)", bound).group(1)
        assert _version(pinned[name]) >= _version(least), f"{name} {pinned[name]} is below {least}: run `make lock`"
    assert lock.count("--hash=sha256:") >= len(pinned)


def test_the_required_packages_are_dependencies():
    required = {"snakemake", "numpy", "pandas", "scikit-learn", "openml", "seaborn", "pytest"}
    assert required <= set(_bounds(WANTED))


def test_every_file_is_one_room():
    for path in (ROOT / "src").rglob("*.py"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 550, f"{path.relative_to(ROOT)} has {lines} lines: it is two rooms"


def test_the_snakefile_is_a_table_of_contents():
    assert len((ROOT / "Snakefile").read_text(encoding="utf-8").splitlines()) <= 70
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 150, path.name


def _version(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


COST = re.compile(r"\d[\d.,]*[- ]?(core-)?(h|hours?|min|minutes?|s|seconds?|MB|GB)\b")
LIMITS = ("byte arrives for 30 s", "a limit of 15 minutes", "within ten seconds")  # of downloads


def test_costs_are_typed_nowhere_but_on_the_page_that_generates_them():
    pages = {ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "profiles").rglob("*.yaml")}
    pages |= {path for kind in ("*.md", "*.yaml") for path in (ROOT / "config").rglob(kind)}
    pages |= set((ROOT / "workflow/rules").glob("*.smk"))
    for page in pages - {ROOT / "docs/cluster.md", ROOT / "docs/changelog.md", ROOT / "config/datasets.yaml"}:
        for line in page.read_text(encoding="utf-8").splitlines():
            typed = COST.search(line)
            known = not typed or any(limit in line for limit in LIMITS)
            assert known, f"{page.relative_to(ROOT)} types {typed[0]!r}: link to docs/cluster.md#what-it-costs"
