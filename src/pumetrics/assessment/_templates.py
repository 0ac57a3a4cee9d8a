"""Templates of the pages, filled."""

from pathlib import Path

from pumetrics import __version__
from pumetrics.assessment._plain import GLOSSARY, percent, percents, term_of
from pumetrics.assessment._words import label, span

__all__ = ["fragment", "rendered"]

_FOLDER = Path(__file__).parent


def rendered(template, **content):
    """Fill the template of a page, which is given its style sheets.

    Parameters
    ----------
    template : str
        A file of this folder.
    **content

    Returns
    -------
    str
    """
    style = "".join((_FOLDER / sheet).read_text(encoding="utf-8") for sheet in ("report.css", "page.css"))
    return fragment(template, style=style, **content)


def fragment(template, **content):
    """Fill a template without style sheets.

    Parameters
    ----------
    template : str
    **content

    Returns
    -------
    str
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    options = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    environment = Environment(loader=FileSystemLoader(_FOLDER), **options)
    environment.filters |= {"percent": percent, "percents": percents, "span": span}
    environment.globals |= {"glossary": GLOSSARY, "term_of": term_of, "label": label, "version": __version__}
    return environment.get_template(template).render(**content)
