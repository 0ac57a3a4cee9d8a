"""OpenML as the last source, against a local server that speaks the part of its API that is used."""

import hashlib
import importlib
import io

import numpy as np
import pandas as pd
import pytest
from serving import HTML, entry, impatient, registry_of, send, status

from pumetrics_workflow.datasets import (
    DataUnavailable,
    encode,
    encoded_names,
    fetch,
    openml_copy,
    prepare,
)
from pumetrics_workflow.datasets.archives import SourceFailed
from pumetrics_workflow.datasets.openml_copy import download_openml, openml_tables
from pumetrics_workflow.datasets.prepare import content_hash

HUES = ("blue", "green", "red")
SIZES = ("small", "middle", "large")
ROWS = [
    (
        i,
        "?" if i == 7 else i * i % 7,
        "?" if i == 5 else HUES[i % 2 * 2],
        SIZES[i % 3],
        "ill" if i % 3 == 0 else "well",
    )
    for i in range(60)
]
NAMES = ["age", "dose", "hue", "size-of-it", "class"]
ARFF = (
    "@relation example\n@attribute age numeric\n@attribute dose numeric\n@attribute hue {blue,green,red}\n"
    "@attribute size-of-it {large,middle,small}\n@attribute class {ill,well}\n@data\n"
    + "".join(",".join(map(str, row)) + "\n" for row in ROWS)
).encode()
CSV = "".join(",".join(map(str, row)) + "\n" for row in ROWS).encode()
DESCRIPTION = "/api/v1/xml/data/7"
FILE = "/data/v1/download/7/example.arff"
BUSY = (
    b'<oml:error xmlns:oml="http://openml.org/openml"><oml:code>503</oml:code>'
    b"<oml:message>Service temporarily unavailable</oml:message></oml:error>"
)


def parquet():
    """Return the table as OpenML stores it: categories, no checksum."""
    frame = pd.DataFrame(ROWS, columns=NAMES).replace("?", None)
    frame = frame.astype({"dose": float, "hue": pd.CategoricalDtype(HUES), "class": "category"})
    frame["size-of-it"] = frame["size-of-it"].astype(
        pd.CategoricalDtype(["large", "middle", "small"])
    )
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def description(server, arff=ARFF, *, with_parquet=False):
    location = (
        f"<oml:parquet_url>{server.url}/bucket/data.pq</oml:parquet_url>" if with_parquet else ""
    )
    return f"""<oml:data_set_description xmlns:oml="http://openml.org/openml"><oml:id>7</oml:id>
    <oml:name>example</oml:name><oml:version>1</oml:version><oml:description>none</oml:description>
    <oml:format>ARFF</oml:format><oml:upload_date>2014-04-06T23:21:47</oml:upload_date>
    <oml:licence>Public</oml:licence><oml:url>{server.url}{FILE}</oml:url>
    <oml:file_id>7</oml:file_id>{location}<oml:default_target_attribute>class</oml:default_target_attribute>
    <oml:visibility>public</oml:visibility><oml:status>active</oml:status>
    <oml:md5_checksum>{hashlib.md5(arff).hexdigest()}</oml:md5_checksum></oml:data_set_description>""".encode()


@pytest.fixture
def openml(monkeypatch, server):
    """Server with data set 7."""
    impatient(monkeypatch)
    server.routes.update({DESCRIPTION: description(server), FILE: ARFF})
    monkeypatch.setattr(openml_copy, "SERVER", f"{server.url}/api/v1/xml")
    return server


@pytest.fixture
def without_client(monkeypatch):
    """What the client makes of the files, without the seconds that it takes to start."""

    def download(number, folder):
        frame = pd.read_parquet(io.BytesIO(parquet()))
        for column in frame.columns[2:]:  # as the client has it
            frame[column] = frame[column].cat.as_ordered()
        frame.to_parquet(folder / "7.parquet")
        return folder / "7.parquet"

    monkeypatch.setattr(
        importlib.import_module("pumetrics_workflow.datasets.fetch"), "download_openml", download
    )


def with_openml(folder, server, **changes):
    """Entry whose official file is gone; its columns have other names than at OpenML."""
    spec = {"id": 7, "target": "class", "verified": True}
    options = {"names": ["age", "amount", "hue", "size_of_it", "class"], "nominal": ["hue"]}
    changes = {
        "features": 4,
        "missing": 2,
        "options": {**options, "ordinal": {"size_of_it": list(SIZES)}},
        "positive": {"classes": ["ill"]},
        "url": f"{server.url}/lost.zip",
        **changes,
        "openml": {**spec, **changes.get("openml", {})},
    }
    return registry_of(folder, example=entry(server, **changes))["example"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["arff", "parquet"])
def test_openml_stands_in_where_the_site_fails(openml, tmp_path, form):
    if form == "parquet":
        gone = status(412, BUSY, Content_Type="text/xml")  # which the client does not try again
        openml.routes |= {DESCRIPTION: description(openml, with_parquet=True), FILE: gone}
        openml.routes["/bucket/data.pq"] = send(
            parquet(), ETag='"1"', Last_Modified="Sun, 06 Apr 2014 23:21:47 GMT"
        )
    dataset = with_openml(tmp_path, openml)
    report = fetch(dataset, tmp_path / "raw")
    assert (report.source, report.known) == ("OpenML 7", False)
    assert report.tried[0].split(": ")[1] == "status 404 Not Found"
    frame, card = prepare(dataset, report)
    assert (card["rows"], card["positives"], card["missing"]) == (60, 20, 2)
    values = encode(frame)
    assert encoded_names(frame) == ["age", "dose", "hue=blue", "hue=green", "hue=red", "size-of-it"]
    np.testing.assert_array_equal(
        values[:4, 5], [0, 1, 2, 0], "ranks by the levels of the entry, from small to large"
    )
    np.testing.assert_array_equal(values[5, 2:5], [0, 0, 0])


@pytest.mark.usefixtures("without_client")
def test_a_copy_with_the_known_content_is_the_very_same_table(openml, tmp_path):
    (tmp_path / "data.csv").write_bytes(CSV)
    unknown = with_openml(tmp_path, openml)
    frame, card = prepare(unknown, {"data.csv": tmp_path / "data.csv"})
    known = {"hash": content_hash(frame), "levels": card["levels"], "classes": card["classes"]}
    dataset = with_openml(tmp_path, openml, content=known)
    report = fetch(dataset, tmp_path / "raw", strict=True)
    assert report.known
    ours, _ = prepare(dataset, report)
    theirs, _ = prepare(dataset, {"data.csv": tmp_path / "data.csv"})
    pd.testing.assert_frame_equal(ours, theirs)


def test_where_the_names_agree_the_types_of_the_entry_count(openml, tmp_path):
    # at OpenML the 44 binary columns of covertype, whose content hash is not known, are nominal
    (tmp_path / "7.parquet").write_bytes(parquet())
    frames = [
        frame
        for names in (["age", "dose", "hue", "size_of_it", "class"], ["w", "x", "y", "z", "class"])
        for frame, _ in openml_tables(
            with_openml(
                tmp_path, openml, options={"names": names, "nominal": [names[2], names[3]]}
            ),
            tmp_path / "7.parquet",
        )
    ]
    assert [frame.columns[3] for frame in frames] == ["size_of_it", "z", "size-of-it"]


def test_a_missing_value_that_is_a_level_of_the_entry_is_that_level(openml, tmp_path):
    options = {
        "names": NAMES,
        "nominal": "all",
        "levels": {"hue": ["blue", "red", "?"]},
        "missing": [],
    }
    (tmp_path / "7.parquet").write_bytes(parquet())
    described, drop = next(
        openml_tables(with_openml(tmp_path, openml, options=options), tmp_path / "7.parquet")
    )
    assert described["hue"].tolist() == [row[2] for row in ROWS]
    assert described["hue"].cat.categories.tolist() == ["blue", "red", "?"]
    assert not drop


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"openml": {"positive": {"classes": ["well"]}}}, "40 positives, expected 20"),
        ({"encoded": 4}, "6 encoded, expected 4"),
        ({"content": {"classes": [30, 20, 10]}}, "[40, 20] classes, expected [30, 20, 10]"),
        ({"openml": {"target": "klass"}}, "no column 'klass', the columns are age, dose"),
    ],
)
@pytest.mark.usefixtures("without_client")
def test_a_copy_with_other_counts_levels_or_classes_is_refused(openml, tmp_path, changes, words):
    dataset = with_openml(tmp_path, openml, **changes)
    with pytest.raises(
        DataUnavailable, match="OpenML 7: does not hold what the registry says"
    ) as caught:
        fetch(dataset, tmp_path / "raw")
    assert words in str(caught.value)
    assert [path.name for path in (tmp_path / "raw").iterdir()] == [".lock"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (status(412, BUSY, Content_Type="text/xml"), "Service temporarily unavailable"),
        (HTML, "Error"),
    ],
)
def test_a_fault_that_stays_is_named_in_one_line(openml, tmp_path, answer, words):
    openml.routes[DESCRIPTION] = answer
    with pytest.raises(DataUnavailable) as caught:
        fetch(with_openml(tmp_path, openml), tmp_path / "raw")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_server_that_is_silent_is_given_up(openml, tmp_path, monkeypatch):
    monkeypatch.setattr(openml_copy, "SECONDS", 0.05)
    with pytest.raises(SourceFailed, match=r"no answer in 0\.05 s"):
        download_openml(7, tmp_path)
