"""How the documentation is built: `make docs`, or `sphinx-build -W docs docs/_build`."""

import contextlib
import io
import re
import shutil
import sys
from pathlib import Path

from pumetrics import __version__

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))  # the extensions `formulas` and `plain`

project = "pumetrics"
author = "The pumetrics maintainers"
copyright = f"2026 {author}"
release = version = __version__

extensions = [
    "myst_nb",  # with myst_parser
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "formulas",
    "plain",
]
exclude_patterns = [
    "_build",
    "_generated",
    "_templates",
    "jupyter_execute",
    "**/.ipynb_checkpoints",
]
html_theme = "furo"
html_title = "pumetrics"
html_static_path = ["_static"]
html_css_files = ["pages.css", "print.css"]
html_math_renderer = "mathml"
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3


# Pages of the root are pages here as well, with links as seen from this folder.
for _name in ("changelog", "contributing"):
    _text = (ROOT / f"{_name.upper()}.md").read_text(encoding="utf-8")
    _text = _text.replace("](docs/", "](").replace("](LICENSE)", "](../LICENSE)")
    (ROOT / f"docs/{_name}.md").write_text(_text, encoding="utf-8")

# The notebooks are pages, shown with the outputs that `make notebooks` keeps.
_NOTEBOOKS = ROOT / "docs/notebooks"
if not _NOTEBOOKS.exists():
    _NOTEBOOKS.symlink_to("../notebooks", target_is_directory=True)
nb_execution_mode = "off"
nb_merge_streams = True

# Each name in a table of docs/api gets a page, written to docs/api/generated.
autodoc_default_options = {"members": True, "member-order": "groupwise"}
autodoc_typehints = "none"
# Types are written for people ("array-like of shape (n,)"): they are text, no references.
napoleon_use_param = napoleon_use_rtype = napoleon_google_docstring = False
napoleon_use_ivar = True
nitpicky = True
# Names of other packages, and modules of ours that are read in the source, not here.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!pumetrics\.).*"),
    (r"py:(mod|func)", r"pumetrics\.(priors\.(combine_shares|plateau)|tops)\b.*"),
]

_SEVERAL = re.compile(r"^(\s*)(\w+(?:, \w+)+) : (.*)$")
_MARKUP = re.compile(r"\\?\||(?<=\w)_(?!\w)")
_CODE = re.compile(r"(``[^`]*``|`[^`]*`|:math:`[^`]*`)")


def _for_people(app, what, name, obj, options, lines):
    """Read |U| and n_features_in_ in docstrings as text: no substitutions, no targets."""
    if what == "class":
        _one_attribute_a_line(lines)
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", ".. math::")):
            parts = _CODE.split(line)
            parts[::2] = [
                _MARKUP.sub(lambda match: "\\" + match[0][-1], part) for part in parts[::2]
            ]
            lines[number] = "".join(parts)


def _one_attribute_a_line(lines):
    """Write ``alpha, beta : float`` of the attributes as two: Sphinx would take the first name for the type."""
    if "Attributes" in lines:
        start = lines.index("Attributes")
        for number in range(len(lines) - 1, start, -1):
            if several := _SEVERAL.match(lines[number]):
                indent, names, kind = several.groups()
                lines[number : number + 1] = [
                    f"{indent}{name} : {kind}" for name in names.split(", ")
                ]


def _leave_out(app, what, name, obj, skip, options):
    """Leave out what scikit-learn adds to a classifier, and fields that the docstring of their class describes."""
    added = name == "get_metadata_routing" or re.fullmatch(r"set_\w+_request", name)
    return (
        True
        if added or (getattr(obj, "__doc__", None) or "").startswith("Alias for field number")
        else None
    )


def _example_page(app, error):
    """Write the page of `pumetrics example` into the built documentation, which links to it."""
    from pumetrics.cli.example import example

    if error is None and app.builder.format == "html":
        shutil.rmtree(Path(app.outdir, "example"), ignore_errors=True)
        with (
            contextlib.chdir(app.outdir),
            contextlib.redirect_stdout(io.StringIO()),
        ):  # the page names its file
            example(Path("example"))


def setup(app):
    """Read docstrings before napoleon does, and add the example's page."""
    app.connect("autodoc-process-docstring", _for_people, priority=100)
    app.connect("autodoc-skip-member", _leave_out)
    app.connect("build-finished", _example_page)
