rule report_study:
    input:
        tables=of_reported(tables_of),
        figures=of_reported(figures_of),
        facts=of_reported(facts_of_tables),
        cards=cards,
    output:
        page=report(
            f"results/{SCALE}/{{study}}/report.html",
            caption="../report/page.rst",
            category="Reports",
            labels={"report": "{study}"},
        ),
    log:
        logfile("report"),
    resources:
        mem_mb=more(2000),
        runtime=more(15),
    params:
        studies=settings_of_reported,
        tracked=tracked_of_reported,
        left_out=left_out_of_reported,
        whole=lambda wildcards: "study" not in wildcards.keys(),
        limit=config["max_repeats"],
        code=code_of("report"),
    message:
        "Writing {output.page}"
    script:
        "../scripts/report.py"


use rule report_study as report_all with:
    input:
        tables=of_reported(tables_of),
        figures=of_reported(figures_of),
        facts=of_reported(facts_of_tables),
        cards=cards,
        pages=expand(rules.report_study.output.page, study=PLAN.studies),
    output:
        page=report(
            f"results/{SCALE}/report.html",
            caption="../report/page.rst",
            category="Reports",
            labels={"report": "all studies"},
        ),
    log:
        f"logs/{SCALE}/report.log",


rule studies:  # for `--batch studies=1/3`: each study is in one batch
    input:
        expand(rules.report_study.output.page, study=PLAN.studies),
