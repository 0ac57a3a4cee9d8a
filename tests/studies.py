"""What holds of the answers of every study."""

import pandas as pd

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.tables import read


def check_chunks(answer, folder, repeats=3):
    """Answers use known columns and names, and are those of all repeats at once whatever the chunks and their order."""
    chunks = {"whole": [range(repeats)], "apart": [range(1, repeats), range(1)]}
    for name, parts in chunks.items():
        rows = pd.concat([answer(repeats=part) for part in parts], ignore_index=True).assign(
            study="some"
        )
        kept = ~rows.get("statistic", rows["repeat"]).astype(str).str.startswith(
            "seconds"
        )  # which differ always
        write_answers(rows[kept], folder / name)
    first, second = (
        rows[kept & (rows["repeat"] == k)].drop(columns="repeat").to_numpy().tolist()
        for k in (0, 1)
    )
    assert str(first) != str(second), "each repeat draws its own random numbers"
    for kind in ("records", "statistics"):
        pd.testing.assert_frame_equal(*(read(kind, folder / name) for name in chunks))
