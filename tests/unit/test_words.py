"""Sentences that users read keep to the style sheet (docs/style.md): its words, US spelling, 95% and 0.30."""

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
OUT = re.compile(
    r"\b(?:anew|besides?|stands?(?!-)|told|asked|worth|mend(?:s|ed)?|rooms?|doors?|of ours|whom|whoever|tellers?|"
    r"judg(?:e|es|ed|ing|e?ment)|typed|doubts?|as one would|errs|turned round|belongs? into|"
    r"\w*(?:colour|neighbour|favour|behaviour)\w*|labell(?:ed|ing)|licences?|centres?|grey|towards|analys(?:e[ds]?|ing)|"
    r"\w*(?:minim|maxim|optim|penal|standard|normal|real|vector|recogn|summar|organ|general|regular|initial)is"
    r"(?:e[drs]?|ers?|ing|ations?))\b"
    r"|\d %|(?<![\w.)\]*/=<>-])\.\d",
    flags=re.IGNORECASE,
)
CODE = re.compile(
    r"```.*?```|``[^`]*``|`[^`\n]*`|^\s*(?:>>>|\.\.\. )[^\n]*"
    r"|^ *\*{0,2}\w+(?:, \*{0,2}\w+)* : [^\n]*"  # the names and types of parameters in a docstring
    r"|\{\w*:[.,\d]*[fg%]?\}",  # number formats
    flags=re.DOTALL | re.MULTILINE,
)
# Values in the tables under results/reference, which keep their text.
VALUES = re.compile(
    r"95 % bounds of one ranking|lines not turned round|"
    r"draws of ours, one of the paper's|\[0, \.1\)|\[\.1, \.2\)|\[\.2, inf\)"
)


def strings(value):
    """Yield the strings inside a value of a YAML file."""
    if isinstance(value, str):
        yield value * (" " in value.strip())
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def prose(path):
    """Return what a file says without its code: strings and docstrings, comments, cells of text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        nodes = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
        text = "\n\n".join(
            value for value in nodes if isinstance(value, str) and " " in value.strip()
        )
    elif path.suffix == ".yaml":
        text = "\n\n".join([*strings(yaml.safe_load(text)), *re.findall(r"(?<!\S)#.*", text)])
    elif path.suffix == ".smk":
        text = "\n\n".join(re.findall(r'"""[\s\S]*?"""|"[^"\n]* [^"\n]*"|(?<!\S)#.*', text))
    elif path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join(
            "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
        )
    return VALUES.sub(" ", CODE.sub(" ", text))


def tracked():
    """Return the names of the tracked files whose sentences users read."""
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    for name in names or ["README.md"]:  # an sdist has no list
        ours = name.endswith(".py") and name.startswith(
            ("src/", "docs/", "notebooks/", "benchmarks/")
        )
        if ours or name.endswith((".md", ".rst", ".yaml", ".smk", ".ipynb", "Makefile")):
            yield name


@pytest.mark.parametrize("name", list(tracked()))
def test_a_file_keeps_to_the_style_sheet(name):
    text = prose(ROOT / name)
    found = [
        " ".join(text[max(0, hit.start() - 30) : hit.end() + 20].split())
        for hit in OUT.finditer(text)
    ]
    assert not found


READS_INPUT = {
    "_files.py",
    "_pairs.py",
    "_options.py",
    "_output.py: _one_line",
    "_output.py: _plain",
    "_pictures.py: picture",
    "_tables.py: _widths",
    "_words.py: shown",
    "audit.py: _write_checks",
    "audit.py: _names_in",
    "evaluate.py: _limits_of",
    "_read.py",
    "__init__.py: <module>",
}
"""What takes texts apart that are no sentences of its own: names, options, files, numbers, and cells of a table."""


def taken_apart(tree, where="<module>"):
    """Yield the functions of a module that take a text apart."""
    for node in ast.iter_child_nodes(tree):
        name = (
            node.func.attr
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            else None
        )
        if name in {"replace", "removeprefix", "removesuffix", "partition", "rpartition", "split"}:
            yield where
        if isinstance(node, ast.Import) and any(each.name == "re" for each in node.names):
            yield where
        yield from taken_apart(node, node.name if isinstance(node, ast.FunctionDef) else where)


def test_no_code_reads_its_own_sentences():
    found = set()
    for path in [
        path
        for part in ("assessment", "cli")
        for path in (ROOT / "src/pumetrics" / part).glob("*.py")
    ]:
        for where in taken_apart(ast.parse(path.read_text(encoding="utf-8"))):
            found |= {path.name, f"{path.name}: {where}"} & READS_INPUT or {f"{path.name}: {where}"}
    assert found == READS_INPUT
    templates = (ROOT / "src/pumetrics/assessment").glob("*.j2")
    assert not [
        path.name
        for path in templates
        if re.search(r"\.(?:split|replace)\(", path.read_text(encoding="utf-8"))
    ]
