"""The picture of all published numbers; the other figures of the article are those that the studies draw."""

from pathlib import Path

from pumetrics_workflow.report.picture import panels, ratios

__all__ = ["draw", "picture_of_ratios"]

_SMALL = ("xtick.labelsize", "ytick.labelsize", "legend.fontsize")
# Points, for a figure of seven inches that is printed a little smaller.
_LETTERS = {"axes.titlesize": 7.6, "axes.labelsize": 8, **dict.fromkeys(_SMALL, 7.6)}
_MARKS = {
    "holds": ("o", "#0072B2", 3.0, "holds"),
    "differs": ("x", "#c24e00", 4.5, "mostly, partly, does not hold or opposite"),
    "open": ("o", "#888888", 2.6, "inconclusive"),
}


def draw(held, folder):
    """Write ``ratios.svg`` and ``published.svg`` into a folder; one that would not change keeps its time.

    Parameters
    ----------
    held : dict of Held
    folder : path-like
    """
    import matplotlib.pyplot as plt

    from pumetrics.plotting import styled

    with styled(), plt.rc_context(_LETTERS):
        sections = [entry.section for entry in held.values()]
        _write(_picture(panels(sections), (7, 2.5)), Path(folder, "published.svg"))
        _write(picture_of_ratios(sections), Path(folder, "ratios.svg"))
        plt.close("all")


def picture_of_ratios(sections):
    """Return the picture of the claims about size; an empty one without any."""
    import matplotlib.pyplot as plt

    panel, size = ratios(sections), (4.6, 2.1)
    return _picture([panel], size) if panel else plt.figure(figsize=size)


def _write(figure, path):
    import io

    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != content.getvalue():
        path.write_bytes(content.getvalue())


def _picture(laid_out, size):
    """A picture of the report's first page on paper: panels laid out by the report, drawn by matplotlib."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(laid_out), figsize=size, squeeze=False)
    for axis, panel in zip(axes[0], laid_out, strict=True):
        left, right, bottom, top = panel.frame
        for x1, y1, x2, y2 in panel.lines:
            axis.plot([x1, x2], [y1, y2], "--", color="#444444", linewidth=0.8, zorder=1)
        for x1, y1, x2, y2 in panel.bars:
            axis.plot([x1, x2], [y1, y2], color="#56B4E9", linewidth=1.5, zorder=1)
        for verdict, (mark, color, size, label) in _MARKS.items():
            points = [point for point in panel.points if point.verdict == verdict]
            scale = min((point.radius for point in points), default=4) / 4
            axis.plot(
                [point.x for point in points],
                [point.y for point in points],
                mark,
                color=color,
                markersize=size * max(scale, 0.4),
                markeredgewidth=1,
                alpha=0.85,
                label=label,
                fillstyle="none" if verdict == "open" else "full",
            )
        axis.set(
            title=panel.title.split(":")[0],
            xlabel=panel.x_label,
            ylabel=panel.y_label,
            xlim=(left, right),
            ylim=(bottom, top),
        )
        axis.set_xticks(
            [at for at, _ in panel.x_ticks], [text.split(",")[0] for _, text in panel.x_ticks]
        )
        axis.set_yticks([at for at, _ in panel.y_ticks], [text for _, text in panel.y_ticks])
        axis.tick_params(axis="x", rotation=30 if panel.x_ticks[0][1][0].isalpha() else 0)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    if len(laid_out) > 1:
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
