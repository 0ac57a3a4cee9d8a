"""Archives and registries come from elsewhere: none of them leaves its folder, runs code, or fills a disk."""

import contextlib
import gzip
import io
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from serving import entry, registry_of, tarred, zipped

from pumetrics_workflow.config import ConfigError, load_yaml
from pumetrics_workflow.datasets import load_registry
from pumetrics_workflow.datasets.archives import SourceFailed, read_raw

ROOT = Path(__file__).parents[2]
DATA = b"".join(b"%d,%d,%s\n" % (n, n % 7, b"yes" if n % 3 else b"no") for n in range(60))


def opened(folder, content, member="data.csv", limit=10_000):
    (folder / "archive").write_bytes(content)
    data, _ = read_raw(folder / "archive", member, limit=limit)
    assert [path.name for path in folder.iterdir()] == ["archive"], (
        "members are read, never extracted"
    )
    return data


# Paths

UNSAFE = [
    "../data.csv",
    "a/../../data.csv",
    "/etc/data.csv",
    "..\\data.csv",
    "C:\\data.csv",
    "\\\\host\\data.csv",
]


@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_path_leads_nowhere(tmp_path, pack, name):
    (tmp_path / "in").mkdir()
    (tmp_path / "data.csv").write_bytes(b"as it was")
    assert (
        opened(tmp_path / "in", pack({name: b"evil", "set/other.csv": DATA}), "other.csv") == DATA
    )
    with contextlib.suppress(
        SourceFailed
    ):  # what has the name of the file is read, wherever it claims to be
        assert opened(tmp_path / "in", pack({name: b"evil"})) == b"evil"
    assert (tmp_path / "data.csv").read_bytes() == b"as it was"


def link(kind, target):
    info = tarfile.TarInfo("data.csv")
    info.type = kind
    info.linkname = target
    return info


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_in_a_tar_archive_are_no_members(kind, tmp_path):
    content = io.BytesIO(tarred({"other.csv": DATA}, "w"))
    with tarfile.open(fileobj=content, mode="a") as archive:
        archive.addfile(link(kind, "/etc/passwd"))
    with pytest.raises(SourceFailed, match=r"holds no member 'data.csv' \(it holds other.csv\)"):
        opened(tmp_path, content.getvalue())


# Sizes

ZEROS = bytes(3_000_000)
BOMBS = {
    "zip": (zipped({"data.csv": ZEROS}), "data.csv"),
    "tar": (tarred({"data.csv": ZEROS}), "data.csv"),
    "gz": (gzip.compress(ZEROS), ""),
    "gz in zip": (zipped({"data.csv.gz": gzip.compress(ZEROS)}), "data.csv.gz"),
    "zip in zip, large itself": (
        zipped({"inner.zip": zipped({"x": os.urandom(9)}) + ZEROS}),
        "data.csv",
    ),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_stopped_while_it_is_unpacked(tmp_path, kind):
    content, member = BOMBS[kind]
    assert len(content) < 30_000, "it is small as long as it is packed"
    with pytest.raises(SourceFailed, match="more than the 1,000,000 bytes"):
        opened(tmp_path, content, member, limit=1_000_000)


def test_a_member_that_understates_its_size_is_stopped_while_it_is_unpacked(tmp_path):
    packed = zipped({"data.csv": ZEROS})
    size = len(ZEROS).to_bytes(4, "little")
    assert packed.count(size) == 2, "once beside the member and once in the directory"
    with pytest.raises(SourceFailed):
        opened(tmp_path, packed.replace(size, (100).to_bytes(4, "little")), limit=1_000)


def test_a_tar_archive_is_not_unpacked_to_find_out_how_large_it_is(tmp_path):
    members = {f"f{number}": bytes(1_000_000) for number in range(40)}
    content = tarred({**members, "data.csv": DATA}, mode="w:xz")
    assert len(content) < 20_000
    with pytest.raises(
        SourceFailed, match="unpacks to more than the 16,000,000 bytes allowed in all"
    ):
        opened(tmp_path, content, limit=1_000_000)
    assert opened(tmp_path, content, limit=10_000_000) == DATA


# Damage: whatever the bytes, it is one error of ours or the very content

SOUND = {
    "zip": zipped({"data.csv": DATA, "folder/b.csv": DATA}),
    "stored zip": zipped({"data.csv": DATA}, zipfile.ZIP_STORED),
    "lzma zip": zipped({"data.csv": DATA}, zipfile.ZIP_LZMA),
    "tar": tarred({"data.csv": DATA}, "w"),
    "tar.gz": tarred({"data.csv": DATA}, "w:gz"),
    "tar.bz2": tarred({"data.csv": DATA}, "w:bz2"),
    "tar.xz": tarred({"data.csv": DATA}, "w:xz"),
    "nested gz": zipped({"data.csv.gz": gzip.compress(DATA, mtime=0)}, zipfile.ZIP_STORED),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOUND)
@given(data=st.data())
@settings(max_examples=150)
def test_a_damaged_archive_is_an_error_of_ours(kind, data, tmp_path_factory):
    content = bytearray(SOUND[kind])
    folder = tmp_path_factory.mktemp("damaged")
    assert opened(folder, SOUND[kind]) == DATA
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.sampled_from([len(content), len(content) // 2, 10]))
    with contextlib.suppress(SourceFailed):
        assert len(opened(folder, bytes(content[:end]))) <= 10_000


# Registries


UNSAFE_NAMES = ["../a", "a/../../b", "/tmp", "C:\\tmp", "..\\a", "..", ".lock"]
NEVER_KEPT = ["a/b.csv", "fetched.json", "data.csv.gz", "data.zip", "data.tar"]


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        *(("slug", {"slug": name}) for name in UNSAFE_NAMES),
        *(
            ("files.0.mirror", {"files": [{"name": "data.csv", "mirror": name}]})
            for name in UNSAFE_NAMES
        ),
        *(("files.0.name", {"files": [{"name": name}]}) for name in [*UNSAFE_NAMES, *NEVER_KEPT]),
    ],
)
def test_an_entry_reads_nothing_outside_the_mirror_and_writes_nothing_but_its_own_file(
    tmp_path, key, changes
):
    spec = entry(SimpleNamespace(url="https://example.org"))
    with pytest.raises(ValueError, match=rf"registry\.yaml: example\.{key}: "):
        registry_of(tmp_path, example={**spec, **changes})


TAGS = [
    "!!python/object/apply:os.system ['touch {mark}']",
    "!!python/object/new:subprocess.Popen [['touch', '{mark}']]",
    "!!python/name:os.system",
    "!!python/module:os",
]


@pytest.mark.parametrize("tag", TAGS)
def test_yaml_runs_nothing(tmp_path, tag):
    mark = tmp_path / "mark"
    path = tmp_path / "registry.yaml"
    path.write_text(f"example: {tag.format(mark=mark)}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"registry\.yaml, line 1"):
        load_registry(path)
    with pytest.raises(ConfigError, match=r"registry\.yaml, line 1"):
        load_yaml(path)
    assert not mark.exists()


@pytest.mark.parametrize("shape", ["[{}]", "{{a: {0}, b: {0}}}"])
def test_a_yaml_bomb_is_refused_at_once(tmp_path, shape):
    lines = ["l0: &l0 lol"]
    for level in range(1, 30):
        many = ", ".join([f"*l{level - 1}"] * 10) if shape == "[{}]" else f"*l{level - 1}"
        lines.append(f"l{level}: &l{level} {shape.format(many)}")
    path = tmp_path / "registry.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    started = time.monotonic()
    with pytest.raises(ValueError, match="holds more than 1,000,000 values") as caught:
        load_registry(path)
    assert len(str(caught.value)) < 500
    assert time.monotonic() - started < 10


# The source


def test_no_source_runs_what_it_reads():
    """No pickle, code or shell is run, no YAML makes objects, no archive is extracted, every certificate is checked."""
    rules = "S102,S202,S301,S302,S307,S501,S506,S602,S604,S605"
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "src", "workflow"]
    safe = ["--per-file-ignores", "config.py:S506"]  # its loader is a SafeLoader
    found = subprocess.run(
        [*command, "--select", rules, *safe], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


# The audit of the locked packages

PACKAGES = {
    "clean": (
        [{"name": "a", "version": "1", "vulns": []}],
        0,
        "1 locked packages audited, 0 known vulnerabilities",
    ),
    "a vulnerability": (
        [
            {"name": "a", "version": "1", "vulns": []},
            {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]},
        ],
        1,
        "b 2: PYSEC-1, fixed in 2.1",
    ),
    "not in the database": (
        [{"name": "a", "skip_reason": "not found"}],
        None,
        "cannot be reached: not found",
    ),
}


@pytest.mark.parametrize("github", ["", "true"])
@pytest.mark.parametrize("case", PACKAGES)
def test_the_audit_fails_for_a_known_vulnerability_and_on_github_where_it_cannot_run(
    case, github, monkeypatch, capsys
):
    findings, status, words = PACKAGES[case]
    status = bool(github) if status is None else status
    monkeypatch.setenv("GITHUB_ACTIONS", github)
    loader = SourceFileLoader("audit", str(ROOT / ".ci/audit"))
    module = ModuleType("audit")
    module.__file__ = loader.path
    loader.exec_module(module)
    monkeypatch.setattr(module, "audit", lambda: findings)
    assert module.main() == status
    assert words in capsys.readouterr().out
