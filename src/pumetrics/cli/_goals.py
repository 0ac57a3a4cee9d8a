"""Options that choose a threshold, and the table of thresholds."""

import numpy as np

__all__ = ["check_goal_options", "table_of"]


def check_goal_options(threshold, goal):
    """The threshold as typed, or NaN where a goal chooses one, so that metrics at a threshold are listed.

    Parameters
    ----------
    threshold : float or None
    goal : dict
        As typed, see :func:`pumetrics.thresholds.check_goal`.

    Raises
    ------
    ValueError
        If the options contradict each other or are out of range.
    """
    from pumetrics.thresholds import check_goal

    try:
        given = check_goal(**goal)
    except ValueError as error:
        text = str(error)
        for name in goal:
            text = text.replace(name, _option(name))
        raise ValueError(text) from None
    if given and threshold is not None:
        options = " and ".join(map(_option, given))
        raise ValueError(f"--threshold {threshold:g} and {options} contradict: leave one of them out")
    return float("nan") if given else threshold


def table_of(assessment, sample, row):
    """Table of thresholds with the priors of an assessment, see :func:`pumetrics.thresholds.threshold_table`.

    Parameters
    ----------
    assessment : Assessment
    sample : Scored
    row : RowColumns
        Columns beside the scores.

    Returns
    -------
    pandas.DataFrame
    """
    from pumetrics.thresholds import threshold_table

    options = row.options()
    if options.get("fold") is not None:
        raise ValueError("--thresholds needs scores of one model: scores of different folds share no threshold")
    if sample.s is None:  # counted, not read row by row
        s, y_score = None, sample.score
    else:
        kept = sample.s != -1
        s, y_score = sample.s[kept], sample.score[kept]
    weight = options.get("sample_weight")
    weight = None if weight is None else np.asarray(weight)[kept]
    priors = {"alpha": assessment.alpha, "beta": assessment.beta, "selection": assessment.selection}
    where = {"population": assessment.population, "sample_weight": weight}
    return threshold_table(s, y_score, **priors, **where)


def _option(name):
    return f"--{name.replace('_', '-')}"
