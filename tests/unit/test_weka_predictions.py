"""Predictions as WEKA 3.9.7 writes them as CSV: `prediction` is the probability of the predicted class."""

import numpy as np
import pytest

from pumetrics.metrics import pu_average_precision_score, pu_roc_auc_score
from pumetrics.reading import read_scores

# Actual class, predicted class, and probability of the positive class: two folds, so numbers of rows come twice.
ROWS = """
pos neg .427, pos pos .815, pos pos .96, pos neg .169, neg neg .142, neg neg .483, neg neg .053, neg pos .569,
neg neg .025, neg neg .1, pos pos .951, pos pos .677, pos pos .868, pos pos .994, neg neg .018, neg neg .158,
neg neg .298, neg neg .158, neg neg .298, neg pos .868, pos neg .242, pos neg .042, pos pos .93, pos pos .921,
neg neg .051, neg neg .126, neg neg .017, neg neg .013, neg neg .286, neg neg .046, pos pos .813, pos pos
.724, pos pos .866, pos pos .894, neg neg .134, neg neg .124, neg neg .023, neg neg .025, neg neg .324, neg
pos .561, pos neg .381, pos pos .758, pos pos .92, pos pos .833, neg neg .251, neg neg .405, neg neg .158, neg
neg .106, neg neg .06, neg neg .171, pos neg .279, pos neg .008, pos neg .087, pos neg .37, neg pos .67, neg
neg .045, neg neg .006, neg neg .227, neg neg .022, neg neg .437, pos pos .984, pos pos .859, pos pos .551,
pos pos .904, neg pos .953, neg neg .027, neg neg .161, neg neg .302, neg neg .047, neg neg .028, pos neg
.464, pos pos .991, pos pos .993, pos pos .948, neg neg .077, neg neg .145, neg pos .578, neg pos .661, neg
neg .017, neg neg .242, pos neg .448, pos pos .791, pos pos .983, pos pos .682, neg neg .246, neg neg .133,
neg neg .028, neg neg .113, neg neg .144, neg neg .028, pos pos .689, pos pos .993, pos pos .665, pos pos
.775, neg neg .188, neg neg .116, neg neg .137, neg neg .203, neg neg .434, neg neg .337
"""
CASES = [row.split() for row in ROWS.split(",")]
NUMBERED = {"neg": "1:neg", "pos": "2:pos"}


def written(kind):
    lines = [f"inst#,actual,predicted,error,{kind}{',' * (kind == 'distribution')}"]
    for number, (actual, predicted, text) in enumerate(CASES):
        shares = {"neg": round(1 - float(text), 3), "pos": float(text)}
        value = shares[predicted]
        if kind == "distribution":
            value = ",".join(
                f"{'*' * (name == predicted)}{share}" for name, share in shares.items()
            )
        error = "" if actual == predicted else "+"
        lines.append(f"{number % 10 + 1},{NUMBERED[actual]},{NUMBERED[predicted]},{error},{value}")
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("kind", ["prediction", "distribution"])
@pytest.mark.parametrize("positive", ["pos", "2:pos"])
def test_both_forms_give_the_area_that_weka_prints(tmp_path, kind, positive):
    file = tmp_path / "weka.csv"
    file.write_text(written(kind))
    for names in ({}, {"score": kind, "label": "actual"}):
        scored = read_scores(file, positive=positive, **names)
        assert scored.score.tolist() == [float(share) for *_, share in CASES]
        np.testing.assert_array_equal(scored.s, [actual == "pos" for actual, *_ in CASES])
        assert pu_roc_auc_score(scored.s, scored.score, alpha=0) == pytest.approx(0.876, abs=5e-4)
        area = pu_average_precision_score(scored.s, scored.score, alpha=0)
        assert area == pytest.approx(0.852, abs=5e-4)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (written("prediction"), {}, "such as --positive pos"),
        (written("prediction"), {"positive": "yes"}, "its classes are neg, pos"),
        (written("prediction"), {"positive": "pos", "label": "error"}, "omit --score and --label"),
        (written("prediction") + "11,3:odd,3:odd,,0.9\n", {"positive": "pos"}, "-distribution"),
        (
            written("prediction") + "11,3.5,3.1,-0.4\n",
            {"positive": "pos"},
            f"line {len(CASES) + 2} of",
        ),
    ],
    ids=["no class", "other class", "other column", "three classes", "numeric class"],
)
def test_what_has_no_probability_of_the_positive_class_is_refused(tmp_path, text, options, words):
    file = tmp_path / "weka.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"weka\.csv") as caught:
        read_scores(file, **options)
    assert words in str(caught.value)
