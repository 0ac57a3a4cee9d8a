"""README and docs: links lead somewhere, files that are named exist; examples of modules print what they show.

The blocks of pages run in tests/unit/test_commands_of_pages.py, the recipes of docs/adding.md
in tests/workflow/test_adding.py.
"""

import doctest
import html
import importlib
import json
import re
import sys
import tomllib
import unicodedata
from pathlib import Path

import pytest
import snowballstemmer
import yaml
from fontTools.ttLib import TTFont

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from plain import names_of

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "config/README.md",
        ROOT / "results/README.md",
    ]
)
MODULES = sorted(
    path
    for package in ("pumetrics", "pumetrics_workflow")
    for path in (ROOT / "src" / package).rglob("*.py")
)


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize(
    "path", [path for path in MODULES if ">>> " in path.read_text(encoding="utf-8")], ids=named
)
def test_the_examples_of_a_module_print_what_they_say(path):
    names = path.relative_to(ROOT / "src").with_suffix("").parts
    module = importlib.import_module(".".join(names).removesuffix(".__init__"))
    results = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert results.attempted
    assert not results.failed


def slug(heading):
    """Anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_relative_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (path.parent / file) if file else path
        assert place.exists(), f"{path.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), flags=re.M)
            assert anchor in map(slug, headings), (
                f"{path.name} links to {target}; headings: {headings}"
            )


def test_codemeta_says_what_citation_and_pyproject_say():
    described = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert described["keywords"] == cited["keywords"]
    assert described["license"].endswith(f"/{cited['license']}")
    assert described["programmingLanguage"][0]["version"] == project["requires-python"]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_files_that_a_page_names_exist(path):
    text = path.read_text(encoding="utf-8")
    made_by_a_reader = re.findall(r"Create `([^`]+)`", text)  # by following the page
    for name in re.findall(
        r"`((?:src|docs|config|workflow|tests|notebooks|benchmarks|profiles)/[\w./-]+)`", text
    ):
        if name not in made_by_a_reader and not name.startswith("docs/_build/"):
            assert (ROOT / name).exists(), f"{path.name} names {name}"


def test_the_documentation_builds_without_a_warning_and_shows_every_picture(built):
    assert all((built / name).is_file() for name in ("mathematics.html", "example/fraud.html"))
    pictures = {path.stem for path in (built / "_images").glob("*.png")}
    missing = {path.stem for path in (ROOT / "docs/gallery").glob("*.py")} - pictures
    assert not missing, f"docs/gallery.md does not show {missing}"
    figures = (built / "figures.html").read_text(encoding="utf-8")
    drawn = {path.name for path in (ROOT / "results/pictures").glob("*_*.png")}
    assert set(re.findall(r'src="_images/([^"]+)"', figures)) == drawn
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shown = (built / f"notebooks/{path.stem}.html").read_text(encoding="utf-8")
        assert shown.count('<img alt="../_images') >= 3, (
            f"the page of {path.name} shows fewer than three pictures"
        )


def test_a_page_needs_no_other_host_and_shows_no_latex(built):
    """The documentation is read without a network: no script, style, font or picture from elsewhere, and MathML."""
    loads = re.compile(
        r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]*)|<link\b[^>]*\bhref=\"([^\"]*)|url\(([^)]*)\)|@import([^;]*)"
    )
    latex = re.compile(r"\\\(|\\\[|\$\$|\\(?:frac|alpha|mathrm|begin)\b")
    code = re.compile(r"<(pre|code|script|style)\b.*?</\1>", flags=re.S)
    formulas = 0
    for path in [*built.rglob("*.html"), *built.rglob("*.css")]:
        text = path.read_text(encoding="utf-8")
        found = ["".join(groups).strip("\"' ") for groups in loads.findall(text)]
        assert not [each for each in found if re.match(r"(https?:)?//", each)], path
        if path.suffix == ".html" and "_modules" not in path.parts:
            assert not latex.search(code.sub("", text)), path
            formulas += text.count("<math ")
    assert formulas > 100


def test_the_shipped_font_has_every_letter_of_the_formulas(built):
    """Also those that MathML makes italic, and roots, which stretch: a browser takes them from one font."""
    font = TTFont(ROOT / "docs/_static/formulas.woff")
    texts = [path.read_text(encoding="utf-8") for path in built.rglob("*.html")]
    formulas = [
        formula for text in texts for formula in re.findall(r"<math\b.*?</math>", text, flags=re.S)
    ]
    shown = "".join(html.unescape(re.sub(r"<[^>]*>", "", formula)) for formula in formulas)
    letters = {letter for letter in shown if not letter.isspace()} | set("√")
    assert "α" in letters
    assert not {letter for letter in letters if ord(letter) not in font.getBestCmap()}
    italic = {
        unicodedata.normalize("NFKC", chr(code))
        for code in font.getBestCmap()
        if 0x1D434 <= code <= 0x1D71B
    }
    assert {letter for letter in letters if re.match("[a-zA-Zα-ω]", letter)} <= italic | set("hϵ")
    assert "MATH" in font


def test_the_search_finds_the_words_of_the_field(built):
    """As Sphinx searches: a page is found that has the stems of all words, in its title first."""
    text = (built / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    stem = snowballstemmer.stemmer("english").stemWord

    def pages(words, *parts):
        found = [
            [index[part].get(stem(word), []) for part in parts] for word in words.lower().split()
        ]
        numbers = [
            {n for hits in word for n in ([hits] if isinstance(hits, int) else hits)}
            for word in found
        ]
        return {index["docnames"][number] for number in set.intersection(*numbers)}

    assert "index" in pages("PU learning", "terms", "titleterms")
    assert {"labels", "which_number"} <= pages("label noise", "terms", "titleterms")
    assert {"thresholds", "which_number"} <= pages("precision", "terms", "titleterms")
    assert "labels" in pages("label noise", "titleterms")
    assert "thresholds" in pages("precision", "titleterms")
    assert "api/generated/pumetrics.metrics.pu_precision_score" in index["docnames"]


def test_each_public_name_has_one_page_and_each_room_a_public_name(built):
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/api").glob("*.md"))
    names = [f"{module}.{name}" for module, listed in names_of(pages) for name in listed]
    assert len(names) == len(set(names)) > 100
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert attribute in importlib.import_module(module).__all__, name
        assert (built / f"api/generated/{name}.html").is_file(), name
    packages = {
        path.relative_to(ROOT / "src/pumetrics").parts[0].removesuffix(".py")
        for path in MODULES
        if path.is_relative_to(ROOT / "src/pumetrics")
    }
    shown = {name.split(".")[1] for name in names}
    missing = {package for package in packages if not package.startswith("_")} - shown - WITHIN
    assert not missing, f"list them in docs/api, or in WITHIN if no user calls them: {missing}"


# Packages of the library that users have no need to call.
WITHIN = {
    *("arguments", "cautions", "cli", "compiled", "counts", "equality", "extras", "plotting"),
    *("rates", "threads", "tops", "unscored", "validation", "weights", "writing"),
}
