"""The decision table: what to use, and what error to expect, computed from the tables of errors and selection.

``python -m pumetrics_workflow.studies.head_to_head.decision results/laptop docs/choosing.md`` writes it into a page,
between the lines ``<!-- decision table -->`` and ``<!-- end -->``; into a page with ``<!-- decision table, short -->``
only what is best for three metrics when no prior is known.
"""

import sys
from pathlib import Path

import pandas as pd

from pumetrics.labeling import situation
from pumetrics.metrics import METRICS
from pumetrics_workflow.studies.head_to_head.worth import candidates, place_of

__all__ = ["ANY", "coverage", "decisions", "main", "markdown", "short"]

ANY = "unknown labeling mechanism"
KNOWN = {"known": True, "unknown": False}
_WHAT = ["metric", "method", "prior"]
_COLUMNS = [
    "have", "labelings", "need", "priors", "use", "with", "error", "bias", "error_q90", "uncorrected_error", "pick_by",
    "pick_with", "regret", "uncorrected_regret",
]  # fmt: skip
START, SHORT, END = "<!-- decision table -->", "<!-- decision table, short -->", "<!-- end -->"
_SHORT = ("roc_auc", "average_precision", "max_f1")


def decisions(sets, errors, selection):
    """For every situation, metric and state of knowledge the method with the smallest error, and with the least regret.

    Parameters
    ----------
    sets : pandas.DataFrame
        As :func:`pumetrics_workflow.studies.head_to_head.worth.by_set` returns it.
    errors, selection : pandas.DataFrame
        The tables of these names: means over data sets by metric, labeling, method and prior.

    Returns
    -------
    pandas.DataFrame
        Columns ``have`` (a situation), ``labelings`` (that stand for it), ``priors`` (known or unknown), ``need`` (a
        metric), ``use`` and ``with`` (method and prior), ``error`` and ``bias`` (means of the rows of these labelings
        in `errors`), ``error_q90`` (what nine in ten data sets stay below), ``uncorrected_error``, ``pick_by`` and
        ``pick_with`` (method and prior to pick a model by), ``regret`` (mean of the rows in `selection`) and
        ``uncorrected_regret``.
    """
    labelings = sorted(errors["labeling"].unique(), key=place_of)
    groups = {}
    for name in labelings:
        groups.setdefault(situation(name), []).append(name)
    rows = []
    for have, names in [*groups.items(), (ANY, labelings)]:
        part = sets[sets["labeling"].isin(names)]
        spread = part.groupby([*_WHAT, "dataset"])["absolute_error"].mean().groupby(_WHAT).quantile(0.9)
        err, sel = (_mean(table[table["labeling"].isin(names)], len(names)) for table in (errors, selection))
        err = err.join(spread.rename("error_q90"), on=_WHAT)
        for metric in METRICS:
            for priors, known in KNOWN.items():
                line = _line(err[err["metric"] == metric], sel[sel["metric"] == metric], known)
                fixed = {"have": have, "labelings": " ".join(names), "need": metric, "priors": priors}
                rows += [{**fixed, **line}] if line else []
    return pd.DataFrame(rows, columns=_COLUMNS)


def _mean(table, n):
    """Means over labelings of the methods that have an answer under all `n` of them."""
    grouped = table.groupby(_WHAT)
    means = grouped.mean(numeric_only=True)
    return means[grouped.size() == n].reset_index()


def _line(errors, selection, known):
    """Best method by error and by regret; None where nothing is known."""
    errors = candidates(errors, known=known).dropna(subset="absolute_error")
    selection = candidates(selection, known=known).dropna(subset="regret")
    if errors.empty or selection.empty:
        return None
    estimate = errors.loc[errors["absolute_error"].idxmin()]
    pick = selection.loc[selection["regret"].idxmin()]
    return {
        "use": estimate["method"],
        "with": estimate["prior"],
        "error": estimate["absolute_error"],
        "error_q90": estimate["error_q90"],
        "bias": estimate["bias"],
        "uncorrected_error": _uncorrected(errors, "absolute_error"),
        "pick_by": pick["method"],
        "pick_with": pick["prior"],
        "regret": pick["regret"],
        "uncorrected_regret": _uncorrected(selection, "regret"),
    }


def _uncorrected(table, column):
    return float(table.loc[table["method"] == "uncorrected", column].iloc[0])


def markdown(table):
    """Return the decision table as Markdown, one part per situation."""
    parts = []
    for have, lines in table.groupby("have", sort=False):
        parts.append(f"### {have[0].upper()}{have[1:]}\n")
        parts.append(f"Measured under `{lines['labelings'].iloc[0].replace(' ', '`, `')}`.\n")
        parts.append("| metric | priors | method | expected error | uncorrected | pick the model by | regret |")
        parts.append("|---|---|---|---|---|---|---|")
        parts += [_markdown_line(row) for row in lines.to_dict("records")]
        parts.append("")
    return "\n".join(parts)


def _markdown_line(row):
    error = f"{row['error']:.3f} (bias {row['bias']:+.3f}; 9 of 10 sets below {row['error_q90']:.3f})"
    cells = [f"`{row['need']}`", row["priors"], _named(row["use"], row["with"]), error]
    cells += [f"{row['uncorrected_error']:.3f}", _named(row["pick_by"], row["pick_with"]), f"{row['regret']:.3f}"]
    return f"| {' | '.join(cells)} |"


def _named(method, prior):
    return f"`{method}`" if prior == "none" else f"`{method}`, priors `{prior}`"


def short(table):
    """Return as Markdown what to use for three metrics when no prior is known, a line per situation."""
    lines = [f"| situation | {' | '.join(METRICS[name].label for name in _SHORT)} |", "|---" * (1 + len(_SHORT)) + "|"]
    for have, part in table[table["priors"] == "unknown"].groupby("have", sort=False):
        rows = part.set_index("need").loc[list(_SHORT)].to_dict("records")
        cells = [
            f"{row['use']}, {row['with']}: {row['error']:.3f} ({row['uncorrected_error']:.3f})".replace(", none", "")
            for row in rows
        ]
        lines.append(f"| {have} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def coverage(intervals):
    """Return as Markdown the coverage of 95 % bootstrap intervals, by metric, priors and labeling."""
    wide = intervals.pivot(index="metric", columns=["prior", "labeling"], values="coverage")
    order = sorted(wide.columns, key=lambda column: (place_of(column[1]), column[0] != "true", column[0]))
    wide = wide.reindex(index=[metric for metric in METRICS if metric in wide.index], columns=order)
    lines = ["### Coverage of 95 % intervals\n"]
    lines.append('`corrected_interval(..., uncertainty="sampling")`, by priors and labeling, on a few data sets:\n')
    lines.append(f"| metric | {' | '.join(f'`{prior}`, `{labeling}`' for prior, labeling in wide.columns)} |")
    lines.append("|---" * (1 + wide.shape[1]) + "|")
    lines += [
        f"| `{metric}` | {' | '.join(f'{value:.2f}' for value in row)} |"
        for metric, row in zip(wide.index, wide.to_numpy(), strict=True)
    ]
    return "\n".join(lines) + "\n"


def main(results, page):
    """Write the decision table of a finished run into a page.

    Parameters
    ----------
    results : path-like
        Results of one scale, for example ``results/laptop``.
    page : path-like
        A Markdown file that holds both marks.

    Raises
    ------
    ValueError
        If the table or a mark is missing.
    """
    folder, page = Path(results, "head_to_head", "tables"), Path(page)
    if not (folder / "decision.csv").is_file():
        raise ValueError(f"{folder}: there is no decision.csv; run the study first: snakemake head_to_head")
    table, intervals = (pd.read_csv(folder / f"{name}.csv") for name in ("decision", "intervals"))
    text = page.read_text(encoding="utf-8")
    start = SHORT if SHORT in text else START
    before, mark, rest = text.partition(start)
    _, end, after = rest.partition(END)
    if not (mark and end):
        raise ValueError(f"{page}: the lines {START} and {END} must both be there")
    filling = short(table) if start == SHORT else f"{markdown(table)}\n{coverage(intervals)}"
    page.write_text(f"{before}{mark}\n\n{filling}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python -m {__spec__.name} RESULTS PAGE, got {len(sys.argv) - 1} arguments")
    try:
        main(*sys.argv[1:])
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
