"""One sample: how it is seen, its corrected scores with intervals and bounds, and the priors behind them."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_alphas, check_count
from pumetrics._weights import effective_size
from pumetrics.bounds import TABLE_METRICS, Band, tables_at, unlabeled_areas
from pumetrics.bounds.curve_bounds import at_cuts, pr_between, roc_between
from pumetrics.bounds.tables import Room, alphas_within, between, tables_of
from pumetrics.counts import Counts, count_ranks, count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.inference.designs import Parts
from pumetrics.inference.plan import LEAST, check_uncertainty, known_priors, plan_priors, scores_over
from pumetrics.inference.resampling import DesignDrawer
from pumetrics.inference.types import informative
from pumetrics.metrics import find_metric, measures_of_tables
from pumetrics.priors.from_counts import samples_of
from pumetrics.priors.interval import identifies
from pumetrics.tops import at_place

__all__ = [
    "LEAST", "Corrections", "band_for", "bounds_alpha", "corrections", "design_facts", "impossible", "no_bounds",
    "score_bounds", "view_of",
]  # fmt: skip

_WORTH = 0.9  # effective share of the rows from which on it is not worth a word
_FEW_CLUSTERS = 50


class View(NamedTuple):
    """A sample as counts for scores, and as whole counts for priors and warnings.

    Both are equal if all rows have the same weight.
    """

    sample: Counts | Parts
    """What scores are computed from."""
    counts: Counts
    """Whole counts of one ranking, of a sample of effective size: what priors and their doubts see."""
    sizes: tuple
    """Numbers of labeled and of unlabeled examples, or the sums of their weights."""
    s: np.ndarray | None
    """Labels behind `counts`, of a large weighted sample of evenly spaced examples only; None where every row counts
    alike."""
    y_score: np.ndarray | Counts
    """Scores behind `counts`, as `s`; or `counts` itself."""
    n_drawn: int
    """Number of labeled or of unlabeled examples, or of clusters with some, whichever is less: what resamples draw."""
    notes: tuple = ()
    """Lines on how many examples its rows are worth."""


def view_of(s, y_score, design):
    """How an assessment sees a sample.

    Parameters
    ----------
    s, y_score : ndarray of shape (n,)
        Checked labels, 1 and 0, and scores.
    design : Design or None

    Returns
    -------
    View
    """
    if design is None:
        counts = count_scores(s, y_score)
        sizes = (counts.n_labeled, counts.n_unlabeled)
        return View(counts, counts, sizes, None, counts, min(sizes))
    sample = DesignDrawer(s, [y_score], design).full[0]
    weights = np.ones(len(s)) if design.weights is None else design.weights
    sizes = tuple(float(weights[s == kind].sum()) for kind in (1, 0))
    labeled, unlabeled = samples_of(sample.pooled)
    labels = np.repeat(np.array([1, 0], np.int8), [len(labeled), len(unlabeled)])
    n_clusters = [] if design.clusters is None else [len(np.unique(design.clusters[s == kind])) for kind in (1, 0)]
    n_drawn = min(sample.pooled.n_labeled, sample.pooled.n_unlabeled, *n_clusters)
    scores, notes = np.concatenate([labeled, unlabeled]), tuple(_notes(s, design, sample.pooled, n_clusters))
    return View(sample, sample.pooled, sizes, labels, scores, n_drawn, notes)


def design_facts(design, counts):
    """The design in numbers, for JSON: None without one.

    Parameters
    ----------
    design : Design or None
    counts : Counts
        Those of the :class:`View` of the sample.

    Returns
    -------
    dict or None
        ``weighted``, numbers of ``clusters`` and ``folds`` or None, whether there are propensities, and the effective
        numbers of labeled and unlabeled examples.
    """
    if design is None:
        return None
    return {
        "weighted": design.weights is not None,
        "clusters": None if design.clusters is None else len(np.unique(design.clusters)),
        "folds": None if design.folds is None else len(np.unique(design.folds)),
        "propensity": design.propensity is not None,
        "effective_labeled": counts.n_labeled,
        "effective_unlabeled": counts.n_unlabeled,
    }


def no_bounds(design):
    """A line on why there are no bounds; none without a design."""
    if design is None:
        return ()
    reason = "rank the rows of different folds together" if design.counts_rows else "count independent rows"
    if design.propensity is not None:
        reason = "assume that the labeled rows are a random sample"
    return (f"there are no bounds: they {reason}",)


def impossible(s, design, alpha):
    """A warning if propensities would have some positives labeled more often than always, even with so high an alpha.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 and 0.
    design : Design or None
    alpha : float
        The largest that is held possible.

    Returns
    -------
    tuple of str
    """
    if design is None or design.propensity is None:
        return ()
    weights = np.ones(len(s)) if design.weights is None else design.weights
    labeled, unlabeled = (weights * (s == kind) for kind in (1, 0))
    rho = labeled.sum() / (labeled.sum() + alpha * unlabeled.sum())
    stand_for = labeled / design.propensity
    most = labeled.sum() / stand_for.sum()
    error = np.sqrt(max(1 / effective_size(stand_for) - 1 / effective_size(labeled), 0))  # relative, of the sum
    if rho <= most * (1 + 2 * error):
        return ()
    return (
        f"these propensities are impossible with alpha={alpha:.3g}: {rho:.0%} of the positives would be labeled, but "
        f"these propensities allow at most {most:.0%}",
    )


def _notes(s, design, counts, n_clusters):
    n_labeled, n_unlabeled = np.count_nonzero(s == 1), np.count_nonzero(s == 0)
    effective = counts.n_labeled, counts.n_unlabeled
    if effective[0] < _WORTH * n_labeled or effective[1] < _WORTH * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters, "propensities": design.propensity}
        causes = [name for name, each in kinds.items() if each is not None]
        yield (
            f"the {n_labeled:,} labeled and {n_unlabeled:,} unlabeled rows have effective sample sizes of "
            f"{effective[0]:,} and {effective[1]:,} because of {' and '.join(causes)}; the range of alpha and the "
            "warnings below use these sizes"
        )
    for n, kind in zip(n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            effect = "intervals are then too narrow" if n >= LEAST else f"there is no interval, which needs {LEAST}"
            yield f"{kind} rows come from {n} clusters only: {effect}"


class Corrections(NamedTuple):
    """Corrected scores with their intervals, for one strength of selection, and the priors behind them."""

    scores: dict
    """Pairs of the corrected score and its interval or None, by metric."""
    alpha: float
    beta: float
    alpha_interval: tuple | None
    beta_interval: tuple | None
    uncertainty: str
    selection: float
    n_resamples: int
    alpha_bound: float | None = None
    """Guaranteed upper bound for alpha at half of the level; None with noisy labels."""
    blind: bool = False
    """Whether alpha is unknown, and examples are fewer than an interval needs, or labeled ones score no higher than
    unlabeled ones: nothing is identified."""
    few: bool = False
    """Whether examples are fewer than an interval needs: no score is identified, even if alpha is given."""
    over_alpha: dict | None = None
    """Ranges of the scores over that of alpha, by metric, where there are no intervals."""

    @property
    def alpha_identified(self):
        """Whether alpha is given, or identified by the scores."""
        if not self.uncertainty.startswith(("calibrated", "guaranteed")) or self.alpha_interval is None:
            return not self.blind
        return not self.blind and identifies(*self.alpha_interval)

    def identified(self, metric):
        """Whether the interval of a metric, or at least its range over alpha, is narrow enough to identify it."""
        interval = self.scores[metric][1] or (self.over_alpha or {}).get(metric)
        return not (self.blind or self.few) and (interval is None or informative(metric, interval))

    def shown(self, metric):
        """The corrected score, NaN where it is not identified, and its interval."""
        value, interval = self.scores[metric]
        return value if self.identified(metric) else np.nan, interval


def corrections(metrics, s, y_score, view, estimates, selections, *, n_bootstrap, confidence, design=None, **options):
    """Corrected scores for every strength of selection.

    Parameters
    ----------
    metrics : list of str
    s, y_score : ndarray of shape (n_samples,)
    view : View
        Of this sample.
    estimates : PriorEstimates
        What the counts of `view` say of the priors.
    selections : list of float
    n_bootstrap : int
        0 for no intervals.
    confidence : float
    design : Design, optional
        Weights, clusters and folds.
    **options
        As for :func:`pumetrics.inference.corrected_interval`.

    Returns
    -------
    list of Corrections
    """
    if n_bootstrap:
        check_count(n_bootstrap, "n_bootstrap")
    options |= {"confidence": confidence}
    if min(n_bootstrap, view.n_drawn) >= LEAST:
        options |= {"n_bootstrap": n_bootstrap, "estimates": [estimates], **(design.options() if design else {})}
        results = [_with_intervals(metrics, s, y_score, selection=each, **options) for each in selections]
    else:
        results = [
            _without_intervals(metrics, view, estimates, design=design, selection=each, **options)
            for each in selections
        ]
    clean = options["beta"] == 1 and not options["noisy"]
    counted = clean and (design is None or design.counts_rows)
    bound = estimates.largest((1 + confidence) / 2) if counted else None
    few = view.n_drawn < LEAST
    blind = options["alpha"] is None and (few or not estimates.separates)
    return [each._replace(alpha_bound=bound, blind=blind, few=few) for each in results]


def bounds_alpha(result, n_unlabeled):
    """Alpha, or its range, for which bounds are computed: with a negative, and a hidden positive if it allows one.

    Where less than one is expected there may be none or one.
    """
    low, high = result.alpha_interval or (result.alpha, result.alpha)
    one, most = 1 / n_unlabeled, 1 - 1 / n_unlabeled
    if high < one:
        return 0.0, min(one, most)
    if result.alpha_interval is None:
        return result.alpha
    high = min(high, most)
    return min(max(low, one), high), high


def _with_intervals(metrics, s, y_score, **options):
    intervals = corrected_intervals(metrics, s, y_score, **options)
    any_one = next(iter(intervals.values()))
    ranges = [_range(span) for span in (any_one.alpha_interval, any_one.beta_interval)]
    scores = {name: (each.estimate, (each.lower, each.upper)) for name, each in intervals.items()}
    settings = (any_one.uncertainty, any_one.selection, any_one.n_resamples)
    return Corrections(scores, any_one.alpha, any_one.beta, *ranges, *settings)


def _without_intervals(
    metrics, view, estimates, *, alpha, beta, noisy, uncertainty, selection, confidence, design, **options
):
    labels = {"alpha": alpha, "beta": beta, "noisy": noisy}
    uncertainty = check_uncertainty(uncertainty, design=design, **labels)
    settings = {"selection": selection, "confidence": confidence, "resampled": False}
    plan = plan_priors(estimates, known_priors(**labels), uncertainty, **settings)
    where = {name: options[name] for name in ("threshold", "population")}
    found = scores_over(metrics, view.sample, plan, selection=selection, **where)
    scores, over = {name: (each[0], None) for name, each in found.items()}, {name: found[name][1] for name in found}
    uncertainty += "_noise" if noisy and uncertainty != "sampling" else ""
    spans = [_range(span) for span in plan.spans]
    return Corrections(scores, *plan.pair, *spans, uncertainty, selection, 0, over_alpha=over)


def _range(span):
    """A range, None if there is none or its ends are the same."""
    return None if span is None or span[0] == span[1] else span


_AREAS = ("roc_auc", "average_precision")
_LARGEST_EXACT = 50_000  # positives up to which the exact band takes about a second
_MOST = 20_000  # thresholds that are all looked at over a range of alpha


def band_for(s, y_score, *, alpha, confidence=0.95):
    """Band on the rank CDF of the hidden positives, or None where the exact one is cheap enough to be computed.

    Of many positives both samples, labeled and hidden, get a Dvoretzky-Kiefer-Wolfowitz band of half the level; their
    half-widths add up.
    """
    ranking = count_ranks(s, y_score)
    n_labeled = int(ranking.labeled[-1])
    n_hidden = int(check_alphas(alpha)[0] * int(ranking.unlabeled[-1]))
    if not n_hidden or n_labeled + n_hidden <= _LARGEST_EXACT:
        return None
    width = np.sqrt(np.log(4 / (1 - confidence)) / 2) * (n_labeled**-0.5 + n_hidden**-0.5)
    share = ranking.labeled / n_labeled
    return Band(np.clip(share - width, 0, 1), np.clip(share + width, 0, 1))


def score_bounds(
    metrics, s, y_score, *, alpha, confidence=0.95, threshold=None, population=None, band=None, ranking=None
):
    """Compute bounds on metrics against the true class.

    Parameters
    ----------
    metrics : list of str
        Areas, measures of predictions, and measures of the top of the ranking.
    s, y_score : array-like of shape (n_samples,)
        1 labeled, 0 unlabeled; scores, higher means more positive.
    alpha : float or (float, float)
        Share of positives among the unlabeled, or a range for it; the bounds then hold for the whole range.
    confidence : float
        Probability in (0, 1) with which the bounds hold simultaneously at all thresholds.
    threshold : float, optional
        Scores at or above it are predicted positive; by default the maximum over all thresholds is bounded.
    population : {"all", "unlabeled"}, optional
        Population of metrics that depend on the class mix; by default that of each metric.
    band : Band, optional
        From :func:`band_for`.
    ranking : RankCounts, optional
        Counts of the same sample, if already computed.

    Returns
    -------
    dict of str to (float, float)

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 5.
    """
    counts = count_scores(s, y_score)
    ranking = count_ranks(s, y_score) if ranking is None else ranking
    ends = check_alphas(alpha)
    entries = {name: find_metric(name) for name in metrics}
    where = {"threshold": threshold, "population": population}
    places = {name: entry.place(counts, **where) for name, entry in entries.items() if name not in _AREAS}
    rows, precisions, outermost = {str(place): [] for place in places.values()}, [], []
    alphas = alphas_within(ends, counts.n_unlabeled)
    for each in alphas:  # of many rows, tables of all alphas at once fill the memory
        (pair,) = at_cuts(ranking, [tables_of(ranking, each, band, "positives", confidence, clipped=False)])
        for place in {str(place): place for place in places.values()}.values():
            at = _thinned(place, counts)
            rows[str(place)].append([np.asfortranarray(_rows(counts, table, at)) for table in pair])
        if "average_precision" in entries:
            whom = entries["average_precision"].population_of(population)
            precisions.append(_average_precisions(ranking, counts, pair, each, whom))
        if "roc_auc" in entries and each in (alphas[0], alphas[-1]):
            outermost.append(pair)
    bounds = {}
    for name, entry in entries.items():
        if name == "roc_auc":
            tables = [outermost[0], outermost[-1]][: len(ends)]
            pairs = [_roc_area(ranking, tables, alpha, entry.population_of(population))]
        elif name == "average_precision":
            pairs = precisions
        else:
            at, whom = _thinned(places[name], counts), entry.population_of(population)
            within = between(rows[str(places[name])], _room(counts, at))
            pairs = [_extremes(entry, counts, pair, at, whom) for pair in within]
        bounds[name] = float(np.min(pairs)), float(np.max(pairs))
    return bounds


def _average_precisions(ranking, counts, tables, alpha, population):
    """Least and largest average precision between the lower and the upper table of one alpha."""
    if population == "all":
        return pr_between(ranking, [tables], alpha).auc
    hidden = [_room(counts).fitted(tables_at(counts, table))[:, 0] - counts.labeled for table in tables]
    return unlabeled_areas(*hidden, counts.unlabeled)


def _roc_area(ranking, tables, alpha, population):
    """Bounds on the area under the ROC curve; of the unlabeled alone without the labeled in the tables of the cuts."""
    if population == "unlabeled":
        above = ranking.labeled[ranking.ends]
        known = np.column_stack([above, 0 * above, above[-1] - above, 0 * above])
        ranking = ranking._replace(labeled=0 * ranking.labeled)
        tables = [[table - known for table in pair] for pair in tables]
        if not min(pair[0][-1, [0, 2]].sum() for pair in tables):
            return 0.0, 1.0  # no positive may be hidden
    return roc_between(ranking, tables, alpha).auc


def _thinned(place, counts):
    """A place among the thresholds; of very many, those at evenly spaced ranks and log ranks stand for all."""
    n = len(counts.thresholds)
    if not isinstance(place, slice) or n <= _MOST:
        return place
    return np.unique(np.append(np.linspace(0, n - 1, _MOST // 2), np.geomspace(1, n - 1, _MOST // 2)).astype(int))


def _rows(counts, table, at):
    """Rows of a table of cuts at a place among the thresholds, of which the first has no cut."""
    if isinstance(at, slice):
        return tables_at(counts, table)[at]
    if np.ndim(at):
        none = table[-1] @ np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])  # all are missed
        return np.where(at[:, None] > 0, table[np.maximum(at, 1) - 1], none).astype(np.float64)
    around = np.minimum([int(at), int(at) + 1], len(table))
    return np.atleast_2d(at_place(_rows(counts, table, around), at - int(at)))


def _room(counts, at=slice(None)):
    """Room for positives at a place among the thresholds, or at several."""
    known, head = (np.atleast_1d(at_place(values, at)) for values in (counts.labeled, counts.unlabeled))
    return Room(known, counts.n_labeled - known, head, counts.n_unlabeled - head)


def _extremes(entry, counts, tables, at, population):
    """The measure at both tables of a population, lower first; over several thresholds the largest of each."""
    if population == "unlabeled":
        known = np.atleast_1d(at_place(counts.labeled, at))
        labeled = np.column_stack([known, 0 * known, counts.n_labeled - known, 0 * known])
        tables = [table - labeled for table in tables]
    name = entry.measure
    values = [
        TABLE_METRICS[name](*each.T) if name in TABLE_METRICS else measures_of_tables(each)[name] for each in tables
    ]
    return np.max(np.minimum(*values)), np.max(np.maximum(*values))
