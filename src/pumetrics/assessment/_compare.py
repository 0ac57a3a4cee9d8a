"""Which of two models is truly better, how certain that is, and whether the order depends on alpha."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction, check_same_length
from pumetrics.assessment._asked import metrics_for
from pumetrics.assessment._assess import given_alpha, positive_and_unlabeled
from pumetrics.assessment._corrections import LEAST
from pumetrics.assessment._design import design_facts, view_of
from pumetrics.assessment._doubts import LEVEL, far_apart, no_room, of_the_sample
from pumetrics.inference import Difference, corrected_differences
from pumetrics.inference.designs import design_of, scores_of_sample
from pumetrics.metrics import find_metric
from pumetrics.priors.from_counts import priors_from_counts
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.tops import check_population

__all__ = ["Comparison", "Order", "compare_scores"]

_STEPS = 41
_EQUAL = 1e-9  # scores this close are a tie
_SHORT_OF_BETA = 0.99


class Order(NamedTuple):
    """Which model is ahead as alpha goes from 0 to the largest value that the scores allow."""

    first_ahead: float
    """Share of the alphas tried at which the first model scores higher."""
    second_ahead: float
    """Share of the alphas tried at which the second model scores higher; at the rest they are equal."""
    changes: tuple[float, ...]
    """Alphas at which the lead passes to the other model, empty if it never does."""


@dataclass(frozen=True)
class Comparison:
    """Two models' true performance on the same examples.

    Attributes
    ----------
    n_labeled, n_unlabeled : int
    alpha, beta : float
        The priors both were corrected with.
    source : str
        Where alpha comes from.
    uncertainty : str
        What intervals hold, see :class:`pumetrics.assessment.Assessment`.
    confidence : float
    threshold : float or None
    differences : dict of str to Difference
        By metric.
    orders : dict of str to Order
        By metric.
    alpha_interval, beta_interval : tuple of (float, float) or None
        Ranges, given or from the resamples.
    most_alpha : float
        Up to where alpha was varied for the orders.
    warnings : tuple of str
    design : dict or None
        Weights, clusters and folds, see :class:`pumetrics.assessment.Assessment`.
    """

    n_labeled: int
    n_unlabeled: int
    alpha: float
    beta: float
    source: str
    uncertainty: str
    confidence: float
    threshold: float | None
    population: str
    differences: dict[str, Difference]
    orders: dict[str, Order]
    alpha_interval: tuple[float, float] | None
    beta_interval: tuple[float, float] | None
    most_alpha: float
    warnings: tuple[str, ...]
    design: dict | None = None

    def as_dict(self):
        """Return all of it as numbers, strings, lists and dicts."""
        fields = {name: value for name, value in vars(self).items() if name not in ("differences", "orders")}
        fields["metrics"] = {
            name: {
                **{part: getattr(difference, part)._asdict() for part in ("first", "second", "difference")},
                "probability_first_better": difference.probability,
                "order": self.orders[name]._asdict(),
            }
            for name, difference in self.differences.items()
        }
        return fields


def compare_scores(
    s,
    first_score,
    second_score,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    method="consensus",
    noisy=False,
    metrics=None,
    at=(),
    population="all",
    uncertainty=None,
    threshold=None,
    confidence=0.95,
    n_bootstrap=200,
    random_state=0,
    sample_weight=None,
    cluster=None,
    fold=None,
):
    """Compare two models by their scores of the same labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled. Labeled negatives (-1) are left out, which a warning says.
    first_score, second_score : array-like of shape (n_samples,)
        Out-of-sample scores of both models, higher is more positive.
    alpha, beta, rho, method, noisy, metrics, at, population, uncertainty, threshold, confidence, n_bootstrap
    random_state
        See :func:`pumetrics.assessment.assess`; at least one resample is needed. There is one population, so both
        models are corrected with the same alpha: where it is not given, with that of the scores that separate labeled
        from unlabeled examples best.
    sample_weight, cluster, fold : array-like of shape (n_samples,), optional
        See :func:`pumetrics.assessment.assess`; both models are scored in the same folds.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        As :func:`pumetrics.assessment.assess`.

    Notes
    -----
    AUC, balanced accuracy and Matthews correlation are corrected by factors that are the same for both models, so
    alpha can change their order only where curves are clipped or repaired. Precision-recall, F1 and accuracy
    depend on alpha in other ways.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [500, 700])
    >>> s, first = np.repeat([1, 0], [200, 1000]), rng.normal(2.0 * y)
    >>> second = first + rng.normal(size=1200)
    >>> comparison = compare_scores(s, first, second, alpha=0.3, metrics=["roc_auc"], n_bootstrap=50)
    >>> comparison.differences["roc_auc"].probability, comparison.orders["roc_auc"].changes
    (1.0, ())
    """
    check_same_length(s=s, first_score=first_score, second_score=second_score)
    check_fraction(confidence, "confidence", inclusive=False)
    design = design_of(s, sample_weight=sample_weight, cluster=cluster, fold=fold)
    observed, first, notes = positive_and_unlabeled(s, first_score)
    _, second, _ = positive_and_unlabeled(s, second_score)
    views = [view_of(observed, scores, design) for scores in (first, second)]
    counts = [view.counts for view in views]
    n_rows = tuple(int(np.count_nonzero(observed == value)) for value in (1, 0)) if design else views[0].sizes
    alpha, source = given_alpha(alpha, beta, rho, method, noisy, *views[0].sizes)
    metrics = metrics_for(metrics, threshold=threshold, at=at)
    priors = {"alpha": alpha, "beta": beta, "method": method, "noisy": noisy, "uncertainty": uncertainty}
    where = {"threshold": threshold, "population": check_population(population)}
    options = where | {"n_bootstrap": n_bootstrap, "random_state": random_state}
    options |= design.options() if design else {}
    differences = corrected_differences(metrics, observed, first, second, confidence=confidence, **priors, **options)
    used = next(iter(differences.values())).first
    most = used.beta * min(*(largest_alpha(each, confidence=1 - LEVEL) for each in counts), _SHORT_OF_BETA)
    notes += views[0].notes + _sample_doubts(counts)
    if alpha is None:
        teller = int(np.argmax([np.trapezoid(each.tpr_pu, each.fpr_pu) for each in counts]))
        source += f" from the {('first', 'second')[teller]} model's scores, which separate labeled from unlabeled best"
        notes += _prior_doubts(counts, beta, method, noisy)
    elif used.beta == 1:
        notes += tuple(dict.fromkeys(doubt for each in counts for doubt in no_room(each, used.alpha)))[:1]
    if n_bootstrap < LEAST:
        notes += (f"{n_bootstrap} resamples give no interval worth the name: 200 are usual",)
    ranges = [None if low == high else (low, high) for low, high in (used.alpha_interval, used.beta_interval)]
    return Comparison(
        n_labeled=n_rows[0],
        n_unlabeled=n_rows[1],
        alpha=used.alpha,
        beta=used.beta,
        source=source,
        uncertainty=used.uncertainty,
        confidence=confidence,
        threshold=threshold,
        population=population,
        differences=differences,
        orders=_orders(metrics, [view.sample for view in views], max(most, used.alpha), used.beta, **where),
        alpha_interval=ranges[0],
        beta_interval=ranges[1],
        most_alpha=max(most, used.alpha),
        warnings=notes,
        design=design_facts(observed, design),
    )


def _sample_doubts(counts):
    """What speaks against either sample of scores, and whose it is unless it is said of both."""
    first, second = (list(of_the_sample(each)) for each in counts)
    return (
        *(doubt for doubt in first if doubt in second),
        *(f"first model: {doubt}" for doubt in first if doubt not in second),
        *(f"second model: {doubt}" for doubt in second if doubt not in first),
    )


def _prior_doubts(counts, beta, method, noisy):
    """Whether both models' scores say the same of alpha."""
    options = {"beta": beta, "method": method, "noisy": noisy}
    first, second = (priors_from_counts(each, rng=np.random.default_rng(0), **options)[0] for each in counts)
    if not far_apart(first, second):
        return ()
    return (f"priors disagree: alpha is {first:.3g} by the first model's scores and {second:.3g} by the second's",)


def _orders(metrics, samples, most, beta, **where):
    """Who is ahead at every alpha, by metric."""
    alphas = np.linspace(0, most, _STEPS)
    scores = [
        [scores_of_sample(metrics, each, alpha=alpha, beta=beta, **where) for alpha in alphas] for each in samples
    ]
    low, high = np.transpose([find_metric(name).range for name in metrics])
    first, second = np.clip(scores, low, high)
    return {name: _order(alphas, first[:, i] - second[:, i]) for i, name in enumerate(metrics)}


def _order(alphas, lead):
    """Order of two models from the lead of the first at every alpha; ties change nothing."""
    ahead, behind = lead > _EQUAL, lead < -_EQUAL
    decided = np.flatnonzero(ahead | behind)
    turns = [(i, j) for i, j in pairwise(decided) if ahead[i] != ahead[j]]
    changes = [alphas[i] + (alphas[j] - alphas[i]) * lead[i] / (lead[i] - lead[j]) for i, j in turns]
    return Order(float(ahead.mean()), float(behind.mean()), tuple(float(alpha) for alpha in changes))
