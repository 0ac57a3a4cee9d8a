"""Errors of the commands: one line on stderr, and the exit status."""

import os
import sys
from contextlib import contextmanager, suppress

import typer
from typer.core import TyperGroup

from pumetrics._extras import MissingExtraError
from pumetrics.cli._wording import in_options

__all__ = ["OneLineGroup", "one_line_errors", "printable", "refuse", "terminal", "writing", "written_or_refused"]

BAD_INPUT = 2


class OneLineGroup(TyperGroup):
    """Commands whose wrong or missing options are one line on stderr and exit status 2, as any other bad input."""

    def make_context(self, *args, **extra):
        with _one_line_usage():
            return super().make_context(*args, **extra)

    def invoke(self, ctx):
        with _one_line_usage():
            return super().invoke(ctx)


@contextmanager
def _one_line_usage():
    try:
        yield
    except Exception as error:
        # typer brings the classes of click along in some versions and imports them in others
        if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
            raise
        context = getattr(error, "ctx", None)
        where = f"; see pumetrics {' '.join(context.command_path.split()[1:])} --help" if context else ""
        refuse(error.format_message().replace("Value error, ", "").rstrip(".") + where.replace("  ", " "))


@contextmanager
def one_line_errors():
    """Turn errors of a user's input into one line on stderr and exit status 2."""
    try:
        yield
    except MemoryError:
        refuse("there is not enough memory: draw a random sample of the rows")
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        refuse(f"{where}{error.strerror or error}")
    except (ValueError, MissingExtraError) as error:
        refuse(in_options(str(error)))


@contextmanager
def written_or_refused():
    """Turn a standard output that takes no more, such as a full disk, into one line on stderr and exit status 2."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, such as head, has had enough; a gate still decides
        _close_output()
    except OSError as error:
        _close_output()
        refuse(f"standard output cannot be written: {error.strerror or error}; free some space or write elsewhere")


@contextmanager
def writing(option, path):
    """Name the option and the file in an error of writing it, such as a full disk."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"{option} {path} cannot be written: {error.strerror or error}") from None


def terminal():
    """A console for tables; a closed pipe does not end the command, which may have a gate to decide."""
    from rich.console import Console

    class _Terminal(Console):
        def on_broken_pipe(self):
            self.quiet = True
            _close_output()

    return _Terminal(highlight=False)


def refuse(message):
    """Print one line on stderr and exit with status 2."""
    typer.echo(printable(message), err=True)
    raise typer.Exit(BAD_INPUT) from None


def printable(text):
    """Text on one line: line breaks and control characters, such as those of a file's name, are escaped."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _close_output():
    """Send to nowhere what Python would try to write again when it ends."""
    with suppress(OSError, ValueError):  # an output of a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
