"""A Sphinx extension: formulas become MathML when a page is built, so that a browser needs no script and no network.

docutils converts them. A formula that it does not understand is a warning, and so an error of `make docs`.
"""

import re
from functools import partial

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

__all__ = ["setup"]

_LOGGER = logging.getLogger(__name__)
_BAR = (
    '<mo stretchy="false">|</mo>'  # docutils writes it as an operator, with a space on both sides
)
_BIG = re.compile(r"\\([Bb]igg?)(?![A-Za-z])")  # docutils knows \bigl and \bigr only


def _write(translator, node, *, block):
    try:
        markup = tex2mathml(_BIG.sub(r"\\\1l", node.astext().strip()), as_block=block)
    except MathError as error:
        _LOGGER.warning("no MathML for %r: %s", node.astext(), error, location=node)
        markup = translator.encode(node.astext())
    markup = markup.replace(_BAR, _BAR.replace(">", ' lspace="0" rspace="0">', 1))
    tag = "div" if block else "span"
    translator.body.append(f"{translator.starttag(node, tag, '', CLASS='math')}{markup}</{tag}>")
    raise nodes.SkipNode


def setup(app):
    """Make this the way in which formulas are written; ``html_math_renderer`` of conf.py chooses it."""
    inline, block = ((partial(_write, block=block), None) for block in (False, True))
    app.add_html_math_renderer("mathml", inline, block)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
