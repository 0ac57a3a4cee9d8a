"""List available and unavailable data sets, after an attempt to fetch each of them."""

import sys
from pathlib import Path

from pumetrics_workflow.job import run
from pumetrics_workflow.tables import read_card


def list_datasets(cards: list, nowhere: dict, listing: str) -> None:
    """Write one line per data set: its rows, or why it is unavailable."""
    read = [read_card(path) for path in cards]
    lines = [
        f"{card['name']:26} {card['rows']:>7} rows from {card['source']}"
        for card in read
        if card["available"]
    ]
    lines += [f"WARNING: {card['name']}: {card['warning']}" for card in read if card.get("warning")]
    lines += [f"not available: {card['reason']}" for card in read if not card["available"]]
    lines += [f"not available anywhere: {name}: {reason}" for name, reason in nowhere.items()]
    Path(listing).write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.__stderr__.write("\n".join(lines) + "\n")


if "snakemake" in globals():
    run(list_datasets, snakemake)
