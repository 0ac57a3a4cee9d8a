"""The picture of the README: made by its command, small, and what is committed."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_picture_is_made_by_its_command(tmp_path, monkeypatch, results):
    monkeypatch.setenv("PUMETRICS_RESULTS", str(results))
    spec = importlib.util.spec_from_file_location("picture", ROOT / "docs/picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(tmp_path / "picture.svg")
    made = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    committed = (ROOT / "docs/picture.svg").read_text(encoding="utf-8")
    for text in (made, committed):
        assert len(text.encode()) < 60_000
        for word in ("uncorrected", "recovered", "true positive rate"):
            assert word in text
    assert made.count("<path") == committed.count("<path")
