"""Figures of all studies, drawn from the reference at quick scale: what a reader can see."""

import re
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from pumetrics.plotting import styled
from pumetrics_workflow.plan import load_captions
from pumetrics_workflow.plotting import COLORS
from pumetrics_workflow.studies import read_tables
from pumetrics_workflow.studies.drawing import (
    COLUMN,
    PALETTE,
    WIDTH,
    boxes,
    draw,
    drawn,
)
from pumetrics_workflow.studies.head_to_head import figures as head_to_head
from pumetrics_workflow.studies.queries import box_statistics
from pumetrics_workflow.studies.rider2013 import figures as rider2013
from pumetrics_workflow.studies.rider2013.verdicts import printed_cells

ROOT = Path(__file__).parents[2]
QUICK = ROOT / "results/reference/quick"
PRINTED = 170 / 25.4  # inches between the margins of A4
STUDIES = sorted(path.parent.name for path in QUICK.glob("*/tables"))


def captions(study):
    return load_captions(study, ROOT)["figures"]


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_letters_can_be_read_in_print_and_none_is_a_name_of_the_code(study):
    with styled():
        figures = drawn(study, captions(study), read_tables(QUICK / study / "tables"))
    assert figures
    for name, figure in figures.items():
        assert figure.get_figwidth() in (COLUMN, WIDTH), name
        scale = min(1, PRINTED / figure.get_figwidth())
        for text in figure.findobj(Text):
            prose = re.sub(r"\$[^$]*\$", "", text.get_text())
            assert text.get_fontsize() * scale >= 7 or not prose.strip(), (name, prose)
            assert not re.search(r"\w_\w|\w=[\d.]|\d %|(?<!\d)\.\d", prose), (name, prose)
    plt.close("all")


def test_what_methods_are_compared_by_has_colors_of_its_own():
    own = {name: PALETTE[name] for name in PALETTE.keys() - COLORS - {"observed", "corrected"}}
    del own["truth"]
    assert len({*own.values(), *COLORS.values()}) == len(own) + len(set(COLORS.values()))


def test_boxes_are_those_of_the_values_behind_the_statistics():
    values = np.random.default_rng(0).normal(size=(40, 2))
    table = pd.DataFrame(values, columns=["a", "b"]).melt(var_name="method", value_name="error")
    table["beta"] = "1"
    statistics = box_statistics(table, ["beta", "method"], "error")
    statistics = statistics.astype({"beta": "category", "method": "category"})
    axis = plt.subplots()[1]
    boxes(axis, statistics, x="beta", hue="method", palette={"a": "red", "b": "blue"})
    shown = np.concatenate([line.get_ydata() for line in axis.lines])
    for line in plt.subplots()[1].boxplot(values, showfliers=False)["caps"]:
        assert np.isclose(shown, line.get_ydata()[0]).any()
    for median in np.median(values, axis=0):
        assert np.isclose(shown, median).any()
    assert axis.get_xticklabels()[0].get_text() == "1\nn = 40"
    plt.close("all")


@pytest.mark.slow
def test_equal_tables_are_equal_files_which_say_what_they_show(tmp_path):
    listed = captions("checked_sample")
    tables = tmp_path / "quick/checked_sample/tables"
    shutil.copytree(QUICK / "checked_sample/tables", tables)
    (tables / "widths.csv").write_text("metric,method,checks\n", encoding="utf-8")
    (tables.parent / "provenance.json").write_text('{"commit": "abcdef"}', encoding="utf-8")
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        draw("checked_sample", listed, tables, folder, ["svg", "pdf"])

    first, second = ({path.name: path.read_bytes() for path in each.iterdir()} for each in folders)
    assert first == second
    text = first["coverage.svg"].decode()
    assert ">no assumption</text>" in text
    assert "checked_sample, coverage, scale quick, commit abcdef<" in text
    assert b"/Title (checked_sample, coverage, " in first["coverage.pdf"]
    assert b"/Type3" not in first["coverage.pdf"], "letters are TrueType"
    assert first["coverage.txt"].decode() == f"{listed['coverage']['caption']}\n"
    assert len(first["width.svg"]) < 20_000 < len(text), "a table without rows is not drawn"


def test_panels_of_the_printed_and_the_reproduced_table_have_a_column_for_each_percentage():
    tables = read_tables(QUICK / "rider2013/tables")
    with styled():
        figure = rider2013.table2(tables["cells"], tables["published"])
    percents = len(printed_cells(tables["published"])["fraction"].unique())
    assert percents > tables["cells"]["fraction"].nunique(), "a small scale leaves out some"
    panels = [axis.collections[0].get_array().shape for axis in figure.axes[:4]]
    assert panels == [(15, percents)] * 4
    plt.close("all")


def test_cells_are_those_of_the_table_and_a_ring_marks_the_smallest_without_the_true_prior():
    table = read_tables(QUICK / "head_to_head/tables")["breaking"]
    with styled():
        figure = head_to_head.error_by_labeling(table, pd.DataFrame({"sets": [2]}))
    (axis,) = (axis for axis in figure.axes if axis.get_title() == "AUC")
    mesh, rings, *_ = axis.collections
    cells = table[table["metric"] == "roc_auc"].set_index(["method", "prior"])
    labelings = sorted(cells.filter(like="="), key=head_to_head.place_of)
    cells = cells.loc[head_to_head._ROWS, labelings]
    np.testing.assert_array_equal(mesh.get_array(), cells)
    own = cells.drop("true", level="prior").min()
    is_least = np.isclose(cells, own) & (cells.index.get_level_values("prior") != "true")[:, None]
    ringed = rings.get_offsets()[:, ::-1] - 0.5
    np.testing.assert_array_equal(ringed, np.argwhere(is_least))
    plt.close("all")
