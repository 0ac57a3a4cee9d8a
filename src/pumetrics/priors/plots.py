"""What each estimator saw: the curve its estimate was read off."""

from pumetrics.priors.registry import available_priors

__all__ = ["draw_evidence", "plot_evidence", "plot_methods"]

_CURVE, _MARK = "#0072B2", "#D55E00"
_COLUMNS = 4


def draw_evidence(axis, evidence, *, title=""):
    """Draw one curve, and a dashed line where the estimate was taken.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    evidence : Evidence
        From :attr:`Priors.evidence`.
    title : str
    """
    if evidence.kind == "members":
        axis.plot(evidence.y, evidence.x, "o", color=_CURVE)
        axis.set_yticks(evidence.x, evidence.members)
        axis.set_ylim(evidence.x[-1] + 0.5, -0.5)
        axis.set_xlabel(evidence.y_label)
    else:
        axis.plot(evidence.x, evidence.y, "o" if evidence.kind == "label frequency" else "-", color=_CURVE)
        axis.set_xlabel(evidence.x_label)
        axis.set_ylabel(evidence.y_label)
    if evidence.mark is not None:
        axis.axvline(evidence.mark, color=_MARK, linestyle="--", linewidth=1)
    axis.set_title(title)


def plot_evidence(priors):
    """Figure of the evidence behind an estimate: one panel, or two where label noise was estimated.

    Parameters
    ----------
    priors : Priors
        From :func:`pumetrics.priors.estimate_priors`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    plt = _pyplot()
    figure, axes = plt.subplots(1, len(priors.evidence), figsize=(3.4 * len(priors.evidence), 2.6), squeeze=False)
    titles = {"unlabeled": "labeled among the unlabeled", "labeled": "unlabeled among the labeled"}
    for axis, (where, evidence) in zip(axes[0], priors.evidence.items(), strict=True):
        draw_evidence(axis, evidence, title=titles[where])
    figure.suptitle(f"{priors.method}: alpha = {priors.alpha:.3f}, beta = {priors.beta:.3f}")
    return figure


def plot_methods(labeled_scores, unlabeled_scores, *, methods=None, share=None, random_state=0):
    """Figure of what every method makes of the same scores.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : array-like of shape (n_labeled,) and (n_unlabeled,)
        As for :func:`pumetrics.priors.estimate_priors`.
    methods : list of str, optional
        All by default.
    share : float, optional
        The truth, for the titles.
    random_state : int or None

    Returns
    -------
    matplotlib.figure.Figure
    """
    from pumetrics.priors.estimate import estimate_shares

    plt = _pyplot()
    methods = methods or available_priors()
    n_rows = -(-len(methods) // _COLUMNS)
    figure, axes = plt.subplots(n_rows, _COLUMNS, figsize=(3 * _COLUMNS, 2.4 * n_rows), squeeze=False)
    for axis in axes.flat[len(methods) :]:
        axis.set_visible(False)
    for axis, method in zip(axes.flat, methods, strict=False):
        (estimate,) = estimate_shares(labeled_scores, unlabeled_scores, method=method, random_state=random_state)
        draw_evidence(axis, estimate.evidence, title=f"{method}: {estimate.value:.3f}")
    if share is not None:
        figure.suptitle(f"true share {share:.3f}")
    return figure


def _pyplot():
    from pumetrics.plotting import use_style

    use_style()
    import matplotlib.pyplot as plt

    return plt
