FORMATS = ["svg", "pdf"]


rule draw:
    input:
        tables=rules.summarize.output.tables,
    output:
        figures=report(
            directory(f"results/{SCALE}/{{study}}/figures"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            subcategory="{study}",
            labels={"study": "{study}", "figure": "{figure}"},
        ),
    log:
        logfile("draw"),
    benchmark:
        usage("draw")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=more(2000),
        runtime=more(15),
    params:
        code=code_of("draw", "figures"),
        captions=captions_of,
        formats=["svg"] if SCALE == "quick" else FORMATS,  # a PDF takes as long as an SVG
    message:
        "Drawing the figures of {wildcards.study}"
    script:
        "../scripts/draw.py"


use rule draw as draw_reference with:
    input:
        tables=kept_tables,
    output:
        figures=directory("results/figures/{study}"),
    log:
        "logs/figures/{study}.log",
    benchmark:
        "logs/figures/{study}.tsv"
    params:
        code=code_of("draw", "figures"),
        captions=captions_of,
        formats=FORMATS,
    message:
        "Drawing the figures of {wildcards.study} from {input.tables}"
