"""A Sphinx extension: pages are plain Markdown where they lie; what only Sphinx understands is added as it reads them.

That is the order of the pages, the tables of functions, whose rows become links to pages of their own, and links of
names such as `pumetrics.assessment.assess`.
"""

import re
from functools import partial
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

__all__ = ["ORDER", "names_of", "setup"]

ORDER = {
    "index": {
        "Getting started": ["install", "first_answer", "checked_sample", "verdicts_only"],
        "User guide": [
            *("which_number", "alpha", "labels", "comparing", "thresholds", "own_scores"),
            *("gallery", "faq"),
        ],
        "The papers": [
            *("replication", "replication_details", "figures", "reproduce", "cluster"),
            *("choosing", "mathematics", "datasets", "troubleshooting", "checklist"),
        ],
        "API": ["api"],
        "Development": ["adding", "contributing", "reuse", "style", "changelog"],
    },
    "api": {
        "": [
            f"api/{name}" for name in ("score", "uncertainty", "prior", "compare", "labels", "data")
        ]
    },
    "checked_sample": {"": ["notebooks/09_checked_sample"]},
    "comparing": {"": ["notebooks/08_model_selection"]},
    "own_scores": {"": ["notebooks/07_own_scores"]},
    "reproduce": {
        "": ["notebooks/00_tour", "notebooks/*[0-9][0-9][0-9][0-9]", "notebooks/06_head_to_head"]
    },
}
"""Pages below a page, by the caption of their list."""

_NAMES = re.compile(r"<!-- names (\S+) ([^>]+) -->.*?<!-- end -->", flags=re.S)
_MODULE = re.compile(r"<!-- module (\S+) -->.*?<!-- end -->", flags=re.S)
_NOTEBOOK = re.compile(r"\[([^\]]+)\]\(\.\./(notebooks/\w+)\.ipynb\)")
_STUBS = "api/_names.rst"


def names_of(text):
    """Return the names in the tables of functions of a page: a list by module, as pairs."""
    return [(module, names.split()) for module, names in _NAMES.findall(text)]


def _autosummary(module, names):
    rows = "".join(f"   {name}\n" for name in names)
    options = "   :toctree: generated\n   :nosignatures:\n"
    return f".. currentmodule:: {module}\n.. autosummary::\n{options}\n{rows}"


def _directive(name, *lines):
    return "\n".join([f"```{{{name}}}", *lines, "```", ""])


def _completed(app, page, source):
    """Add to the text of a page what only Sphinx understands."""
    text = _NOTEBOOK.sub(r"{doc}`\1 <\2>`", source[0])
    text = _MODULE.sub(
        lambda match: _directive("eval-rst", f".. automodule:: {match[1]}", "   :no-members:"), text
    )
    text = _NAMES.sub(
        lambda match: _directive("eval-rst", _autosummary(match[1], match[2].split())), text
    )
    for caption, pages in ORDER.get(page, {}).items():
        options = [":hidden:", ":glob:", *[f":caption: {caption}"] * bool(caption)]
        text += "\n" + _directive("toctree", *options, "", *pages)
    source[0] = text


def _linked(app, tree, *, known):
    """Let names that have a page, written as code, be links that show their last part."""
    for literal in list(tree.findall(nodes.literal)):
        target = literal.astext()
        is_link = isinstance(literal.parent, nodes.reference | addnodes.pending_xref)
        if target in known and not is_link:
            shown = nodes.literal("", target.rpartition(".")[2], classes=["xref"])
            link = addnodes.pending_xref(
                "", shown, refdomain="py", reftype="obj", reftarget=target, refwarn=False
            )
            literal.replace_self(link)


def setup(app):
    """Write the list of functions that get a page, before Sphinx makes these."""
    pages = sorted(Path(app.srcdir, "api").glob("*.md"))
    found = [pair for page in pages for pair in names_of(page.read_text(encoding="utf-8"))]
    stubs = Path(app.srcdir, _STUBS)
    stubs.write_text("\n".join(_autosummary(*pair) for pair in found), encoding="utf-8")
    app.config.autosummary_generate = [str(stubs)]
    app.config.exclude_patterns.append(_STUBS)
    app.connect("source-read", _completed)
    known = {f"{module}.{name}" for module, names in found for name in names}
    app.connect("doctree-read", partial(_linked, known=known))
    return {"parallel_read_safe": True}
