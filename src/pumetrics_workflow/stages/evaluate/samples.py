"""The registry of metrics, and how scored samples with their priors become records."""

from pumetrics.labeling import SUPERVISED
from pumetrics.metrics import MEASURES
from pumetrics_workflow.stages.evaluate.areas import average_precision, precision_recall_points, roc_auc, roc_points
from pumetrics_workflow.stages.evaluate.sample import Sample
from pumetrics_workflow.stages.evaluate.thresholds import threshold_measure

__all__ = ["METRICS", "evaluate_sample", "evaluate_samples"]

# Each entry takes a Sample and the priors (alpha, beta) by name and yields rows of the records or statistics table.
METRICS = {
    **{name: threshold_measure(name) for name in MEASURES},
    "roc_auc": roc_auc,
    "average_precision": average_precision,
    "roc_curve": roc_points,
    "precision_recall_curve": precision_recall_points,
}


def evaluate_samples(scores, priors, metrics):
    """Records of every labeling and repeat of a model's scores.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``labeling``, ``repeat``, ``s``, ``y`` and ``score``. Scores of the supervised labeling are a second
        kind of truth of the other ones.
    priors : pandas.DataFrame
        Columns ``labeling``, ``repeat``, ``method``, ``alpha`` and ``beta``: the priors estimated from these scores.
    metrics : list of str
        Names of entries of :data:`METRICS`.

    Returns
    -------
    list of dict
        Records, and statistics where a row has a ``statistic``, without study, data set and model.
    """
    rows = []
    known = dict(iter(priors.groupby(["labeling", "repeat"]))) if len(priors) else {}
    supervised = dict(iter(scores[scores["labeling"] == SUPERVISED].groupby("repeat")))
    for (labeling, repeat), part in scores[scores["labeling"] != SUPERVISED].groupby(["labeling", "repeat"]):
        answers = evaluate_sample(
            part, known.get((labeling, repeat)), metrics, supervised=supervised.get(repeat), repeat=repeat
        )
        rows += [{"labeling": labeling, "repeat": repeat, **row} for row in answers]
    return rows


def evaluate_sample(scored, estimated, metrics, *, supervised=None, repeat=0):
    """Records of one scored sample.

    Parameters
    ----------
    scored : pandas.DataFrame
        Columns ``s``, ``y``, ``score``: one labeling and repeat of the scores table.
    estimated : pandas.DataFrame or None
        Columns ``method``, ``alpha``, ``beta``: the priors estimated from these scores.
    metrics : list of str
        Names of entries of :data:`METRICS`.
    supervised : pandas.DataFrame or None
        Columns ``y`` and ``score`` of the same model trained with true labels: a second kind of truth.
    repeat : int
        Which repeat this is; curves are kept of the first only.

    Returns
    -------
    list of dict
        Records, and statistics where a row has a ``statistic``, without the columns that name the sample. A prior that
        could not be estimated, or with alpha >= beta, gives a record without estimate.
    """
    unknown = [name for name in metrics if name not in METRICS]
    if unknown:
        raise ValueError(f"there is no metric {unknown[0]!r}; there are {', '.join(METRICS)}")
    sample = Sample(
        scored["s"].to_numpy(), scored["y"].to_numpy(), scored["score"].to_numpy(), supervised=supervised, repeat=repeat
    )
    priors = {"none": (0.0, 1.0), "true": (sample.alpha, sample.beta)}
    if estimated is not None:
        priors |= {row.method: (row.alpha, row.beta) for row in estimated.itertuples()}
    return [row for name in metrics for row in METRICS[name](sample, priors)]
