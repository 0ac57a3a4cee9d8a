"""What the article reports: each paper at the largest scale that the tracked reference holds."""

import json
from dataclasses import dataclass
from pathlib import Path

from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_study, papers
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report import StudySection
from pumetrics_workflow.report.picture import short

__all__ = ["PAPERS", "ROOT", "Held", "held_studies", "largest_run"]

ROOT = Path(__file__).parents[2]


PAPERS = {name: short(name) for name in papers(ROOT)}
"""First author and year of each paper."""


@dataclass(frozen=True)
class Held:
    """A study of a paper, and what the reference holds of it.

    Attributes
    ----------
    name, scale : str
    section : pumetrics_workflow.report.StudySection
        Counts, verdict and tables.
    run : dict
        Provenance of the run that the tables are from.
    """

    name: str
    scale: str
    section: StudySection
    run: dict

    @property
    def title(self):
        """First author and year."""
        return PAPERS[self.name]

    @property
    def study(self):
        """The study at this scale, from the config."""
        return self.section.study

    @property
    def tables(self):
        """Tables by name; one that is not held is empty."""
        return self.section.tables

    @property
    def core_seconds(self):
        """CPU time of the run's jobs; if the run did other studies as well, with theirs."""
        return sum(rule["cpu_seconds"] for rule in self.run.get("rules", {}).values())


def largest_run(name, reference=ROOT / "results/reference"):
    """Return the largest scale that a reference holds of a study, and the provenance of that run.

    Raises
    ------
    ValueError
        If the reference holds no tables of the study.
    """
    scales = [
        scale for scale in SCALES if Path(reference, scale, name, "tables/published.csv").is_file()
    ]
    if not scales:
        raise ValueError(
            f"{reference} holds no tables of {name}; restore them with git, or run {name} and then "
            f"`make reference STUDY={name}`"
        )
    runs = json.loads(Path(reference, scales[-1], "provenance.json").read_text(encoding="utf-8"))
    return scales[-1], next(run for run in runs if name in run["kept"])


def held_studies(reference=ROOT / "results/reference"):
    """Return the papers by name, each at its largest scale.

    Parameters
    ----------
    reference : path-like
        The folder of all scales.

    Raises
    ------
    ValueError
        If a paper is held at no scale.
    """
    schema = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
    held = {}
    for name in PAPERS:
        scale, run = largest_run(name, reference)
        cut = {"max_repeats": run.get("max_repeats")}
        study = load_study(ROOT / f"config/studies/{name}.yaml", scale, schema, **cut)
        cards = {
            each: {"name": each, "available": each in run["data"]} for each in study.all_datasets()
        }
        section = StudySection(study, Path(reference, scale, name), cards, figures={})
        held[name] = Held(name, scale, section, run)
    return held
