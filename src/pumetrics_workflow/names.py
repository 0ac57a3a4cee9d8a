"""Names in a study that must be known before a job runs: estimators, metrics, models, labelings, captions."""

import ast
import re
from pathlib import Path

import pumetrics
from pumetrics_workflow.config import ConfigError, nearest

__all__ = ["check_captions", "check_names", "estimators"]

_TOLD_APART = ("CAPTIONS", "DRAWN_FROM")


def check_names(content, where):
    """Raise ConfigError with a line for each name in a study file that no registry has.

    Parameters
    ----------
    content : dict
        A study at one scale: ``labeling``, ``models``, ``priors``, ``metrics`` and ``simulations``.
    where : str
        The name of its file, for the message.
    """
    checks = _labelings(content["labeling"]), _models(content["models"]), _priors(content), _metrics(content)
    wrong = [line for lines in (*checks, _simulated(content["simulations"])) for line in lines]
    if wrong:
        raise ConfigError("\n".join(f"{where}: {line}" for line in wrong))


def estimators(registry="priors"):
    """Names of all estimators of priors, read off their registry: to import it takes two seconds of every dry-run.

    With the registry "methods" those of the methods.
    """
    tree = ast.parse(Path(pumetrics.__file__).with_name(registry).joinpath("registry.py").read_text(encoding="utf-8"))
    (entries,) = (
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "METHODS"
    )
    return sorted(ast.literal_eval(key) for key in entries.keys)


def check_captions(study, package):
    """Raise ConfigError if a study lacks its package, or names a figure or table that its modules never write.

    The report finds figures by their captions, so it would omit a figure whose caption has the wrong name.

    Parameters
    ----------
    study : str
    package : module
        With ``CAPTIONS`` and, if it has figures, ``DRAWN_FROM``.
    """
    file = Path(package.__file__)
    written, patterns = _strings(file.parent)
    drawn_from = getattr(package, "DRAWN_FROM", {})
    behind = dict.fromkeys(table for tables in drawn_from.values() for table in tables)
    wrong = [
        f"{held}: no module of the study writes a figure or table {name!r}{_near(name, written)}"
        for held, names in (("CAPTIONS", package.CAPTIONS), ("DRAWN_FROM", behind))
        for name in names
        if name != "published" and name not in written and not any(pattern.fullmatch(name) for pattern in patterns)
    ]
    wrong += [
        f"DRAWN_FROM: the figure {name!r} has no caption, so the report leaves it out"
        for name in drawn_from
        if name not in package.CAPTIONS
    ]
    if wrong:
        raise ConfigError("\n".join(f"studies/{study}/{file.name}: {line}" for line in wrong))


def _strings(folder):
    """All strings and names of arguments in a package, its captions aside, and patterns of those made of parts."""
    strings, patterns = set(), set()
    for path in folder.glob("*.py"):
        tree = ast.parse(path.read_bytes())
        tree.body = [
            node
            for node in tree.body
            if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in _TOLD_APART)
        ]
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)) | ast.keyword(arg=str(text)):
                    strings.add(text)
                case ast.JoinedStr(values=parts):
                    patterns.add(tuple(part.value if isinstance(part, ast.Constant) else None for part in parts))
    named = [parts for parts in patterns if any(part and re.search(r"\w", part) for part in parts)]
    return strings, [
        re.compile("".join(".+" if part is None else re.escape(part) for part in parts)) for parts in named
    ]


def _near(name, written):
    """The nearest string that could be the name of a file, if any."""
    hint = nearest(name, sorted(text for text in written if re.fullmatch(r"\w+", text)))
    return hint if hint.startswith("; did") else ""


def _labelings(labeling):
    from pumetrics.labeling import scheme_of

    for name in labeling["names"] if labeling else ():
        try:
            scheme_of(name)
        except ValueError as error:
            yield f"labeling.names: {error}"


def _models(models):
    if not models:
        return
    from pumetrics.models.registry import MODELS
    from pumetrics_workflow.stages.train import models_of

    for name, options in models.items():
        for part, each in models_of(name, options)[0].items():
            place = f"models.{name}" + f".models.{part}" * (options["type"] == "pool")
            if each.get("type") not in MODELS:
                yield f"{place}.type: unknown model {each.get('type')!r}{nearest(each.get('type'), list(MODELS))}"


def _priors(content):
    from pumetrics_workflow.stages.train import models_of

    priors, known = content["priors"], estimators()
    for key in ("methods", "clean", "own"):
        for name in priors.get(key, ()):
            if name not in known:
                yield f"priors.{key}: there is no estimator {name!r}{nearest(name, known)}"
            elif key == "clean" and name not in priors["methods"]:
                yield f"priors.clean: {name!r} must be in priors.methods too"
    pooled = [part for name, options in content["models"].items() for part in models_of(name, options)[0]]
    if "reference" in priors and priors["reference"] not in pooled:
        yield f"priors.reference: unknown model {priors['reference']!r}{nearest(priors['reference'], pooled)}"


def _simulated(simulations):
    """Simulations list estimators, or map methods to the priors that they are given."""
    for part, entry in simulations.items():
        names = (entry or {}).get("options", {}).get("methods", ())
        kind, registry = ("method", "methods") if isinstance(names, dict) else ("estimator", "priors")
        for name in names:
            if name not in (known := estimators(registry)):
                yield f"simulations.{part}.options.methods: there is no {kind} {name!r}{nearest(name, known)}"


def _metrics(content):
    if not content["metrics"]:
        return
    from pumetrics_workflow.stages.evaluate import METRICS

    for name in content["metrics"]:
        if name not in METRICS:
            yield f"metrics: there is no metric {name!r}{nearest(name, list(METRICS))}"
