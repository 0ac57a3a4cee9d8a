"""The table behind calibrated intervals: samples with known priors from many data sets, and how often intervals hold.

The pool is what samples show of their priors. Coverage is that of intervals on data sets that were left out of their
calibration.
"""

import logging

import numpy as np
import pandas as pd

from pumetrics.counts import count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.metrics import MEASURES, measures_of
from pumetrics.priors.calibration import (
    LEAST_WIDTH,
    estimate_on_scale,
    near_quantiles,
    nearness,
    places_of,
    scale_of_share,
    summarize,
)
from pumetrics.priors.calibration import LEVELS as TABLE_LEVELS
from pumetrics.priors.interval import identifies
from pumetrics_workflow.datasets import encode
from pumetrics_workflow.seeding import rng_for, seed_for
from pumetrics_workflow.stages.evaluate_pool import interval_performance

__all__ = [
    "BETAS",
    "FAMILIES",
    "family_of",
    "fit_table",
    "measure_coverage",
    "measure_pool",
    "summarize_coverage",
    "true_scores",
]

ALPHAS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9)
LABELED = (50, 100, 200, 500, 1000, 2000)
UNLABELED = (500, 2000, 5000, 20_000)
BETAS = (0.75, 0.85, 0.95, 1.0)
"""Shares of positives among the labeled; 1 as well, for who estimates beta does not know that labels are clean."""
MODELS = ("logistic", "forest", "network")

FAMILIES = {
    "activity": ("activity_s1", "activity_s2", "hapt"),
    "breast_wisconsin": ("breast_cancer", "breast_w"),
    "covertype": ("covertype", "covertype_subset", "claesen_covertype_scores"),
    "credit": ("credit_a", "crx"),
    "digits": ("digits_even", "digits_high"),
    "gas": ("gas", "gas_subset"),
    "generated": (
        "artificial",
        "gaussians",
        "gaussians_mixed",
        "gaussians_rare",
        "threenorm",
        "twonorm",
    ),
    "heart": ("heart_c", "heart_h", "heart_v"),
    "iris": ("iris", "iris_bundled"),
    "splice": ("splice", "splice_1000"),
    "thyroid": ("thyroid", "hypo"),
    "vote": ("vote", "vote1"),
}
"""Data sets that tell much the same: of one source, or made by one recipe. Every other set is its own family."""

_LEAST_GAP = 0.1  # beta - alpha: below that every correction is a division by next to nothing
_CELLS = 400_000  # rows times columns a model is trained on, so that a sample takes seconds at most

METRICS = ("roc_auc", "average_precision", "max_f1", "max_mcc", "f1", "mcc", "precision", "recall")
_ABOUT = {
    "all": [name for name in METRICS if name != "average_precision"],
    "unlabeled": ["average_precision"],
}
KINDS = ("calibrated", "guaranteed", "sampling")
LEVELS = (0.8, 0.95)
_FOLDS = 10  # of whole families

MOST = {"calibrated": 8, "guaranteed": 8, "sampling": 2}
"""Samples of each family; the last estimates the priors again in every resample, which takes twenty times as long."""


def family_of(dataset):
    """Family of a data set."""
    return next((family for family, members in FAMILIES.items() if dataset in members), dataset)


def measure_pool(
    frame,
    dataset,
    *,
    seed,
    repeats,
    models=MODELS,
    noisy=False,
):
    """Draw samples with known priors from one data set, score them, and note what the scores show of these.

    Sizes, alpha and, with label noise, beta are drawn at random among those the set is large enough for. The labeled
    examples are a random sample of the positives and, for the share 1 - beta, of the negatives.

    Parameters
    ----------
    frame : pandas.DataFrame
        Features and ``y``; a set with one feature is taken to hold scores.
    dataset : str
        Name of the set.
    seed : int
        Root of all random numbers.
    repeats : sequence of int
        One sample each, the models in turn.
    models : sequence of str
        Out of "logistic" (cross-validated), "forest" and "network" (both out of bag).
    noisy : bool
        Whether labels may be wrong; such samples are others, as their seeds name the noise.

    Returns
    -------
    samples : pandas.DataFrame
        One row per sample: ``family``, ``dataset``, ``repeat``, ``model``, the true ``alpha`` and, if `noisy`,
        ``beta``, and :func:`pumetrics.priors.calibration.summarize`.
    scores : pandas.DataFrame
        One row per example: ``dataset``, ``repeat``, ``s``, ``y``, ``score``.
    """
    samples = []
    scores = []
    X = encode(frame)
    y = frame["y"].to_numpy()
    for repeat in repeats:
        kind = ("calibration", "noise") if noisy else ("calibration",)
        names = (seed, *kind, dataset, repeat)
        drawn = _draw(y, X.shape[1], rng_for(*names), noisy=noisy)
        if drawn is None:
            logging.info("%s, repeat %d: too small", dataset, repeat)
            continue
        rows, s = drawn
        model = "given" if X.shape[1] == 1 else models[repeat % len(models)]
        score = _out_of_sample_scores(model, X[rows], s, seed_for(*names, model))
        stored = score.astype(np.float32)
        score = stored.astype(np.float64)
        counts = count_scores(s, score)
        if len(counts.thresholds) < 3:
            continue
        known = {
            "family": family_of(dataset),
            "dataset": dataset,
            "repeat": repeat,
            "model": model,
        }
        shares = {"alpha": float(y[rows][s == 0].mean()), "beta": float(y[rows][s == 1].mean())}
        known |= shares if noisy else {"alpha": shares["alpha"]}
        samples.append(known | summarize(counts, (score[s == 1], score[s == 0]), noisy=noisy))
        examples = {
            "dataset": dataset,
            "repeat": repeat,
            "s": s,
            "y": y[rows],
            "score": stored,
        }
        scores.append(pd.DataFrame(examples))
    return pd.DataFrame(samples), pd.concat(scores, ignore_index=True) if scores else pd.DataFrame()


def _draw(y, n_columns, rng, *, noisy):
    """Rows and labels of one sample, or None where the set is too small for any."""
    positives = rng.permutation(np.flatnonzero(y == 1))
    negatives = rng.permutation(np.flatnonzero(y == 0))
    beta = rng.choice(BETAS) if noisy else 1.0
    enough = max(LABELED[0], min(len(positives) / beta, len(negatives) / max(1 - beta, 1e-9)) // 2)
    labeled = rng.choice([n for n in LABELED if n <= enough])
    wrong = round((1 - beta) * labeled)
    right = labeled - wrong
    most = min(rng.choice(UNLABELED), _CELLS // n_columns)
    for alpha in rng.permutation([each for each in ALPHAS if each <= beta - _LEAST_GAP + 1e-9]):
        hidden = min(
            len(positives) - right,
            int(alpha * most),
            int((len(negatives) - wrong) * alpha / (1 - alpha)),
        )
        size = int(hidden / alpha)
        if hidden >= 1 and size >= 100:
            others = size - hidden
            rows = np.concatenate([positives[: right + hidden], negatives[: wrong + others]])
            return rows, np.repeat([1, 0, 1, 0], [right, hidden, wrong, others]).astype(np.int8)
    return None


def _out_of_sample_scores(model, X, s, seed):
    """Scores of a model trained on observed labels, from fits that did not see the example; or the only column."""
    state = int(seed.generate_state(1)[0])
    if model == "given":
        return X[:, 0].astype(np.float64)
    if model == "logistic":
        return _logistic(X, s, state)
    if model == "forest":
        from sklearn.ensemble import RandomForestClassifier

        options = {
            "n_estimators": 100,
            "min_samples_leaf": 3,
            "oob_score": True,
            "random_state": state,
        }
        return RandomForestClassifier(**options).fit(X, s).oob_decision_function_[:, 1]
    from pumetrics_workflow.models.ensemble import BaggedMLPClassifier

    network = BaggedMLPClassifier(n_estimators=20, max_epochs=300, random_state=state).fit(X, s)
    return network.oob_decision_function_


def _logistic(X, s, state):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = StratifiedKFold(5, shuffle=True, random_state=state)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    return cross_val_predict(model, X, s, cv=folds, method="decision_function")


def fit_table(pool, *, noisy=False, levels=TABLE_LEVELS):
    """Fit a table to samples whose priors are known.

    Parameters
    ----------
    pool : pandas.DataFrame
        A row per sample: ``family``, the true ``alpha``, if `noisy` the true ``beta``, and the entries of
        :func:`pumetrics.priors.calibration.summarize`.
    noisy : bool
        Whether labels may be wrong.
    levels : sequence of float
        Confidences.

    Returns
    -------
    dict
        Ready for JSON: ``version``, numbers of ``families`` and ``samples``, ``margins`` by level, None where there are
        too few families, the ``scales`` of the features, and the ``errors``, ``weights`` and ``places`` of the samples.
        If `noisy`, ``errors`` are those of "alpha" and of "noise" (1 - beta); the margins make both hold at once.

    References
    ----------
    Romano, Patterson & Candes (2019), "Conformalized quantile regression", for the margins; Dunn, Wasserman & Ramdas
    (2022), "Distribution-free prediction sets for two-layer hierarchical models", for the weights of families.
    """
    families = pool["family"].to_numpy()
    places = places_of(pool, noisy)
    truths = {"alpha": pool["alpha"]} | ({"noise": 1 - pool["beta"]} if noisy else {})
    errors = {}
    for side, truth in truths.items():
        error = scale_of_share(truth, side) - estimate_on_scale(pool, side, noisy)
        errors[side] = np.round(error, 4).tolist()
    n_families = len(set(families))
    table = {
        "version": 1,
        "families": n_families,
        "samples": len(pool),
        "scales": np.maximum(places.std(axis=1), 1e-9).tolist(),
        "places": places.round(4).tolist(),
        "errors": errors if noisy else errors["alpha"],
        "weights": (1 / pool.groupby("family")["family"].transform("size")).round(6).tolist(),
    }
    near = nearness(table, np.array(table["places"]), noisy)
    near *= families[:, None] != families  # a family says nothing of itself
    misses = [_misses(np.array(each), near, levels) for each in errors.values()]
    worst = {level: np.max([each[level] for each in misses], axis=0) for level in levels}
    weights = np.array(table["weights"])
    table["margins"] = {
        f"{level:g}": _least_margin(worst[level], weights, level, n_families) for level in levels
    }
    return table


def _misses(errors, near, levels):
    """By how many widths errors lie outside their intervals, by level; negative inside."""
    misses = {}
    for level, (low, high) in near_quantiles(errors, near, levels).items():
        width = np.maximum(high - low, LEAST_WIDTH)
        misses[level] = np.maximum(low - errors, errors - high) / width
    return misses


def _least_margin(misses, weights, level, n_families):
    """Weighted quantile of the misses, with one more family at infinity; None if it lies there."""
    order = np.argsort(misses, kind="stable")
    reached = np.cumsum(weights[order]) / (n_families + 1)
    place = np.searchsorted(reached, level - 1e-9)
    return None if place == len(misses) else float(misses[order][place])


def measure_coverage(
    samples,
    scores,
    *,
    most=None,
    n_bootstrap=100,
    kinds=KINDS,
    noisy=False,
):
    """Intervals of samples with known truth, by tables that were fitted without their families.

    Parameters
    ----------
    samples, scores : pandas.DataFrame
        From :func:`measure_pool`.
    most : int or dict of str to int, optional
        Samples of each family, the first by their repeat; by kind if they differ. By default :data:`MOST`.
    n_bootstrap : int
    kinds : sequence of str
        Kinds of uncertainty.
    noisy : bool
        Whether the samples have label noise, so that beta is unknown as well.

    Returns
    -------
    pandas.DataFrame
        One row per sample, kind, level and metric: ``truth``, ``lower``, ``upper``; alpha is a metric here too, and
        with noise beta.
    """
    most = MOST if most is None else most
    most = most if isinstance(most, dict) else dict.fromkeys(kinds, most)
    families = np.sort(samples["family"].unique())
    groups = dict(iter(scores.groupby(["dataset", "repeat"])))
    rows = []
    for fold in range(min(_FOLDS, len(families))):
        left_out = samples["family"].isin(families[fold::_FOLDS])
        table = fit_table(samples[~left_out], noisy=noisy)
        chosen = samples[left_out].sort_values(["family", "repeat", "dataset"])
        place = chosen.groupby("family").cumcount()
        for sample, number in zip(chosen.itertuples(), place, strict=True):
            wanted = [kind for kind in kinds if number < most[kind]]
            if not wanted:
                continue
            examples = groups[sample.dataset, sample.repeat]
            known = {"family": sample.family, "dataset": sample.dataset, "repeat": sample.repeat}
            known |= {
                "model": sample.model,
                "separation": sample.separation,
                "n_labeled": sample.n_labeled,
            }
            rows += [known | row for row in _rows(examples, table, wanted, n_bootstrap, noisy)]
    return pd.DataFrame(rows)


def true_scores(s, y_score, y, *, threshold):
    """True values of what intervals are about: areas, maxima over thresholds, measures at one, alpha and beta.

    Parameters
    ----------
    s, y_score, y : ndarray of shape (n,)
    threshold : float
        Predict positive for scores >= threshold.

    Returns
    -------
    dict of str to float
        Average precision is that at the share of positives among the unlabeled.
    """
    truth = count_scores(y, y_score)
    alpha = float(np.mean(y[s == 0]))
    positive = alpha * truth.tpr_pu[1:]
    negative = (1 - alpha) * truth.fpr_pu[1:]
    measures = measures_of(truth)
    here = measures_of(truth, at=int(truth.at(threshold)))
    return {
        "alpha": alpha,
        "beta": float(np.mean(y[s == 1])),
        "roc_auc": float(np.trapezoid(truth.tpr_pu, truth.fpr_pu)),
        "average_precision": float(
            np.sum(np.diff(truth.tpr_pu) * positive / (positive + negative))
        ),
        **{f"max_{name}": float(np.max(measures[name])) for name in MEASURES},
        **{name: float(value) for name, value in here.items()},
    }


def summarize_coverage(intervals):
    """Coverage, width and interval score by kind, level and metric; families weigh equally.

    Parameters
    ----------
    intervals : pandas.DataFrame
        From :func:`measure_coverage`.

    Returns
    -------
    pandas.DataFrame
        Columns ``kind``, ``level``, ``metric``, ``coverage``, ``worst_family`` (least coverage of a family),
        ``width``, ``interval_score`` (Winkler: width plus 2 / (1 - level) times the distance to a truth outside),
        ``identified`` (share of intervals that identify their number), ``families`` and ``samples``.
    """
    ends = {name: intervals[name] for name in ("lower", "upper", "truth")}
    table = intervals.assign(**interval_performance(**ends, confidence=intervals["level"]))
    table["identified"] = [
        identifies(*ends) for ends in zip(table["lower"], table["upper"], strict=True)
    ]
    keys = ["kind", "level", "metric"]
    by_family = table.groupby([*keys, "family"])[
        ["coverage", "width", "interval_score", "identified"]
    ].mean()
    summary = by_family.groupby(keys).mean()
    summary.insert(1, "worst_family", by_family["coverage"].groupby(keys).min())
    summary["families"] = by_family["coverage"].groupby(keys).size()
    summary["samples"] = table.groupby(keys).size()
    return summary.reset_index()


def _rows(examples, table, kinds, n_bootstrap, noisy):
    s, y, y_score = (examples[name].to_numpy() for name in ("s", "y", "score"))
    threshold = float(
        np.median(y_score[s == 1])
    )  # one that a user can choose: it finds half of the positives
    truth = true_scores(s, y_score.astype(np.float64), y, threshold=threshold)
    for kind in kinds:
        for level in LEVELS:
            options = {
                "uncertainty": kind,
                "confidence": level,
                "n_bootstrap": n_bootstrap,
                "random_state": 0,
            }
            options |= {"noisy": noisy, "threshold": threshold}
            try:
                intervals = {}
                for population, names in _ABOUT.items():
                    about = options | {"population": population, "calibration": table}
                    found = corrected_intervals(names, s, y_score, **about)
                    intervals |= found
            except ValueError:  # alpha cannot be estimated: only "sampling" depends on it
                continue
            ends = {name: (interval.lower, interval.upper) for name, interval in intervals.items()}
            ends["alpha"] = found.priors.alpha_interval
            if noisy:
                ends["beta"] = found.priors.beta_interval
            for name, (lower, upper) in ends.items():
                sides = {"truth": truth[name], "lower": lower, "upper": upper}
                yield {
                    "kind": kind,
                    "level": level,
                    "metric": name,
                    **sides,
                }
