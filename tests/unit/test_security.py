"""Archives and registries come from elsewhere: none of them leaves its folder, runs code, or fills a disk."""

import ast
import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import tarfile
import time
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import hypothesis.strategies as st
import pytest
import yaml
from hypothesis import given, settings

from pumetrics_workflow.config import ConfigError, load_yaml
from pumetrics_workflow.datasets import DataUnavailable, archives, fetch, load_registry
from pumetrics_workflow.datasets.errors import SourceFailed

ROOT = Path(__file__).parents[2]
DATA = b"".join(b"%d,%d,%s\n" % (n, n % 7, b"yes" if n % 3 else b"no") for n in range(60))


def zip_of(members, compression=zipfile.ZIP_DEFLATED):
    """Return a zip archive of (name or ZipInfo, content)."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for item, content in members:
            info = item if isinstance(item, zipfile.ZipInfo) else zipfile.ZipInfo("x")
            info.filename, info.compress_type = getattr(item, "filename", item), compression
            with file.open(info, "w") as member:
                member.write(content.encode() if isinstance(content, str) else content)
    return stream.getvalue()


def tar_of(members, mode="w:gz"):
    """Return a tar archive of (TarInfo or name, content)."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as file:
        for item, content in members:
            info = item if isinstance(item, tarfile.TarInfo) else tarfile.TarInfo(item)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def opened(content, member="data.csv", limit=10_000):
    return archives.open_member(io.BytesIO(content), member, limit=limit)


# Paths

UNSAFE = ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "C:\\evil", "C:evil", "\\\\host\\evil", "."]


@pytest.mark.parametrize(
    ("pack", "name"), [(zip_of, ""), *((pack, name) for pack in (zip_of, tar_of) for name in UNSAFE)]
)
def test_a_path_that_leads_out_of_the_folder_is_refused(pack, name):
    with pytest.raises(SourceFailed, match="unsafe path"):
        opened(pack([("data.csv", DATA), (name, b"evil")]))


def link(kind, target):
    info = tarfile.TarInfo("data.csv")
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar_archive_are_no_members(kind, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    content = tar_of([("other.csv", DATA), (link(kind, str(secret)), b"")])
    with pytest.raises(SourceFailed, match=r"holds no member 'data.csv' \(it holds other.csv\)"):
        opened(content)


def test_a_link_in_a_zip_archive_is_its_text_and_never_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    info = zipfile.ZipInfo("data.csv")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert opened(zip_of([(info, str(secret))])) == str(secret).encode()


# Sizes


def test_a_member_of_huge_stated_size_is_refused_before_it_is_unpacked():
    for content in (zip_of([("data.csv", bytes(3_000_000))]), tar_of([("data.csv", bytes(3_000_000))])):
        assert len(content) < 30_000, "it is small as long as it is packed"
        with pytest.raises(SourceFailed, match=r"data.csv unpacks to 3,000,000 bytes, more than the 1,000,000 allowed"):
            opened(content, limit=1_000_000)


def test_a_member_that_understates_its_size_is_stopped_while_it_is_unpacked():
    packed = zip_of([("data.csv", bytes(3_000_000))])
    size = (3_000_000).to_bytes(4, "little")
    assert packed.count(size) == 2, "once beside the member and once in the directory"
    with pytest.raises(SourceFailed):
        opened(packed.replace(size, (100).to_bytes(4, "little")), limit=1_000)


def test_a_bomb_of_bombs_is_refused():
    inner = gzip.compress(bytes(5_000_000))
    for content, member in (
        (zip_of([("data.csv.gz", inner)]), "data.csv.gz"),
        (zip_of([("inner.zip", zip_of([("data.csv", bytes(5_000_000))]))]), "inner.zip!data.csv"),
    ):
        with pytest.raises(SourceFailed, match="more than the 1,000,000"):
            opened(content, member, limit=1_000_000)


def test_a_tar_archive_is_not_unpacked_to_find_out_how_large_it_is():
    members = [(f"f{number}", bytes(1_000_000)) for number in range(40)]
    content = tar_of([*members, ("data.csv", DATA)], mode="w:xz")
    assert len(content) < 20_000
    with pytest.raises(SourceFailed, match="unpacks to more than the 16,000,000 bytes allowed in all"):
        opened(content, limit=1_000_000)
    assert opened(content, limit=10_000_000) == DATA


def test_an_archive_of_very_many_members_is_refused(monkeypatch):
    monkeypatch.setattr(archives, "_MOST", 50)
    with pytest.raises(SourceFailed, match="holds 60 members, more than the 50 allowed"):
        opened(zip_of([(f"f{number}", b"") for number in range(60)]))


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_a_table_that_stays_packed_is_no_bomb(tmp_path, ending, pack):
    name = f"data.csv.{ending}"
    (tmp_path / "mirror/example").mkdir(parents=True)
    dataset, mirror = registry(tmp_path, files=[{"name": name}]), tmp_path / "mirror"
    (mirror / "example" / name).write_bytes(pack(bytes(5_000_000)))
    with pytest.raises(DataUnavailable, match="unpacks to more than the 1,000,000 bytes allowed"):
        fetch(dataset, tmp_path / "raw", mirror=mirror, offline=True, limit=1_000_000)
    (mirror / "example" / name).write_bytes(pack(DATA))
    assert fetch(dataset, tmp_path / "raw", mirror=mirror, offline=True, limit=1_000_000).paths


# Damage: whatever the bytes, it is one error of ours or the very content

SOUND = {
    "zip": zip_of([("data.csv", DATA), ("folder/b.csv", DATA)]),
    "stored zip": zip_of([("data.csv", DATA)], zipfile.ZIP_STORED),
    "lzma zip": zip_of([("data.csv", DATA)], zipfile.ZIP_LZMA),
    "tar": tar_of([("data.csv", DATA)], "w"),
    "tar.gz": tar_of([("data.csv", DATA)], "w:gz"),
    "tar.bz2": tar_of([("data.csv", DATA)], "w:bz2"),
    "tar.xz": tar_of([("data.csv", DATA)], "w:xz"),
    "nested gz": zip_of([("data.csv.gz", gzip.compress(DATA, mtime=0))], zipfile.ZIP_STORED),
}


@pytest.mark.parametrize("kind", SOUND)
@given(data=st.data())
@settings(max_examples=150)
def test_a_damaged_archive_is_an_error_of_ours(kind, data):
    content = bytearray(SOUND[kind])
    assert opened(SOUND[kind]) == DATA
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.sampled_from([len(content), len(content) // 2, 10]))
    with contextlib.suppress(SourceFailed):
        assert len(opened(bytes(content[:end]))) <= 10_000


# Registries


def entry(**changes):
    base = {"title": "T", "kind": "download", "rows": 60, "features": 2, "positives": 40, "parser": "delimited"}
    base |= {"target": "class", "options": {"names": ["a", "b", "class"]}, "positive": {"classes": ["yes"]}}
    return {**base, "files": [{"name": "data.csv"}], **changes}


def registry(folder, **changes):
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump({"example": entry(**changes)}), encoding="utf-8")
    return load_registry(path)["example"]


@pytest.mark.parametrize(
    "changes",
    [
        {"slug": "../outside"},
        {"slug": "/tmp"},
        {"slug": "C:\\tmp"},
        {"files": [{"name": "data.csv", "mirror": "../../outside/data.csv"}]},
        {"files": [{"name": "data.csv", "mirror": "..\\..\\outside\\data.csv"}]},
    ],
)
@pytest.mark.parametrize("where", ["folder", "https://mirror.example"])
def test_an_entry_reads_nothing_outside_the_mirror(tmp_path, changes, where):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/data.csv").write_bytes(DATA)
    (tmp_path / "mirror/example").mkdir(parents=True)
    mirror = tmp_path / "mirror" if where == "folder" else where
    with pytest.raises(DataUnavailable, match="the registry names an unsafe path"):
        fetch(registry(tmp_path, **changes), tmp_path / "raw", mirror=mirror, offline=True)
    assert [path.name for path in (tmp_path / "raw").iterdir()] == [".lock"]


@pytest.mark.parametrize("name", ["..", ".lock", "fetched.json", ".partial"])
def test_an_entry_writes_nothing_but_its_own_file(tmp_path, name):
    (tmp_path / "mirror/example").mkdir(parents=True)
    (tmp_path / "mirror/example/data.csv").write_bytes(DATA)
    archive = zip_of([("data.csv", DATA)])
    (tmp_path / "mirror/example/a.zip").write_bytes(archive)
    files = [{"name": name, "mirror": "a.zip", "member": "data.csv"}]
    with pytest.raises(DataUnavailable, match="cannot be one of a data set"):
        fetch(registry(tmp_path, files=files), tmp_path / "raw", mirror=tmp_path / "mirror", offline=True)


def test_what_comes_through_a_safe_entry_is_prepared(tmp_path):
    (tmp_path / "mirror/example").mkdir(parents=True)
    (tmp_path / "mirror/example/data.csv").write_bytes(DATA)
    fetch(registry(tmp_path), tmp_path / "raw", mirror=tmp_path / "mirror", offline=True)
    assert (tmp_path / "raw/data.csv").read_bytes() == DATA


@pytest.mark.parametrize("name", ["a/b.csv", "../b.csv", "a\\b.csv"])
def test_a_file_name_with_a_folder_is_refused_by_the_schema(tmp_path, name):
    with pytest.raises(ValueError, match=r"files\.0\.name"):
        registry(tmp_path, files=[{"name": name}])


TAGS = [
    "!!python/object/apply:os.system ['touch {mark}']",
    "!!python/object/new:subprocess.Popen [['touch', '{mark}']]",
    "!!python/name:os.system",
    "!!python/module:os",
]


@pytest.mark.parametrize("tag", TAGS)
def test_yaml_runs_nothing(tmp_path, tag):
    mark, path = tmp_path / "mark", tmp_path / "registry.yaml"
    path.write_text(f"example: {tag.format(mark=mark)}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not YAML"):
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

SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "workflow/scripts").glob("*.py")]
FORBIDDEN_MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal", "joblib"}
FORBIDDEN_CALLS = {
    "eval", "exec", "__import__", "os.system", "os.popen", "tempfile.mktemp", "pd.read_pickle", "pandas.read_pickle",
    "yaml.full_load", "yaml.unsafe_load", "yaml.load_all", "extractall", "extract", "to_pickle",
}  # fmt: skip


def dangers(source):
    """Lines of a module that could run what they read, or unpack it anywhere."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if {name.split(".")[0] for name in names} & FORBIDDEN_MODULES:
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call):
            name, keywords = ast.unparse(node.func), {word.arg: ast.unparse(word.value) for word in node.keywords}
            unsafe = name in FORBIDDEN_CALLS or name.rsplit(".", 1)[-1] in {"extractall", "to_pickle", "read_pickle"}
            unsafe |= name == "yaml.load" and "SafeLoader" not in keywords.get("Loader", "")
            unsafe |= keywords.get("allow_pickle") == "True" or keywords.get("shell") == "True"
            unsafe |= keywords.get("verify") == "False" or keywords.get("autoescape") == "False"
            if unsafe:
                yield node.lineno, ast.unparse(node)


@pytest.mark.parametrize(
    "line",
    [
        "import pickle", "from joblib import load", "import shelve as s", "eval(text)", "exec(code)",
        "yaml.load(text)", "yaml.load(text, Loader=yaml.Loader)", "yaml.unsafe_load(text)",
        "np.load(path, allow_pickle=True)", "subprocess.run(text, shell=True)", "archive.extractall()",
        "requests.get(url, verify=False)", "frame.to_pickle(path)", "os.system(text)",
    ],
)  # fmt: skip
def test_the_scan_finds_what_it_looks_for(line):
    assert list(dangers(line))


def test_no_source_runs_what_it_reads():
    assert len(SOURCES) > 80
    found = [f"{path.relative_to(ROOT)}:{line}: {code}" for path in SOURCES for line, code in dangers(path.read_text())]
    assert not found, "\n".join(found)


def test_what_is_written_for_others_is_no_executable(tmp_path):
    (tmp_path / "mirror/example").mkdir(parents=True)
    path = tmp_path / "mirror/example/data.csv"
    path.write_bytes(DATA)
    path.chmod(0o777)
    fetch(registry(tmp_path), tmp_path / "raw", mirror=tmp_path / "mirror", offline=True)
    assert not os.stat(tmp_path / "raw/data.csv").st_mode & 0o111


# The audit of the locked packages

PACKAGES = {
    "clean": ([{"name": "a", "version": "1", "vulns": []}], 0, "1 locked packages audited, 0 known vulnerabilities"),
    "a vulnerability": (
        [
            {"name": "a", "version": "1", "vulns": []},
            {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]},
        ],
        1,
        "b 2: PYSEC-1, fixed in 2.1",
    ),
    "not in the database": ([{"name": "a", "skip_reason": "not found"}], 0, "cannot be reached: not found"),
    "no network": ("no connection", 0, "cannot be reached: no connection"),
}


@pytest.mark.parametrize("case", PACKAGES)
def test_the_audit_fails_for_a_known_vulnerability_and_reports_when_it_could_not_run(case, monkeypatch, capsys):
    findings, status, words = PACKAGES[case]
    loader = SourceFileLoader("audit", str(ROOT / ".ci/audit"))
    module = ModuleType("audit")
    module.__file__ = loader.path
    loader.exec_module(module)
    monkeypatch.setattr(module, "audit", lambda: findings)
    assert module.main() == status
    assert words in capsys.readouterr().out
