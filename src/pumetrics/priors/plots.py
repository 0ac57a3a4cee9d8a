"""What each estimator saw: the curve its estimate was read off."""

__all__ = ["draw_evidence", "plot_evidence"]

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
    from pumetrics.plotting import use_style

    use_style()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(priors.evidence), figsize=(3.4 * len(priors.evidence), 2.6), squeeze=False)
    titles = {"unlabeled": "labeled among the unlabeled", "labeled": "unlabeled among the labeled"}
    for axis, (where, evidence) in zip(axes[0], priors.evidence.items(), strict=True):
        draw_evidence(axis, evidence, title=titles[where])
    figure.suptitle(f"{priors.method}: alpha = {priors.alpha:.3f}, beta = {priors.beta:.3f}")
    return figure
