"""One look for the figures of all studies: the same color for the same method everywhere."""

import io
from pathlib import Path

from pumetrics.plotting import LOOK, require_plots

__all__ = ["COLORS", "save", "small_png", "use_style"]

# Okabe-Ito colors, which color-blind readers can distinguish.
COLORS = {
    "true": "#000000",
    "PU": "#D55E00",
    "CR": "#0072B2",
    "CE": "#56B4E9",
    "CE+": "#009E73",
    "DR": "#CC79A7",
    "IR": "#0072B2",
    "DE": "#E69F00",
    "IE": "#56B4E9",
    "lower": "#56B4E9",
    "upper": "#E69F00",
    "uncorrected": "#D55E00",
    "direct": "#CC79A7",
    "indirect": "#0072B2",
    "direct, consensus": "#009E73",
    "f1_from_rho": "#56B4E9",
    "lee_liu": "#E69F00",
    "by_auc": "#8C6D31",
    "first_model": "#999999",
    "random": "#BBBBBB",
    "bounds_hypergeometric": "#56B4E9",
    "bounds_dkw": "#009E73",
    "bounds_bootstrap": "#E69F00",
    "lower_bound": "#332288",
}


def use_style():
    """Set matplotlib to the project's look."""
    mpl = require_plots("drawing")
    mpl.use("Agg")
    mpl.rcParams.update(LOOK)
    mpl.rcParams["axes.prop_cycle"] = mpl.cycler(color=dict.fromkeys(COLORS.values()))


def save(figure, stem, formats=("svg", "pdf"), *, title=None, caption=None):
    """Write a figure in one or more formats, without dates, and close it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    stem : path-like
        Path without suffix.
    formats : iterable of {"svg", "pdf"}
    title, caption : str, optional
        What the files say of themselves.
    """
    import matplotlib.pyplot as plt

    about = {
        "svg": {"Date": None, "Title": title, "Description": caption},
        "pdf": {"CreationDate": None, "Title": title, "Subject": caption},
    }
    for suffix in formats:
        figure.savefig(Path(f"{stem}.{suffix}"), metadata=about[suffix])
        figure.set_layout_engine("none")  # the layout of the first format is that of all
    plt.close(figure)


def small_png(figure, *, dpi=150, **texts):
    """Return a figure as the bytes of a PNG of few colors, a third of the size.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    dpi : int
    **texts
        What the file says of itself.
    """
    from PIL import Image, PngImagePlugin

    whole = io.BytesIO()
    figure.savefig(whole, format="png", dpi=dpi)
    about = PngImagePlugin.PngInfo()
    for name, text in texts.items():
        about.add_text(name, text)
    small = io.BytesIO()
    few = Image.open(whole).convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE)
    few.save(small, format="png", optimize=True, pnginfo=about)
    return small.getvalue()
