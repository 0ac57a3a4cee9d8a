from snakemake.utils import min_version

min_version("9.14")


configfile: f"{workflow.basedir}/config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/stages.smk"
include: "workflow/rules/results.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/end.smk"
include: "workflow/rules/calibrate.smk"


rule all:
    default_target: True
    input:
        rules.report_all.output.page,
        again_of(
            {name for study in PLAN.studies.values() for name in study.all_datasets()}
        ),


rule fetch_all:
    input:
        cards=expand(rules.prepare.output.card, dataset=AVAILABLE),
        again=again_of(AVAILABLE),
    output:
        listing="resources/datasets.txt",
    log:
        "logs/fetch_all.log",
    params:
        nowhere={
            name: REGISTRY[name].unavailable
            for name in REGISTRY.of_kind("unavailable")
        },
    message:
        "Listing the data sets"
    script:
        "workflow/scripts/fetch_all.py"


for study in PLAN.studies:

    rule:
        name:
            study
        input:
            expand(rules.report_study.output.page, study=study),
            again_of(PLAN.studies[study].all_datasets()),


onstart:
    CODE.save()
    say_plan()
