for study in PLAN.studies:

    rule:
        name:
            f"summarize_{study}"
        input:
            records_paths=all_answers("records_path"),
            statistics_paths=all_answers("statistics_path"),
            priors=all_priors,
            cards=cards,
            published=f"{HOME}/config/published/{{study}}.csv",
        output:
            tables=[
                report(
                    path,
                    caption="../report/table.rst",
                    category="Tables",
                    subcategory="{study}",
                    labels={"study": "{study}", "table": Path(path).stem},
                )
                for path in tables_of(study)
            ],
        log:
            logfile("summarize"),
        benchmark:
            usage("summarize")
        wildcard_constraints:
            study=study,
        resources:
            mem_mb=by_input(4000, per_mb=80),
            runtime=more(30),
        params:
            code=code_of("summarize", "tables"),
        message:
            "Writing the tables of {wildcards.study}"
        script:
            "../scripts/summarize.py"
