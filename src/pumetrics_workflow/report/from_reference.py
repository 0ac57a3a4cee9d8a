"""The report of a reference: the same pages as after a run, from tracked tables alone, without running a study."""

import hashlib
import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.datasets import load_registry
from pumetrics_workflow.plan import load_study
from pumetrics_workflow.provenance import merged
from pumetrics_workflow.reference import SCALES, verify
from pumetrics_workflow.report import StudySection, render_overview, render_study, tracked_verdicts
from pumetrics_workflow.staleness import states

__all__ = ["largest_scale", "reference_report"]


def largest_scale(reference):
    """Return the largest scale that a reference holds; ValueError if it holds none.

    Parameters
    ----------
    reference : path-like
        The folder of all scales, ``results/reference``.
    """
    held = [scale for scale in SCALES if Path(reference, scale, "manifest.json").is_file()]
    if not held:
        raise ValueError(
            f"{reference} holds no reference; restore it with git, or run and `make reference`"
        )
    return held[-1]


def reference_report(reference, scale, *, page="report.html"):
    """Return the report of a reference: the overview as HTML, and a dict of paths and pages of its studies.

    The folders ``config`` and ``workflow`` are those of the working directory, a clone.

    Parameters
    ----------
    reference : path-like
        The folder of all scales, ``results/reference``.
    scale : {"quick", "laptop", "paper"}
    page : str
        Name of the overview's file; the pages of studies are in a folder of the same name without its suffix.

    Raises
    ------
    ValueError
        If there is no such reference, or one of its files does not match the manifest.
    """
    reference = Path(reference)
    folder = reference / scale
    if not (folder / "manifest.json").is_file():
        raise ValueError(
            f"{reference} holds no scale {scale!r}; the largest it holds is {largest_scale(reference)!r}"
        )
    if problems := verify(folder):
        raise ValueError(f"{folder}: {'; '.join(problems)}; restore it with git")
    runs = _read(folder / "provenance.json")
    run_of = {name: run for run in runs for name in run["kept"]}
    left_out = _read(folder / "manifest.json")["left_out"]
    studies = _studies(folder, scale)
    with ProcessPoolExecutor(
        max_workers=min(len(studies), os.cpu_count() or 1)
    ) as pool:  # drawing takes most of the time
        drawn = list(pool.map(_drawn, studies, [folder] * len(studies)))
    registry, current = load_registry("config/datasets.yaml"), states(folder)
    sections = [
        _section(
            folder, study, run_of[study.name], left_out, registry, current.get(study.name), *figures
        )
        for study, figures in zip(studies, drawn, strict=True)
    ]
    stamp = hashlib.sha256(
        (folder / "manifest.json").read_bytes()
    ).hexdigest()  # it holds the hash of each file
    origin = {"reference": f"{folder.parent.name}/{folder.name}", "reference_sha256": stamp}
    shortened = list(_shortened(studies, runs))
    link = f"{Path(page).stem}/{{}}.html"
    overview = render_overview(sections, {**merged(runs), **origin}, [], shortened, link=link)
    pages = {}
    for name, section in zip((study.name for study in studies), sections, strict=True):
        facts = {**merged([run_of[name]]), **origin}
        pages[link.format(name)] = render_study(
            section, facts, [], shortened, overview=f"../{page}"
        )
    return overview, pages


def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _studies(folder, scale):
    """The studies that are kept, in the order of the config."""
    order = load_yaml("config/config.yaml")["studies"]
    kept = {path.parents[1].name for path in folder.glob("*/tables/published.csv")}
    schema = load_yaml("workflow/schemas/study.schema.yaml")
    names = [name for name in order if name in kept] + sorted(kept - set(order))
    return [load_study(f"config/studies/{name}.yaml", scale, schema) for name in names]


def _section(
    folder,
    study,
    run,
    left_out,
    registry,
    state,
    figures,
    outdated,
):
    gone = {
        Path(path).stem: entry["why"]
        for path, entry in left_out.items()
        if path.split("/")[0] == study.name
    }
    cards = _cards(study, run["data"], registry)
    kept = {
        "figures": figures,
        "left_out": gone,
        "outdated": outdated,
        "state": state,
    }
    if study.scale != "paper":
        kept["tracked"] = tracked_verdicts(folder.parent / "paper", study.name)
    return StudySection(study, folder / study.name, cards, **kept)


def _shortened(studies, runs):
    """Studies whose run ``max_repeats`` cut short, with the repeats of each part that has more."""
    limits = {
        name: run["max_repeats"] for run in runs for name in run["kept"] if "max_repeats" in run
    }
    for study in studies:
        planned = {"": study.repeats} if study.datasets else {}
        planned |= {f" of {part}": entry["repeats"] for part, entry in study.simulations.items()}
        limit = limits.get(study.name)
        cut = [
            f"{limit} of {repeats}{part}"
            for part, repeats in planned.items()
            if limit and repeats > limit
        ]
        if cut:
            yield study.name, ", ".join(cut)


def _drawn(study, folder):
    """Figures of a study as SVG, by name; and why there are none, if the tables lack what the code looks for."""
    from pumetrics_workflow.studies.drawing import draw

    with TemporaryDirectory() as figures:
        try:
            draw(
                study.name,
                study.captions["figures"],
                folder / study.name / "tables",
                figures,
                ["svg"],
            )
        except (
            KeyError,
            NameError,
        ) as error:  # a column that tables kept by older code do not have
            return {}, str(error)
        return {path.stem: path.read_bytes() for path in Path(figures).glob("*.svg")}, None


def _cards(study, data, registry):
    """What the registry and the provenance say of the data sets of a study: a card each."""
    cards = {}
    for name in study.all_datasets():
        entry, origin = registry[name], data.get(name)
        if origin is None:
            reason = entry.unavailable or "the run that the reference is from did not have it"
            cards[name] = {"name": name, "available": False, "reason": reason}
            continue
        hashes = origin if isinstance(origin, dict) else {}
        cards[name] = {
            "name": name,
            "available": True,
            "rows": entry.rows,
            "features": entry.features,
            "share_positive": entry.positives / entry.rows if entry.rows else None,
            "deviation": entry.deviation,
            "source": "files with these hashes" if hashes else origin,
            "sha256": hashes,
        }
    return cards
