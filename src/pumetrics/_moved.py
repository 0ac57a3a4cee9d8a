"""Import paths of earlier versions, in one place: they work until version 0.4, with a DeprecationWarning."""

import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

__all__ = ["MOVED", "OldPaths"]

MOVED = {
    "pumetrics.bounds.bands": "bounds.diagnostics",
    "pumetrics.cli": "cli.schema",
    "pumetrics.inference.answers": "inference.types",
    "pumetrics.inference.corrected": "inference.types",
    "pumetrics.inference.request": "inference.options inference.plan inference.resamples inference.types",
    "pumetrics.inference.sample": "inference.resampling",
    "pumetrics.label_frequency": "label_frequency.conversions label_frequency.moments label_frequency.scores",
    "pumetrics.labeling.mechanisms": "labeling.flipping labeling.noisy",
    "pumetrics.methods": "methods.sample methods.types",
    "pumetrics.methods.answers": "methods.bands methods.controls methods.points",
    "pumetrics.metrics": "metrics.predictions metrics.scores",
    "pumetrics.metrics.registry": "metrics.areas metrics.thresholds",
    "pumetrics.models.c45": "models.reference",
    "pumetrics.models.encoding": "models.mixed_table",
    "pumetrics.models.estimators": "models.bagging_svm",
    "pumetrics.models.folds": "models.logistic",
    "pumetrics.models.naive_bayes": "models.reference",
    "pumetrics.models.neighbors": "models.reference",
    "pumetrics.priors": "priors.two_component",
    "pumetrics.priors.alphamax": "priors.alphamax_plus",
    "pumetrics.priors.densities": "priors.dedpul priors.divergence",
    "pumetrics.priors.estimate": "priors.from_counts",
    "pumetrics.priors.registry": "priors.consensus",
    "pumetrics.priors.roc": "priors.bbe priors.elkan_noto priors.roc_slope",
    "pumetrics_workflow.ranking": "ranking",
}
"""Modules, and those of pumetrics that are gone and whose names they took over."""


class OldPaths(MetaPathFinder, Loader):
    """What Python asks for a module that it finds nowhere else."""

    def find_spec(self, fullname, path, target=None):
        return ModuleSpec(fullname, self) if _homes(fullname) else None

    def exec_module(self, module):
        homes = _homes(module.__name__)
        for home in homes:
            vars(module).update({name: each for name, each in vars(import_module(home)).items() if name[0] != "_"})
        text = f"{module.__name__} is now {' and '.join(homes)}; the old path goes with version 0.4"
        warnings.warn(text, DeprecationWarning, stacklevel=2)


def _homes(path):
    package, _, old = path.partition(".")
    return [new for new, olds in MOVED.items() if package == "pumetrics" and old in olds.split()]
