"""What can go wrong with a data set."""

__all__ = ["DataUnavailable", "SourceFailed"]


class DataUnavailable(Exception):
    """No source gave a data set. The message is one line: what was tried and what to do.

    Parameters
    ----------
    name : str
        The data set.
    message : str
        One line for the person who asked.
    tried : sequence of str
        One line per source that was tried.
    """

    def __init__(self, name, message, tried=()):
        super().__init__(message)
        self.name = name
        self.tried = tuple(tried)

    def __reduce__(self):  # the default would lose two of the three arguments between processes
        return type(self), (self.name, str(self), self.tried)


class SourceFailed(Exception):
    """One source failed; the message says why. The next source is tried."""
