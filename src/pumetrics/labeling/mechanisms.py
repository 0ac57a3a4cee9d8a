"""How labels go missing or wrong, as functions: at random, by score or by a feature, and with wrong labels."""

from numbers import Real

import numpy as np

from pumetrics.validation import (
    ArgumentError,
    check_choice,
    check_count,
    check_fraction,
    check_labels,
    check_random_state,
    check_same_index,
    check_same_length,
    check_scores,
)

__all__ = [
    "flip_positives",
    "least_correlated_feature",
    "noisy_positives",
    "noisy_sizes",
    "sar",
    "scar",
]

_FLIPS = ("bcar", "bar", "bnar")


def scar(y, *, n_labeled=None, label_frequency=None, random_state=None):
    """Labels of positives selected completely at random, all other examples unlabeled.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    n_labeled : int, optional
        Exactly this many positives are labeled. Give either this or `label_frequency`.
    label_frequency : float, optional
        Each positive is labeled with this chance in [0, 1], independently of all others, so the number of labeled
        positives varies.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    ndarray of shape (n_samples,)
        `s`: 1 labeled positive, 0 unlabeled.

    Raises
    ------
    ValueError
        If `y` has no positive, both or none of the two sizes are given, or the size is out of range.

    References
    ----------
    Elkan & Noto (2008); Claesen et al. (2015), Sections 3 and 4.2.

    Examples
    --------
    >>> scar([1, 1, 0, 1, 0], n_labeled=3)
    array([1, 1, 0, 1, 0], dtype=int8)
    """
    y = check_labels(y, "y", need=(1,))
    if (n_labeled is None) == (label_frequency is None):
        raise ValueError(
            f"give exactly one of n_labeled and label_frequency, got n_labeled={n_labeled} "
            f"and label_frequency={label_frequency}"
        )
    positives = np.flatnonzero(y == 1)
    rng = check_random_state(random_state)
    if n_labeled is not None:
        n_labeled = check_count(n_labeled, "n_labeled")
        if n_labeled > len(positives):
            raise ValueError(
                f"n_labeled must be at most {len(positives)}, the number of positives, got {n_labeled}"
            )
        chosen = rng.permutation(positives)[:n_labeled]
    else:
        frequency = check_fraction(label_frequency, "label_frequency")
        chosen = positives[rng.random(len(positives)) < frequency]
    s = np.zeros(len(y), dtype=np.int8)
    s[chosen] = 1
    return s


def sar(y, score, *, label_frequency, strength, random_state=None):
    """Labels of positives selected at random with a probability that depends on a feature or score.

    The log odds of a positive grow linearly in its rank by `score`, over `strength` from the lowest to the highest,
    and its probabilities average to `label_frequency`. Negatives are never labeled.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    score : array-like of shape (n_samples,)
        What the chance depends on; only its ranks among the positives matter, ties share their mean rank.
    label_frequency : float
        Mean chance of the positives, in (0, 1).
    strength : float
        Log odds of the highest-ranked positive minus those of the lowest; 0 is labeling completely at random,
        negative prefers low scores.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    ndarray of shape (n_samples,)
        `s`: 1 labeled positive, 0 unlabeled.

    Raises
    ------
    ValueError
        If `y` has no positive, lengths differ, or a value is out of range or not finite.

    References
    ----------
    Bekker, Robberechts & Davis (2019), labeling selected at random.

    Examples
    --------
    >>> sar([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], label_frequency=0.999999, strength=0.0, random_state=0)
    array([1, 0, 1, 0], dtype=int8)
    """
    check_same_index(y=y, score=score)
    y = check_labels(y, "y", need=(1,))
    score = check_scores(score, "score")
    check_same_length(y=y, score=score)
    frequency = check_fraction(label_frequency, "label_frequency", inclusive=False)
    if not isinstance(strength, Real) or not np.isfinite(strength):
        raise ArgumentError("strength", f"must be a finite number, got {strength!r}")
    propensity = np.zeros(len(y))
    propensity[y == 1] = _propensities(score[y == 1], frequency, strength)
    chances = check_random_state(random_state).random(len(propensity))
    return (chances < propensity).astype(np.int8)


def _propensities(values, frequency, strength):
    """Chances of positives with these scores to be labeled, with the mean `frequency`."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count + 1) / 2)[group]  # mean rank of each group of ties, from 0
    tilt = strength * (rank / max(len(values) - 1, 1) - 0.5)
    low = -abs(strength) - 50.0
    high = abs(strength) + 50.0
    for _ in range(100):  # bisection: the mean chance increases with the shift
        shift = (low + high) / 2
        # the logistic function, safe from overflow
        chance = np.exp(-np.logaddexp(0.0, -shift - tilt))
        if chance.mean() > frequency:
            high = shift
        else:
            low = shift
    return chance


def least_correlated_feature(X):
    """Feature with the smallest sum of absolute correlations with all others.

    Nominal columns (category, text, boolean) enter as ordinal codes: categories in their order, other values sorted.
    A correlation uses the rows where both columns are present and counts 0 where it is undefined. Constant columns
    are left out; they would always win. Among equals the first column wins.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_samples, n_features)
        Mixed data; missing values are allowed.

    Returns
    -------
    hashable
        Name of the column; its position if `X` is no DataFrame.

    Raises
    ------
    ValueError
        If `X` is not two-dimensional or has no column that varies.

    References
    ----------
    Rider, Johnson, Davis, Hoens & Chawla (2013), Eq. 1.

    Examples
    --------
    >>> least_correlated_feature([[1, 2, 1], [2, 4, -1], [3, 7, -1], [4, 8, 1]])
    2
    """
    position, columns = _least_correlated(_ordinal_codes(X))
    return columns[position]


def flip_positives(X, y, fraction, *, mechanism="bcar", feature=None, random_state=None):
    """Hide a share of the positives among the negatives.

    "bcar" flips positives completely at random; "bar" those that come first in ascending order of the feature least
    correlated with the others; "bnar" does the same and removes that feature.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_samples, n_features)
        Mixed data; missing values are allowed and come last in the order.
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    fraction : float
        Share in [0, 1] of the P positives to flip, round(fraction P) of them.
    mechanism : {"bcar", "bar", "bnar"}, default="bcar"
        How the flipped ones are chosen.
    feature : hashable, optional
        Column (position, if `X` is no DataFrame) that "bar" and "bnar" sort by, where it is not to be
        :func:`least_correlated_feature`, or is known already.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from; under "bar" and "bnar" it orders equal values.

    Returns
    -------
    X_biased : DataFrame or ndarray
        `X` as given, without the feature under "bnar".
    y_biased : ndarray of shape (n_samples,)
        Class after the flips.

    Raises
    ------
    ValueError
        If `y` has no positive, lengths differ, `fraction` is out of range, or `mechanism` or `feature` unknown.

    References
    ----------
    Rider, Johnson, Davis, Hoens & Chawla (2013), Section 4.1.

    Examples
    --------
    >>> X = np.array([[5.0, 1.0], [1.0, 1.0], [3.0, 1.0], [4.0, 1.0]])
    >>> X_biased, y_biased = flip_positives(X, [1, 1, 0, 1], 1 / 3, mechanism="bnar")
    >>> X_biased.shape, y_biased
    ((4, 1), array([1, 0, 0, 1], dtype=int8))
    """
    check_same_index(X=X, y=y)
    y = check_labels(y, "y", need=(1,))
    fraction = check_fraction(fraction, "fraction")
    check_same_length(X=X, y=y)
    check_choice(mechanism, "mechanism", _FLIPS)
    order = check_random_state(random_state).permutation(np.flatnonzero(y == 1))
    if mechanism != "bcar":
        codes = _ordinal_codes(X)
        position = _least_correlated(codes)[0] if feature is None else _position(codes, feature)
        values = codes.iloc[:, position].to_numpy()
        # NaN sorts last, equals stay shuffled
        order = order[np.argsort(values[order], kind="stable")]
        X = _without(X, position) if mechanism == "bnar" else X
    y_biased = y.copy()
    y_biased[order[: round(fraction * len(order))]] = 0
    return X, y_biased


def _least_correlated(codes):
    """Position of the feature of Rider's Eq. 1 in a frame of codes, and the frame's columns."""
    varying = np.flatnonzero(codes.nunique(dropna=True).to_numpy() > 1)
    if not varying.size:
        raise ValueError(
            f"X has no column that varies among its {codes.shape[1]}: there is no feature to sort by"
        )
    correlation = codes.iloc[:, varying].corr().abs().fillna(0.0).to_numpy(copy=True)
    np.fill_diagonal(correlation, 0.0)
    # Rounded, lest the order of a sum decides between equals.
    return varying[np.argmin(correlation.sum(axis=1).round(12))], codes.columns


def _ordinal_codes(X):
    """`X` as a DataFrame of floats: numbers as they are, nominal columns as codes, missing values as NaN."""
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        if np.ndim(X) != 2:
            raise ValueError(
                f"X must be two-dimensional, (n_samples, n_features), got shape {np.shape(X)}"
            )
        X = pd.DataFrame(np.asarray(X, dtype=object)).infer_objects()  # else a text makes all texts
    return X.apply(_ordinal_column)


def _ordinal_column(column):
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):  # booleans included
        return column.astype(float)
    codes = column.astype("category").cat.codes.astype(float)
    return codes.where(codes >= 0)


def _position(codes, feature):
    if feature not in codes.columns:
        raise ValueError(
            f"feature must be a column of X, one of {', '.join(map(str, codes.columns))}, got {feature!r}"
        )
    return codes.columns.get_loc(feature)


def _without(X, position):
    if hasattr(X, "columns"):
        return X.iloc[:, [i for i in range(X.shape[1]) if i != position]]
    return np.delete(np.asarray(X), position, axis=1)


def noisy_positives(y, *, beta, n_labeled, n_unlabeled=None, random_state=None):
    """Sample of labeled examples, with label noise, and of unlabeled ones.

    round(beta n_labeled) positives and negatives for the rest are labeled. The share of positives among all remaining
    examples becomes alpha; round(alpha n_unlabeled) of the remaining positives and negatives for the rest are the
    unlabeled sample. No example is drawn twice.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    beta : float
        Share of positives among the labeled, in (0, 1].
    n_labeled : int
        Number of labeled examples.
    n_unlabeled : int, optional
        Number of unlabeled examples; by default all that remain.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    rows : ndarray of shape (n_labeled + n_unlabeled,)
        Positions in `y`, ascending, so that their order carries no information about the labels.
    s : ndarray of shape (n_labeled + n_unlabeled,)
        Labels of these rows: 1 labeled, 0 unlabeled. The true alpha is ``y[rows][s == 0].mean()``.

    Raises
    ------
    ValueError
        If `y` lacks a class, a size is out of range, the data hold too few positives or negatives, or alpha would
        not be smaller than beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Section 3.3; Jain, White & Radivojac (2017), "Experimental protocols".

    Examples
    --------
    >>> y = np.repeat([1, 0], [400, 600])
    >>> rows, s = noisy_positives(y, beta=0.9, n_labeled=100, n_unlabeled=500, random_state=0)
    >>> float(y[rows][s == 1].mean()), float(y[rows][s == 0].mean())
    (0.9, 0.344)
    """
    y = check_labels(y, "y")
    positives = np.flatnonzero(y == 1)
    negatives = np.flatnonzero(y == 0)
    sizes, shortage = noisy_sizes(len(positives), len(negatives), beta, n_labeled, n_unlabeled)
    if shortage:
        raise ValueError(shortage)
    rng = check_random_state(random_state)
    positives = rng.permutation(positives)
    negatives = rng.permutation(negatives)
    labeled_positives, labeled_negatives, unlabeled_positives, unlabeled_negatives = sizes
    s = np.full(len(y), -1, dtype=np.int8)  # -1: not in the sample
    s[positives[:labeled_positives]] = 1
    s[negatives[:labeled_negatives]] = 1
    s[positives[labeled_positives : labeled_positives + unlabeled_positives]] = 0
    s[negatives[labeled_negatives : labeled_negatives + unlabeled_negatives]] = 0
    rows = np.flatnonzero(s >= 0)
    return rows, s[rows]


def noisy_sizes(n_positive, n_negative, beta, n_labeled, n_unlabeled):
    """Positives and negatives of the labeled and of the unlabeled sample, or None; and what is short, or None."""
    beta = check_fraction(beta, "beta")
    n_labeled = check_count(n_labeled, "n_labeled")
    labeled = (round(beta * n_labeled), n_labeled - round(beta * n_labeled))
    rest = (n_positive - labeled[0], n_negative - labeled[1])
    n_unlabeled = (
        max(sum(rest), 1) if n_unlabeled is None else check_count(n_unlabeled, "n_unlabeled")
    )
    wanted = f"{n_labeled} labeled (beta={beta:g}) and {n_unlabeled} unlabeled examples"
    for kind, need, have in (
        ("positives to label", labeled[0], n_positive),
        ("negatives to label", labeled[1], n_negative),
        ("examples in all", n_labeled + n_unlabeled, n_positive + n_negative),
    ):
        if need > have:
            shortage = f"{wanted} need {need} {kind}, the data hold {have}: choose smaller samples"
            return None, shortage
    alpha = rest[0] / sum(rest)
    if alpha >= beta:
        shortage = f"{wanted} leave alpha={alpha:.3g}, which must be smaller than beta: choose a larger beta"
        return None, shortage
    positives = round(alpha * n_unlabeled)
    return (*labeled, positives, n_unlabeled - positives), None
