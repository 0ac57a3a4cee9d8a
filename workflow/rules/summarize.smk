for study in PLAN.studies:

    rule:
        name:
            f"summarize_{study}"
        input:
            answers=all_answers,
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
            linked=(
                [f"results/{SCALE}/{{study}}/tables/published.jsonld"]
                if PLAN.studies[study].kind == "paper"
                else []
            ),
            facts_path=f"results/{SCALE}/{{study}}/provenance.json",
        log:
            logfile("summarize"),
        wildcard_constraints:
            study=study,
        resources:
            mem_mb=by_input(4000, per_mb=80),
            runtime=more(30),
        params:
            code=code_of("summarize", "tables"),
            facts=facts_of,
            paper={"doi": PLAN.studies[study].doi, "url": PLAN.studies[study].url},
        message:
            "Writing the tables of {wildcards.study}"
        script:
            "../scripts/summarize.py"
