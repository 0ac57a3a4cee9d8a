"""`python docs/page.py` renews docs/page.png: the page about one model that README shows, as a browser shows it."""

import hashlib
import re
import subprocess
import tempfile
from pathlib import Path

from PIL import Image, PngImagePlugin
from print_pdf import chromium

from pumetrics.cli.example import example

__all__ = ["PICTURE", "main", "stamp"]

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/page.png"
_SIZE = "900,1180"


def stamp():
    """Return the hash of the table that README prints, whose numbers the page has too."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^ metric .*?```", text, flags=re.M | re.S)[0]
    return hashlib.sha256(table.encode()).hexdigest()


def main():
    """Write the picture, of few colors."""
    with tempfile.TemporaryDirectory() as folder:
        example(Path(folder))
        whole = Path(folder, "page.png")
        options = ["--no-sandbox", "--hide-scrollbars", f"--window-size={_SIZE}"]
        page = Path(folder, "fraud.html").as_uri()
        subprocess.run(
            [chromium(), "--headless", *options, f"--screenshot={whole}", page], check=True
        )
        few = Image.open(whole).convert("RGB").quantize(64, Image.Quantize.MAXCOVERAGE)
    about = PngImagePlugin.PngInfo()
    about.add_text("Source", stamp())
    few.save(PICTURE, optimize=True, pnginfo=about)


if __name__ == "__main__":
    main()
