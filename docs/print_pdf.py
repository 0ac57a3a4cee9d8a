"""`make article`: print the built page of the article to PDF by a headless Chromium."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["chromium", "print_page"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_TO_OTHER_PAGES = re.compile(r'(<a\b[^>]*?)\shref="(?!#|\w+:)[^"]*"')


def chromium():
    """Return the path of a Chromium; "" if there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), "")


def print_page(page, pdf):
    """Print an HTML page to PDF. Links to other pages become text, as a PDF would name files of this machine.

    Parameters
    ----------
    page, pdf : path-like

    Raises
    ------
    SystemExit
        With one line that says what to do, if there is no page or no Chromium, or it fails.
    """
    page, pdf = Path(page).resolve(), Path(pdf).resolve()
    if not page.is_file():
        raise SystemExit(f"{page} does not exist: `make docs` builds it")
    browser = chromium()
    if not browser:
        raise SystemExit(
            f"no Chromium here to print {page.name} (Debian: apt-get install chromium)"
        )
    pdf.unlink(missing_ok=True)
    paper = page.with_name(f"{page.stem}_paper.html")
    paper.write_text(_TO_OTHER_PAGES.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
    with tempfile.TemporaryDirectory() as profile:
        command = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={profile}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={pdf}",
            paper.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    paper.unlink()
    if not pdf.is_file():
        raise SystemExit(f"{browser} printed nothing: {done.stderr[-500:]}")


if __name__ == "__main__":
    print_page(*sys.argv[1:])
