"""Score files of people: their columns, labels, scores and ids, and pairs of files joined by id."""

from pumetrics.reading._files import columns_of, read_columns
from pumetrics.reading._pairs import check_positions, paired, written_alike
from pumetrics.reading._read import Scored, read_models, read_scores
from pumetrics.reading._sources import is_readable, opened

__all__ = [
    "Scored",
    "check_positions",
    "columns_of",
    "is_readable",
    "opened",
    "paired",
    "read_columns",
    "read_models",
    "read_scores",
    "written_alike",
]
