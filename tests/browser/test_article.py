"""The article on paper: its page loads whole, fits the sheet, and is printed by `make article`."""

import re
import sys
from pathlib import Path

import pytest
from quick_results import ROOT

sys.path.insert(0, str(ROOT / "docs"))

from print_pdf import print_page

from pumetrics_workflow.plan import papers

PAPERS = papers(ROOT)

A4 = 673  # pixels between the margins of print.css: 178 mm at 96 per inch


@pytest.fixture(scope="module")
def article(built):
    """Return the page of the article."""
    return built / "replication.html"


def test_pictures_load_and_nothing_is_wider_than_the_sheet(browser, resize, article):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    resize(A4)
    browser.get(Path(article).as_uri())
    images = "return [...document.querySelectorAll('article img')].map(i => i.complete && i.naturalWidth > 0)"
    assert browser.execute_script(images) == [True] * (2 + len(PAPERS))
    wide = """return [...document.querySelectorAll('article table, article img')]
        .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1).map(e => e.textContent.slice(0, 40))"""
    assert browser.execute_script(wide) == []
    shown = """return ['.sidebar-drawer', '.toc-drawer', '.skip-to-content', 'footer'].filter(
        s => [...document.querySelectorAll(s)].some(e => getComputedStyle(e).display !== 'none'))"""
    assert browser.execute_script(shown) == []
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_it_has_at_most_twelve_hundred_words_for_each_paper_with_its_tables(article):
    page = re.search(
        r"<article[^>]*>(.*?)</article>", article.read_text(encoding="utf-8"), flags=re.S
    ).group(1)
    text = re.sub(r"<[^>]+>", " ", re.sub(r'<a class="headerlink".*?</a>', "", page, flags=re.S))
    assert 800 * len(PAPERS) < len(text.split()) <= 1200 * len(PAPERS)


def test_it_is_printed_on_at_most_fourteen_pages_and_links_to_no_file_of_this_machine(
    browser, article, tmp_path
):
    print_page(article, tmp_path / "article.pdf")
    content = (tmp_path / "article.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert 7 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 14
    assert b"file://" not in content
    assert [path.name for path in article.parent.glob("*_paper.html")] == []


def test_without_a_page_or_a_browser_one_line_says_what_to_do(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match="`make docs` builds it"):
        print_page(tmp_path / "none.html", tmp_path / "none.pdf")
    (tmp_path / "page.html").write_text("<p>page</p>")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"no Chromium here to print page\.html"):
        print_page(tmp_path / "page.html", tmp_path / "page.pdf")
