"""What the terminal shows of one model, or of two."""

from pumetrics.assessment import _tables, _words
from pumetrics.assessment._compare import Comparison

__all__ = ["explained", "in_terminal"]


def in_terminal(result):
    """Yield sentences and tables on an :class:`Assessment` or a :class:`Comparison` for :mod:`rich`."""
    if isinstance(result, Comparison):
        yield _words.priors_in_words(result.first, result.second)
        if result.checked:
            yield _words.difference_in_words(result)
        yield result.assumption
        yield _tables.comparison_table(result)
        if len(result.orders) > 1:
            yield _words.decides_in_words(result)
        return

    yield _words.priors_in_words(result)
    yield result.assumption
    if result.checked:
        yield _tables.checked_table(result)
        if result.scar is None:
            return
        yield "Results from the labels alone, if labels are random (SCAR):"
    yield _tables.assessment_table(result.scar or result)


def explained(result):
    """What the numbers of an :class:`Assessment` or a :class:`Comparison` mean: one sentence each."""
    if isinstance(result, Comparison):
        return _words.explained_of_two(result)
    return _words.explained(result)
