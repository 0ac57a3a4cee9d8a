"""`pumetrics example` simulates a file of frauds, runs the other commands on it, and prints the truth."""

import shlex
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from pumetrics.cli.output import terminal, written_or_refused
from pumetrics.extras import MissingExtraError

__all__ = ["example"]

_MODELS = ("new_model", "rules")
_LABELS = ["--label", "outcome", "--positive", "fraud", "--id", "case"]
_AUDIT = "0.02,0.04"


def example(
    folder: Annotated[Path, typer.Argument(help="Folder for the files.")] = Path(
        "pumetrics-example"
    ),
):
    """Simulate a file of frauds, evaluate two models on it, and compare the results with the truth.

    Writes fraud.csv (40,000 insurance cases, 600 of them confirmed frauds),
    fraud_truth.csv (the true classes, which are unknown in practice), the
    pages fraud.html and comparison.html, and fraud_checks.csv with its plan
    fraud_checks.json: 100 cases to check, with simulated verdicts. Each
    command is printed before it runs.

    Example: pumetrics example my-example
    """
    from pumetrics.examples import write_fraud_cases
    from pumetrics.plotting import require_plots

    console = terminal()
    cases = write_fraud_cases(folder)
    pages = {}
    with suppress(MissingExtraError):  # without the packages for plots no page can be written
        require_plots("--report")
        pages = {name: folder / f"{name}.html" for name in ("fraud", "comparison")}
    with written_or_refused():
        console.print(
            f"{len(cases):,} insurance cases, {(cases['outcome'] == 'fraud').sum():,} of them confirmed frauds, and "
            f"the scores of two models: {folder / 'fraud.csv'} (simulated). Suppose that an audit of 1,000 random "
            "unconfirmed cases found 2% to 4% frauds, with 95% confidence: this is the range of alpha below."
        )

    file = str(folder / "fraud.csv")
    checks = str(folder / "fraud_checks.csv")
    reports = {name: ["--report", str(page)] for name, page in pages.items()}
    one = [file, "--score", _MODELS[0], *_LABELS]
    two = [file, "--score", _MODELS[0], "--score", _MODELS[1], *_LABELS]
    _run(console, ["evaluate", *one, "--alpha", _AUDIT, *reports.get("fraud", [])])
    _run(console, ["compare-models", *two, "--alpha", _AUDIT, *reports.get("comparison", [])])
    _run(console, ["audit", *one, "--for", "f1", "--budget", "100", "-o", checks])
    with written_or_refused():
        _fill(checks, cases)
        console.print(
            f"\nSuppose that an expert has checked these cases: {checks} now holds the verdicts (simulated)."
        )
    _run(console, ["evaluate", *one, "--metric", "f1", "--metric", "precision", "--checks", checks])
    with written_or_refused():
        _show_truth(console, cases)
        for page in pages.values():
            console.print(f"Page: {page.resolve().as_uri()}", markup=False, soft_wrap=True)
        if not pages:
            missing = "The pages (--report) need matplotlib: pip install 'pumetrics[plots]', then rerun this command."
            console.print(missing, markup=False, soft_wrap=True)


def _fill(path, cases):
    """Fill in the true classes as verdicts."""
    import pandas as pd

    table = pd.read_csv(path)
    table["verdict"] = cases.set_index("case")["fraud"][table["case"]].to_numpy()
    table.to_csv(path, index=False)


def _run(console, arguments):
    """Print a command and run it in this process."""
    from pumetrics.cli import app

    with written_or_refused():
        console.print(f"\n$ pumetrics {shlex.join(arguments)}\n", markup=False, soft_wrap=True)
    status = typer.main.get_command(app).main(
        arguments, prog_name="pumetrics", standalone_mode=False
    )
    if status:
        raise typer.Exit(status)


def _show_truth(console, cases):
    """Print the true values of the numbers that the commands estimate."""
    from pumetrics.metrics import max_score, pu_roc_auc_score

    truth = cases["fraud"]
    hidden = truth[cases["outcome"] != "fraud"].mean()
    console.print(
        f"\nTrue values, known because the file is simulated: alpha = {hidden:.3f};",
        highlight=False,
    )
    for model in _MODELS:
        best, threshold = max_score("f1", truth, cases[model], alpha=0.0)
        area = pu_roc_auc_score(truth, cases[model], alpha=0.0)
        console.print(
            f"  {model}: AUC {area:.3f}, best F1 {best:.3f} at the threshold {threshold:.4g}"
        )
