"""Simulated score files whose truth is known, to try the library with before your own data."""

import numpy as np

from pumetrics.labeling import scar
from pumetrics.validation import check_count, check_random_state
from pumetrics.writing import write_whole

__all__ = ["fraud_cases", "write_fraud_cases"]

# Per region: share of the cases, share of frauds among them, distance of the mean scores of frauds and honest cases.
_REGIONS = {
    "north": (0.35, 0.035, 2.6),
    "south": (0.30, 0.045, 2.6),
    "east": (0.20, 0.040, 2.4),
    "west": (0.15, 0.075, 1.6),
}
_CONFIRMED = 0.015  # share of all cases that are confirmed frauds
_DISTANCE = 2.5  # mean distance of a fraud from other cases, as a model knows it
_FRAUDS = sum(size * share for size, share, _ in _REGIONS.values())
_CUSTOMER = (
    0.5  # standard deviation of what the scores of a customer's cases have in common, of 1 in all
)


def fraud_cases(n_cases=40_000, *, random_state=1):
    """Insurance cases scored by two models, few of them confirmed frauds.

    About 4.5% of the cases are frauds. A random third of them is confirmed (1.5% of all cases); the others hide among
    the unlabeled cases, of which about 3% are frauds. Labels are missing at random (SCAR) and none is wrong.

    Parameters
    ----------
    n_cases : int
        At least 1,000.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    pandas.DataFrame of shape (n_cases, 7)
        ``case``, a name; ``customer``, who has one case or several with similar scores; ``region``, where ``west`` has
        the most frauds and the model separates them worst; ``outcome``, "fraud" or blank; ``new_model``, in (0, 1/3),
        a probability to be *confirmed*, as a classifier trained on these labels gives; ``rules``, points from 0 to
        100; ``fraud``, the truth, 1 or 0, which a real file lacks.

    Raises
    ------
    ValueError
        If `n_cases` is below 1,000.

    Examples
    --------
    >>> cases = fraud_cases()
    >>> cases["outcome"].value_counts().to_dict()
    {'': 39400, 'fraud': 600}
    >>> bool(0.025 < cases.loc[cases["outcome"] == "", "fraud"].mean() < 0.035)
    True
    """
    import pandas as pd

    n_cases = check_count(n_cases, "n_cases", least=1000)
    rng = check_random_state(random_state)
    region = rng.choice(len(_REGIONS), size=n_cases, p=[size for size, _, _ in _REGIONS.values()])
    shares, distances = np.array([rest for _, *rest in _REGIONS.values()]).T
    fraud = (rng.random(n_cases) < shares[region]).astype(int)
    customer = rng.integers(n_cases // 2, size=n_cases)
    evidence = (
        distances[region] * fraud
        + _CUSTOMER * rng.standard_normal(n_cases // 2)[customer]
        + np.sqrt(1 - _CUSTOMER**2) * rng.standard_normal(n_cases)
    )
    points = 30 + 10 * evidence + 10 * rng.standard_normal(n_cases)
    confirmed = scar(fraud, n_labeled=round(_CONFIRMED * n_cases), random_state=rng)
    return pd.DataFrame(
        {
            "case": [f"C{number:05d}" for number in range(1, n_cases + 1)],
            "customer": [f"K{number:05d}" for number in customer],
            "region": np.array(list(_REGIONS))[region],
            "outcome": np.where(confirmed == 1, "fraud", ""),
            "new_model": np.round(_CONFIRMED / _FRAUDS * _probability(evidence), 6),
            "rules": np.clip(np.round(points), 0, 100).astype(int),
            "fraud": fraud,
        }
    )


def _probability(evidence):
    """Probability of a fraud given the evidence, as a model sees it that knows the mean distance and share alone."""
    prior_log_odds = np.log(_FRAUDS / (1 - _FRAUDS))
    log_odds = _DISTANCE * evidence - _DISTANCE**2 / 2 + prior_log_odds
    return 1 / (1 + np.exp(-log_odds))


def write_fraud_cases(folder, n_cases=40_000, *, random_state=1):
    """Write :func:`fraud_cases` as two CSV files: ``fraud.csv``, as a user has it, and ``fraud_truth.csv``.

    Parameters
    ----------
    folder : path-like
        Made if it does not exist.
    n_cases, random_state
        See :func:`fraud_cases`.

    Returns
    -------
    pandas.DataFrame
        The cases with their truth.

    Raises
    ------
    ValueError
        If `n_cases` is below 1,000, or if the folder holds other files of these names.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> cases = write_fraud_cases(folder := mkdtemp(), n_cases=1000)
    >>> import pandas as pd
    >>> pd.read_csv(f"{folder}/fraud.csv").columns.to_list()
    ['case', 'customer', 'region', 'outcome', 'new_model', 'rules']
    """
    from pathlib import Path

    folder = Path(folder)
    cases = fraud_cases(n_cases, random_state=random_state)
    texts = {
        "fraud.csv": cases.drop(columns="fraud").to_csv(index=False, lineterminator="\n"),
        "fraud_truth.csv": cases[["case", "fraud"]].to_csv(index=False, lineterminator="\n"),
    }
    for name, text in texts.items():
        path = folder / name
        if path.exists() and path.read_bytes() != text.encode():
            raise ValueError(
                f"{path} exists with other content and is not overwritten: choose another folder"
            )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(folder / name, text)
    return cases
