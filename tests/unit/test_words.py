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
