from pumetrics_workflow.reference import SCALES

REFERENCE = Path("results/reference")  # tracked, in the clone


def kept_tables(wildcards):
    """Tracked tables of a study, at the largest scale they are kept at."""
    places = [HOME / REFERENCE / scale / wildcards.study / "tables" for scale in SCALES]
    return str([place for place in places if place.is_dir()][-1])


def figures_asked(wildcards):
    """Figures of a run, or with `reference` those of the papers, from the tracked tables."""
    output, studies = rules.draw.output.figures, list(PLAN.studies)
    if config["reference"]:
        kept = {path.parent.name for path in (HOME / REFERENCE).glob("*/*/tables")}
        output = rules.draw_reference.output.figures
        papers = [name for name in studies if PLAN.studies[name].kind == "paper"]
        studies = [name for name in papers if name in kept]
    return expand(output, study=studies)


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
        captions=lambda wildcards: load(wildcards.study).CAPTIONS,
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
    message:
        "Drawing the figures of {wildcards.study} from {input.tables}"
