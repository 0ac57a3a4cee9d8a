# What the jobs of a rule read.


def raw_of(wildcards):
    """Report of the fetch, or nothing for data that are generated or come with a library."""
    entry = REGISTRY[wildcards.dataset]
    return [f"resources/raw/{entry.name}.json"] if entry.needs_files else []


def own_file_of(wildcards):
    """File of your own that a data set is read from: when it changes, the data change."""
    own = REGISTRY[wildcards.dataset].own_file
    return [str(own)] if own else []


def every(door):
    """All tables of a door that a study has, in a fixed order."""

    def paths(wildcards):
        study = PLAN.studies[wildcards.study]
        trained = [
            f"results/{SCALE}/{study.name}/{door}/{dataset}/{model}/{chunk}.parquet"
            for dataset in study.datasets
            for model in study.models
            for chunk in study.chunks(dataset)
        ]
        simulated = [
            f"results/{SCALE}/{study.name}/{door}/simulated/{part}/{chunk}.parquet"
            for part in study.simulations
            for chunk in study.simulated_chunks(part)
        ]
        return trained + (simulated if door in ("records", "statistics") else [])

    return paths


def cards(wildcards):
    """Cards of a study's data sets."""
    return expand(
        "resources/prepared/{dataset}.json",
        dataset=PLAN.studies[wildcards.study].all_datasets(),
    )
