"""Optional packages: imported where they are used; an error of one line names a missing one."""

from importlib import import_module

__all__ = ["MissingExtraError", "require"]


class MissingExtraError(ImportError):
    """An optional package is not installed; the message says what to install."""


def require(module, *, extra, purpose):
    """Import an optional module.

    Parameters
    ----------
    module : str
    extra : str
        The extra of pumetrics that brings it.
    purpose : str
        What needs it, as the start of a sentence.

    Returns
    -------
    module

    Raises
    ------
    MissingExtraError
        If it is not installed: one line that says how to install it.

    Examples
    --------
    >>> require("json", extra="plots", purpose="A figure").__name__
    'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.split(".")[0]:
            raise
        raise MissingExtraError(
            f"{purpose} needs {error.name}, which is not installed: pip install 'pumetrics[{extra}]'"
        ) from None
