"""Several places for a file, and what vouches for it: its bytes, its content, or its counts alone."""

import json

import pytest
from serving import DATA, GOOD, HTML, QUICK, ZIP, Server, entry, registry_of, zipped

from pumetrics_workflow.datasets import DataUnavailable, fetch, prepare
from pumetrics_workflow.datasets.content import fingerprint, write_fingerprints

CRLF = DATA.replace(b"\n", b"\r\n")
OTHER = DATA.replace(b"\n5,4,", b"\n5,6,")  # one value, and no count, is another


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def example(server, tmp_path):
    """Data set `example` with known bytes and known content; a second address and a copy may be given."""
    (tmp_path / "data.csv").write_bytes(DATA)
    plain = registry_of(tmp_path, example=entry(server))["example"]
    known = fingerprint(plain, {"data.csv": tmp_path / "data.csv"})
    return lambda **changes: registry_of(tmp_path, example=entry(server, content=known, **changes))["example"]


def fetched(dataset, tmp_path, **options):
    return fetch(dataset, tmp_path / "raw/example", patience=QUICK, **options)


@pytest.mark.parametrize(
    "other", [CRLF, DATA[:-1], DATA.replace(b",", b", "), DATA.replace(b"\n7,", b"\n7.0,"), DATA + b"\x1a"],
    ids=["line ends", "last line end", "blanks", "digits", "end mark"],
)  # fmt: skip
@pytest.mark.parametrize("strict", [True, False])
def test_other_bytes_with_the_same_content_are_accepted_with_a_note(server, example, tmp_path, other, strict):
    server.routes[ZIP] = zipped(**{"data.csv": other})
    report = fetched(example(), tmp_path, strict=strict)
    assert report.trust == "content"
    assert not report.warning
    assert report.tried[-1].endswith("other bytes than the known ones, the same content")


def test_other_values_with_the_same_counts_are_a_loud_warning(server, example, tmp_path):
    server.routes[ZIP] = zipped(**{"data.csv": OTHER})
    report = fetched(example(), tmp_path)
    assert report.trust == "different"
    assert "OTHER VALUES than the known ones" in report.warning
    _, card = prepare(example(), tmp_path / "raw/example")
    assert card["warning"] == report.warning


def test_other_values_are_refused_where_that_is_asked_for(server, example, tmp_path):
    server.routes[ZIP] = zipped(**{"data.csv": OTHER})
    with pytest.raises(DataUnavailable, match=r"OTHER VALUES than the known ones.*, refused"):
        fetched(example(), tmp_path, strict=True)
    assert [path.name for path in (tmp_path / "raw/example").iterdir()] == [".lock"]


def test_other_counts_are_refused(server, example, tmp_path):
    server.routes[ZIP] = zipped(**{"data.csv": DATA.replace(b"no", b"yes", 1)})
    with pytest.raises(DataUnavailable, match="21 positives, expected 20"):
        fetched(example(), tmp_path)


def test_the_right_values_are_looked_for_before_other_ones_are_taken(server, example, tmp_path):
    server.routes |= {ZIP: zipped(**{"data.csv": OTHER}), "/old/data.csv": CRLF}
    report = fetched(example(legacy=f"{server.url}/old/"), tmp_path)
    assert report.trust == "content"
    assert report.source.endswith("(older address)")
    assert any("OTHER VALUES" in line for line in report.tried)


def test_files_with_other_values_are_asked_for_again(server, example, tmp_path):
    server.routes[ZIP] = zipped(**{"data.csv": OTHER})
    fetched(example(), tmp_path)
    server.routes[ZIP] = GOOD
    report = fetched(example(), tmp_path)
    assert report.trust == "bytes"
    assert (tmp_path / "raw/example/data.csv").read_bytes() == DATA


def test_a_shared_archive_that_is_wrong_does_not_stay(server, tmp_path):
    registry = registry_of(tmp_path, one=entry(server), two=entry(server))
    server.routes[ZIP] = zipped(**{"data.csv": DATA[:-9]})
    for name in registry:
        with pytest.raises(DataUnavailable, match="59 rows"):
            fetch(registry[name], tmp_path / "raw" / name, patience=QUICK)
    server.routes[ZIP] = GOOD
    for name in registry:
        assert fetch(registry[name], tmp_path / "raw" / name, patience=QUICK).trust == "bytes"
    assert server.hits == [ZIP] * 3


def test_a_mirror_with_an_address_is_asked_each_time(server, example, tmp_path):
    server.routes["/mirror/example/data.csv"] = OTHER
    assert fetched(example(), tmp_path, mirror=f"{server.url}/mirror").trust == "different"
    server.routes["/mirror/example/data.csv"] = DATA
    assert fetched(example(), tmp_path, mirror=f"{server.url}/mirror").trust == "bytes"
    assert not [path for path in (tmp_path / "raw/.downloads").iterdir() if path.name.endswith("data.csv")]


def test_places_are_tried_in_order(server, example, tmp_path):
    dataset = example(legacy=f"{server.url}/old.zip", file={"copies": [f"{server.url}/copy.csv"]})
    answers = {ZIP: GOOD, "/old.zip": zipped(**{"data.csv": DATA}), "/copy.csv": DATA}
    for number, (path, answer) in enumerate(answers.items()):
        server.hits.clear()
        server.routes = {path: answer}
        report = fetch(dataset, tmp_path / f"{number}/raw", patience=QUICK)
        assert server.hits == list(answers)[: number + 1]
        assert len(report.tried) == number + 1
        assert report.source.partition(" ")[2] == ["", "(older address)", "(copy)"][number]


def test_each_file_comes_from_the_first_place_that_has_it(server, tmp_path):
    half = len(DATA) // 2 + DATA[len(DATA) // 2 :].index(b"\n") + 1
    files = [{"name": name, "member": name} for name in ("a.csv", "b.csv")]
    registry = registry_of(tmp_path, example=entry(server, files=files, legacy=f"{server.url}/old/"))
    server.routes |= {ZIP: zipped(**{"a.csv": DATA[:half]}), "/old/b.csv": DATA[half:]}
    report = fetched(registry["example"], tmp_path)
    host = server.url[7:]
    assert report.source == f"{host} and {host} (older address)"
    assert (tmp_path / "raw/example/b.csv").read_bytes() == DATA[half:]


def test_a_web_page_in_the_first_place_leads_to_the_next(server, example, tmp_path):
    server.routes |= {ZIP: HTML, "/old/data.csv": HTML, "/copy.csv": DATA}
    dataset = example(legacy=f"{server.url}/old/", file={"copies": [f"{server.url}/copy.csv"], "sha256": None})
    report = fetched(dataset, tmp_path)
    assert report.source.endswith("(copy)")
    assert all("looks like a web page" in line for line in report.tried[:2])


def test_a_hash_of_the_packed_member_vouches_for_it(server, tmp_path):
    import gzip
    import hashlib

    packed = gzip.compress(DATA)
    file = {"sha256": None, "sha256_packed": hashlib.sha256(packed).hexdigest(), "member": "data.csv.gz"}
    dataset = registry_of(tmp_path, example=entry(server, file=file, legacy=f"{server.url}/old/"))["example"]
    server.routes[ZIP] = zipped(**{"data.csv.gz": packed})
    assert fetched(dataset, tmp_path).trust == "bytes"
    server.routes = {"/old/data.csv.gz": packed}
    assert fetch(dataset, tmp_path / "again/raw", patience=QUICK).trust == "bytes"


@pytest.mark.parametrize("depth", [1, 2])
def test_an_archive_in_an_archive_is_opened(server, example, tmp_path, depth):
    archive = GOOD
    for _ in range(depth):
        archive = zipped(**{"set.zip": archive, "README": b"read me"})
    server.routes[ZIP] = archive
    assert fetched(example(), tmp_path).trust == "bytes"
    server.routes[ZIP] = GOOD  # and one that is nested no more
    nested = example(file={"member": "set.zip!data.csv"})
    assert fetch(nested, tmp_path / "again/raw", patience=QUICK).trust == "bytes"


def test_a_mirror_may_hold_the_official_archive(server, example, tmp_path):
    (tmp_path / "mirror/example").mkdir(parents=True)
    (tmp_path / "mirror/example/example.zip").write_bytes(GOOD)
    assert fetched(example(), tmp_path, mirror=tmp_path / "mirror", offline=True).trust == "bytes"


def test_fingerprints_go_into_a_registry_file_and_nothing_else_changes(tmp_path):
    path = tmp_path / "registry.yaml"
    text = "# head\none:\n  rows: 3\n  positives: 1\n  notes: x\ntwo:\n  positives: 2\n"
    path.write_text(text)
    facts = {"hash": "0" * 32, "levels": 3, "classes": [2, 1]}
    for _ in range(2):
        write_fingerprints(path, {"one": facts})
    line = f"  content: {{hash: {'0' * 32}, levels: 3, classes: [2, 1]}}\n"
    assert path.read_text() == text.replace("  positives: 1\n", f"  positives: 1\n{line}")


def test_a_manifest_says_what_vouches_for_the_files(server, example, tmp_path):
    server.routes[ZIP] = GOOD
    fetched(example(), tmp_path)
    manifest = json.loads((tmp_path / "raw/example/fetched.json").read_text())
    assert (manifest["trust"], manifest["warning"]) == ("bytes", "")
