"""Plan of a run: its studies at one scale, their data sets, and the chunks of repeats that become jobs."""

import ast
from dataclasses import dataclass, field
from pathlib import Path

import pumetrics
from pumetrics_workflow.config import ConfigError, check, load_yaml, merge, nearest
from pumetrics_workflow.studies import module_path

__all__ = [
    "Plan",
    "Study",
    "chunk_repeats",
    "chunks",
    "estimators",
    "link_to",
    "load_captions",
    "load_study",
    "papers",
]

_SMALL = 2  # minutes on one core, of all jobs of a study


@dataclass(frozen=True)
class Study:
    """A study at one scale: everything its jobs need to know, as plain values."""

    name: str
    scale: str
    title: str
    citation: str
    claim: str
    datasets: tuple
    repeats: int
    repeats_per_job: int
    core_minutes: float
    labeling: dict | None
    models: dict
    priors: dict
    metrics: tuple
    evaluation: str
    keep_scores: bool
    simulations: dict
    repeats_per_job_of: dict = field(default_factory=dict)
    is_small: bool = False
    finding: dict | None = None
    kind: str = "own"
    doi: str | None = None
    url: str | None = None
    seed: str | None = None
    captions: dict = field(default_factory=dict)

    def chunks(self, dataset=None):
        """Names of a data set's chunks of repeats, for example ``["000-004", "005-009"]``."""
        return chunks(self.repeats, self.repeats_per_job_of.get(dataset, self.repeats_per_job))

    def all_datasets(self):
        """Names of the data sets that are trained on or simulated from, each once."""
        simulated = [name for entry in self.simulations.values() for name in entry["datasets"]]
        return list(dict.fromkeys([*self.datasets, *simulated]))

    def simulated_chunks(self, part):
        """Names of the chunks of one simulated part."""
        entry = self.simulations[part]
        return chunks(entry["repeats"], entry["repeats_per_job"])

    def simulated_jobs(self):
        """Which parts a job simulates, and which chunk of each: pairs by the job's name.

        A job for each, ``"<part>/<chunk>"``; or one for ``"all"``, where the study is so small that to start Python for
        each part would take longer than the simulation.
        """
        pairs = [(part, chunk) for part in self.simulations for chunk in self.simulated_chunks(part)]
        if self.is_small and pairs:
            return {"all": pairs}
        return {f"{part}/{chunk}": [(part, chunk)] for part, chunk in pairs}


def load_study(path, scale, schema, *, repeats_per_job=None, max_repeats=None):
    """Read a study file at one scale.

    Parameters
    ----------
    path : path-like
        ``config/studies/<study>.yaml``; the file's name is the study's. Its captions are in ``config/captions``.
    scale : {"quick", "laptop", "paper"}
    schema : dict
        The JSON schema of study files.
    repeats_per_job : int or None
        How many repeats a job does, on every data set; None takes the number in the study file.
    max_repeats : int or None
        No more repeats than this, of the study and its simulations: the first ones; None takes all.

    Raises
    ------
    ConfigError
        One line per mistake.
    """
    path = Path(path)
    content = check(load_yaml(path), schema, path.name)
    sizes = content.pop("scales")[scale]
    content = check(
        merge(content, {key: sizes.pop(key) for key in set(sizes) & set(content)}), _without_scales(schema), path.name
    )
    _check_keeps(content, path.name)
    _check_names(content, path.name)
    _check_labelings(content["labeling"], path.name)
    repeats = _at_most(sizes.get("repeats", 1), max_repeats)
    captions = path.parents[1] / "captions" / path.name
    simulations = {
        part: _simulation(entry or {}, repeats_per_job, max_repeats)
        for part, entry in content.pop("simulations").items()
    }
    return Study(
        name=path.stem,
        scale=scale,
        datasets=tuple(sizes.get("datasets", ())),
        repeats=repeats,
        repeats_per_job=min(repeats, repeats_per_job or sizes.get("repeats_per_job", repeats)),
        repeats_per_job_of={} if repeats_per_job else sizes.get("repeats_per_job_of", {}),
        is_small=not repeats_per_job and sizes["core_minutes"] < _SMALL,
        core_minutes=sizes["core_minutes"] * repeats / sizes.get("repeats", 1),
        metrics=tuple(content.pop("metrics")),
        simulations=simulations,
        seed=content.pop("seed") or path.stem,
        captions=load_captions(path.stem, path.parents[2]) if captions.is_file() else {},
        **content,
    )


def load_captions(study, home):
    """Read what a study shows.

    Parameters
    ----------
    study : str
    home : path-like
        Folder with ``config`` and ``workflow``.

    Returns
    -------
    dict
        ``figures``: by name ``caption``, ``from`` (names of the tables that its function takes; without a row in the
        first one it is not drawn) and, if the paper has it, ``in_paper``; ``tables``: captions by name, None of those
        that the report does not show.

    Raises
    ------
    ConfigError
        One line per mistake.
    """
    where = f"captions/{study}.yaml"
    schema = load_yaml(Path(home, "workflow/schemas/study.schema.yaml"))["$defs"]["captions"]
    content = check(load_yaml(Path(home, "config", where)), schema, where)
    figures = {name: {"from": [name], **figure} for name, figure in content["figures"].items()}
    wrong = [
        f"{where}: figures.{name}.from: there is no table {table!r}{nearest(table, list(content['tables']))}"
        for name, figure in figures.items()
        for table in figure["from"]
        if table not in content["tables"]
    ]
    if wrong:
        raise ConfigError("\n".join(wrong))
    return {**content, "figures": figures}


def papers(home):
    """Return the study files of ``kind: paper``, as they are written, by name and in the order of the config.

    Parameters
    ----------
    home : path-like
        Folder with ``config/studies``.
    """
    files = {path.stem: load_yaml(path) for path in sorted(Path(home, "config/studies").glob("*.yaml"))}
    order = [*load_yaml(Path(home, "config/config.yaml"))["studies"], *files]
    return {name: files[name] for name in dict.fromkeys(order) if name in files and files[name].get("kind") == "paper"}


def link_to(paper):
    """Return the address of a paper, a study or reference with ``doi`` or, where none was assigned, ``url``."""
    return f"https://doi.org/{paper['doi']}" if paper.get("doi") else paper["url"]


def _check_names(content, where):
    """Raise ConfigError with a line for each name in a study at one scale that no registry has."""
    wrong = [
        f"{where}: {place}: {name!r} is no {kind}{nearest(name, list(known))}"
        for place, kind, names, known in _named(content)
        for name in names
        if name not in known
    ]
    if wrong:
        raise ConfigError("\n".join(wrong))


def _named(content):
    """Each place where a study names things: what they are, the names, and those that are known."""
    priors, models = content["priors"], content["models"]
    if models:
        from pumetrics.models.registry import MODELS
        from pumetrics_workflow.stages.train import models_of

        pools = {name: models_of(name, options)[0] for name, options in models.items()}
        for name, pool in pools.items():
            for part, each in pool.items():
                place = f"models.{name}" + f".models.{part}" * (models[name]["type"] == "pool")
                yield f"{place}.type", "model", [each.get("type")], MODELS
        if "reference" in priors:
            yield "priors.reference", "model", [priors["reference"]], [part for pool in pools.values() for part in pool]
    for key in ("methods", "own"):
        yield f"priors.{key}", "estimator", priors.get(key, ()), estimators()
    yield "priors.clean", "estimator in priors.methods", priors.get("clean", ()), priors["methods"]
    if content["metrics"]:
        from pumetrics_workflow.stages.evaluate import METRICS

        yield "metrics", "metric", content["metrics"], METRICS
    for part, entry in content["simulations"].items():  # lists estimators, or maps methods to priors
        names = (entry or {}).get("options", {}).get("methods", ())
        kind, registry = ("method", "methods") if isinstance(names, dict) else ("estimator", "priors")
        yield f"simulations.{part}.options.methods", kind, names, estimators(registry)


def _check_labelings(labeling, where):
    """Raise ConfigError if a study has a labeling of no known kind."""
    from pumetrics.labeling import scheme_of

    for name in labeling["names"] if labeling else ():
        try:
            scheme_of(name)
        except ValueError as error:
            raise ConfigError(f"{where}: labeling.names: {error}") from None


def estimators(registry="priors"):
    """Names of all estimators of priors, read off their registry: to import it takes two seconds of every dry-run.

    With the registry "methods" those of the methods.
    """
    tree = ast.parse(Path(pumetrics.__file__).with_name(registry).joinpath("registry.py").read_text(encoding="utf-8"))
    (entries,) = (
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "METHODS"
    )
    return sorted(ast.literal_eval(key) for key in entries.keys)


def _check_keeps(content, name):
    """Raise ConfigError where a study keeps scores that it has no way to evaluate over files."""
    pools = [model for model, options in content["models"].items() if options["type"] == "pool"]
    if content["keep_scores"] and (pools or content["evaluation"] != "samples"):
        reason = f"models: {pools[0]} is a pool" if pools else f"evaluation: {content['evaluation']!r}"
        raise ConfigError(f"{name}: {reason}, which is evaluated in memory: set keep_scores to false")


def _without_scales(schema):
    """Return the study schema as it holds once a scale is chosen."""
    properties = {key: entry for key, entry in schema["properties"].items() if key != "scales"}
    return {**schema, "properties": properties, "required": [key for key in schema["required"] if key != "scales"]}


def _at_most(repeats, max_repeats):
    return min(repeats, max_repeats or repeats)


def _simulation(entry, repeats_per_job, max_repeats):
    entry = {"datasets": [], "repeats": 1, "options": {}, **entry}
    entry["repeats"] = _at_most(entry["repeats"], max_repeats)
    entry["repeats_per_job"] = repeats_per_job or entry.get("repeats_per_job", entry["repeats"])
    return entry


def chunks(repeats, per_job):
    """Split `repeats` into named ranges of at most `per_job`.

    Examples
    --------
    >>> chunks(5, 2)
    ['000-001', '002-003', '004-004']
    """
    return [f"{first:03d}-{min(first + per_job, repeats) - 1:03d}" for first in range(0, repeats, per_job)]


def chunk_repeats(chunk):
    """Repeats of a named chunk.

    Examples
    --------
    >>> chunk_repeats("002-003")
    range(2, 4)
    """
    first, last = map(int, chunk.split("-"))
    return range(first, last + 1)


@dataclass(frozen=True)
class Plan:
    """The studies of a run, and the parts that cannot be run, with the reasons."""

    scale: str
    studies: dict
    left_out: list = field(default_factory=list)

    @classmethod
    def load(cls, config, *, folder, schema, registry):
        """Read every study that `config` names and leave out, with its reason, each data set that is too small.

        Parameters
        ----------
        config : dict
            A checked config.
        folder : path-like
            Where the study files are.
        schema : dict
            The JSON schema of study files.
        registry : mapping
            Data sets by name.
        """
        known = sorted(path.stem for path in Path(folder).glob("*.yaml"))
        studies, left_out = {}, []
        for name in config["studies"]:
            if name not in known:
                raise ConfigError(f"config: studies: there is no study {name!r}{nearest(name, known)}")
            sizes = {key: config[key] for key in ("repeats_per_job", "max_repeats")}
            study = load_study(Path(folder) / f"{name}.yaml", config["scale"], schema, **sizes)
            kept, dropped = _usable(study, registry)
            _check_files(study)
            left_out += [(name, dataset, reason) for dataset, reason in dropped]
            studies[name] = Study(**{**vars(study), "datasets": tuple(kept)})
        return cls(config["scale"], studies, left_out)

    def datasets(self):
        """Names of all data sets that the studies need, sorted."""
        return sorted({name for study in self.studies.values() for name in study.all_datasets()})

    def describe(self, names=None):
        """Return a few lines on what a run of some studies (by default all) does and how long it takes on one core."""
        studies = [study for name, study in self.studies.items() if names is None or name in names]
        lines = [f"Scale {self.scale}:"]
        for study in studies:
            size = f"{len(study.datasets)} data sets, {study.repeats} repeats" if study.datasets else "simulations only"
            lines.append(f"  {study.name:16} {size}; about {_duration(study.core_minutes)} on one core")
        left_out = [entry for entry in self.left_out if names is None or entry[0] in names]
        lines += [f"  left out: {dataset} in {study}: {reason}" for study, dataset, reason in left_out]
        return "\n".join(lines)


def _check_files(study):
    """Raise ConfigError if a study lacks its package or its captions."""
    package = module_path(study.name, "tables").parent
    if not package.is_dir():
        raise ConfigError(f"{study.name}.yaml: the study has no package src/pumetrics_workflow/studies/{study.name}")
    if not study.captions:
        raise ConfigError(f"{study.name}.yaml: the study has no captions config/captions/{study.name}.yaml")


def _usable(study, registry):
    """Split a study's data sets into those that can be used and those that cannot, with the reason."""
    kept, dropped = [], []
    for name in sorted(set(study.repeats_per_job_of) - set(study.datasets)):
        raise ConfigError(
            f"{study.name}.yaml: repeats_per_job_of: {name!r} is none of its data sets{nearest(name, study.datasets)}"
        )
    for name in study.all_datasets():
        if name not in registry:
            raise ConfigError(f"{study.name}.yaml: there is no data set {name!r}{nearest(name, list(registry))}")
    for name in study.datasets:
        entry = registry[name]
        reason = entry.unavailable if entry.kind == "unavailable" else None
        if reason is None and study.labeling and entry.rows and entry.positives:
            reason = _shortage(study.labeling, entry.positives, entry.rows - entry.positives)
        if reason is None:
            kept.append(name)
        else:
            dropped.append((name, reason))
    return kept, dropped


def _shortage(labeling, n_positive, n_negative):
    """Return why a data set of this size cannot be labeled, or None if it can."""
    from pumetrics.labeling import shortage
    from pumetrics_workflow.stages.label import sample_of

    reasons = shortage(labeling["names"], n_positive, n_negative, sample=sample_of(labeling))
    some_will_do = "least_labeled" in labeling and len(reasons) < len(labeling["names"])
    return None if some_will_do else next(iter(reasons.values()), None)


def _duration(minutes):
    if minutes < 1.5:
        return f"{60 * minutes:.0f} seconds"
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
