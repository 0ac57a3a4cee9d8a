"""A browser, if there is one."""

import os
import shutil
from pathlib import Path

import pytest
from quick_results import quick_results
from selenium.webdriver.support.ui import WebDriverWait

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1280,900",
]


@pytest.fixture(scope="session", params=["run", "reference"])
def report(request):
    """Return the path of a quick report: of a run, and of the reference."""
    return (
        quick_results() / "report.html"
        if request.param == "run"
        else request.getfixturevalue("reference_page")
    )


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Return a headless Chromium; without one skip, or fail where PUMETRICS_REQUIRE_BROWSER=1 asks for it."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver_path = shutil.which("chromedriver")
    if not (chromium and driver_path):
        reason = (
            "no chromium with chromedriver here (Debian: apt-get install chromium chromium-driver)"
        )
        if os.environ.get("PUMETRICS_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
    driver.execute_cdp_cmd(
        "Emulation.setFocusEmulationEnabled", {"enabled": True}
    )  # a window that none looks at
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def study_report(report):
    """Return the path of the page of a study."""
    return next(
        path
        for name in ("ramola2019/report.html", f"{report.stem}/ramola2019.html")
        if (path := report.parent / name).is_file()
    )


@pytest.fixture
def resize(browser):
    """Return a function that sets the width of the window in pixels."""

    def set_width(width):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    return set_width


@pytest.fixture
def open_page(browser, resize):
    """Return a function that opens a page freshly, 1280 pixels wide, and returns the browser."""

    def opened(path):
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
        resize(1280)
        browser.get(Path(path).as_uri())
        whole = (
            "return document.readyState == 'complete'"  # the driver has been seen to return before
        )
        WebDriverWait(browser, 60).until(lambda driver: driver.execute_script(whole))
        return browser

    return opened


@pytest.fixture
def overview(open_page, report):
    """Return the browser with the overview."""
    return open_page(report)


@pytest.fixture
def study(open_page, study_report):
    """Return the browser with the page of a study."""
    return open_page(study_report)


@pytest.fixture(params=["overview", "study"])
def page(request, open_page, report, study_report):
    """Return the browser with the overview or the page of a study."""
    return open_page(report if request.param == "overview" else study_report)
