"""Plan of a run: its studies at one scale, their data sets, and the chunks of repeats that become jobs."""

import inspect
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from pumetrics_workflow.config import ConfigError, check, load_yaml, merge, nearest
from pumetrics_workflow.studies import Study, load

__all__ = [
    "Plan",
    "StudyPlan",
    "check_class",
    "chunk_repeats",
    "chunks",
    "duration",
    "link_to",
    "load_captions",
    "load_study",
    "papers",
    "papers_of_sets",
]

_SMALL = 2  # minutes on one core, of all jobs of a study
_HUGE = 10**9  # positives, and negatives: a labeling that needs more is impossible
_PRIORS = {"methods": [], "noisy": True}


class StudyPlan(SimpleNamespace):
    """A study at one scale: everything its jobs need to know, as plain values.

    What its file says (``workflow/schemas/study.schema.yaml``), with the settings of the scale; also ``name``,
    ``scale``, ``captions`` as :func:`load_captions` returns them, ``is_small``, and the simulations that are ``alone``.
    """

    def chunks(self, dataset=None):
        """Names of a data set's chunks of repeats, for example ``["000-004", "005-009"]``."""
        return chunks(self.repeats, self.repeats_per_job_of.get(dataset, self.repeats_per_job))

    def all_datasets(self):
        """Names of the data sets that are trained on or simulated from, each once."""
        simulated = [name for entry in self.simulations.values() for name in entry["datasets"]]
        return list(dict.fromkeys([*self.datasets, *simulated]))

    def simulated_jobs(self):
        """Which parts a job simulates, and which chunk of each: pairs by the job's name.

        A job for each, ``"<part>/<chunk>"``; or one for ``"all"``, where the study is so small that to start Python for
        each part would take longer than the simulation, but for parts that the scale splits by `repeats_per_job`.
        """
        pairs = [
            (part, chunk)
            for part, entry in self.simulations.items()
            for chunk in chunks(entry["repeats"], entry["repeats_per_job"])
        ]
        jobs = {}
        for part, chunk in pairs:
            is_apart = not self.is_small or part in self.alone
            name = f"{part}/{chunk}" if is_apart else "all"
            jobs.setdefault(name, []).append((part, chunk))
        return jobs


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
    sizes = dict(content["scales"][scale])
    simulated = sizes.get("simulations", {})
    content = check(
        merge(content, {key: sizes.pop(key) for key in set(sizes) & set(content)}),
        schema,
        path.name,
    )
    for place, labeling in _labelings(content).items():
        check(labeling, schema["properties"]["labeling"], f"{path.name}: {place}")
    del content["scales"]
    content["priors"] = {**_PRIORS, **content["priors"]}
    if wrong := [f"{path.name}: {line}" for line in _mistakes(content)]:
        raise ConfigError("\n".join(wrong))

    most = max_repeats or sys.maxsize
    repeats = sizes.get("repeats", 1)
    done = min(repeats, most)
    planned = [repeats]
    alone = []
    stand_ins = sizes.get("stand_ins", {})
    for part, entry in content["simulations"].items():
        entry = {
            "datasets": [],
            "repeats": 1,
            "options": {},
            **(entry or {}),
        }
        used = (stand_ins.get(name, name) for name in entry["datasets"])
        entry["datasets"] = list(dict.fromkeys(used))
        planned.append(entry["repeats"])
        entry["repeats"] = min(entry["repeats"], most)
        entry["repeats_per_job"] = repeats_per_job or entry.get("repeats_per_job", entry["repeats"])
        content["simulations"][part] = entry
        is_split_by_the_scale = "repeats_per_job" in (simulated.get(part) or {})
        if is_split_by_the_scale and entry["repeats_per_job"] < entry["repeats"]:
            alone.append(part)

    captions = path.parents[1] / "captions" / path.name
    repeats_done = sum(min(each, most) for each in planned)
    own = {
        "name": path.stem,
        "scale": scale,
        "datasets": tuple(sizes.get("datasets", ())),
        "repeats": done,
        "repeats_per_job": min(done, repeats_per_job or sizes.get("repeats_per_job", done)),
        "repeats_per_job_of": {} if repeats_per_job else sizes.get("repeats_per_job_of", {}),
        "is_small": not repeats_per_job and sizes["core_minutes"] < _SMALL,
        "alone": alone,
        "keep_means": sizes.get("keep_means", False),
        "core_minutes": sizes["core_minutes"] * repeats_done / sum(planned),
        "seed": content["seed"] or path.stem,
        "captions": load_captions(path.stem, path.parents[2]) if captions.is_file() else {},
    }
    return StudyPlan(**{**content, **own})


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
    files = {
        path.stem: load_yaml(path) for path in sorted(Path(home, "config/studies").glob("*.yaml"))
    }
    order = [*load_yaml(Path(home, "config/config.yaml"))["studies"], *files]
    return {
        name: files[name]
        for name in dict.fromkeys(order)
        if name in files and files[name].get("kind") == "paper"
    }


def papers_of_sets(home):
    """Return the names of the papers that use each data set, by its name.

    Parameters
    ----------
    home : path-like
        Folder with ``config/studies``.
    """
    found = {}
    for paper, content in papers(home).items():
        for name in content["paper"]["sets"]:
            found.setdefault(name, []).append(paper)
    return found


def link_to(paper):
    """Return the address of a paper, with ``doi`` or, where none was assigned, ``url``."""
    return f"https://doi.org/{paper['doi']}" if paper.get("doi") else paper["url"]


def _mistakes(content):
    """A line for each name in a study at one scale that no registry has, and for scores that it cannot evaluate."""
    from pumetrics_workflow.labelings import scheme_of

    for place, kind, names, known in _named(content):
        for name in names:
            if name not in known:
                yield f"{place}: {name!r} is no {kind}{nearest(name, list(known))}"
    for place, labeling in _labelings(content).items():
        for name in labeling["names"]:
            try:
                scheme_of(name)
            except ValueError as error:
                yield f"{place}.names: {name!r}: {error}"
            else:
                yield from (f"{place}.names: {name!r} {why}" for why in _impossible(name, labeling))
    yield from _mistakes_of_models(content)


def _mistakes_of_models(content):
    """A line for each model that Snakemake's cache, or the stage that evaluates the scores, cannot take."""
    models = content["models"]
    names = list(models)
    same_as = [names[list(models.values()).index(options)] for options in models.values()]
    for name, same in zip(names, same_as, strict=True):
        if models[name]["type"] == "pool":
            for key in set(models[name]) - {"type", "models", "folds", "features"}:
                yield f"models.{name}: a pool takes no {key!r}"
        if same != name:
            yield f"models: {same} and {name} have the same options, so Snakemake's cache takes one for the other"

    if content["keep_scores"]:
        in_memory = "which is evaluated in memory: set keep_scores to false"
        pools = [name for name in names if models[name]["type"] == "pool"]
        if pools:
            yield f"models: {pools[0]} is a pool, {in_memory}"
        elif content["evaluation"] != "samples":
            yield f"evaluation: {content['evaluation']!r}, {in_memory}"


def _labelings(content):
    """The labelings of a study and of its simulations, by their place."""
    places = {"": content}
    for part, entry in content["simulations"].items():
        places[f"simulations.{part}.options."] = (entry or {}).get("options", {})
    return {
        f"{place}labeling": each["labeling"]
        for place, each in places.items()
        if each.get("labeling")
    }


def _impossible(name, labeling):
    """Why a labeling is impossible whatever the data: a strength is a share."""
    from pumetrics_workflow.labelings import SUPERVISED, kind_and_strength, shortage
    from pumetrics_workflow.stages.label import sample_of

    kind, strength = kind_and_strength(name)
    if kind == SUPERVISED:
        if strength is not None:
            yield f"is impossible: {kind} has no strength"
        return
    if strength is None:
        yield f"is impossible: {kind} needs one, as in {kind}=0.5"
        return

    is_share = not kind.startswith("sar_")
    most = 1 if is_share else sys.float_info.max
    if not 0 <= strength <= most:
        allowed = "at least 0 and at most 1" if is_share else "at least 0"
        yield f"is impossible: {kind} must be {allowed}"
        return
    reasons = shortage([name], _HUGE, _HUGE, sample=sample_of({**labeling, "names": [name]}))
    yield from (f"is impossible: {reason}" for reason in reasons.values())


def _named(content):
    """Each place where a study names things: what they are, the names, and those that are known."""
    from pumetrics.priors.registry import available_priors
    from pumetrics_workflow.controls import METHODS
    from pumetrics_workflow.labelings import LABELINGS
    from pumetrics_workflow.models.registry import MODELS
    from pumetrics_workflow.stages.evaluate import METRICS
    from pumetrics_workflow.stages.train import models_of

    priors = content["priors"]
    models = content["models"]
    pools = {name: models_of(name, options)[0] for name, options in models.items()}
    for name, pool in pools.items():
        for part, each in pool.items():
            is_pool = models[name]["type"] == "pool"
            place = f"models.{name}.models.{part}" if is_pool else f"models.{name}"
            yield f"{place}.type", "model", [each.get("type")], MODELS
    for place, labeling in _labelings(content).items():
        for name, kinds in labeling.get("nested", {}).items():
            yield f"{place}.nested.{name}", "kind of labeling", kinds, LABELINGS
    if "reference" in priors:
        yield (
            "priors.reference",
            "model",
            [priors["reference"]],
            [part for pool in pools.values() for part in pool],
        )
    for key in ("methods", "own"):
        yield f"priors.{key}", "estimator", priors.get(key, ()), available_priors()
    yield "priors.clean", "estimator in priors.methods", priors.get("clean", ()), priors["methods"]
    yield "metrics", "metric", content["metrics"], METRICS
    for part, entry in content[
        "simulations"
    ].items():  # lists estimators, or maps methods to priors
        names = (entry or {}).get("options", {}).get("methods", ())
        known = (
            ("method", METHODS) if isinstance(names, dict) else ("estimator", available_priors())
        )
        yield f"simulations.{part}.options.methods", known[0], names, known[1]
        for key in ("model", "pool"):
            if isinstance(model := (entry or {}).get("options", {}).get(key), dict):
                types = [each.get("type") for each in models_of(key, model)[0].values()]
                yield f"simulations.{part}.options.{key}", "model", types, MODELS


def check_class(study):
    """Check that a study has its class, with all methods, and that it simulates with the options of its settings.

    Parameters
    ----------
    study : StudyPlan

    Raises
    ------
    ConfigError
        One line per mistake.
    """
    place = f"studies/{study.name}/study.py"
    try:
        own = load(study.name)
    except (ImportError, SyntaxError, TypeError) as error:
        raise ConfigError(f"{place}: {error}") from None
    if study.simulations and type(own).simulate is Study.simulate:
        raise ConfigError(f"{place}: there is no method 'simulate'")

    taken = inspect.signature(own.simulate).parameters
    takes_all = any(each.kind is each.VAR_KEYWORD for each in taken.values())
    allowed = [name for name in taken if name not in ("part", "repeats", "seed", "data")]
    wrong = []
    for part, entry in study.simulations.items():
        for option in entry["options"]:
            if option not in allowed and not takes_all:
                where = f"{study.name}.yaml: simulations.{part}.options"
                wrong.append(f"{where}: simulate takes no {option!r}{nearest(option, allowed)}")
    if wrong:
        raise ConfigError("\n".join(wrong))


def chunks(repeats, per_job):
    """Split `repeats` into named ranges of at most `per_job`.

    Examples
    --------
    >>> chunks(5, 2)
    ['000-001', '002-003', '004-004']
    """
    return [
        f"{first:03d}-{min(first + per_job, repeats) - 1:03d}"
        for first in range(0, repeats, per_job)
    ]


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
        from pumetrics_workflow.verdicts import check_published

        known = sorted(path.stem for path in Path(folder).glob("*.yaml"))
        studies = {}
        left_out = []
        for name in config["studies"]:
            if name not in known:
                raise ConfigError(
                    f"config: studies: there is no study {name!r}{nearest(name, known)}"
                )
            sizes = {key: config[key] for key in ("repeats_per_job", "max_repeats")}
            study = load_study(Path(folder) / f"{name}.yaml", config["scale"], schema, **sizes)
            _check_places(study, registry)
            check_class(study)
            if (published := Path(folder).parent / f"published/{name}.csv").is_file():
                check_published(published, study.captions["tables"])
            reasons = {dataset: _lacks(study, registry[dataset]) for dataset in study.datasets}
            left_out += [(name, dataset, reason) for dataset, reason in reasons.items() if reason]
            study.datasets = tuple(dataset for dataset, reason in reasons.items() if not reason)
            studies[name] = study
        return cls(config["scale"], studies, left_out)

    def describe(self, names):
        """Return a few lines on what a run of some studies does and how long it takes on one core."""
        studies = [study for name, study in self.studies.items() if name in names]
        lines = [f"Scale {self.scale}:"]
        for study in studies:
            repeats = "1 repeat" if study.repeats == 1 else f"{study.repeats} repeats"
            size = f"{len(study.datasets)} data sets, {repeats}"
            if not study.datasets:
                size = "simulations only"
            lines.append(
                f"  {study.name:16} {size}; about {duration(study.core_minutes)} on one core"
            )
        left_out = [entry for entry in self.left_out if entry[0] in names]
        lines += [
            f"  left out: {dataset} in {study}: {reason}" for study, dataset, reason in left_out
        ]
        planned = sum(study.core_minutes for study in studies)
        lines.append(f"  {'all':16} about {duration(planned)} on one core, as planned")
        return "\n".join(lines)


def _check_places(study, registry):
    """Raise ConfigError if a study names a data set that is not there, or lacks its captions."""
    for place, what, names, known in (
        ("repeats_per_job_of", "none of its data sets", study.repeats_per_job_of, study.datasets),
        ("datasets", "no data set", study.datasets, registry),
        *(
            (f"simulations.{part}.datasets", "no data set", entry["datasets"], registry)
            for part, entry in study.simulations.items()
        ),
    ):
        for name in names:
            if name not in known:
                raise ConfigError(
                    f"{study.name}.yaml: {place}: {name!r} is {what}{nearest(name, list(known))}"
                )
    if not study.captions:
        raise ConfigError(
            f"{study.name}.yaml: the study has no captions config/captions/{study.name}.yaml"
        )


def _lacks(study, entry):
    """Why a study must do without a data set, which is unavailable or too small to be labeled; None if it need not."""
    from pumetrics_workflow.labelings import shortage
    from pumetrics_workflow.stages.label import sample_of

    if entry.kind == "unavailable" or not (study.labeling and entry.rows and entry.positives):
        return entry.unavailable or None
    names = study.labeling["names"]
    sizes = (entry.positives, entry.rows - entry.positives)
    reasons = shortage(names, *sizes, sample=sample_of(study.labeling))
    some_will_do = "least_labeled" in study.labeling and len(reasons) < len(names)
    return None if some_will_do else next(iter(reasons.values()), None)


def duration(minutes):
    """What people are told of a time.

    Examples
    --------
    >>> duration(1), duration(59.6), duration(200)
    ('60 seconds', '60 minutes', '3.3 hours')
    """
    if minutes < 1.5:
        return f"{60 * minutes:.0f} seconds"
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
