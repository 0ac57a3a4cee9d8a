"""`python notebooks/renew.py` runs the notebooks on the tracked reference and keeps what they print and draw.

Without arguments all notebooks, else those that are named. `make notebooks` runs this.
"""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

__all__ = ["executed", "main", "written"]

FOLDER = Path(__file__).parent
_SECONDS = 600  # a cell may take


def executed(path):
    """Return a notebook with the outputs of a run, without times, numbers of cells and the text of pictures."""
    os.environ["PUMETRICS_RESULTS"] = ""  # no run, but the reference
    book = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(book, timeout=_SECONDS, record_timing=False, resources=place).execute()
    book.metadata["language_info"] = {"name": "python"}
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = _merged(cell.outputs)
    return book


def _merged(outputs):
    """Outputs of a cell, of which what is printed is one."""
    kept = []
    for output in outputs:
        if output.output_type == "stream" and kept and kept[-1].get("name") == output.name:
            kept[-1].text += output.text
            continue
        if output.output_type == "execute_result":
            output.execution_count = None
        if "image/png" in output.get("data", {}):
            output.data.pop("text/plain", None)
        kept.append(output)
    return kept


def written(book):
    """Return the text of a notebook's file."""
    return nbformat.writes(book, version=4).rstrip() + "\n"


def main(names):
    """Run notebooks and write them."""
    for path in map(Path, names or sorted(FOLDER.glob("*.ipynb"))):
        path.write_text(written(executed(path)), encoding="utf-8", newline="\n")
        print(f"renewed: {path.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
