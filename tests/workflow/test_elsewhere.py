"""A finished run elsewhere: in Snakemake's own report, and on the kernels of another processor."""

import re

from running import TABLES

from pumetrics_workflow.config import load_yaml


def test_snakemake_report_shows_every_figure_with_its_caption(finished):
    page = finished.folder.with_suffix(".report.html")
    finished("ramola2019", "--report", str(page))
    text = page.read_text(encoding="utf-8")
    captions = load_yaml(finished.project / "config/captions/ramola2019.yaml")
    figures = [path.stem for path in finished.folder.glob("results/quick/ramola2019/figures/*.svg")]
    assert len(figures) > 3
    for name in figures:
        caption = captions["figures"][name]["caption"]
        assert re.sub(r"\W+", " ", caption)[:60] in re.sub(r"\W+", " ", text), (
            f"no caption of {name}"
        )
    for category in ("Figures", "Tables", "Reports"):
        assert f'"{category}"' in text
    assert "published results reproduced" in text


def test_the_kernels_of_another_processor_give_the_same_tables_to_six_digits(finished, run):
    # an older processor, as OpenBLAS and numba see it: other orders of summation, no fused multiplication. Networks
    # are trained in float32, so scores, and thresholds with them, may differ by 1e-7; nothing else did.
    older = {
        "OPENBLAS_CORETYPE": "Sandybridge",
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
    }
    run.environment |= older | {
        "PUMETRICS_PROCESSOR": "host"
    }  # else every job has those of one processor
    run(TABLES)
    told = run.pumetrics(
        "compare",
        *((each.folder / TABLES).parent for each in (run, finished)),
        "--tolerance",
        "1e-6",
    )
    assert told.returncode == 0, told.stdout
