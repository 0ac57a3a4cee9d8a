"""Functions that the notebooks share: find and read the results, and show the figures."""

import io
import json
import os
from pathlib import Path

import pandas as pd

from pumetrics.plotting import use_style
from pumetrics_workflow.studies import load
from pumetrics_workflow.tables import read as read_table
from pumetrics_workflow.tables import read_metadata

__all__ = ["captions", "figures", "provenance", "published", "read", "results_folder", "show", "tables"]


def results_folder():
    """Folder of a finished run: the one PUMETRICS_RESULTS names, else results/quick of this checkout."""
    folder = Path(os.environ.get("PUMETRICS_RESULTS", Path(__file__).parents[1] / "results" / "quick"))
    if not (folder / "provenance.json").is_file():
        raise FileNotFoundError(
            f"{folder} holds no results: run `make` first, or set PUMETRICS_RESULTS to a results folder"
        )
    return folder


def provenance():
    """Return the provenance of the run as a dict."""
    return json.loads((results_folder() / "provenance.json").read_text(encoding="utf-8"))


def tables(study):
    """Tables of a study by name."""
    return {path.stem: pd.read_csv(path) for path in sorted((results_folder() / study / "tables").glob("*.csv"))}


def published(study):
    """Published numbers of a study and those of this run, where they can be compared."""
    table = tables(study)["published"]
    comparable = table["verdict"] != "not available here"
    return table.loc[comparable, ["quantity", "published", "reproduced", "verdict", "note"]].fillna("")


def read(study, door):
    """All rows of one door of a study: labelings, scores, priors, records or statistics.

    Labelings and scores, which name neither, get their data set and model as columns, from the files' metadata.
    """
    parts = []
    for path in sorted((results_folder() / study / door).rglob("*.parquet")):
        table, facts = read_table(door, path), read_metadata(path)
        parts.append(table.assign(**{key: facts[key] for key in ("dataset", "model") if key in facts}))
    return pd.concat(parts, ignore_index=True)


def figures(study):
    """Figures of a study by name, drawn from its tables by the same functions as in the report."""
    use_style()
    return load(study, "figures").figures(tables(study))


def captions(study):
    """Captions of the figures and tables of a study."""
    return load(study).CAPTIONS


def show(figure):
    """Return a figure as a picture for the notebook, and close it."""
    import matplotlib.pyplot as plt
    from IPython.display import SVG

    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg")
    plt.close(figure)
    return SVG(drawn.getvalue())
