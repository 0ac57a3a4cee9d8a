"""The report in a real browser: overview and study pages fit, sort and enlarge, by keyboard and in both themes."""

import itertools
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from quick_results import ROOT
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from pumetrics_workflow.plan import load_captions
from pumetrics_workflow.verdicts import VERDICTS

NUMBERS = "table.sortable:has(th.n) "
COMPARED = "[id$='-numbers'] tr[data-verdict]:not([data-verdict^='not test'])"


def all_of(page, selector):
    return page.find_elements(By.CSS_SELECTOR, selector)


def unfold(page, element):
    page.execute_script(
        "const fold = arguments[0].closest('details'); if (fold) fold.open = true", element
    )


def press(page, *keys):
    ActionChains(page).send_keys(*keys).perform()


def test_the_files_are_small_and_load_nothing_else(report, study_report):
    for path, largest in ((report, 300_000), (study_report, 5e6)):
        text = path.read_text(encoding="utf-8")
        assert len(text.encode()) < largest
        assert not re.findall(r"""src=["'](?!data:)[^"']*["']""", text), (
            "something is loaded from elsewhere"
        )
        assert not re.findall(r"""href=["'](?!#|data:|[^"':]*\.html)[^"']*["']""", text)


def test_nothing_is_said_on_the_console_and_every_image_loads(page):
    broken = page.execute_script(
        "return [...document.images].filter(i => i.src && !(i.complete && i.naturalWidth)).map(i => i.alt)"
    )
    assert not broken
    assert [entry["message"] for entry in page.get_log("browser")] == []


def test_the_first_screen_has_a_line_per_study_and_the_claims_begin_there(overview):
    rows = all_of(overview, ".studies li")
    assert len(rows) == len(
        {row.find_element(By.TAG_NAME, "a").get_attribute("href") for row in rows}
    )
    assert rows[-1].rect["y"] + rows[-1].rect["height"] < 900
    assert overview.find_element(By.CSS_SELECTOR, "#claims").rect["y"] < 900
    assert all(fold.get_attribute("open") is None for fold in all_of(overview, "details"))


def test_each_verdict_has_a_color_and_a_mark_of_its_own(overview):
    """Read from the style, since no run has all verdicts."""
    chips = {}
    for verdict in VERDICTS:
        chips[verdict] = overview.execute_script(
            "const chip = document.createElement('span'); chip.className = arguments[0]; document.body.append(chip);"
            "const style = getComputedStyle(chip), mark = getComputedStyle(chip, '::before');"
            "return [style.backgroundColor, style.borderStyle, mark.content]",
            f"chip is-{verdict.replace(' ', '-')}",
        )
    assert len({mark for *_, mark in chips.values()}) == len(chips)
    assert len({(color, border) for color, border, _ in chips.values()}) == len(chips)


def test_sorted_claims_keep_their_rows(overview):
    table = overview.find_element(By.CSS_SELECTOR, "#ramola2019-claims table")
    rows = lambda: [row.text for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]  # noqa: E731
    before = rows()
    overview.execute_script(
        "arguments[0].click()", table.find_elements(By.CSS_SELECTOR, "th button")[0]
    )
    assert rows() != before
    assert sorted(rows()) == sorted(before)


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_the_bar_is_not_cut_and_tables_fit_their_boxes(page, resize, width):
    resize(width)
    cut = "return [...document.querySelectorAll('.bar *')].filter(e => e.getBoundingClientRect().right > innerWidth)"
    assert not page.execute_script(cut)
    if width > 1000:
        page.execute_script(
            "document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
        )
        wide = "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        assert not page.execute_script(wide + ".map(e => e.getAttribute('aria-label'))")


def test_a_link_of_the_bar_unfolds_its_part(overview):
    overview.find_element(By.CSS_SELECTOR, ".bar a[href='#reading']").click()
    WebDriverWait(overview, 10).until(
        lambda page: page.find_element(By.CSS_SELECTOR, "#reading + details li").is_displayed()
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_stands_out_of_the_window(page, resize, width):
    resize(width)
    wide = page.execute_script(
        "return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('.scroll, .bar div, .skip, dialog')).map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"
    )
    assert not wide
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_every_link_leads_somewhere_and_names_are_unique(page):
    hrefs = page.execute_script(
        "return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"
        ".filter(href => !href.startsWith('data:')).map(href => new URL(href, location).href)"
    )
    ids = page.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    known = {}
    for href in set(hrefs):
        path, _, target = unquote(href.removeprefix("file://")).partition("#")
        text = known.setdefault(path, Path(path).read_text(encoding="utf-8"))
        assert not target or f'id="{target}"' in text, href


def test_navigation_scrolls_to_the_study(page):
    page.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    for link in all_of(page, "nav a[href^='#']"):
        link.click()
        heading = page.find_element(By.ID, link.get_attribute("href").split("#")[1])
        top = page.execute_script("return arguments[0].getBoundingClientRect().top", heading)
        assert 0 <= top < 900, f"{heading.text} is not in view"


def test_every_compared_number_is_a_point_that_leads_to_its_row(study):
    """By mouse and keyboard; a row in a folded table, or hidden by its verdict, is shown."""
    points = all_of(study, ".panels a")
    rows = all_of(study, COMPARED)
    hrefs = study.execute_script(
        "return arguments[0].map(point => point.getAttribute('href'))", points
    )
    assert sorted(href.split("#")[-1] for href in hrefs) == sorted(
        row.get_attribute("id") for row in rows
    )
    study.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    top = "return arguments[0].getBoundingClientRect().top"
    for point, href in [(points[0], hrefs[0]), (points[-1], hrefs[-1])]:
        study.execute_script(
            "document.querySelectorAll('.filter button').forEach(button => button.click())"
        )
        study.execute_script("arguments[0].focus()", point)
        press(study, Keys.ENTER)
        row = study.find_element(By.ID, href.split("#")[-1])
        WebDriverWait(study, 10).until(
            lambda page, row=row: row.is_displayed() and 0 <= page.execute_script(top, row) < 900
        )


def test_a_data_set_filters_the_rows_of_all_tables(study):
    choice = study.find_element(By.CSS_SELECTOR, "#filter select")
    name = choice.find_elements(By.TAG_NAME, "option")[1].text
    study.execute_script(
        "document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
    )
    shown = (  # in one script: a thousand questions to the browser take ten seconds
        "return [...document.querySelectorAll('tr[data-set]')]"
        ".filter(row => row.checkVisibility() && row.getClientRects().length).map(row => row.dataset.set)"
    )
    before = study.execute_script(shown)
    choose = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
    study.execute_script(choose, choice, name)
    chosen = study.execute_script(shown)
    assert 0 < len(chosen) < len(before)
    assert set(chosen) == {name}
    study.execute_script(choose, choice, "")
    assert study.execute_script(shown) == before


def test_without_scripts_every_row_is_there(study_report):
    text = study_report.read_text(encoding="utf-8")
    assert not re.search(r"<tr[^>]*\bhidden\b", text)
    assert '<label id="filter" hidden>' in text, "a control that does nothing must not show"


def test_under_each_figure_stand_its_data_its_function_and_the_command(study):
    for caption in all_of(study, "figcaption:has(.source)"):
        source = caption.find_element(By.CLASS_NAME, "source")
        function = r"Function \w+ of src/pumetrics_workflow/studies/\w+/figures\.py"
        assert re.search(rf"{function}.*: snakemake .* -- results/", source.text, re.DOTALL)
        for link in source.find_elements(By.TAG_NAME, "a"):
            assert link.get_attribute("href").startswith(
                "data:text/csv"
            ) or "#" in link.get_attribute("href")
    assert len(all_of(study, "figcaption .source a")) >= len(all_of(study, "figure .zoom"))


def shown_numbers(page, table):
    column = page.execute_script(
        "const at = arguments[0].querySelector('th.n').cellIndex;"
        "return [...arguments[0].tBodies[0].rows].map(row => row.cells[at].textContent.trim())",
        table,
    )
    return [float(text) for text in column if text]


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_tables_sort(study, way):
    tables = [
        table for table in all_of(study, NUMBERS) if len(set(shown_numbers(study, table))) > 3
    ]
    assert tables, "no table with numbers to sort"
    for table in tables[:4]:
        head = table.find_element(By.CSS_SELECTOR, "th.n")
        button = head.find_element(By.TAG_NAME, "button")
        unfold(study, button)
        study.execute_script(
            "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", button
        )
        for direction in ("ascending", "descending"):
            if way == "mouse":
                button.click()
            else:
                study.execute_script("arguments[0].focus()", button)
                press(study, Keys.ENTER)
            numbers = shown_numbers(study, table)
            assert numbers == sorted(numbers, reverse=direction == "descending")
            assert head.get_attribute("aria-sort") == direction


def test_a_verdict_can_be_hidden_and_shown(study):
    button = next(
        button for button in all_of(study, ".filter button") if button.text.startswith("holds")
    )
    region = study.find_element(By.ID, button.get_attribute("aria-controls"))
    unfold(study, region)
    held = region.find_elements(By.CSS_SELECTOR, "tr[data-verdict='holds']")
    assert held
    assert button.text == "holds", "verdicts are not counted"
    for pressed, visible in (("false", False), ("true", True)):
        study.execute_script("arguments[0].focus()", button)
        press(study, Keys.SPACE)
        assert button.get_attribute("aria-pressed") == pressed
        assert all(row.is_displayed() == visible for row in held)


def test_a_figure_enlarges_by_keyboard_and_gives_the_focus_back(study):
    button = study.find_element(By.CSS_SELECTOR, ".zoom")
    study.execute_script("arguments[0].focus()", button)
    press(study, Keys.ENTER)
    large = study.find_element(By.CSS_SELECTOR, "dialog img")
    assert large.is_displayed()
    before = large.rect["width"]
    press(study, "+")
    assert large.rect["width"] > 1.3 * before
    press(study, Keys.ESCAPE)
    assert not large.is_displayed()
    assert study.switch_to.active_element == button


def test_the_first_tab_offers_to_skip_the_navigation(page):
    press(page, Keys.TAB)
    assert page.switch_to.active_element.text.startswith("Skip")
    assert page.switch_to.active_element.rect["x"] >= 0


CONTRAST = """
const parse = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
const light = rgb => rgb.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const back = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
  if (!/, 0\\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
const texts = "h1, p, a:not(.skip), td, th button, .holds, .differs, .quiet, .chip, .bar button";
return [...document.querySelectorAll(texts)]
  .map(e => { const [a, b] = [light(parse(getComputedStyle(e).color)), light(parse(back(e)))].sort((x, y) => y - x);
    return [(a + .05) / (b + .05), e.className + " " + e.textContent.slice(0, 30)]; }).sort((x, y) => x[0] - y[0])[0];
"""


def readable(page):
    """Background colors of a page in light and dark, on which all text has the contrast that it needs."""
    backgrounds = set()
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        ratio, where = page.execute_script(CONTRAST)
        assert ratio >= 4.5, f"contrast {ratio:.1f} in {scheme}: {where}"
        backgrounds.add(
            page.execute_script("return getComputedStyle(document.body).backgroundColor")
        )
    return backgrounds


def check_headings(page):
    """A page has one title, leaves out no level below it, and says what its pictures show."""
    levels = [int(element.tag_name[1]) for element in all_of(page, "h1, h2, h3, h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels)), (
        "a level is left out"
    )
    assert all(image.get_attribute("alt") for image in all_of(page, "img:not(dialog img)"))


def test_text_is_readable_in_light_and_dark(page):
    backgrounds = readable(page)
    page.find_element(By.ID, "theme").click()
    assert (
        page.execute_script("return getComputedStyle(document.body).backgroundColor") in backgrounds
    )
    assert len(backgrounds) == 2
    assert page.execute_script("return document.documentElement.dataset.theme") == "light"


def test_a_screen_reader_finds_names_headings_and_tables(page):
    check_headings(page)
    unnamed = page.execute_script(
        "return [...document.querySelectorAll('table, [role=region], button, nav, dialog')].filter(e => "
        "!(e.getAttribute('aria-label') || (e.querySelector(':scope > caption') || e).textContent.trim()))"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert not unnamed
    assert page.execute_script(
        "return [...document.querySelectorAll('th')].every(e => e.scope == 'col')"
    )
    assert page.execute_script("return document.documentElement.lang") == "en"


def test_it_prints_in_black_on_white_without_cutting_anything_off(page, resize):
    resize(720)  # a sheet of A4 between its margins
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert not all_of(page, "details:not([open])")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    cut = page.execute_script(
        "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollHeight > e.clientHeight + 2"
        " || e.scrollWidth > e.clientWidth + 2).map(e => e.getAttribute('aria-label'))"
    )
    assert not cut
    assert (
        page.execute_script("return getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert not page.find_element(By.CSS_SELECTOR, ".bar").is_displayed()


def test_every_figure_is_shown_with_its_caption(study, study_report):
    drawn = {f"ramola2019-{name}" for name in load_captions("ramola2019", ROOT)["figures"]}
    assert drawn == {figure.get_attribute("id") for figure in all_of(study, "figure:not(.picture)")}
    assert all(caption.text for caption in all_of(study, "figcaption"))


def test_figures_are_readable_at_the_width_of_a_page(report):
    pages = [*report.parent.glob("*/report.html")] or [
        *(report.parent / report.stem).glob("*.html")
    ]
    image = r'<figure id="([^"]+)"><button[^>]*>\s*<img src="[^"]*" style="[^"]*" width="(\d+)"'
    wide = {
        name: int(width)
        for path in pages
        for name, width in re.findall(image, path.read_text(encoding="utf-8"))
    }
    assert len(wide) > 20
    assert max(wide.values()) <= 7.5 * 96, f"wider than 7.5 inches, so that text shrinks: {wide}"
