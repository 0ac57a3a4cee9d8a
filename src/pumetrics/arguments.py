"""Errors that know which argument is refused, so that a command can name its option."""

from difflib import get_close_matches
from numbers import Real

__all__ = ["ArgumentError", "ContradictionError", "suggestion"]


class ArgumentError(ValueError):
    """An argument that is refused, and why; a command names the option that sets it."""

    def __init__(self, argument, text):
        super().__init__(argument, text)
        self.argument = argument
        self.text = text

    def __str__(self):
        return self.named()

    def named(self, options=None):
        """The message, with the argument as `options` calls it."""
        return f"{(options or {}).get(self.argument, self.argument)} {self.text}"


class ContradictionError(ArgumentError):
    """Arguments, pairs of a name and a value, that exclude each other."""

    def named(self, options=None):
        """The message, with the arguments as `options` calls them."""
        return f"{' and '.join(_shown(*pair, options) for pair in self.argument)} contradict: {self.text}"


def suggestion(name, known, form):
    """The known name nearest to a wrong one, in a form such as "did you mean {!r}?"; nothing if none is near."""
    near = get_close_matches(str(name), known, n=1)
    return form.format(near[0]) if near else ""


def _shown(name, value, options):
    is_flag = value is True or not isinstance(value, str | Real | list | tuple)
    if is_flag:
        return name if options is None else options.get(name, name)
    if options is None:
        return f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"
    text = f"{value:g}" if isinstance(value, float) else value
    return f"{options.get(name, name)} {text}"
