rule summarize:
    input:
        records_paths=all_answers("records_path"),
        statistics_paths=all_answers("statistics_path"),
        priors=all_priors,
        cards=cards,
        published=f"{HOME}/config/published/{{study}}.csv",
    output:
        tables=report(
            directory(f"results/{SCALE}/{{study}}/tables"),
            patterns=["{table}.csv"],
            caption="../report/table.rst",
            category="Tables",
            subcategory="{study}",
            labels={"study": "{study}", "table": "{table}"},
        ),
    log:
        logfile("summarize"),
    benchmark:
        usage("summarize")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=by_input(4000, per_mb=80),
        runtime=more(30),
    params:
        code=code_of("summarize", "tables"),
        captions=captions_of,
    message:
        "Writing the tables of {wildcards.study}"
    script:
        "../scripts/summarize.py"
