"""Assessment of the scores of one model: uncorrected and corrected metrics, intervals, bounds, assumptions."""

from functools import partial
from numbers import Real

import numpy as np

from pumetrics.arguments import ContradictionError
from pumetrics.assessment._assessment import Assessment
from pumetrics.assessment._checked import (
    answers_of,
    check_alike,
    check_none_given,
    of_checks_alone,
    with_checks,
    with_plan,
)
from pumetrics.assessment._warnings import all_warnings, design_facts, notes_of
from pumetrics.checks import CheckPlan, by_position
from pumetrics.checks import opened as opened_checks
from pumetrics.inference.answers import answered, scores_of_model
from pumetrics.inference.designs import design_of
from pumetrics.inference.prior_plan import PriorEstimates, stream_of_priors
from pumetrics.inference.request import LEAST, ask_of, check_accounted, labels_of
from pumetrics.inference.sample import SCORED, Sample
from pumetrics.metrics import AT_THRESHOLD, AT_TOP, metric_at
from pumetrics.priors.interval import identifies
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.unscored import settled
from pumetrics.validation import (
    LARGEST,
    SMALLEST,
    as_array,
    check_magnitude,
    check_threshold,
)

__all__ = [
    "SKIPPED_BY_HAND",
    "assess",
    "assessment_of",
    "informative_sample",
    "metrics_for",
]

SKIPPED_BY_HAND = (
    "checks name positions of all rows: leave rows without a score out of every argument yourself"
)
"""Why rows cannot be left out where some are checked."""


def assess(
    s,
    y_score,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    pi=None,
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
    checks=None,
    plan=None,
    unscored=None,
):
    """Estimate a model's true performance from its scores of labeled and unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled. With `checks`, no row has to be labeled, and `s` can be None.
    y_score : array-like of shape (n_samples,)
        Out-of-sample scores, higher means more positive. -inf ranks below all others.
    alpha : float or (float, float), optional
        Share of positives among the unlabeled, or a range for it; estimated from the scores by default.
    beta : float
        Share of positives among the labeled.
    rho : float, optional
        Label frequency, the share of all positives that are labeled, in (0, 1]: an alternative to alpha.
    pi : float or (float, float), optional
        Share of positives among all examples, labeled or not, in [0, 1] and at least the share that the labeled
        positives have in them; or a range for it. An alternative to alpha and rho.
    method, noisy
        How the priors are estimated, see :func:`pumetrics.inference.corrected_intervals`.
    metrics : sequence of str, optional
        See :func:`pumetrics.inference.corrected_intervals`. By default areas and measures of predictions, precision and
        recall only with a threshold.
    at : int, float, str or a sequence of them
        Tops of the ranking, such as 100 or "1%", for which precision, recall and lift are also reported.
    population : {"all", "unlabeled"}, default="all"
        Population of tops and of metrics that depend on the prevalence: all examples, or only the unlabeled ones.
    uncertainty : {"calibrated", "guaranteed"}, optional
        What intervals account for if alpha is not given, see :func:`pumetrics.inference.corrected_intervals`. With
        `checks`, "guaranteed" gives wider intervals that are valid for any sample size.
    threshold : float, optional
        Predict positive for scores >= threshold. Without a threshold, accuracy, balanced accuracy, F1 and Matthews
        correlation are reported at their maximum.
    confidence : float
        Nominal coverage of intervals.
    n_bootstrap : int
        Number of resamples for the intervals; 0 for no intervals. There are no intervals with fewer than ten resamples
        or fewer than ten labeled or unlabeled examples.
    random_state : int, numpy.random.Generator or None
    sample_weight, cluster : array-like of shape (n_samples,), optional
        Weights of the rows and their clusters, see :func:`pumetrics.inference.corrected_intervals`.
    checks : FilledPlan or DataFrame, optional
        Rows that an expert has checked, as ``plan.filled`` of :func:`pumetrics.checks.plan_checks` returns them. The
        scores are then estimated from these rows, by default at the threshold of the plan; ``scar`` holds the estimates
        from the labels alone.
    plan : CheckPlan or {"random", "top"}, optional
        How the rows of a table were chosen, see :func:`pumetrics.checks.checked_interval`.
    unscored : {"lowest", "skip"}, optional
        What to do with rows without a score, NaN in `y_score`: rank them below all others, tied, because the model did
        not list them; or leave them out, so that the result is about the scored rows only. By default they are refused.

    Returns
    -------
    Assessment

    Raises
    ------
    ValueError
        On invalid labels, scores, priors or options, or if the priors are neither given nor can be estimated.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> assessment = assess(s, y_score, rho=0.4, n_bootstrap=0)
    >>> round(assessment.alpha, 3), [(score.metric, round(score.corrected, 2)) for score in assessment.scores[:2]]
    (0.3, [('roc_auc', 0.94), ('average_precision', 0.94)])
    """
    check_alike(checks, plan, sample_weight)
    if s is None and checks is not None:
        s = np.zeros(len(as_array(y_score, "y_score")), dtype=int)
    weights = {"sample_weight": sample_weight, "cluster": cluster}
    if unscored == "skip" and checks is not None:
        raise ContradictionError([("unscored", "skip"), ("checks", True)], SKIPPED_BY_HAND)
    s, scores, weights, (facts,) = settled(unscored, s, {"y_score": y_score}, weights)
    y_score = scores["y_score"]
    design = design_of(s, **weights, y_score=y_score, checks=checks)
    checks, plan = opened_checks(checks, plan)
    checks = by_position(checks, plan, s, y_score)
    if isinstance(plan, CheckPlan) and threshold is None:
        threshold = plan.threshold
    threshold = check_threshold(threshold, y_score)
    names = metrics_for(metrics, threshold=threshold, at=at)
    if metrics is None:
        names = with_plan(names, plan)
    ask = ask_of(
        names,
        threshold=threshold,
        least=0,
        population=population,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
    )
    find = partial(
        answers_of,
        ask,
        checks=checks,
        plan=plan,
        guaranteed=uncertainty == "guaranteed",
        clustered=cluster is not None,
    )
    observed = as_array(s, "s")
    if checks is not None and not observed.any():
        check_none_given(
            alpha=alpha,
            rho=rho,
            pi=pi,
            beta=None if beta == 1 else beta,
            noisy=noisy or None,
        )
        answers = find(observed, as_array(y_score, "y_score"))
        return of_checks_alone(ask, answers, len(observed)).with_unscored(facts)

    sample = informative_sample(s, [y_score], design)
    labels = labels_of(
        sample,
        pi=pi,
        alpha=alpha,
        beta=beta,
        rho=rho,
        method=method,
        noisy=noisy,
        uncertainty=uncertainty if checks is None else None,  # checks make no such assumption
    )
    check_accounted(labels)
    estimates = PriorEstimates(sample.counts[0], labels, stream_of_priors(random_state))
    found = answered(sample, labels, ask, estimates)
    assessment = assessment_of(sample, labels, ask, found, [estimates]).with_unscored(facts)
    if checks is None:
        return assessment
    answers = find(sample.s, sample.scores[0])
    return with_checks(assessment, answers, tuple(notes_of(sample)), plan=plan)


def assessment_of(sample, labels, ask, found, estimates, *, model=0, reference=0):
    """What is known of one model of a sample.

    Parameters
    ----------
    sample : Sample
    labels : Labels
    ask : Ask
    found : Corrected
    estimates : list of PriorEstimates
        Of each model.
    model : int
        Which model.
    reference : int
        The one whose scores say what the priors are.

    Returns
    -------
    Assessment
    """
    priors = found.priors
    n_labeled, n_unlabeled = sample.n_rows
    few = sample.n_drawn < LEAST
    blind = labels.alpha is None and (few or not estimates[reference].separates)
    alpha_interval = _range(priors.alpha_interval)
    alpha_identified = not blind
    if labels.alpha is None and alpha_interval is not None:
        alpha_identified = not blind and identifies(priors.alpha, alpha_interval[1])

    alpha_bound = None
    independent = sample.design is None and len(estimates) == 1
    if independent and labels.beta == 1 and not labels.noisy:
        counts = estimates[model].counts
        alpha_bound = largest_alpha(counts, confidence=(1 + ask.confidence) / 2)

    warnings = all_warnings(
        sample,
        estimates[model],
        alpha=priors.alpha,
        beta=priors.beta,
        alpha_interval=alpha_interval,
        alpha_identified=alpha_identified,
        known=labels.alpha is not None,
        own=model == reference,
        model=model,
    )
    return Assessment(
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        alpha=priors.alpha,
        beta=priors.beta,
        alpha_interval=alpha_interval,
        beta_interval=_range(priors.beta_interval),
        alpha_identified=alpha_identified,
        source=labels.source,
        uncertainty=priors.uncertainty,
        confidence=ask.confidence,
        threshold=ask.threshold,
        population=ask.population,
        n_resamples=priors.n_resamples,
        warnings=(*notes_of(sample), *warnings),
        design=design_facts(sample),
        scores=scores_of_model(sample, ask, found, model=model, unknown=blind or few),
        priors=estimates[model].described,
        alpha_bound=alpha_bound,
        drawn=found.drawn[model] if found.drawn else None,
    )


def _range(ends):
    """A range, or None if it is a single number."""
    return None if ends[0] == ends[1] else ends


def metrics_for(metrics=None, *, threshold=None, at=()):
    """Names of the metrics to report.

    Parameters
    ----------
    metrics : sequence of str, optional
        By default areas and measures of predictions; with a threshold, precision and recall among them.
    threshold : float, optional
    at : int, float, str or a sequence of them
        Tops of the ranking, such as 100 or "1%", for which precision, recall and lift are reported, or only the metrics
        at k that `metrics` names, if any.

    Returns
    -------
    list of str
        Metrics of tops are last, unless `metrics` begins with one.

    Raises
    ------
    ValueError
        If `at` contains anything other than numbers and shares of examples.

    Examples
    --------
    >>> metrics_for(["roc_auc"], at=[50, 0.01])  # doctest: +NORMALIZE_WHITESPACE
    ['roc_auc', 'precision_at_50', 'recall_at_50', 'lift_at_50', 'precision_at_1%', 'recall_at_1%', 'lift_at_1%']
    >>> metrics_for(["recall_at_k"], at="5%")
    ['recall_at_5%']
    """
    if isinstance(metrics, str):
        return metrics  # refused where metrics are checked
    tops = [at] if isinstance(at, str | Real) else list(at)
    names = list(SCORED if metrics is None or len(metrics) == 0 else metrics)
    if metrics is None and threshold is not None:
        names += [name for name in AT_THRESHOLD if name not in SCORED]
    if tops:
        families = [name for name in names if name in AT_TOP] or AT_TOP
        named = [metric_at(name, k) for k in tops for name in families]
        others = [name for name in names if name not in AT_TOP]
        names = named + others if names[0] in AT_TOP else others + named
    return list(dict.fromkeys(names))


def informative_sample(s, scores, design=None):
    """A :class:`Sample` whose scores differ and lie in the range that arithmetic allows, or ValueError."""
    sample = Sample(s, scores, design)
    for y_score in sample.scores:
        if (y_score == y_score[0]).all():
            raise ValueError(
                f"y_score is {y_score[0]:g} for every example: constant scores contain no information about a model; "
                "use scores that differ between examples"
            )
        position = check_magnitude(y_score)
        if position is not None:
            raise ValueError(
                f"y_score must have its largest absolute value between {SMALLEST:g} and {LARGEST:g}, got "
                f"{y_score[position]:g} at position {position}: rescale the scores"
            )
    return sample
