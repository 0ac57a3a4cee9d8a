"""The original five classifiers in WEKA: an optional check of the implementations here.

Needs Java and ``pip install python-weka-wrapper3`` (GPL-3, so it is no dependency of this project).
"""

import tempfile
from pathlib import Path

import numpy as np

__all__ = ["WEKA_MODELS", "weka_scores"]

WEKA_MODELS = {
    "c45": ("weka.classifiers.trees.J48", ["-U", "-O", "-A"]),
    "mlp": ("weka.classifiers.functions.MultilayerPerceptron", []),
    "naive_bayes": ("weka.classifiers.bayes.NaiveBayes", []),
    "nearest_neighbors": ("weka.classifiers.lazy.IBk", ["-K", "5"]),
    "svm_class": ("weka.classifiers.functions.SMO", []),
    "svm_logistic": ("weka.classifiers.functions.SMO", ["-M"]),
}


def weka_scores(table, labels, folds, removed, rng, *, model):
    """Out-of-fold probability of the positive class by the original in WEKA.

    Parameters
    ----------
    table : MixedTable
        Features of the n rows.
    labels : ndarray of shape (n_labelings, n), uint8
        0 and 1.
    folds : ndarray of shape (n,)
        Fold of each row.
    removed : ndarray of shape (n_labelings,), int
        Column a labeling does not see, or -1.
    rng : numpy.random.Generator
        Draws the order of the rows, which matters to the perceptron.
    model : str
        One of ``WEKA_MODELS``.

    Returns
    -------
    ndarray of shape (n_labelings, n), float64

    Raises
    ------
    ValueError
        If WEKA has no such model.
    ImportError
        If the wrapper is not installed; says how to get it.
    """
    if model not in WEKA_MODELS:
        raise ValueError(f"WEKA's models are {', '.join(WEKA_MODELS)}, got {model!r}")
    _start_java()
    order = rng.permutation(table.n)
    scores = np.empty(labels.shape)
    for labeling, y in enumerate(labels):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.arff")
            path.write_text(_arff(table, y, order, removed[labeling]), encoding="utf-8")
            scores[labeling, order] = _cross_validate(path, folds[order], *WEKA_MODELS[model])
    return scores


def _start_java():
    try:
        from weka.core import jvm
    except ImportError as error:
        raise ImportError("backend 'weka' needs Java and: pip install python-weka-wrapper3") from error
    if not jvm.started:
        import logging

        jvm.start(packages=False, logging_level=logging.WARNING)


def _arff(table, y, order, removed):
    """The rows as WEKA reads them, values of nominal features named v0, v1, ..."""
    lines, columns = ["@relation rows"], []
    for j, values in enumerate(table.values):
        if j == removed:
            continue
        if table.is_nominal[j]:
            kind = "{" + ",".join(f"v{code}" for code in range(table.n_values[j])) + "}"
            columns.append(["?" if np.isnan(value) else f"v{value:.0f}" for value in values[order]])
        else:
            kind = "numeric"
            columns.append(["?" if np.isnan(value) else repr(float(value)) for value in values[order]])
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
