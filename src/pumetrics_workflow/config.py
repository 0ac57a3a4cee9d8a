"""Reading and checking the settings of users and studies, with errors of one line."""

import difflib
from copy import deepcopy
from pathlib import Path

import yaml

__all__ = ["ConfigError", "check", "load_yaml", "merge", "nearest", "parse_yaml"]

_MOST = 1_000_000  # values in a file; the registry of data sets has some ten thousand


class ConfigError(ValueError):
    """Invalid setting in a config file or on the command line."""

    has_lines = True  # one for each mistake


def load_yaml(path):
    """Read a YAML file as a dict, or raise ConfigError that names file and line."""
    try:
        content = parse_yaml(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise ConfigError(f"{path}{line}: {' '.join(str(problem).split())}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: expected keys and values, got {type(content).__name__}")
    if _is_too_large(content):
        raise ConfigError(
            f"{path}: holds more than {_MOST:,} values once its aliases are filled in"
        )
    return content


def _is_too_large(content):
    """Whether YAML expands to too much content, because its aliases are nested many times."""
    queue = [content]
    seen = 0
    while queue and seen <= _MOST:
        value = queue.pop()
        seen += 1
        if isinstance(value, dict):
            queue += value.values()
        elif isinstance(value, list):
            queue += value
    return seen > _MOST


def parse_yaml(text):
    """Return what YAML says, read in C where PyYAML has that: five times as fast."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def check(values, schema, where):
    """Return `values` with the schema's defaults filled in, or raise ConfigError with one line per mistake.

    Parameters
    ----------
    values : dict
    schema : dict
        A JSON schema, draft 2020-12.
    where : str
        What the values are, for the message: ``"config"`` or a file name.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from jsonschema.validators import extend

    # JSON Schema takes 1000.0 as an integer; seeds that name things would then be others than those of 1000.
    kinds = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
    validator = extend(Draft202012Validator, type_checker=kinds)

    values = {
        key: _plain(value, schema.get("properties", {}).get(key, {}))
        for key, value in dict(values).items()
    }
    errors = sorted(
        validator(schema).iter_errors(values),
        key=lambda error: list(error.absolute_path),
    )
    if errors:
        raise ConfigError("\n".join(_explain(best_match([error]), where) for error in errors))
    defaults = {
        key: entry["default"]
        for key, entry in schema.get("properties", {}).items()
        if "default" in entry
    }
    return values | deepcopy({key: value for key, value in defaults.items() if key not in values})


def merge(base, changes):
    """Return `base` with `changes` laid over it: mappings level by level, everything else replaced."""
    merged = deepcopy(base)
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = deepcopy(value)
    return merged


def nearest(name, allowed):
    """End an error message with the closest name, or with all that are allowed.

    Examples
    --------
    >>> nearest("sede", ["seed", "scale"])
    "; did you mean 'seed'?"
    """
    near = difflib.get_close_matches(str(name), allowed, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; allowed are {', '.join(allowed)}"


def _is_integer(_, value):
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(value, entry):
    """Return a command line's ``true``, ``false`` or ``null`` as what it means, where text is not what is expected."""
    meant = {
        "true": True,
        "false": False,
        "null": None,
        "none": None,
    }
    kinds = entry.get("type", [])
    accepts = {"boolean": bool, "null": type(None)}
    if isinstance(value, str) and value.lower() in meant:
        plain = meant[value.lower()]
        if any(isinstance(plain, accepts[kind]) for kind in accepts if kind in kinds):
            return plain
    return deepcopy(value)


def _explain(error, where):
    """Return one line with the mistake and what is allowed."""
    place = ".".join(str(part) for part in error.absolute_path)
    at = f"{where}: {place}" if place else where
    if error.validator == "additionalProperties":
        allowed = list(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in allowed]
        return "; ".join(f"{at}: unknown key {key!r}{nearest(key, allowed)}" for key in unknown)
    if error.validator == "required":
        return f"{at}: {error.message.replace(' is a required property', ' is missing')}"
    value = repr(error.instance)
    if error.validator == "enum":
        return f"{at}: {value} is not allowed; choose one of {', '.join(map(str, error.validator_value))}"
    if error.validator == "type":
        kinds = (
            error.validator_value
            if isinstance(error.validator_value, list)
            else [error.validator_value]
        )
        quote = ""
        if isinstance(error.instance, bool) and "string" in kinds:
            quote = (
                ": YAML reads yes, no, on and off as true or false, put such a word in quotes: 'NO'"
            )
        return f"{at}: expected {' or '.join(kinds)}, got {value}{quote}"
    return f"{at}: {error.message[:300]}"
