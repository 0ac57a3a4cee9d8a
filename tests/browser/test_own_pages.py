"""The pages on own scores in a real browser: nothing is cut off at 1280 pixels, on a phone and in print."""

import base64
import io
import re
from collections import Counter

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from test_report import check_headings, readable

from pumetrics.assessment import (
    Assessed,
    Contest,
    assess,
    compare_scores,
    comparison_page,
    models_page,
    page,
)

LONG = "a_model_with_a_long_name_trained_in_spring_2026_on_all_regions.csv"
FACTS = {"name": LONG, "sha256": "0123456789abcdef" * 4, "rows": 2100, "rows_used": 2000}
PHONE, DESK, SHEET = 390, 1280, 720  # a sheet of A4 between its margins


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Return the folder of a page on one model, one on two of which one tells little, and one that compares three."""
    folder, rng = tmp_path_factory.mktemp("pages"), np.random.default_rng(0)
    y, s = np.repeat([1, 1, 0], [200, 400, 1400]), np.repeat([1, 0], [200, 1800])
    score = rng.normal(2.0 * y)
    assessment = assess(s, score, n_bootstrap=20)
    content = page(assessment, s, score, name=LONG, file=FACTS, date="2026-03-01")
    (folder / "one.html").write_text(content, encoding="utf-8")
    blind = rng.normal(0.2 * y)
    models = [
        Assessed("forest", assess(s, score, alpha=0.2, n_bootstrap=20), s, score),
        Assessed(LONG, assess(s, blind, threshold=0.4, at="1%", n_bootstrap=20), s, blind, FACTS),
    ]
    (folder / "several.html").write_text(models_page(models, date="2026-03-01"), encoding="utf-8")
    contests = []
    for name in ("rules.csv", "a second " + LONG):
        other = score + rng.normal(size=len(score))
        contests.append(
            Contest(LONG, name, s, score, other, compare_scores(s, score, other, n_bootstrap=20))
        )
    content = comparison_page(contests, files=[FACTS], date="2026-03-01")
    (folder / "models.html").write_text(content, encoding="utf-8")
    return folder


FIGURES = {"one.html": 5, "several.html": 10, "models.html": 2}


@pytest.fixture(params=FIGURES)
def opened(request, open_page, pages):
    """Return the browser with a page freshly opened, 1280 pixels wide."""
    return open_page(pages / request.param)


# Numbers in text that can be seen: not clipped away, and between the edges of the window.
SEEN = r"""
const seen = [], walk = document.createTreeWalker(document.querySelector("body"), NodeFilter.SHOW_TEXT);
for (let node; node = walk.nextNode();) {
  const numbers = node.data.match(/[+-]?\d[\d,.]*\d|\d/g);
  if (!numbers || node.parentElement.closest("style, caption, thead")) continue;
  const range = document.createRange(); range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  if (box.width < 1 || box.height < 1 || box.left < -1 || box.right > innerWidth + 1) continue;
  if (getComputedStyle(node.parentElement).visibility !== "visible") continue;
  seen.push(...numbers);
}
return seen;
"""


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_scrolls_sideways(opened, resize, width):
    resize(width)
    wide = opened.execute_script(
        "return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('.skip') && getComputedStyle(e.closest('thead') || e).clipPath === 'none')"
        ".map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))"
    )
    assert not wide
    assert opened.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [PHONE, SHEET])
def test_every_number_of_the_desk_is_seen_on_the_phone_and_in_print(opened, resize, width):
    desk = Counter(opened.execute_script(SEEN))
    assert sum(desk.values()) > 60
    resize(width)
    if width == SHEET:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not desk - Counter(opened.execute_script(SEEN))


def test_a_number_on_the_phone_says_what_it_is(opened, resize):
    resize(PHONE)
    unnamed = opened.execute_script(
        "return [...document.querySelectorAll('.cards td')].filter(e => "
        "['none', 'normal', '\"\"'].includes(getComputedStyle(e, '::before').content)).map(e => e.textContent)"
    )
    assert not unnamed
    assert opened.execute_script(
        "return [...document.querySelectorAll('.cards td')].every(e => e.dataset.label)"
    )


def test_every_figure_loads_and_is_large_enough_to_read(opened, resize, request):
    for width in (DESK, PHONE):
        resize(width)
        shown = opened.execute_script(
            "return [...document.images].map(i => [i.alt, i.complete && i.naturalWidth, i.clientWidth])"
        )
        assert len(shown) == FIGURES[request.node.callspec.params["opened"]]
        for alt, natural, wide in shown:
            assert natural, f"broken: {alt}"
            assert wide >= 0.85 * natural, (
                f"text of 8 points shrinks to {8 * wide / natural:.1f} at {width}: {alt}"
            )
    assert [entry["message"] for entry in opened.get_log("browser")] == []


def test_the_first_screen_of_a_phone_holds_the_sentence(opened, resize):
    resize(PHONE)
    box = opened.find_element(By.CSS_SELECTOR, ".lead").rect
    assert box["y"] + box["height"] < 844


def test_terms_are_explained_to_mouse_and_keyboard(opened, resize):
    terms = opened.find_elements(By.CSS_SELECTOR, "a.term")
    assert len(terms) > 5
    for width in (DESK, PHONE):
        resize(width)
        for term in terms[:4]:
            abbreviation = term.find_element(By.TAG_NAME, "abbr")
            assert len(abbreviation.get_attribute("title")) > 15
            opened.execute_script("arguments[0].focus({focusVisible: true})", term)
            content = opened.execute_script(
                "return getComputedStyle(arguments[0], '::after').content", term
            )
            assert abbreviation.get_attribute("title") in content.replace('\\"', '"')
            target = opened.find_element(By.ID, term.get_attribute("href").split("#")[1])
            assert abbreviation.get_attribute("title") in target.text


def test_text_is_readable_in_light_and_dark(opened):
    assert len(readable(opened)) == 2


def test_a_screen_reader_finds_headings_and_tables(opened):
    check_headings(opened)
    for table in opened.find_elements(By.TAG_NAME, "table"):
        assert table.find_element(By.TAG_NAME, "caption").get_attribute("textContent")


def test_it_prints_on_white_paper_with_whole_figures(opened):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert (
        opened.execute_script("return getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    rules = opened.execute_script(
        "return [...document.querySelectorAll('figure, tr')].map(e => getComputedStyle(e).breakInside)"
    )
    assert set(rules) <= {"avoid", "avoid-page"}
    assert opened.find_element(By.CSS_SELECTOR, "dl.terms").is_displayed()
    printed = base64.b64decode(
        opened.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"]
    )
    sheets = len(re.findall(rb"/Type\s*/Page\b", io.BytesIO(printed).read()))
    assert 3 <= sheets <= 16
