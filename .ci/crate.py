"""Workflow RO-Crate metadata of the project, for a deposit at WorkflowHub or Zenodo: ``make crate``.

Facts come from CITATION.cff, the registry of data sets, and the manifests of the reference results.
Profile: Workflow RO-Crate 1.0, https://w3id.org/workflowhub/workflow-ro-crate/1.0.
"""

import json
from pathlib import Path

import yaml

from pumetrics_workflow.plan import link_to

_FORMATS = {".csv": "text/csv", ".json": "application/json", ".jsonld": "application/ld+json"}

__all__ = ["FILES", "FOLDERS", "build", "write"]

FILES = {
    "README.md": "How to install, run and use the project",
    "LICENSE": "The license",
    "CITATION.cff": "What to cite",
    "codecheck.yml": "Which files a check by others should reproduce",
    "config/config.yaml": "Settings of a run",
    "config/datasets.yaml": "Source, hash, parser, positive class and license of each data set",
    "environment.yml": "The environment for conda",
    "requirements.lock": "The environment, every package by version and hash",
}
FOLDERS = {
    "config/studies/": "Data sets, labelings, models, priors and metrics of each study",
    "config/published/": "The published numbers that the reproduced ones are compared with",
    "workflow/": "Rules, scripts and schemas of the workflow",
    "src/": "The library and the code of the studies",
}


def build(home):
    """Return the crate of a project.

    Parameters
    ----------
    home : path-like
        Folder of the Snakefile, with all of ``FILES`` and ``FOLDERS``.

    Raises
    ------
    ValueError
        If a file or folder that the crate lists does not exist.
    """
    from rocrate.rocrate import ROCrate

    home = Path(home)
    if missing := [name for name in (*FILES, *FOLDERS, "Snakefile") if not (home / name).exists()]:
        raise ValueError(f"{home} is not a clone of the project: no {', '.join(missing)}")
    cited = yaml.safe_load((home / "CITATION.cff").read_text(encoding="utf-8"))
    crate = ROCrate(version="1.1")  # which version 1.0 of the profile builds on
    _describe(crate, home, cited)
    for name, description in FILES.items():
        crate.add_file(home / name, name, properties={"description": description})
    crate.get("README.md")["about"] = crate.root_dataset
    for name, description in FOLDERS.items():
        crate.add_dataset(home / name, name, properties={"name": name, "description": description})
    for manifest in sorted((home / "results/reference").glob("*/manifest.json")):
        _add_reference(crate, home, manifest)
    crate.root_dataset["citation"] = [_paper(crate, entry) for entry in cited["references"]]
    crate.root_dataset["mentions"] = list(_datasets(crate, home))
    return crate


def write(home):
    """Write ``ro-crate-metadata.json`` into a project's folder and return the crate."""
    crate = build(home)
    crate.metadata.write(home)
    return crate


def _describe(crate, home, cited):
    """Name the workflow, its language, version, license and authors."""
    licence = _entity(
        crate, f"https://spdx.org/licenses/{cited['license']}", "CreativeWork", name=f"{cited['license']} License"
    )
    authors = [
        _entity(crate, f"#author-{number}", "Organization", name=author["name"])
        for number, author in enumerate(cited["authors"], start=1)
    ]
    facts = {"name": cited["title"], "version": cited["version"], "license": licence, "author": authors}
    workflow = crate.add_workflow(home / "Snakefile", "Snakefile", main=True, lang="snakemake", properties=facts)
    workflow["creator"] = authors
    for key, value in facts.items():
        crate.root_dataset[key] = value
    crate.root_dataset["description"] = f"{cited['title']}. A library, and a Snakemake workflow that reproduces papers."
    crate.root_dataset["keywords"] = ", ".join(cited["keywords"])


def _add_reference(crate, home, manifest):
    """List the reference tables of one scale, each a file, and the run that they come from."""
    scale = manifest.parent.name
    folder = manifest.parent.relative_to(home).as_posix()
    files = json.loads(manifest.read_text(encoding="utf-8"))["files"]
    parts = [
        crate.add_file(
            home / folder / name, f"{folder}/{name}", properties={"encodingFormat": _FORMATS[Path(name).suffix]}
        )
        for name in [*sorted(files), manifest.name]
    ]
    description = f"Tables of a run: `make SCALE={scale}` makes them, `make check SCALE={scale}` compares"
    facts = {"name": f"Reference results, {scale} scale", "description": description, "hasPart": parts}
    crate.add_dataset(home / folder, f"{folder}/", properties=facts)


def _paper(crate, entry):
    """One of the papers of CITATION.cff."""
    authors = [f"{author['given-names']} {author['family-names']}" for author in entry["authors"]]
    facts = {"name": entry["title"], "author": "; ".join(authors), "datePublished": str(entry["year"])}
    return _entity(crate, link_to(entry), "ScholarlyArticle", **facts)


def _datasets(crate, home):
    """The data sets that the studies can get, with what to cite and the license under which each is distributed."""
    from pumetrics_workflow.datasets import load_registry

    registry = load_registry(home / "config/datasets.yaml")
    for name in registry:
        entry = registry[name]
        if entry.kind != "unavailable":
            facts = {"name": entry.title, "license": entry.licence, "citation": entry.citation}
            yield _entity(crate, f"#dataset-{name}", "Dataset", **{key: value for key, value in facts.items() if value})


def _entity(crate, identifier, kind, **facts):
    from rocrate.model.contextentity import ContextEntity

    return crate.add(ContextEntity(crate, identifier, properties={"@type": kind, **facts}))


if __name__ == "__main__":
    written = write(Path.cwd())
    kinds = [entity.type for entity in written.get_entities()]
    print(f"ro-crate-metadata.json: {len(written.data_entities)} files and folders, {len(kinds)} entities")
