"""Files that other processes may read or write at the same time: written as a whole, or not at all."""

import os
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["alone", "write_whole"]

_LOCKED = set()  # lock files that this process holds


def write_whole(path, text):
    """Write a text file that replaces an old one only when it is complete, and keeps its mode.

    Parameters
    ----------
    path : path-like
        A link is followed. A pipe, a device, and a file in a folder that cannot be written are written to directly.
    text : str
        Line ends are written as they are.

    Raises
    ------
    OSError
        The message names `path`, which is as it was.
    """
    path, whole = Path(path), Path(os.path.realpath(path))
    if whole.exists() and not (whole.is_file() and os.access(whole.parent, os.W_OK)):
        whole.write_text(text, encoding="utf-8", newline="")
        return
    arriving = whole.with_name(f".{whole.name}.{os.getpid()}.part")
    try:
        arriving.write_text(text, encoding="utf-8", newline="")
        if whole.exists():
            arriving.chmod(whole.stat().st_mode & 0o7777)
        os.replace(arriving, whole)
    except BaseException as error:
        with suppress(OSError):
            arriving.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)
            error.filename2 = None
        raise


@contextmanager
def alone(path, *, keep=True):
    """Hold a lock among processes, which ends with the process; none where none can be had.

    Parameters
    ----------
    path : Path
        The file that is locked.
    keep : bool
        Whether it stays.
    """
    file = None if path in _LOCKED else _locked(path)  # a caller may already hold it
    if file is None:
        yield
        return
    _LOCKED.add(path)
    with file:
        try:
            yield
        finally:
            _LOCKED.remove(path)
            if not keep:
                path.unlink(missing_ok=True)


def _locked(path):
    """Open and lock a file; None on Windows, in a folder that cannot be written, and on a disk without locks."""
    with suppress(ImportError, OSError):
        import fcntl

        while True:
            file = path.open("ab")
            fcntl.flock(file, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):  # it was removed while this process waited
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    return file
            file.close()
    return None
