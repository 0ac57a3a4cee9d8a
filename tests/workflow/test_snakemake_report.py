"""Snakemake's own report of a run: figures, tables and the page, sorted, labeled and with their captions."""

import re

from pumetrics_workflow.studies import load


def test_snakemake_report_shows_every_figure_with_its_caption(finished):
    page = finished.folder.with_suffix(".report.html")
    finished("ramola2019", "--report", str(page))
    text = page.read_text(encoding="utf-8")
    figures = [path.stem for path in finished.folder.glob("results/quick/ramola2019/figures/*.svg")]
    assert len(figures) > 3
    for name in figures:
        caption = load("ramola2019").CAPTIONS[name]
        assert re.sub(r"\W+", " ", caption)[:60] in re.sub(r"\W+", " ", text), f"no caption of {name}"
    for category in ("Figures", "Tables", "Reports"):
        assert f'"{category}"' in text
    assert "five papers reproduced" in text
