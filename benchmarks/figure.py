"""The figure of the benchmarks: how cost grows, ours and each peer."""

__all__ = ["draw"]

PEERS = ["#d55e00", "#cc79a7", "#e69f00", "#7f7f7f", "#56b4e9"]
OURS = ["#0072b2", "#009e73", "#000000", "#332288", "#44aa99"]


def draw(curves, output):
    """Draw one log-log panel per panel of `curves` and save it; returns the paths.

    Parameters
    ----------
    curves : pandas.DataFrame
        Columns of :class:`benchmarks.harness.Point`.
    output : pathlib.Path
        Folder.
    """
    from pumetrics_workflow.plotting import use_style

    use_style()
    import matplotlib.pyplot as plt

    panels = list(dict.fromkeys(curves["panel"]))
    n_columns = min(len(panels), 4)
    n_lines = -(-len(panels) // n_columns)
    figure, axes = plt.subplots(
        n_lines, n_columns, figsize=(3.0 * n_columns, 3.6 * n_lines), squeeze=False
    )
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, panel in zip(axes.flat, panels, strict=False):
        _panel(axis, curves[curves["panel"] == panel], panel)
    for axis in axes[:, 0]:
        axis.set_ylabel("CPU time, one thread (s)")
    paths = [output / f"benchmarks.{suffix}" for suffix in ("svg", "png")]
    for path in paths:
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
    return paths


def _panel(axis, points, title):
    series = list(dict.fromkeys(points["series"]))
    ours = [name for name in series if name.startswith("ours")]
    peers = [name for name in series if name not in ours]
    for name, color in [*zip(ours, OURS, strict=False), *zip(peers, PEERS, strict=False)]:
        line = points[points["series"] == name].sort_values("x")
        axis.plot(
            line["x"],
            line["seconds"],
            color=color,
            label=name,
            marker="o" if name in ours else "s",
            markersize=3.5,
            linewidth=1.8 if name in ours else 1.1,
            linestyle="-" if name in ours else "--",
        )
    axis.set(xscale="log", yscale="log", title=title, xlabel=points["x_label"].iloc[0])
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.yaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
    axis.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=2, fontsize=6.5
    )  # below: lines fill the panel
