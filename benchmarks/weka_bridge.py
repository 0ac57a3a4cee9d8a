"""The original five classifiers in WEKA: what the implementations of the library are checked against.

Needs Java and ``pip install python-weka-wrapper3`` (GPL-3, so it is no dependency of this project).
"""

import tempfile
from pathlib import Path

import numpy as np

from pumetrics_workflow.models.encoding import MixedTable

WEKA_MODELS = {
    "c45": ("weka.classifiers.trees.J48", ["-U", "-O", "-A"]),
    "mlp": ("weka.classifiers.functions.MultilayerPerceptron", []),
    "naive_bayes": ("weka.classifiers.bayes.NaiveBayes", []),
    "nearest_neighbors": ("weka.classifiers.lazy.IBk", ["-K", "5"]),
    "svm_class": ("weka.classifiers.functions.SMO", []),
    "svm_logistic": ("weka.classifiers.functions.SMO", ["-M"]),
}


def weka_scores(X, labels, folds, *, model, random_state):
    """Out-of-fold probability of the positive class of one labeling; the seed draws the order of the rows."""
    _start_java()
    table = MixedTable(X)
    order = np.random.default_rng(random_state).permutation(table.n)
    scores = np.empty(table.n)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.arff")
        path.write_text(_arff(table, labels, order), encoding="utf-8")
        scores[order] = _cross_validate(path, folds[order], *WEKA_MODELS[model])
    return scores


def _start_java():
    from weka.core import jvm

    if not jvm.started:
        import logging

        jvm.start(packages=False, logging_level=logging.WARNING)


def _arff(table, y, order):
    """The rows as WEKA reads them, values of nominal features named v0, v1, ..."""
    lines = ["@relation rows"]
    columns = []
    for j, values in enumerate(table.values):
        if table.is_nominal[j]:
            kind = "{" + ",".join(f"v{code}" for code in range(table.n_values[j])) + "}"
            columns.append(["?" if np.isnan(value) else f"v{value:.0f}" for value in values[order]])
        else:
            kind = "numeric"
            columns.append(
                ["?" if np.isnan(value) else repr(float(value)) for value in values[order]]
            )
        lines.append(f"@attribute f{j} {kind}")
    lines += ["@attribute y {0,1}", "@data"]
    return "\n".join([*lines, *map(",".join, zip(*columns, map(str, y[order]), strict=True)), ""])


def _cross_validate(path, folds, name, options):
    from weka.classifiers import Classifier
    from weka.core.converters import Loader
    from weka.core.dataset import Instances

    data = Loader("weka.core.converters.ArffLoader").load_file(str(path))
    data.class_is_last()
    scores = np.empty(len(folds))
    for fold in np.unique(folds):
        training = Instances.template_instances(data)
        for row in np.flatnonzero(folds != fold):
            training.add_instance(data.get_instance(int(row)))
        classifier = Classifier(classname=name, options=options)
        classifier.build_classifier(training)
        for row in np.flatnonzero(folds == fold):
            scores[row] = classifier.distribution_for_instance(data.get_instance(int(row)))[1]
    return scores
