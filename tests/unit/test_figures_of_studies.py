"""Figures of all studies, drawn from the reference at quick scale: what a reader can see."""

import re
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

from pumetrics.plotting import styled
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_captions
from pumetrics_workflow.studies import read_tables
from pumetrics_workflow.studies.drawing import COLUMN, WIDTH, draw, labeling_label
from pumetrics_workflow.studies.drawing import drawn as drawn_figures
from pumetrics_workflow.studies.head_to_head import figures as head_to_head

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
        key: min(text.get_fontsize() for text in texts(figure))
        * min(1, PRINTED / figure.get_figwidth())
        for key, figure in drawn.items()
    }
    assert not {key: size for key, size in smallest.items() if size < 7}


def test_no_text_is_a_name_of_the_code(drawn):
    said = {(key, text.get_text()) for key, figure in drawn.items() for text in texts(figure)}
    prose = [(key, re.sub(r"\$[^$]*\$", "", text)) for key, text in said]
    assert not [
        (key, text) for key, text in prose if re.search(r"\w_\w|\w=[\d.]|\d %|(?<!\d)\.\d", text)
    ]


def test_every_labeling_has_a_name():
    names = load_yaml(ROOT / "config/studies/head_to_head.yaml")["labeling"]["names"]
    labels = [labeling_label(name) for name in names]
    assert len(set(labels)) == len(names)
    assert not [label for label in labels if re.search("[=_{]", label)]


def test_cells_have_the_step_of_their_number_and_a_ring_marks_the_smallest_that_needs_no_true_prior(
    drawn,
):
    table = read_tables(QUICK / "head_to_head/tables")["breaking"].set_index(
        ["metric", "method", "prior"]
    )
    panels = {
        axis.get_title(): axis
        for axis in drawn["head_to_head", "error_by_labeling"].axes
        if axis.images
    }
    assert len(panels) == 10
    (image,), rings = panels["AUC"].images, panels["AUC"].collections[0].get_offsets()
    rows = table.loc["roc_auc"].loc[list(head_to_head._ROWS)]
    labelings = sorted((name for name in rows.columns if "=" in name), key=head_to_head.place_of)
    cells = rows[labelings].to_numpy(float)
    np.testing.assert_array_equal(image.get_array(), cells)
    own = [prior != "true" for _, prior in head_to_head._ROWS]
    for x, column in enumerate(cells.T):
        least = np.flatnonzero(np.isclose(column, column[own].min()) & own)
        assert sorted(y for at, y in rings if at == x) == list(least)


def test_every_box_says_how_many_values_it_holds_and_figures_have_the_width_of_a_journal(drawn):
    for key in (("jain2017", "figure2"), ("ramola2019", "figure2"), ("ramola2019", "priors")):
        labels = [
            text.get_text()
            for axis in drawn[key].axes
            for text in axis.get_xticklabels()
            if axis.patches
        ]
        assert all(re.search(r"\nn [=≥] \d", label) for label in labels)
        assert labels
    assert {figure.get_figwidth() for figure in drawn.values()} == {COLUMN, WIDTH}


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
        assert [text.get_text() for text in axis.get_legend().get_texts()] == [
            line.get_label() for line in lines
        ]
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
