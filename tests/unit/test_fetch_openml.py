"""OpenML as the last source, against a local server that speaks the part of its API that the client uses."""

import hashlib
import io

import pandas as pd
import pytest
from test_fetch import Server, entry, registry_of, send, silent, status

from pumetrics_workflow.datasets import DataUnavailable, fetch, prepare
from pumetrics_workflow.datasets.errors import SourceFailed
from pumetrics_workflow.datasets.openml_client import download_openml

ROWS = [(i, i * i % 7, "red" if i % 2 else "blue", "tested_positive" if i % 3 == 0 else "no") for i in range(60)]
ARFF = (
    "@relation example\n@attribute a numeric\n@attribute b numeric\n@attribute hue {blue,green,red}\n"
    "@attribute class {no,tested_positive}\n@data\n" + "".join(f"{a},{b},{hue},{c}\n" for a, b, hue, c in ROWS)
).encode()
FEATURES = """<oml:data_features xmlns:oml="http://openml.org/openml">{}</oml:data_features>""".format(
    "".join(
        f"<oml:feature><oml:index>{i}</oml:index><oml:name>{name}</oml:name>"
        f"<oml:data_type>{'nominal' if levels else 'numeric'}</oml:data_type>"
        + "".join(f"<oml:nominal_value>{level}</oml:nominal_value>" for level in levels)
        + f"<oml:is_target>{str(name == 'class').lower()}</oml:is_target><oml:is_ignore>false</oml:is_ignore>"
        "<oml:is_row_identifier>false</oml:is_row_identifier>"
        "<oml:number_of_missing_values>0</oml:number_of_missing_values></oml:feature>"
        for i, (name, levels) in enumerate(
            {"a": (), "b": (), "hue": ("blue", "green", "red"), "class": ("no", "tested_positive")}.items()
        )
    )
).encode()


def description(server, arff, parquet=False):
    location = f"<oml:parquet_url>{server.url}/bucket/data.pq</oml:parquet_url>" if parquet else ""
    return f"""<oml:data_set_description xmlns:oml="http://openml.org/openml"><oml:id>7</oml:id>
    <oml:name>example</oml:name><oml:version>1</oml:version><oml:description>none</oml:description>
    <oml:format>ARFF</oml:format><oml:upload_date>2014-04-06T23:21:47</oml:upload_date>
    <oml:licence>Public</oml:licence><oml:url>{server.url}/data/v1/download/7/example.arff</oml:url>
    <oml:file_id>7</oml:file_id>{location}<oml:default_target_attribute>class</oml:default_target_attribute>
    <oml:visibility>public</oml:visibility><oml:status>active</oml:status>
    <oml:md5_checksum>{hashlib.md5(arff).hexdigest()}</oml:md5_checksum></oml:data_set_description>""".encode()


@pytest.fixture
def openml():
    """Server with data set 7 in both formats."""
    server = Server()
    server.routes.update(
        {
            "/api/v1/xml/data/7": description(server, ARFF),
            "/api/v1/xml/data/features/7": FEATURES,
            "/data/v1/download/7/example.arff": ARFF,
        }
    )
    yield server
    server.shutdown()
    server.server_close()


def with_openml(folder, server, **changes):
    spec = {"id": 7, "target": "class", "verified": True, "positive": {"classes": ["tested_positive"]}}
    changes = {
        "features": 3,
        "url": f"{server.url}/lost.zip",
        "openml": {**spec, **changes.pop("openml", {})},
        **changes,
    }
    return registry_of(folder, example=entry(server, **changes))["example"]


def test_openml_stands_in_where_the_site_fails(openml, tmp_path):
    dataset = with_openml(tmp_path, openml)
    report = fetch(dataset, tmp_path / "raw", openml_server=f"{openml.url}/api/v1/xml")
    assert report.source == "OpenML 7"
    assert [line.split(": ")[1] for line in report.tried] == ["status 404 Not Found", "ok"]
    frame, card = prepare(dataset, tmp_path / "raw")
    assert (card["rows"], card["positives"], card["nominal_features"]) == (60, 20, ["hue"])
    assert list(frame["hue"].cat.categories) == ["blue", "green", "red"]
    assert {path.name for path in (tmp_path / "raw").iterdir()} == {"fetched.json", ".lock", "openml-7.parquet"}


def test_a_copy_with_other_rows_or_classes_is_refused(openml, tmp_path):
    dataset = with_openml(tmp_path, openml, openml={"positive": {"classes": ["no"]}})
    with pytest.raises(DataUnavailable, match=r"OpenML 7: does not hold what the registry says.*40 positives"):
        fetch(dataset, tmp_path / "raw", openml_server=f"{openml.url}/api/v1/xml")
    assert [path.name for path in (tmp_path / "raw").iterdir()] == [".lock"]


def test_parquet_is_used_where_the_arff_is_gone(openml, tmp_path):
    stream = io.BytesIO()
    pd.DataFrame(ROWS, columns=["a", "b", "hue", "class"]).to_parquet(stream)
    modified = {"ETag": '"1"', "Last_Modified": "Sun, 06 Nov 1994 08:49:37 GMT"}
    openml.routes.update(
        {
            "/api/v1/xml/data/7": description(openml, ARFF, parquet=True),
            "/data/v1/download/7/example.arff": status(404),
            "/bucket/data.pq": send(stream.getvalue(), **modified),
        }
    )
    path = tmp_path / "data.parquet"
    download_openml(7, path, cache=tmp_path / "cache", server=f"{openml.url}/api/v1/xml", retries=1)
    assert pd.read_parquet(path).shape == (60, 4)
    assert "/bucket/data.pq" in openml.hits


def test_a_client_that_waits_for_ever_is_ended(openml, tmp_path):
    openml.routes["/api/v1/xml/data/7"] = silent
    with pytest.raises(SourceFailed, match=r"not done after 0\.5 s"):
        download_openml(7, tmp_path / "x", cache=tmp_path, server=f"{openml.url}/api/v1/xml", deadline=0.5)


def test_a_number_that_is_not_verified_is_never_used(openml, tmp_path):
    dataset = with_openml(tmp_path, openml, openml={"verified": False})
    with pytest.raises(DataUnavailable, match="OpenML 7: its number is not verified, so it is not used"):
        fetch(dataset, tmp_path / "raw", openml_server=f"{openml.url}/api/v1/xml")
    assert openml.hits == ["/lost.zip"]
