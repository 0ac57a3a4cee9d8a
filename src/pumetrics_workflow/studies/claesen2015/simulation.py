"""The parts of the study, each a function of repeats and a seed; what is drawn depends on names, never on chunks."""

from pumetrics_workflow.studies.claesen2015.coverage import coverage
from pumetrics_workflow.studies.claesen2015.figure5 import figure5
from pumetrics_workflow.studies.claesen2015.illustrations import exact, figure4
from pumetrics_workflow.studies.claesen2015.rows import table_of
from pumetrics_workflow.studies.claesen2015.simulated import figure2, figure3, known_examples

__all__ = ["PARTS", "simulate"]

PARTS = {
    "exact": exact,
    "figure2": figure2,
    "figure3": figure3,
    "figure4": figure4,
    "known_examples": known_examples,
    "coverage": coverage,
}


def simulate(part, *, repeats, seed, data, **options):
    """Records and statistics of one part for a chunk of repeats.

    Parameters
    ----------
    part : str
        ``figure5`` and ``figure5_published`` need one data set, see :func:`figure5`; others are keys of :data:`PARTS`.
    repeats : sequence of int
    seed : int
        Root of the random numbers.
    data : dict of str to DataFrame
        Prepared data sets by name.
    **options
        Of the part: sizes, shares, estimates.

    Returns
    -------
    pandas.DataFrame
        Records and statistics in one table, without the column ``study``.

    Raises
    ------
    ValueError
        If there is no such part.
    """
    if part.startswith("figure5"):
        return table_of(figure5(repeats, seed, data, **options))
    if part not in PARTS:
        raise ValueError(f"claesen2015 has no part {part!r}; there are {', '.join([*PARTS, 'figure5'])}")
    return table_of([row for repeat in repeats for row in PARTS[part](repeat, seed, data, **options)])
