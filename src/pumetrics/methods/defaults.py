"""Which method ``method="auto"`` takes: what docs/choosing.md recommends, as measured in the study head_to_head."""

from pumetrics.metrics import find_metric

__all__ = ["LARGEST_EXACT", "choose"]

LARGEST_EXACT = 50_000  # positives up to which the exact band takes about a second

_EXACT, _BOOTSTRAP = "bounds_hypergeometric", "bounds_bootstrap"
_MAXIMA = dict.fromkeys(("max_accuracy", "max_balanced_accuracy", "max_f1", "max_mcc"), _EXACT)

# Block "SCAR, no label noise", priors known.
_KNOWN = {
    "roc_auc": "indirect", "average_precision": "indirect", "accuracy": "direct",
    "balanced_accuracy": _BOOTSTRAP, "f1": _BOOTSTRAP, "mcc": _BOOTSTRAP, **_MAXIMA,
}  # fmt: skip
# Block "unknown labeling mechanism", priors unknown: without a known alpha the mechanism is rarely known either.
_ESTIMATED = {
    "roc_auc": _BOOTSTRAP, "average_precision": _BOOTSTRAP, "accuracy": "direct",
    "balanced_accuracy": _BOOTSTRAP, "f1": _EXACT, "mcc": _BOOTSTRAP, **_MAXIMA, "max_accuracy": "direct",
}  # fmt: skip


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
    >>> choose("roc_auc", known=True, clean=True), choose("roc_auc", known=False, clean=True)
    ('indirect', 'bounds_bootstrap')
    """
    entry = find_metric(metric)
    area, metric = entry.kind == "area", entry.name
    if not clean:
        return "indirect" if area and known else "direct"
    return (_KNOWN if known else _ESTIMATED).get(metric, "indirect" if area else "direct")
