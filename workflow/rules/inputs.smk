# What the jobs of a rule read.

from pumetrics_workflow.datasets.reports import Request
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report.section import tracked_verdicts

REFERENCE = HOME / "results/reference"  # tracked
# Jobs of simulations by study, listed once: each of thousands of jobs looks its own up.
SIMULATED = {name: study.simulated_jobs() for name, study in PLAN.studies.items()}
FETCHING = {key: config[key] for key in ("mirror", "offline", "strict")}


def raw_of(wildcards):
    """Report of the fetch, or nothing for data that are generated or come with a library."""
    paths = expand(rules.fetch.output.report, dataset=wildcards.dataset)
    return paths if REGISTRY[wildcards.dataset].needs_files else []


def request_of(name):
    """What to fetch with which settings."""
    return Request.after(f"resources/raw/{name}.json", FETCHING)


def again_of(names):
    """Marks of data sets that could not be had, for targets alone: nothing else waits for another try."""
    again = [name for name in sorted(names) if request_of(name).failed]
    return expand(rules.fetch_again.output.tried, dataset=again)


def own_file_of(wildcards):
    """A user's file that a data set is read from: when it changes, the data change."""
    path = REGISTRY[wildcards.dataset].own_file
    return [str(path)] if path else []


def simulated(wildcards):
    """Param that lists the simulated parts of a job: name, data sets, options and repeats of each."""
    simulations = PLAN.studies[wildcards.study].simulations
    return [
        {
            "part": part,
            "datasets": simulations[part]["datasets"],
            "options": simulations[part]["options"],
            "repeats": list(chunk_repeats(chunk)),
        }
        for part, chunk in SIMULATED[wildcards.study][wildcards.parts]
    ]


def simulated_from(wildcards):
    """Data sets that the simulated parts of a job start from."""
    names = [name for entry in simulated(wildcards) for name in entry["datasets"]]
    return expand(rules.prepare.output.prepared, dataset=dict.fromkeys(names))


def trained(output, study, datasets):
    """All files of an output that has data set, model and chunk in its path, in a fixed order."""
    return [
        path
        for dataset in datasets
        for model in study.models
        for path in expand(
            output,
            study=study.name,
            dataset=dataset,
            model=model,
            chunk=study.chunks(dataset),
        )
    ]


def answers_of_set(wildcards):
    """All answers of a study to one data set."""
    study = PLAN.studies[wildcards.study]
    return trained(rules.evaluate.output.answers, study, [wildcards.dataset])


def all_answers(wildcards):
    """All answers of a study, of evaluation and simulation; means of each data set if the study keeps them."""
    study = PLAN.studies[wildcards.study]
    simulated = expand(
        rules.simulate.output.answers, study=study.name, parts=SIMULATED[study.name]
    )
    if study.keep_means:
        means = rules.average.output.means
        return expand(means, study=study.name, dataset=study.datasets) + simulated
    return trained(rules.evaluate.output.answers, study, study.datasets) + simulated


def all_priors(wildcards):
    """All estimated priors of a study; none if it does not keep its scores."""
    study = PLAN.studies[wildcards.study]
    if not study.keep_scores:
        return []
    return trained(rules.estimate_priors.output.priors, study, study.datasets)


def cards(wildcards):
    """Cards of the data sets of a study, or of all studies."""
    names = [
        dataset
        for study in reported(wildcards)
        for dataset in PLAN.studies[study].all_datasets()
    ]
    return expand(rules.prepare.output.card, dataset=dict.fromkeys(names))


def tables_of(study):
    """Tables of a study, as its captions list them."""
    names = PLAN.studies[study].captions["tables"]
    return [f"results/{SCALE}/{{study}}/tables/{name}.csv" for name in names]


def facts_of_tables(study):
    """Provenance of the tables of a study."""
    return [f"results/{SCALE}/{{study}}/provenance.json"]


def figures_of(study, suffixes=("svg",), folder=f"results/{SCALE}/{{study}}/figures"):
    """Figures of a study, as its captions list them."""
    names = PLAN.studies[study].captions["figures"]
    return [f"{folder}/{name}.{suffix}" for suffix in suffixes for name in names]


def of_reported(files):
    """Tables or figures of a report's studies."""
    return lambda wildcards: [
        path.format(study=study)
        for study in reported(wildcards)
        for path in files(study)
    ]


def tracked_of_reported(wildcards):
    """Param that holds the tracked verdicts at paper scale on the studies of a smaller run's report."""
    names = reported(wildcards) if SCALE != "paper" else []
    found = {name: tracked_verdicts(REFERENCE / "paper", name) for name in names}
    return {name: list(each) for name, each in found.items() if each}


def kept_tables(study):
    """Tracked tables of a study, at the largest scale they are kept at."""
    kept = [REFERENCE / scale / study / "tables" for scale in SCALES]
    folders = [folder for folder in kept if folder.is_dir()]
    return sorted(map(str, folders[-1].glob("*.csv"))) if folders else []


def kept_figures(study, suffixes):
    """Figures that are drawn from the tracked tables of a study."""
    folder = "results/figures/{study}"
    return [
        f"{folder}/{name}.{suffix}"
        for suffix in suffixes
        for name in PLAN.studies[study].captions["figures"]
    ]


def facts_of(wildcards):
    """Param that says of what the tables of the job's study are, for their provenance."""
    shortened = {"max_repeats": config["max_repeats"]} if config["max_repeats"] else {}
    facts = {"scale": SCALE, "seed": config["seed"], "studies": wildcards.study}
    return {**facts, **shortened}


# Papers with tracked tables.
KEPT = {
    name: tables
    for name, study in PLAN.studies.items()
    if study.kind == "paper" and (tables := kept_tables(name))
}
