"""Coverage of the bootstrap's intervals: recall exactly, the others by simulation, as a table in docs/simulated.

Scores are Gaussian with standard deviation 1, positives at `distance`; alpha is 0.2 and given, and there are ten
unlabeled examples for each labeled one. Run it from the root of a clone: `python docs/interval_coverage.py 60`.
"""

import sys

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from pumetrics.counts import Counts
from pumetrics.inference import corrected_intervals
from pumetrics.inference.drawn import binomial_draws, percentiles
from pumetrics.metrics import find_metric, rates_at

ALPHA = 0.2
PER_LABELED = 10
RESAMPLES = 200
METRICS = (
    "precision",
    "f1",
    "accuracy",
    "precision_at_10",
    "recall_at_10%",
    "max_f1",
    "roc_auc",
    "average_precision",
)


def recall(n_labeled, tprs):
    """Exact coverage of the 95% interval of recall, over all numbers of labeled examples that are flagged."""
    found = np.arange(n_labeled + 1)
    levels = (np.arange(RESAMPLES) + 0.5) / RESAMPLES
    ends = [percentiles(binomial_draws(k, n_labeled, levels), 0.95, even=True) for k in found]
    low, high = np.transpose(ends)
    return [
        float(binom.pmf(found, n_labeled, tpr)[(low <= tpr) & (tpr <= high)].sum()) for tpr in tprs
    ]


def population(distance, c):
    """Counts of the whole population at a fine grid of thresholds."""
    grid = np.append(np.inf, np.linspace(distance + 8, -8, 20_001))
    labeled = norm.sf(grid - distance)
    unlabeled = ALPHA * labeled + (1 - ALPHA) * norm.sf(grid)
    labeled[-1] = unlabeled[-1] = 1.0
    return Counts(grid, c * labeled, (1 - c) * unlabeled)


def truths(distance, n_labeled, threshold):
    """True value of every metric in the population."""
    n = n_labeled * (1 + PER_LABELED)
    counts = population(distance, 1 / (1 + PER_LABELED))
    options = {"alpha": ALPHA, "beta": 1.0, "population": "all"}
    found = {}
    for name in METRICS:
        entry = find_metric(name.replace("_at_10%", "_at_k").replace("_at_10", "_at_k"))
        if entry.kind == "area":
            found[name] = entry.formula(counts, **options)
            continue
        share = {"precision_at_10": 10 / n, "recall_at_10%": 0.1}.get(name)
        place = slice(None) if entry.kind == "maximum" else int(counts.at(threshold))
        if share is not None:
            place = float(np.searchsorted(counts.predicted, share))
        found[name] = float(np.max(entry.formula(rates_at(counts, at=place, **options))))
    return found


def simulated(distance, n_labeled, samples):
    """Coverage and mean width of 95% intervals by metric."""
    threshold = distance / 2
    true = truths(distance, n_labeled, threshold)
    held = dict.fromkeys(METRICS, 0)
    widths = dict.fromkeys(METRICS, 0.0)
    for seed in range(samples):
        rng = np.random.default_rng((seed, n_labeled))
        hidden = rng.binomial(PER_LABELED * n_labeled, ALPHA)
        y = np.repeat([1, 1, 0], [n_labeled, hidden, PER_LABELED * n_labeled - hidden])
        s = np.repeat([1, 0], [n_labeled, PER_LABELED * n_labeled])
        intervals = corrected_intervals(
            list(METRICS),
            s,
            rng.normal(distance * y),
            alpha=ALPHA,
            threshold=threshold,
            population="all",
            n_bootstrap=RESAMPLES,
            random_state=seed,
        )
        for name, each in intervals.items():
            held[name] += each.lower - 1e-9 <= true[name] <= each.upper + 1e-9
            widths[name] += each.upper - each.lower
    return {name: (held[name] / samples, widths[name] / samples) for name in METRICS}


if __name__ == "__main__":
    samples = int(sys.argv[1])
    for n_labeled in (20, 50, 100, 500):
        print(
            n_labeled,
            "labeled: coverage of recall",
            min(recall(n_labeled, np.linspace(0.5, 0.999, 500))),
        )
    rows = []
    for distance in ("0.3", "1.5", "3", "6"):
        for n_labeled in (20, 50, 100, 300):
            found = simulated(float(distance), n_labeled, samples)
            cells = {name: f"{held:.2f} ({width:.2f})" for name, (held, width) in found.items()}
            rows.append({"distance": distance, "labeled": n_labeled, **cells})
    pd.DataFrame(rows).to_csv("docs/simulated/interval_coverage.csv", index=False)
