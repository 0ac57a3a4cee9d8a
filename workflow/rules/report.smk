rule report_study:
    input:
        figures=[rules.draw.output.figures],
        cards=cards,
    output:
        page=f"results/{SCALE}/{{study}}/report.html",
        facts=f"results/{SCALE}/{{study}}/provenance.json",
    log:
        f"logs/{SCALE}/{{study}}/report.log",
    conda:
        "../../environment.yml"
    params:
        studies=lambda wildcards: report_params([wildcards.study])["studies"],
        left_out=lambda wildcards: report_params([wildcards.study])["left_out"],
        settings=SETTINGS,
        library=LIBRARY,
    message:
        "Writing {output.page}"
    script:
        "../scripts/report.py"


rule report_all:
    input:
        figures=expand(rules.draw.output.figures, study=PLAN.studies),
        cards=expand("resources/prepared/{dataset}.json", dataset=PLAN.datasets()),
    output:
        page=f"results/{SCALE}/report.html",
        facts=f"results/{SCALE}/provenance.json",
    log:
        f"logs/{SCALE}/report.log",
    conda:
        "../../environment.yml"
    params:
        studies=report_params(PLAN.studies)["studies"],
        left_out=report_params(PLAN.studies)["left_out"],
        settings=SETTINGS,
        library=LIBRARY,
    message:
        "Writing {output.page}"
    script:
        "../scripts/report.py"
