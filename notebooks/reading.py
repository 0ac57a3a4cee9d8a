"""Functions that the notebooks share: find and read the results, and show the figures."""

import json
import os
from pathlib import Path

import pandas as pd

from pumetrics_workflow.plan import load_captions
from pumetrics_workflow.plotting import small_png, use_style
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.studies import read_tables
from pumetrics_workflow.studies.drawing import drawn
from pumetrics_workflow.tables import read as read_table
from pumetrics_workflow.tables import read_metadata

__all__ = [
    "captions",
    "example_scores",
    "figures",
    "provenance",
    "published",
    "read",
    "results_folder",
    "show",
    "studies",
    "tables",
]

_RESULTS = Path(__file__).parents[1] / "results"
# tables are shown whole
pd.set_option("display.max_rows", None, "display.max_columns", None, "display.max_colwidth", None)


def results_folder(study=None):
    """Folder of the results that are shown, or of those of one study.

    The run that PUMETRICS_RESULTS names; else the tracked reference at the largest scale, which holds the study.
    """
    named = os.environ.get("PUMETRICS_RESULTS")
    if named:
        if not any(Path(named).glob("*/provenance.json")):
            raise FileNotFoundError(
                f"PUMETRICS_RESULTS={named} holds no results: name the folder of a finished run"
            )
        return Path(named)
    folders = [_RESULTS / "reference" / scale for scale in reversed(SCALES)]
    kept = [
        folder
        for folder in folders
        if (folder / (study or "") / ("tables" if study else "manifest.json")).exists()
    ]
    if not kept:
        raise FileNotFoundError(
            f"{_RESULTS / 'reference'} holds no {study or 'results'}: run `make`, then `make reference`"
        )
    return kept[0]


def studies():
    """Names of all studies that there are results of."""
    named = os.environ.get("PUMETRICS_RESULTS")
    folders = [Path(named)] if named else list((_RESULTS / "reference").iterdir())
    return sorted(
        {
            path.parents[1].name
            for folder in folders
            for path in folder.glob("*/tables/published.csv")
        }
    )


def provenance(study=None):
    """Return the provenance of the results, or of those of one study, as a dict."""
    folder = results_folder(study)
    if os.environ.get("PUMETRICS_RESULTS"):
        paths = sorted(folder.glob(f"{study or '*'}/provenance.json"))
        return json.loads(paths[0].read_text(encoding="utf-8"))
    runs = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    return next((run for run in runs if study in run["kept"]), runs[0])


def tables(study):
    """Tables of a study by name."""
    return read_tables(results_folder(study) / study / "tables")


def published(study):
    """Published numbers of a study and those reproduced, where they can be compared."""
    table = tables(study)["published"]
    comparable = table["verdict"] != "not testable here"
    if not comparable.any():
        print(
            f"{study} at scale {results_folder(study).name}: no number can be compared; this needs a run "
            "at a larger scale."
        )
    return (
        table.loc[comparable, ["quantity", "published", "reproduced", "verdict", "note"]]
        .astype(object)
        .fillna("")
    )


def read(study, kind):
    """All rows of one kind of table of a study: labelings, scores, priors, records or statistics.

    A reference holds tables alone, so these come from a run: the one that PUMETRICS_RESULTS names, else results/quick.
    Without one None is returned and a sentence says how to get it. Labelings and scores, which name neither, get their
    data set and model as columns, from the files' metadata.
    """
    folder = Path(os.environ.get("PUMETRICS_RESULTS", _RESULTS / "quick"))
    place = "answers" if kind in ("records", "statistics") else kind
    paths = sorted((folder / study / place).rglob("*.parquet"))
    if not paths:
        print(
            f"The {kind} of {study} are not in the reference: run `make` first, which takes some minutes."
        )
        return None
    parts = []
    for path in paths:
        table, facts = read_table(kind, path), read_metadata(path)
        parts.append(
            table.assign(**{key: facts[key] for key in ("dataset", "model") if key in facts})
        )
    return pd.concat(parts, ignore_index=True)


def figures(study):
    """Figures of a study by name, drawn from its tables by the same functions as in the report."""
    use_style()
    made = drawn(study, load_captions(study, _RESULTS.parent)["figures"], tables(study))
    is_kept = results_folder(study).parent.name == "reference"
    print(f"{study}: {'reference, ' if is_kept else ''}scale {provenance(study)['scale']}")
    return made


def captions(study):
    """Captions of the figures and tables of a study."""
    listed = load_captions(study, _RESULTS.parent)
    return {
        **listed["tables"],
        **{name: figure["caption"] for name, figure in listed["figures"].items()},
    }


def show(figure):
    """Return a figure as a picture for the notebook, and close it."""
    import matplotlib.pyplot as plt
    from IPython.display import Image

    picture = Image(small_png(figure, dpi=90))
    plt.close(figure)
    return picture


def example_scores(beta):
    """Out-of-fold scores of a logistic regression on generated data: a table of true class y, label s and score."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    from pumetrics.labeling import noisy_positives
    from pumetrics_workflow.datasets.generators import generate

    frame = generate("gaussians", {"size": 3000})
    rows, s = noisy_positives(
        frame["y"], beta=beta, n_labeled=500, n_unlabeled=2000, random_state=0
    )
    features, y = frame.drop(columns="y").to_numpy()[rows], frame["y"].to_numpy()[rows]
    score = cross_val_predict(LogisticRegression(), features, s, cv=5, method="predict_proba")[:, 1]
    return pd.DataFrame({"y": y, "s": s, "score": score})
