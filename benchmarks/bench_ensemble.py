"""100 bagged RPROP networks against scikit-learn's bagging of perceptrons and against torch, one network at a time."""

import importlib
import time
import warnings
from dataclasses import replace
from statistics import median

import numpy as np

from benchmarks.harness import Point, Row, cpu_medians, peak_memory, sgemm_peak
from pumetrics_workflow.models.ensemble import BaggedMLPClassifier
from pumetrics_workflow.models.rprop import (
    Problem,
    Settings,
    draw_ensemble,
    initial_steps,
    out_of_bag_scores,
    row_blocks,
)

AREA = "trainer"
SHAPES = {"small": (1100, 8), "big": (11000, 54), "wide": (5500, 178)}
NETWORKS, HIDDEN, EPOCHS = 100, 7, 12
NEVER = 10**9
ENGINES = ("numba", "numpy")
BARS_SKLEARN = {
    "numba": {"big": 45, "small": 150, "wide": 20},
    "numpy": {"big": 20, "small": 60, "wide": 12},
}
BARS_TORCH = {
    "numba": {"big": 6, "small": 40, "wide": 4},
    "numpy": {"big": 2.5, "small": 15, "wide": 2.5},
}
BARS_EQUAL_LOSS = {"big": 2.5, "small": 10, "wide": 2.5}
# Share of the sgemm peak in percent: (the two products alone, the whole epoch), by number of features.
BARS_PEAK = {54: (70, 38), 178: (75, 50), 561: (75, 50)}


def rows(options):
    """All comparisons of the trainer."""
    torch = _has_torch(options)
    for shape in SHAPES:
        yield from against_sklearn(shape, options)
    if torch:
        for shape in SHAPES:
            yield from equal_epochs(shape, options)
            yield from equal_loss(shape, options)
    yield from shares_of_peak(options)
    yield from memory()


def against_sklearn(shape, options):
    """Both engines against scikit-learn, through the estimators' own `fit`."""
    X, s, _ = mixture(*SHAPES[shape])
    candidates = {engine: lambda engine=engine: fit_ours(X, s, engine) for engine in ENGINES}
    candidates["sklearn"] = lambda: fit_sklearn(X, s)
    seconds = cpu_medians(candidates, repeats=options.repeats, warm_up=shape == "small")
    for engine in ENGINES:
        yield Row(
            AREA,
            f"{_title(shape)}, {EPOCHS} epochs, {engine}",
            "BaggedMLPClassifier",
            peer="scikit-learn BaggingClassifier(MLPClassifier)",
            ours_seconds=seconds[engine],
            peer_seconds=seconds["sklearn"],
            value=seconds["sklearn"] / seconds[engine],
            bar=BARS_SKLEARN[engine][shape],
            note="both hold out 25% per network and score out of bag; the peer runs adam in batches of 200",
        )


def equal_epochs(shape, options):
    """Both engines against torch on the same draws for the same number of epochs."""
    problem, _ = problem_of(shape)
    settings = _settings(problem, EPOCHS, NEVER)
    seconds = cpu_medians(_candidates(problem, settings), repeats=options.repeats)
    for engine in ENGINES:
        yield _against_torch(
            f"{_title(shape)}, {EPOCHS} epochs, {engine}",
            engine,
            seconds,
            BARS_TORCH[engine][shape],
        )


def equal_loss(shape, options):
    """The same until patience ends: the loss reached and the ranking must agree."""
    from sklearn.metrics import roc_auc_score

    problem, y = problem_of(shape)
    settings = _settings(problem, 5000, 25)
    candidates = _candidates(problem, settings)
    reached = {name: candidate() for name, candidate in candidates.items()}
    losses = {name: trained.loss.mean() for name, (trained, _) in reached.items()}
    aucs = {name: roc_auc_score(y, scores) for name, (_, scores) in reached.items()}
    seconds = cpu_medians(candidates, repeats=options.repeats, warm_up=False)
    for engine in ENGINES:
        note = (
            f"mean validation log-loss {losses[engine]:.5f} and {losses['torch']:.5f}, "
            f"out-of-bag AUC {aucs[engine]:.4f} and {aucs['torch']:.4f}"
        )
        agree = (
            losses[engine] <= losses["torch"] + 5e-4 and abs(aucs[engine] - aucs["torch"]) <= 0.005
        )
        row = _against_torch(
            f"{_title(shape)}, patience 25, {engine}", engine, seconds, BARS_EQUAL_LOSS[shape]
        )
        yield (
            replace(row, note=note)
            if agree
            else replace(row, value=np.nan, note=f"not the same result: {note}")
        )


def shares_of_peak(options):
    """Share of the sgemm peak of the numpy engine: its two products alone, and a whole epoch."""
    for n_rows, n_features in [SHAPES["big"], SHAPES["wide"], (11000, 561)]:
        problem = make_problem(*mixture(n_rows, n_features)[:2])
        flop = 4 * n_rows * (n_features + 1) * NETWORKS * HIDDEN
        # The peak is measured in the same minute as what is held against it.
        timed = [
            (sgemm_peak(repeats=3), products_alone(problem), one_epoch(problem))
            for _ in range(options.repeats)
        ]
        peak, products, epoch = zip(*timed, strict=True)
        options.log(f"sgemm peak {median(peak) / 1e9:.0f} GFLOP/s")
        for what, seconds, bar in zip(
            ("the two products", "whole epoch"),
            (products, epoch),
            BARS_PEAK[n_features],
            strict=True,
        ):
            share = 100 * flop / median(p * t for p, t in zip(peak, seconds, strict=True))
            yield Row(
                AREA,
                f"{n_rows:,} x {n_features}, {what}",
                "numpy engine",
                ours_seconds=median(seconds),
                value=share,
                unit="%",
                bar=bar,
                note=f"sgemm of 2048 x 2048: {median(peak) / 1e9:.0f} GFLOP/s",
            )


def products_alone(problem):
    """CPU seconds of one epoch's matrix products, block by block."""
    blocks = [problem.X[block] for block in row_blocks(len(problem.X))]
    transposed = [np.ascontiguousarray(block.T) for block in blocks]
    weights = problem.draws.hidden.reshape(-1, problem.X.shape[1])
    units = np.empty(len(weights) * max(map(len, blocks)), dtype=np.float32)
    gradient = np.empty_like(weights)
    views = [units[: len(weights) * len(block)].reshape(len(weights), -1) for block in blocks]
    times = []
    for _ in range(4):
        start = time.process_time()
        for block, columns, view in zip(blocks, transposed, views, strict=True):
            np.matmul(weights, columns, out=view)
            np.matmul(view, block, out=gradient)
        times.append(time.process_time() - start)
    return median(times[1:])


def one_epoch(problem):
    """CPU seconds of an epoch of the numpy engine: the difference of a longer and a shorter training."""
    train, (short, long) = (
        _train("numpy"),
        (_settings(problem, epochs, NEVER) for epochs in (2, 12)),
    )
    seconds = cpu_medians(
        {"short": lambda: train(problem, short), "long": lambda: train(problem, long)}, repeats=1
    )
    return (seconds["long"] - seconds["short"]) / 10


def memory():
    """Peak memory of training on 11,000 rows above the data and the weights of the bags."""
    problem, _ = problem_of("big")
    settings = _settings(problem, 3, NEVER)
    bag_weights = (
        2 * 4 * problem.draws.counts.size / 1e6
    )  # two single-precision weights per row and network
    for engine in ENGINES:
        used = peak_memory(lambda engine=engine: _train(engine)(problem, settings))
        above = used - (bag_weights if engine == "numpy" else 0)
        yield Row(
            AREA,
            f"{_title('big')}, memory above data and bag weights",
            f"{engine} engine",
            value=above,
            unit="MB",
            bar=32,
            at_most=True,
            note=f"bag weights: {bag_weights:.1f} MB"
            if engine == "numpy"
            else "works on one network's rows at a time",
        )


def curves(options):
    """How cost grows with rows, features, networks and repeats."""
    torch = _has_torch(options)
    n, d = 2200, 20
    panels = {
        "rows": (
            "rows (20 features)",
            (550, 1100, 2200, 5500, 11000, 33000),
            lambda x: (x, d, 100, 1),
        ),
        "features": ("features (2,200 rows)", (5, 10, 20, 54, 178, 561), lambda x: (n, x, 100, 1)),
        "networks": (
            "networks (2,200 rows, 20 features)",
            (10, 30, 100, 300),
            lambda x: (n, d, x, 1),
        ),
        "repeats": ("repeats (1,100 rows, 8 features)", (1, 2, 5, 10), lambda x: (1100, 8, 100, x)),
    }
    for panel, (label, xs, shape) in panels.items():
        for x in xs:
            n_rows, n_features, networks, repeats = shape(x)
            candidates = _curve_candidates(n_rows, n_features, networks, repeats, torch)
            seconds = cpu_medians(
                candidates,
                repeats=3 if n_rows * n_features * networks * repeats < 2e6 else 1,
                warm_up=x == xs[0],
            )
            options.log(
                f"{panel} {x}: "
                + ", ".join(f"{name} {value:.3g} s" for name, value in seconds.items())
            )
            yield from (
                Point(f"trainer, 12 epochs: {panel}", label, x, name, value)
                for name, value in seconds.items()
            )


def _curve_candidates(n_rows, n_features, networks, repeats, torch):
    X, s, _ = mixture(n_rows, n_features)
    problem = make_problem(X, s, networks)
    settings = _settings(problem, EPOCHS, NEVER)

    def again(function):
        return lambda: [function() for _ in range(repeats)]

    candidates = {
        f"ours, {engine}": again(lambda e=engine: fit_ours(X, s, e, networks)) for engine in ENGINES
    }
    if torch:
        candidates["torch, one by one"] = again(lambda: _torch_train(problem, settings))
    if n_rows * n_features * networks * repeats < 2.5e7:
        candidates["scikit-learn"] = again(lambda: fit_sklearn(X, s, networks))
    return candidates


def fit_ours(X, s, engine, networks=NETWORKS):
    """Our ensemble for a fixed number of epochs, out-of-bag scores included."""
    model = BaggedMLPClassifier(
        networks, HIDDEN, max_epochs=EPOCHS, patience=NEVER, engine=engine, random_state=0
    )
    return model.fit(X, s).oob_decision_function_


def fit_sklearn(X, s, networks=NETWORKS):
    """Scikit-learn's ensemble for the same number of epochs; its early stopping watches accuracy, so it is disarmed."""
    from sklearn.ensemble import BaggingClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    network = MLPClassifier(
        (HIDDEN,),
        activation="tanh",
        max_iter=EPOCHS,
        early_stopping=True,
        validation_fraction=0.25,
        n_iter_no_change=NEVER,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # twelve epochs are meant
        for kind in (
            UserWarning,
            RuntimeWarning,
        ):  # with few networks some rows are never out of bag
            warnings.simplefilter("ignore", kind)
        model = BaggingClassifier(network, n_estimators=networks, oob_score=True, random_state=0)
        return model.fit((X - X.mean(axis=0)) / X.std(axis=0), s).oob_decision_function_


def mixture(n_rows, n_features, *, alpha=0.3, beta=0.9, seed=0):
    """Noisy positive-unlabeled data, one labeled to ten unlabeled, three normals per class: features, labels, truth."""
    rng = np.random.default_rng([seed, n_rows, n_features])
    n_labeled = n_rows // 11
    s = (np.arange(n_rows) < n_labeled).astype(int)
    y = (rng.random(n_rows) < np.where(s == 1, beta, alpha)).astype(int)
    centers = rng.standard_normal((2, 3, n_features)) * 0.8 * np.sqrt(8 / n_features)
    return (
        rng.standard_normal((n_rows, n_features)) + centers[y, rng.integers(3, size=n_rows)],
        s,
        y,
    )


def make_problem(X, s, networks=NETWORKS):
    """What the engines are handed, standardized as the estimator does."""
    inputs = np.ones((X.shape[0], X.shape[1] + 1), dtype=np.float32)
    inputs[:, :-1] = (X - X.mean(axis=0)) / X.std(axis=0)
    draws = draw_ensemble(
        np.random.default_rng(0),
        n_rows=X.shape[0],
        n_features=X.shape[1],
        n_networks=networks,
        hidden_units=HIDDEN,
        validation_fraction=0.25,
    )
    return Problem(inputs, np.where(s == 1, 1, -1).astype(np.float32), draws)


def problem_of(shape):
    """Problem and true classes of a named shape."""
    X, s, y = mixture(*SHAPES[shape])
    return make_problem(X, s), y


def _candidates(problem, settings):
    """Training and out-of-bag scoring of the same draws by both engines and by torch."""

    def ours(engine):
        trained = _train(engine)(problem, settings)
        return trained, out_of_bag_scores(problem, trained)

    candidates = {engine: lambda engine=engine: ours(engine) for engine in ENGINES}
    return {**candidates, "torch": lambda: _torch_train(problem, settings)}


def _torch_train(problem, settings):
    from benchmarks.peer_torch_rprop import train_and_score

    return train_and_score(problem, settings)


def _train(engine):
    return importlib.import_module(
        "pumetrics_workflow.models.rprop" + "_numba" * (engine == "numba")
    ).train


def _settings(problem, max_epochs, patience):
    steps = initial_steps(n_features=problem.X.shape[1] - 1, hidden_units=HIDDEN)
    return Settings(max_epochs, patience, *steps)


def _against_torch(case, engine, seconds, bar):
    return Row(
        AREA,
        case,
        f"{engine} engine",
        peer="torch.optim.Rprop, one network at a time",
        ours_seconds=seconds[engine],
        peer_seconds=seconds["torch"],
        value=seconds["torch"] / seconds[engine],
        bar=bar,
        note="same bags and initial weights; out-of-bag scoring included on both sides",
    )


def _has_torch(options):
    if importlib.util.find_spec("torch") is None:
        options.log("torch is not installed (pip install -e .[bench]): its rows are left out")
        return False
    return True


def _title(shape):
    n_rows, n_features = SHAPES[shape]
    return f"{shape} {n_rows:,} x {n_features}"
