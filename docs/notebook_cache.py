"""Where the outputs of notebooks are kept between builds, so that each is run once for the same code and tables."""

import hashlib
import shutil
from pathlib import Path

__all__ = ["cache_folder", "keep"]

ROOT = Path(__file__).parents[1]


def cache_folder():
    """Return the folder of the outputs that this code and these tables give; those of others are deleted."""
    parts = [ROOT.glob("src/**/*.*"), ROOT.glob("notebooks/*.py"), ROOT.glob("results/reference/*/manifest.json")]
    files = sorted(path for part in parts for path in part if path.suffix in (".py", ".json", ".yaml", ".j2", ".css"))
    lines = [f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    folder = ROOT / "docs/_generated/notebooks" / hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def keep(book, path):
    """Keep the outputs of a notebook that was run, for the documentation.

    Parameters
    ----------
    book : nbformat.NotebookNode
        With outputs.
    path : path-like
        The notebook without outputs.
    """
    import nbformat
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn

    kept = nbformat.read(path, as_version=4)  # found again by code and metadata, to which a run adds times
    for cell, run in zip(kept.cells, book.cells, strict=True):
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = run.outputs, run.execution_count
    cache = get_cache(cache_folder())
    try:
        cache.match_cache_notebook(kept)  # a build at the same time was first
    except KeyError:
        cache.cache_notebook_bundle(CacheBundleIn(kept, str(path)))
