"""Where lines are shown: in a file or pipe one after the other, on a terminal above a line that moves."""

import sys

__all__ = ["Screen"]


class Screen:
    """Standard error; on a terminal its last line is redrawn every second until :meth:`close`.

    Parameters
    ----------
    status : callable
        Returns the text of the last line; called from another thread.
    """

    def __init__(self, status):
        self._status, self._live = status, None

    def start(self):
        """Begin to show the last line, if this is a terminal."""
        if self._live or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.live import Live

        self._live = Live(
            console=Console(stderr=True),
            get_renderable=self._line,
            refresh_per_second=1,
            transient=True,  # nothing of it stays
            redirect_stdout=False,
        )
        self._live.start()
        self._live.console.show_cursor(True)  # a kill must not leave a terminal without one

    def print(self, text):
        """Show a line that stays."""
        if self._live:
            self._live.console.out(text, highlight=False)
            self._live.refresh()  # a job that has just ended runs no longer
        else:
            print(text, file=sys.stderr, flush=True)

    def close(self):
        """Take the last line away."""
        if self._live:
            self._live.stop()
        self._live = None

    def _line(self):
        from rich.text import Text

        return Text(self._status(), no_wrap=True, overflow="ellipsis")
