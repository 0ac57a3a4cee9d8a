from pumetrics_workflow.report import assets_hash


rule report_study:
    input:
        figures=[rules.draw.output.figures],
        cards=cards,
    output:
        page=report(
            f"results/{SCALE}/{{study}}/report.html",
            caption="../report/page.rst",
            category="Reports",
            labels={"report": "{study}"},
        ),
        facts=f"results/{SCALE}/{{study}}/provenance.json",
    log:
        f"logs/{SCALE}/{{study}}/report.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=more(2000),
        runtime=more(15),
    params:
        studies=lambda wildcards: report_params([wildcards.study])["studies"],
        left_out=lambda wildcards: report_params([wildcards.study])["left_out"],
        settings=SETTINGS,
        library=LIBRARY,
        page_assets=assets_hash(),
    message:
        "Writing {output.page}"
    script:
        "../scripts/report.py"


rule report_all:
    input:
        figures=expand(rules.draw.output.figures, study=PLAN.studies),
        cards=expand("resources/prepared/{dataset}.json", dataset=PLAN.datasets()),
    output:
        page=report(
            f"results/{SCALE}/report.html",
            caption="../report/page.rst",
            category="Reports",
            labels={"report": "all studies"},
        ),
        facts=f"results/{SCALE}/provenance.json",
    log:
        f"logs/{SCALE}/report.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=more(2000),
        runtime=more(15),
    params:
        studies=report_params(PLAN.studies)["studies"],
        left_out=report_params(PLAN.studies)["left_out"],
        settings=SETTINGS,
        library=LIBRARY,
        page_assets=assets_hash(),
    message:
        "Writing {output.page}"
    script:
        "../scripts/report.py"
