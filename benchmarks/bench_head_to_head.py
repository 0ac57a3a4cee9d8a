"""One repeat of the head to head, as its study file has it, against plain scikit-learn calls for the same models."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness import Options, Row, ratio_row

ROOT = Path(__file__).parents[1]
ROWS, FEATURES = 2000, 10


def rows(options: Options) -> Iterable[Row]:
    """All labelings, models, priors, methods and metrics of one repeat on a generated data set."""
    from pumetrics_workflow.config import load_yaml
    from pumetrics_workflow.plan import load_study
    from pumetrics_workflow.stages.in_memory import evaluate_in_memory
    from pumetrics_workflow.stages.label import Data, Seeds

    schema = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
    study = load_study(ROOT / "config/studies/head_to_head.yaml", "paper", schema)
    data = Data(problem(), Seeds(0, "head_to_head", "generated"))
    plan = {name: getattr(study, name) for name in ("labeling", "priors", "metrics", "evaluation")}
    pool, labelings = study.models["pool"], len(study.labeling["names"])
    yield ratio_row(
        "head to head",
        f"one repeat, {labelings} labelings, {len(pool['models'])} models, {ROWS:,} x {FEATURES}",
        ours=(
            "evaluate_in_memory",
            partial(evaluate_in_memory, data, model="pool", options=pool, repeats=[0], **plan),
        ),
        peer=(
            "scikit-learn, models and usual metrics alone",
            partial(by_scikit_learn, data.frame, pool),
        ),
        repeats=options.repeats,
        scale=labelings,
        bar=3,
        note="ours also estimates priors and applies every correction and bound; peer timed on 1 labeling, scaled up",
    )


def problem():
    """Features and the class ``y``, whose classes overlap."""
    import pandas as pd

    rng = np.random.default_rng(0)
    y = rng.random(ROWS) < 0.4
    X = pd.DataFrame(rng.normal(0.5 * y[:, None], 1.0, (ROWS, FEATURES)))
    return X.rename(columns=lambda column: f"x{column}").assign(y=y.astype(int))


def by_scikit_learn(frame, pool):
    """Out-of-sample scores of the same models for one labeling, and their metrics against its labels."""
    from sklearn.metrics import average_precision_score, matthews_corrcoef, roc_auc_score
    from sklearn.model_selection import cross_val_predict

    x = frame.drop(columns="y").to_numpy()
    s = frame["y"].to_numpy() * (np.random.default_rng(0).random(len(frame)) < 0.5)
    for options in pool["models"].values():
        model, answer = peer(**options)
        if answer == "oob":
            scores = model.fit(x, s).oob_decision_function_[:, 1]
        else:
            scores = cross_val_predict(model, x, s, cv=pool["folds"]["n_folds"], method=answer)
            scores = scores[:, 1] if scores.ndim == 2 else scores
        roc_auc_score(s, scores)
        average_precision_score(s, scores)
        matthews_corrcoef(s, scores > np.median(scores))


def peer(type, **options):
    """What a user would pick for a model of the study, and how it scores out of sample."""
    from sklearn.ensemble import (
        BaggingClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC, LinearSVC

    if type == "bagged_mlp":
        network = MLPClassifier((options["hidden_units"],), early_stopping=True, random_state=0)
        return BaggingClassifier(
            network, options["n_estimators"], oob_score=True, random_state=0
        ), "oob"
    if type == "random_forest":
        return RandomForestClassifier(
            bootstrap=True, oob_score=True, random_state=0, **options
        ), "oob"
    classes = {
        "boosted_trees": (HistGradientBoostingClassifier, "predict_proba"),
        "logistic_regression": (LogisticRegression, "predict_proba"),
        "linear_svm": (partial(LinearSVC, dual=False), "decision_function"),
        "kernel_svm": (SVC, "decision_function"),
        "gaussian_naive_bayes": (GaussianNB, "predict_proba"),
    }
    make, answer = classes[type]
    return make(**options), answer
