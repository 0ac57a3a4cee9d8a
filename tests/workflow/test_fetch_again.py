"""Data that a run cannot have: it says so at its end, goes on without them, and asks for them again."""

import json
import re

import pytest

OFFLINE = "offline=true"


@pytest.fixture
def mirror(run):
    """Return a mirror that holds nothing yet, and a registry in which one small set is to come from it."""
    folder = run.folder / "mirror"
    (folder / "small").mkdir(parents=True)
    entry = {
        "title": "Small",
        "kind": "download",
        "rows": 4,
        "features": 1,
        "positives": 2,
        "parser": "delimited",
        "files": [{"name": "t.csv"}],
        "options": {"names": ["x", "c"]},
        "target": "c",
        "positive": {"classes": ["a"]},
        "content": {"hash": "0" * 31 + "a"},
    }
    (run.folder / "small.yaml").write_text(json.dumps({"small": entry}))
    return folder


def test_what_could_not_be_had_is_said_asked_for_again_and_a_failure_where_that_is_wished(
    run, mirror
):
    config = [
        OFFLINE,
        "studies=[claesen2015]",
        f"mirror={mirror}",
        f"registry={run.folder / 'small.yaml'}",
    ]
    target = "resources/prepared/small.json"
    said = run(target, config=[*config, "strict=true"], expect=1)
    assert "strict: this run lacks some of its data" in said
    said = run(target, config=config)
    assert "Fetching small" in said, "asked for again"
    short = "Fetching small: no source gave its files (1 source tried); its studies run without it"
    assert said.index(short) < said.index("Finished jobid"), "said when it happens"
    assert "not available: small: no source gave its files" in said
    assert "data sets unavailable or altered in this run: 1" in said
    card, again = (run.folder / target).read_bytes(), "resources/raw/small.again"
    assert not json.loads(card)["available"]
    assert "small" in json.loads(card)["reason"]
    said = run(target, again, config=config)
    assert "Fetching small" in said, "asked for again"
    assert "Preparing small" not in said, (
        "nothing runs again for data that are as unavailable as before"
    )

    (mirror / "small/t.csv").write_text("1,a\n2,b\n3,a\n4,b\n")
    said = run(target, again, config=config)
    assert "small is available now: repeat the command to include it" in said
    assert "Preparing small" not in said, "a try that failed changed nothing"
    assert (run.folder / target).read_bytes() == card
    said = run(target, config=config)
    assert "Fetching small" not in said
    assert "WARNING: small: The files from mirror" in said
    card = json.loads((run.folder / target).read_text())
    assert card["available"]
    assert "OTHER VALUES" in card["warning"]
    said = run(target, config=[*config, "strict=true"], expect=1)
    assert "refused" in said
    assert not json.loads((run.folder / target).read_text())["available"]


def test_a_run_without_some_data_asks_for_them_and_does_all_that_is_missing(run):
    config = [OFFLINE, "scale=laptop"]
    run("resources/prepared/covertype.json", config=config)
    said = run("claesen2015", "--dry-run", "--quiet", "host", config=config)
    for rule, n in (
        ("fetch_again", 1),
        ("summarize_claesen2015", 1),
        ("report_study", 1),
        ("claesen2015", 1),
    ):
        assert re.search(rf"^{rule} +{n}$", said, flags=re.M), said
    assert re.search(r"^simulate +\d+$", said, flags=re.M), said
