"""How the documentation is built: `make docs`, or `sphinx-build -W docs docs/_build`."""

import re

from pumetrics import __version__

project = "pumetrics"
author = "The pumetrics maintainers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "pumetrics"

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "imported-members": True, "member-order": "groupwise"}
autodoc_typehints = "none"
# Types are written for people ("array-like of shape (n,)"): they are text, no references.
napoleon_use_param = napoleon_use_rtype = napoleon_google_docstring = False
napoleon_use_ivar = True
nitpicky = True
# Names of other packages, and modules of ours that are read in the source, not here.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!pumetrics\.).*"),
    (r"py:(mod|func)", r"pumetrics\.priors\.(two_component|plateau)\b.*"),
]

_MARKUP = re.compile(r"\\?\||(?<=\w)_(?!\w)")
_CODE = re.compile(r"(``[^`]*``|`[^`]*`|:math:`[^`]*`)")


def _for_people(app, what, name, obj, options, lines):
    """Read |U| and n_features_in_ in docstrings as text: no substitutions, no targets."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", ".. math::")):
            parts = _CODE.split(line)
            parts[::2] = [
                re.sub(r"\\?\||(?<=\w)_(?!\w)", lambda match: "\\" + match[0][-1], part) for part in parts[::2]
            ]
            lines[number] = "".join(parts)


def setup(app):
    """Read docstrings before napoleon does."""
    app.connect("autodoc-process-docstring", _for_people, priority=100)
