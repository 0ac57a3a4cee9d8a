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
            code=code_of("summarize", "tables", "published", "derived"),
            facts=facts_of,
            link=(
                link_to(PLAN.studies[study].paper)
                if PLAN.studies[study].paper
                else None
            ),
        message:
            "Writing the tables of {wildcards.study}"
        script:
            "../scripts/summarize.py"


FORMATS = ["svg", "pdf"]
DRAWN = ["svg"] if SCALE == "quick" else FORMATS  # a PDF takes as long as an SVG

for study in PLAN.studies:

    rule:
        name:
            f"draw_{study}"
        input:
            tables=tables_of(study),
        output:
            figures=[
                report(
                    path,
                    caption=Path.cwd()
                    / f"results/{SCALE}/{study}/figures/{Path(path).stem}.txt",
                    category="Figures",
                    subcategory="{study}",
                    labels={"study": "{study}", "figure": Path(path).stem},
                )
                for path in figures_of(study)
            ],
            others=figures_of(study, ["txt", *DRAWN[1:]]),
        log:
            logfile("draw"),
        wildcard_constraints:
            study=study,
        resources:
            mem_mb=more(2000),
            runtime=more(15),
        params:
            code=code_of("draw", "figures"),
            captions=captions_of,
            formats=DRAWN,
        message:
            "Drawing the figures of {wildcards.study}"
        script:
            "../scripts/draw.py"


rule figures:
    log:
        f"logs/{SCALE}/figures.log",
    params:
        code=code_of("redraw"),
        results=f"results/{SCALE}",
        captions={
            name: study.captions["figures"] for name, study in PLAN.studies.items()
        },
        formats=DRAWN,
    message:
        "Drawing the figures of all studies with tables in {params.results}"
    script:
        "../scripts/redraw.py"


for study in KEPT:

    rule:
        name:
            f"draw_{study}_of_reference"
        input:
            tables=KEPT[study],
        output:
            figures=kept_figures(study, [*FORMATS, "txt"]),
        log:
            "logs/figures/{study}.log",
        wildcard_constraints:
            study=study,
        params:
            code=code_of("draw", "figures"),
            captions=captions_of,
            formats=FORMATS,
        message:
            "Drawing the figures of {wildcards.study} from the tracked tables"
        script:
            "../scripts/draw.py"


rule figures_of_reference:
    input:
        [
            path.format(study=study)
            for study in KEPT
            for path in kept_figures(study, [*FORMATS, "txt"])
        ],
