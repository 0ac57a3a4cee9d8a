"""Which method ``method="auto"`` takes: what docs/choosing.md recommends, as measured in the study head_to_head."""

from pumetrics.metrics import find_metric

__all__ = ["LARGEST_EXACT", "choose"]

LARGEST_EXACT = 50_000  # positives up to which the exact band takes about a second

_EXACT = "bounds_hypergeometric"
_BOTH = {
    **dict.fromkeys(("roc_auc", "accuracy", "balanced_accuracy", "f1"), "direct"),
    **dict.fromkeys(("max_balanced_accuracy", "max_mcc"), _EXACT),
}

# Column "SCAR, no label noise, alpha known" of the decision table.
_KNOWN = {**_BOTH, "average_precision": "indirect", "mcc": "direct", "max_accuracy": _EXACT, "max_f1": _EXACT}
# The same rule under an unknown labeling mechanism, with the estimator consensus_clean: without a known alpha the
# mechanism is rarely known either.
_ESTIMATED = {**_BOTH, "average_precision": "direct", "mcc": _EXACT, "max_accuracy": "direct", "max_f1": "direct"}


def choose(metric, *, known, clean):
    """Return the default method of a metric.

    Parameters
    ----------
    metric : str
        An entry of ``METRICS``. Methods of precision, recall and lift were not compared.
    known : bool
        Whether alpha is known, or follows from the label frequency.
    clean : bool
        Whether beta is assumed to be 1. Bounds need that, so with label noise areas are recovered
        indirectly if the priors are known, and all else directly.

    Returns
    -------
    str

    Examples
    --------
    >>> choose("roc_auc", known=True, clean=True), choose("max_f1", known=False, clean=True)
    ('direct', 'direct')
    """
    entry = find_metric(metric)
    area, metric = entry.kind == "area", entry.name
    if not clean:
        return "indirect" if area and known else "direct"
    return (_KNOWN if known else _ESTIMATED).get(metric, "indirect" if area else "direct")
