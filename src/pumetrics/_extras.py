"""Optional packages: imported where they are used; an error of one line names a missing one."""

from importlib import import_module

__all__ = ["MissingExtraError", "require"]


class MissingExtraError(ImportError):
    """An optional package is not installed; the message says what to install."""


def require(*modules, extra, purpose):
    """Import optional modules.

    Parameters
    ----------
    *modules : str
    extra : str
        The extra of pumetrics that brings them.
    purpose : str
        What needs them, as the start of a sentence.

    Returns
    -------
    module or tuple of module
        One for each name.

    Raises
    ------
    MissingExtraError
        If one is not installed: one line that says how to install it.

    Examples
    --------
    >>> require("json", extra="plots", purpose="A figure").__name__
    'json'
    """
    try:
        imported = tuple(import_module(name) for name in modules)
    except ModuleNotFoundError as error:
        if error.name not in {name.split(".")[0] for name in modules}:
            raise
        raise MissingExtraError(
            f"{purpose} needs {error.name}, which is not installed: pip install 'pumetrics[{extra}]'"
        ) from None
    return imported[0] if len(imported) == 1 else imported
