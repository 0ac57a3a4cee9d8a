"""What the studies cost, read from the provenance of the tracked tables: the only place that gives these numbers."""

from article.pieces import markdown
from article.reference import ROOT, largest_run
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_study
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.staleness import RENAMED

__all__ = ["costs", "jobs", "studies_table"]

_NOT_SUBMITTED = ("fetch", "prepare")
_NUMBERS = ("core-hours", "jobs", "peak MB", "planned core-hours", "mean CPU time (s)", *SCALES)


def costs():
    """Return what each study took at its largest tracked scale, what paper scale plans, and the data that it lacked."""
    lacking = "data sets that it lacked"
    columns = [
        "study",
        "scale",
        "core-hours",
        "jobs",
        "peak MB",
        "planned core-hours",
        "commit",
        lacking,
    ]
    rows, counted, planned = [], {}, 0
    for study, scale, run in _runs():
        rules = run["rules"].values()
        hours, number = (
            sum(rule["cpu_seconds"] for rule in rules) / 3600,
            sum(rule["jobs"] for rule in rules),
        )
        counted[tuple(run["kept"])] = hours, number  # a run of several studies counts once
        planned += study.core_minutes / 60
        most = max(rule["most_mb"] for rule in rules)
        lacked = ", ".join(name for name in study.all_datasets() if name not in run["data"])
        commits = ", ".join(commit[:9] for commit in run["commit"].split(", "))
        cells = [
            f"{hours:.2g}",
            number,
            most,
            f"{study.core_minutes / 60:.2g}",
            commits,
            lacked or "–",
        ]
        rows.append([study.title, scale, *cells])
    hours, number = map(sum, zip(*counted.values(), strict=True))
    rows.append(["all", "–", f"{hours:.3g}", number, "–", f"{planned:.3g}", "–", "–"])
    return markdown(columns, rows, _NUMBERS)


def jobs():
    """Return the submitted jobs of each study by rule: how many, their mean CPU time and the peak memory of one."""
    rows = []
    for study, _, run in _runs():
        for name, rule in run["rules"].items():
            if name not in _NOT_SUBMITTED:
                mean = f"{rule['cpu_seconds'] / rule['jobs']:.1f}"
                rows.append(
                    [study.title, RENAMED.get(name, name), rule["jobs"], mean, rule["most_mb"]]
                )
    return markdown(["study", "rule", "jobs", "mean CPU time (s)", "peak MB"], rows, _NUMBERS)


def studies_table():
    """Return a row for each study: its command, the time that is planned for each scale, and what it is about."""
    schema = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
    rows = []
    for name in load_yaml(ROOT / "config/config.yaml")["studies"]:
        scales = [
            load_study(ROOT / f"config/studies/{name}.yaml", scale, schema) for scale in SCALES
        ]
        what, times = scales[0], [_duration(study.core_minutes) for study in scales]
        rows.append(
            [f"**{what.title}**<br>{what.claim.strip()}", f"`snakemake {name} --cores 2`", *times]
        )
    return markdown(["study, with its claim or question", "command", *SCALES], rows, _NUMBERS)


def _duration(minutes):
    if minutes < 1.5:
        return f"{60 * minutes:.0f} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _runs():
    """Each study at paper scale, with the largest tracked scale and the provenance of that run."""
    schema = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
    for path in sorted((ROOT / "config/studies").glob("*.yaml")):
        yield load_study(path, "paper", schema), *largest_run(path.stem)
