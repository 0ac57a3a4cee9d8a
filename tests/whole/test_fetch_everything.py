"""What a stranger downloads: every set of the mirror, from sites like UCI; one answer in three is bad."""

import gzip
import importlib
import io
import os
import random
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from serving import HTML, half, impatient, reset, send, status

from pumetrics_workflow.cli.datasets import available_from
from pumetrics_workflow.datasets import fetch, load_registry, prepare
from pumetrics_workflow.datasets.archives import read_raw
from pumetrics_workflow.datasets.prepare import content_hash

REGISTRY = Path(__file__).parents[2] / "config/datasets.yaml"
MIRROR = os.environ.get("PUMETRICS_MIRROR")
HOSTS = (
    "archive.ics.uci.edu",
    "raw.githubusercontent.com",
    "www.csie.ntu.edu.tw",
    "cdn.jsdelivr.net",
)
# Sets that the mirror has in another form than their sites do.
ELSEWHERE = (
    "breast_y",
    "iris",
    "mushroom",
    "wilt",
    "claesen_covertype_scores",
    "claesen_sensit_scores",
)

pytestmark = pytest.mark.skipif(not MIRROR, reason="PUMETRICS_MIRROR names no folder of raw files")


def in_mirror(dataset, file):
    """Bytes of a raw file as the mirror holds them, unpacked."""
    folder = Path(MIRROR, dataset.slug)
    if file.mirror:
        return read_raw(folder / file.mirror, file.member)[0]
    path = folder / file.name
    return path.read_bytes() if path.is_file() else gzip.decompress(Path(f"{path}.gz").read_bytes())


def members_of(dataset):
    """(archive's address, path inside it, bytes) of each file of a set, as the site lays them out."""
    for file in dataset.files:
        if file.bundle:
            with tarfile.open(Path(MIRROR, dataset.slug, file.mirror)) as archive:
                for item in archive:
                    if item.isfile():
                        yield file.url, f"Datasets/{item.name}", archive.extractfile(item).read()
        elif file.member.endswith(".Z"):
            yield file.url, file.member, Path(MIRROR, dataset.slug, file.member).read_bytes()
        elif file.member:
            nested = "bank.zip!" if dataset.name == "bank" else ""
            yield file.url, nested + file.member, in_mirror(dataset, file)


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("Index", "what the archive holds")
        inner = {}
        for name, data in members.items():
            outer, _, within = name.partition("!")
            inner.setdefault(outer, {})[within] = data
        for name, parts in inner.items():
            archive.writestr(name, zipped(parts) if "" not in parts else parts[""])
    return stream.getvalue()


def site(server, registry):
    """Routes of all sites, by the path that the rewritten registry asks for."""
    archives = {}
    routes = {}
    for dataset in registry.values():
        for url, name, data in members_of(dataset):
            archives.setdefault(url, {})[name] = data
        for file in dataset.files:
            for place in file.locations:
                if not place.member and place.kind != "legacy":
                    data = in_mirror(dataset, file)
                    packed = place.url.endswith(".gz")
                    routes[place.url] = gzip.compress(data, 1, mtime=0) if packed else data
    for url, members in archives.items():
        routes[url] = zipped(members)
    return {path.removeprefix(server.url): body for path, body in routes.items()}


def faulty(body, rng, faults):
    """Answer well two times in three."""

    def act(handler):
        bad = [
            status(503, HTML),
            status(502, HTML),
            status(429, Retry_After=0),
            status(500),
            half(body),
            reset,
            send(body[: len(body) // 3], claimed=len(body)),
        ]
        faults.append(rng.random() < 1 / 3)
        (rng.choice(bad) if faults[-1] else send(body))(handler)

    return act


@pytest.fixture
def stranger(tmp_path, monkeypatch, server):
    """The sets that a local server in the place of all sites has, by name, and the list of its faults."""
    faults = []
    rng = random.Random(18)
    impatient(monkeypatch, timeout=20.0)
    monkeypatch.setattr(importlib.import_module("pumetrics_workflow.datasets.fetch"), "RETRIES", 9)
    text = REGISTRY.read_text(encoding="utf-8")
    for host in HOSTS:
        text = text.replace(f"https://{host}", f"{server.url}/{host}")
    assert not re.search(r"(url|legacy|copies): \[?https", text)
    (tmp_path / "registry.yaml").write_text(text, encoding="utf-8")
    registry = load_registry(tmp_path / "registry.yaml")
    held = {
        name: dataset
        for name, dataset in registry.items()
        if "mirror" in available_from(dataset, mirror=MIRROR) and name not in ELSEWHERE
    }
    server.routes = {path: faulty(body, rng, faults) for path, body in site(server, held).items()}
    return held, faults


def test_every_set_comes_as_the_mirror_has_it(stranger, tmp_path):
    held, faults = stranger
    assert len(held) >= 41
    for name, dataset in held.items():
        report = fetch(dataset, tmp_path / "raw" / name, strict=True)
        assert report.known, name
        assert content_hash(prepare(dataset, report)[0]) == dataset.content["hash"], name
    assert 0.2 < sum(faults) / len(faults) < 0.5
