"""One permutation of Rider's study, five classifiers, against scikit-learn and WEKA, and the machine's limits."""

import warnings
from collections.abc import Iterable
from functools import partial
from importlib.util import find_spec
from shutil import which

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.harness import Options, Row, cpu_medians
from pumetrics.compiled import can_compile
from pumetrics_workflow.models.encoding import MixedTable
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import out_of_sample_scores

FRACTIONS, FOLDS, EPOCHS = 10, 10, 500
LABELINGS = 3 * FRACTIONS
SHAPES = {
    "pima": (768, 8, False),
    "krkp": (3196, 36, True),
}  # rows, features, whether they have two values each
PART = 10  # only a tenth of our perceptron's epochs is timed; the cost is in proportion


def rows(options: Options) -> Iterable[Row]:
    """Whole permutations, then the shares of the perceptron's training."""
    for name in SHAPES:
        X, labelings, _, folds = problem(name)
        yield permutation(
            options, name, "scikit-learn", part_of_scikit_learn(X, labelings[0], folds)
        )
        if not which("java") or find_spec("weka") is None:
            options.log("WEKA is left out: it needs Java and `pip install python-weka-wrapper3`")
            continue
        yield permutation(options, name, "WEKA", part_of_weka(X, labelings[:1], folds))
    if can_compile():
        yield from limits(options)
    else:
        options.log("shares of the machine's limits are left out: they need numba")


def problem(name):
    """Features, 30 labelings, the feature that the last ten must not see, and folds."""
    import pandas as pd

    n, d, two_values = SHAPES[name]
    rng = np.random.default_rng([n, d])
    y = (rng.random(n) < 0.4).astype(np.uint8)
    X = pd.DataFrame(rng.normal(0.5 * y[:, None], 1.0, (n, d))).rename(columns=str)
    if two_values:
        X = X.gt(0).astype("category")
    order, labelings = rng.permutation(np.flatnonzero(y)), np.tile(y, (LABELINGS, 1))
    for labeling, labels in enumerate(labelings):
        labels[order[: labeling % FRACTIONS * len(order) // FRACTIONS]] = 0
        order = order if labeling % FRACTIONS < FRACTIONS - 1 else rng.permutation(order)
    return (
        X,
        labelings,
        [None] * 2 * FRACTIONS + ["1"] * FRACTIONS,
        stratified_folds(y, n_folds=FOLDS, random_state=0),
    )


def permutation(options, name, peer, parts):
    """Row of all five classifiers: what each takes is measured on a part and scaled up."""
    X, labelings, removed, folds = problem(name)
    score = partial(out_of_sample_scores, folds=folds, random_state=0)
    ours = {
        model: partial(score, MixedTable(X), labelings, removed=removed, model=model)
        for model in ("c45", "naive_bayes", "nearest_neighbors")
    }
    ours["mlp"] = partial(
        score, MixedTable(X), labelings, removed=removed, model="mlp", epochs=EPOCHS // PART
    )
    ours["svm"] = lambda: score(
        MixedTable(X), labelings, removed=removed, model="svm"
    )  # a new table keeps nothing
    seconds = cpu_medians(
        {f"ours {model}": call for model, call in ours.items()}
        | {f"peer {model}": call for model, call in parts.items()},
        repeats=options.repeats,
    )
    own = {model: seconds[f"ours {model}"] * (PART if model == "mlp" else 1) for model in ours}
    peers = {model: seconds[f"peer {model}"] * LABELINGS * FOLDS for model in parts}
    n, d, _ = SHAPES[name]
    detail = ", ".join(f"{model} {peers[model]:.3g} : {own[model]:.3g}" for model in parts)
    return Row(
        area="Rider's study",
        case=f"one permutation, {LABELINGS} labelings x {FOLDS} folds, five classifiers, {name}'s shape, {n:,} x {d}",
        ours="pumetrics",
        peer=peer,
        ours_seconds=sum(own.values()),
        peer_seconds=sum(peers.values()),
        value=sum(peers.values()) / sum(own.values()),
        note=f"peer timed on 1 labeling and 1 fold, scaled up; seconds of each, peer : ours: {detail}",
    )


def part_of_scikit_learn(X, y, folds):
    """One fit of what a user would pick for each classifier."""
    x, _ = MixedTable(X).indicators()
    x = (x - x.min(axis=0)) / np.ptp(x, axis=0)
    models = peers((x.shape[1] + 2) // 2, EPOCHS)
    return {name: partial(fit_one, model, x, y, folds != 0) for name, model in models.items()}


def peers(hidden, epochs):
    """What a user would pick for each classifier; the perceptron takes a step per 32 rows, and never stops early."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    return {
        "c45": DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0),
        "naive_bayes": GaussianNB(),
        "nearest_neighbors": KNeighborsClassifier(5),
        "mlp": MLPClassifier(
            (hidden,),
            activation="logistic",
            solver="sgd",
            alpha=0,
            batch_size=32,
            learning_rate_init=0.3,
            momentum=0.2,
            nesterovs_momentum=False,
            max_iter=epochs,
            tol=0,
            n_iter_no_change=epochs + 1,
            random_state=0,
        ),
        "svm": SVC(kernel="linear"),
    }


def fit_one(model, x, y, train):
    """Fit to the rows of all folds but one, and score that one."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # equal epochs are wanted, not convergence
        model.fit(x[train], y[train])
    return (
        model.decision_function if hasattr(model, "decision_function") else model.predict_proba
    )(x[~train])


def part_of_weka(X, labels, folds):
    """One labeling and one fold in WEKA: two folds, of which one is a tenth of the rows."""
    from benchmarks.weka_bridge import weka_scores

    one = np.where(folds == 0, 0, 1)
    return {
        name: partial(
            weka_scores,
            X,
            labels[0],
            one,
            model="svm_class" if name == "svm" else name,
            random_state=0,
        )
        for name in ("c45", "naive_bayes", "nearest_neighbors", "mlp", "svm")
    }


def limits(options):
    """Shares of the multiply-adds and of the loads from the first cache that a core is measured to do."""
    from benchmarks._limits import loads, multiply_adds

    n, d, _ = SHAPES["krkp"]
    rng = np.random.default_rng(0)
    x, inputs, hidden = (
        rng.choice([-1.0, 1.0], (n * 9 // 10, d + 1)).astype(np.float32),
        d + 1,
        (d + 2) // 2,
    )
    x[:, -1] = 1
    from pumetrics_workflow.models.lockstep_mlp import initial_network, train

    network = initial_network(np.ones((inputs, 32), bool), 0.05, rng)
    targets, epochs = rng.integers(0, 2, (len(x), 32)).astype(np.float32), 10
    count = 20_000_000
    seconds = cpu_medians(
        {
            "train": partial(train, network, x, targets, epochs, 0.3, 0.2),
            "multiply-adds": partial(multiply_adds, count),
            "loads": partial(loads, count),
        },
        repeats=options.repeats,
    )
    vectors = epochs * len(x) * inputs * hidden * 2  # of 16 lanes, for 32 labelings
    for what, per_weight, note in (
        (
            "multiply-adds",
            2.0,
            "counted: a weight's step and its part of the net input, not errors and sigmoids",
        ),
        (
            "loads",
            2 + 1 / 8,
            "counted: two inputs per weight and row, the weight itself once in eight rows",
        ),
    ):
        yield Row(
            area="Rider's study",
            case=f"share of the machine's {what}, perceptron, 32 labelings, krkp's shape",
            ours="lockstep",
            ours_seconds=seconds["train"],
            value=100 * per_weight * vectors / seconds["train"] * seconds[what] / count,
            unit="%",
            note=note,
        )
