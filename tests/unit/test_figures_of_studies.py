"""Figures of all studies, drawn from the reference at quick scale: what a reader can see."""

import re
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from pumetrics.plotting import styled
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_captions
from pumetrics_workflow.studies import read_tables
from pumetrics_workflow.studies.drawing import draw, ink, labeling_label
from pumetrics_workflow.studies.drawing import drawn as drawn_figures

pytestmark = pytest.mark.slow  # it draws all figures

ROOT = Path(__file__).parents[2]
QUICK = ROOT / "results/reference/quick"
PRINTED = 170 / 25.4  # inches between the margins of A4


def captions(study):
    return load_captions(study, ROOT)["figures"]


@pytest.fixture(scope="module")
def drawn():
    """Figures by study and name."""
    found = {}
    with styled():
        for study in sorted(path.parent.name for path in QUICK.glob("*/tables")):
            figures = drawn_figures(study, captions(study), read_tables(QUICK / study / "tables"))
            found |= {(study, name): figure for name, figure in figures.items()}
            plt.close("all")
    return found


def texts(figure):
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


def test_letters_have_seven_points_in_print(drawn):
    smallest = {
        key: min(text.get_fontsize() for text in texts(figure)) * min(1, PRINTED / figure.get_figwidth())
        for key, figure in drawn.items()
    }
    assert not {key: size for key, size in smallest.items() if size < 7}


def test_no_text_is_a_name_of_the_code(drawn):
    said = {(key, text.get_text()) for key, figure in drawn.items() for text in texts(figure)}
    prose = [(key, re.sub(r"\$[^$]*\$", "", text)) for key, text in said]
    assert not [(key, text) for key, text in prose if re.search(r"\w_\w|\w=[\d.]|\d %|(?<!\d)\.\d", text)]


def test_every_labeling_has_a_name():
    names = load_yaml(ROOT / "config/studies/head_to_head.yaml")["labeling"]["names"]
    labels = [labeling_label(name) for name in names]
    assert len(set(labels)) == len(names)
    assert not [label for label in labels if re.search("[=_{]", label)]


def luminance(color):
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(color)]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_digits_have_the_contrast_of_text_on_their_cell(drawn):
    panels = [axis for axis in drawn["head_to_head", "error_by_labeling"].axes if axis.images]
    assert len(panels) == 10
    for axis in panels:
        (image,) = axis.images
        for text in axis.texts:
            x, y = text.get_position()
            assert contrast(image.cmap(image.norm(image.get_array()[y, x])), text.get_color()) > 4.5


def test_ink_is_never_below_the_contrast_of_text():
    grays = np.linspace(0, 1, 101)
    assert min(contrast((gray,) * 3, ink((gray,) * 3)) for gray in grays) > 4.5


def test_labelings_are_rows_of_dots_that_no_line_joins(drawn):
    for axis in drawn["head_to_head", "coverage"].axes:
        assert {line.get_linestyle() for line in axis.lines if line.get_marker() != "None"} == {"None"}


def test_rank_diagrams_say_what_their_axis_is(drawn):
    for name in ("ranks_error", "ranks_regret"):
        axes = drawn["head_to_head", name].axes
        assert all("rank" in axis.get_xlabel() for axis in axes)


def test_each_panel_of_claesens_figure_4_has_a_legend_of_its_own_lines(drawn):
    figure = drawn["claesen2015", "figure4"]
    assert not figure.legends
    for axis in figure.axes:
        lines = [line for line in axis.lines if not line.get_label().startswith("_")]
        styles = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in lines]
        assert [text.get_text() for text in axis.get_legend().get_texts()] == [line.get_label() for line in lines]
        assert len(set(styles)) == len(lines)


def test_repairs_that_coincide_are_both_seen(drawn):
    lines = {line.get_label(): line for line in drawn["jain2017", "repairs"].axes[1].lines}
    ring, cross = lines["none, from the observed precision"], lines["none"]
    np.testing.assert_allclose(ring.get_ydata(), cross.get_ydata(), atol=0.002)
    assert ring.get_fillstyle() == "none"
    assert ring.get_markersize() > cross.get_markersize() + 2


def test_captions_lie_next_to_the_figures_and_one_without_rows_says_so(tmp_path):
    listed = captions("checked_sample")
    tables = tmp_path / "tables"
    shutil.copytree(QUICK / "checked_sample/tables", tables)
    (tables / "widths.csv").write_text("metric,method,checks\n", encoding="utf-8")
    draw("checked_sample", listed, tables, tmp_path, ["svg"])
    assert {path.stem: path.read_text() for path in tmp_path.glob("*.txt")} == {
        name: f"{figure['caption']}\n" for name, figure in listed.items()
    }
    assert {path.stem for path in tmp_path.glob("*.svg")} == {"coverage", "width"}
    sizes = {path.stem: path.stat().st_size for path in tmp_path.glob("*.svg")}
    assert sizes["width"] < 20_000 < sizes["coverage"]
