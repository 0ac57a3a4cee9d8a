"""The blocks of README and docs run in order, as they are printed, in an empty folder, and print what is shown.

A command without its output on the page resamples ten times instead of a thousand.
"""

import doctest
import importlib
import re
import shlex
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from pumetrics.cli import app

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "config/README.md",
        ROOT / "results/README.md",
    ]
)
COMMAND = re.compile(r"^(?:cat (\S+) \| )?pumetrics (?!compare |datasets|new-study|reference)(.*)$")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(path):
    """Yield what a page shows in code style: Python, the commands for scores, and their output."""
    for token in MarkdownIt().parse(path.read_text(encoding="utf-8")):
        if token.type not in ("fence", "code_block"):
            continue
        if ">>> " in token.content:
            yield "python", token.content
        elif token.info == "text":
            yield "output", token.content
        elif calls := list(filter(COMMAND.match, token.content.replace("\\\n", " ").splitlines())):
            yield "shell", calls


def run_python(content, names, path):
    test = doctest.DocTestParser().get_doctest(content, {}, path.name, str(path), 0)
    test.globs = names
    failures = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append, clear_globs=False)
    assert not failures, "".join(failures)


def run_command(line, *, whole):
    """Run a command in this process and return what it prints."""
    source, call = COMMAND.match(line).groups()
    arguments = shlex.split(call, comments=True)
    # pages show the part on checked rows, which needs none
    resamples = whole and "--checks" not in arguments
    if arguments[0] in ("evaluate", "compare-models") and not resamples:
        arguments += ["--bootstrap", "10"]
    done = CliRunner(env={"COLUMNS": "80"}).invoke(
        app, arguments, input=Path(source).read_bytes() if source else None
    )
    assert done.exit_code in ((0, 1) if "--fail-under" in arguments else (0,)), (
        f"{line}\n{done.output}"
    )
    return "".join(row.rstrip() + "\n" for row in done.output.splitlines())


@pytest.fixture(scope="module")
def drawn():
    """The rows to check and their plan: drawn for the first page, the same for the others."""
    return {}


@pytest.fixture
def quick_example(monkeypatch, drawn):
    """Let `pumetrics example` write its files without running the commands that only print."""
    # the package has the function under this name
    module = importlib.import_module("pumetrics.cli.example")
    run = module._run

    def write(console, call):
        if call[0] != "audit":
            return
        if not drawn:
            run(console, call)
            drawn.update(
                {
                    path.name: path.read_bytes()
                    for path in Path(call[-1]).parent.glob("fraud_checks.*")
                }
            )
        for name, content in drawn.items():
            Path(call[-1]).with_name(name).write_bytes(content)

    monkeypatch.setattr(module, "_run", write)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [page for page in PAGES if any(blocks(page))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_the_blocks_of_a_page_run_in_an_empty_folder(path, tmp_path, monkeypatch, quick_example):
    monkeypatch.chdir(tmp_path)
    names = {}
    printed = ""
    found = list(blocks(path))
    for (kind, content), (following, _) in zip(found, [*found[1:], ("end", "")], strict=True):
        if kind == "python":
            run_python(content, names, path)
        elif kind == "shell":
            printed = "".join(run_command(line, whole=following == "output") for line in content)
        elif printed:
            assert content in printed, printed
            printed = ""
