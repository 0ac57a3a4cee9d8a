"""Verdicts on the claims of a paper as linked data, in the words of CiTO and of the replication outcomes of FORRT."""

import json
from pathlib import Path

__all__ = ["CONTEXT", "WORDS", "linked", "write_linked"]

CONTEXT = {
    "schema": "https://schema.org/",
    "cito": "http://purl.org/spar/cito/",
    "forrt": "https://w3id.org/sciencelive/o/terms/",
}
WORDS = {
    "holds": ("cito:confirms", "forrt:Validated"),
    "mostly": ("cito:qualifies", "forrt:PartiallySupported"),
    "partly": ("cito:qualifies", "forrt:PartiallySupported"),
    "does not hold": ("cito:disputes", "forrt:Contradicted"),
    "opposite": ("cito:disputes", "forrt:Contradicted"),
    "inconclusive": ("cito:cites", "forrt:Inconclusive"),
    "not tested": ("cito:cites", "forrt:NotTested"),
    "not testable here": ("cito:cites", "forrt:NotTested"),
}
"""Of each verdict what the replication does with the paper (CiTO), and the outcome (FORRT)."""


def linked(published, paper):
    """Return the claims of a paper with their verdicts as a JSON-LD document.

    Parameters
    ----------
    published : pandas.DataFrame
        As made by :func:`pumetrics_workflow.verdicts.compare_published`.
    paper : str
        The paper's address, as https://doi.org/...
    """
    claims = published[published["kind"] == "claim"]
    return {"@context": CONTEXT, "@graph": [_review(row, paper) for row in claims.itertuples()]}


def write_linked(folder, paper):
    """Write ``published.jsonld`` next to ``published.csv`` in a folder."""
    import pandas as pd

    text = json.dumps(
        linked(pd.read_csv(Path(folder, "published.csv")), paper), indent=1, ensure_ascii=False
    )
    Path(folder, "published.jsonld").write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _review(row, paper):
    relation, outcome = WORDS[row.verdict]
    counted = f"{row.verdict}, {row.k:.0f} of {row.n:.0f}" if row.k == row.k else row.verdict
    return {
        "@id": f"#{row.id}",
        "@type": "schema:ClaimReview",
        "schema:claimReviewed": row.quantity,
        "schema:itemReviewed": {"@id": paper},
        "schema:reviewBody": f"{counted}: {row.note}" if row.note == row.note else counted,
        "forrt:hasValidationStatus": {"@id": outcome},
        relation: {"@id": paper},
    }
