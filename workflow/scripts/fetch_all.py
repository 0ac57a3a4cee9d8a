"""List what is there and what is not, after every data set was asked for."""

import json
import sys
from pathlib import Path

cards = [json.loads(Path(path).read_text(encoding="utf-8")) for path in snakemake.input]
with Path(snakemake.log[0]).open("w", encoding="utf-8") as log:
    for card in cards:
        said = f"{card['rows']:>8} rows" if card["available"] else f"not available: {card['reason']}"
        print(f"{card['name']:20} {said}", file=log)
sys.stderr.write(Path(snakemake.log[0]).read_text(encoding="utf-8"))
