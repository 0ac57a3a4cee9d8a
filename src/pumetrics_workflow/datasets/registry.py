"""The registry of data sets: what each one is, where it comes from and what counts as positive."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from pumetrics_workflow.config import ConfigError, check, load_yaml, nearest
from pumetrics_workflow.datasets.parse import OWN_OPTIONS, is_score_file

__all__ = ["Alternative", "DataSet", "Location", "RawFile", "Registry", "load_registry"]

_RANGE = re.compile(r"^(.*)\[(\d+)-(\d+)\](.*)$")


@dataclass(frozen=True)
class Location:
    """One place where a raw file can be downloaded.

    Attributes
    ----------
    url : str
        Address of the file, or of an archive that holds it.
    member : str
        Path inside the archive; empty if the address is that of the file itself, plain or packed.
    kind : str
        ``official``, ``legacy`` (an older address of the official site), ``copy`` (a pinned copy elsewhere),
        ``mirror``, ``openml`` or ``own`` (the user's own file).
    """

    url: str
    member: str = ""
    kind: str = "official"


@dataclass(frozen=True)
class RawFile:
    """One raw file: its name in a mirror and on disk, its hashes, and its sources.

    Attributes
    ----------
    name : str
        Name on disk, after decompression, and in a mirror (there also with ``.gz``).
    sha256 : tuple of str
        Known hashes of the uncompressed bytes. Other bytes are read, and what they hold is checked instead.
    sha256_packed : tuple of str
        Known hashes of the packed member, where the site packs it once more.
    member : str
        Path inside the archive at `url`, or inside an archive in it. Empty: `url` is the file.
    url : str
        Official location. Empty: there is none.
    legacy : str
        Older address at the official site: an archive, a file, or with a final slash the folder that holds the file.
    copies : tuple of str
        Addresses of copies of the file whose content does not change.
    bundle : str
        Pattern of file names below `member` which are joined into one file, each line after its file's name.
    mirror : str
        Name in a mirror if it differs from `name`; an archive there is opened like the official one.
    """

    name: str
    sha256: tuple = ()
    sha256_packed: tuple = ()
    member: str = ""
    url: str = ""
    legacy: str = ""
    copies: tuple = ()
    bundle: str = ""
    mirror: str = ""

    @property
    def locations(self):
        """All :class:`Location` of the file, in the order in which they are tried."""
        kind = "own" if self.url.startswith("file:") else "official"
        places = [Location(self.url, self.member, kind)] if self.url else []
        if self.legacy.endswith("/"):
            name = PurePosixPath(self.member or self.name).name
            places.append(Location(self.legacy + name, "", "legacy"))
        elif self.legacy:
            places.append(Location(self.legacy, self.member, "legacy"))
        return (*places, *(Location(copy, "", "copy") for copy in self.copies))

    def in_mirror(self, folder):
        """All :class:`Location` that the file may have in a set's folder of a mirror: plain, packed, in an archive."""
        name, member = (self.mirror, self.member) if self.mirror else (self.name, "")
        names = {name: member, f"{name}.gz": member}
        if self.member and self.url:
            names |= {PurePosixPath(urlparse(self.url).path).name: self.member}
        return [Location(f"{folder}/{name}", member, "mirror") for name, member in names.items()]


@dataclass(frozen=True)
class Alternative:
    """A set of files with the parser that reads them; a data set has one or more, the best first."""

    files: tuple
    parser: str
    options: Mapping = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class DataSet:
    """One entry of the registry; see the schema for what every key means."""

    name: str
    title: str
    kind: str
    rows: int
    features: int
    positives: int = 0
    slug: str = ""
    files: tuple = ()
    parser: str = ""
    options: Mapping = field(default_factory=dict)
    alternatives: tuple = ()
    openml: Mapping = field(default_factory=dict)
    target: str = ""
    drop: tuple = ()
    positive: Mapping = field(default_factory=dict)
    missing: int = 0
    bytes: int = 0
    sample: int = 0
    encoded: int = 0
    content: Mapping = field(default_factory=dict)
    license: str = ""
    citation: str = ""
    notes: str = ""
    deviation: str = ""
    unavailable: str = ""
    stand_in: str = ""

    @property
    def share_positive(self):
        """Share of positives among the rows, in [0, 1]; NaN where the number of positives is not known."""
        return self.positives / self.rows if self.positives else float("nan")

    @property
    def needs_files(self):
        """Whether there is anything to fetch."""
        return self.kind == "download"

    @property
    def own_file(self):
        """Path of the user's own file that the set is read from, or None."""
        url = urlparse(self.files[0].url) if len(self.files) == 1 else None
        return Path(url2pathname(unquote(url.path))) if url and url.scheme == "file" else None

    def locations(self):
        """Every :class:`Location` of every file."""
        places = []
        for variant in self.variants():
            for file in variant.files:
                places += file.locations
        return places

    def variants(self):
        """All :class:`Alternative` sets of files, the best first."""
        first = Alternative(self.files, self.parser, self.options)
        return (first, *self.alternatives)


class Registry(dict):
    """Data sets by name, in the order of the registry files."""

    def __missing__(self, name):
        """Raise ValueError with the nearest known name."""
        raise ValueError(f"unknown data set {name!r}{nearest(name, list(self))}")

    def of_kind(self, *kinds):
        """Names of the data sets of these kinds."""
        return [name for name, dataset in self.items() if dataset.kind in kinds]


def load_registry(path, *extra_paths):
    """Read and check registry files.

    Parameters
    ----------
    path, *extra_paths : path
        YAML files, each a mapping from a data set's name to its entry. A later file may replace an entry of an
        earlier one; a relative `path` of an own data set is taken from the folder of its registry file.

    Returns
    -------
    Registry

    Raises
    ------
    ValueError
        A line per mistake, naming file, entry, key, and what is allowed.
    """
    schema = load_yaml(Path(__file__).with_name("schema.yaml"))
    entries = Registry()
    for file in map(Path, (path, *extra_paths)):
        for name, entry in check(load_yaml(file), schema, str(file)).items():
            dataset = _build(name, entry, file.parent)
            entries[name] = _counted(dataset, entry, file) if "path" in entry else dataset
    return entries


def _build(name, entry, folder):
    """Data set of an entry."""
    entry = dict(entry)
    path = entry.pop("path", "")
    places = {key: entry.pop(key, "") for key in ("url", "legacy")}
    files = _own_file(path, folder, entry) if path else _files(entry.pop("files", []), places)
    alternatives = []
    for item in entry.get("alternatives", []):
        parts = {"files": _files(item["files"], places), "options": _options(item)}
        alternatives.append(Alternative(**{**item, **parts}))
    entry["alternatives"] = tuple(alternatives)
    entry["options"] = _options(entry)
    entry["drop"] = tuple(_expanded(entry.get("drop", ())))
    return DataSet(
        **{
            "slug": name,
            **entry,
            "name": name,
            "files": files,
        }
    )


def _files(items, places):
    """Raw files, at the places of their entry where they name none of their own."""
    files = []
    for item in items:
        lists = {key: _listed(item.get(key, ())) for key in ("sha256", "sha256_packed", "copies")}
        default = {} if "url" in item else places
        files.append(RawFile(**{**default, **item, **lists}))
    return tuple(files)


def _listed(value):
    """One text or several, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)


def _own_file(path, folder, entry):
    """One file of the user's own, with a parser chosen by its ending."""
    location = Path(folder, Path(path).expanduser()).resolve()
    if not set(entry.get("options", ())) - OWN_OPTIONS and is_score_file(location):
        entry.setdefault("parser", "own")
    entry.setdefault("parser", "parquet" if location.suffix in (".parquet", ".pq") else "delimited")
    if entry["parser"] == "delimited":
        read = {"header": True, "nominal": "auto", "as_text": True}
        entry["options"] = {**read, **entry.get("options", {})}
    for key in ("rows", "features", "positives"):
        entry.setdefault(key, 0)
    hashes = _listed(entry.pop("sha256", ()))
    return (RawFile(name=location.name, sha256=hashes, url=location.as_uri()),)


def _counted(dataset, entry, file):
    """An own data set with the counts that its entry leaves out, taken from its file, which must have those stated."""
    from pumetrics_workflow.datasets.prepare import COUNTS, describe, differences

    if all(key in entry for key in COUNTS):
        return dataset  # and `prepare` compares them
    path = dataset.own_file
    if not path.is_file():
        raise ValueError(f"{file}: {dataset.name}.path: {path} does not exist")
    try:
        found = describe(dataset, {dataset.files[0].name: path})
        wrong = differences(found, {key: entry[key] for key in COUNTS if key in entry})
        if wrong:
            raise ValueError(f"{path.name} has {'; '.join(wrong)}")
        return replace(dataset, **found)
    except ValueError as error:
        whose = f"{dataset.name}: "
        lines = [line.removeprefix(whose) for line in str(error).splitlines()]
        raise ConfigError("\n".join(f"{file}: {whose}{line}" for line in lines)) from None


def _options(entry):
    """Options of an entry with ``x[1-3]`` expanded to x1, x2, x3 wherever columns are named."""
    options = dict(entry.get("options", {}))
    for key in ("names", "nominal"):
        if isinstance(options.get(key), list):
            options[key] = _expanded(options[key])
    return options


def _expanded(names):
    """Names with ``x[1-3]`` expanded to x1, x2, x3."""
    result = []
    for name in names:
        match = _RANGE.match(name)
        if match:
            head, first, last, tail = match.groups()
            result += [f"{head}{number}{tail}" for number in range(int(first), int(last) + 1)]
        else:
            result.append(name)
    return result
