"""The look of figures: that of seaborn, without its import."""

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from pumetrics.plotting import COLORS, save, styled


def test_the_look_is_that_of_seaborn():
    sns = pytest.importorskip("seaborn")
    with mpl.rc_context():
        sns.set_theme(context="paper", style="ticks", palette=list(dict.fromkeys(COLORS.values())))
        seaborn = dict(mpl.rcParams)
    with styled():
        ours = dict(mpl.rcParams)
    chosen = {"axes.grid", "axes.spines.right", "axes.spines.top", "axes.titlesize", "axes.labelsize", "figure.dpi"}
    chosen |= {"grid.color", "image.cmap", "legend.fontsize", "legend.frameon", "svg.hashsalt", "axes.prop_cycle"}
    differing = {name for name in ours if ours[name] != seaborn[name] and "constrained" not in name}
    assert differing <= chosen


def test_to_draw_imports_neither_seaborn_nor_statistics():
    code = "import sys; from pumetrics.plotting import use_style; use_style(); import matplotlib.pyplot; "
    code += "sys.exit(sorted({'seaborn', 'scipy.stats'} & set(sys.modules)) or None)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_figure_is_saved_in_the_formats_that_are_named(tmp_path):
    for formats in (("svg",), ("svg", "pdf")):
        save(plt.figure(), tmp_path / f"{len(formats)}", formats)
    assert {path.name for path in tmp_path.iterdir()} == {"1.svg", "2.svg", "2.pdf"}
