"""What a command prints: one line on stderr that names options if something is wrong, tables and JSON."""

import hashlib
import os
import shlex
import sys
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path

import typer
from typer.core import TyperGroup

from pumetrics import __version__
from pumetrics.arguments import ArgumentError
from pumetrics.cli.options import FLAGS, OptionError
from pumetrics.extras import MissingExtraError
from pumetrics.unscored import UnscoredError

__all__ = [
    "OneLineGroup",
    "answer",
    "complain",
    "file_facts",
    "heading",
    "json_text",
    "show",
    "terminal",
    "working",
    "writing",
    "written_or_refused",
]

BAD_INPUT = 2
UNFORESEEN = 70  # EX_SOFTWARE of sysexits.h
_TYPED = "pumetrics.typed"  # the command line, as it was given
_TRACEBACK = "PUMETRICS_TRACEBACK"
MOST_NOTES = 3  # warnings on a terminal; --explain, JSON and the page have all of them
_LISTS = {"evaluate": "models", "compare-models": "comparisons"}  # of several results of a command


class OneLineGroup(TyperGroup):
    """Commands that report what is wrong in one line on stderr, with exit status 2."""

    def make_context(self, info_name, args, *others, **extra):
        """Parse the arguments; report a mistake in one line."""
        typed = shlex.join(["pumetrics", *args])
        with _one_line(typed):
            context = super().make_context(info_name, args, *others, **extra)
        context.meta[_TYPED] = typed
        return context

    def invoke(self, ctx):
        """Run the command; report a mistake in one line."""
        with _one_line(ctx.meta[_TYPED]):
            return super().invoke(ctx)


@contextmanager
def _one_line(typed):
    """Turn an error into one line on stderr; the exit status is 2 for a user's command line and input, else 70."""
    try:
        yield
    except (BrokenPipeError, typer.Exit, typer.Abort):
        raise
    except MemoryError:
        _refuse("not enough memory: use a random sample of the rows")
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        _refuse(f"{where}{error.strerror or error}")
    except ArgumentError as error:
        _refuse(error.named(FLAGS))
    except UnscoredError as error:
        _refuse(error.named(f"{typed} --unscored lowest", f"{typed} --unscored skip"))
    except (ValueError, MissingExtraError, OptionError) as error:
        _refuse(str(error), lines=getattr(error, "has_lines", False))
    except ModuleNotFoundError as error:
        modules = [
            frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(error.__traceback__)
        ]
        name = error.name or "pumetrics"
        is_on_papers = any(module.startswith("pumetrics_workflow") for module in modules)
        if name.startswith("pumetrics") or not is_on_papers:
            _report(error)
        _refuse(
            f"commands on the papers need {name}, which is not installed: pip install 'pumetrics[workflow]'"
        )
    except Exception as error:
        # typer brings the classes of click along in some versions and imports them in others
        if type(error).__name__ == "NoArgsIsHelpError" or os.environ.get(_TRACEBACK):
            raise
        if not hasattr(error, "format_message"):
            _report(error)
        message = error.format_message().rstrip(".")
        if error.ctx:
            command = ["pumetrics", *error.ctx.command_path.split()[1:], "--help"]
            message += f"; see {' '.join(command)}"
        _refuse(message)


@contextmanager
def written_or_refused():
    """Turn an error of standard output, such as a full disk, into one line on stderr and exit status 2."""
    try:
        yield
        sys.stdout.flush()
    except (
        BrokenPipeError
    ):  # the reader of a pipe, such as head, has had enough; a gate still decides
        _close(sys.stdout)
    except OSError as error:
        _close(sys.stdout)
        _refuse(
            f"standard output cannot be written: {error.strerror or error}; free some space or write elsewhere"
        )


@contextmanager
def writing(option, path):
    """Name the option and the file in an error of writing, such as a full disk."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"{option} {path} cannot be written: {error.strerror or error}") from None


def _report(error):
    """Say what a user can report of an error that nobody foresaw."""
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if "pumetrics" in file.parts:
            where = f" at {file.name}:{frame.lineno}"
    complain(
        f"unexpected {type(error).__name__}{where}: {error}. This is a fault of pumetrics {__version__}, not of your "
        f"input: please report this line to its maintainers. {_TRACEBACK}=1 before the command shows the traceback"
    )
    raise typer.Exit(UNFORESEEN) from None


def _refuse(message, lines=False):
    """Print a message, or several if its lines are such, and end."""
    for line in message.splitlines() if lines else [message]:
        complain(line)
    raise typer.Exit(BAD_INPUT) from None


def complain(text):
    """Print one line on stderr; line breaks and control characters, such as those of a file's name, are escaped.

    A closed stderr changes no exit status.
    """
    line = "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )
    try:
        typer.echo(line, err=True)
    except BrokenPipeError:
        _close(sys.stderr)


def _close(output):
    """Send to nowhere what Python would try to write again when it ends."""
    with suppress(OSError, ValueError):  # an output of a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


def terminal():
    """Return a console for tables; a closed pipe does not end the command, which may still have a limit to check."""
    from rich.console import Console

    class _Terminal(Console):
        def on_broken_pipe(self):
            self.quiet = True
            _close(sys.stdout)

    return _Terminal(highlight=False)


@contextmanager
def working(n_bootstrap):
    """Show on a terminal that the bootstrap is running."""
    from rich.console import Console

    activity = f"Drawing {n_bootstrap} resamples" if n_bootstrap else "Counting"
    with Console(stderr=True).status(activity):
        yield


def heading(text, *, first):
    """Print a heading for one model, with a blank line before all but the first."""
    from rich.markup import escape

    console = terminal()
    if not first:
        console.print()
    console.print(f"[bold]{escape(text)}[/]")


def show(console, result, step, report, *, explain):
    """Print an assessment or a comparison: at most three warnings, or all of them with explanations; the next step."""
    from rich.markup import escape

    from pumetrics.assessment import explained, in_terminal

    for part in in_terminal(result):
        console.print(part)
    shown = len(result.warnings) if explain else MOST_NOTES
    for warning in result.warnings[:shown]:
        console.print(f"[yellow]Warning:[/] {escape(warning)}")
    more = len(result.warnings[shown:])
    if more:
        console.print(f"{more} more warning{'s' if more > 1 else ''}: use --explain")
    if explain:
        for line in explained(result):
            console.print(escape(line))
    if step:
        words, command = step
        console.print(f"[bold]Next:[/] {escape(words)}:")
        console.print(command, markup=False, soft_wrap=True, highlight=False)
    if report is not None:
        console.print(f"Report: {escape(str(report))}")


def answer(command, files, settings, result):
    """A command's result with its files (see :func:`file_facts`) and its options, given or by default."""
    return {
        "command": command,
        "version": __version__,
        "files": files,
        "settings": settings,
        **result,
    }


def json_text(answers):
    """JSON of one answer, or of several as a list in an object; infinities and NaN become null."""
    from pumetrics.assessment import as_json

    if len(answers) == 1:
        return as_json(answers[0])
    return as_json({_LISTS[answers[0]["command"]]: answers})


def file_facts(source, *, used):
    """Name, SHA-256, number of rows and number of rows used of a file, for each pair of the latter two."""
    with open(source.path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return [
        {
            "name": str(source),
            "sha256": sha256,
            "rows": int(rows),
            "rows_used": int(some),
        }
        for rows, some in used
    ]
