"""Names in a study that must be known before a job runs: estimators, metrics, models, labelings."""

import ast
from pathlib import Path

import pumetrics
from pumetrics_workflow.config import ConfigError, nearest

__all__ = ["check_names", "estimators"]


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
