def every(door):
    """All tables of a door that a study has, in a fixed order."""

    def paths(wildcards):
        study = PLAN.studies[wildcards.study]
        trained = [
            f"results/{SCALE}/{study.name}/{door}/{dataset}/{model}/{chunk}.parquet"
            for dataset in study.datasets
            for model in study.models
            for chunk in study.chunks()
        ]
        simulated = [
            f"results/{SCALE}/{study.name}/records/simulated/{part}/{chunk}.parquet"
            for part in study.simulations
            for chunk in study.simulated_chunks(part)
        ]
        return trained + (simulated if door == "records" else [])

    return paths


def cards(wildcards):
    """Cards of a study's data sets."""
    return expand("resources/prepared/{dataset}.json", dataset=PLAN.studies[wildcards.study].datasets)


rule summarize:
    input:
        records_paths=every("records"),
        priors=lambda wildcards: every("priors")(wildcards) if PLAN.studies[wildcards.study].keep_scores else [],
        cards=cards,
        published=f"{HOME}/config/published/{{study}}.csv",
    output:
        tables=directory(f"results/{SCALE}/{{study}}/tables"),
    log:
        f"logs/{SCALE}/{{study}}/summarize.log",
    params:
        code=code_of("summarize", "tables"),
    message:
        "Writing the tables of {wildcards.study}"
    script:
        "../scripts/summarize.py"


rule draw:
    input:
        tables=rules.summarize.output.tables,
    output:
        figures=report(
            directory(f"results/{SCALE}/{{study}}/figures"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="{study}",
            labels={"figure": "{figure}"},
        ),
    log:
        f"logs/{SCALE}/{{study}}/draw.log",
    params:
        code=code_of("draw", "figures"),
    message:
        "Drawing the figures of {wildcards.study}"
    script:
        "../scripts/draw.py"
