"""The tables of the study of checked samples, as queries on statistics."""

import numpy as np
from scipy.stats import binom

from pumetrics_workflow.studies.checked_sample import WAYS
from pumetrics_workflow.studies.checked_sample.normal import METRICS
from pumetrics_workflow.studies.queries import means, only

__all__ = ["reproduced", "tables"]

_SETTING = ["data", "labels", "alpha", "checks"]
_ENOUGH = 100  # intervals, to tell the coverage of a setting or a mean width
_BASE = "no assumption"


def tables(results):
    """Return the tables of the study by name."""
    known = _split(results.statistics)
    intervals = _intervals(known)
    checked = intervals[intervals["checks"] > 0]
    prototype = intervals.query("data == 'gaussians' and labels == 'random' and alpha == 0.03")
    settings = _summary(checked, [*_SETTING, "method"])
    by_setting = _with_chance(_summary(only(checked, method=_BASE), [*_SETTING, "metric"]))
    return {
        "methods": _methods(settings, prototype),
        "settings": settings,
        "by_setting": by_setting,
        "widths": _summary(prototype, ["metric", "method", "checks"]),
    }


def _split(statistics):
    """Statistics with labels, alpha and the kind of data in columns of their own."""
    parts = (
        statistics["labeling"]
        .str.extract(r"^(?P<labels>\w+),alpha=(?P<alpha>.+)$")
        .astype({"alpha": float})
    )
    data = np.where(statistics["dataset"] == "gaussians", "gaussians", "real")
    metric = statistics["metric"].replace("none", "alpha")
    return statistics.assign(labels=parts["labels"], alpha=parts["alpha"], data=data, metric=metric)


def _intervals(known):
    """One row per interval: its setting, metric and method, whether it covered, and its width."""
    table = known.rename(columns={"at": "checks"})
    kinds = table["statistic"].str.split("_", n=1, expand=True).reindex(columns=[0, 1])
    table = table.assign(
        kind=kinds[0], method=kinds[1].map(WAYS), checks=table["checks"].astype(int)
    )
    keys = [*_SETTING, "dataset", "repeat", "metric", "method"]
    table = table.assign(draw=table.groupby([*keys, "kind"]).cumcount())
    wide = table.pivot(index=[*keys, "draw"], columns="kind", values="value")
    return wide.reindex(columns=["covered", "width"]).reset_index()


def _summary(intervals, keys):
    grouped = intervals.assign(coverage=intervals["covered"]).groupby(keys)
    return grouped.agg(intervals=("covered", "size"), **means("coverage", "width")).reset_index()


def _methods(settings, prototype):
    """One row per method, in the order of ``WAYS``."""
    means = settings.groupby("method")["coverage"].mean()
    worst = settings.sort_values(["coverage", "intervals"]).groupby("method").first()
    widths = only(prototype, checks=[0, 100]).pivot_table("width", "method", "metric")
    table = widths.reindex(index=list(WAYS.values()), columns=list(METRICS)).add_prefix("width_")
    table.insert(0, "coverage", means)
    table.insert(1, "worst", worst["coverage"])
    table.insert(2, "intervals", worst["intervals"].astype("Int64"))
    return table.rename_axis("method").reset_index()


def _with_chance(settings):
    """Settings by how likely so few intervals, or fewer, hold at a true coverage of 0.95; the least likely first."""
    held = (settings["coverage"] * settings["intervals"]).round()
    chance = binom.cdf(held, settings["intervals"], 0.95)
    return settings.assign(p=chance).sort_values(["p", *_SETTING, "metric"], ignore_index=True)


def reproduced(tables):
    """Return what the intervals reach for each bar."""
    settings = tables["settings"]
    values = {}
    base = only(settings, method=_BASE)
    if len(base):
        values["coverage"] = (
            base["coverage"].mean(),
            f"{len(base)} settings, {base['intervals'].sum()} intervals",
        )
    for key, table in {
        "coverage_worst": base,
        "coverage_worst_metric": tables["by_setting"],
    }.items():
        enough = table[table["intervals"] >= _ENOUGH].sort_values("coverage", kind="stable")
        if len(enough):
            values[key] = enough.iloc[0]["coverage"], _setting(enough.iloc[0])
    verdicts = only(settings, method=WAYS["random"], labels="none")
    if len(verdicts):
        values["coverage_verdicts"] = verdicts["coverage"].mean(), f"{len(verdicts)} settings"
    widths = tables["widths"].query("method == @_BASE and checks == 100 and intervals >= @_ENOUGH")
    for row in widths.itertuples():
        values[f"width_{row.metric}"] = row.width, f"{row.intervals} intervals"
    return values


def _setting(row):
    """A setting in words."""
    named = [
        row.get("metric", ""),
        f"{row['data']}, {row['labels']}, alpha {row['alpha']:g}, {row['checks']} checks",
    ]
    return ": ".join(filter(None, named)) + f" ({row['intervals']} intervals)"
