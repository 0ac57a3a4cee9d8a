"""Reference results: the tables of a finished run, kept under version control, and the check of another run by them."""

import hashlib
import json
import shutil
from fnmatch import fnmatch
from pathlib import Path

from pumetrics_workflow.code import git_state
from pumetrics_workflow.compare import Comparison
from pumetrics_workflow.linked import write_linked
from pumetrics_workflow.plan import link_to, load_captions, papers
from pumetrics_workflow.provenance import PACKAGES
from pumetrics_workflow.sets import commits_of, in_words
from pumetrics_workflow.sets import finished as finished_sets
from pumetrics_workflow.verdicts import check_published, read_published, write_verdicts

__all__ = [
    "LARGEST",
    "LEFT_OUT",
    "RTOL",
    "SCALES",
    "TOLERANCE",
    "check",
    "keep",
    "rejudge",
    "verify",
]

# A value differs by more than TOLERANCE + RTOL * its magnitude: networks are trained in single precision, and
# another processor sums in another order.
TOLERANCE = RTOL = 1e-6
# With other versions of the packages: SciPy 1.18.1 and numpy 2.5.0 moved areas of Rider by up to 6e-6.
TOLERANCE_OF_OTHER_PACKAGES = 1e-5
# Which tables are left out: those of this list, and those with more bytes than their scale allows.
_TIMES = "wall-clock seconds"
LEFT_OUT = {
    "*/tables/seconds.csv": _TIMES,
    "jain2017/tables/errors.csv": "one row per repeat",
    "ramola2019/tables/errors.csv": "one row per repeat",
    "tabatabaei2020/tables/figure3_points.csv": "one row per repeat",
}
LARGEST = {"quick": 500_000, "laptop": 1_000_000, "paper": 1_000_000}
SCALES = tuple(LARGEST)  # from small to large

_MANIFEST = "manifest.json"
_PROVENANCE = "provenance.json"


def keep(results, reference, *, study=None):
    """Copy the tables of a run's finished studies, or of one, into a reference; other studies of the reference stay.

    Of a study that keeps means over repeats, finished data sets are kept as well, also before the study is finished.
    Both are folders of one scale, such as ``results/paper`` and ``results/reference/paper``. Returns a line for each
    study: how many tables are kept and which are left out, or why it is not kept. Raises ValueError if no study is
    finished, one was computed by uncommitted sources, the reference is of another scale, or its manifest cannot be
    read.
    """
    results = Path(results)
    reference = Path(reference)
    begun = {*_studies(results), *(path.parents[1].name for path in results.glob("*/means/*"))}
    present = [name for name in sorted(begun) if study in (None, name)]
    reasons = {name: _why_not(results, name) for name in present}
    finished = {name: _facts(results, name) for name in present if not reasons[name]}
    sets = {name: finished_sets(results, name) for name in present}
    if not finished and not any(sets.values()):
        what = f"study {study} is not finished" if study else "no study is finished"
        raise ValueError(f"{results}: {what}; run `snakemake` until its report is written")
    manifest = {"files": {}, "left_out": {}}
    runs = []
    if (reference / _MANIFEST).exists():
        manifest = _read(reference / _MANIFEST)
        runs = _read(reference / _PROVENANCE)
    scales = {facts["scale"] for facts in [*runs, *finished.values()]}
    if len(scales) > 1:
        raise ValueError(
            f"{reference} and {results} are of different scales: {', '.join(sorted(scales))}"
        )
    _check_clean(results, finished, [path for files in sets.values() for path in files])
    limit = LARGEST.get(*scales, max(LARGEST.values()))
    for name in finished:
        _keep_study(results, reference, name, limit, manifest)
    for files in sets.values():
        _keep_sets(results, reference, files, manifest)
    _write(reference / _PROVENANCE, _merged(runs, finished))
    manifest["files"][_PROVENANCE] = _sha256(reference / _PROVENANCE)
    _write(reference / _MANIFEST, manifest)
    lines = []
    for name in present:
        line = f"{name}: {reasons[name]}, not kept" if reasons[name] else _line(name, manifest)
        kept = f"; data sets kept: {in_words(sets[name])}" if sets[name] else ""
        lines.append(line + kept)
    return lines


def check(results, reference):
    """Compare the tables of a run with a reference: bytes first, then values within the tolerance.

    Text must be equal, and so must all bytes of a run on the reference's processor with its packages. With other
    versions of the packages, which a note names, the tolerance is larger. Only studies that both sides have are
    compared. Of a table that was left out the reference has only the checksum: other bytes
    are a note, not a difference. Folders as for :func:`keep`. Returns a
    :class:`pumetrics_workflow.compare.Comparison`, whose problems are damage to the reference itself. Raises
    ValueError if there is no reference, the two have no study in common, or a file cannot be read.
    """
    results = Path(results)
    reference = Path(reference)
    manifest = _read(reference / _MANIFEST)
    kept = {name for name in manifest["files"] if "/tables/" in name}
    left_out = manifest["left_out"]
    known = {_study(name) for name in kept | set(left_out)}
    present = set(_studies(results))
    if not known & present:
        raise ValueError(
            f"{results} holds no study of {reference} ({', '.join(sorted(known))}); run `snakemake` first"
        )
    expected = {name for name in kept | set(left_out) if _study(name) in present}
    made = {name for study in known & present for name in _tables(results, study)}
    comparison = Comparison(
        (reference, results), (sorted(expected - made), sorted(made - expected))
    )
    comparison.problems = verify(reference)
    comparison.notes = [
        f"study not compared because only one side has it: {study}"
        for study in sorted(known ^ present)
    ]
    runs = _read(reference / _PROVENANCE)
    others = {study: _other_packages(runs, study, results) for study in known & present}
    comparison.notes += [
        f"{study}: made with {said}, so values may differ by {TOLERANCE_OF_OTHER_PACKAGES:g}"
        for study, said in sorted(others.items())
        if said
    ]
    for name in sorted(expected & made):
        allowed = TOLERANCE_OF_OTHER_PACKAGES if others[_study(name)] else TOLERANCE
        checksum = left_out.get(name, {}).get("sha256")
        if (reference / name).is_file():
            comparison.add(name, reference / name, results / name, tolerance=allowed, rtol=allowed)
        elif checksum == _sha256(results / name):
            comparison.same_bytes.append(name)
        elif checksum:
            why = left_out[name]["why"]
            comparison.notes.append(
                f"different bytes, but the reference has no values ({why}): {name}"
            )
    _insist_on_bytes(comparison, results, runs)
    return comparison


def _insist_on_bytes(comparison, results, runs):
    """Let tables differ that are equal in value only, where a run used the processor and packages of the reference."""
    for name in [name for name in comparison.same_values if name not in comparison.timed]:
        kept = next((run for run in runs if _study(name) in run["kept"]), {})
        if "processor" in kept and _made_with(kept) == _made_with(
            _facts(results, _study(name)) or {}
        ):
            comparison.same_values.remove(name)
            comparison.different[name] = [
                "equal in value, but different bytes on the same processor with the same packages"
            ]


def _other_packages(runs, study, results):
    """The packages of a study's run whose versions are not those of the reference, in words; "" if none is."""
    kept = next((run for run in runs if study in run["kept"]), {})
    facts = _facts(results, study) or {}
    known = [name for name in PACKAGES if kept.get(name) and facts.get(name)]
    return ", ".join(
        f"{name} {facts[name]} (not {kept[name]})" for name in known if facts[name] != kept[name]
    )


def _made_with(facts):
    return [facts.get(key) for key in ("processor", "python", *PACKAGES)]


def verify(reference):
    """Return where a reference does not agree with its manifest, a line for each file; ValueError if it has none."""
    reference = Path(reference)
    files = _read(reference / _MANIFEST)["files"]
    present = {
        path.relative_to(reference).as_posix() for path in reference.rglob("*") if path.is_file()
    }
    changed = {name for name in present & set(files) if _sha256(reference / name) != files[name]}
    problems = {name: f"{name} does not have the checksum given in {_MANIFEST}" for name in changed}
    problems |= {
        name: f"{name} is in {_MANIFEST} but not in the folder" for name in set(files) - present
    }
    problems |= {
        name: f"{name} is not in {_MANIFEST}" for name in present - set(files) - {_MANIFEST}
    }
    return [problems[name] for name in sorted(problems)]


def rejudge(reference, home="."):
    """Renew the verdicts of a reference of one scale and the tables that follow from others, as rule `summarize` does.

    The provenance of a study whose tables change names the commit under ``rejudged``, next to the one that computed it.

    Parameters
    ----------
    reference : path-like
        A folder of one scale, such as ``results/reference/paper``.
    home : path-like
        Where the folder ``config`` is.

    Raises
    ------
    ValueError
        If the reference does not agree with its manifest, which a new one would hide.
    """
    if problems := verify(reference):
        raise ValueError(f"{reference}: {'; '.join(problems)}; restore it with git")
    reference = Path(reference)
    state = {"commit": "unknown", "uncommitted_changes": False, **git_state(home)}
    manifest = _read(reference / _MANIFEST)
    runs = _read(reference / _PROVENANCE)
    known = papers(home)
    commit = state["commit"][:9]
    if state["uncommitted_changes"]:
        commit += " with uncommitted changes"
    folders = sorted(reference.glob("*/tables"))
    published = {
        folder: Path(home, f"config/published/{folder.parent.name}.csv") for folder in folders
    }
    for folder, path in published.items():  # before any table changes
        check_published(path, load_captions(folder.parent.name, home)["tables"])
    for folder, path in published.items():
        study = folder.parent.name
        before = {path: _sha256(path) for path in folder.iterdir()}
        write_verdicts(study, folder, read_published(path))
        if study in known:
            write_linked(folder, link_to(known[study]["paper"]))
        if before != {path: _sha256(path) for path in folder.iterdir()}:
            for run in (run for run in runs if study in run["kept"]):
                run["rejudged"] = {**run.get("rejudged", {}), study: commit}
    _write(reference / _PROVENANCE, runs)
    files = (path for path in reference.rglob("*") if path.is_file() and path.name != _MANIFEST)
    files = {path.relative_to(reference).as_posix(): _sha256(path) for path in files}
    _write(reference / _MANIFEST, {**manifest, "files": files})


def _studies(results):
    return sorted({path.parents[1].name for path in results.glob("*/tables/*.csv")})


def _tables(results, study):
    return [
        path.relative_to(results).as_posix()
        for path in sorted((results / study / "tables").glob("*"))
        if path.suffix in (".csv", ".jsonld")
    ]


def _study(name):
    return name.split("/")[0]


def _why_not(results, study):
    """Why a study's tables cannot be kept; "" if they can. Results may hold a study that their checkout has no more."""
    settings = results.resolve().parents[1] / "config/studies"
    if settings.is_dir() and not (settings / f"{study}.yaml").is_file():
        return f"without config/studies/{study}.yaml"
    return "" if _facts(results, study) else "unfinished"


def _check_clean(results, finished, sets):
    """Raise ValueError if what is kept could not be made again from a commit."""
    _, unclean = commits_of(sets)
    if unclean:
        raise ValueError(
            f"{unclean[0]}: computed by sources with uncommitted changes; commit them, delete it, and run again"
        )
    dirty = [name for name, facts in finished.items() if facts.get("uncommitted_changes")]
    if dirty:
        again = f"snakemake {' '.join(dirty)} --cores all --config scale={finished[dirty[0]]['scale']} --forceall"
        raise ValueError(
            f"{results}: computed by sources with uncommitted changes; commit them, then run: {again}"
        )


def _facts(results, study):
    """Provenance of a study whose tables are whole; None where the job that writes both has not finished."""
    path = results / study / _PROVENANCE
    return _read(path) if path.is_file() else None


def _keep_study(results, reference, study, limit, manifest):
    """Put the tables of a study in place of those that the reference has, and enter them in the manifest."""
    for part in ("files", "left_out"):
        manifest[part] = {
            name: entry
            for name, entry in manifest[part].items()
            if not name.startswith(f"{study}/tables/")
        }
    shutil.rmtree(reference / study / "tables", ignore_errors=True)
    (reference / study / "tables").mkdir(parents=True)
    for name in _tables(results, study):
        why = next((why for pattern, why in LEFT_OUT.items() if fnmatch(name, pattern)), None)
        if not why and (results / name).stat().st_size > limit:
            why = f"more than {limit // 1000} kB"
        if why == _TIMES:
            manifest["left_out"][name] = {"why": why}
        elif why:
            manifest["left_out"][name] = {"why": why, "sha256": _sha256(results / name)}
        else:
            shutil.copyfile(results / name, reference / name)
            manifest["files"][name] = _sha256(reference / name)


def _keep_sets(results, reference, files, manifest):
    """Put means of data sets into the reference, and enter them in the manifest; those of other data sets stay."""
    for path in files:
        name = path.relative_to(results).as_posix()
        (reference / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, reference / name)
        manifest["files"][name] = _sha256(reference / name)


def _merged(runs, finished):
    """Provenance of each run with the studies that are kept from it, in ``kept``."""
    merged = {}
    for study, facts in sorted(
        ({study: run for run in runs for study in run["kept"]} | finished).items()
    ):
        facts = {**facts, "kept": []}
        merged.setdefault(json.dumps(facts, sort_keys=True), facts)["kept"].append(study)
    return list(merged.values())


def _line(study, manifest):
    kept = sum(name.startswith(f"{study}/tables/") for name in manifest["files"])
    left_out = [
        f"{name} ({entry['why']})"
        for name, entry in manifest["left_out"].items()
        if _study(name) == study
    ]
    return f"{study}: {kept} tables kept" + (
        f"; left out: {', '.join(left_out)}" if left_out else ""
    )


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(path, **options):
    try:
        return json.loads(path.read_text(encoding="utf-8"), **options)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path} cannot be read ({error}); restore it with git, or rerun and keep it again"
        ) from None


def _write(path, content):
    path.write_text(
        json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8", newline="\n"
    )
