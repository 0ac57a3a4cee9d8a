"""The figures of the article: all published numbers, and one of each paper as its study draws it."""

from pathlib import Path

from pumetrics_workflow.report.picture import panels
from pumetrics_workflow.studies import Tables, load

__all__ = ["FIGURES", "draw"]

# The figure of each paper, and the tables that its study's module needs to draw it; its other figures are dropped.
FIGURES = {
    "claesen2015": ("figure4", ["figure4_curves", "figure4_areas", "published"]),
    "rider2013": ("table2", ["cells", "published", "sizes"]),
    "jain2017": ("repairs", ["figure1", "figure2", "medians"]),
    "ramola2019": (
        "per_dataset",
        ["figure1", "figure1_maxima", "figure2", "by_dataset", "prior_errors", "published"],
    ),
    "tabatabaei2020": ("figure4", ["figure4", "published"]),
}
# Inches on paper: narrower than the report's, so that letters keep their size.
_SIZES = {
    "claesen2015": (6.2, 4.2),
    "rider2013": (5.9, 5.4),
    "jain2017": (6.2, 2.3),
    "ramola2019": (6.4, 3.7),
    "tabatabaei2020": (5.6, 4.1),
}
_LETTERS = {
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.4,
    "legend.title_fontsize": 6.4,
    "legend.handlelength": 1.4,
    "legend.labelspacing": 0.2,
    "legend.borderaxespad": 0.1,
}
_MARKS = {
    "holds": ("o", "#0072B2", 3.0, "holds"),
    "differs": ("x", "#c24e00", 4.5, "does not hold or opposite"),
    "open": (".", "#999999", 3.0, "not told apart or undetermined"),
}


def draw(held, folder):
    """Write ``published.svg`` and ``<study>.svg`` into a folder; one that would not change keeps its time.

    Parameters
    ----------
    held : dict of Held
    folder : path-like
    """
    import matplotlib.pyplot as plt

    from pumetrics.plotting import styled

    with styled(), plt.rc_context({"svg.hashsalt": "article", "svg.fonttype": "path", **_LETTERS}):
        _write(_picture([entry.section for entry in held.values()]), Path(folder, "published.svg"))
        for name, (figure, needed) in FIGURES.items():
            tables = Tables({key: held[name].tables[key] for key in needed if key in held[name].tables})
            drawn = load(name, "figures").figures(tables)[figure]
            drawn.set_size_inches(_SIZES[name])
            _write(drawn, Path(folder, f"{name}.svg"))
            plt.close("all")


def _write(figure, path):
    import io

    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != content.getvalue():
        path.write_bytes(content.getvalue())


def _picture(sections):
    """The picture of the report's first page on paper: panels laid out by the report, drawn by matplotlib."""
    import matplotlib.pyplot as plt

    laid_out = panels(sections)
    figure, axes = plt.subplots(1, len(laid_out), figsize=(7, 2.3), squeeze=False)
    for axis, panel in zip(axes[0], laid_out, strict=True):
        left, right, bottom, top = panel.frame
        for x1, y1, x2, y2 in panel.lines:
            axis.plot([x1, x2], [y1, y2], "--", color="#444444", linewidth=0.8, zorder=1)
        for verdict, (mark, color, size, label) in _MARKS.items():
            points = [point for point in panel.points if point.verdict == verdict]
            scale = min((point.radius for point in points), default=4) / 4
            axis.plot(
                [point.x for point in points], [point.y for point in points], mark, color=color,
                markersize=size * max(scale, 0.4), markeredgewidth=1, alpha=0.85, label=label,
            )  # fmt: skip
        axis.set(
            title=panel.title.split(":")[0],
            xlabel=panel.x_label,
            ylabel=panel.y_label,
            xlim=(left, right),
            ylim=(bottom, top),
        )
        axis.set_xticks([at for at, _ in panel.x_ticks], [_short(text) for _, text in panel.x_ticks])
        axis.set_yticks([at for at, _ in panel.y_ticks], [text for _, text in panel.y_ticks])
        axis.tick_params(axis="x", rotation=30 if panel.x_ticks[0][1][0].isalpha() else 0)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _short(text):
    """A tick's text without the explanation after its first word or words."""
    return text.split(",")[0]
