"""Run every benchmark, print the table, write results/benchmarks.csv and the figure."""

import argparse
import importlib
import platform
from dataclasses import asdict
from pathlib import Path

from benchmarks.harness import Options

HERE = Path(__file__).parent


def main(arguments=None):
    """Run the modules named on the command line, or all."""
    from rich.console import Console

    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"modules to run: {', '.join(names)} (default: all)",
    )
    parser.add_argument(
        "--repeats",
        type=int,
        default=5,
        help="timings per candidate; the median counts (default: 5)",
    )
    parser.add_argument("--no-curves", action="store_true", help="omit the figure of cost by size")
    parser.add_argument(
        "--output", type=Path, default=Path("results"), help="folder to write to (default: results)"
    )
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.names) - set(names)
    if unknown:
        parser.error(
            f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(names)}"
        )
    console = Console()
    if not console.is_terminal:
        console = Console(width=170)  # a file or a log has no width
    options = Options(
        repeats=chosen.repeats,
        curves=not chosen.no_curves,
        log=lambda line: console.print(f"  {line}"),
    )
    rows, points = measure(chosen.names or names, options, console)
    report(rows, points, chosen.output, console)


def measure(names, options, console):
    """Return all rows and points of the modules `names`; print each row when it is done."""
    rows, points = [], []
    for name in names:
        module = importlib.import_module(f"benchmarks.bench_{name}")
        console.rule(name)
        for row in module.rows(options):
            rows.append(row)
            options.log(
                f"{row.case}: {row.ours} {_value(row)}"
                + (f" against {row.peer}" if row.peer else "")
            )
        if options.curves and hasattr(module, "curves"):
            points.extend(module.curves(options))
    return rows, points


def report(rows, points, output, console):
    """Print the table and write the files."""
    import pandas as pd

    output.mkdir(parents=True, exist_ok=True)
    console.print(_table(rows))
    frame = pd.DataFrame([{**asdict(row), "met": row.met} for row in rows])
    frame.assign(machine=_machine()).to_csv(output / "benchmarks.csv", index=False)
    console.print(f"wrote {output / 'benchmarks.csv'}")
    if points:
        from benchmarks.figure import draw

        curves = pd.DataFrame([asdict(point) for point in points])
        curves.to_csv(output / "benchmarks_curves.csv", index=False)
        for path in draw(curves, output):
            console.print(f"wrote {path}")
    missed = [row for row in rows if row.met is False]
    for row in missed:
        console.print(
            f"[red]missed[/red] {row.area}, {row.case}: {_value(row)} for {_bar(row)}. {row.note}"
        )
    n_bars = sum(row.bar is not None for row in rows)
    console.print(f"{n_bars - len(missed)} of {n_bars} bars met")


def _table(rows):
    from rich.table import Table

    table = Table(title="Ours against its peers, one thread, median CPU time", show_lines=False)
    for header in ("case", "ours", "peer"):
        table.add_column(header, overflow="fold")
    for header in ("ours", "theirs", "result", "bar"):
        table.add_column(header, justify="right")
    area = None
    for row in rows:
        if row.area != area:
            area = row.area
            table.add_section()
            table.add_row(f"[bold]{area}[/bold]")
        color = {True: "green", False: "red", None: "default"}[row.met]
        table.add_row(
            row.case,
            row.ours,
            row.peer,
            _seconds(row.ours_seconds),
            _seconds(row.peer_seconds),
            f"[{color}]{_value(row)}[/{color}]" if row.unit == "x" or row.bar is not None else "",
            _bar(row),
        )
    return table


def _value(row):
    return f"{row.value:.3g} {row.unit}".replace(" x", "x")


def _bar(row):
    return (
        ""
        if row.bar is None
        else f"{'≤' if row.at_most else '≥'} {row.bar:g}{'' if row.unit == 'x' else ' ' + row.unit}"
    )


def _seconds(seconds):
    if seconds is None:
        return ""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def _machine():
    import numpy as np

    return f"{platform.machine()} {platform.system()}, Python {platform.python_version()}, numpy {np.__version__}"


if __name__ == "__main__":
    main()
