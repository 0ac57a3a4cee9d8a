"""Assessments of the groups of a sample, such as countries or months, each with its own counts, priors and warnings."""

from dataclasses import dataclass

import numpy as np

from pumetrics._validation import as_array, check_same_index, check_same_length
from pumetrics.assessment._assess import Assessment, assess
from pumetrics.assessment._warnings import Caution

__all__ = ["MOST_BY", "GroupAssessment", "GroupAssessments", "assess_by"]

MOST_BY = 200
"""Largest number of groups: a column that identifies rows or users is not a grouping."""

_EXPECTED = 5  # labeled and unlabeled rows of a group, for the chi-square distribution to hold
_LEVEL = 0.01  # of the test that the labeled share is the same in all groups

_ROWS = ("sample_weight", "cluster", "fold", "propensity")


@dataclass(frozen=True)
class GroupAssessment:
    """Assessment of one group.

    Attributes
    ----------
    group : object
        Its name.
    n_labeled, n_unlabeled : int
    assessment : Assessment or None
        None if the group cannot be assessed.
    reason : str
        Why the group cannot be assessed; empty if it is assessed.
    """

    group: object
    n_labeled: int
    n_unlabeled: int
    assessment: Assessment | None
    reason: str = ""

    def as_dict(self):
        """Return all results as numbers, strings, lists and dicts."""
        inner = None if self.assessment is None else self.assessment.as_dict()
        return {
            "group": str(self.group),
            "n_labeled": self.n_labeled,
            "n_unlabeled": self.n_unlabeled,
            "reason": self.reason or None,
            "assessment": inner,
        }


@dataclass(frozen=True)
class GroupAssessments:
    """Assessments by group, in the order of their names; ``result["DE"]`` is the :class:`Assessment` of one.

    Attributes
    ----------
    groups : tuple of GroupAssessment
    warnings : tuple of Caution
        Whether the labeled share differs between the groups by more than chance.
    """

    groups: tuple[GroupAssessment, ...]
    warnings: tuple[str, ...] = ()

    def __iter__(self):
        return iter(self.groups)

    def __len__(self):
        return len(self.groups)

    def __getitem__(self, name):
        for each in self.groups:
            if each.group == name:
                if each.assessment is None:
                    raise KeyError(f"group {name!r} is not assessed: {each.reason}")
                return each.assessment
        raise KeyError(
            f"there is no group {name!r}: the groups are {', '.join(str(each.group) for each in self.groups)}"
        )

    def as_dicts(self):
        """Return the groups as a list of dicts of numbers, strings, lists and dicts."""
        return [each.as_dict() for each in self.groups]

    def to_frame(self):
        """Return a table with one row per group.

        Returns
        -------
        pandas.DataFrame
            Indexed by group: ``n_labeled``, ``n_unlabeled``, ``alpha`` with ``alpha_lower`` and ``alpha_upper``, each
            metric with its ``_lower`` and ``_upper`` end, and ``warnings``, one string. Missing values are NaN.
        """
        import pandas as pd

        index = pd.Index([each.group for each in self.groups], name="group")
        return pd.DataFrame([_row(each) for each in self.groups], index=index)


def assess_by(s, y_score, groups, **options):
    """Assess a model in each group of the examples.

    Each group has its own alpha, estimated from its scores or computed from `rho`, which then applies to all groups. A
    given `alpha` applies to all groups.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Out-of-sample scores, higher means more positive.
    groups : array-like of shape (n_samples,)
        Names of the groups, at most 200 different ones. None and NaN form the group "no value".
    **options
        As for :func:`pumetrics.assessment.assess`; `sample_weight`, `cluster`, `fold` and `propensity` are of shape
        (n_samples,).

    Returns
    -------
    GroupAssessments
        Iterates over the groups; ``to_frame()`` is a table with one row per group.

    Raises
    ------
    ValueError
        On invalid options, different lengths, too many groups, or if no group can be assessed.

    Notes
    -----
    In a group with fewer than ten labeled or ten unlabeled examples no score is identified; its warnings say so. A
    group without labeled or without unlabeled examples is not assessed; its ``reason`` says so.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> country = np.where(np.arange(1200) % 3, "DE", "FR")
    >>> by_country = assess_by(s, y_score, country, alpha=0.3, metrics=["roc_auc"], n_bootstrap=20)
    >>> [(each.group, each.n_labeled, round(each.assessment.scores[0].corrected, 2)) for each in by_country]
    [('DE', 133, 0.95), ('FR', 67, 0.93)]
    >>> by_country.to_frame().loc["FR", "n_unlabeled"].item()
    333
    """
    check_same_index(s=s, y_score=y_score, groups=groups)
    labels, scores = as_array(s, "s"), as_array(y_score, "y_score")
    rows = {name: as_array(options.pop(name), name) for name in _ROWS if options.get(name) is not None}
    names, codes = _groups(groups)
    check_same_length(s=labels, y_score=scores, groups=codes, **rows)
    if len(names) > MOST_BY:
        raise ValueError(
            f"groups holds {len(names):,} different values, more than {MOST_BY}: use a column with fewer values, or "
            "merge the rare ones"
        )
    found = []
    for code, name in enumerate(names):
        chosen = codes == code
        part = {each: values[chosen] for each, values in rows.items()}
        found.append(_one(name, labels[chosen], scores[chosen], {**options, **part}))
    if all(each.assessment is None for each in found):
        raise ValueError(f"no group can be assessed: {found[0].group}: {found[0].reason}")
    depends = () if {"cluster", "propensity"} & rows.keys() else _depends(labels, codes)
    return GroupAssessments(tuple(found), depends)


def _depends(s, codes):
    """A warning if the labeled share differs by group: a chi-square test of independent rows, small groups joined."""
    from scipy.stats import chi2_contingency

    table = np.array([np.bincount(codes[s == value], minlength=codes.max() + 1) for value in (1, 0)])
    small = (np.outer(table.sum(axis=1), table.sum(axis=0)) < _EXPECTED * table.sum()).any(axis=0)
    table = np.column_stack([table[:, ~small], table[:, small].sum(axis=1)])
    table = table[:, table.any(axis=0)]
    if table.shape[1] < 2 or not table.any(axis=1).all():
        return ()
    p_value = chi2_contingency(table).pvalue
    if p_value >= _LEVEL:
        return ()
    shares = table[0] / table.sum(axis=0)
    return (Caution("groups_differ", low=shares.min(), high=shares.max(), p_value=p_value),)


def _groups(groups):
    """Names in order, and the number of the name of each row."""
    import pandas as pd

    groups = as_array(groups, "groups")
    if groups.ndim != 1:
        raise ValueError(f"groups must be one-dimensional, got shape {groups.shape}")
    codes, names = pd.factorize(groups)
    names = [name.item() if isinstance(name, np.generic) else name for name in names]
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        order = sorted(range(len(names)), key=lambda i: str(names[i]))
    places = np.empty(len(names) + 1, dtype=np.int64)
    places[order], places[-1] = np.arange(len(names)), len(names)  # a missing value has code -1
    missing = ["no value"] if (codes < 0).any() else []
    return [names[i] for i in order] + missing, places[codes]


def _one(name, s, y_score, options):
    n_labeled, n_unlabeled = int(np.count_nonzero(s == 1)), int(np.count_nonzero(s == 0))
    for count, kind in ((n_labeled, "labeled"), (n_unlabeled, "unlabeled")):
        if not count:
            return GroupAssessment(name, n_labeled, n_unlabeled, None, f"no {kind} example")
    try:
        return GroupAssessment(name, n_labeled, n_unlabeled, assess(s, y_score, **options))
    except ValueError as error:
        return GroupAssessment(name, n_labeled, n_unlabeled, None, str(error))


def _row(each):
    row = {"n_labeled": each.n_labeled, "n_unlabeled": each.n_unlabeled}
    if each.assessment is None:
        return {**row, "warnings": each.reason}
    found = each.assessment
    row["alpha"] = found.alpha if found.alpha_identified else np.nan
    row["alpha_lower"], row["alpha_upper"] = found.alpha_interval or (np.nan, np.nan)
    for score in found.scores:
        row[score.metric] = score.corrected
        row[f"{score.metric}_lower"], row[f"{score.metric}_upper"] = score.interval or (np.nan, np.nan)
    return {**row, "warnings": "; ".join(found.warnings)}
